"""Means and standard deviations in the order and precision of R.

R adds a vector from left to right in 80-bit floating point, 64 of them significant, and its
``mean`` adds the mean of the residuals in a second pass. Doing the same gives R's bits, on any
machine; `numpy.mean` adds pairwise in double precision and differs in the last digit for about
every second topic, which is enough to break a tie.

Numbers are pairs of doubles: rows are added almost exactly, with a bound of what R's roundings
change. Where every number within the bound rounds to the same double, that is R's. Other rows are
added again with R's roundings, in long doubles where they have 64 bits, else in whole numbers. Long
doubles alone take less time for a few scores, and for sums in one pass.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cdfscore.stats.numerics import eighty_bits
from cdfscore.stats.numerics.compiled import all_finite, in_blocks, is_compiled
from cdfscore.stats.numerics.eighty_bits import HALF_ULP, quotient, rows, two_sum, whole_numbers
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

# Scores that are added at a time: by compiled code, and by NumPy, of which all that is computed on
# the way stays in the processor's own cache.
_BLOCK, _BLOCK_OF_FEW = 1 << 20, 1 << 15
# Scores that take less time to be added in long doubles than to be bounded.
_SOME = 1 << 12
# Half a unit, and so much more that products of two roundings and the roundings of the bound itself
# are covered, for rows of up to 2^28 scores.
_ROUNDING = 1.01 * HALF_ULP
# Between these, sums of sizes and of squares have lost no bits, nor have the errors of their terms.
_LEAST, _MOST = 2.0**-800, 2.0**640


def count(scores: Array) -> IntArray:
    """Count the scores of each row that are not NaN; shape (..., n) to (..., 1)."""
    n = np.full((*scores.shape[:-1], 1), scores.shape[-1], dtype=np.int64)
    return n if all_finite(scores) else n - np.isnan(scores).sum(axis=-1, keepdims=True)


def total(scores: Array) -> Array:
    """Sum each row as R's ``sum(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _by_rows(partial(_added, mean=False), scores)[0]


def single_pass_mean(scores: Array) -> Array:
    """Average each row as R's ``colMeans`` does columns; shape (..., n) to (..., 1)."""
    return _by_rows(partial(_added, mean=True), scores)[0]


def mean(scores: Array) -> Array:
    """Average each row as R's ``mean(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _by_rows(_means, scores)[0]


def mean_of_two_doubles(scores: Array) -> Array:
    """Average each row almost exactly: the nearest double and the rest, (2, ..., 1)."""
    return np.stack(_by_rows(_exact_means, scores, results=2))


def mean_and_sd(scores: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (n - 1) of each row, as R's ``mean`` and ``sd``.

    Shape (..., n) to two of (..., 1). NaN is omitted; of fewer than two scores the deviation is
    NaN. R gives Inf for a spread above 1e154 and 0 below 1e-162; this gives neither.
    """
    means, sds = _by_rows(_means_and_sds, scores, results=2)
    return means, sds


def _by_rows(
    of_rows: Callable[[Array, bool], Array], scores: Array, results: int = 1
) -> list[Array]:
    many = is_compiled(scores.size)
    *shape, n = scores.shape
    found = np.empty((results, *shape, 1))
    flat = found.reshape(results, -1)
    every = scores.reshape(flat.shape[1], n)
    if not n:  # as if all were missing
        every = np.full((len(every), 1), np.nan)

    def fill(block: slice) -> None:
        with np.errstate(all="ignore"):
            flat[:, block] = of_rows(np.ascontiguousarray(every[block], dtype=np.float64), many)

    in_blocks(fill, len(every), n, _BLOCK if many else _BLOCK_OF_FEW)
    return list(found)


def _added(scores: Array, many: bool, *, mean: bool) -> Array:
    """Return the sum of each row in one pass, or the `mean`."""
    found, certain = np.empty(len(scores)), np.zeros(len(scores), dtype=np.bool_)
    if many:
        (high, low, error, sizes), n = rows.add(scores)
        bound = _ROUNDING * sizes + error
        if mean:
            high, low = quotient(high, low, n)
            bound = _ROUNDING * (sizes / n + np.abs(high)) + error / n
        found, certain = _nearest(high, low, bound)
        certain &= _safe(sizes) | (sizes == 0)
    return _repeated("single_pass_means" if mean else "totals", scores, found, certain)


