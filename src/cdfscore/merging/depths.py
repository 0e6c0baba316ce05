"""Numbers of documents of a list that are used or kept."""

from __future__ import annotations

from cdfscore.errors import SchemeError
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.spelling import argument


def check_depth(name: str, depth: int | None) -> None:
    """Raise `SchemeError` unless the depth is None or a whole number of at least 1."""
    if depth is None:
        return
    number = finite_number(depth)
    if number is None or number < 1 or not number.is_integer():
        raise SchemeError(
            f"{argument(name, depth, shown=shown)} is not accepted; expected a whole number of at "
            "least 1"
        )
