"""Counterparts of schemes: the standardized scores of a topic.

Each is a function of the scores x of a topic, of those that the scheme is fitted to, of the
parameters of cdfscore, and of the scheme's settings. Where SciPy has no estimator of its own, the
scores are those of the maximum of the likelihood near these parameters.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import linalg, optimize, special, stats
from statsmodels.distributions.empirical_distribution import ECDF
from statsmodels.stats.weightstats import DescrStatsW
from statsmodels.tools.numdiff import approx_fprime, approx_hess3

from cdfscore.stats.judge import Array, Counterpart, distributions
from cdfscore.stats.judge.tests import in_common

Fitted = Mapping[str, float]


def _z(x: Array, scores: Array) -> Array:
    """Return x in standard deviations from the mean, without what all scores share."""
    start, unit = scores[0], np.ptp(scores)
    found = DescrStatsW((scores - start) / unit, ddof=1)
    return np.asarray(((x - start) / unit - found.mean) / found.std)


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


def _moved(scores: Array, ends: str) -> Array:
    n = len(scores)
    return (scores * (n - 1) + 0.5) / n if ends == "shrink" else scores


def _logit_normal(x: Array, scores: Array, _: Fitted, ends: str) -> Array:
    logits = special.logit(_moved(scores, ends))
    return np.asarray(stats.norm.cdf(_z(special.logit(np.clip(x, 0, 1)), logits)))


class _WrongError(ValueError):
    """Raised for parameters that cannot be those of a maximum."""


def _highest(
    height: Callable[[Fitted], Any],
    fitted: Fitted,
    units: Fitted,
    ends: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> Fitted:
    """Return the parameters with the highest likelihood, near those of cdfscore.

    `height` is the mean log-likelihood, and parameters with `units` vary, in eighths of these,
    within their `ends`. A search finds out whether there are better ones, and Newton's method ends
    where slopes are 0, by differences of fourth order. If it reaches no such place, or its digits
    do not suffice, the better ones are returned; without better ones, all are NaN. Raises
    `_WrongError` if the likelihood of the parameters of cdfscore is 0.
    """

    def at(steps: Array) -> Fitted:
        moved = zip(steps.tolist(), units.items(), strict=True)
        return {**fitted, **{name: fitted[name] + step * unit / 8 for step, (name, unit) in moved}}

    def loss(steps: Array) -> float:
        found = -float(height(at(steps)))
        return found if np.isfinite(found) else _NOWHERE

    start, everywhere = np.zeros(len(units)), (-np.inf, np.inf)
    if (own := loss(start)) == _NOWHERE:
        raise _WrongError
    bounds = [
        (8 * (low - fitted[name]) / unit, 8 * (high - fitted[name]) / unit)
        for name, unit in units.items()
        for low, high in [ends.get(name, everywhere)]
    ]
    found = optimize.minimize(loss, start, method="L-BFGS-B", jac="3-point", bounds=bounds)
    is_better = own - found.fun > _HIGHER
    steps = (found.x if is_better else start).copy()
    low, high = np.transpose(bounds)
    free = (steps > low) & (steps < high)
    for _ in range(_NEWTON):
        near, far = (approx_fprime(steps, loss, k * _APART, centered=True) for k in (1, 2))
        slopes, curvature = np.ravel(4 * near - far) / 3, approx_hess3(steps, loss, _APART)
        curvature = curvature[np.ix_(free, free)]
        if free.any() and not np.linalg.cond(curvature) < _LEVEL:
            break
        try:
            step = linalg.solve(curvature, slopes[free], assume_a="pos")
        except linalg.LinAlgError:
            break
        steps[free] -= step
        if np.abs(step).max(initial=0) < _SHORT:
            return at(steps)
    if not is_better:  # by a search that needs no slopes
        found = optimize.minimize(loss, start, method="Nelder-Mead", bounds=bounds)
        is_better = own - found.fun > _HIGHER
    return at(found.x if is_better else np.full(len(steps), np.nan))


#: Newton's method starts where a search ends if the likelihood is higher there by more than this.
_HIGHER = 1e-8
#: Its steps at most, the length of the last one, and the length of differences.
_NEWTON, _SHORT, _APART = 10, 1e-6, 0.002
#: Curvatures whose ratio is larger are those of a ridge, along which the digits do not suffice.
_LEVEL = 1e5
#: Minus the mean log-likelihood outside the domain.
_NOWHERE = 1e10


def _solved(equations: Callable[..., list[Decimal]], *start: float) -> list[float]:
    """Return where equations are 0, by Newton's method in 50 digits of the least positive number.

    The likelihood has one maximum, so that a start from which nothing is found is none.
    """
    if not 0 < min(start) <= max(start) < math.inf:
        raise _WrongError
    u = [Decimal(each) for each in start]
    with localcontext(prec=50 + max(u).adjusted() - min(u).adjusted()):
        for _ in range(_NEWTON):
            own, rows = equations(*u), []
            for i, each in enumerate(u):
                moved = equations(*u[:i], each * (1 + _NEAR), *u[i + 1 :])
                rows.append([(b - a) / _NEAR for a, b in zip(own, moved, strict=True)])
            step = np.linalg.solve(np.array(rows, dtype=float).T, np.array(own, dtype=float))
            rates = np.clip(step, -1, 0.5).tolist()
            u = [each * (1 - Decimal(rate)) for each, rate in zip(u, rates, strict=True)]
            if np.abs(step).max() < _LAST:
                return [float(each) for each in u]
    raise _WrongError


#: The relative length of differences, and of the last step.
_NEAR, _LAST = Decimal("1e-20"), 1e-12
#: Bernoulli's numbers, for the series of digamma from a number on.
_BERNOULLI, _ASYMPTOTIC = [Decimal(each) for each in special.bernoulli(20)], 30


def _digamma(x: Decimal) -> Decimal:
    """Return digamma(x), and at least 16 digits of its difference from log(x)."""
    found = Decimal(0)
    while x < _ASYMPTOTIC:
        found, x = found - 1 / x, x + 1
    series = (_BERNOULLI[k] / (k * x**k) for k in range(2, 21, 2))
    return found + x.ln() - 1 / (2 * x) - sum(series)


def _beta(x: Array, scores: Array, fitted: Fitted, method: str, ends: str) -> Array:
    own = DescrStatsW(_moved(scores, ends))
    total = own.mean * (1 - own.mean) / own.var - 1
    shapes = [own.mean * total, (1 - own.mean) * total]
    known = [Decimal(each) for each in own.data.tolist()]

    def equations(*shapes: Decimal) -> list[Decimal]:
        sides = zip(shapes, (known, [1 - each for each in known]), strict=True)
        both = _digamma(sum(shapes, Decimal(0)))
        return [(_digamma(k) - both) * len(u) / Decimal(math.prod(u)).ln() - 1 for k, u in sides]

    if method == "ml":
        shapes = _solved(equations, fitted["a"], fitted["b"])
    return np.asarray(stats.beta.cdf(x, *shapes))


def _gamma(x: Array, scores: Array, fitted: Fitted) -> Array:
    known, n = [Decimal(each) for each in scores.tolist()], len(scores)

    def equations(shape: Decimal) -> list[Decimal]:
        gap = (sum(known, Decimal(0)) / n).ln() - Decimal(math.prod(known)).ln() / n
        return [(shape.ln() - _digamma(shape)) / gap - 1]

    (shape,) = _solved(equations, fitted["shape"])
    return np.asarray(stats.gamma.cdf(x, shape, scale=DescrStatsW(scores).mean / shape))


def _kumaraswamy(x: Array, scores: Array, fitted: Fitted, ends: str) -> Array:
    logs = -np.log(_moved(scores, ends))

    def log_rest(u: Array) -> Array:
        return np.where(u > 0.7, np.log1p(-np.exp(-u)), np.log(-np.expm1(-u)))

    def slope(a: float) -> float:  # of the likelihood by log(a), where b = -1 / mean(log_rest)
        u = a * logs
        rates = u * np.exp(-u) / np.expm1(-u)
        return float(1 - u.mean() + rates.mean() * (1 + 1 / log_rest(u).mean()))

    low, high = fitted["a"] * (1 - _SHORT), fitted["a"] * (1 + _SHORT)
    if not slope(low) > 0 > slope(high):
        raise _WrongError
    a = optimize.brentq(slope, low, high, xtol=1e-300, rtol=1e-15)
    found = log_rest(a * -np.log(np.clip(x, 0, 1))) / -log_rest(a * logs).mean()
    return np.asarray(-np.expm1(found))


def _beta_binomial(x: Array, scores: Array, fitted: Fitted, size: int) -> Array:
    counts, at = np.round(scores * size), np.floor(np.round(x * size, 9))
    mean, rho, places = counts.mean() / size, fitted["rho"], np.arange(size)
    if np.ptp(counts) == 0:
        return np.full(x.shape, np.nan)
    if np.isin(counts, (0, size)).all():
        return np.asarray((1 - mean) * (at >= 0) + mean * (at >= size))
    above, below = ((each[:, np.newaxis] > places).sum(axis=0) for each in (counts, size - counts))

    def slopes(m: Decimal, r: Decimal) -> list[Decimal]:  # of the likelihood, by mean and rho
        by_mean = by_rho = Decimal(0)
        for i, (more, fewer) in enumerate(zip(above.tolist(), below.tolist(), strict=True)):
            p, q = (more / (u * (1 - r) + i * r) for more, u in ((more, m), (fewer, 1 - m)))
            by_mean += p - q
            by_rho += (i - m) * p + (i - 1 + m) * q - len(counts) * (i - 1) / (1 - r + i * r)
        return [by_mean, by_rho]

    if rho < _LAST:
        wrong, rho = slopes(Decimal(mean), Decimal(0))[1] > _HIGHER, 0.0
    else:
        mean, rho = _solved(slopes, fitted["mean"], rho)
        near = (slopes(Decimal(mean), Decimal(rho * k))[1] for k in (1 - _SHORT, 1 + _SHORT))
        wrong = not next(near) > 0 > next(near)
    if rho < 0 or wrong:
        raise _WrongError
    p, q, r = (Decimal(each) for each in (mean * (1 - rho), (1 - mean) * (1 - rho), rho))
    terms = [Decimal(1)]
    for k in range(size):
        terms.append(terms[-1] * (size - k) / (k + 1) * (p + k * r) / (q + (size - 1 - k) * r))
    total = sum(terms)
    cdf = [0.0, *(float(each / total) for each in itertools.accumulate(terms))]
    return np.asarray(np.take(cdf, np.clip(at, -1, size).astype(int) + 1))


def _mixture(x: Array, scores: Array, fitted: Fitted, starts: int, seed: int) -> Array:
    n = len(scores)

    def parts(at: Fitted) -> list[tuple[float, float, float]]:
        shares = ((1, at["weight"]), (2, 1 - at["weight"]))
        return [(share, at[f"mean_{k}"], at[f"sd_{k}"]) for k, share in shares]

    def height(at: Fitted) -> Any:
        logs = [np.log(share) + stats.norm.logpdf(scores, *law) for share, *law in parts(at)]
        ratios = np.array([np.var(scores / sd) for _, _, sd in parts(at)])
        return np.logaddexp(*logs).mean() - (ratios - np.log(ratios)).sum() / n**2

    units = {f"{name}_{k}": fitted[f"sd_{k}"] for name in ("mean", "sd") for k in (1, 2)}
    weight = fitted["weight"]
    if not 0 < weight < 1:
        raise _WrongError
    found = _highest(height, fitted, {"weight": weight * (1 - weight), **units})
    return np.asarray(sum(share * stats.norm.cdf(x, *law) for share, *law in parts(found)))


def _johnson_su(x: Array, scores: Array, fitted: Fitted) -> Array:
    n = len(scores)

    def height(at: Fitted) -> Any:
        u = (scores - at["location"]) / at["scale"]
        slopes = (1 - at["skew"] * u) ** 2 + at["tail"] * u**2
        ratios = u.var() / slopes
        densities = stats.norm.logpdf(_johnson_z(u, at)) - np.log(slopes) / 2
        penalties = (ratios - np.log(ratios)) / n**2
        return (densities - penalties).mean() - np.log(at["scale"] / scale)

    scale = fitted["scale"]
    units = {"tail": 1 / 8, "skew": 1 / 8, "location": scale / 8, "scale": scale / 8}
    found = _highest(height, fitted, units, {"tail": (0.0, np.inf)})
    return np.asarray(stats.norm.cdf(_johnson_z((x - found["location"]) / found["scale"], found)))


def _johnson_z(u: Array, at: Fitted) -> Array:
    """Solve u = sinh(t z) / t - skew (cosh(t z) - 1) / t^2 for exp(t z), a quadratic equation.

    Where t u is small, all digits of the logarithm cancel, and z is the integral of its slope.
    """
    skew = at["skew"]
    t = np.sqrt(skew**2 + at["tail"])
    if t * np.abs(u).max() < _FLAT:
        v = np.multiply.outer(u / 2, 1 + distributions.NODES)
        slopes = 1 / np.hypot(1 - skew * v, np.sqrt(at["tail"]) * v)
        return np.asarray(u / 2 * (slopes @ distributions.WEIGHTS))
    a, b, c = t - skew, skew - t * t * u, -(t + skew)
    root = np.sqrt(b * b - a * c)
    return np.asarray(np.log(np.where(b > 0, -c / (b + root), (root - b) / a)) / t)


#: The largest t u with which 20 nodes give all digits of an integral.
_FLAT = 0.1


def _truncated_normal(x: Array, scores: Array, fitted: Fitted, low: float, high: float) -> Array:
    if fitted["curvature"] < 0:
        raise _WrongError
    if fitted["curvature"] == 0:  # the exponential limit, of scores that vary more than its law
        u, known = ((each - low) / (high - low) for each in (x, scores))
        mean = known.mean()
        end = math.copysign(1e-6, 0.5 - mean)
        k = optimize.brentq(lambda k: 1 / k - 1 / np.expm1(k) - mean, end, 1e14 * end, xtol=1e-14)
        if known.var() < (1 - _HIGHER) * (1 / k**2 - 1 / np.sinh(k / 2) ** 2 / 4):
            raise _WrongError
        return np.asarray(np.expm1(-k * np.clip(u, 0, 1)) / np.expm1(-k))

    def shapes(at: Fitted) -> tuple[Any, ...]:
        scale = at["scale"] / np.sqrt(at["curvature"])
        mean = at["location"] + at["scale"] * at["slope"] / at["curvature"]
        return (low - mean) / scale, (high - mean) / scale, mean, scale

    def height(at: Fitted) -> Any:
        return stats.truncnorm.logpdf(scores, *shapes(at)).mean()

    found = _highest(height, fitted, {"slope": 1.0, "curvature": fitted["curvature"]})
    return np.asarray(stats.truncnorm.cdf(x, *shapes(found)))


def _from_scipy(x: Array, scores: Array, fitted: Fitted, dist: str, **held: float | None) -> Array:
    law: Any = _EXACT.get(dist) or getattr(stats, dist)
    shapes = law.shapes.split(", ") if law.shapes else []
    spelled = {**{name: f"f{i}" for i, name in enumerate(shapes)}, "loc": "floc", "scale": "fscale"}
    given = {setting: value for setting, value in held.items() if value is not None}
    own = {name: given.get(setting, fitted[name]) for name, setting in spelled.items()}
    free = [name for name, setting in spelled.items() if setting not in given]

    def height(at: Fitted) -> Any:
        return law.logpdf(scores, **at).mean()

    found: Fitted = own
    if dist == "beta" and free == shapes:
        moved, known = ((each - own["loc"]) / own["scale"] for each in (x, scores))
        return _beta(moved, known, fitted, "ml", "as given")
    if dist == "gamma" and free == ["a", "scale"]:
        return _gamma(x - own["loc"], scores - own["loc"], {"shape": own["a"]})
    if free and (dist in _SOLVED or not np.isfinite(height(own))):
        found = dict(zip(own, law.fit(scores, **given), strict=True))
    elif free:
        unit = min(own["scale"], np.ptp(scores) / 4)
        units = {name: abs(own[name]) or 1.0 if name in shapes else unit for name in free}
        if "loc" in units and dist in _SHARP:
            width = own["scale"] / max(1.0, abs(own.get("a", 1.0)))
            units["loc"] = min(8 * width, np.ptp(scores) / 4)
        ends = dict.fromkeys(shapes, (_LEAST.get(dist, 1 / _LARGEST), _LARGEST))
        found = _highest(height, own, units, ends)
    if dist == "loggamma" and found["c"] == _LARGEST:  # the digits of its density cancel
        return np.full(x.shape, np.nan)
    return np.asarray(law.cdf(x, **found))


class _ExponNorm(stats.rv_continuous):
    def _tilted(self, u: Array, K: Array) -> Array:
        z = (1 / K - u) / math.sqrt(2)
        near = np.log(special.erfcx(np.maximum(z, -20)) / 2) - u**2 / 2
        return np.where(z > -20, near, (0.5 / K - u) / K + special.log_ndtr(u - 1 / K))

    def _logpdf(self, u: Any, K: Any) -> Any:  # type: ignore[override]
        return self._tilted(u, K) - np.log(K)

    def _cdf(self, u: Any, K: Any) -> Any:  # type: ignore[override]
        return special.ndtr(u) - np.exp(self._tilted(u, K))


class _GenLogistic(type(stats.genlogistic)):  # type: ignore[misc]
    def _cdf(self, u: Array, c: Array) -> Any:
        return np.exp(c * special.log_expit(u))


#: Laws that SciPy has with fewer digits, or whose cdf overflows there.
_EXACT = {"exponnorm": _ExponNorm(), "genlogistic": _GenLogistic()}
#: The likelihood has a corner at its maximum, and `scipy.stats` solves it.
_SOLVED = frozenset(
    {"expon", "uniform", "halfnorm", "halflogistic", "pareto", "laplace", "loglaplace"}
)
#: Laws with an end where a density falls within a part of the scale, if a shape is at its end.
_SHARP = frozenset({"skewnorm", "exponnorm", "loggamma"})
#: The largest shape of a fit by its specification, and the least of laws for which it is not 1e-6.
_LARGEST = 1e6
_LEAST = {"skewnorm": -1e6, "johnsonsb": -1e6, "exponnorm": 1e-3, "gompertz": 1e-20, "t": 1.0}


def _zero_inflated(x: Array, scores: Array, fitted: Fitted, family: str, at: float) -> Array:
    others = scores[scores != at]
    share = 1 - len(others) / len(scores)
    name, _, typed = family.partition(":")
    if len(np.unique(others)) < 2 or typed or name not in _COMPONENTS:
        return np.full(x.shape, np.nan)
    own = {key.removeprefix("family_"): value for key, value in fitted.items()}
    y = SCHEMES[name].compute(x, others, own, **_COMPONENTS[name])
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


#: Bandwidths that differ by less than this part are equal.
_SAME_BANDWIDTH = 1e-9


def _of_thumb(scores: Array, factor: float) -> float:
    sd, quartiles = scores.std(ddof=1), np.quantile(scores, [0.25, 0.75])
    spread = min(sd, float(np.ptp(quartiles)) / 1.34) or sd
    return float(factor * spread * len(scores) ** -0.2)


def _mean_derivative(order: int, apart: Array, g: float) -> float:
    """Return the mean over all pairs of a derivative of the normal density of width g."""
    hermite = special.hermitenorm(order)(apart / g)
    return float((hermite * stats.norm.pdf(apart / g)).mean() / g ** (order + 1))


def _polansky_baker(scores: Array) -> float:
    n, apart = len(scores), np.subtract.outer(scores, scores)
    sixth = -15 / (16 * math.sqrt(math.pi) * scores.std(ddof=1) ** 7)
    fourth = _mean_derivative(4, apart, (-6 * stats.norm.pdf(0) / (sixth * n)) ** (1 / 7))
    second = _mean_derivative(2, apart, (2 * stats.norm.pdf(0) / (fourth * n)) ** (1 / 5))
    return float((-1 / (math.sqrt(math.pi) * second * n)) ** (1 / 3))


def _altman_leger(scores: Array) -> float:
    n, a = len(scores), scores.std(ddof=1) * len(scores) ** -0.3
    u = np.subtract.outer(scores, scores) / a
    density = (stats.norm.pdf(u).sum() - n * stats.norm.pdf(0)) / (n * (n - 1) * a)
    slopes = (u * stats.norm.pdf(u)).mean(axis=1) / a**2
    return float(np.cbrt(density / (slopes**2).mean() / math.sqrt(math.pi) / n))


def _sj_dpi(scores: Array) -> float:
    """Return R's bandwidth, of distances that are rounded to 1000 steps."""
    n, step = len(scores), float(np.ptp(scores)) * 1.01 / 1000
    places = np.trunc(scores / step)
    if np.abs(places).max() >= 2**31:  # R's whole numbers overflow
        return np.nan
    apart, pairs = np.subtract.outer(places, places) * step, n / (n - 1)
    quartiles = np.quantile(scores, [0.25, 0.75])
    spread = min(scores.std(ddof=1), float(np.ptp(quartiles)) / 1.349)
    sixth = -pairs * _mean_derivative(6, apart, 1.23 * spread * n ** (-1 / 9))
    fourth = pairs * _mean_derivative(4, apart, (2.394 / (n * sixth)) ** (1 / 7))
    return float((2 * math.sqrt(math.pi) * n * fourth) ** (-1 / 5))


