"""Work on blocks of rows, in threads where the rows have many scores."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from cdfscore.numerics.types import Array, IntArray
from cdfscore.threads import in_threads, threads_here

_Values = TypeVar("_Values", Array, IntArray)

#: Scores above which a second thread saves more than it costs.
MANY = 1 << 19
# Steps up to which compiled code is not worth half a second, in which numba is imported and reads
# it: at once, and in all calls so far.
_FEW, _OFTEN = 1 << 20, 1 << 26
_so_far = 0
# Scores at a time: few enough that those of all cores stay in their common cache.
_BLOCK = 1 << 20


def as_rows(values: _Values) -> _Values:
    """Return an array (..., n) as (rows, n), where n may be 0."""
    return values.reshape(math.prod(values.shape[:-1]), values.shape[-1])


def in_blocks(
    function: Callable[[slice], None], rows: int, width: int, block: int = _BLOCK
) -> None:
    """Call a function for all rows, so many scores at a time; a row has `width` scores.

    What the function returns is not kept: it fills in its part of an array.
    """
    threads = threads_here() if rows * width > MANY else 1
    step = block // max(1, width)
    if threads > 1:  # a part for each at least
        step = min(step, -(-rows // threads))
    step = max(1, step)
    blocks = [slice(start, start + step) for start in range(0, rows, step)]
    if threads > 1:
        deque(in_threads(function, blocks, threads), maxlen=0)
    else:
        for part in blocks:
            function(part)


def is_compiled(steps: int, often: int = 1) -> bool:
    """Tell whether compiled code is used: if steps are many, at once or in all calls.

    For work that has the same bits without it. A step is a score, or what takes as long. Of work
    that NumPy does many times slower, a step counts `often` in all calls.
    """
    global _so_far
    _so_far += often * steps
    return steps > _FEW or _so_far > _OFTEN


def all_finite(scores: Array) -> bool:
    """Tell whether no score is NaN or infinite.

    >>> all_finite(np.array([0.5, 1e308, 1e308])), all_finite(np.array([np.inf, -np.inf]))
    (True, False)
    """
    # A sum with a NaN or an infinite score is not finite, and needs no memory.
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(np.add.reduce(scores, axis=None)):
            return True
    return bool(np.isfinite(scores).all())
