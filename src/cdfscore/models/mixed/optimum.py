"""Variances of the greatest likelihood, by Newton's method, where no variance is below 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.mixed.likelihood import Point
from cdfscore.numerics.types import Array, BoolArray

#: The likelihood at variances.
Likelihood = Callable[[Array], Point]

#: The refusal of scores that leave no residuals.
DETERMINED = (
    "the residuals are 0, except for rounding errors, so no variance can be estimated; expected "
    "scores that the terms do not determine"
)
_STEPS = 200
# Relative length of the last step. Newton's method squares it, so only rounding errors remain.
_CLOSE = 1e-6
# Variances are variances of scaled scores. A variance below the first number is compared with this
# number, and residuals with a variance below the second are rounding errors.
_SMALL, _ROUNDING = 1e-8, 1e-11
# The largest factor by which one step changes a variance: up, or down to above 0.
_FACTOR = 10.0
# A smaller difference of two values of the likelihood is rounding error.
_NOISE = 1e-8


def greatest(likelihood: Likelihood, start: Array, fixed: int | None = None) -> Point:
    """Return the point of maximum likelihood; one variance may be `fixed` at its start.

    Newton's method works on the variances themselves, so a variance can be exactly 0: this is the
    projected method of Bertsekas (1982, SIAM Journal on Control and Optimization 20). If the
    Hessian is not positive definite, the absolute values of its eigenvalues are used.

    Raises `ModelError` if it does not converge, and if the residual variance tends to 0.
    """
    point = likelihood(start)
    for _ in range(_STEPS):
        free = (point.variances > 0) | (point.gradient < 0)
        if fixed is not None:
            free[fixed] = False
        step, convex = _step(point, free)
        moved = _moved(point.variances, step)
        length = np.abs(moved - point.variances) / np.maximum(point.variances, _SMALL)
        if convex and length.max() <= _CLOSE:
            # The value is already that of the optimum, and a profile needs only the value.
            return likelihood(moved) if fixed is None else point
        point = _lower(likelihood, point, step)
        if point.variances[-1] < _ROUNDING:
            raise ModelError(DETERMINED)
    raise ModelError(
        f"the likelihood has not converged after {_STEPS} steps of Newton's method, so there are "
        "no estimates; expected fewer random terms, or more topics"
    )


def _step(point: Point, free: BoolArray) -> tuple[Array, bool]:
    """Return Newton's step on the free variances, and whether the likelihood is convex there."""
    scale = np.maximum(point.variances, 1e-3 * point.variances[-1])[free]
    hessian = scale[:, np.newaxis] * point.hessian[np.ix_(free, free)] * scale
    values, vectors = np.linalg.eigh(hessian)
    size = np.maximum(np.abs(values), 1e-12 * np.abs(values).max(initial=0.0))
    step = np.zeros(len(free))
    step[free] = -scale * (vectors @ ((vectors.T @ (scale * point.gradient[free])) / size))
    return step, bool((values > 0).all())


def _moved(variances: Array, step: Array) -> Array:
    """Return the variances after a step, shortened if it is too long or leads below 0."""
    most = np.maximum(variances, _FACTOR * (variances + variances[-1]))
    moved = np.clip(variances + step, 0.0, most)
    moved[-1] = max(moved[-1], variances[-1] / _FACTOR)
    return moved


def _lower(likelihood: Likelihood, point: Point, step: Array) -> Point:
    """Return a point of higher likelihood along the step, halved if needed (Armijo, 1966)."""
    part = 1.0
    while True:
        found = likelihood(_moved(point.variances, part * step))
        expected = float(point.gradient @ (found.variances - point.variances))
        if found.value <= point.value + 1e-4 * expected or abs(expected) <= _NOISE:
            return found
        part /= 2
