"""The bandwidth of Botev, Grotowski and Kroese (2010), by the diffusion of a density."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from cdfscore.errors import FitError
from cdfscore.schemes import bandwidth_rule
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from scipy.optimize import brentq

_K = np.arange(1.0, 2049.0)
_TIMES = np.geomspace(1e-6, 0.1, 51)
_SOLVERS = Tolerance(64, "two solvers, both to the last digits", floor=1.0)
# For the stages s of the paper: pi^(2s) k^(2s), the factor of its Eq. 29, and the power there.
_STAGES = [
    (
        2 * (math.pi * _K) ** (2 * s),
        2 * (1 + 0.5 ** (s + 0.5)) / 3 * math.prod(range(1, 2 * s, 2)) / math.sqrt(2 * math.pi),
        2 / (3 + 2 * s),
    )
    for s in range(2, 8)
]


@bandwidth_rule(tolerance=_SOLVERS)
def diffusion(scores: Array) -> float:
    """Return the square root of t, the smallest zero of t - xi gamma^[7](t), times the width."""
    low, width = scores[0], 1.2 * (scores[-1] - scores[0])
    squares = np.cos(np.pi * np.outer((scores - low) / width + 1 / 12, _K)).mean(axis=0) ** 2
    n = len(np.unique(scores))

    def excess(t: float) -> float:
        time = t
        for s in range(len(_STAGES) - 1, -1, -1):
            f = float((_STAGES[s][0] * squares * np.exp(-((np.pi * _K) ** 2) * time)).sum())
            if f == 0:
                return -math.inf
            if s:
                _, factor, power = _STAGES[s - 1]
                time = (factor / (n * f)) ** power
        return t - (2 * n * math.sqrt(math.pi) * f) ** (-2 / 5)

    for a, b in pairwise(_TIMES):
        if excess(b) >= 0 > excess(a):
            return math.sqrt(brentq(excess, a, b, xtol=1e-18, rtol=1e-15)) * float(width)
    raise FitError("the equation of the diffusion has no solution: there are few scores, or ties")
