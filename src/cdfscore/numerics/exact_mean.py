"""Means of fractions of whole numbers, so that ties are ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from cdfscore.numerics.types import Array, IntArray

#: Denominators are below this.
LARGEST = 1 << 32

# Scores at a time, so that their numerators take little memory.
_BLOCK = 1 << 20


def numerators(y: Array, denominators: IntArray) -> IntArray:
    """Return the whole numbers k of which y is k / denominator, rounded; 0 where y is NaN.

    y has shape (..., m), and the denominators, (..., 1), are below 2^32, so that y times its
    denominator is less than 1/2 away from k, and 2^31 of them have a sum.
    """
    k = y * denominators
    k[np.isnan(k)] = 0
    return np.rint(k, out=k).astype(np.int64)


class ExactSums:
    """Sums of fractions by system, of one part of the topics after another."""

    def __init__(self) -> None:
        self._by_denominator: dict[int, IntArray] = {}
        self._topics: IntArray | None = None

    def add(self, y: Array, denominators: IntArray) -> None:
        """Add topics; the shapes are those of `exact_means`."""
        step = max(1, _BLOCK // max(1, y.shape[1]))
        for start in range(0, max(1, len(y)), step):
            self._add(y[start : start + step], denominators[start : start + step])

    def _add(self, y: Array, denominators: IntArray) -> None:
        k = numerators(y, denominators)
        for d in np.unique(denominators).tolist():
            counts = k[denominators[:, 0] == d].sum(axis=0)
            self._by_denominator[d] = self._by_denominator.get(d, 0) + counts
        topics = len(y) - np.count_nonzero(np.isnan(y), axis=0)
        self._topics = topics if self._topics is None else self._topics + topics

    def means(self) -> Array:
        """Return the mean of each system, rounded once, after the first call of `add`."""
        assert self._topics is not None
        sums = [Fraction(0)] * len(self._topics)
        for d, counts in self._by_denominator.items():
            sums = [s + Fraction(int(c), d) for s, c in zip(sums, counts, strict=True)]
        return np.array(
            [float(s / int(n)) if n else np.nan for s, n in zip(sums, self._topics, strict=True)],
            dtype=np.float64,
        )


def exact_means(y: Array, denominators: IntArray) -> Array:
    """Average each column of y, the rounded fractions, as if they were not, and round once.

    y is (topics, systems), NaN where a score is missing, and `denominators` (topics, 1). A column
    without any score is NaN. Systems whose exact means are equal get the same double.
    """
    sums = ExactSums()
    sums.add(y, denominators)
    return sums.means()
