"""Sums, means and standard deviations of rows, each from an almost exact sum and a bound."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.eighty_bits import few, whole_numbers
from cdfscore.stats.numerics.eighty_bits import rows as many_rows
from cdfscore.stats.numerics.eighty_bits.pairs import HALF_ULP, quotient
from cdfscore.stats.numerics.eighty_bits.rows import sum_of_two
from cdfscore.stats.numerics.eighty_bits.whole_numbers import Number, added, number_of
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

#: Scores that are added at a time: by compiled code, and by NumPy, of which all that is computed on
#: the way stays in the processor's own cache.
BLOCK, BLOCK_OF_FEW = 1 << 20, 1 << 15
# Scores that take less time to be added again in long doubles than to be bounded more closely.
_SOME = 1 << 11
# Half a unit, and so much more that products of two roundings and the roundings of the bound itself
# are covered, for rows of up to 2^28 scores.
_ROUNDING = 1.01 * HALF_ULP
# Between these, sums of sizes and of squares have lost no bits, nor have the errors of their terms.
_LEAST, _MOST = 2.0**-800, 2.0**640
# Between these, no step of the compiled repetition overflows or loses bits.
_SMALLEST, _LARGEST = 2.0**-300, 2.0**300


def totals(scores: Array, *, many: bool) -> Array:
    """Return R's ``sum`` of each row (rows, n), NaN omitted; `many` are added by compiled code."""
    with np.errstate(all="ignore"):
        (high, low, error, sizes), _ = (many_rows if many else few).add(scores)
        found, certain = _nearest(high, low, _ROUNDING * sizes + error)
    uncertain = np.flatnonzero(~(certain & (_safe(sizes) | (sizes == 0))))
    _repeat(scores, uncertain, lambda by, rows: by.totals(scores, rows, found), many=many)
    return found


def single_pass_means(scores: Array, *, many: bool) -> Array:
    """Return R's ``colMeans`` of each row (rows, n), as if it were a column, NaN omitted."""
    with np.errstate(all="ignore"):
        (high, low, error, sizes), n = (many_rows if many else few).add(scores)
        mean, rest = quotient(high, low, n)
        bound = _ROUNDING * (sizes / n + np.abs(mean)) + error / n
        found, certain = _nearest(mean, rest, bound)
    uncertain = np.flatnonzero(~(certain & (_safe(sizes) | (sizes == 0))) & (n > 0))
    _repeat(
        scores, uncertain, lambda by, rows: by.single_pass_means(scores, rows, found), many=many
    )
    return found


def exact_means(scores: Array, *, many: bool) -> Array:
    """Return the mean of each row (rows, n) as the sum of two doubles, NaN omitted; (2, rows)."""
    with np.errstate(all="ignore"):
        if many:
            (high, low, _, _), n = many_rows.add(scores)
        else:
            (high, low), n = few.add_in_order(scores)
        return np.stack(quotient(high, low, n))


def means(scores: Array, *, many: bool) -> Array:
    """Return R's ``mean`` of each row (rows, n), NaN omitted."""
    found, certain = _deviations(scores, many=many)
    own: Array = found[0]
    uncertain = np.flatnonzero(~certain[0])
    _repeat(scores, uncertain, lambda by, rows: by.means(scores, rows, own), many=many)
    return own


def means_and_sds(scores: Array, *, many: bool) -> Array:
    """Return R's ``mean`` and ``sd`` of each row (rows, n), NaN omitted; shape (2, rows)."""
    found, certain = _deviations(scores, many=many)
    means, sds = found
    first, second = map(np.flatnonzero, ~certain)
    _repeat(scores, first, lambda by, rows: by.means(scores, rows, means), many=many)
    _repeat(scores, second, lambda by, rows: by.sds(scores, rows, means, sds), many=many)
    return found


def _deviations(scores: Array, *, many: bool) -> tuple[Array, BoolArray]:
    """Return means and standard deviations (2, rows), and which of them are certain."""
    with np.errstate(all="ignore"):
        means, squares, n = (many_rows if many else few).deviations(scores)
        found, certain = _bounded(means, squares, n)
        rows = np.flatnonzero(~certain.all(axis=0))
        if not many and (rows.size * scores.shape[1] > _SOME or not few.HAS_64_BITS):
            own = few.add_squares(scores[rows], means[0, rows])  # with bounds of their order
            found[:, rows], certain[:, rows] = _bounded(means[:, rows], own, n[rows])
    return found, certain


def _bounded(means: Array, squares: Array, n: IntArray) -> tuple[Array, BoolArray]:
    """Round sums of `deviations`; tell where all that R may round to is the same double."""
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


def _repeat(
    scores: Array, rows: IntArray, fill: Callable[[Any, IntArray], None], *, many: bool
) -> None:
    """Fill in the results of some rows by R's additions, in whole numbers where all else fails."""
    if rows.size and (many or few.HAS_64_BITS):
        ordinary = is_ordinary(scores[rows]).all(axis=1)
        # Numbers of 64 bits take half the time of pairs of doubles.
        quick: Any = few if few.HAS_64_BITS else many_rows
        step = max(1, BLOCK_OF_FEW // scores.shape[1])
        for start in range(0, int(ordinary.sum()), step):
            fill(quick, rows[ordinary][start : start + step])
        rows = rows[~ordinary]
    fill(whole_numbers, rows)


def is_ordinary(scores: Array) -> BoolArray:
    """Tell which scores, or NaN, no compiled addition of 64 bits loses bits of."""
    sizes = np.abs(scores)
    ordinary: BoolArray = (sizes == 0) | ((sizes >= _SMALLEST) & (sizes <= _LARGEST))
    return ordinary | np.isnan(sizes)


# --- R's ``colMeans`` of columns whose parts are added one after another ---


class RunningSums:
    """Sums of columns, from the first row of the first part to the last of the last, as R's."""

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
    for i in range(len(scores)):
        for j in range(scores.shape[1]):
            x = scores[i, j]
            if x == x:
                sums[0, j], sums[1, j] = sum_of_two(sums[0, j], sums[1, j], x)
