"""R's ``colMeans`` of columns whose parts are added one after another."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.eighty_bits.compiled_pairs import sum_of_two
from cdfscore.numerics.eighty_bits.sums import is_ordinary
from cdfscore.numerics.eighty_bits.whole_numbers import Number, added, number_of
from cdfscore.numerics.types import Array, IntArray


class RunningSums:
    """Sums of columns, from the first row of the first part to the last of the last, as R's.

    A sum of 64 bits is a pair of doubles. From the first score on that is very large or very small,
    that of its column is a whole number of units.
    """

    def __init__(self, columns: int) -> None:
        self._pairs = np.zeros((2, columns))
        self._whole: dict[int, Number] = {}
        #: The sum of the infinite scores of each column, NaN if there are both.
        self._infinite = np.zeros(columns)

    def add(self, scores: Array) -> None:
        """Add a part (rows, columns); NaN is omitted."""
        infinite = np.isinf(scores)
        if infinite.any():
            with np.errstate(invalid="ignore"):
                self._infinite += np.where(infinite, scores, 0.0).sum(axis=0)
            scores = np.where(infinite, np.nan, scores)
        for column in np.flatnonzero(~is_ordinary(scores).all(axis=0)).tolist():
            if column not in self._whole:
                self._whole[column] = number_of(*self._pairs[:, column].tolist())
        _add(np.ascontiguousarray(scores), self._pairs)
        for column, before in self._whole.items():
            x = scores[:, column]
            self._whole[column] = added(before, x[~np.isnan(x)])

    def means(self, n: IntArray) -> Array:
        """Return the means of columns of n scores each, NaN where n is 0."""
        found = np.full(len(n), np.nan)
        for column in np.flatnonzero(n).tolist():
            total = self._whole.get(column)
            if total is None:
                total = number_of(*self._pairs[:, column].tolist())
            found[column] = total.over(int(n[column])).nearest()
        return np.where(self._infinite == 0, found, self._infinite)


@compiled
def _add(scores: Array, sums: Array) -> None:
    """Add each row to the sums (2, columns), rounding to 64 bits."""
    for i in range(len(scores)):
        for j in range(scores.shape[1]):
            x = scores[i, j]
            if x == x:
                sums[0, j], sums[1, j] = sum_of_two(sums[0, j], sums[1, j], x)
