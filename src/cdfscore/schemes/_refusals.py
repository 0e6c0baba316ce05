"""Refusal of the rows of a batch that cannot be fitted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.errors import FitError
from cdfscore.numerics.types import BoolArray


def refuse_rows(bad: BoolArray | np.bool_, message: str | Callable[[int], str]) -> None:
    """Raise `FitError` for the rows that are bad, if there is one.

    `message` is the reason, or gives that of a row, by its number in the batch.
    """
    if np.any(bad):
        reasons = {
            int(row): message if isinstance(message, str) else message(int(row))
            for row in np.flatnonzero(np.atleast_1d(bad))
        }
        row, reason = next(iter(reasons.items()))
        where = f"row {row}: " if np.ndim(bad) else ""
        raise FitError(where + reason, row=row, rows=reasons)
