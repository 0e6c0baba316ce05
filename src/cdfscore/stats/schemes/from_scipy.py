"""Laws of scipy.stats whose maximum of the likelihood can be found, by their names."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from cdfscore.errors import SchemeError
from cdfscore.stats.numerics.moments import count, mean
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.numbers import finite_number
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes._rows import (
    extremes,
    limit_where_constant,
    quantile_where_constant,
    z_scores,
)
from cdfscore.stats.schemes._shape_likelihood import beta_shapes, gamma_shapes
from cdfscore.stats.schemes.base import SAME, Distribution, Parameters, refuse_rows, setting_error

# The derivatives of the log density of a law of u = (t - location) / scale, where t are the scores
# or logarithms of them: by u, by u twice, and, if the law has a shape, by the shape.
Slopes = Callable[..., tuple[Array, ...]]
# Location and scale in closed form from sorted t (rows, n), or either of them if it is held.
Closed = Callable[[Array, Array | None, Array | None], tuple[Array, Array]]
# All free parameters in closed form or by the shapes of gamma and beta, from sorted scores above
# the location (rows, n), in any unit: the shapes, and then the scale.
Whole = Callable[[Array], tuple[Array, ...]]


def _hazard(u: Array) -> Array:
    """Return phi(u) / Phi(u), the derivative of log Phi."""
    return math.sqrt(2 / math.pi) / special.erfcx(-u / math.sqrt(2))


def _tanh(u: Array, k: float) -> tuple[Array, ...]:
    p = -np.tanh(u / k)
    return p, (p**2 - 1) / k


def _exp(u: Array, sign: int) -> tuple[Array, ...]:
    e = np.exp(sign * u)
    return sign * (1 - e), -e


def _t(u: Array, df: Array) -> tuple[Array, ...]:
    v = df + u**2
    halves = special.digamma((df + 1) / 2) - special.digamma(df / 2)
    by_df = (halves - 1 / df - np.log1p(u**2 / df) + (df + 1) / df * (u**2 / v)) / 2
    return -(df + 1) * u / v, (df + 1) * (u**2 - df) / v**2, by_df


def _skewnorm(u: Array, a: Array) -> tuple[Array, ...]:
    m = _hazard(a * u)
    return a * m - u, -1 - a**2 * m * (a * u + m), u * m


def _exponnorm(u: Array, k: Array) -> tuple[Array, ...]:
    v = u - 1 / k
    m = _hazard(v)
    return m - 1 / k, -m * (v + m), ((v + m) / k - 1) / k


def _genlogistic(u: Array, c: Array) -> tuple[Array, ...]:
    e, f = special.expit(-u), special.expit(u)
    return c * e - f, -(c + 1) * e * f, 1 / c + special.log_expit(u)


def _gompertz(u: Array, c: Array) -> tuple[Array, ...]:
    e = c * np.exp(u)
    return 1 - e, -e, 1 / c - np.expm1(u)


def _log_gamma(
    u: Array, a: Array, power: int, half: float, rate: Array | float
) -> tuple[Array, ...]:
    """The logarithm of v^(1 / power), where rate v has a gamma distribution of shape half a."""
    e = rate * np.exp(power * u)
    by_a = half * (power * u + np.log(rate) - special.digamma(half * a))
    return power * (half * a - e), -(power**2) * e, by_a


def _log_nakagami(u: Array, nu: Array) -> tuple[Array, ...]:
    p, q, by_shape = _log_gamma(u, nu, 2, 1, nu)
    return p, q, by_shape + 1 - np.exp(2 * u)


def _log_f(u: Array, m: Array, n: Array) -> tuple[Array, ...]:
    e = special.expit(u + np.log(m / n))
    return m / 2 - (m + n) / 2 * e, -(m + n) / 2 * e * (1 - e)


def _norm_fit(t: Array, m: Array | None, s: Array | None) -> tuple[Array, Array]:
    m = mean(t) if m is None else m
    return m, np.sqrt(mean((t - m) ** 2)) if s is None else s


def _laplace_fit(t: Array, m: Array | None, s: Array | None) -> tuple[Array, Array]:
    m = np.median(t, axis=-1, keepdims=True) if m is None else m
    return m, mean(np.abs(t - m)) if s is None else s


def _expon_fit(t: Array, m: Array | None, s: Array | None) -> tuple[Array, Array]:
    m = t[:, :1] if m is None else m
    return m, mean(t - m) if s is None else s


def _halfnorm_fit(t: Array, m: Array | None, s: Array | None) -> tuple[Array, Array]:
    return _norm_fit(t, t[:, :1] if m is None else m, s)


def _uniform_fit(t: Array, m: Array | None, s: Array | None) -> tuple[Array, Array]:
    low, high = t[:, :1], t[:, -1:]
    if m is None:
        m = low if s is None else low - (s - (high - low)) / 2
    return m, high - m if s is None else s


def _gamma(s: Array) -> tuple[Array, ...]:
    a, m = np.hsplit(gamma_shapes(s), 2)
    return a, m / a


def _gamma_of(
    power: int, parameters: Callable[[Array, Array], tuple[Array, ...]], s: Array
) -> tuple[Array, ...]:
    return parameters(*_gamma(s**power))


def _beta(s: Array) -> tuple[Array, ...]:
    a, b = np.hsplit(beta_shapes(s), 2)
    return a, b


def _invgauss(s: Array) -> tuple[Array, ...]:
    m = mean(s)
    r = mean((s / m - 1) ** 2 / s)  # the mean of 1 / s - 1 / m
    return m * r, 1 / r


def _johnsonsb(s: Array) -> tuple[Array, ...]:
    m, sd = _norm_fit(np.log(s) - np.log1p(-s), None, None)
    return -m / sd, 1 / sd


class _Law(NamedTuple):
    """How a law is fitted: by Newton's method, in closed form, or `whole` if only `needs` is held.

    `sign` is 0 if t = x; else t is the logarithm of x - loc, times the sign. `shapes` are what
    SciPy's are: "b" for 1 / scale of t, "1/b" for the scale of t, "a" for a shape of the law of t,
    which is searched from `least` to `most`; `limits` tells if the maximum may be at either end.
    With an `edge` the location is the smallest score. `heavy` is Student's t, of a `given` shape if
    SciPy has none.
    """

    slopes: Slopes | None = None
    closed: Closed | None = None
    whole: Whole | None = None
    needs: tuple[str, ...] = ()
    sign: int = 0
    shapes: tuple[str, ...] = ()
    least: float = 1e-6
    most: float = 1e6
    limits: tuple[bool, bool] = (True, True)
    edge: bool = False
    heavy: bool = False
    given: tuple[float, ...] = ()

    def shape(self, x: Array) -> Array:
        """Return the shapes at places x: logarithms or, for shapes of both signs, asinh's."""
        low, high = self.ends()
        found = np.sinh(x) if self.least < 0 else np.exp(x)
        return np.where(x == low, self.least, np.where(x == high, self.most, found))

    def ends(self) -> tuple[float, float]:
        to = math.asinh if self.least < 0 else math.log
        return to(self.least), to(self.most)

    def grid(self) -> Array:
        low, high = self.ends()
        return np.linspace(low, high, 1 + round((high - low) / _APART))


