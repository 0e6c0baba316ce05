"""Exact distribution of the two-sample Kolmogorov-Smirnov statistic, with ties."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array, BoolArray
from cdfscore.significance.resampling.common import toward


def at_least(reached: Array, ends: BoolArray, n: int, m: int, alternative: str) -> Array:
    """Return P(D >= d) over all assignments of the pooled scores to samples of n and m.

    D, D+ or D- as the alternative has it: with ties and n != m the two sides differ.
    `reached` (rows,) is n m d, a whole number; `ends` (rows, n + m) says which scores, in
    ascending order, are the last of their tie, where alone the cdfs are compared.

    The assignments are paths of u scores of x and v of y; those not yet at the distance go
    on in the proportion of scores left, and those that get there are added up, so that a
    small p keeps its digits (R subtracts the paths that never get there from 1).
    """
    # Rows of the same distance and the same ties, all those without a tie, are one path.
    cases, back = np.unique(
        np.column_stack([reached[:, np.newaxis], ends]), axis=0, return_inverse=True
    )
    distance, compared = cases[:, :1], cases[:, 1:].astype(np.bool_)
    u = np.arange(n + 1)
    inside = np.zeros((len(cases), n + 1))
    inside[:, 0] = 1.0
    outside = np.zeros(len(cases))
    for drawn in range(n + m):
        v = drawn - u  # where it is below 0 or above m `inside` is 0: no path gets there
        left = n + m - drawn
        to_x, to_y = (n - u) / left, (m - v) / left
        step = inside * to_y
        step[:, 1:] += inside[:, :-1] * to_x[:-1]
        gap = (u * m - (drawn + 1 - u) * n).astype(np.float64)
        far = (toward(gap, alternative) >= distance) & compared[:, drawn, np.newaxis]
        outside += np.sum(step, axis=1, where=far)
        step[far] = 0.0
        inside = step
    # Near 1 the sum of the paths may be above it by rounding.
    return np.minimum(outside[back.reshape(-1)], 1.0)
