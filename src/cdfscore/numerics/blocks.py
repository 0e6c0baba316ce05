"""Work on blocks of rows, in threads where the rows have many scores."""

from __future__ import annotations

import math
import os
import sys
from collections import deque
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from cdfscore.numerics.types import Array, IntArray
from cdfscore.threads import in_threads

_Values = TypeVar("_Values", Array, IntArray)

#: Scores above which a second thread saves more than it costs.
MANY = 1 << 17
# Scores up to which compiled code is not worth the import of numba, which takes half a second.
_FEW = 1 << 15
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
    threaded = rows * width > MANY
    step = block // max(1, width)
    if threaded:  # a part for each core at least
        step = min(step, -(-rows // (os.cpu_count() or 1)))
    step = max(1, step)
    blocks = [slice(start, start + step) for start in range(0, rows, step)]
    if threaded:
        deque(in_threads(function, blocks), maxlen=0)
    else:
        for part in blocks:
            function(part)


def is_compiled(scores: Array) -> bool:
    """Tell whether compiled code is used: if scores are many, or if numba is there already.

    For work that has the same bits without it.
    """
    return scores.size > _FEW or "numba" in sys.modules


def all_finite(scores: Array) -> bool:
    """Tell whether no score is NaN or infinite.

    >>> all_finite(np.array([0.5, 1e308, 1e308])), all_finite(np.array([np.inf, -np.inf]))
    (True, False)
    """
    # What is not finite makes no sum finite, and a sum takes no memory.
    with np.errstate(over="ignore", invalid="ignore"):
        if math.isfinite(np.add.reduce(scores, axis=None)):
            return True
    return bool(np.isfinite(scores).all())
