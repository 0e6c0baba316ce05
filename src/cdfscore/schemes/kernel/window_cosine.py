"""Sums of the cosine kernel over windows: (v - sin(pi v) / pi) / 2 for each score.

The moments are the count, the sum of the distances, and sums of cosines and sines of the
angles, which turn by half for a distance of 1 and count from a segment's own end.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.kernel.compensated import add
from cdfscore.schemes.kernel.windows import Part, Segments, Windows


@compiled
def cosine(segments: Segments, windows: Windows) -> Array:
    """Add the kernel over the windows."""
    scores, scale, first, _ = segments
    sums, turns = np.zeros(len(windows.end.v)), np.empty(len(scores))
    for i in range(len(scores)):
        turns[i] = (scores[i] - scores[first[i]]) / scale
    _add_turned(windows.beginning, turns, _moments_of_beginnings(segments), sums)
    turns[:] = 0.0
    _add_turned(windows.end, turns, _moments_of_ends(segments), sums)
    return sums


@compiled
def _add_turned(part: Part, turns: Array, moments: Array, sums: Array) -> None:
    """Add (v + d - sin(pi (v + turn + a)) / pi) / 2 over all distances d and half turns a."""
    for j in range(len(sums)):
        i, v = part.score[j], part.v[j]
        if i < 0:
            continue
        angle = math.pi * (v + turns[i])
        sines = math.sin(angle) * moments[i, 2] + math.cos(angle) * moments[i, 3]
        sums[j] += (moments[i, 0] * v + moments[i, 1] - sines / math.pi) / 2


@compiled
def _moments_of_beginnings(segments: Segments) -> Array:
    """Return the moments of each score and earlier ones, whose distances are from the score."""
    scores, scale, first, _ = segments
    n = len(scores)
    moments, lost = np.empty((n, 4)), np.zeros(4)
    for i in range(n):
        new = first[i] == i
        if new:
            lost[:] = 0.0
        step = 0.0 if new else (scores[i] - scores[i - 1]) / scale
        longer = 0.0 if new else moments[i - 1, 0] * step
        angle = math.pi * (scores[i] - scores[first[i]]) / scale
        terms = (1.0, longer, math.cos(angle), -math.sin(angle))
        for k in range(4):
            before = 0.0 if new else moments[i - 1, k]
            moments[i, k], lost[k] = add(before, lost[k], terms[k])
    return moments


@compiled
def _moments_of_ends(segments: Segments) -> Array:
    """Return the moments of each score and later ones, whose distances are from the last."""
    scores, scale, _, last = segments
    n = len(scores)
    moments, lost = np.empty((n, 4)), np.zeros(4)
    for i in range(n - 1, -1, -1):
        new = last[i] == i
        if new:
            lost[:] = 0.0
        distance = (scores[last[i]] - scores[i]) / scale
        angle = math.pi * distance
        terms = (1.0, distance, math.cos(angle), math.sin(angle))
        for k in range(4):
            before = 0.0 if new else moments[i + 1, k]
            moments[i, k], lost[k] = add(before, lost[k], terms[k])
    return moments
