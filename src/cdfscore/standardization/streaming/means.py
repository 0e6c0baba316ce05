"""Means of systems, of one block of topics after another."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.exact_mean import ExactSums
from cdfscore.numerics.types import Array, IntArray
from cdfscore.standardization.tied_means import MultiplesOfSystems


class RunningMeans:
    """The means of `Standardized.means`, bit for bit, of blocks that are added in their order.

    Means of schemes that count are sums of whole numbers. Others are sums in extended precision,
    whose state goes from block to block, so that every addition is the same as in one matrix.
    """

    def __init__(self, systems: int, *, counts: bool) -> None:
        self._exact = ExactSums() if counts else None
        self._multiples = MultiplesOfSystems(systems)
        self._sums = np.zeros(systems, dtype=np.longdouble)
        self.topics = np.zeros(systems, dtype=np.int64)

    def add(self, y: Array, counts: tuple[IntArray, IntArray] | None) -> None:
        """Add standardized scores (topics, systems), and their counts if the scheme counts."""
        missing = np.isnan(y)
        self.topics += len(y) - np.count_nonzero(missing, axis=0)
        if self._exact is not None:
            if counts is not None:  # None where no topic of the block could be fitted
                self._exact.add(*counts, ~missing)
            return
        # numpy.vecdot adds from left to right, as R does; see cdfscore.numerics.moments.
        wide = np.empty((y.shape[1], len(y) + 1), dtype=np.longdouble)
        wide[:, 0] = self._sums
        wide[:, 1:] = y.T
        wide[:, 1:][missing.T] = 0
        with np.errstate(invalid="ignore"):  # -inf and +inf of constant topics make NaN
            self._sums = np.vecdot(wide, np.ones(wide.shape[1], dtype=np.longdouble))
            self._multiples.add(y.T)

    def result(self) -> Array:
        """Return the mean of each system, NaN where it has no score."""
        if self._exact is not None:
            return self._exact.means()
        with np.errstate(invalid="ignore"):
            means = (self._sums / self.topics).astype(np.float64)
        return self._multiples.settled(means)
