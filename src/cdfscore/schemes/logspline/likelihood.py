"""Likelihood of a logspline on given knots, and its maximum.

The log-likelihood is n (mean of s over the sample - log C), C the integral of exp(s). Its
gradient is n times the means of the functions over the sample minus those under the density,
its Hessian -n times their covariance under the density.

Own loops, and not `np.linalg.cholesky` and `scipy.linalg.solve_triangular`: a matrix that is
not positive definite is an answer here and an exception there, the second is no function of
numba's, and both would add in the order of the LAPACK that is installed, so that a fit would
not have the same bits everywhere.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.logspline.basis import (
    Fit,
    add_spline,
    dot,
    integrate_cubic,
    integrate_linear,
    last_slope,
)
from cdfscore.schemes.logspline.places import (
    COEFFICIENTS,
    FIRST,
    MASS,
    MOMENTS,
    POWERS,
    SECOND,
    SLOPE,
    VALUE,
)
from cdfscore.schemes.logspline.quadrature import piece_moments, tail_moments

# Steps are halved until they gain this proportion of what Newton's method promises, which is twice
# the gain to come; where that is tiny, rounding would decide.
_LEAST_GAIN, _TINY = 1e-4, 1e-7
_STEPS, _HALVINGS = 100, 40
# The most that the log density may differ between knots, or rise along a tail.
_STEEPEST = 600.0


@compiled
def start(x: Array, t: Array) -> Array:
    """Start from a parabola, as for a normal density, with linear tails that fall."""
    n, k, mean, variance = len(x), len(t), 0.0, 0.0
    for value in x:
        mean += value / n
    for value in x:
        variance += (value - mean) ** 2 / n
    theta = np.full(k - 1, -1 / variance)
    fall = (t[k - 1] + t[k - 2] - t[1] - t[0]) / 2 / variance
    theta[0] = min(max((mean - t[0]) / variance, 0.1 * fall), 0.9 * fall)
    return theta


@compiled
def maximize(x: Array, fit: Fit, last: float) -> bool:
    """Maximize the likelihood, in place, by Newton's method; tell whether there is a maximum.

    A step that promises no more than `last` is the last.
    """
    theta = fit.theta
    n, d = len(x), len(theta)
    _integrate(fit)
    if fit.log_c[0] == np.inf:
        parabola = start(x, fit.t)
        for j in range(d):
            theta[j] = parabola[j]
        _integrate(fit)
    root, step, origin = np.empty((d, d)), np.empty(d), np.empty(d)
    for _ in range(_STEPS):
        if fit.log_c[0] == np.inf or not factorize(fit.covariance, root):
            return False
        for j in range(d):
            step[j] = fit.sample[j] - fit.mean[j]
        solve_lower(root, step)
        solve_upper(root, step)
        promised = 0.0
        for j in range(d):
            promised += n * (fit.sample[j] - fit.mean[j]) * step[j]
            origin[j] = theta[j]
        previous, proportion = fit.gain[0], _proportion_within(fit, step)
        for _ in range(_HALVINGS):
            for j in range(d):
                theta[j] = origin[j] + proportion * step[j]
            _integrate(fit)
            gain = n * (fit.gain[0] - previous)
            if gain >= _LEAST_GAIN * proportion * promised or promised < _TINY:
                break
            proportion /= 2
        else:
            return False
        if promised <= last:
            return True
    return False


@compiled
def _proportion_within(fit: Fit, step: Array) -> float:
    """Return the largest proportion of a step, up to 1, that leaves both tails falling."""
    proportion = 1.0
    if fit.below == np.inf and step[0] < 0:
        proportion = min(proportion, 0.9 * fit.theta[0] / -step[0])
    if fit.above == np.inf:
        move = last_slope(fit, step)
        if move > 0:
            proportion = min(proportion, 0.9 * -last_slope(fit, fit.theta) / move)
    return proportion


@compiled
def _integrate(fit: Fit) -> None:
    """Fill in the values that depend on the coefficients; log C is infinite without a density."""
    t, theta = fit.t, fit.theta
    lower, inner, upper = fit.lower, fit.inner, fit.upper
    d = len(theta)
    q, end, rise = _log_density(fit)
    level, least = 0.0, 0.0
    for i in range(1, d):
        level, least = max(level, q[i, VALUE]), min(least, q[i, VALUE])
    level, least = max(level, end), min(least, end)
    if not (
        level - least < _STEEPEST
        and (theta[0] > 0 if fit.below == np.inf else -theta[0] * fit.below < _STEEPEST)
        and (rise < 0 if fit.above == np.inf else rise * fit.above < _STEEPEST)
    ):
        fit.log_c[0] = np.inf
        fit.gain[0] = -np.inf
        return
    tail_moments(theta[0], fit.below, math.exp(-level), lower)
    tail_moments(-rise, fit.above, math.exp(end - level), upper)
    upper[FIRST] = -upper[FIRST]
    c = lower[MASS] + upper[MASS]
    for i in range(d):
        q[i, VALUE] -= level
        piece_moments(q[i], t[i + 1] - t[i], inner[i])
        c += inner[i, MASS]
    for power in range(MOMENTS):
        lower[power] /= c
        upper[power] /= c
    for i in range(d):
        for power in range(POWERS):
            inner[i, power] /= c
    fit.log_c[0] = math.log(c) + level
    fit.gain[0] = -fit.log_c[0]
    for j in range(d):
        fit.gain[0] += theta[j] * fit.sample[j]
    _fill_covariance(fit)


@compiled
def _log_density(fit: Fit) -> tuple[Array, float, float]:
    """Return s on each piece, by powers of u, and its value and slope at the last knot."""
    theta = fit.theta
    d = len(theta)
    q, end = np.zeros((d, COEFFICIENTS)), 0.0
    for i in range(d):
        add_spline(fit, i, q[i])
    for j in range(d):
        end += theta[j] * fit.ends[j, VALUE]
    return q, end, last_slope(fit, theta)


@compiled
def _fill_covariance(fit: Fit) -> None:
    """Fill in the means and covariances of the functions from the moments of the density."""
    pieces, ends, mean, covariance = fit.pieces, fit.ends, fit.mean, fit.covariance
    d = len(mean)
    v = np.empty(COEFFICIENTS)
    for j in range(d):
        # All functions but the first are 0 in the lower tail, and all are linear in the upper.
        integrate_linear(ends[j], fit.upper, v)
        mean[j] = v[MASS]
        for m in range(j + 1):
            covariance[j, m] = ends[m, VALUE] * v[MASS] + ends[m, SLOPE] * v[FIRST]
        for i in range(max(0, j - 1), d):
            integrate_cubic(pieces[i, j], fit.inner[i], v)
            mean[j] += v[MASS]
            for m in range(j + 1):
                covariance[j, m] += dot(pieces[i, m], v)
    mean[0] += fit.lower[FIRST]
    covariance[0, 0] += fit.lower[SECOND]
    for j in range(d):
        for m in range(j + 1):
            covariance[j, m] -= mean[j] * mean[m]
            covariance[m, j] = covariance[j, m]


@compiled
def factorize(a: Array, root: Array) -> bool:
    """Fill `root` with the Cholesky factor of a; return False if a is not positive definite."""
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j]
            for m in range(j):
                rest -= root[i, m] * root[j, m]
            if i > j:
                root[i, j] = rest / root[j, j]
            elif rest > 0 and rest < np.inf:
                root[i, i] = math.sqrt(rest)
            else:
                return False
    return True


@compiled
def solve_upper(root: Array, b: Array) -> None:
    """Solve root' z = b in place."""
    for i in range(len(b) - 1, -1, -1):
        for m in range(i + 1, len(b)):
            b[i] -= root[m, i] * b[m]
        b[i] /= root[i, i]


@compiled
def solve_lower(root: Array, b: Array) -> None:
    """Solve root z = b in place."""
    for i in range(len(b)):
        for m in range(i):
            b[i] -= root[i, m] * b[m]
        b[i] /= root[i, i]
