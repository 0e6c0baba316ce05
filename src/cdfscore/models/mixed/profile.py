"""Profile likelihood intervals of variances."""

from __future__ import annotations

import numpy as np
from scipy import special

from cdfscore.errors import ModelError
from cdfscore.models.mixed.likelihood import Point
from cdfscore.models.mixed.optimum import Likelihood, greatest
from cdfscore.numerics.types import Array

_STEPS = 100
# Of the logarithm of an end; Newton's method squares the last step.
_CLOSE = 1e-6
# A part of an estimate that is rejected only if 0 is.
_SMALL = 1e-3
# The longest step of the logarithm of an end.
_LONGEST = 2.0


def profile_interval(
    likelihood: Likelihood, best: Point, place: int, alpha: float
) -> tuple[float, float]:
    """Return the interval of the variance at a place, at confidence 1 - alpha.

    It contains the variances that a likelihood ratio test does not reject. For them, minus twice
    the log-likelihood, maximized over the other variances, exceeds its value at the `best` point by
    at most the quantile of chi-squared with 1 degree of freedom (Venzon and Moolgavkar, 1988,
    Applied Statistics 37). The lower end is 0 if 0 is not rejected.

    Raises `ModelError` if the likelihood does not converge.
    """
    quantile = float(special.chdtri(1, alpha))
    estimate = float(best.variances[place])
    if estimate == 0:
        return 0.0, _end(likelihood, best, place, quantile, quantile / best.gradient[place])
    # About the distance of an end on the scale of logarithms, where the curve is near a parabola.
    curvature = best.hessian[place, place] * estimate**2
    far = np.exp(np.sqrt(2 * quantile / max(curvature, quantile / 2)))
    high = _end(likelihood, best, place, quantile, estimate * far)
    if place < len(best.variances) - 1:
        # Without effects that are large, other variances would have to make up for them: digits of
        # the likelihood are lost. But then a smaller variance is rejected too.
        small = [estimate * _SMALL, 0.0]
        lost = (
            greatest(likelihood, _moved(best, place, each), place).value - best.value
            for each in small
        )
        if all(each <= quantile for each in lost):
            return 0.0, high
    return _end(likelihood, best, place, quantile, estimate / far), high


def _end(likelihood: Likelihood, best: Point, place: int, quantile: float, start: float) -> float:
    """Return the end on the side of `start` from the best point.

    Newton's method is applied to the square root of the loss of log-likelihood, as a function of
    the logarithm of the variance, within a bracket of the end. The derivative of the profile is the
    derivative of the likelihood at the best other variances.
    """
    outward = 1.0 if start > best.variances[place] else -1.0
    with np.errstate(divide="ignore"):
        inside, outside = float(np.log(best.variances[place])), outward * np.inf
    here, near = float(np.log(start)), best
    for _ in range(_STEPS):
        variance = float(np.exp(here))
        near = greatest(likelihood, _moved(near, place, variance), place)
        lost = max(near.value - best.value, 0.0)
        if lost <= quantile:
            inside = here
        else:
            outside = here
        slope = variance * float(near.gradient[place]) / 2
        step = outward * _LONGEST
        if outward * slope > 0:
            # (root(q) - root(lost)) / (slope / root(lost))
            newton = (np.sqrt(quantile * lost) - lost) / slope
            step = float(np.clip(newton, -_LONGEST, _LONGEST))
        if abs(step) <= _CLOSE:
            return float(np.exp(here + step))
        here += step
        low, high = sorted((inside, outside))
        if not low < here < high:
            here = (inside + outside) / 2
    raise ModelError(
        f"the interval of a variance has not converged after {_STEPS} steps; expected a smaller "
        "alpha, fewer random terms, or more topics"
    )


def _moved(point: Point, place: int, variance: float) -> Array:
    """Return starting variances with a new value at a place, and the others on their tangent."""
    free = point.variances > 0
    free[place] = False
    step = variance - point.variances[place]
    moved = point.variances.copy()
    if free.any():
        across = point.hessian[free, place]
        moved[free] -= step * np.linalg.solve(point.hessian[np.ix_(free, free)], across)
    moved = np.clip(moved, point.variances / 2, 2 * point.variances)
    moved[place] = variance
    return moved
