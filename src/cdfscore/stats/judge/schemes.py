"""Counterparts of schemes: the standardized scores of a topic.

Each is a function of the scores x of a topic, of those that the scheme is fitted to, and of the
scheme's settings. One that is fitted by maximum likelihood also takes the parameters of cdfscore:
where SciPy has no estimator of its own, it judges the cdf at these parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import optimize, special, stats
from statsmodels.distributions.empirical_distribution import ECDF
from statsmodels.stats.weightstats import DescrStatsW

from cdfscore.stats.judge import Array, Counterpart

Fitted = Mapping[str, float]


def _z(x: Array, scores: Array) -> Array:
    """Return x in standard deviations from the mean, without what all scores share."""
    start = scores[0]
    found = DescrStatsW(scores - start, ddof=1)
    return np.asarray(((x - start) - found.mean) / found.std)


def _empirical(
    x: Array,
    scores: Array,
    _: Fitted,
    convention: str,
    position: Any = None,
    interpolation: str | None = None,
) -> Array:
    n, distinct = len(scores), np.unique(scores)
    a = {"hazen": 0.5, "weibull": 0.0, "blom": 0.375}.get(position, position)

    def steps(at: Array) -> Array:
        at_most, below = (n * ECDF(scores, side=side)(at) for side in ("right", "left"))
        counted = {"weak": at_most, "strict": below}.get(convention, (at_most + below) / 2)
        if a is None:
            return np.asarray(counted / n)
        counted = counted + 0.5 * (convention == "mid")
        return np.asarray(np.clip((counted - float(a)) / (n + 1 - 2 * float(a)), 0, 1))

    if interpolation is None or len(distinct) == 1:
        return steps(x)
    inside = (x > distinct[0]) & (x < distinct[-1])
    return np.where(inside, np.interp(x, distinct, steps(distinct)), steps(x))


def _uniform(x: Array, scores: Array, _: Fitted, A: float, B: float) -> Array:
    return np.asarray(stats.uniform.cdf(_z(x, scores), -B / A, 1 / A))


def _minmax(x: Array, scores: Array, _: Fitted) -> Array:
    return np.asarray(stats.uniform.cdf(x, scores.min(), np.ptp(scores)))


def _exponential(x: Array, scores: Array, _: Fitted) -> Array:
    return np.asarray(stats.expon(*stats.expon.fit(scores)).cdf(x))


def _moved(scores: Array, ends: str) -> Array:
    n = len(scores)
    return (scores * (n - 1) + 0.5) / n if ends == "shrink" else scores


def _logit_normal(x: Array, scores: Array, _: Fitted, ends: str) -> Array:
    logits = special.logit(_moved(scores, ends))
    return np.asarray(stats.norm.cdf(_z(special.logit(np.clip(x, 0, 1)), logits)))


def _gamma(x: Array, scores: Array, fitted: Fitted) -> Array:
    start = math.log(DescrStatsW(scores).mean) - DescrStatsW(np.log(scores)).mean

    def slope(log_shape: float) -> float:
        shape = math.exp(log_shape)
        return float(math.log(shape) - special.digamma(shape) - start)

    near = math.log(0.5 / start)
    shape = math.exp(optimize.brentq(slope, near - 3, near + 3, xtol=1e-15))
    return np.asarray(stats.gamma.cdf(x, shape, scale=DescrStatsW(scores).mean / shape))


def _beta(x: Array, scores: Array, fitted: Fitted, method: str, ends: str) -> Array:
    moved = _moved(scores, ends)
    own = DescrStatsW(moved, ddof=1)
    total = own.mean * (1 - own.mean) / own.var - 1
    shapes = np.array([own.mean * total, (1 - own.mean) * total])
    if method == "ml":
        logs = [DescrStatsW(each).mean for each in (np.log(moved), np.log1p(-moved))]

        found = optimize.root(_slopes_of_logs, np.log(shapes), args=(logs,), tol=1e-12)
        shapes = np.exp(found.x)
        for _ in range(3):  # Newton's steps, to the last digits
            curvature = np.diag(special.polygamma(1, shapes)) - special.polygamma(1, shapes.sum())
            shapes = shapes - np.linalg.solve(curvature, _slopes(shapes, logs))
    return np.asarray(stats.beta.cdf(x, *shapes))


def _slopes_of_logs(v: Array, logs: list[float]) -> Array:
    return _slopes(np.exp(v), logs)


def _slopes(shapes: Array, logs: list[float]) -> Array:
    """Return the slopes of the likelihood of a beta distribution, with the other sign."""
    return np.asarray(special.digamma(shapes) - special.digamma(shapes.sum()) - logs)


def _kumaraswamy(x: Array, scores: Array, fitted: Fitted, ends: str) -> Array:
    within = np.clip(x, 0, 1)
    return np.asarray(-np.expm1(fitted["b"] * np.log1p(-(within ** fitted["a"]))))


def _beta_binomial(x: Array, scores: Array, fitted: Fitted, size: int) -> Array:
    mean, rho = fitted["mean"], fitted["rho"]
    if not 0 < rho < 1:
        return np.full(x.shape, np.nan)
    total = 1 / rho - 1
    k = np.floor(np.round(x * size, 9))
    return np.asarray(stats.betabinom.cdf(k, size, mean * total, (1 - mean) * total))


def _mixture(x: Array, scores: Array, fitted: Fitted, starts: int, seed: int) -> Array:
    parts = (
        weight * stats.norm.cdf(x, fitted[f"mean_{k}"], fitted[f"sd_{k}"])
        for k, weight in ((1, fitted["weight"]), (2, 1 - fitted["weight"]))
    )
    return np.asarray(sum(parts))


def _johnson_su(x: Array, scores: Array, fitted: Fitted) -> Array:
    """Solve u = sinh(t z) / t - skew (cosh(t z) - 1) / t^2 for exp(t z), a quadratic equation."""
    u, skew = (x - fitted["location"]) / fitted["scale"], fitted["skew"]
    t = math.sqrt(skew**2 + fitted["tail"])
    a, b, c = t - skew, skew - t * t * u, -(t + skew)
    root = np.sqrt(b * b - a * c)
    e = np.where(b > 0, -c / (b + root), (root - b) / a)
    return np.asarray(stats.norm.cdf(np.log(e) / t))


def _truncated_normal(x: Array, scores: Array, fitted: Fitted, low: float, high: float) -> Array:
    if not fitted["curvature"] > 0:  # it is no normal distribution
        return np.full(x.shape, np.nan)
    scale = fitted["scale"] / math.sqrt(fitted["curvature"])
    mean = fitted["location"] + fitted["scale"] * fitted["slope"] / fitted["curvature"]
    ends = ((low - mean) / scale, (high - mean) / scale)
    return np.asarray(stats.truncnorm.cdf(x, *ends, mean, scale))


def _from_scipy(x: Array, scores: Array, fitted: Fitted, dist: str, **held: float | None) -> Array:
    law = getattr(stats, dist)
    names = [*(law.shapes.split(", ") if law.shapes else []), "loc", "scale"]
    return np.asarray(law.cdf(x, **{name: fitted[name] for name in names}))


def _sum(x: Array, scores: Array, _: Fitted) -> Array:
    return np.asarray((x - scores.min()) / math.fsum(scores - scores.min()))


def _zero_inflated(x: Array, scores: Array, fitted: Fitted, family: str, at: float) -> Array:
    others = scores[scores != at]
    share = 1 - len(others) / len(scores)
    name, _, typed = family.partition(":")
    if len(np.unique(others)) < 2 or typed or name not in _COMPONENTS:
        return np.full(x.shape, np.nan)
    y = SCHEMES[name].compute(x, others, fitted, **_COMPONENTS[name])
    return np.asarray(share * (x >= at) + (1 - share) * y)


_COMPONENTS: Mapping[str, dict[str, str]] = {
    "beta": {"method": "ml", "ends": "raise"},
    "normal": {},
    "gamma": {},
    "exponential": {},
    "logit_normal": {"ends": "raise"},
}

#: Kernels as laws of `scipy.stats`, of any spread.
_KERNELS: Mapping[str, Any] = {
    "gaussian": stats.norm,
    "epanechnikov": stats.beta(2, 2, -1, 2),
    "biweight": stats.beta(3, 3, -1, 2),
    "triweight": stats.beta(4, 4, -1, 2),
    "triangular": stats.triang(0.5, -1, 2),
    "rectangular": stats.uniform(-1, 2),
    "cosine": stats.cosine,
    "logistic": stats.logistic,
}


def _kernel(
    x: Array, scores: Array, fitted: Fitted, bandwidth: Any, kernel: str, boundary: str
) -> Array:
    if kernel not in _KERNELS:
        return np.full(x.shape, np.nan)
    law, h = _KERNELS[kernel], fitted["bandwidth"]
    unit = h / law.std()

    def smoothed(at: Array, of: Array = scores) -> Array:
        return np.asarray(np.mean(law.cdf((at[:, np.newaxis] - of) / unit), axis=1))

    if boundary == "beta":
        mean, b = x[:, np.newaxis], h * h
        y = np.mean(stats.beta.sf(scores, mean / b, (1 - mean) / b), axis=1)
        return np.where(x == 0, np.mean(scores == 0), np.where(x == 1, 1.0, y))
    if boundary == "logit":
        within = np.clip(x, 0, 1)
        return smoothed(special.logit(within), special.logit(scores))
    if boundary == "none":
        return smoothed(x)
    ends = smoothed(np.array([0.0, 1.0]))
    if boundary == "truncation":
        y = (smoothed(x) - ends[0]) / (ends[1] - ends[0])
    elif boundary == "reflection":
        folds = range(-3 - int(10 * unit), 4 + int(10 * unit))
        y = sum(smoothed(x + 2.0 * k) - smoothed(2.0 * k - x) for k in folds)
    else:
        return np.full(x.shape, np.nan)
    return np.asarray(np.where(x < 0, 0.0, np.where(x >= 1, 1.0, np.clip(y, 0, 1))))


def _linear(function: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    return lambda x, scores, _, **settings: function(x, scores)


#: Equations of shapes lose digits where the scores are close together.
_BY_SHAPES = 1e-10


def _at(by: str, compute: Callable[..., Array], apart: float = _BY_SHAPES) -> Counterpart:
    """Return a cdf at the parameters of cdfscore: nothing here fits them."""
    told = f"{by}, at the parameters of cdfscore"
    return Counterpart(told, compute, apart=apart, takes_parameters=True)


SCHEMES: Mapping[str, Counterpart] = {
    "raw": Counterpart("NumPy: the scores", _linear(lambda x, scores: x)),
    "z": Counterpart("statsmodels: DescrStatsW", _linear(_z)),
    "centered": Counterpart(
        "statsmodels: DescrStatsW",
        _linear(lambda x, s: (x - s[0]) - DescrStatsW(s - s[0]).mean),
    ),
    "sum": Counterpart("Python: math.fsum", _sum),
    "max": Counterpart("NumPy: max", _linear(lambda x, scores: x / scores.max())),
    "minmax": Counterpart("SciPy: stats.uniform", _minmax),
    "normal": Counterpart(
        "SciPy: stats.norm; statsmodels: DescrStatsW",
        _linear(lambda x, scores: stats.norm.cdf(_z(x, scores))),
    ),
    "uniform": Counterpart("SciPy: stats.uniform; statsmodels: DescrStatsW", _uniform),
    "empirical": Counterpart("statsmodels: ECDF", _empirical),
    "exponential": Counterpart("SciPy: stats.expon", _exponential),
    "logit_normal": Counterpart("SciPy: special.logit, stats.norm", _logit_normal),
    "gamma": Counterpart("SciPy: stats.gamma, its likelihood by brentq", _gamma, apart=_BY_SHAPES),
    "beta": Counterpart(
        "SciPy: stats.beta, its likelihood by optimize.root", _beta, apart=_BY_SHAPES
    ),
    "kernel": _at("SciPy: stats, all pairs of scores", _kernel, apart=1e-13),
    "kumaraswamy": _at("NumPy", _kumaraswamy, apart=1e-13),
    "beta_binomial": _at("SciPy: stats.betabinom", _beta_binomial),
    "johnson_su": _at("SciPy: stats.norm", _johnson_su),
    "truncated_normal": _at("SciPy: stats.truncnorm", _truncated_normal),
    "mixture": _at("SciPy: stats.norm", _mixture, apart=1e-13),
    "from_scipy": _at("SciPy: stats", _from_scipy, apart=1e-13),
    "zero_inflated": Counterpart(
        "SciPy: as of the family, and a point mass", _zero_inflated, apart=_BY_SHAPES
    ),
}


def standardized(
    name: str,
    settings: Mapping[str, Any],
    x: Array,
    reference: Array,
    parameters: Mapping[str, Array],
) -> Array:
    """Return the scores of topics (topics, systems), NaN where there is no counterpart.

    `reference` are the scores that the scheme is fitted to, topic by topic, and `parameters` those
    of the fit, (topics, 1). Topics whose reference scores are all equal have no counterpart, as
    their scores are a limit by definition.
    """
    y = np.full(x.shape, np.nan)
    if name not in SCHEMES:
        return y
    for topic, (own, scores) in enumerate(zip(x, reference, strict=True)):
        there, known = ~np.isnan(own), scores[~np.isnan(scores)]
        if name not in ("raw", "empirical") and (not len(known) or np.ptp(known) == 0):
            continue
        of_topic = {key: float(each[topic, 0]) for key, each in parameters.items()}
        y[topic, there] = SCHEMES[name](own[there], known, of_topic, **settings)
    return y
