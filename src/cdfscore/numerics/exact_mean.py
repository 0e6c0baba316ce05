"""Means of whole-number ratios, so that ties are ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray


class ExactSums:
    """Sums of whole-number ratios by system, of one part of the topics after another."""

    def __init__(self) -> None:
        self._by_denominator: dict[int, IntArray] = {}
        self._topics: IntArray | None = None

    def add(self, numerators: IntArray, denominators: IntArray, present: BoolArray) -> None:
        """Add topics; the shapes are those of `exact_means`."""
        for d in np.unique(denominators).tolist():
            rows = denominators[:, 0] == d
            counts = np.where(present[rows], numerators[rows], 0).sum(axis=0)
            self._by_denominator[d] = self._by_denominator.get(d, 0) + counts
        topics = present.sum(axis=0)
        self._topics = topics if self._topics is None else self._topics + topics

    def means(self) -> Array:
        """Return the mean of each system, rounded once; there must be topics."""
        assert self._topics is not None
        sums = [Fraction(0)] * len(self._topics)
        for d, counts in self._by_denominator.items():
            sums = [s + Fraction(int(c), d) for s, c in zip(sums, counts, strict=True)]
        return np.array(
            [float(s / int(n)) if n else np.nan for s, n in zip(sums, self._topics, strict=True)],
            dtype=np.float64,
        )


def exact_means(numerators: IntArray, denominators: IntArray, present: BoolArray) -> Array:
    """Average each column of numerators / denominators, correctly rounded.

    `numerators` and `present` are (topics, systems), `denominators` (topics, 1); only the
    cells that are present count, and a column without any is NaN. Systems whose exact means
    are equal get the same double.
    """
    sums = ExactSums()
    sums.add(numerators, denominators, present)
    return sums.means()
