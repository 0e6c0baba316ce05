"""Variances of the greatest likelihood, by Newton's method, where no variance is below 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.mixed.likelihood import Point
from cdfscore.numerics.types import Array, BoolArray

#: The likelihood at variances.
Likelihood = Callable[[Array], Point]

_STEPS = 200
# Relative length of the last step. Newton's method squares it, so that what is left is rounding.
_CLOSE = 1e-6
# Variances are those of scaled scores. A smaller one is compared with the first of these, and
# residuals of a variance below the second are rounding.
_SMALL, _ROUNDING = 1e-8, 1e-11
# The greatest factor by which one step changes a variance: up, or down to above 0.
_FACTOR = 10.0
# A smaller difference of two values of the likelihood is rounding.
_NOISE = 1e-8


def greatest(likelihood: Likelihood, start: Array, fixed: int | None = None) -> Point:
    """Return the point of greatest likelihood, with one variance `fixed` where it starts, or none.

    Newton's method is on the variances themselves, so that 0 is a value like others: the projected
    method of Bertsekas (1982, SIAM Journal on Control and Optimization 20). Where the Hessian is
    not positive definite, the absolute values of its eigenvalues are taken.

    Raises `ModelError` if it does not converge, and if the variance of the residuals goes to 0.
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
            # The value is that of the optimum already, which is all that a profile asks for.
            return likelihood(moved) if fixed is None else point
        point = _lower(likelihood, point, step)
        if point.variances[-1] < _ROUNDING:
            raise ModelError(
                "the residuals are 0, except for rounding errors, so no variance can be estimated; "
                "expected scores that the terms do not determine"
            )
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
    """Return the variances after a step that is cut where it is too long, or leads below 0."""
    most = np.maximum(variances, _FACTOR * (variances + variances[-1]))
    moved = np.clip(variances + step, 0.0, most)
    moved[-1] = max(moved[-1], variances[-1] / _FACTOR)
    return moved


def _lower(likelihood: Likelihood, point: Point, step: Array) -> Point:
    """Return a point of greater likelihood along the step, which is halved (Armijo, 1966)."""
    part = 1.0
    while True:
        found = likelihood(_moved(point.variances, part * step))
        expected = float(point.gradient @ (found.variances - point.variances))
        if found.value <= point.value + 1e-4 * expected or abs(expected) <= _NOISE:
            return found
        part /= 2
