"""Logspline distribution.

The log of the density is the spline of `cdfscore.schemes.logspline.basis`. F is a sum of
positive terms over the integral of all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.moments import count
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import extremes, limit_where_constant, quantile_where_constant
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.base import MAXIMA, Distribution, Parameters
from cdfscore.schemes.logspline.basis import COEFFICIENTS, SLOPE, VALUE
from cdfscore.schemes.logspline.quadrature import piece_mass, variation
from cdfscore.schemes.settings import setting_error

_STEPS = 100
# How much the log density may vary within a piece: 70 times as much as in any fit that was seen.
_MOST = 1e5
# The exponential of less than this has few digits or none.
_NOTHING = -700.0

# Outside of these limits, the square of the range or its inverse may overflow.
_LEAST_RANGE, _LARGEST_RANGE = 1e-100, 1e100


@dataclass(frozen=True)
class Logspline(Distribution):
    """Logspline distribution: the log density is a natural cubic spline with selected knots.

    y = F(x), where log F'(x) is a cubic between the knots, with two continuous derivatives, and
    linear in both tails. Its k - 1 free coefficients maximize the likelihood of the n reference
    scores (Kooperberg and Stone 1991). The knots are chosen as by Stone, Hansen, Kooperberg and
    Truong (1997) and the R package logspline:

    1. The first 2.5 n^(1/5) + 1 knots are at quantiles.
    2. Scores with a large Rao statistic are added as knots, as long as the likelihood gains about
       1/2 per knot and k is at most 4 n^(1/5) + 2.
    3. The knot with the smallest Wald statistic is deleted, repeatedly, until three are left.
    4. Of all these fits, the one with the smallest -2 log L + `penalty` (k - 1) is used. The
       penalty None means log n, as in BIC.

    `low` and `high` are the ends of the scores, in the unit of the score, where F is 0 and 1, or
    None. Scores have shape (..., n); y has no unit and lies in [0, 1], with a relative error of
    about 1e-14 at the parameters found.

    This is own code, because no Python library has this distribution, and because the R package,
    whose search it follows, computes statistics and likelihoods from cubes of scores in double
    precision. If scores are close together or tied, these have few correct digits or none: the
    package chooses other knots if 0.5 is added to all scores, and its fits are not maxima. For
    smooth densities, 976 of 1,000 samples get the same knots, and y differs by at most 2e-6, since
    R stops Newton's method at 1e-4 of the log-likelihood; here each fit converges. With ties at
    the smallest score, or with `high` alone, the package does not place its first knots at the
    intended quantiles; here they are there. If its first fit fails, the package tries other knots
    or another method; here the topic cannot be fitted.

    Constant topic: there is no maximum likelihood fit. y is 0 left of the common score, 1/2
    at it and 1 right of it, the limit as the spread goes to 0.

    Raises `SchemeError` if the penalty is not a number from 0 on or the ends are not numbers in
    order, and `FitError` for a topic with fewer than ten reference scores, as in the R package;
    with exactly two different scores; with a score outside `low` and `high`; with a range below
    1e-100 or above 1e100; or if no maximum of the likelihood is found, because tied scores make
    it unbounded, or because an outlier lowers the log density by more than 600.

    Specified in logspline.1 to logspline.3.

    Examples
    --------
    >>> scores = [0.05, 0.1, 0.12, 0.2, 0.24, 0.3, 0.33, 0.4, 0.55, 0.7]
    >>> Logspline(low=0.0, high=1.0).fit(scores)([0.0, 0.2, 0.5, 1.0]).round(4).tolist()
    [0.0, 0.3608, 0.8428, 1.0]
    """

    penalty: float | None = None
    low: float | None = None
    high: float | None = None

    formula = "y = F(x), log F' a natural cubic spline, knots by Rao, Wald and -2 log L + penalty"
    source = "Stone, Hansen, Kooperberg and Truong (1997), Section 3"
    minimum_scores = 10
    seconds_in_r = 0.1
    tolerance = Tolerance.absolute(
        2e-12, f"{MAXIMA}, which are few if many scores are nearly equal"
    )

    def __post_init__(self) -> None:
        if self.penalty is not None:
            penalty = finite_number(self.penalty)
            if penalty is None or penalty < 0:
                raise setting_error(self.name, "penalty", self.penalty, "a number from 0 on")
        for name, end in (("low", self.low), ("high", self.high)):
            if end is not None and finite_number(end) is None:
                raise setting_error(self.name, name, end, "a finite number")
        low, high = self.domain
        if not low < high:
            raise SchemeError(f"logspline: low={low} is not below high={high}")

    @property
    def domain(self) -> tuple[float, float]:
        low = -math.inf if self.low is None else float(self.low)
        return low, math.inf if self.high is None else float(self.high)

    def estimate(self, scores: Array) -> Parameters:
        from cdfscore.schemes.logspline.fit import fit_logsplines

        sample = np.sort(scores, axis=-1).reshape(-1, scores.shape[-1])
        distinct = 1 + np.count_nonzero(np.diff(sample) > 0, axis=-1)
        refuse_rows(
            (distinct == 2).reshape(scores.shape[:-1]),
            f"{self} needs three different reference scores and there are two",
        )
        least, largest = extremes(sample)
        ranges = (largest - least)[:, 0]
        refuse_rows(
            ((ranges > 0) & ~((ranges >= _LEAST_RANGE) & (ranges <= _LARGEST_RANGE))).reshape(
                scores.shape[:-1]
            ),
            lambda row: (
                f"the range of the reference scores is {ranges[row]:.3g}, and {self} needs one "
                f"from {_LEAST_RANGE:g} to {_LARGEST_RANGE:g}"
            ),
        )
        penalty = None if self.penalty is None else float(self.penalty)
        knots, bends, slope, found = fit_logsplines(
            sample, count(sample)[:, 0], *self.domain, penalty
        )
        refuse_rows(
            (~found).reshape(scores.shape[:-1]),
            lambda row: (
                f"no maximum of the likelihood of {self} was found: the reference scores have "
                f"{distinct[row]} different values, and too many are tied or some are outliers"
            ),
        )
        used = max(1, int(np.max(np.count_nonzero(~np.isnan(knots), axis=-1), initial=1)))
        shape = scores.shape[:-1]
        return {
            "knots": knots[:, :used].reshape(*shape, used),
            "bends": bends[:, :used].reshape(*shape, used),
            "slope": slope.reshape(*shape, 1),
        }

    def evaluate(self, x: Array, knots: Array, bends: Array, slope: Array) -> Array:
        y = self._by_row(x, knots, bends, slope, inverse=False)
        return limit_where_constant(y, x, self.constant(knots, bends, slope), knots[..., :1])

    def inverse(self, p: Array, knots: Array, bends: Array, slope: Array) -> Array:
        """Return x with F(x) = p, by Newton's method."""
        q = self._by_row(p, knots, bends, slope, inverse=True)
        return quantile_where_constant(q, p, self.constant(knots, bends, slope), knots[..., :1])

    def support(self, knots: Array, bends: Array, slope: Array) -> tuple[Array, Array]:
        constant, (low, high) = self.constant(knots, bends, slope), self.domain
        return np.where(constant, knots[..., :1], low), np.where(constant, knots[..., :1], high)

    def constant(self, knots: Array, bends: Array, slope: Array) -> BoolArray:
        return np.equal(count(knots), 1)

    def _by_row(
        self, values: Array, knots: Array, bends: Array, slope: Array, *, inverse: bool
    ) -> Array:
        topics = slope.size  # said, not inferred, as there may be no values
        x, t, b, s = (a.reshape(topics, a.shape[-1]) for a in (values, knots, bends, slope))
        return logspline_rows(x, t, b, s, *self.domain, inverse).reshape(values.shape)


