"""Quantiles: R's of samples, and those of a cdf without a closed-form inverse."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.tolerance import doubles_of, ordinals
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray


def quantile_r(x: ArrayLike, p: ArrayLike) -> Array:
    """Return quantiles of each row as R's ``quantile(x, p, na.rm = TRUE)``, of type 7.

    Q(p) = (1 - h) x_(j) + h x_(j+1), where 1 + (n - 1) p is j + h; Hyndman and Fan (1996). Rows of
    `x` (..., n) stand in any order, NaN where missing, with one score or more; `p` is a number or
    one-dimensional, of size k. Shape (..., k). The bits are those of R 4.2, up to the sign of zero.

    Examples
    --------
    >>> quantile_r([[1, 2, 3, 4], [2, float("nan"), 1, 8]], [0.25, 0.5]).tolist()
    [[1.75, 2.5], [1.5, 2.0]]
    """
    ordered = np.sort(np.atleast_1d(np.asarray(x, dtype=np.float64)), axis=-1)
    return quantile_of_sorted(ordered, count(ordered), np.atleast_1d(np.asarray(p, np.float64)))


def quantile_of_sorted(ordered: Array, n: IntArray, p: Array) -> Array:
    """Return `quantile_r` of rows that are sorted, NaN last; `n` (..., 1) counts their scores."""
    index = 1.0 + (n - 1) * p  # counts from 1, as in R, so that h is rounded as in R
    j = np.floor(index)
    h = index - j
    low, high = _at(ordered, n, j), _at(ordered, n, j + 1)
    # Equal neighbors are not mixed: (1 - h) x + h x need not be x, and is NaN for Inf.
    mixed: BoolArray = (h > 0) & (low != high)
    with np.errstate(invalid="ignore"):  # between -Inf and Inf: NaN, as in R
        return np.where(mixed, (1 - h) * low + h * high, low)


def _at(ordered: Array, n: IntArray, j: Array) -> Array:
    """Take score j of each row, counted from 1; the last above it."""
    return np.take_along_axis(ordered, np.clip(j.astype(np.int64), 1, n) - 1, axis=-1)


# --- Quantiles of a cdf without a closed-form inverse: bracketing to the last double ---

# Steps in which a smooth cdf gives up its quantile; after them doubles are halved.
_FAST = 36
# The least proportion of the doubles that an interpolating step cuts off, 2^-12, so that both
# ends of the bracket come close.
_LEAST = 12
# Ends of one sign whose ratio is larger have no use for arithmetic.
_WIDE = 16.0


def invert(cdf: Callable[[Array], Array], p: Array, low: ArrayLike, high: ArrayLike) -> Array:
    """Return the smallest double x in [low, high] with cdf(x) >= p, elementwise.

    x is an end where there is none between. Steps of the Illinois method come first, every third a
    bisection; then the number of doubles in the bracket is halved.
    """
    below, above = (ordinals(np.broadcast_to(end, p.shape)) for end in (low, high))
    with np.errstate(all="ignore"):
        under, over = cdf(doubles_of(below)) - p, cdf(doubles_of(above)) - p
        above = np.where(under >= 0, below, above)
        searching = (under < 0) & (over >= 0)
        last = np.zeros(p.shape)  # the end that moved: 1 above, -1 below
        turn = 0
        while (moving := searching & (above - 1 > below)).any():
            middle = _inside(turn, below, above, under, over)
            y = cdf(doubles_of(middle)) - p
            reached, short = moving & (y >= 0), moving & (y < 0)
            # An end that stays a second time counts half, which is the Illinois method.
            over = np.where(reached, y, np.where(short & (last < 0), over / 2, over))
            under = np.where(short, y, np.where(reached & (last > 0), under / 2, under))
            above, below = np.where(reached, middle, above), np.where(short, middle, below)
            last = np.where(reached, 1.0, -1.0)
            turn += 1
    return np.where(np.isnan(p), np.nan, doubles_of(above))


def _inside(turn: int, below: IntArray, above: IntArray, under: Array, over: Array) -> IntArray:
    """Return one double between the ends of each bracket, by its ordinal number."""
    halves: IntArray = (below >> 1) + (above >> 1) + (below & above & 1)
    if turn >= _FAST:
        return halves
    a, b = doubles_of(below), doubles_of(above)
    x = a + (b - a) / 2 if turn % 3 == 2 else a - under * ((b - a) / (over - under))
    least = np.maximum(1, (above >> _LEAST) - (below >> _LEAST))
    usable = np.isfinite(x) & ~((a / b > _WIDE) | (b / a > _WIDE))
    found = np.clip(ordinals(np.where(usable, x, 0.0)), below + least, above - least)
    return np.where(usable, found, halves)
