"""Means of systems whose scores are whole multiples of a resolution, so that ties are ties."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.multiples import denominators
from cdfscore.numerics.types import Array

# Whole numbers below this, and their sums, are exact in doubles.
_EXACT = 2.0**53


class MultiplesOfSystems:
    """Sums of scores as whole multiples of a resolution, added part by part.

    A row is a system. Its `q` is NaN if a score is not a multiple of a resolution.
    """

    def __init__(self, rows: int) -> None:
        self._q = np.ones(rows)
        self._sums, self._sizes, self._largest = np.zeros((3, rows))
        self._n = np.zeros(rows, dtype=np.int64)

    def add(self, scores: Array) -> None:
        """Add scores (rows, n), NaN where one is missing."""
        present = ~np.isnan(scores)
        self._n += present.sum(axis=1)
        rows = np.flatnonzero(~np.isnan(self._q))
        if not rows.size:
            return
        filled = np.where(present[rows], scores[rows], 0.0)
        largest = np.maximum(self._largest[rows], np.abs(filled).max(axis=1, initial=0.0))
        # A resolution that is too fine for the largest score so far does not count.
        q = denominators(np.column_stack([filled, self._largest[rows]]), self._q[rows])
        multiples = np.rint(filled * q[:, np.newaxis])
        widened = q / self._q[rows]
        self._sums[rows] = self._sums[rows] * widened + multiples.sum(axis=1)
        self._sizes[rows] = self._sizes[rows] * widened + np.abs(multiples).sum(axis=1)
        self._q[rows], self._largest[rows] = q, largest

    def settled(self, means: Array) -> Array:
        """Return `means`, with the same double for rows whose exact means are equal."""
        with np.errstate(invalid="ignore"):  # a row without a score, or without a resolution
            exact = self._sums / (self._q * self._n)
            whole = self._q * self._n
            known = (self._sizes < _EXACT) & (whole < _EXACT) & (self._n > 0)
        rows = np.flatnonzero(known)
        values, place = np.unique(exact[rows], return_inverse=True)
        low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
        np.minimum.at(low, place, means[rows])
        np.maximum.at(high, place, means[rows])
        found = means.copy()
        apart = rows[(low < high)[place]]
        found[apart] = exact[apart]
        return found


def with_ties(means: Array, scores: Array) -> Array:
    """Return the means of rows of scores, the same double for rows whose exact means are equal.

    A sum of decimals is rounded, so that two equal means may differ in the last digit. The exact
    mean is known for rows that are whole multiples of a resolution. If two rows have the same
    exact mean and different `means`, both get the exact mean, rounded once. Other rows do not
    change. Shapes (rows,) and (rows, n), NaN where a score is missing.

    >>> with_ties(np.array([0.2, 0.20000000000000004, 0.3]),
    ...           np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.3]]))
    array([0.2, 0.2, 0.3])
    """
    multiples = MultiplesOfSystems(len(scores))
    with np.errstate(invalid="ignore"):  # infinite scores have no resolution
        multiples.add(scores)
    return multiples.settled(means)
