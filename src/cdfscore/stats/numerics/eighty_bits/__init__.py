"""Sums with the 64 significant bits of R's ``long double``, on any machine; see `moments`.

Here are R's sums of rows in NumPy's long doubles, for any scores, where these have 64 bits as R's.
"""

from typing import Any

import numpy as np

from cdfscore.stats.numerics.eighty_bits.whole_numbers import SMALLEST_SAFE_VARIANCE
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

#: Whether NumPy's long double has 64 significant bits here.
HAS_64_BITS = bool(np.finfo(np.longdouble).nmant == 63)


def totals(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``sum`` of some rows; NaN is omitted."""
    found[rows] = _sum(_columns(scores[rows])[0])


def single_pass_means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``colMeans`` of some rows, as if they were columns; NaN is omitted."""
    x, _, n = _columns(scores[rows])
    found[rows] = _sum(x) / n


def means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``mean`` of some rows; NaN is omitted, and infinite scores have no mean."""
    x, missing, n = _columns(scores[rows])
    first = _sum(x) / n
    x -= first
    x[missing] = 0
    found[rows] = first + _sum(x) / n


def sds(scores: Array, rows: IntArray, means: Array, found: Array) -> None:
    """Fill in R's ``sd`` of some rows, given their means; of 64 bits where R's is infinite or 0."""
    x, missing, n = _columns(scores[rows])
    x -= means[rows]
    x[missing] = 0
    x *= x
    variance = _sum(x) / (n - 1)
    rounded = variance.astype(np.float64)
    safe = (rounded >= SMALLEST_SAFE_VARIANCE) & (rounded < np.inf)
    found[rows] = np.where(n > 1, np.where(safe, np.sqrt(rounded), np.sqrt(variance)), np.nan)


def _columns(scores: Array) -> tuple[Any, BoolArray, IntArray]:
    """Return rows as columns of long doubles, 0 where one is missing, where it is, and numbers."""
    columns = np.ascontiguousarray(scores.T)
    missing = np.isnan(columns)
    x = columns.astype(np.longdouble)
    x[missing] = 0
    return x, missing, len(x) - np.count_nonzero(missing, axis=0)


def _sum(columns: Any) -> Any:
    # NumPy adds one after another, but in pairs along the axis that is fast in memory.
    if columns.shape[1] == 1:
        return np.add.accumulate(columns, axis=0)[-1] + 0
    return np.add.reduce(columns, axis=0, initial=0)
