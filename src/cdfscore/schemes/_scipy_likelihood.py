"""Check and improvement of maximum likelihood fits of scipy.stats distributions.

Own code because the general optimizer behind SciPy's ``fit`` stops away from the maximum
without saying so: for weibull_min on real P@10 scores at a log-likelihood of -317 where the
maximum is -22. The parameters are the shapes, the location and the scale. Near a point they
are counted from it, a shape in units of its own size, the location in units of the scale and
the scale by its logarithm, so that one step length suits all.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from cdfscore.numerics.types import Array, BoolArray

# A gain in log-likelihood that Newton's method may still promise at a maximum, and the least
# that counts as a gain where there is a kink, which derivatives do not describe.
_PROMISE, _GAIN = 1e-13, 1e-9
_STEP = 1e-3  # of the differences that stand for derivatives
_FLAT = 1e-6  # the least curvature that a Newton step is divided by
_MOST_MOVES = 60
# A density above this at a score, in units of 1 / (max - min), grows without bound.
_LARGEST_DENSITY = 1e8
# Of the density and the cdf: how far an area may be from the step of the cdf, for all scores
# together, in itself, and by rounding; and how near to a score it is looked at, in ranges.
_LARGEST_GAP, _LARGEST_RATIO, _ROUNDING, _NEAR = 1e-6, 1e-3, 1e-13, 1e-5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def local_maximum(law: Any, sample: Array, start: Array, free: BoolArray) -> Array | None:
    """Return `start` if it is a local maximum of the likelihood, or one found from it.

    None where no maximum was found: the likelihood grows without bound, or the optimizers
    still gain after many moves. `free` tells which parameters may move.
    """
    point = start
    for _ in range(_MOST_MOVES):
        density = np.exp(law.logpdf(sample, *point).max()) * np.ptp(sample)
        if not density < _LARGEST_DENSITY:
            return None
        step, promise = _newton_step(law, sample, point, free)
        if promise <= _PROMISE:
            return point
        if not -_loss(law, sample, point, free, step[np.newaxis])[0] > promise / 10:
            if not -_loss(law, sample, point, free, _probes(len(step))).min() > _GAIN:
                return point
            step = _simplex_step(law, sample, point, free)
        point = _moved(point, free, step[np.newaxis])[0]
    return None


def wrong_density(law: Any, sample: Array, parameters: Array) -> float | None:
    """Return a place near a score or between two where the density does not match the cdf.

    None where there is none: its integral is the step of the cdf, to 1e-6 over all scores and
    to 0.1% beside each. Otherwise what was maximized may not be the likelihood of the
    distribution: exponweib takes the logarithm of a power that may underflow, and is then off
    by a third at the lowest score, or infinite. Both are looked at on the standard scale, where
    the distribution starts from the rounded (x - location) / scale and loses no more digits,
    and nowhere between the outermost scores and the ends of the support, where the density may
    have a pole.
    """
    from scipy import integrate

    *shapes, location, scale = parameters
    z = (np.unique(sample) - location) / scale
    low, high = law.support(*shapes)
    near = _NEAR * np.ptp(z)
    down, up = (np.where(room > 0, np.minimum(near, room / 2), 0.0) for room in (z - low, high - z))
    # From both ends by factors of 4, as a density may fall fast beside a pole.
    factors = 4.0 ** np.arange(1, 25)
    below, above = (z[0] - low) * factors, (high - z[-1]) * factors
    fine = low + below[below < near], high - above[above < near]
    ends = np.concatenate([z - down, z, z + up, *fine])
    ends = np.unique(ends[(ends >= (z - down)[0]) & (ends <= (z + up)[-1])])
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    steps = np.diff(law.cdf(ends, *shapes))
    density = law.pdf(middle + half * _NODES[:, np.newaxis], *shapes)
    areas = half * (_WEIGHTS @ density)
    allowed = np.minimum(_LARGEST_RATIO * steps, _LARGEST_GAP / len(steps)) + _ROUNDING
    # A node is a rounded number, between which pareto at a location of -1e8 is steep.
    rounding = np.spacing(np.abs(middle)) * np.ptp(density, axis=0)
    allowed += np.where(np.isfinite(rounding), rounding, 0.0)
    for i in np.flatnonzero(~(np.abs(areas - steps) <= allowed)):  # a kink, or wrong
        area = integrate.quad(
            lambda x: float(law.pdf(x, *shapes)), ends[i], ends[i + 1], epsabs=0, limit=200
        )[0]
        if not abs(area - steps[i]) <= allowed[i]:
            return float(location + scale * middle[i])
    return None


def _newton_step(law: Any, sample: Array, point: Array, free: BoolArray) -> tuple[Array, float]:
    """Return Newton's step uphill and the gain that it promises; infinite at a kink."""
    k = int(free.sum())
    axes = _STEP * np.eye(k)
    i, j = np.triu_indices(k, 1)
    singles = np.vstack([axes, -axes, 2 * axes, -2 * axes])
    pairs = np.vstack([axes[i] + axes[j], -axes[i] - axes[j], axes[i] - axes[j], axes[j] - axes[i]])
    loss = _loss(law, sample, point, free, np.vstack([singles, pairs]))
    if not np.isfinite(loss).all():
        return np.zeros(k), math.inf
    a, b, c, d = loss[: 4 * k].reshape(4, k)
    gradient = (8 * (a - b) - (c - d)) / (12 * _STEP)
    hessian = np.diag((16 * (a + b) - (c + d)) / (12 * _STEP**2))
    p, q, r, s = loss[4 * k :].reshape(4, len(i))
    hessian[i, j] = hessian[j, i] = (p + q - r - s) / (4 * _STEP**2)
    curvature, directions = np.linalg.eigh(hessian)
    slope = directions.T @ gradient
    bend = np.maximum(np.abs(curvature), _FLAT)
    step = -directions @ (slope / bend)
    return step / max(1.0, np.abs(step).max(initial=0.0)), float(np.sum(slope**2 / bend) / 2)


