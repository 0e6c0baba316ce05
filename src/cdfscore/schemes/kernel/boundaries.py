"""Boundary corrections of a kernel estimate at the ends of the scores, 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import betaincc

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.moments import count, total
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.schemes.kernel.kernels import reach, smoothed, summed

# Values of the incomplete beta function at a time; bounds the memory.
_BLOCK = 1 << 20


class Boundary(NamedTuple):
    """Boundary correction at the ends of [0, 1].

    Attributes
    ----------
    cdf
        Returns y for the name of a kernel, x (t, m) and sorted scores (t, n), both in the
        domain, and bandwidths (t, 1) above 0. At the domain's upper end y may be anything.
    scale
        Takes scores to the scale that is smoothed, and that the bandwidth is for.
    domain
        The interval that scores lie in.
    bandwidths
        The least and the largest bandwidth, on that scale.
    tolerance
        How far y may be from R's, where the boundary moves it away.
    """

    cdf: Callable[[str, Array, Array, Array], Array]
    scale: Callable[[Array], Array]
    domain: tuple[float, float]
    bandwidths: tuple[float, float]
    tolerance: Tolerance | None = None


def _unchanged(scores: Array) -> Array:
    return scores


# By the C library's functions, as in R: NumPy's differ in the last digit, which is much where
# scores are close together.
def _log_odds(scores: Array) -> Array:
    return _flat_log_odds(scores.ravel()).reshape(scores.shape)


def _angle(scores: Array) -> Array:
    return _flat_angle(scores.ravel()).reshape(scores.shape)


@compiled
def _flat_log_odds(scores: Array) -> Array:
    odds = np.full(len(scores), np.inf)
    for i in range(len(scores)):
        if scores[i] != 1.0:
            odds[i] = math.log(scores[i] / (1.0 - scores[i]))
    return odds


@compiled
def _flat_angle(scores: Array) -> Array:
    angle = np.empty(len(scores))
    for i in range(len(scores)):
        angle[i] = 2.0 * math.asin(math.sqrt(scores[i]))
    return angle


def _reflected(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Fold the parts outside [0, 1] back at both ends, as often as the kernel is wide."""
    sums = summed(kernel, x, sample, bandwidth) - summed(kernel, -x, sample, bandwidth)
    folds = np.ceil(reach(kernel, bandwidth) / 2)[:, 0]
    for fold in range(1, int(folds.max(initial=0)) + 1):
        rows = folds >= fold
        near, fitted = x[rows], (sample[rows], bandwidth[rows])
        for end in (-2.0 * fold, 2.0 * fold):
            sums[rows] += summed(kernel, end + near, *fitted)
            sums[rows] -= summed(kernel, end - near, *fitted)
    y: Array = sums / count(sample)
    return y


def _truncated(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Cut off the parts outside [0, 1], and divide by the rest."""
    ends = np.broadcast_to([0.0, 1.0], (len(x), 2))
    low, high = np.split(summed(kernel, ends, sample, bandwidth), 2, axis=1)
    y: Array = (summed(kernel, x, sample, bandwidth) - low) / (high - low)
    return y


def _on_log_odds(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    return smoothed(kernel, _log_odds(x), _log_odds(sample), bandwidth)


def _beta(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Average P(B >= x_i) for B of a beta distribution with shapes x / b and (1 - x) / b."""
    y = np.empty(x.shape)
    step = max(1, _BLOCK // max(1, sample.shape[1] * x.shape[1]))
    for start in range(0, len(x), step):
        block = slice(start, start + step)
        mean, b = x[block, :, np.newaxis], bandwidth[block, :, np.newaxis] ** 2
        at_least = betaincc(mean / b, (1 - mean) / b, sample[block, np.newaxis, :])
        y[block] = total(np.asarray(at_least, dtype=np.float64))[..., 0] / count(sample[block])
    zeros = total(np.where(sample == 0, 1.0, 0.0)) / count(sample)
    return np.where(x == 0, zeros, y)


_SUBTRACTED = Tolerance(
    16, "y is a difference of numbers near 1, whose terms are added in another order", floor=1.0
)
_INCOMPLETE_BETA = Tolerance.absolute(
    2e-12, "the error is up to 6e-13 in R's pbeta for narrow kernels, and 1e-15 in this package"
)

#: Every boundary by its name.
BOUNDARIES: dict[str, Boundary] = {
    "none": Boundary(smoothed, _unchanged, (-np.inf, np.inf), (0.0, np.inf)),
    "reflection": Boundary(_reflected, _unchanged, (0.0, 1.0), (0.0, 1.0), _SUBTRACTED),
    "truncation": Boundary(_truncated, _unchanged, (0.0, 1.0), (0.0, 1.0), _SUBTRACTED),
    "logit": Boundary(_on_log_odds, _log_odds, (0.0, 1.0), (0.0, np.inf)),
    "beta": Boundary(_beta, _angle, (0.0, 1.0), (1e-4, 10.0), _INCOMPLETE_BETA),
}
