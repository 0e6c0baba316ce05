"""The pairs that R tests, if all pairs would take too long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cdfscore.io.text import written
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.contract import TestResult
from cdfscore.significance.resampling.draws import Draws

#: The count of numbers in the draws of all pairs that R handles in about a minute: 5,995 pairs of
#: two samples of 249 scores each, with 10,000 divisions.
_A_MINUTE = 3e10
#: The Monte Carlo standard errors within which a pair is near the level.
_NEAR = 4


@dataclass(frozen=True)
class Sample:
    """The places of the pairs that R tests, and the p values of all pairs."""

    places: IntArray
    p_values: Array
    note: str


def sample_of(
    draws: Iterable[Draws], result: TestResult, p_adjusted: Array, alpha: float
) -> Sample | None:
    """Return the pairs that R tests, or None if R can test all in about a minute.

    These are all pairs whose adjusted p value is near the level alpha, and every k-th other pair.
    """
    pairs = len(p_adjusted)
    each = max((one.trials * one.numbers for one in draws), default=0)
    if each * pairs <= _A_MINUTE:
        return None
    with np.errstate(invalid="ignore"):
        error = p_adjusted / result.p_value * result.p_value_stderr
        is_near = np.abs(p_adjusted - alpha) <= _NEAR * error
    near, others = np.flatnonzero(is_near), np.flatnonzero(~is_near)
    step = -(-len(others) // max(1, int(_A_MINUTE // each) - len(near)))
    places = np.sort(np.concatenate([near, others[::step]])) if step else near
    note = (
        f"R tests {len(places):,} of {pairs:,} pairs, since all would take more than about a "
        f"minute: the {len(near):,} whose adjusted p value is within {_NEAR} Monte Carlo standard "
        f"errors of {written(alpha)}, and of the others the first of each {step:,}; for p.adjust, "
        "the p values of the other pairs come from Python"
    )
    return Sample(places, result.p_value, note)
