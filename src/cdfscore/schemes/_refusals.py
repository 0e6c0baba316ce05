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


def no_maximum(name: str) -> str:
    """Say why a score at an end of the domain is refused by a maximum likelihood fit."""
    return f"where the likelihood of {name} has no maximum"


def at_ends(n: int, zeros: int, ones: int = 0) -> str:
    """Say how many of n scores are 0, and how many are 1."""
    told = " and ".join(
        f"{count} {'is' if count == 1 else 'are'} exactly {end}"
        for count, end in ((zeros, 0), (ones, 1))
        if count
    )
    return f"of {n} reference scores {told}"


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