def _bowman_hall_prvan(scores: Array, near: float) -> float:
    """Return where the slope of the criterion is 0, near a bandwidth."""
    n = len(scores)
    squares = np.subtract.outer(scores, scores)[np.triu_indices(n, 1)] ** 2

    def slope(h: float) -> float:
        q = np.exp(-squares / (4 * h * h))
        return float(math.sqrt(2) * (q @ q) - (n - 2) / (n - 1) * q.sum() - n / 2)

    return float(optimize.root_scalar(slope, x0=near, x1=near * 1.001, xtol=1e-14 * near).root)


#: Rules of which a formula exists, or an equation that is solved to the last digits.
_BANDWIDTHS: Mapping[str, Callable[[Array, float], float]] = {
    "nrd0": lambda scores, _: _of_thumb(scores, 0.9),
    "nrd": lambda scores, _: _of_thumb(scores, 1.06),
    "altman_leger": lambda scores, _: _altman_leger(scores),
    "polansky_baker": lambda scores, _: _polansky_baker(scores),
    "bowman_hall_prvan": _bowman_hall_prvan,
    "sj_dpi": lambda scores, _: _sj_dpi(scores),
}


def _kernel(
    x: Array, scores: Array, fitted: Fitted, bandwidth: Any, kernel: str, boundary: str
) -> Array:
    if kernel not in _KERNELS:
        return np.full(x.shape, np.nan)
    law, h = _KERNELS[kernel], fitted["bandwidth"]
    if boundary == "logit":
        own = special.logit(scores)
    else:
        own = 2 * np.arcsin(np.sqrt(scores)) if boundary == "beta" else scores
    rule = _BANDWIDTHS.get(bandwidth)
    width = np.ptp(own)  # powers of the scores themselves may overflow
    found = h if isinstance(bandwidth, str) else bandwidth
    found = width * rule(own / width, h / width) if rule else found
    h = h if abs(found / h - 1) < _SAME_BANDWIDTH else found
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


