"""Means of systems, of one block of topics after another."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.eighty_bits.running import RunningSums
from cdfscore.numerics.exact_mean import ExactSums
from cdfscore.numerics.types import Array, IntArray
from cdfscore.standardization.tied_means import MultiplesOfSystems


class RunningMeans:
    """The means of `Standardized.means`, bit for bit, of blocks that are added in their order.

    Means of schemes that count are sums of whole numbers. Others are sums of 64 bits, as R's,
    whose state goes from block to block, so that every addition is the same as in one matrix.
    """

    def __init__(self, systems: int, *, counts: bool) -> None:
        self._exact = ExactSums() if counts else None
        self._multiples = MultiplesOfSystems(systems)
        self._sums = RunningSums(systems)
        self.topics = np.zeros(systems, dtype=np.int64)

    def add(self, y: Array, denominators: IntArray | None) -> None:
        """Add standardized scores (topics, systems), with denominators if the scheme counts."""
        self.topics += len(y) - np.count_nonzero(np.isnan(y), axis=0)
        if self._exact is not None:
            if denominators is not None:  # None where no topic of the block could be fitted
                self._exact.add(y, denominators)
            return
        self._sums.add(y)
        with np.errstate(invalid="ignore"):  # -inf and +inf of constant topics
            self._multiples.add(y.T)

    def result(self) -> Array:
        """Return the mean of each system, NaN where it has no score."""
        if self._exact is not None:
            return self._exact.means()
        return self._multiples.settled(self._sums.means(self.topics))
