"""A continuous distribution of scipy.stats, by its name."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import limit_where_constant, quantile_where_constant
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes._z_scores import z_scores
from cdfscore.schemes.base import SAME, Distribution, Parameters
from cdfscore.schemes.settings import setting_error


def _logistic(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    y: Array = np.where(u < 0, e, 1.0) / (1.0 + e)
    return y


def _lognorm(u: Array, s: Array) -> Array:
    with np.errstate(divide="ignore"):
        return normal_cdf(np.log(np.maximum(u, 0.0)) / s)


# Cdfs at u = (x - loc) / scale instead of SciPy's, which lose digits in the lower tail: the
# normal ones by hundreds of ulp (see normal_cdf), the logistic by all where it is subnormal.
_CDFS: dict[str, Callable[..., Array]] = {
    "norm": normal_cdf,
    "lognorm": _lognorm,
    "logistic": _logistic,
}

# Parameters that differ in the last digits move small y by many ulp, and y itself hardly.
_ADDED = (
    "SciPy and R add the scores in different orders and precisions, so that the parameters differ "
    "in the last digits"
)
_TWO_SOLVERS = "two algorithms maximize the likelihood"
_USUAL = Tolerance(8, _ADDED, floor=1.0)
#: Distributions of SciPy with another tolerance, where their fit is a formula or one equation.
TOLERANCES = {
    "uniform": SAME,
    "lognorm": Tolerance(32, f"{_ADDED}, here of the logarithms of the scores", floor=1.0),
    "gamma": Tolerance(128, f"{_ADDED}, and {_TWO_SOLVERS}", floor=1.0),
    "logistic": Tolerance.absolute(1e-11, _TWO_SOLVERS),
    "beta": Tolerance.absolute(1e-11, _TWO_SOLVERS),
    "weibull_min": Tolerance.absolute(1e-11, _TWO_SOLVERS),
}
#: All other fits.
SEARCHED = Tolerance.absolute(
    5e-7, f"{_TWO_SOLVERS}; near its top it is flat, most of all where a shape is large"
)

Ends = tuple[bool, bool]

# What has to be held so that SciPy's own fit is a closed form, or a root of one equation.
_SOLVED_BY_SCIPY: dict[str, frozenset[str]] = {
    "norm": frozenset(),
    "expon": frozenset(),
    "uniform": frozenset(),
    "laplace": frozenset(),
    "lognorm": frozenset({"floc"}),
    "gamma": frozenset({"floc"}),
}
_NO_SUPPORT = "there are no parameters whose support has all reference scores"
# Distributions of which `_weibull` solves the equation exactly, and the sign of s = +-(x - floc).
_WEIBULLS = {"weibull_min": 1.0, "weibull_max": -1.0}
_ONE_BY_HELD = {"weibull_min": frozenset({"floc"}), "beta": frozenset({"floc", "fscale"})}
# What has to be held so that there is one maximum, from which no other start leads away: a density
# that is log-concave makes the likelihood concave in 1 / scale and location / scale.
_ONE_MAXIMUM = (
    dict.fromkeys(
        (
            *("logistic", "gumbel_r", "gumbel_l", "hypsecant", "moyal", "cosine", "anglit"),
            *("semicircular", "maxwell", "rayleigh", "halfnorm", "halflogistic"),
        ),
        frozenset[str](),
    )
    | _ONE_BY_HELD
)
# Gains in log-likelihood: what a Newton step may still promise at a maximum, and at the end of
# the first climbs; and the least that counts where a kink makes derivatives useless.
_PROMISE, _ROUGH, _GAIN = 1e-13, 1e-3, 1e-9
_QUARTILES = np.array([[0.25], [0.75]])
_STEP = 1e-3  # of the differences that stand for derivatives
_FLAT = 1e-6  # the least curvature that a Newton step is divided by
_MOST_MOVES = 60
# How many sets of shapes per free shape, places where their densities are summed, starts from
# which the search climbs, and tops that are found to the last digits.
_SETS, _GRID, _CLIMBED, _POLISHED, _SEARCHES = 12, 200, 10, 3, 2
# Shapes near infinity to start from, and how often that is repeated from a higher top.
_LARGE, _ROUNDS = (30.0, 1e3, 1e6), 3
# How much lower the likelihood is at a smaller scale, at least, where there is a single maximum.
_RIDGE, _NARROW = 1e-6, [1e-5, 1e-6]
# The largest shape, of either sign, and the largest scale, in units of 2^k: the range is below 1.
_LARGEST_SHAPE, _LARGEST_SCALE = 1e6, 1e7
# The rise of the log-likelihood for each factor of e in a shape, at the largest, that is refused.
_RISE = 0.01
# A density above this at a score, in units of 1 / (max - min), is taken to grow without bound.
_LARGEST_DENSITY = 1e8
# A density that rises by this power towards an end of the support is infinite there; it is read
# off at three distances from the end.
_POLE, _NEAR_0 = 0.05, np.array([1e-40, 1e-80, 1e-120])
_NEAR_END = np.array([1e-6, 1e-9, 1e-12])
# Of the density and the cdf: how far an area may be from the step of the cdf, for all scores
# together, in itself, and by rounding; and how near to a score it is looked at, in ranges.
_LARGEST_GAP, _LARGEST_RATIO, _ROUNDING, _NEAR = 1e-6, 1e-3, 1e-13, 1e-5
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True)
class FromScipy(Distribution):
    """Continuous distribution of `scipy.stats`, fitted by maximum likelihood.

    y = F(x; parameters) with the parameters of the largest of the local maxima of the likelihood
    of the reference scores that are found from some hundred starts. The other settings are fixed
    parameters, with the names of ``scipy.stats.<dist>.fit``: `floc` and `fscale`, and `f0`, `f1`,
    ... for the shapes in the order of ``scipy.stats.<dist>.shapes``. Scores have shape (..., n);
    y has no unit and lies in [0, 1]. Topics are fitted one by one, most in less than a second;
    levy_stable and studentized_range take minutes, as SciPy integrates their densities.

    SciPy's own ``fit`` is used where it is exact: for norm, expon, uniform and laplace, and with
    `floc` for lognorm and gamma. Otherwise the scores are scaled by a power of 2 and shifted to
    start at 0, so that exact shifts and powers of 2 change nothing but the rounded location.
    Newton's method, and Nelder and Mead's at kinks, climb from laws whose quantiles are those of
    parts of the sample, with the ends of the support free and at the extreme scores; clause
    from_scipy.3 has the details. Shapes are searched up to 1e6: a likelihood that rises towards a
    limit (t towards the normal) is followed to there, less than 0.01 short of it.

    A topic has no fit if the likelihood has no upper bound: if the density is infinite where a
    score can be, as that of weibull_min, gamma, beta, genpareto and genextreme with a free
    location; or if it still rises at a density above 1e8 / (max - min) at a score, or at the
    largest shape. Not detected is a likelihood that exceeds the found maximum beyond these
    limits only, as that of t with free degrees of freedom (Fernandez and Steel 1999).

    The density is SciPy's, and so is the cdf, except for norm, lognorm and logistic. If the cdf
    is not the integral of the density, to 1e-6 over the scores of the topic and to 0.1% near each
    score, the maximized function may not be the likelihood, and the topic cannot be fitted. This
    happens on many topics with exponweib, whose density is wrong for a second shape above about
    100.

    Constant topic: there is no maximum likelihood fit. y is 0 left of the common score, 1/2
    at it and 1 right of it, the limit of a symmetric distribution as its scale goes to 0.

    Raises `SchemeError` for an unknown distribution, an unknown parameter or a fixed value that
    is not accepted, and `FitError` for a topic with fewer than two reference scores, with a
    score outside a fixed support, or for which no maximum of the likelihood is found.

    Specified in from_scipy.1 to from_scipy.4.

    Examples
    --------
    >>> FromScipy(dist="beta", floc=0, fscale=1).fit([0.1, 0.2, 0.4])([0.2]).round(3).tolist()
    [0.443]
    """

    dist: str = "norm"
    floc: float | None = None
    fscale: float | None = None
    f0: float | None = None
    f1: float | None = None
    f2: float | None = None
    f3: float | None = None

    formula = "y = F(x; parameters), fitted by maximum likelihood"
    source = "the reference of scipy.stats, fit and cdf of each distribution"
    minimum_scores = 2
    one_by_one = True

    def __post_init__(self) -> None:
        shapes = self._law().numargs
        for name, value in self._fixed().items():
            if name not in self._slots():
                raise SchemeError(
                    f"from_scipy: {name} is not accepted, since {self.dist} has "
                    f"{shapes} shape parameters"
                )
            number = finite_number(value)
            if number is None or (name == "fscale" and number <= 0):
                expected = "a number above 0" if name == "fscale" else "a finite number"
                raise setting_error(self.name, name, value, expected)
        if math.isnan(self._standard_support()[0]):
            raise SchemeError(f"{self} is not accepted: {self.dist} has no such shapes")

    @property
    def free_parameters(self) -> int:
        return sum(getattr(self, slot) is None for slot in self._slots())

    @property
    def tolerance(self) -> Tolerance:
        return TOLERANCES.get(self.dist, _USUAL) if self._is_simple() else SEARCHED

    def _is_simple(self) -> bool:
        """Tell whether SciPy's fit is exact, or there is one maximum that R finds exactly too."""
        simple = _SOLVED_BY_SCIPY | {"logistic": frozenset(), **_ONE_BY_HELD}
        return simple.get(self.dist, {"none"}) <= self._fixed().keys()

    def estimate(self, scores: Array) -> Parameters:
        rows = scores.reshape(-1, scores.shape[-1])
        names = self.parameter_names()[1:]
        table, refused = np.empty((len(rows), len(names) + 1)), {}
        for i, row in enumerate(rows):
            sample = row[~np.isnan(row)]
            try:
                # On a constant topic the parameters are not used, and the spread is 0.
                table[i] = [*self._maximize(sample), np.ptp(sample)]
            except FitError as error:
                refused[i] = str(error)
        bad = np.isin(np.arange(len(rows)), list(refused)).reshape(scores.shape[:-1])
        refuse_rows(bad, refused.__getitem__)
        shaped = table.reshape(*scores.shape[:-1], len(names) + 1)
        return {name: shaped[..., i : i + 1] for i, name in enumerate([*names, "spread"])}

    def evaluate(self, x: Array, spread: Array, **parameters: Array) -> Array:
        y = self._cdf(x, **parameters)
        return limit_where_constant(y, x, self.constant(spread), parameters["loc"])

    def _cdf(self, x: Array, loc: Array, scale: Array, **shapes: Array) -> Array:
        if own := _CDFS.get(self.dist):
            return own(z_scores(x, loc, scale), **shapes)
        with np.errstate(over="ignore"):  # a power of a score far out
            return np.asarray(self._law().cdf(x, loc=loc, scale=scale, **shapes))

    def inverse(self, p: Array, spread: Array, **parameters: Array) -> Array:
        """Return SciPy's ``ppf``."""
        q = self._law().ppf(p, **parameters)
        return quantile_where_constant(q, p, self.constant(spread), parameters["loc"])

    def support(self, spread: Array, **parameters: Array) -> tuple[Array, Array]:
        low, high = self._law().support(**parameters)
        location = parameters["loc"]
        return np.where(spread > 0, low, location), np.where(spread > 0, high, location)

    def constant(self, spread: Array, **parameters: Array) -> BoolArray:
        return np.equal(spread, 0)

    def parameter_names(self) -> list[str]:
        shapes = self._law().shapes
        return ["spread", *(shapes.replace(",", " ").split() if shapes else []), "loc", "scale"]

    def _law(self) -> Any:
        from scipy import stats

        # erlang is gamma, and warns of shapes that are not whole.
        law = getattr(stats, "gamma" if self.dist == "erlang" else str(self.dist), None)
        if not isinstance(law, stats.rv_continuous):
            expected = (
                "the name of a continuous distribution of scipy.stats, such as beta, gamma or "
                "johnsonsu"
            )
            raise setting_error(self.name, "dist", self.dist, expected)
        return law

    def _fixed(self) -> dict[str, Any]:
        return {name: value for name, value in self.settings().items() if name != "dist"}

    def _slots(self) -> list[str]:
        """Name the setting that holds each parameter fixed, in SciPy's order."""
        return [*(f"f{i}" for i in range(self._law().numargs)), "floc", "fscale"]

    def _standard_support(self) -> tuple[float, float]:
        """Return the support at location 0 and scale 1: the widest, unless shapes are fixed."""
        law, shapes = self._law(), [getattr(self, slot) for slot in self._slots()[:-2]]
        low, high = (law.a, law.b) if None in shapes else law.support(*shapes)
        return float(low), float(high)

    def _admits(self, score: float) -> bool:
        """Tell whether the support, as far as it is fixed, can hold a common score."""
        if self.floc is None:
            return True
        low, high = self._standard_support()
        z = (score - self.floc) / (self.fscale or 1.0)
        if self.fscale is None and z != 0:  # some scale reaches it, unless it is on the wrong side
            return low < 0 if z < 0 else high > 0
        return low <= z <= high

    def _maximize(self, sample: Array) -> list[float]:
        if np.ptp(sample) == 0:
            if not self._admits(float(sample[0])):
                raise FitError(
                    f"all reference scores are {sample[0]}, outside the fixed support of {self}"
                )
            return [*[1.0] * self._law().numargs, float(sample[0]), 1.0]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                parameters = [float(value) for value in self._maximum(sample)]
                reached = math.isfinite(self._law().logpdf(sample, *parameters).sum())
        except Exception as error:  # SciPy's fits raise whatever their optimizers raise
            told = "".join(map(str, error.args))  # SciPy splits some of its messages into letters
            if told.startswith("Invalid values in `data`"):
                told = _NO_SUPPORT
            raise FitError(f"{self} cannot be fitted: {told}") from error
        if not reached:
            raise FitError(
                f"{self} cannot be fitted: at the parameters found, rounded to doubles, the "
                "density of a reference score is 0 or infinite"
            )
        return parameters

    def _maximum(self, sample: Array) -> Iterable[float]:
        law, fixed, solved = self._law(), self._fixed(), _SOLVED_BY_SCIPY.get(self.dist)
        if self.free_parameters and solved is not None and solved <= fixed.keys():
            fit: Iterable[float] = law.fit(sample, **fixed)
            return fit
        if self.dist in _WEIBULLS and fixed.keys() == {"floc"}:
            loc = float(fixed["floc"])
            shape, scale = _weibull(_WEIBULLS[self.dist] * (sample - loc))
            return [shape, loc, scale]
        held = [getattr(self, slot) for slot in self._slots()]
        alone = _ONE_MAXIMUM.get(self.dist)
        one = alone is not None and alone <= fixed.keys()
        return _Search(law, sample, held, one).maximum()