@compiled
def logspline_rows(
    values: Array,
    knots: Array,
    bends: Array,
    slopes: Array,
    low: float,
    high: float,
    inverse: bool,
) -> Array:
    """Return F(x) for values x (rows, m), or, for the inverse, x with F(x) = p for values p.

    Knots and bends are (rows, k) and end in NaN, slopes (rows, 1). A row with one knot, a
    constant topic, has no density, and its results are NaN; so are those of parameters that no
    fit gives, as a file may have them.
    """
    results = np.full(values.shape, np.nan)
    for row in range(len(values)):
        k = np.searchsorted(knots[row], np.inf, side="right")  # NaN comes after infinity
        if k == 1 or not _may_be_fitted(knots[row, :k], bends[row], slopes[row, 0]):
            continue
        t, q, masses = _integrated(knots[row, :k], bends[row], slopes[row, 0], low, high)
        for i in range(values.shape[1]):
            value = values[row, i]
            if np.isnan(value):
                continue
            if inverse:
                results[row, i] = _quantile(value, t, q, masses, low, high)
            else:
                results[row, i] = _cdf(value, t, q, masses, low, high)
    return results


@compiled
def _may_be_fitted(t: Array, bends: Array, slope: float) -> bool:
    """Tell whether knots rise, each with a bend, and the density between them can be integrated."""
    if len(bends) < len(t) or np.isnan(bends[len(t) - 1]):
        return False
    for i in range(len(t) - 1):
        h = t[i + 1] - t[i]
        second, third = bends[i] / 2 * h**2, (bends[i + 1] - bends[i]) / 6 * h**2
        if not (h > 0 and variation(slope * h, second, third) <= _MOST):
            return False
        slope += h * (bends[i] + bends[i + 1]) / 2
    return True


