"""A continuous distribution of scipy.stats, by its name."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdfscore.errors import FitError, SchemeError
from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import limit_where_constant, quantile_where_constant
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes._scipy_likelihood import local_maximum, wrong_density
from cdfscore.schemes._tolerances import SAME
from cdfscore.schemes._z_scores import z_scores
from cdfscore.schemes.base import Distribution, Parameters
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
_SOLVED = (
    "two algorithms maximize the likelihood; this package can stop if the log-likelihood is within "
    "1e-13 of its maximum, where y differs by up to 2e-8"
)
_USUAL = Tolerance(8, _ADDED, floor=1.0)
# Distributions of SciPy with another tolerance than the usual one.
TOLERANCES = {
    "uniform": SAME,
    "lognorm": Tolerance(32, f"{_ADDED}, here of the logarithms of the scores", floor=1.0),
    "gamma": Tolerance(128, f"{_ADDED}, and two algorithms find the maximum", floor=1.0),
    "logistic": Tolerance(2e7, _SOLVED, floor=1.0),  # 4.4e-9
    "beta": Tolerance(2e7, _SOLVED, floor=1.0),
    "weibull_min": Tolerance(1e8, _SOLVED, floor=1.0),
}


@dataclass(frozen=True)
class FromScipy(Distribution):
    """Continuous distribution of `scipy.stats`, fitted by maximum likelihood.

    y = F(x; parameters) with the parameters that maximize the likelihood of the reference
    scores of each topic. The other settings are fixed parameters, with the names of
    ``scipy.stats.<dist>.fit``: `floc` and `fscale`, and `f0`, `f1`, ... for the shapes in the
    order of ``scipy.stats.<dist>.shapes``. Scores have shape (..., n); y has no unit and lies in
    [0, 1]. Topics are fitted one by one.

    The result of SciPy's ``fit`` is used if it is a local maximum of the likelihood. Otherwise
    Newton's method and simplex searches improve it until no step promises more than 1e-13 in
    log-likelihood, or, at a kink such as the end of a uniform distribution, no step gains more
    than 1e-9. The topic cannot be fitted if this is not reached, or if the likelihood is
    unbounded, for example if the scale goes to 0 on tied scores. A likelihood that rises towards
    a limit at infinity (t towards the normal) is followed until it is flat.

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
        return TOLERANCES.get(self.dist, _USUAL)

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

        law = getattr(stats, str(self.dist), None)
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
        free = np.array([getattr(self, slot) is None for slot in self._slots()])
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                found = np.array(self._law().fit(sample, **self._fixed()), dtype=np.float64)
                likely = np.isfinite(self._law().logpdf(sample, *found)).all()
                best = local_maximum(self._law(), sample, found, free) if likely else None
                wrong = None if best is None else wrong_density(self._law(), sample, best)
        except Exception as error:  # SciPy's fits raise whatever their optimizers raise
            raise FitError(f"{self} cannot be fitted: {error}") from error
        if best is None:
            raise FitError(
                f"no maximum of the likelihood of {self} was found: the likelihood is unbounded, "
                "or the optimizer does not converge; a fixed parameter (floc=..., fscale=...) may "
                "help"
            )
        if wrong is not None:
            raise FitError(
                f"the fit of {self} may not be a maximum of the likelihood: at {wrong:.4g}, the "
                "integral of SciPy's density differs from the increase of SciPy's cdf; a fixed "
                "parameter (floc=..., fscale=...) may help"
            )
        return [float(value) for value in best]
