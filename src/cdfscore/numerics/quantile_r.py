"""R's sample quantiles, types 1 to 9 of Hyndman and Fan (1996), a batch of rows at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import FitError, SchemeError
from cdfscore.numerics.moments import count
from cdfscore.numerics.types import Array, BoolArray, IntArray

TYPES = range(1, 10)

# a and b of the continuous types: the position of p is a + p (n + 1 - a - b).
_PLOTTING = {
    4: (0.0, 1.0),
    5: (0.5, 0.5),
    6: (0.0, 0.0),
    8: (1 / 3, 1 / 3),
    9: (3 / 8, 3 / 8),
}
# A position this little below a whole number counts as that number.
_FUZZ = 4 * np.finfo(np.float64).eps


def quantile_r(x: ArrayLike, p: ArrayLike, type: int = 7) -> Array:
    """Return quantiles of each row as R's ``quantile(x, p, type = type, na.rm = TRUE)``.

    Q(p) = (1 - h) x_(j) + h x_(j+1), where the position of p among the sorted scores is
    j + h; the types, Q1 to Q9 of Hyndman and Fan (1996), differ in the position and in
    where h is rounded. Rows of `x` (..., n) stand in any order, NaN where missing; `p` is
    a number or one-dimensional, of size k. Shape (..., k); unit that of `x`. The bits are
    those of R 4.2, up to the sign of zero.

    Raises `SchemeError` for a type or a p that is none, and `FitError` for a row without
    scores.

    Examples
    --------
    >>> quantile_r([[1, 2, 3, 4], [2, float("nan"), 1, 8]], [0.25, 0.5]).tolist()
    [[1.75, 2.5], [1.5, 2.0]]
    """
    if type not in TYPES:
        raise SchemeError(f"quantile_r: type={type!r} is unknown; expected a number from 1 to 9")
    ordered = np.sort(np.atleast_1d(np.asarray(x, dtype=np.float64)), axis=-1)
    n = count(ordered)
    if not n.all():
        row = int(np.flatnonzero(n == 0)[0])
        raise FitError(f"quantile_r: row {row} has no score; expected at least 1", row=row)
    return quantile_of_sorted(ordered, n, _probabilities(p), int(type))


def quantile_of_sorted(ordered: Array, n: IntArray, p: Array, type: int) -> Array:
    """Return `quantile_r` of rows that are sorted, NaN last; unchecked.

    `n` (..., 1) counts the scores of each row, at least 1; `p` has shape (k,).
    """
    if type == 7:
        index = 1.0 + (n - 1) * p  # counts from 1, as in R, so that h is rounded as in R
        j = np.floor(index)
        h = index - j
    else:
        j, h = _below(n, p, type) if type <= 3 else _between(n, p, type)
    low, high = _at(ordered, n, j), _at(ordered, n, j + 1)
    # Equal neighbors are not mixed: (1 - h) x + h x need not be x, and is NaN for Inf.
    mixed: BoolArray = (h > 0) & (h < 1) & (low != high)
    with np.errstate(invalid="ignore"):  # between -Inf and Inf: NaN, as in R
        return np.where(mixed, (1 - h) * low + h * high, np.where(h == 1, high, low))


def _below(n: IntArray, p: Array, type: int) -> tuple[Array, Array]:
    """Return positions of the types that step: h is 0 or 1, and 1/2 at a step of type 2."""
    position = n * p - 0.5 if type == 3 else n * p
    j = np.floor(position)
    above = position > j
    if type == 2:
        return j, np.where(above, 1.0, 0.5)
    up = above | (j % 2 == 1) if type == 3 else above  # type 3 takes the even one of two
    return j, up.astype(np.float64)


def _between(n: IntArray, p: Array, type: int) -> tuple[Array, Array]:
    """Return positions of the types that interpolate: 4 to 9 except 7, which R treats apart."""
    a, b = _PLOTTING[type]
    position = a + p * (n + 1 - a - b)
    j = np.floor(position + _FUZZ)
    h = position - j
    return j, np.where(np.abs(h) < _FUZZ, 0.0, h)


def _at(ordered: Array, n: IntArray, j: Array) -> Array:
    """Take score j of each row, counted from 1; the first below it, the last above it."""
    index = np.clip(j.astype(np.int64), 1, n) - 1
    return np.take_along_axis(ordered, index, axis=-1)


def _probabilities(p: ArrayLike) -> Array:
    try:
        values = np.atleast_1d(np.asarray(p, dtype=np.float64))
    except (TypeError, ValueError):
        raise SchemeError(f"quantile_r: p={p!r} is not accepted; expected numbers") from None
    if values.ndim != 1:
        raise SchemeError(
            f"quantile_r: p has shape {values.shape}; expected a number or one dimension"
        )
    outside = ~((values >= 0) & (values <= 1))  # NaN too
    if outside.any():
        raise SchemeError(
            f"quantile_r: p={values[outside][0]} is not accepted; expected 0 <= p <= 1"
        )
    return values