_log = partial(_Law, needs=("floc",), sign=1)
_in_unit = partial(_Law, needs=("floc", "fscale"))
_shaped = partial(_Law, shapes=("a",))
_gammas = partial(_log, shapes=("a",), limits=(False, False))

#: The laws, by their names in scipy.stats. A new one is a line here, and one in the R twin.
LAWS = {
    "norm": _Law(closed=_norm_fit),
    "laplace": _Law(closed=_laplace_fit),
    "expon": _Law(closed=_expon_fit),
    "uniform": _Law(closed=_uniform_fit),
    "halfnorm": _Law(closed=_halfnorm_fit),
    "logistic": _Law(partial(_tanh, k=2)),
    "hypsecant": _Law(partial(_tanh, k=1)),
    "gumbel_r": _Law(partial(_exp, sign=-1)),
    "gumbel_l": _Law(partial(_exp, sign=1)),
    "moyal": _Law(lambda u: (np.expm1(-u) / 2, -np.exp(-u) / 2)),
    "rayleigh": _Law(lambda u: (1 / u - u, -1 / u**2 - 1)),
    "maxwell": _Law(lambda u: (2 / u - u, -2 / u**2 - 1)),
    "semicircular": _Law(lambda u: (u / (u**2 - 1), -(1 + u**2) / (1 - u**2) ** 2)),
    "cosine": _Law(lambda u: (-np.tan(u / 2), -1 / (1 + np.cos(u)))),
    "anglit": _Law(lambda u: (-2 * np.tan(2 * u), -4 / np.cos(2 * u) ** 2)),
    "halflogistic": _Law(partial(_tanh, k=2), edge=True),
    "cauchy": _Law(_t, heavy=True, given=(1.0,)),
    "t": _shaped(_t, least=1.0, limits=(False, True), heavy=True),
    "skewnorm": _shaped(_skewnorm, least=-1e6),
    "genlogistic": _shaped(_genlogistic),
    "exponnorm": _shaped(_exponnorm, least=1e-3),
    "loggamma": _shaped(partial(_log_gamma, power=1, half=1, rate=1.0)),
    "gompertz": _shaped(_gompertz, needs=("floc",), least=1e-20, limits=(False, True), edge=True),
    "lognorm": _log(closed=_norm_fit, shapes=("1/b",)),
    "loglaplace": _log(closed=_laplace_fit, shapes=("b",)),
    "fisk": _log(partial(_tanh, k=2), shapes=("b",)),
    "weibull_min": _log(partial(_exp, sign=1), shapes=("b",)),
    "invweibull": _log(partial(_exp, sign=-1), shapes=("b",)),
    "gamma": _gammas(partial(_log_gamma, power=1, half=1, rate=1.0), whole=_gamma),
    "invgamma": _gammas(
        partial(_log_gamma, power=1, half=1, rate=1.0),
        whole=partial(_gamma_of, -1, lambda a, scale: (a, 1 / scale)),
        sign=-1,
    ),
    "chi2": _gammas(
        partial(_log_gamma, power=1, half=0.5, rate=0.5),
        whole=partial(_gamma_of, 1, lambda a, scale: (2 * a, scale / 2)),
    ),
    "chi": _gammas(
        partial(_log_gamma, power=2, half=0.5, rate=0.5),
        whole=partial(_gamma_of, 2, lambda a, scale: (2 * a, np.sqrt(scale / 2))),
    ),
    "nakagami": _gammas(
        _log_nakagami, whole=partial(_gamma_of, 2, lambda a, scale: (a, np.sqrt(a * scale)))
    ),
    "f": _Law(_log_f, needs=("f0", "f1", "floc"), sign=1, shapes=("a", "a")),
    "invgauss": _log(whole=_invgauss),
    "pareto": _log(whole=lambda s: (1 / mean(np.log(s / s[:, :1])), s[:, :1])),
    "levy": _log(whole=lambda s: (1 / mean(1 / s),)),
    "beta": _in_unit(whole=_beta),
    "betaprime": _in_unit(whole=lambda s: _beta(s / (1 + s))),
    "powerlaw": _in_unit(whole=lambda s: (-1 / mean(np.log(s)),)),
    "johnsonsb": _in_unit(whole=_johnsonsb),
}