def _probes(k: int) -> Array:
    """Return steps along all axes and diagonals, of four lengths."""
    directions = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=k) if any(d)])
    return np.vstack([length * directions for length in (1e-7, 1e-5, 1e-3, 1e-1)])


def _simplex_step(law: Any, sample: Array, point: Array, free: BoolArray) -> Array:
    """Return the best step that Nelder and Mead's method finds."""
    from scipy import optimize

    k = int(free.sum())
    options = {
        "initial_simplex": np.vstack([np.zeros(k), 0.1 * np.eye(k)]),
        "maxfev": 200 * k,
        "xatol": 1e-8,
        "fatol": 1e-10,
    }
    minimize: Any = optimize.minimize  # whose stubs know no initial simplex
    result = minimize(
        lambda step: float(_loss(law, sample, point, free, step[np.newaxis])[0]),
        np.zeros(k),
        method="Nelder-Mead",
        options=options,
    )
    step: Array = result.x
    return step


def _moved(point: Array, free: BoolArray, steps: Array) -> Array:
    """Return the parameters after each of some steps (m, free) from the point."""
    full = np.zeros((len(steps), len(point)))
    full[:, free] = steps
    unit = np.append(np.maximum(np.abs(point[:-2]), 0.1), point[-1])
    moved = np.empty_like(full)
    moved[:, :-1] = point[:-1] + unit * full[:, :-1]
    moved[:, -1] = point[-1] * np.exp(full[:, -1])
    return moved


def _loss(law: Any, sample: Array, point: Array, free: BoolArray, steps: Array) -> Array:
    """Return the decrease of the log-likelihood from the point to each step."""
    after = _moved(point, free, steps).T[:, :, np.newaxis]
    gain = np.sum(law.logpdf(sample, *after) - law.logpdf(sample, *point), axis=-1)
    return np.where(np.isfinite(gain), -gain, np.inf)
