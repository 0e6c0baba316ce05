"""Means and standard deviations in the order and precision of R.

R adds a vector from left to right in 80-bit floating point, 64 of them significant, and its
``mean`` adds the mean of the residuals in a second pass. Doing the same gives R's bits, on any
machine; `numpy.mean` adds pairwise in double precision and differs in the last digit for about
every second topic, which is enough to break a tie. See `cdfscore.stats.numerics.eighty_bits`.
"""

from collections.abc import Callable

import numpy as np

from cdfscore.stats.numerics.compiled import all_finite, in_blocks, is_compiled
from cdfscore.stats.numerics.eighty_bits import sums
from cdfscore.stats.numerics.types import Array, IntArray


def count(scores: Array) -> IntArray:
    """Count the scores of each row that are not NaN; shape (..., n) to (..., 1)."""
    n = np.full((*scores.shape[:-1], 1), scores.shape[-1], dtype=np.int64)
    return n if all_finite(scores) else n - np.isnan(scores).sum(axis=-1, keepdims=True)


def total(scores: Array) -> Array:
    """Sum each row as R's ``sum(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _by_rows(sums.totals, scores)[0]


def single_pass_mean(scores: Array) -> Array:
    """Average each row as R's ``colMeans`` does columns; shape (..., n) to (..., 1)."""
    return _by_rows(sums.single_pass_means, scores)[0]


def mean(scores: Array) -> Array:
    """Average each row as R's ``mean(x, na.rm = TRUE)``; shape (..., n) to (..., 1)."""
    return _by_rows(sums.means, scores)[0]


def mean_of_two_doubles(scores: Array) -> Array:
    """Average each row almost exactly: the nearest double and the rest, (2, ..., 1)."""
    return np.stack(_by_rows(sums.exact_means, scores, results=2))


def mean_and_sd(scores: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (n - 1) of each row, as R's ``mean`` and ``sd``.

    Shape (..., n) to two of (..., 1). NaN is omitted; of fewer than two scores the deviation is
    NaN. R gives Inf for a spread above 1e154 and 0 below 1e-162; this gives neither.
    """
    means, sds = _by_rows(sums.means_and_sds, scores, results=2)
    return means, sds


def _by_rows(sums_of: Callable[..., Array], scores: Array, results: int = 1) -> list[Array]:
    many = is_compiled(scores.size)
    *shape, n = scores.shape
    found = np.empty((results, *shape, 1))
    flat = found.reshape(results, -1)
    rows = scores.reshape(flat.shape[1], n)
    if not n:  # as if all were missing
        rows = np.full((len(rows), 1), np.nan)

    def fill(block: slice) -> None:
        flat[:, block] = sums_of(np.ascontiguousarray(rows[block], dtype=np.float64), many=many)

    in_blocks(fill, len(rows), n, sums.BLOCK if many else sums.BLOCK_OF_FEW)
    return list(found)
