"""Fit errors for the rows of a batch that cannot be fitted."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.numerics.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    from cdfscore.schemes.base import Scheme


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

    `bad` is an array of bool (...,) with one element per row, or one bool for a single row.
    `message` is the reason, or a function that returns the reason of a row from its number.
    `estimate` of a scheme calls this for topics that it cannot be fitted to.

    Raises `FitError` if an element of `bad` is True. Its `row` is the first bad row, and its
    `rows` has the reason of each.

    Specified in scheme.3.

    Examples
    --------
    >>> from cdfscore.errors import FitError, SchemeError
    >>> try:
    ...     refuse_rows(np.array([False, True]), "a score is negative")
    ... except FitError as error:
    ...     print(error, error.rows)
    row 1: a score is negative {1: 'a score is negative'}
    """
    if np.any(bad):
        reasons = {
            int(row): message if isinstance(message, str) else message(int(row))
            for row in np.flatnonzero(np.atleast_1d(bad))
        }
        row, reason = next(iter(reasons.items()))
        where = f"row {row}: " if np.ndim(bad) else ""
        raise FitError(where + reason, row=row, rows=reasons)


def refuse_outside(scheme: Scheme, sample: Array) -> None:
    """Raise `FitError` for rows with a reference score outside the domain of the scheme.

    Raises `SchemeError` if the domain that a scheme states is not two numbers.
    """
    stated: object = scheme.domain
    match stated:
        case (int() | float() as low, int() | float() as high):
            pass
        case _:
            raise SchemeError(
                f"{scheme.name}: domain is {stated!r}; expected its two ends, such as "
                "(0.0, math.inf)"
            )
    if low > -math.inf or high < math.inf:
        outside = (sample < low) | (sample > high)
        refuse_rows(
            outside.any(axis=-1),
            lambda row: (
                f"a reference score is {first_bad(sample, outside, row)}, and {scheme} is "
                f"{'a distribution on' if scheme.is_cdf else 'for scores in'} "
                f"{_interval(low, high)}"
            ),
        )


def refuse_short(scheme: Scheme, n: IntArray) -> None:
    """Raise `FitError` for rows of n reference scores, fewer than the scheme needs."""
    refuse_rows(
        n < scheme.minimum_scores,
        lambda row: (
            f"{scheme} needs at least {scheme.minimum_scores} reference "
            f"score{'s' * (scheme.minimum_scores > 1)} and there "
            f"{'is' if n.flat[row] == 1 else 'are'} {n.flat[row]}"
        ),
    )


def _interval(low: float, high: float) -> str:
    return f"[{low:g}, {high:g}]" if high < math.inf else f"[{low:g}, infinity)"