#: Equations of shapes lose digits where the scores are close together, and differences lose more.
_BY_SHAPES, _BY_DIFFERENCES = 1e-10, 1e-8
_SEARCHED = "statsmodels: numdiff; Newton's method"


SCHEMES: Mapping[str, Counterpart] = {
    "raw": Counterpart("NumPy: the scores", lambda x, scores, _: x),
    "z": Counterpart("statsmodels: DescrStatsW", lambda x, scores, _: _z(x, scores)),
    "centered": Counterpart(
        "Python: math.fsum", lambda x, scores, _: x - math.fsum(scores) / len(scores)
    ),
    "sum": Counterpart(
        "Python: math.fsum",
        lambda x, scores, _: (x - scores.min()) / math.fsum(scores - scores.min()),
    ),
    "max": Counterpart("NumPy: max", lambda x, scores, _: x / scores.max()),
    "minmax": Counterpart(
        "SciPy: stats.uniform",
        lambda x, scores, _: stats.uniform.cdf(x, scores.min(), np.ptp(scores)),
    ),
    "normal": Counterpart(
        "SciPy: stats.norm; statsmodels: DescrStatsW",
        lambda x, scores, _: stats.norm.cdf(_z(x, scores)),
    ),
    "uniform": Counterpart("SciPy: stats.uniform; statsmodels: DescrStatsW", _uniform),
    "empirical": Counterpart("statsmodels: ECDF", _empirical),
    "exponential": Counterpart(
        "SciPy: stats.expon", lambda x, scores, _: stats.expon.cdf(x, *stats.expon.fit(scores))
    ),
    "logit_normal": Counterpart("SciPy: special.logit, stats.norm", _logit_normal),
    "gamma": Counterpart("SciPy: stats.gamma; Python: decimal", _gamma, apart=_BY_SHAPES),
    "beta": Counterpart("SciPy: stats.beta; Python: decimal", _beta, apart=_BY_SHAPES),
    "kernel": Counterpart("SciPy: stats, all pairs of scores", _kernel),
    "beta_binomial": Counterpart("Python: decimal", _beta_binomial, apart=_BY_SHAPES),
    "kumaraswamy": Counterpart("NumPy; SciPy: optimize.brentq", _kumaraswamy, apart=_BY_SHAPES),
    **{
        name: Counterpart(f"SciPy: stats; {_SEARCHED}", compute, apart=_BY_DIFFERENCES)
        for name, compute in (
            ("johnson_su", _johnson_su),
            ("truncated_normal", _truncated_normal),
            ("mixture", _mixture),
            ("from_scipy", _from_scipy),
        )
    },
    "zero_inflated": Counterpart(
        "SciPy: as of the family, and a point mass", _zero_inflated, apart=_BY_DIFFERENCES
    ),
}


