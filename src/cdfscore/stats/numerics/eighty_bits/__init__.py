"""Sums with the 64 significant bits of R's ``long double``, on any machine; see `moments`.

Here are numbers as the sums of two doubles, of arrays and compiled, and R's sums of rows in NumPy's
long doubles.
"""

from typing import Any, TypeVar

import numpy as np

from cdfscore.stats.numerics.eighty_bits.whole_numbers import SMALLEST_SAFE_VARIANCE
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

#: A number, or an array of them.
Number = TypeVar("Number", float, Array)

#: Half a unit in the last of 64 bits, of a number between 1 and 2: what one rounding changes at
#: most, in proportion.
HALF_ULP = 2.0**-64
# Splits a double into two halves of 26 bits (Dekker).
_SPLITTER = 2.0**27 + 1


def two_sum(x: Number, y: Number) -> tuple[Number, Number]:
    """Return x + y, rounded, and the rounding error, which is a double as well (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def product_error(x: Number, y: Number, product: Number) -> Number:
    """Return x * y less its rounded value (Dekker), without underflow, and below 2^996."""
    part = x * _SPLITTER
    x_high = part - (part - x)
    x_low = x - x_high
    part = y * _SPLITTER
    y_high = part - (part - y)
    y_low = y - y_high
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def square_error(x: Number, square: Number) -> Number:
    """Return x * x less its rounded value, as `product_error`."""
    part = x * _SPLITTER
    high = part - (part - x)
    low = x - high
    return (high * high - square) + (high + high) * low + low * low


def quotient(high: Array, low: Array, n: IntArray) -> tuple[Array, Array]:
    """Return (high + low) / n as a double, the nearest one, and the rest, to about 105 bits."""
    by = n.astype(np.float64)
    first = high / by
    product = first * by
    rest = ((high - product) - product_error(first, by, product) + low) / by
    return two_sum(first, rest)


# --- R's sums of rows in long doubles, for any scores, where these have 64 bits as R's ---

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
