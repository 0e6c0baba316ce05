"""Fit errors for the rows of a batch that cannot be fitted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.errors import FitError
from cdfscore.numerics.types import Array, BoolArray


def first_bad(sample: Array, bad: BoolArray, row: int) -> float:
    """Return the first bad score of a row; both arrays have shape (..., n)."""
    n = sample.shape[-1]
    return float(sample.reshape(-1, n)[row][bad.reshape(-1, n)[row]][0])


def too_little_spread(consequence: str) -> str:
    """Say that a family of two shapes cannot have so little spread, and what can."""
    return (
        f"the reference scores differ so little that {consequence}; the normal distribution "
        "fits such scores"
    )


def refuse_rows(bad: BoolArray | np.bool_, message: str | Callable[[int], str]) -> None:
    """Raise `FitError` for the bad rows, if there are any.

    `message` is the reason, or a function that returns the reason of a row from its number.
    """
    if np.any(bad):
        reasons = {
            int(row): message if isinstance(message, str) else message(int(row))
            for row in np.flatnonzero(np.atleast_1d(bad))
        }
        row, reason = next(iter(reasons.items()))
        where = f"row {row}: " if np.ndim(bad) else ""
        raise FitError(where + reason, row=row, rows=reasons)
