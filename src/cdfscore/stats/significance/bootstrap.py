"""Resamples of topics with replacement: random ones, or all n^n of them."""

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from cdfscore.stats.numerics.multiples import shifted_differences
from cdfscore.stats.numerics.offset import without_offset
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.significance.contract import Draws, NumbersOfTopics
from cdfscore.stats.significance.resampling import MOST_ENUMERATED, differences_of_doubles, words

#: The range of differences, by the largest, up to which what they share is subtracted. Beyond it
#: the rounding of their mean is within what counts as a tie.
_NEAR = 0.5


@dataclass(frozen=True)
class Resamples:
    """Counts of n topics in each resample, and the number of resamples that each stands for."""

    counts: Array  # (resamples, n)
    weights: Array  # (resamples,)
    exact: bool
    method: str

    @property
    def total(self) -> float:
        """The number of resamples."""
        return float(self.weights.sum())


def enumerable(n: int) -> bool:
    """Tell whether the resamples of n topics are few enough to be enumerated."""
    return bool(n**n <= MOST_ENUMERATED)


def resamples(n: int, B: int, seed: int) -> Resamples:
    """Return all resamples of n topics where n^n <= 2^20 (n <= 7), else B random ones."""
    if enumerable(n):
        chosen = np.array(list(combinations_with_replacement(range(n), n)), dtype=np.int64)
        counts = _counts(chosen, n)
        ways = [math.factorial(n) // math.prod(map(math.factorial, row)) for row in counts]
        return Resamples(
            counts.astype(np.float64), np.array(ways, dtype=np.float64), True, f"all {n}^{n}"
        )
    # 53 bits of a word, as a fraction of n: no topic is likelier by more than n / 2^53.
    fractions = (words(seed, 0, B, n) >> np.uint64(11)) * 2.0**-53
    counts = _counts((fractions * n).astype(np.int64), n)
    return Resamples(counts.astype(np.float64), np.ones(B), False, f"B = {B}, seed {seed}")


def drawn(sizes: NumbersOfTopics, B: int, seed: int) -> Draws | None:
    """Return the random resamples of `sizes[0]` topics: the count of each topic."""
    n = sizes[0]
    if enumerable(n):
        return None
    return Draws(B, n, n, lambda: [resamples(n, B, seed).counts])


def differences(x: Array, y: Array, shift: float) -> tuple[Array, Array]:
    """Return x - y - shift (rows, n), and the same without an offset that a row has in common."""
    difference = differences_of_doubles(x, y, shift)
    whole, q = shifted_differences(x, y, shift)
    known = np.flatnonzero(~np.isnan(q))
    difference[known] = whole[known]
    apart = without_offset(difference, _NEAR)
    by = q[known, np.newaxis]
    apart[known] = without_offset(np.rint(whole[known] * by), _NEAR) / by
    return difference, apart


def sums(values: Array, counts: Array) -> Array:
    """Return the sums of resamples of rows of values, (rows, n) to (rows, resamples), rounded once.

    Values are cut into two whole numbers of which no sum is rounded, so that threads decide
    nothing.
    """
    bits = 52 - math.ceil(math.log2(counts.shape[1]))
    exponent = np.frexp(np.abs(values).max(axis=1, keepdims=True))[1]
    scaled = np.ldexp(values, bits - exponent)
    leading = np.rint(scaled)
    rest = np.rint(np.ldexp(scaled - leading, bits))
    total = leading @ counts.T
    total += np.ldexp(rest @ counts.T, -bits)
    return np.asarray(np.ldexp(total, exponent - bits))


def quantile(values: Array, drawn: Resamples, proportion: float) -> Array:
    """Return a quantile of each row of values (rows, resamples): type 6 of R's ``quantile``."""
    position = min(max((drawn.total + 1) * proportion, 1.0), drawn.total)
    whole = int(position)
    places = [whole, min(whole + 1, int(drawn.total))]
    lower, upper = _ordered(values, drawn, places)
    step = position - whole
    # Equal ends and a step of 0 on their own, because infinite values have no difference.
    return np.where((lower == upper) | (step == 0), lower, (1 - step) * lower + step * upper)


def _ordered(values: Array, drawn: Resamples, places: list[int]) -> list[Array]:
    """Return order statistics, from 1, of rows in which resamples count by their weights."""
    if not drawn.exact:
        ordered = np.partition(values, [place - 1 for place in places], axis=1)
        return [ordered[:, place - 1] for place in places]
    order = np.argsort(values, axis=1)
    reached = np.cumsum(drawn.weights[order], axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    rows = np.arange(len(values))
    return [ordered[rows, (reached < place).sum(axis=1)] for place in places]


def _counts(chosen: IntArray, n: int) -> IntArray:
    """Count the topics of each resample (resamples, n), of indices from 0 to n - 1."""
    places = chosen + n * np.arange(len(chosen))[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=n * len(chosen)).reshape(-1, n)
