"""Windows of the scores within a kernel's reach to the right of each x, and their segments.

The scores are cut into segments, each shorter than the scale and at least the scale from the
first score of one to that of the next. A window is then the end of one segment, the beginning
of the next, or both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array, IntArray


class Segments(NamedTuple):
    """Sorted scores, the scale of the kernel, and the ends of each score's segment."""

    scores: Array
    scale: float
    first: IntArray
    last: IntArray


class Part(NamedTuple):
    """Part of each window that lies in one of its segments.

    Attributes
    ----------
    score
        The score that cuts the part off from the rest of its segment, or -1 where there is
        no such part.
    v
        The distance, in scales, from where the kernel ends to the part's last score.
    """

    score: IntArray
    v: Array


class Windows(NamedTuple):
    """Window of each x: the beginning of a segment, and the end of the segment before."""

    beginning: Part
    end: Part


@compiled
def segments_of(scores: Array, scale: float) -> Segments:
    """Cut sorted scores into segments."""
    n = len(scores)
    first, last = np.zeros(n, dtype=np.int64), np.full(n, n - 1)
    for i in range(1, n):
        far = (scores[i] - scores[first[i - 1]]) / scale >= 1
        first[i] = i if far else first[i - 1]
    for i in range(n - 2, -1, -1):
        last[i] = last[i + 1] if first[i] == first[i + 1] else i
    return Segments(scores, scale, first, last)


@compiled
def windows_of(x: Array, begins: IntArray, segments: Segments) -> Windows:
    """Find the windows of sorted x; `begins` are the first scores of the windows."""
    scores, scale, first, last = segments
    n = len(x)
    beginning = Part(np.full(n, -1), np.empty(n))
    end = Part(np.full(n, -1), np.empty(n))
    beyond = 0  # the first score that is out of reach
    for j in range(n):
        begin = begins[j]
        beyond = max(begin, beyond)
        while beyond < len(scores) and (scores[beyond] - x[j]) / scale < 1:
            beyond += 1
        if begin == beyond:
            continue
        least = first[beyond - 1]
        if least >= begin:
            beginning.score[j] = beyond - 1
            beginning.v[j] = 1.0 - (scores[beyond - 1] - x[j]) / scale
        if least < begin or first[begin] < least:
            end.score[j] = begin
            end.v[j] = 1.0 - (scores[last[begin]] - x[j]) / scale
    return Windows(beginning, end)
