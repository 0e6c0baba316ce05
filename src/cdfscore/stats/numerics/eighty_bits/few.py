"""Almost exact sums of a few rows by NumPy, with what bounds R's roundings, and R's additions."""

from typing import Any

import numpy as np

from cdfscore.stats.numerics.eighty_bits.pairs import square_error, two_sum
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# What one rounding of a double changes at most, in proportion.
_HALF_ULP = 2.0**-53

#: Whether NumPy's long double has 64 significant bits here, as R's.
HAS_64_BITS = bool(np.finfo(np.longdouble).nmant == 63)


def add(scores: Array, *, sizes: bool) -> tuple[Array, IntArray]:
    """Add each row: return the sums (4, rows) and the numbers of scores that are not NaN.

    The sum is the first and the second, with an error of at most the third; the fourth is that of
    the sizes of all partial sums, if `sizes` are asked for.
    """
    n = np.full(len(scores), scores.shape[1])
    missing = np.isnan(scores)
    if missing.any():
        n -= np.count_nonzero(missing, axis=1)
        scores = np.where(missing, 0.0, scores)
    found = np.zeros((4, len(scores)))
    found[0], rest, found[2] = _split_sum(scores)
    found[1] = rest.sum(axis=1)
    if sizes:
        found[3] = _sizes(scores)
    return found, n


def add_in_order(scores: Array) -> tuple[Array, IntArray]:
    """Add each row from left to right: return the sums (2, rows), as of `rows.add`, and n."""
    missing = np.isnan(scores)
    n = scores.shape[1] - np.count_nonzero(missing, axis=1)
    columns = np.ascontiguousarray(np.where(missing, 0.0, scores).T)
    total, rest = np.zeros((2, len(scores)))
    for column in columns:
        total, error = two_sum(total, column)
        rest += error
    return np.stack([total, rest]), n


def add_squares(scores: Array, means: Array) -> Array:
    """Add the squares of x - mean of each row: return the sums (5, rows).

    As in `add`; the fourth is at least the sum of all partial sums, the fifth that of x - mean's.
    """
    mean = means[:, np.newaxis]
    missing = np.isnan(scores)
    if missing.any():
        scores = np.where(missing, mean, scores)
    residual, error = two_sum(scores, -mean)
    square = residual * residual
    lost = square_error(residual, square)
    error *= 2 * residual
    lost += error
    found = np.empty((5, len(scores)))
    found[0], rest, found[2] = _split_sum(square)
    rest += lost
    found[1] = rest.sum(axis=1)
    n = scores.shape[1]
    found[2] += n * 2.0**-102 * found[0]
    found[3] = square @ np.arange(n, 0.0, -1.0)
    found[4] = _sizes(residual)
    return found


def totals(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``sum`` of some rows, where `HAS_64_BITS`; NaN is omitted."""
    found[rows] = _last_sum(_extended(scores[rows])[0])


def single_pass_means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``colMeans`` of some rows, as if they were columns."""
    x, missing = _extended(scores[rows])
    found[rows] = _last_sum(x) / (~missing).sum(axis=1)


def means(scores: Array, rows: IntArray, found: Array) -> None:
    """Fill in R's ``mean`` of some rows."""
    x, missing = _extended(scores[rows])
    n = (~missing).sum(axis=1)
    first = _last_sum(x) / n
    residuals = np.where(missing, 0, x - first[:, np.newaxis])
    found[rows] = first + _last_sum(residuals) / n


def sds(scores: Array, rows: IntArray, means: Array, found: Array) -> None:
    """Fill in R's ``sd`` of some rows of two scores or more, given their means."""
    x, missing = _extended(scores[rows])
    residuals = np.where(missing, 0, x - means[rows, np.newaxis])
    variance = _last_sum(residuals * residuals) / ((~missing).sum(axis=1) - 1)
    found[rows] = np.sqrt(variance.astype(np.float64))


def _extended(scores: Array) -> tuple[Any, BoolArray]:
    """Return scores as long doubles, 0 where they are missing, and where they are."""
    missing = np.isnan(scores)
    return np.where(missing, 0, scores).astype(np.longdouble), missing


def _last_sum(numbers: Any) -> Any:
    return np.cumsum(numbers, axis=1)[:, -1]


def _sizes(numbers: Array) -> Array:
    partial = np.cumsum(numbers, axis=1)
    return np.asarray(np.abs(partial, out=partial).sum(axis=1))


def _split_sum(numbers: Array) -> tuple[Array, Array, Array]:
    """Return the sum of the leading bits of each row (Rump), the rests, and their bound."""
    n = numbers.shape[1]
    _, exponent = np.frexp(np.abs(numbers).max(axis=1))
    unit = np.ldexp(1.0, exponent + (n + 2).bit_length())
    leading = numbers + unit[:, np.newaxis]
    leading -= unit[:, np.newaxis]
    rest = numbers - leading
    # Each rest is at most half an ulp of the unit, and each of n additions rounds.
    return leading.sum(axis=1), rest, 2 * (n * _HALF_ULP) ** 2 * unit
