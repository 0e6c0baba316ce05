"""Common offsets of scores, and Pearson's r of rows without them."""

import numpy as np

from cdfscore.stats.numerics.types import Array, BoolArray


def without_offset(values: Array, near: float = 2.0**-10) -> Array:
    """Return values (..., n), less the first in rows of a range within `near` of their size."""
    alike = _alike(values, near)
    found = values.copy()
    with np.errstate(invalid="ignore"):  # infinite values
        found[alike] -= values[..., :1][alike]
    return found


def without_common_offset(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return samples x (rows, n) and y (rows, m) without the offset of both, and it (rows,)."""
    first = (x if x.shape[1] else y)[:, :1].sum(axis=1)  # 0 where both have no value
    offset = np.where(_alike(np.concatenate([x, y], axis=1), 2.0**-10), first, 0.0)
    if not offset.any():
        return x, y, offset
    return x - offset[:, np.newaxis], y - offset[:, np.newaxis], offset


def _alike(values: Array, near: float) -> BoolArray:
    """Tell which rows of values (..., n) are nearly constant; not if empty."""
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1], dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):  # a range that is infinite is not near
        # The ends of most rows suffice; looking at all scores takes longer.
        apart = np.abs(values[..., -1] - values[..., 0])
        found: BoolArray = np.asarray(~(apart > near * np.abs(values).max(initial=0.0)))
        every = values[found]
        found[found] = np.ptp(every, axis=-1) <= near * np.abs(every).max(axis=-1)
    return found


# --- Pearson's r of many pairs of rows, including nearly constant ones ---

# A mean is rounded by up to eps / 2 of the largest value: by 4 eps of this part of it.
NEAR = 1 / 8


def pearson_r(x: Array, y: Array) -> Array:
    """Return r of the rows of x and y, (rows, n); NaN if one is constant or empty."""
    if not x.shape[1]:
        return np.full(len(x), np.nan)
    constant = (x == x[:, :1]).all(axis=1) | (y == y[:, :1]).all(axis=1)
    u, v = (_residuals(values) for values in (x, y))
    squares = np.where(constant, 1, np.vecdot(u, u) * np.vecdot(v, v))
    return np.where(constant, np.nan, np.clip(np.vecdot(u, v) / np.sqrt(squares), -1, 1))


def _residuals(values: Array) -> Array:
    """Subtract the mean of each row; the largest residual is 1, so that no square is lost."""
    values = without_offset(values, NEAR)
    size = np.abs(values).max(axis=1, keepdims=True)
    scaled = values / np.where(size > 0, size, 1)
    residuals = scaled - scaled.mean(axis=1, keepdims=True)
    largest = np.abs(residuals).max(axis=1, keepdims=True)
    return np.asarray(residuals / np.where(largest > 0, largest, 1))
