"""Counting scores of sorted samples, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray


def count_at_most(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s <= x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, np.less_equal)


def count_below(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s < x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, np.less)


def _count(sample: Array, x: Array, precedes: Callable[[Array, Array], BoolArray]) -> IntArray:
    """Count by binary search in all rows at once, as NumPy's searchsorted takes one row only."""
    # Rows padded to a power of two with NaN, which precedes nothing, need no bounds checks.
    width = 1 << sample.shape[-1].bit_length()
    rows = np.full((*sample.shape[:-1], width), np.nan)
    rows[..., : sample.shape[-1]] = sample
    before = np.arange(rows.size // width).reshape((*sample.shape[:-1], 1)) * width - 1
    last = np.empty(x.shape, dtype=np.int64)  # the last score known to precede x
    last[...] = before
    step = width // 2
    while step:
        last += precedes(rows.take(last + step), x) * step
        step //= 2
    counts: IntArray = last - before
    return counts
