"""Counting scores of sorted samples, a batch of rows at a time.

The search is binary, and its counts are whole numbers: by NumPy for few scores, which do not pay
for the import of numba, and compiled for many.
"""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.blocks import as_rows, is_compiled
from cdfscore.numerics.types import Array, IntArray


def count_at_most(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s <= x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, below=False)


def count_below(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s < x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, below=True)


def _count(sample: Array, x: Array, *, below: bool) -> IntArray:
    if is_compiled(x):
        from cdfscore.schemes.empirical.compiled_counts import count_rows

        counts = np.empty(x.shape, dtype=np.int64)
        rows, given = (np.ascontiguousarray(as_rows(values)) for values in (sample, x))
        count_rows(rows, given, as_rows(counts), below)
        return counts
    return _searched(sample, x, np.less if below else np.less_equal)


def _searched(sample: Array, x: Array, precedes: np.ufunc) -> IntArray:
    """Search in all rows at once, as NumPy's searchsorted takes one row only."""
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