_LOCATIONS = frozenset({"loc", "floc", "location", "mean_1", "mean_2"})


def standardized(
    name: str, settings: Mapping[str, Any], x: Array, reference: Array, fitted: Fitted
) -> Array:
    """Return the scores of a topic, NaN where there is no counterpart.

    `reference` are the scores that the scheme is fitted to, and `fitted` the parameters. If all of
    the reference are equal there is no counterpart, as the scores are a limit by definition. The
    scores are infinite if no fit has such parameters.
    """
    y, there, known = np.full(x.shape, np.nan), ~np.isnan(x), reference[~np.isnan(reference)]
    if name in ("raw", "empirical") or (len(known) and np.ptp(known) > 0):
        # What scores share costs the last digits of slopes.
        start = in_common(known) if name in ("mixture", "johnson_su", "from_scipy") else 0.0
        own, held = (
            {k: v - start if k in _LOCATIONS and v is not None else v for k, v in each.items()}
            for each in (fitted, settings)
        )
        try:
            y[there] = SCHEMES[name](x[there] - start, known - start, own, **held)
        except _WrongError:
            y[there] = np.inf
    return y


def without(name: str, settings: Mapping[str, Any]) -> set[str]:
    """Return the parameters that have no counterpart: bandwidths that R's searches end at."""
    rule = settings.get("bandwidth", "nrd0") if name == "kernel" else "nrd0"
    return set() if rule in _BANDWIDTHS or not isinstance(rule, str) else {"bandwidth"}
