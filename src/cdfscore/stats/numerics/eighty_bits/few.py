"""Almost exact sums of a few rows by NumPy, with what bounds R's roundings, and R's additions."""

from typing import Any

import numpy as np

from cdfscore.stats.numerics.eighty_bits.pairs import quotient, square_error, two_sum
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# What one rounding of a double changes at most, in proportion.
_HALF_ULP = 2.0**-53

#: Whether NumPy's long double has 64 significant bits here, as R's.
HAS_64_BITS = bool(np.finfo(np.longdouble).nmant == 63)


def add(scores: Array) -> tuple[Array, IntArray]:
    """Add each row: return the sums (4, rows) and the numbers of scores that are not NaN.

    The sum is the first and the second, with an error of at most the third; the fourth is that of
    the sizes of all partial sums.
    """
    n = np.full(len(scores), scores.shape[1])
    missing = np.isnan(scores)
    if missing.any():
        n -= np.count_nonzero(missing, axis=1)
        scores = np.where(missing, 0.0, scores)
    found = np.empty((4, len(scores)))
    found[0], rest, found[2] = _split_sum(scores)
    found[1] = rest.sum(axis=1)
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


def deviations(scores: Array) -> tuple[Array, Array, IntArray]:
    """Return the means (3, rows), the sums of `add_squares` from them (5, rows), and n.

    The mean is the first, the nearest double, and the second, with an error of at most the third.
    The fifth sum, and the fourth where scores are missing, are those of the worst order.

    A score x is a + b, with a on a grid g, a power of two from 2^-26 to 2^-25 of the root of the
    sum of squares. The mean m is c + d in the same way. Then a and a - c are whole numbers of g:
    sums of a, and of (a - c)^2, have 53 bits at most and are exact in any order. What else is in
    x - m is b - d, at most g, so that the rest of a sum has few roundings, and small ones.

        sum(x) = sum(a) + sum(b)
        sum((x - m)^2) = sum((a - c)^2) + 2 sum((a - c) b) + sum(b^2) - n d (d + 2 (mean - m))

    The first rest is at most n g / 2, the second at most s r + r^2, of the root s of the sum of
    (a - c)^2 and r = sqrt(n) g. Either has at most n + 8 roundings, each of 2^-53 of that, and the
    errors are bounded by twice as much. That covers the error of the mean's second part, in d, of
    half as much, and 2^-10 that the last two sums lack, as they are of a - c and not of x - m. A
    sum of squares that has lost bits, or is infinite, gives one of (a - c)^2 that is not `_safe`.
    """
    width = scores.shape[1]
    n = np.full(len(scores), width)
    squares = np.vecdot(scores, scores)
    missing = np.isnan(scores) if np.isnan(squares).any() else None
    if missing is not None:
        n -= np.count_nonzero(missing, axis=1)
        scores = np.where(missing, 0.0, scores)
        squares = np.vecdot(scores, scores)
    _, exponent = np.frexp(squares)
    grid = np.ldexp(1.0, (exponent + 1) // 2 - 26)
    rounder = 1.5 * 2.0**52 * grid
    whole = scores + rounder[:, np.newaxis]
    whole -= rounder[:, np.newaxis]
    rest = scores - whole
    ones = np.ones(width)
    mean, left = quotient(np.vecdot(whole, ones), np.vecdot(rest, ones), n)
    center = (mean + rounder) - rounder
    whole -= center[:, np.newaxis]
    if missing is not None:
        whole[missing] = 0.0
    beside = mean - center
    found = np.empty((5, len(scores)))
    found[1] = 2 * np.vecdot(whole, rest) + np.vecdot(rest, rest) - n * beside * (beside + 2 * left)
    whole *= whole
    found[0] = np.vecdot(whole, ones)
    size, unit = np.sqrt(found[0]), np.sqrt(n) * grid
    found[2] = (width + 8) * 2.0**-52 * unit * (size + unit)
    found[3] = np.vecdot(whole, np.arange(width, 0.0, -1.0))
    # k numbers of n that add up to 0 have a sum of at most sqrt(k (n - k) / n) of that root.
    found[4] = 0.4 * n * np.sqrt(n) * size + np.finfo(np.float64).tiny
    return np.stack([mean, left, (width + 8) * 2.0**-53 * grid]), found, n


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