def _weibull(s: Array) -> tuple[float, float]:
    """Return the shape and the scale of highest likelihood at the location 0.

    d l / d shape = 0 is one equation, whose left side increases; SciPy's own fit stops elsewhere.
    """
    from scipy import optimize

    if not s.min() > 0:
        raise FitError(_NO_SUPPORT)
    logs = np.log1p((s - s.max()) / s.max())

    def slope(t: float) -> float:
        power = np.exp(math.exp(t) * logs)
        return float(power @ logs / power.sum() - math.exp(-t) - logs.mean())

    shape = math.exp(optimize.brentq(slope, -40.0, 40.0, xtol=1e-15, rtol=1e-15))
    return shape, float(s.max() * np.exp(shape * logs).mean() ** (1 / shape))


class Top(NamedTuple):
    """Where a climb ended.

    The log-likelihood, the parameters, the tied ends, whether the density is above the limit, and
    whether Newton's method promises no more.
    """

    value: float
    point: Array
    ends: Ends
    too_high: bool
    exact: bool = True


class _Search:
    """Search for the highest of the local maxima of a likelihood, as clause from_scipy.3 says.

    It works on z = (x - min) / 2^k with a range from 1/2 to 1, so that exact shifts and powers
    of 2 change nothing. A point (p,) has the shapes, the location and the scale; many points are
    rows (m, p). `ends` tells which ends of the support, (lower, upper), are kept at the extreme
    scores; the location, or the scale, or both then follow from the other parameters.

    Own code, except for Nelder and Mead's method, as all optimizers of SciPy call the density for
    one point at a time, for 0.1 ms and more; here a Newton step takes one call.
    """

    def __init__(self, law: Any, sample: Array, held: list[float | None], one: bool) -> None:
        from scipy import stats

        self.law, self.sample, self.held, self.one = law, np.sort(sample), held, one
        self.origin = self.sample[0]
        self.unit = math.ldexp(1.0, math.frexp(float(np.ptp(sample)))[1])
        self.z = (self.sample - self.origin) / self.unit
        self.range = float(self.z[-1])
        *self.shapes, loc, scale = held
        told = law._shape_info()
        # SciPy states the neighbor of an open limit.
        self.domain = np.array([[round(shape.domain[i], 12) for shape in told] for i in (0, 1)])
        # SciPy solves for the quantiles of the other laws, which takes long.
        own = type(law)._ppf is not stats.rv_continuous._ppf
        self.has_quantiles = own
        self.keeps_quartiles = own and loc is None and scale is None
        self.loc = None if loc is None else (loc - self.origin) / self.unit
        self.scale = None if scale is None else scale / self.unit

    def maximum(self) -> Array:
        """Return the parameters, in units of the scores; raises FitError."""
        sets = self._shape_sets()
        self._refuse_poles(sets)
        tops = self._tops(sets)
        if not tops:
            raise FitError(_NO_SUPPORT)
        self.keeps_quartiles = False
        for _ in range(_ROUNDS):
            top = max(tops, key=lambda top: top.value)
            limits = self._limit_sets(top)
            if top.too_high or not len(limits):
                break
            tops += self._tops(limits)
            if not max(other.value for other in tops) > top.value + _ROUGH:
                break
        best = self._best(tops)
        if best.too_high:
            raise FitError(
                "the likelihood has no upper bound, or none that can be told: it still rises "
                f"where the density at a reference score is above {_LARGEST_DENSITY:g} / (max - "
                "min); a fixed parameter (floc=..., fscale=..., f0=...) may help"
            )
        self._refuse_ridge(best)
        self._refuse_rising(best)
        best = self._at_limits(best)
        wrong = wrong_density(self.law, self.z, best.point)
        if wrong is not None:
            raise FitError(
                "what was maximized may not be the likelihood: at "
                f"{self.origin + self.unit * wrong:.4g}, the integral of SciPy's density differs "
                "from the increase of SciPy's cdf; a fixed parameter (floc=..., fscale=..., "
                "f0=...) may help"
            )
        return self._in_scores(best.point, best.ends)

    def _tops(self, sets: Array) -> list[Top]:
        """Return where the climbs end that start with these shapes."""
        starts = self._starts(sets)
        return [
            top
            for ends in self._ties(sets)
            for top in self._climbs(self._screened(starts, ends), ends, _ROUGH)
        ]

    def _best(self, tops: list[Top]) -> Top:
        """Return the highest of the tops, found to the last digits."""
        polished: list[Top] = []
        for top in sorted(tops, key=lambda top: -top.value):
            if len(polished) == _POLISHED:
                break
            # What Newton's method still promises does not reach the others, or it is one of them.
            lower = top.exact and any(other.value > top.value + 10 * _ROUGH for other in polished)
            if not lower and not any(
                top.ends == other.ends and _alike(top.point, other.point, 0.1) for other in polished
            ):
                polished.append(top if top.too_high else self._polished(top))
        highest = max(top.value for top in polished)
        # An end that is tied to a score is there exactly, and not only to rounding.
        return max((t for t in polished if t.value >= highest - _GAIN), key=lambda t: sum(t.ends))

    def _limit_sets(self, top: Top) -> Array:
        """Return the shapes of the top, (m, shapes), with one at or near a limit of its domain."""
        sets = []
        for i in np.flatnonzero(self._free(top.ends)[:-2]):
            least, most = self.domain[:, i]
            if math.isfinite(least) and math.isfinite(most):
                near = (most - least) * np.array([0.0, 1 / _LARGEST_SHAPE, 1e-3])
                values = [*(least + near), *(most - near)]
            elif math.isfinite(least):
                values = [least + value for value in (1 / _LARGEST_SHAPE, 1e-3, *_LARGE)]
            else:
                values = [*_LARGE, *(-value for value in _LARGE)]
            for value in values:
                sets.append(top.point[:-2].copy())
                sets[-1][i] = value
        table = np.array(sets).reshape(len(sets), len(self.shapes))
        valid = ~np.isnan(np.broadcast_to(self.law.support(*table.T)[0], len(table)))
        kept: Array = table[valid]
        return kept

    def _shape_sets(self) -> Array:
        """Return the shapes to start from, (m, shapes): those held, or spread over the domain."""
        from scipy.stats import qmc

        free = sum(value is None for value in self.shapes)
        if not free:
            return np.array([self.shapes], dtype=np.float64)
        spread = iter(qmc.Halton(free, scramble=False).random(8 * _SETS * free)[1:].T)
        columns = []
        for value, low, high in zip(self.shapes, *self.domain, strict=True):
            u = np.zeros(8 * _SETS * free - 1) if value is not None else next(spread)
            if value is not None:
                column = u + value
            elif math.isfinite(low) and math.isfinite(high):
                column = low + (high - low) * u
            elif math.isfinite(low):
                column = low + 0.1 * 600.0**u
            else:
                column = np.sinh(6 * u - 3)
            columns.append(column)
        sets = np.stack(columns, axis=-1)
        valid = ~np.isnan(np.broadcast_to(self.law.support(*sets.T)[0], len(sets)))
        chosen: Array = sets[valid][: _SETS * free]
        if not len(chosen):
            whole = any(shape.integrality for shape in self.law._shape_info())
            reason = "a shape is a whole number, which is not estimated"
            raise FitError(
                f"{reason if whole else 'no start has shapes that it accepts'}; hold it as f0=..."
            )
        return chosen

    def _ends(self, points: Array) -> tuple[Array, Array]:
        """Return the ends of the standard support of each point or set of shapes, each (m,)."""
        shapes = points.T[: len(self.shapes)]
        low, high = self.law.support(*shapes)
        if self.law.name == "pearson3":  # whose support SciPy states as all numbers
            (skew,) = shapes
            low, high = np.where(skew > 0, -2 / skew, low), np.where(skew < 0, -2 / skew, high)
        size = len(points)
        return np.broadcast_to(np.float64(low), size), np.broadcast_to(np.float64(high), size)

    def _refuse_poles(self, sets: Array) -> None:
        """Refuse a law whose density is infinite at a place where a score can be."""
        for shapes in sets:
            low, high = (float(end[0]) for end in self._ends(shapes[np.newaxis]))
            for end, side, at in ((low, 1, 0.0), (high, -1, self.range), (0.0, 1, None)):
                if not math.isfinite(end) or (at is None and not low < end < high):
                    continue
                u = _NEAR_0 if end == 0 else _NEAR_END * max(1.0, abs(end))
                steep = np.diff(self.law.logpdf(end + side * u, *shapes)) / np.diff(np.log(u))
                # Of one power, and not of a density that turns round nearer to the end.
                pole = steep[1] < -_POLE and abs(steep[1] - steep[0]) < _POLE / 5
                if pole and self._reaches(end, at, low, high):
                    named = zip((self.law.shapes or "").split(", "), shapes, strict=False)
                    told = " and ".join(f"{name} = {value:.3g}" for name, value in named)
                    where = "lower end" if at == 0 else "center" if at is None else "upper end"
                    raise FitError(
                        f"the likelihood has no upper bound: {f'for {told}, ' if told else ''}the "
                        f"density is infinite at the {where} of the support, and a reference score "
                        "can be there; a fixed parameter (floc=..., fscale=..., f0=...) may help"
                    )

    def _reaches(self, end: float, at: float | None, low: float, high: float) -> bool:
        """Tell whether a place of the support can be at a score, with all others inside."""
        if self.scale is not None and not self.scale * (high - low) >= self.range:
            return False
        if self.loc is None:
            return True
        places = self.z if at is None else np.array([at])
        if self.scale is not None or end == 0:
            return bool(np.any(self.loc + (self.scale or 1.0) * end == places))
        scale = (places - self.loc) / end
        inside = (scale > 0) & (self.loc + scale * low <= 0)
        return bool(np.any(inside & (self.loc + scale * high >= self.range)))

    def _refuse_ridge(self, top: Top) -> None:
        """Refuse a top that is no higher than laws on ties whose scale goes to 0."""
        if not self._free(top.ends)[-2:].all():
            return
        ties = np.unique(self.z)
        narrow = np.tile([*top.point[:-2], 0.0, 0.0], (2 * len(ties), 1))
        narrow[:, -2], narrow[:, -1] = np.repeat(ties, 2), np.tile(_NARROW, len(ties))
        loss = self._loss(narrow, top.ends)
        if -loss.min() > top.value - _RIDGE:
            tie = narrow[np.argmin(loss), -2]
            raise FitError(
                "the likelihood has no single maximum: it is as high where the scale goes to 0 at "
                f"{self.origin + self.unit * tie:.6g}, where reference scores are tied; a fixed "
                "parameter (fscale=..., f0=...) may help"
            )

    def _refuse_rising(self, top: Top) -> None:
        """Refuse a top at the largest or the least shape if the likelihood still rises there."""
        free, names = self._free(top.ends), (self.law.shapes or "").split(", ")
        for i in np.flatnonzero(free[:-2]):
            least, most = self.domain[:, i]
            size = top.point[i] - (least if math.isfinite(least) else 0.0)
            large = abs(size) > 0.99 * _LARGEST_SHAPE
            small = math.isfinite(least) and math.isinf(most) and size < 1.01 / _LARGEST_SHAPE
            if not large and not small:
                continue
            inward = 1.0 if small or size < 0 else -1.0
            steps = np.zeros((3, int(free.sum())))
            steps[:, i - int(np.sum(~free[:i]))] = inward * _STEP * np.arange(3.0)
            a, b, c = -self._loss(self._moved(top.point[np.newaxis], top.ends, steps), top.ends)
            if (3 * a - 4 * b + c) / (2 * _STEP) > _RISE:
                raise FitError(
                    "the likelihood has no upper bound, or none that can be told: it still rises "
                    f"where the shape {names[i]} is {top.point[i]:.3g}; a fixed parameter "
                    "(floc=..., fscale=..., f0=...) may help"
                )

    def _at_limits(self, top: Top) -> Top:
        """Hold the shapes that are at a limit of the search, where the density has least digits."""
        least, most = self.domain
        room = 1.01 / _LARGEST_SHAPE * (most - least)
        shapes = top.point[:-2]
        at_end = np.isfinite(room) & (np.minimum(shapes - least, most - shapes) < room)
        large = np.isinf(room) & (np.abs(shapes) > 0.9 * _LARGEST_SHAPE)
        near = self._free(top.ends)[:-2] & (at_end | large)
        if not near.any():
            return top if top.exact else self._polished(top)
        point = top.point.copy()
        for i in np.flatnonzero(near):
            if large[i]:
                point[i] = math.copysign(_LARGEST_SHAPE, point[i])
            else:  # the limit itself, if it is allowed
                end = point.copy()
                end[i] = least[i] if point[i] - least[i] < room[i] else most[i]
                if not math.isnan(float(self._ends(end[np.newaxis])[0][0])):
                    point = end
            self.held[i] = point[i]
        self.keeps_quartiles = False
        limit = self._polished(top._replace(point=point))
        return limit if limit.value > top.value - _RISE else top

    def _ties(self, sets: Array) -> list[Ends]:
        """Return which ends can be kept at extreme scores: for none, one, or two parameters."""
        spare = (self.loc is None) + (self.scale is None)
        finite = [bool(np.isfinite(end).any()) for end in self._ends(sets)]
        return [
            ends
            for ends in ((False, False), (True, False), (False, True), (True, True))
            if sum(ends) <= spare and all(f or not e for f, e in zip(finite, ends, strict=True))
        ]

    def _free(self, ends: Ends) -> BoolArray:
        """Tell which parameters may move; those that follow from the ends may not."""
        free = np.array([value is None for value in self.held])
        if all(ends) or (any(ends) and not free[-2]):
            free[-1] = False
        if any(ends):
            free[-2] = False
        return free

    def _starts(self, sets: Array) -> Array:
        """Return points (m, p) whose quartiles are those of parts of the sample."""
        low, high = (end[:, np.newaxis] for end in self._ends(sets))
        t = np.linspace(-1.0, 1.0, _GRID)[1:-1]
        x = np.where(
            np.isfinite(low),
            np.where(np.isfinite(high), low + (high - low) * (1 + t) / 2, low + np.exp(14 * t - 4)),
            np.where(np.isfinite(high), high - np.exp(-14 * t - 4), np.sinh(10 * t)),
        )
        density = np.nan_to_num(self.law.pdf(x, *sets.T[..., np.newaxis]), posinf=0.0)
        mass = np.cumsum((density[:, 1:] + density[:, :-1]) / 2 * np.diff(x), axis=1)
        points = []
        levels = np.array([0.01, 0.1, 0.25, 0.75, 0.9, 0.99])
        for shapes, own_x, own_mass, a, b in zip(sets, x, mass, low[:, 0], high[:, 0], strict=True):
            q = self.law.ppf(levels, *shapes) if self.has_quantiles else levels * np.nan
            if not (np.isfinite(q).all() and (np.diff(q) > 0).all()):
                if not own_mass[-1] > 0:
                    continue
                q = np.interp(levels, own_mass / own_mass[-1], own_x[1:])
            for i, j, bottom, top in self._windows():
                wide = max(top - bottom, self.range / 1024)
                middle, center = (bottom + top) / 2, (q[i] + q[j]) / 2
                scales = [self.scale] if self.scale is not None else [wide / (q[j] - q[i])]
                if self.loc is not None and self.scale is None:
                    scales.append((middle - self.loc) / center)
                for scale in scales:
                    if scale > 0 and math.isfinite(scale):
                        points.append(
                            [*shapes, *self._inside(middle - scale * center, scale, a, b)]
                        )
        return np.array(points).reshape(-1, len(self.held))

    def _windows(self) -> list[tuple[int, int, float, float]]:
        """Return two of the six quantiles of a law and the places in the sample to lay them."""
        levels = [(1, 4, 0.1, 0.9), (0, 5, 0.0, 1.0)]
        for parts in () if self.one else (1, 2, 4, 8):
            levels += [(2, 3, part / parts, (part + 1) / parts) for part in range(parts)]
        places = [
            (float(np.quantile(self.z, p)), float(np.quantile(self.z, q))) for *_, p, q in levels
        ]
        return [(i, j, *place) for (i, j, *_), place in zip(levels, places, strict=True)]

    def _inside(self, loc: float, scale: float, low: float, high: float) -> tuple[float, float]:
        """Return location and scale, moved so that the support has all scores if that can be."""
        room = self.range / 20
        if self.scale is None:
            scale = max(scale, (self.range + 2 * room) / (high - low))
            if self.loc is not None:
                up = (self.range + room - self.loc) / high if 0 < high < math.inf else 0.0
                down = (-room - self.loc) / low if -math.inf < low < 0 else 0.0
                scale = max(scale, up, down)
        if self.loc is not None:
            return self.loc, scale
        return max(min(loc, -scale * low - room), self.range + room - scale * high), scale

    def _screened(self, starts: Array, ends: Ends) -> Array:
        """Return the starts from which to climb: the best ones that are not alike."""
        starts = self._moved(starts, ends, np.zeros((len(starts), int(self._free(ends).sum()))))
        loss = self._loss(starts, ends)
        chosen: list[Array] = []
        for i in np.argsort(loss, kind="stable"):
            if len(chosen) == (1 if self.one else _CLIMBED) or not loss[i] < math.inf:
                break
            if not any(_alike(starts[i], other, 0.3) for other in chosen):
                chosen.append(starts[i])
        return np.array(chosen).reshape(-1, len(self.held))

    def _polished(self, top: Top) -> Top:
        """Return the top found to the last digits, also at a kink, by Nelder and Mead's method."""
        k, ends = int(self._free(top.ends).sum()), top.ends
        for searches in itertools.count():
            (top,) = self._climbs(top.point[np.newaxis], ends, _PROMISE)
            if top.exact or top.too_high or searches == _SEARCHES:
                return top
            probes = self._moved(top.point[np.newaxis], ends, _probes(k))
            if not -self._loss(probes, ends).min() - top.value > _GAIN:
                return top
            top = top._replace(point=self._simplex(top.point, ends))
        raise AssertionError

    def _climbs(self, points: Array, ends: Ends, enough: float) -> list[Top]:
        """Return the tops uphill of the points (m, p): Newton steps, halved until they gain."""
        m, k = len(points), int(self._free(ends).sum())
        points, values = points.copy(), -self._loss(points, ends)
        high, exact = np.zeros((2, m), dtype=np.bool_)
        units = np.ones((m, k))
        rows = np.arange(m)
        for _ in range(_MOST_MOVES):
            high[rows] = self._too_high(points[rows])
            rows = rows[~high[rows]]
            if not len(rows):
                break
            step, promise, curvature = self._newton_steps(points[rows], ends, units[rows])
            # Where the likelihood is steep, the differences are of smaller steps.
            steeper = 1.0 / np.sqrt(np.maximum(1.0, curvature / len(self.z)))
            steady = np.asarray((steeper > units[rows] / 3).all(axis=-1))
            units[rows] = steeper
            near = steady & (promise <= enough)
            steps = step[:, np.newaxis] * 0.5 ** np.arange(-2.0, 10.0)[:, np.newaxis]
            trials = self._moved(
                points[rows], ends, steps.reshape(steps.shape[0] * steps.shape[1], k)
            )
            losses = self._loss(trials, ends).reshape(len(rows), -1)
            chosen = np.where(near, 2, np.argmin(losses, axis=-1))  # near a top the whole step
            each = np.arange(len(rows))
            gain = -losses[each, chosen] - values[rows]
            # At a top rounding may lose a little.
            better = np.where(near, gain >= -_GAIN, gain > promise / 100)
            trials = trials.reshape(len(rows), -1, points.shape[1])[each, chosen]
            points[rows[better]] = trials[better]
            values[rows] += np.where(better, gain, 0.0)
            exact[rows] = near
            rows = rows[~near & (better | ~steady)]
        return [
            Top(float(v), p, ends, bool(h), bool(e))
            for v, p, h, e in zip(values, points, high, exact, strict=True)
        ]

    def _too_high(self, points: Array) -> BoolArray:
        u = (self.z - points[:, -2:-1]) / points[:, -1:]
        density = self.law.logpdf(u, *points.T[:-2, :, np.newaxis]).max(axis=-1)
        return np.asarray(density - np.log(points[:, -1] / self.range) > math.log(_LARGEST_DENSITY))

    def _newton_steps(self, points: Array, ends: Ends, units: Array) -> tuple[Array, Array, Array]:
        """Return Newton's step uphill of each point (m, k), its gain (m,), and curvatures (m, k).

        The gain is infinite at a kink. The differences are of steps of `_STEP` in the units (m, k).
        """
        m, k = units.shape
        if k == 0:
            return units, np.zeros(m), units
        axes = _STEP * np.eye(k)
        i, j = np.triu_indices(k, 1)
        up, down = axes[i] + axes[j], axes[i] - axes[j]
        stencil = np.vstack([0 * axes[:1], axes, -axes, 2 * axes, -2 * axes, up, -up, down, -down])
        steps = (stencil * units[:, np.newaxis]).reshape(-1, k)
        loss = self._loss(self._moved(points, ends, steps), ends).reshape(m, -1)
        smooth = np.asarray(np.isfinite(loss).all(axis=-1))
        loss = np.where(smooth[:, np.newaxis], loss[:, 1:] - loss[:, :1], 0.0)
        a, b, c, d = loss[:, : 4 * k].reshape(m, 4, k).swapaxes(0, 1)
        gradient = (8 * (a - b) - (c - d)) / (12 * _STEP)
        hessian = np.eye(k) * ((16 * (a + b) - (c + d)) / (12 * _STEP**2))[:, np.newaxis]
        p, q, r, s = loss[:, 4 * k :].reshape(m, 4, len(i)).swapaxes(0, 1)
        hessian[:, i, j] = hessian[:, j, i] = (p + q - r - s) / (4 * _STEP**2)
        curvature, directions = np.linalg.eigh(hessian)
        slope = np.einsum("mij,mi->mj", directions, gradient)
        bend = np.maximum(np.abs(curvature), _FLAT)
        step = -np.einsum("mij,mj->mi", directions, slope / bend) * units
        step /= np.maximum(1.0, np.abs(step).max(axis=-1, keepdims=True))
        promise = np.where(smooth, np.sum(slope**2 / bend, axis=-1) / 2, np.inf)
        return step, promise, np.diagonal(hessian, axis1=1, axis2=2) / units**2

    def _simplex(self, point: Array, ends: Ends) -> Array:
        from scipy import optimize

        k = int(self._free(ends).sum())
        minimize: Any = optimize.minimize  # whose stubs know no initial simplex
        found = minimize(
            lambda step: self._loss(self._moved(point[np.newaxis], ends, step[np.newaxis]), ends)[
                0
            ],
            np.zeros(k),
            method="Nelder-Mead",
            options={
                "initial_simplex": np.vstack([np.zeros(k), 0.1 * np.eye(k)]),
                "maxfev": 150 * k,
                "xatol": 1e-8,
                "fatol": 1e-10,
            },
        )
        best: Array = self._moved(point[np.newaxis], ends, found.x[np.newaxis])[0]
        return best

    def _moved(self, points: Array, ends: Ends, steps: Array) -> Array:
        """Return the points (m, p) after steps (m, free), each from its point or from the only one.

        A step in a shape is one of log(shape - least), of log((shape - least) / (most - shape)) or
        of asinh(10 shape), and none at an end of its domain; in the scale one of
        its logarithm, which stretches the law about its location or, if no scores are there,
        the median; in the location one in units of the scale, or of the range if that is
        less. Near an end of the support it is one of the logarithm of the distance from the end
        to the extreme score, a distance of 0 for the `ends`.
        """
        free = self._free(ends)
        full = np.zeros((len(steps), points.shape[1]))
        full[:, free] = steps
        moved = np.repeat(points, len(steps) // len(points), axis=0)
        least, most = self.domain
        step = full[:, :-2]
        size = most - least
        odds = (moved[:, :-2] - least) / (most - moved[:, :-2]) * np.exp(step)
        between = np.where(odds < 1, least + size * odds / (1 + odds), most - size / (1 + odds))
        room = size / _LARGEST_SHAPE
        inside = np.clip(between, least + room, most - room)
        at_end = (moved[:, :-2] == least) | (moved[:, :-2] == most)
        shapes = np.where(
            np.isfinite(least) & np.isinf(most),
            least
            + np.clip((moved[:, :-2] - least) * np.exp(step), 1 / _LARGEST_SHAPE, _LARGEST_SHAPE),
            np.clip(
                np.sinh(np.arcsinh(10 * moved[:, :-2]) + step) / 10,
                np.maximum(least, -_LARGEST_SHAPE),
                np.minimum(most, _LARGEST_SHAPE),
            ),
        )
        shapes = np.where(np.isfinite(size), inside, shapes)
        shapes = np.where(free[:-2] & ~at_end, shapes, moved[:, :-2])
        loc, scale, up, log_factor = moved[:, -2], moved[:, -1], full[:, -2], full[:, -1]
        wide = np.minimum(scale, self.range)
        away = np.abs(loc - self.range / 2) > 0.55 * self.range
        middle = np.where(away, np.median(self.z), loc)
        gaps, near = [], []
        for end, side, tied in zip(self._ends(moved), (-1, 1), ends, strict=True):
            gap = side * (loc + end * scale) - (self.range if side > 0 else 0.0)
            near.append(np.isfinite(gap) & (tied | (gap < wide)))
            gaps.append(0 * gap if tied else gap)
        if self.keeps_quartiles and free[:-2].any() and not any(ends):
            # The quartiles of the law stay where they are.
            quartiles = self.law.ppf(_QUARTILES, *moved.T[:-2, np.newaxis])
            changed = self.law.ppf(_QUARTILES, *shapes.T[:, np.newaxis])
            narrower = np.ptp(quartiles, axis=0) / np.ptp(changed, axis=0)
            shift = scale * (quartiles[0] - narrower * changed[0])
            known = np.isfinite(narrower) & np.isfinite(shift) & (narrower > 0)
            known = known.reshape(len(points), -1).all(axis=1).repeat(len(steps) // len(points))
            scale = np.where(known, scale * narrower, scale)
            loc = np.where(known, loc + shift, loc)
        moved[:, :-2], moved[:, -1] = shapes, scale
        low, high = self._ends(moved)
        below, above = near
        at_low, at_high = -gaps[0] * np.exp(up), self.range + gaps[1] * np.exp(up)
        if self.held[-1] is None:
            at_top = self.range + gaps[1] * np.exp(log_factor)
            if self.loc is None:
                wider = np.where(below & above, (at_top - at_low) / (high - low), np.nan)
            else:
                wider = np.where(above & (high > 0), (at_top - self.loc) / high, np.nan)
                bottom = -gaps[0] * np.exp(log_factor)
                wider = np.where(below & ~above & (low < 0), (bottom - self.loc) / low, wider)
            scale = np.where(np.isnan(wider), scale * np.exp(log_factor), wider)
            scale = np.minimum(scale, _LARGEST_SCALE)
        if self.loc is None:
            loc = middle + (loc - middle) * scale / moved[:, -1] + wide * up
            loc = np.where(above, at_high - high * scale, loc)
            loc = np.where(below, at_low - low * scale, loc)
        moved[:, -2], moved[:, -1] = loc, scale
        return moved

    def _loss(self, points: Array, ends: Ends) -> Array:
        """Return the negative log-likelihood of each point (m,), infinite where there is none."""
        loc, scale = points[:, -2:-1], points[:, -1:]
        u = (self.z - loc) / scale
        if any(ends):  # exactly, not to rounding
            low, high = (end[:, np.newaxis] for end in self._ends(points))
            u = np.where(ends[0] & (self.z == 0), low, u)
            u = np.where(ends[1] & (self.z == self.range), high, u)
        value = np.sum(self.law.logpdf(u, *points.T[:-2, :, np.newaxis]) - np.log(scale), axis=-1)
        return np.where(np.isfinite(value) & (scale[:, 0] > 0), -value, np.inf)

    def _in_scores(self, point: Array, ends: Ends) -> Array:
        """Return the point in units of the scores, rounded so that the support has them all."""
        *shapes, loc, scale = map(float, point)
        loc = self.origin + self.unit * loc if self.held[-2] is None else self.held[-2]
        scale = self.unit * scale if self.held[-1] is None else self.held[-1]
        low, high = (float(end[0]) for end in self._ends(point[np.newaxis]))
        for _ in range(4 * any(ends)):
            if (self.sample[0] - loc) / scale < low and self.held[-2] is None:
                loc = np.nextafter(loc, -np.inf)
            if (self.sample[-1] - loc) / scale > high and self.held[-1] is None:
                scale = np.nextafter(scale, np.inf)
        return np.array([*shapes, loc, scale])


def _alike(point: Array, other: Array, apart: float) -> bool:
    """Tell whether two points differ little in location, scale and shapes."""
    places = abs(point[-2] - other[-2]) < apart * other[-1]
    scales = abs(math.log(point[-1] / other[-1])) < apart
    shapes = np.abs(np.arcsinh(10 * point[:-2]) - np.arcsinh(10 * other[:-2])) < apart
    return bool(places and scales and shapes.all())


def _probes(k: int) -> Array:
    """Return steps along all axes and diagonals, of four lengths."""
    directions = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=k) if any(d)])
    return np.vstack([length * directions for length in (1e-7, 1e-5, 1e-3, 1e-1)])


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
    density = np.exp(law.logpdf(middle + half * _NODES[:, np.newaxis], *shapes))
    areas = half * (_WEIGHTS @ density)
    allowed = np.minimum(_LARGEST_RATIO * steps, _LARGEST_GAP / len(steps))
    allowed += _ROUNDING * max(1.0, *np.abs(shapes)) if len(shapes) else _ROUNDING
    # A node is a rounded number, between which pareto at a location of -1e8 is steep.
    rounding = np.spacing(np.abs(middle)) * np.ptp(density, axis=0)
    allowed += np.where(np.isfinite(rounding), rounding, 0.0)
    for i in np.flatnonzero(~(np.abs(areas - steps) <= allowed)):  # a kink, or wrong
        area = integrate.quad(
            lambda x: math.exp(law.logpdf(x, *shapes)), ends[i], ends[i + 1], epsabs=0, limit=200
        )[0]
        if not abs(area - steps[i]) <= allowed[i]:
            return float(location + scale * middle[i])
    return None
