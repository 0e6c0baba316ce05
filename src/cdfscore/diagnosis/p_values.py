"""p values of distances by simulation: the proportion of resamples with a larger distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.draws import FEW, Draws
from cdfscore.diagnosis.goodness_of_fit import STATISTICS
from cdfscore.numerics.resampling import p_value
from cdfscore.numerics.types import Array

# Number of scores simulated at a time: fast, with little memory.
_BLOCK = 1 << 17
# Statistics are ties if their difference is less than this proportion of them.
_TIE = 1e-9


@dataclass(frozen=True)
class PValues:
    """p values of the `STATISTICS` (3,), their Monte Carlo standard errors, and the resamples.

    `resamples` is the number that count; `unfitted` could not be fitted, with the first `reason`.
    """

    p: Array
    stderr: Array
    resamples: int
    unfitted: int
    reason: str


@dataclass(frozen=True)
class Counts:
    """Counts of resamples that reach the statistics (3,), that count and that were not fitted."""

    counts: Array
    fitted: int
    unfitted: int = 0
    reason: str = ""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.counts + other.counts,
            self.fitted + other.fitted,
            self.unfitted + other.unfitted,
            self.reason or other.reason,
        )


def limits_of(distances: Array) -> Array:
    """Return the distances of the scores, less rounding errors, which resamples must reach."""
    return distances * (1 - _TIE)


def p_values(count: Callable[[int], Counts], draws: Draws) -> PValues:
    """Return the p values (b + 1) / (B + 1), where b of B resamples reach the statistics.

    `count` draws the next resamples of their stream and counts them. If b is small, more are
    drawn; see `Draws`.
    """
    found = count(draws.resamples)
    p, stderr = p_value(found.counts, found.fitted, exact=False)
    few = found.counts < FEW
    if draws.most > draws.resamples and few.any() and found.fitted:
        found += count(draws.most - draws.resamples)
        p, stderr = np.where(few, p_value(found.counts, found.fitted, exact=False), (p, stderr))
    reason = ""
    if found.fitted < found.unfitted:
        p, stderr = np.full((2, len(STATISTICS)), np.nan)
        total = found.fitted + found.unfitted
        reason = f"{found.unfitted} of {total} resamples cannot be fitted: {found.reason}"
    return PValues(p, stderr, found.fitted, found.unfitted, reason)


def blocks(resamples: int, n: int) -> Iterator[int]:
    """Yield the numbers of resamples of n scores to draw at a time."""
    step = max(1, _BLOCK // n)
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
