"""Numbers of documents of a list that are used or kept."""

from __future__ import annotations

from cdfscore.errors import SchemeError
from cdfscore.numerics.numbers import shown
from cdfscore.spelling import argument


def check_depth(name: str, depth: int | None) -> None:
    """Raise `SchemeError` unless the depth is None or a whole number of at least 1."""
    if depth is not None and (isinstance(depth, bool) or depth < 1 or int(depth) != depth):
        raise SchemeError(
            f"{argument(name, depth, shown=shown)} is not accepted; expected a whole number of at "
            "least 1"
        )