def _exact_means(scores: Array, many: bool) -> Array:
    if many:
        (high, low, _, _), n = rows.add(scores)
        return np.stack(quotient(high, low, n))
    missing = np.isnan(scores)
    high, low = np.zeros((2, len(scores)))
    for column in np.ascontiguousarray(np.where(missing, 0.0, scores).T):
        high, error = two_sum(high, column)
        low += error
    return np.stack(quotient(high, low, scores.shape[1] - np.count_nonzero(missing, axis=1)))


def _means(scores: Array, many: bool) -> Array:
    found, certain = _deviations(scores, many)
    return _repeated("means", scores, found[0], certain[0])


def _means_and_sds(scores: Array, many: bool) -> Array:
    found, certain = _deviations(scores, many)
    means = _repeated("means", scores, found[0], certain[0])
    _repeated("sds", scores, found[1], certain[1], means)
    return found


def _deviations(scores: Array, many: bool) -> tuple[Array, BoolArray]:
    """Return means and standard deviations (2, rows), and which of them are certain."""
    if many:
        return _bounded(*rows.deviations(scores))
    if scores.size <= _SOME and eighty_bits.HAS_64_BITS:
        return np.empty((2, len(scores))), np.zeros((2, len(scores)), dtype=np.bool_)
    return _bounded(*_deviations_on_a_grid(scores))


def _deviations_on_a_grid(scores: Array) -> tuple[Array, Array, IntArray]:
    """Return the means (3, rows), the sums of their squared residuals (5, rows), and n.

    The mean is the first, the nearest double, and the second, with an error of at most the third.
    Of the sums, that of squares is the first and the second, with an error of at most the third;
    the fourth is that of the partial sums, and the fifth that of the sizes of the partial sums of
    residuals, both of the worst order.

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


def _bounded(means: Array, squares: Array, n: IntArray) -> tuple[Array, BoolArray]:
    """Round sums of squared residuals; tell where all that R may round to is the same double."""
    mean, left, error = means
    high, low, lost, sizes, drift = squares
    # R adds the mean of the residuals to the first mean, so that only their roundings count: that
    # of each residual, of each of their partial sums, and of the result.
    residuals = np.sqrt(n * high)  # the sum of their sizes or more
    bound = _ROUNDING * ((residuals + drift) / n + np.abs(mean)) + error
    found, certain = np.empty((2, len(n))), np.empty((2, len(n)), dtype=np.bool_)
    found[0], certain[0] = _nearest(mean, left, bound)
    variance, rest = quotient(high, low, n - 1)
    # Of each residual, twice, of its square, of each partial sum, and of the quotient.
    bound = _ROUNDING * ((3 * high + sizes) / (n - 1) + variance) + lost / (n - 1)
    found[1] = np.sqrt(variance + (rest - bound))
    certain[1] = found[1] == np.sqrt(variance + (rest + bound))
    certain &= _safe(high)
    certain[1] &= certain[0]
    constant = drift == 0  # all scores are equal to the mean
    if constant.any():
        found[0, constant], found[1, constant] = mean[constant], 0.0
        certain[:, constant] = True
    lacking = n < 2
    if lacking.any():
        found[1, lacking], certain[1, lacking] = np.nan, True
        certain[0] |= n == 0
    return found, certain


def _nearest(number: Array, rest: Array, bound: Array) -> tuple[Array, BoolArray]:
    """Return the double nearest to number + rest, and whether that is so for all in the bound."""
    least = number + (rest - bound)
    return least, least == number + (rest + bound)


def _safe(sums: Array) -> BoolArray:
    return (sums >= _LEAST) & (sums <= _MOST)


def _repeated(which: str, scores: Array, found: Array, certain: BoolArray, *args: Array) -> Array:
    """Fill in the results that are not certain by R's additions."""
    by: Any = eighty_bits if eighty_bits.HAS_64_BITS else whole_numbers
    again, step = np.flatnonzero(~certain), max(1, _BLOCK_OF_FEW // scores.shape[1])
    for start in range(0, len(again), step):
        getattr(by, which)(scores, again[start : start + step], *args, found)
    return found