@compiled
def _integrated(
    t: Array, bends: Array, slope: float, low: float, high: float
) -> tuple[Array, Array, Array]:
    """Return the knots, the log density from each on, and the mass left of each, and of all.

    Rows of the log densities are coefficients of powers of x - t_i; the last is right of the
    last knot. They are 0 at the highest knot.
    """
    k = len(t)
    q, masses = np.zeros((k, COEFFICIENTS)), np.zeros(k + 1)
    q[0, SLOPE] = slope
    highest = 0.0
    for i in range(k - 1):
        h = t[i + 1] - t[i]
        q[i, 2], q[i, 3] = bends[i] / 2, (bends[i + 1] - bends[i]) / (6 * h)
        q[i + 1, VALUE] = q[i, VALUE] + h * (slope + h * (bends[i] / 3 + bends[i + 1] / 6))
        slope += h * (bends[i] + bends[i + 1]) / 2
        q[i + 1, SLOPE] = slope
        highest = max(highest, q[i + 1, VALUE])
    for i in range(k):
        q[i, VALUE] -= highest
    masses[0] = _lower(t[0], t, q, low)
    for i in range(k - 1):
        masses[i + 1] = masses[i] + _mass(q[i], t[i + 1] - t[i])
    masses[k] = masses[k - 1] + _upper(high, t, q)
    return t, q, masses


@compiled
def _cdf(x: float, t: Array, q: Array, masses: Array, low: float, high: float) -> float:
    k = len(t)
    if x <= low:
        return 0.0
    if x >= high:
        return 1.0
    if x < t[0]:
        below = _lower(x, t, q, low)
    elif x >= t[k - 1]:
        below = masses[k - 1] + _upper(x, t, q)
    else:
        i = np.searchsorted(t, x, side="right") - 1
        below = masses[i] + _mass(q[i], x - t[i])
    return float(min(1.0, below / masses[k]))


@compiled
def _quantile(p: float, t: Array, q: Array, masses: Array, low: float, high: float) -> float:
    k = len(t)
    wanted = p * masses[k]
    if p == 0 or p == 1:
        return low if p == 0 else high
    if wanted < masses[0]:
        slope, height = q[0, SLOPE], math.exp(q[0, VALUE])
        at_low = q[0, VALUE] + slope * (low - t[0])
        nearer_low = 2 * wanted < masses[0]
        if low == -np.inf or (nearer_low and at_low < _NOTHING):
            return max(low, float(t[0] + math.log(wanted * slope / height) / slope))
        if nearer_low:  # from the knot, a small p would be lost in the mass of the tail
            return low + _along(math.exp(at_low), slope, wanted)
        return max(low, float(t[0] - _along(height, -slope, masses[0] - wanted)))
    if wanted >= masses[k - 1]:
        slope, height = q[k - 1, SLOPE], math.exp(q[k - 1, VALUE])
        if high == np.inf:
            return float(t[k - 1] + math.log((1 - p) * masses[k] * -slope / height) / slope)
        return min(high, float(t[k - 1] + _along(height, slope, wanted - masses[k - 1])))
    i = np.searchsorted(masses, wanted, side="right") - 1
    return float(t[i] + _within(q[i], t[i + 1] - t[i], wanted - masses[i]))


@compiled
def _within(q: Array, h: float, mass: float) -> float:
    """Return z in [0, h] with this mass between 0 and z, by Newton's method in a bracket."""
    below, above = 0.0, h
    z = h / 2
    for _ in range(_STEPS):
        surplus = _mass(q, z) - mass
        if surplus < 0:
            below = z
        else:
            above = z
        step = surplus / math.exp(q[0] + z * (q[1] + z * (q[2] + z * q[3])))
        following = z - step
        if not below < following < above:
            following = below + (above - below) / 2
        if following == z or abs(step) <= 1e-16 * h:
            break
        z = following
    return z


@compiled
def _along(height: float, slope: float, mass: float) -> float:
    """Return the length over which an exponential that starts at this height has the mass."""
    growth = slope * mass / height  # of the height, over the length
    if growth == 0:
        return mass / height
    return math.log1p(max(growth, -1.0)) / slope  # infinite where rounding asks for too much


@compiled
def _lower(x: float, t: Array, q: Array, low: float) -> float:
    """Return the mass between low and x <= t_0."""
    slope = q[0, SLOPE]
    if low == -np.inf:
        return float(math.exp(q[0, VALUE] + slope * (x - t[0])) / slope)
    start, end = q[0, VALUE] + slope * (low - t[0]), q[0, VALUE] + slope * (x - t[0])
    return _exponential(start, end, slope, x - low)


@compiled
def _upper(x: float, t: Array, q: Array) -> float:
    """Return the mass between the last knot and x."""
    slope, length = q[-1, SLOPE], x - t[-1]
    return _exponential(q[-1, VALUE], q[-1, VALUE] + slope * length, slope, length)


@compiled
def _exponential(start: float, end: float, slope: float, length: float) -> float:
    """Integrate an exponential over a length, from its logs at both ends."""
    if slope == 0 or length == 0:
        return math.exp(start) * length
    if slope > 0:
        return math.exp(end) * (-math.expm1(-slope * length) / slope)
    return math.exp(start) * (math.expm1(slope * length) / slope)


@compiled
def _mass(q: Array, length: float) -> float:
    """Integrate exp(q(z)) from 0 to length."""
    first, second, third = q[1] * length, q[2] * length**2, q[3] * length**3
    return piece_mass(q[0], first, second, third, length)