def _logistic_cdf(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    return np.where(u < 0, e, 1.0) / (1.0 + e)


def _lognorm_cdf(u: Array, s: Array) -> Array:
    with np.errstate(divide="ignore"):
        return normal_cdf(np.log(np.maximum(u, 0.0)) / s)


# Cdfs at u = (x - loc) / scale instead of SciPy's, which lose digits in the lower tail: the
# normal ones by hundreds of ulp (see normal_cdf), the logistic by all where it is subnormal.
_CDFS: dict[str, Callable[..., Array]] = {
    "norm": normal_cdf,
    "lognorm": _lognorm_cdf,
    "logistic": _logistic_cdf,
    "genlogistic": lambda u, c: np.exp(c * special.log_expit(u)),
}

# Parameters that differ in the last digits move small y by many ulp, and y itself hardly.
_ADDED = (
    "this package sorts and scales the scores before it adds them, so that parameters differ from "
    "R's in the last digits"
)
_TWO_SOLVERS = "two algorithms maximize the likelihood"
_ROOT = Tolerance.absolute(1e-11, _TWO_SOLVERS)
#: Laws with another tolerance, where only what has to be held is held.
TOLERANCES = {
    "uniform": SAME,
    **dict.fromkeys(("norm", "expon", "laplace"), Tolerance(8, _ADDED, floor=1.0)),
    **dict.fromkeys(
        ("halfnorm", "lognorm", "loglaplace", "pareto", "levy"),
        Tolerance(32, f"{_ADDED}, here of functions of the scores", floor=1.0),
    ),
    **dict.fromkeys(
        ("gamma", "invgauss", "powerlaw", "johnsonsb"),
        Tolerance(128, f"{_ADDED}, and {_TWO_SOLVERS}", floor=1.0),
    ),
    **dict.fromkeys(("logistic", "beta", "weibull_min"), _ROOT),
}
#: Fits with a location, a scale and no shape to search, and with one.
NEWTON = Tolerance.absolute(1e-9, _TWO_SOLVERS)
SEARCHED = Tolerance.absolute(
    5e-7, f"{_TWO_SOLVERS}; near its top it is flat, most of all where a shape is large"
)

_NO_SUPPORT = "there are no parameters whose support has all reference scores"
_LOST = "the likelihood was not maximized"
_TWO = "the likelihood has two maxima that are equally high, at shapes far apart"
_NO_DENSITY = (
    "at the parameters found, rounded to doubles, the density of a reference score is 0 or infinite"
)
# Newton's steps, relative to the scale, that end a climb; and how many may be needed.
_TINY, _SMALL, _MOST_STEPS = 1e-15, 1e-7, 1000
_STRAIGHT = 1e-12
# The distance of two places of the grid of shapes; how often an interval of them is halved whose
# ends both rise in one direction; and where a root near 0 is found.
_APART, _HALVINGS, _NEAR = 0.5, 50, 2.0**-53
# Log-likelihoods that are equal, and what lies lower between them, where there are two maxima.
_EQUAL, _LOWER = 1e-9, 1e-6
# How many numbers are computed with at a time.
_BLOCK = 1 << 14


@dataclass(frozen=True)
class FromScipy(Distribution):
    """Continuous distribution of `scipy.stats`, fitted by maximum likelihood.

    y = F(x; parameters), with the parameters of highest likelihood of the reference scores. `dist`
    is one of `LAWS`, of which they can be found. The other settings hold a parameter at a value,
    with the names of ``scipy.stats.<dist>.fit``: `floc` and `fscale`, and `f0`, `f1` for the shapes
    in the order of ``scipy.stats.<dist>.shapes``. Some laws need held parameters, such as `floc`
    for gamma. Scores have shape (..., n); y has no unit and lies in [0, 1].

    The maximum has a closed form, or is that of the shapes of gamma or beta, or the likelihood has
    one stationary point in location and scale, which Newton's method finds to the last digits. A
    shape that is not held is searched in a range, such as 1 to 1e6 for t; the highest maximum
    counts. At an end of the range where the law has a limit, such as the normal of t, the fit is at
    the end.

    The cdf is SciPy's, except for norm, lognorm, logistic and genlogistic.

    Constant topic: there is no maximum likelihood fit. y is 0 left of the common score, 1/2
    at it and 1 right of it, the limit of a symmetric distribution as its scale goes to 0.

    Raises `SchemeError` for another distribution, an unknown parameter, a held value that is not
    accepted or parameters that have to be held, and `FitError` for a topic with fewer than two
    reference scores, with a score outside a held support, or whose likelihood has no maximum.

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

    formula = "y = F(x; parameters), fitted by maximum likelihood"
    source = "the reference of scipy.stats, cdf of each distribution"
    minimum_scores = 2
    seconds_to_fit = 2e-6

    def __post_init__(self) -> None:
        if not isinstance(self.dist, str) or self.dist not in LAWS:
            names = ", ".join(LAWS)
            expected = f"one of {names}; others may have several maxima or none"
            raise setting_error(self.name, "dist", self.dist, expected)
        law, fixed, slots = self.row(), self._fixed(), self._slots()
        for name, value in fixed.items():
            if name not in slots:
                raise SchemeError(
                    f"from_scipy: {name} is not accepted, since {self.dist} has "
                    f"{len(slots) - 2 or 'no'} shape parameters"
                )
            number = finite_number(value)
            if number is None or (name == "fscale" and number <= 0):
                expected = "a number above 0" if name == "fscale" else "a finite number"
                raise setting_error(self.name, name, value, expected)
        shapes = [1.0 if value is None else value for value in self.held()[:-2]]
        if math.isnan(self.law().support(*shapes)[0]):
            raise SchemeError(f"{self} is not accepted: {self.dist} has no such shapes")
        if missing := [name for name in law.needs if name not in fixed]:
            values = {"f0": "2", "f1": "10", "floc": "0", "fscale": "1"}
            spelled = ",".join(f"{name}={values[name]}" for name in law.needs)
            raise SchemeError(
                f"{self} is not accepted: {self.dist} needs {' and '.join(missing)}, as in "
                f"from_scipy:dist={self.dist},{spelled}, since its likelihood may otherwise have "
                "several maxima or none"
            )
        if len(fixed) == len(slots):
            return
        extra = [name for name in fixed if name not in law.needs]
        if extra and law.whole and not law.slopes:
            raise SchemeError(
                f"{self} is not accepted: {self.dist} is fitted with {' and '.join(law.needs)} "
                f"held and the rest free; expected no {extra[0]}, or all parameters"
            )
        if law.heavy and "fscale" in fixed:
            raise SchemeError(
                f"{self} is not accepted: the likelihood of {self.dist} may have several maxima if "
                "the scale is held; expected no fscale, or all parameters"
            )
        if law.least >= 1 and self.f0 is not None and self.f0 < law.least:
            raise setting_error(
                self.name,
                "f0",
                self.f0,
                f"at least {law.least:g}, as the likelihood of "
                f"{self.dist} may otherwise have several maxima",
            )

    @property
    def free_parameters(self) -> int:
        return sum(getattr(self, slot) is None for slot in self._slots())

    @property
    def location_scale(self) -> bool:
        return self.free_parameters == 2 and self.floc is None and self.fscale is None

    @property
    def tolerance(self) -> Tolerance:
        row = self.row()
        if self.dist in TOLERANCES and set(row.needs) == self._fixed().keys():
            return TOLERANCES[self.dist]
        if row.closed:
            return TOLERANCES["lognorm"]
        shapes = zip(row.shapes, self.held(), strict=False)
        searched = any(kind == "a" and value is None for kind, value in shapes) and not row.whole
        return SEARCHED if searched else NEWTON

    def estimate(self, scores: Array) -> Parameters:
        rows = np.sort(scores.reshape(-1, scores.shape[-1]), axis=-1)
        low, high = extremes(rows)
        varies = (low < high)[:, 0]
        names = self.parameter_names()[1:]
        # On a constant topic the parameters are not used, and the spread is 0.
        table = np.hstack([np.ones((len(rows), len(names) - 2)), low, np.ones_like(low)])
        why = np.full(len(rows), "", dtype=object)
        for i in np.flatnonzero(~varies):
            if not self._admits(float(low[i, 0])):
                why[i] = (
                    f"all reference scores are {low[i, 0]}, outside the fixed support of {self}"
                )
        n = count(rows)[:, 0]
        for size in np.unique(n[varies]):
            every = np.flatnonzero(varies & (n == size))
            each = max(1, _BLOCK // size)
            for block in np.split(every, range(each, len(every), each)):
                with np.errstate(all="ignore"):
                    table[block], said = _Fits(self, rows[block, :size]).maxima()
                why[block] = [text and f"{self} cannot be fitted: {text}" for text in said]
        refuse_rows((why != "").reshape(scores.shape[:-1]), why.__getitem__)
        table = np.hstack([high - low, table]).reshape(*scores.shape[:-1], len(names) + 1)
        return {name: table[..., i : i + 1] for i, name in enumerate(["spread", *names])}

    def evaluate(self, x: Array, spread: Array, **parameters: Array) -> Array:
        y = self._cdf(x, **parameters)
        return limit_where_constant(y, x, np.equal(spread, 0), parameters["loc"])

    def _cdf(self, x: Array, loc: Array, scale: Array, **shapes: Array) -> Array:
        if own := _CDFS.get(self.dist):
            return own(z_scores(x, loc, scale), **shapes)
        with np.errstate(over="ignore"):  # a power of a score far out
            return np.asarray(self.law().cdf(x, loc=loc, scale=scale, **shapes))

    def inverse(self, p: Array, spread: Array, **parameters: Array) -> Array:
        if self.dist == "genlogistic":  # SciPy's overflows for small c
            with np.errstate(divide="ignore"):
                power = np.log(p) / parameters["c"]
                u = power - np.log(-np.expm1(power))
            q = parameters["loc"] + parameters["scale"] * u
        else:
            q = self.law().ppf(p, **parameters)
        return quantile_where_constant(q, p, np.equal(spread, 0), parameters["loc"])

    def support(self, spread: Array, **parameters: Array) -> tuple[Array, Array]:
        low, high = self.law().support(**parameters)
        location = parameters["loc"]
        return np.where(spread > 0, low, location), np.where(spread > 0, high, location)

    def constant(self, spread: Array, **parameters: Array) -> BoolArray:
        return np.equal(spread, 0)

    def parameter_names(self) -> list[str]:
        shapes = self.law().shapes
        return ["spread", *(shapes.replace(",", " ").split() if shapes else []), "loc", "scale"]

    def row(self) -> _Law:
        return LAWS[self.dist]

    def law(self) -> Any:
        from scipy import stats

        return getattr(stats, self.dist)

    def held(self) -> list[Any]:
        return [getattr(self, slot) for slot in self._slots()]

    def _fixed(self) -> dict[str, Any]:
        return {name: value for name, value in self.settings().items() if name != "dist"}

    def _slots(self) -> list[str]:
        """Name the setting that holds each parameter fixed, in SciPy's order."""
        return [*(f"f{i}" for i in range(self.law().numargs)), "floc", "fscale"]

    def _admits(self, score: float) -> bool:
        if self.floc is None:
            return True
        low, high = self.law().a, self.law().b
        z = (score - self.floc) / (self.fscale or 1.0)
        if self.fscale is None and z != 0:  # some scale reaches it, unless it is on the wrong side
            return bool(low < 0 if z < 0 else high > 0)
        return bool(low <= z <= high)


class _Fits:
    """The maxima of the likelihoods of topics, whose sorted scores x (rows, n) are not all equal.

    z = (x - origin) / unit, so that exact shifts and powers of 2 change nothing; t is z or a
    logarithm of it, with a location m, a scale s and perhaps a shape a, (rows, 1), each of which
    may be held.
    """

    def __init__(self, scheme: FromScipy, x: Array) -> None:
        self.x, self.law, self.scipy, self.held = x, scheme.row(), scheme.law(), scheme.held()
        law, low, high = self.law, x[:, :1], x[:, -1:]
        *shapes, floc, fscale = self.held
        kinds = dict(zip(law.shapes, shapes, strict=False))
        self.given = [v for kind, v in zip(law.shapes, shapes, strict=False) if kind == "a"]
        self.given += law.given
        self.m: Array | None = None
        self.s: Array | None = None
        usual = self.held.count(None) + len(law.needs) == len(self.held)
        self.whole = law.whole if usual else None
        if law.sign:
            self.origin, self.unit = np.full_like(low, floc), high - floc
            self.t = law.sign * np.log1p((x - high) / self.unit)
            if self.whole:  # a scale that is a score is exact
                self.unit = np.ldexp(1.0, np.frexp(self.unit)[1])
            if fscale is not None:
                self.m = law.sign * np.log(fscale / self.unit)
            power = kinds.get("b", 1.0)
            scale = kinds["1/b"] if "1/b" in kinds else power and 1 / power
            self.s = None if scale is None else np.full_like(low, scale)
        elif "fscale" in law.needs:
            self.origin, self.unit = np.full_like(low, floc), np.full_like(low, fscale)
            self.m, self.s, self.t = 0 * low, self.unit / fscale, (x - floc) / fscale
        else:
            self.origin, self.unit = low, np.ldexp(1.0, np.frexp(high - low)[1] - 1)
            self.t = (x - low) / self.unit
            if floc is not None or law.edge:
                self.m = 0 * low if floc is None else (floc - low) / self.unit
            if fscale is not None:
                self.s = fscale / self.unit
        self.z = (x - self.origin) / self.unit

    def maxima(self) -> tuple[Array, Any]:
        """Return the parameters (rows, k) in SciPy's order, and why there are none, or ""."""
        held, k = self.held, len(self.held) - 2
        m, s, inside = self._starts()
        why = np.where(inside, "", _NO_SUPPORT).astype(object)
        if self.law.heavy and None in held:
            df, n = self.given[0] or self.law.least, self.x.shape[1]
            equal, most = self._equal(), df / (df + 1) * n
            where = "equal the held location" if self.m is not None else "are equal"
            for i in np.flatnonzero(equal >= most):
                why[i] = (
                    f"{equal[i]} of {n} reference scores {where}, and fewer than {most:g} may: the "
                    "likelihood has no single maximum"
                )
                if equal[i] == 1:
                    why[i] = "two scores are too few: the likelihood has no single maximum"
        table, rows = np.ones((len(self.x), k + 2)), np.flatnonzero(why == "")
        m, s, one = m[rows], s[rows], np.ones((len(rows), 1))
        if not len(rows):
            return table, why
        if None not in held:
            columns = [one] * (k + 2)
        elif self.whole:
            found = (*self.whole(self.z[rows]), one)
            columns = [*found[:k], 0 * one, found[k]]
        elif None in self.given:
            m, s, a, why[rows] = self._profiles(rows, m, s)
            columns = self._standard(m, s, a)
        else:
            shapes = [value * one for value in self.given]
            m, s, maximized = self._inner(rows, shapes, m, s)
            why[rows[~maximized]] = _LOST
            columns = self._standard(m, s, *shapes)
        columns[-2] = self.origin[rows] + self.unit[rows] * columns[-2]
        columns[-1] = self.unit[rows] * columns[-1]
        columns = [c if v is None else v * one for c, v in zip(columns, held, strict=True)]
        if self.law.closed is _uniform_fit and held[-1] is None:  # to the last digit
            columns[-1] = self.x[rows, -1:] - columns[-2]
        table[rows] = np.hstack(columns)
        reached = np.isfinite(self.scipy.logpdf(self.x[rows], *columns).sum(axis=-1))
        why[rows[(why[rows] == "") & ~reached]] = _NO_DENSITY
        return table, why

    def _equal(self) -> IntArray:
        """Return the largest number of equal scores in each row, or of those at a held location."""
        if self.m is not None:
            return np.asarray(np.count_nonzero(self.t == self.m, axis=-1))
        return np.array([np.unique(row, return_counts=True)[1].max() for row in self.x])

    def _ends(self) -> tuple[float, float]:
        return (-math.inf, math.inf) if self.law.sign else (self.scipy.a, self.scipy.b)

    def _starts(self) -> tuple[Array, Array, BoolArray]:
        law, m, s, (least, most) = self.law, self.m, self.s, self._ends()
        low, high = extremes(self.t)
        if law.closed:
            m, s = law.closed(self.t, m, s)
        elif math.isfinite(most):
            m = (low + high) / 2 if m is None else m
            s = 1.25 * np.maximum((high - m) / most, (low - m) / least) if s is None else s
        else:
            s = _norm_fit(self.t, m, None)[1] if s is None else s
            if m is None:
                m = low - s / 2 if math.isfinite(least) else mean(self.t)
        u, v = (low - m) / s, (high - m) / s
        closed = law.closed or law.edge
        inside = (u >= least) & (v <= most) if closed else (u > least) & (v < most)
        return m, s, (inside & (extremes(self.z)[0] > 0 if law.sign else True))[:, 0]

    def _standard(self, m: Array, s: Array, *shapes: Array) -> list[Array]:
        a = iter(shapes)
        found = [next(a) if k == "a" else s if k == "1/b" else 1 / s for k in self.law.shapes]
        return [*found, 0 * m, np.exp(self.law.sign * m)] if self.law.sign else [*found, m, s]

    def _inner(
        self, rows: IntArray, shapes: list[Array], m: Array, s: Array
    ) -> tuple[Array, Array, BoolArray]:
        """Return location and scale of highest likelihood at the shapes, and which were found."""
        found = np.full(len(rows), not self.law.slopes or not (self.m is None or self.s is None))
        if found.all():
            return m, s, found
        assert self.law.slopes is not None
        least, most = self._ends()
        m, s = m[:, 0].copy(), s[:, 0].copy()
        a, b, promised, length = np.zeros((4, len(rows)))
        size = np.full(len(rows), np.inf)
        live = np.arange(len(rows))
        for _ in range(_MOST_STEPS):
            stretch = 1 + length[live] * a[live]
            scale = s[live] / stretch
            place = m[live] + length[live] * b[live] * scale
            u = (self.t[rows[live]] - place[:, np.newaxis]) / scale[:, np.newaxis]
            p, q = self.law.slopes(u, *(shape[live] for shape in shapes))[:2]
            center = u.mean(axis=-1) * (self.m is None and not self.law.heavy)
            v = u - center[:, np.newaxis]
            by_a, by_b = u.shape[1] + np.sum(v * p, axis=-1), -p.sum(axis=-1)
            rise = (a[live] * (by_a - center * by_b) + b[live] * by_b) / stretch
            near = (length[live] * size[live] <= 1) & (rise >= -promised[live] / 2)
            good = (length[live] == 0) | (size[live] < _SMALL) | near | (rise >= 0)
            if not self.law.edge:
                good &= ((u > least) & (u < most)).all(axis=-1)
            # In a tail that is straight, the curvature is 0.
            aa, bb = np.sum(v * v * q, axis=-1) - u.shape[1], q.sum(axis=-1) - _STRAIGHT
            ab = -np.sum(v * q, axis=-1)
            if self.law.heavy:  # along the geodesics
                aa, bb = aa + by_a, bb + by_a / shapes[0][live, 0]
            if self.m is not None:
                by_b, ab, bb = 0 * by_b, 0 * ab, -np.ones_like(bb)
            if self.s is not None:
                by_a, ab, aa = 0 * by_a, 0 * ab, -np.ones_like(aa)
            here, determinant = live[good], aa * bb - ab**2
            step_a = (ab * by_b - bb * by_a) / determinant
            step_b = (ab * by_a - aa * by_b) / determinant
            m[here], s[here], a[here] = place[good], scale[good], step_a[good]
            b[here] = (step_b + step_a * center)[good]
            promised[here] = (step_a * by_a + step_b * by_b)[good]
            before = size[live]
            size[here] = np.maximum(np.abs(step_a), np.abs(step_b))[good]
            length[live] /= 2
            # A step multiplies a scale by 10 at most, and a location stays near the scores.
            width = 2 + 2 * np.ptp(u[good], axis=-1)
            length[here] = 1 / np.maximum(1, np.maximum(-a[here] / 0.9, np.abs(b[here]) / width))
            now = size[live]
            done = good & ((now <= _TINY) | ((now < _SMALL) & (now >= before / 2)))
            found[live[done]] = True
            live = live[~done & np.isfinite(now)]
            if not len(live):
                break
        return m[:, np.newaxis], s[:, np.newaxis], found

    def _profiles(self, rows: IntArray, m: Array, s: Array) -> tuple[Array, Array, Array, Any]:
        """Return location, scale and shape of highest likelihood, and why there are none, or ""."""
        grid, each = self.law.grid(), np.arange(len(rows))
        many = np.repeat(each, len(grid))
        m, s, level, _ = self._at(np.tile(grid, len(rows)), rows[many], m[many], s[many])
        m, s, level = (part.reshape(len(rows), -1) for part in (m, s, level))
        # There is a maximum beside each point that is higher than its neighbors, and each is found.
        padded = np.pad(level, ((0, 0), (1, 1)), constant_values=-np.inf)
        left, right = padded[:, :-2], padded[:, 2:]
        peaks = (level >= left) & (level >= right) & (level > np.minimum(left, right) + _EQUAL)
        peaks[each, np.argmax(level, axis=-1)] = True
        of, place = np.nonzero(peaks)
        start = m[peaks][:, np.newaxis], s[peaks][:, np.newaxis]
        low, side, m, s, height = self._climbed(rows[of], place, *start)
        height = np.nan_to_num(height, nan=-np.inf, posinf=-np.inf)
        order = np.lexsort((height, of))
        highest = order[np.searchsorted(of[order], each, side="right") - 1]
        equal = np.zeros_like(peaks)
        equal[of, place] = height >= height[highest][of] - _EQUAL
        before, after = (np.maximum.accumulate(part, axis=-1) for part in (equal, equal[:, ::-1]))
        lower = ~peaks & (level < height[highest, np.newaxis] - _LOWER)
        twice = (before & after[:, ::-1] & lower).any(axis=-1)
        low, side, m, s, level = (part[highest] for part in (low, side, m, s, height))
        at_end = (side < 0) | (side >= len(grid))
        allowed = np.where(side < 0, self.law.limits[0], self.law.limits[1])
        why = np.full(len(at_end), "", dtype=object)
        for i in np.flatnonzero(at_end & ~allowed):
            end, which = (self.law.least, "least") if side[i] < 0 else (self.law.most, "largest")
            why[i] = (
                f"the likelihood still rises at the {which} shape that is searched, {end:g}; "
                f"f0={end:g} holds it there"
            )
        why[twice] = _TWO
        why[~np.isfinite(level)] = _LOST
        return m, s, self.law.shape(low)[:, np.newaxis], why

    def _climbed(self, rows: IntArray, best: IntArray, m: Array, s: Array) -> tuple[Any, ...]:
        """Return the place of a maximum beside a point of the grid, the next point, and the fit."""
        from scipy.optimize import elementwise

        grid, each = self.law.grid(), np.arange(len(rows))

        def at(x: Array, row: IntArray) -> tuple[Array, ...]:
            return self._at(x, rows[row], m[row], s[row])

        low, rise = grid[best], at(grid[best], each)[-1]
        side = best + np.sign(rise).astype(int)
        at_end = (side < 0) | (side >= len(grid))
        high = grid[np.where(at_end, best, side)]
        # A maximum lies between low and high; where the slope at high is wrong, there are several.
        wrong = np.flatnonzero((at(high, each)[-1] * rise > 0) & ~at_end)
        for _ in range(_HALVINGS * bool(len(wrong))):
            middle = (low[wrong] + high[wrong]) / 2
            _, _, height, slope = at(middle, wrong)
            up = (slope * rise[wrong] > 0) & (height >= at(low[wrong], wrong)[2])
            low[wrong[up]], high[wrong[~up]] = middle[up], middle[~up]
            wrong = wrong[up | (slope * rise[wrong] > 0)]
        high[wrong] = low[wrong]  # so flat that the slope is rounding error
        inner = np.flatnonzero(low != high)
        bracket = np.minimum(low, high)[inner], np.maximum(low, high)[inner]
        low[inner] = elementwise.find_root(
            lambda x, *row: at(x, *row)[-1], bracket, args=(inner,), tolerances={"xatol": _NEAR}
        ).x
        return low, side, *at(low, each)[:3]

    def _at(self, x: Array, rows: IntArray, m: Array, s: Array) -> tuple[Array, ...]:
        """Return location and scale at a place x of the grid, the log-likelihood and its slope."""
        assert self.law.slopes is not None
        a = self.law.shape(x)[:, np.newaxis]
        m, s, found = self._inner(rows, [a], m, s)
        level = self.scipy.logpdf(self.z[rows], *self._standard(m, s, a)).sum(axis=-1)
        by_a = self.law.slopes((self.t[rows] - m) / s, a)[2].sum(axis=-1)
        by_x = np.hypot(1, a[:, 0]) if self.law.least < 0 else a[:, 0]
        return m, s, np.where(found & np.isfinite(level), level, -np.inf), by_a * by_x
