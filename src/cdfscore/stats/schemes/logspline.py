"""Logspline distribution.

Own loops, and not LAPACK's: a matrix that is not positive definite is an answer here, and a fit has
the same bits everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.numbers import finite_number
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes._rows import (
    extremes,
    limit_where_constant,
    quantile_where_constant,
    solve_lower,
    solve_upper,
)
from cdfscore.stats.schemes.base import MAXIMA, Distribution, Parameters, refuse_rows, setting_error

# --- Logspline on given knots: the functions that form its log density ---
#
# The log of the density is a natural cubic spline s on knots t_0 < ... < t_k-1. Its second
# derivative is linear between the knots and 0 at both ends, so that s is determined by its slope
# left of t_0 and by s'' at the inner knots, the bends: k - 1 numbers, a constant apart, that the
# density integrating to 1 decides. s = slope (x - t_0) + sum_j bend_j H_j(x), where H_j'' is 1 at
# t_j, 0 at the other knots and linear between them, and H_j is 0 left of t_j-1. Between knots all
# is a polynomial in u = (x - t_i) / (t_i+1 - t_i), and the density is integrated by 20 nodes on
# parts over which its log varies little. In the tails the log is linear.

#: Of a polynomial of the third degree, and of its values and slopes at a knot.
VALUE, SLOPE, COEFFICIENTS = 0, 1, 4
#: Of the moments of a tail, the integrals of w^power against the density.
MASS, FIRST, SECOND, MOMENTS = 0, 1, 2, 3
#: Powers of u that are integrated over a piece: a product of two cubics has degree 6.
POWERS = 7
_nodes, _weights = np.polynomial.legendre.leggauss(20)
# On [0, 1].
_NODES, _WEIGHTS = (_nodes + 1) / 2, _weights / 2
# How much the log density may vary from the middle of a part, for 20 nodes to be exact.
_VARIATION = 3.0


class Fit(NamedTuple):
    """Logspline on knots t, in arrays, as numbers of a tuple cannot be changed.

    The pieces (pieces, functions, 4) are coefficients of 1, u, u^2, u^3; function j is 0 on the
    pieces i < j - 1. `ends` are values and slopes at the last knot, `sample` means over the sample.
    theta are the slope and the bends, `gain` the log-likelihood of a score, and `log_c` the log of
    the integral of exp(s), infinite without a density. `lower` and `upper` are moments of the
    tails, `inner` the integrals of u^power of each piece; mean and covariance are those of the
    functions.
    """

    t: Array
    below: float
    above: float
    pieces: Array
    ends: Array
    sample: Array
    theta: Array
    gain: Array
    log_c: Array
    lower: Array
    inner: Array
    upper: Array
    mean: Array
    covariance: Array


@compiled
def prepare(x: Array, t: Array, low: float, high: float, theta: Array) -> Fit:
    """Return the fit with these knots and coefficients; the density is not yet integrated."""
    d = len(theta)
    pieces, ends = _functions(t)
    return Fit(
        t,
        t[0] - low,
        high - t[-1],
        pieces,
        ends,
        _means(x, t, pieces, ends),
        theta,
        np.empty(1),
        np.empty(1),
        np.empty(MOMENTS),
        np.empty((d, POWERS)),
        np.empty(MOMENTS),
        np.empty(d),
        np.empty((d, d)),
    )


@compiled
def _functions(t: Array) -> tuple[Array, Array]:
    k = len(t)
    pieces, ends = np.zeros((k - 1, k - 1, COEFFICIENTS)), np.zeros((k - 1, 2))
    for i in range(k - 1):
        h = t[i + 1] - t[i]
        pieces[i, 0, VALUE], pieces[i, 0, SLOPE] = t[i] - t[0], h
        for j in range(1, k - 1):
            if i == j - 1:
                pieces[i, j, 3] = h * h / 6
                ends[j, VALUE], ends[j, SLOPE] = h * h / 6, h / 2
            elif i >= j:
                pieces[i, j, VALUE], pieces[i, j, SLOPE] = ends[j, VALUE], ends[j, SLOPE] * h
                ends[j, VALUE] += ends[j, SLOPE] * h
                if i == j:
                    pieces[i, j, 2], pieces[i, j, 3] = h * h / 2, -h * h / 6
                    ends[j, VALUE] += h * h / 3
                    ends[j, SLOPE] += h / 2
    ends[0, VALUE], ends[0, SLOPE] = t[k - 1] - t[0], 1.0
    return pieces, ends


@compiled
def _means(x: Array, t: Array, pieces: Array, ends: Array) -> Array:
    n, k = len(x), len(t)
    means, powers = np.zeros(k - 1), np.zeros(COEFFICIENTS)
    left_of = np.searchsorted(x, t)  # of each knot, how many scores
    for at in range(left_of[0]):
        means[0] += x[at] - t[0]
    for i in range(k - 1):
        powers[:] = 0.0
        h = t[i + 1] - t[i]
        for at in range(left_of[i], left_of[i + 1]):
            u = (x[at] - t[i]) / h
            powers[0] += 1.0
            powers[1] += u
            powers[2] += u * u
            powers[3] += u * u * u
        for j in range(min(k - 1, i + 2)):
            for power in range(COEFFICIENTS):
                means[j] += pieces[i, j, power] * powers[power]
    for at in range(left_of[k - 1], n):
        for j in range(k - 1):
            means[j] += ends[j, VALUE] + ends[j, SLOPE] * (x[at] - t[k - 1])
    return means / n


@compiled
def integrate_cubic(p: Array, moments: Array, v: Array) -> None:
    """Fill v with the integrals of p(u), u p(u), u^2 p(u), u^3 p(u) against the density."""
    for power in range(COEFFICIENTS):
        v[power] = (
            p[0] * moments[power]
            + p[1] * moments[power + 1]
            + p[2] * moments[power + 2]
            + p[3] * moments[power + 3]
        )


@compiled
def integrate_linear(end: Array, moments: Array, v: Array) -> None:
    """Fill v with the integrals of f(w) = value + slope w, and of w f(w), in the upper tail."""
    v[MASS] = end[VALUE] * moments[MASS] + end[SLOPE] * moments[FIRST]
    v[FIRST] = end[VALUE] * moments[FIRST] + end[SLOPE] * moments[SECOND]


@compiled
def last_slope(fit: Fit, coefficients: Array) -> float:
    """Return the slope at the last knot of the sum of the functions with these coefficients."""
    slope = 0.0
    for j in range(len(coefficients)):
        slope += coefficients[j] * fit.ends[j, SLOPE]
    return slope


@compiled
def piece_moments(q: Array, h: float, moments: Array) -> None:
    """Fill `moments` with the integrals of exp(q(u)) u^power h over 0 <= u <= 1."""
    moments[:] = 0.0
    parts = _parts(q[1], q[2], q[3])
    for part in range(parts):
        for node in range(len(_NODES)):
            u = (part + _NODES[node]) / parts
            mass = _WEIGHTS[node] * math.exp(q[0] + u * (q[1] + u * (q[2] + u * q[3])))
            for power in range(len(moments)):
                moments[power] += mass
                mass *= u
    moments *= h / parts


@compiled
def _parts(first: float, second: float, third: float) -> int:
    """Return the number of parts of a piece, such that the nodes are exact on each part."""
    return 1 + int(variation(first, second, third) / _VARIATION)


@compiled
def variation(first: float, second: float, third: float) -> float:
    """Return how much the log density varies at most from the middle of a piece."""
    slope, bend = first + second + 0.75 * third, second + 1.5 * third  # in the middle
    return abs(slope) / 2 + abs(bend) / 4 + abs(third) / 8


@compiled
def tail_moments(slope: float, length: float, height: float, moments: Array) -> None:
    """Integrate height exp(slope w) w^power over -length <= w <= 0, for the powers 0, 1, 2."""
    if length == np.inf:
        moments[MASS] = height / slope
        moments[FIRST] = -moments[MASS] / slope
        moments[SECOND] = -2 * moments[FIRST] / slope
    elif abs(slope * length) < 2 * _VARIATION:
        moments[MASS] = moments[FIRST] = moments[SECOND] = 0.0
        for node in range(len(_NODES)):
            w = -length * _NODES[node]
            mass = height * length * _WEIGHTS[node] * math.exp(slope * w)
            moments[MASS] += mass
            moments[FIRST] += mass * w
            moments[SECOND] += mass * w * w
    else:
        far = height * math.exp(-slope * length)
        moments[MASS] = (height - far) / slope
        moments[FIRST] = (length * far - moments[MASS]) / slope
        moments[SECOND] = -(length * length * far + 2 * moments[FIRST]) / slope


# --- Fit ---

_STEPS = 100
# How much the log density may vary within a piece: 70 times as much as in any fit that was seen.
_MOST = 1e5
# The exponential of less than this has few digits or none.
_NOTHING = -700.0

# Outside of these limits, the square of the range or its inverse may overflow.
_LEAST_RANGE, _LARGEST_RANGE = 1e-100, 1e100
# A step with an expected gain below this is the last, since the next would gain about the square
# of it: during the selection of knots, and for the final fit.
_CLOSE, _CLOSEST = 1e-8, 1e-16
# Steps are halved until they gain this proportion of what Newton's method promises, which is twice
# the gain to come; where that is tiny, rounding would decide.
_LEAST_GAIN, _TINY = 1e-4, 1e-7
_NEWTON_STEPS, _HALVINGS = 100, 40
# The most that the log density may differ between knots, or rise along a tail.
_STEEPEST = 600.0


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
    whose search it follows, loses digits if scores are close together or tied. For smooth
    densities, 976 of 1,000 samples get the same knots, and y differs by at most 2e-6. If its first
    fit fails, the package tries other knots or another method; here the topic cannot be fitted.

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
    seconds_to_fit = 5e-6
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
    """Return F(x) for values x (rows, m), or its inverse; NaN of parameters that no fit gives."""
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
        second, third = bends[i] / 2 * (h * h), (bends[i + 1] - bends[i]) / 6 * (h * h)
        if not (h > 0 and variation(slope * h, second, third) <= _MOST):
            return False
        slope += h * (bends[i] + bends[i + 1]) / 2
    return True


@compiled
def _integrated(
    t: Array, bends: Array, slope: float, low: float, high: float
) -> tuple[Array, Array, Array]:
    """Return knots, coefficients of the log density from each on, and the mass left of each."""
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
    q[:, VALUE] -= highest
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
    square, mass = length * length, np.empty(1)
    part = np.array([q[0], q[1] * length, q[2] * square, q[3] * (length * square)])
    piece_moments(part, length, mass)
    return float(mass[0])


def fit_logsplines(
    samples: Array, counts: IntArray, low: float, high: float, penalty: float | None
) -> tuple[Array, Array, Array, BoolArray]:
    """Fit each sorted row: return knots and bends, NaN last, slopes, and what was found."""
    rows, width = len(samples), most_knots(samples.shape[1])
    knots, bends = np.full((2, rows, width), np.nan)
    slopes = np.zeros((rows, 1))
    found = np.ones(rows, dtype=np.bool_)
    # The loop is not compiled, which would take seconds and gain nothing.
    for row in range(rows):
        x = samples[row, : counts[row]]
        if x[0] == x[-1]:
            knots[row, 0], bends[row, 0] = x[0], 0.0
            continue
        price = math.log(len(x)) if penalty is None else penalty
        # A power of 2 near the range: no digit changes, and no power of it leaves the doubles.
        scale = math.ldexp(1.0, math.frexp(x[-1] - x[0])[1])
        t, theta, found[row] = _search(x / scale, low / scale, high / scale, price)
        if found[row]:
            k = len(t)
            slopes[row, 0] = theta[0] / scale
            knots[row, :k] = t * scale
            bends[row, :k] = 0.0
            bends[row, 1 : k - 1] = theta[1:] / scale / scale
    return knots, bends, slopes, found


@compiled
def most_knots(n: int) -> int:
    """Return the largest number of knots that the search comes to with n scores."""
    return int(4.0 * float(n) ** 0.2 + 1.0) + 1


@compiled
def _search(x: Array, low: float, high: float, price: float) -> tuple[Array, Array, bool]:
    """Add and delete knots; return the best, their coefficients, and whether there is a maximum."""
    n = len(x)
    distance = int(2.5 * float(n) ** 0.2 + 0.5)
    if n // distance < 10:
        distance = n // 10
    distance = max(distance, 3)
    most = most_knots(n) - 1  # coefficients
    t = first_knots(x, low, high)
    fit = prepare(x, t, low, high, start(x, t))
    if not maximize(x, fit, _CLOSE):
        return fit.t, fit.theta, False
    best, least = fit, np.inf
    gains = np.full(most + 1, -np.inf)
    while True:  # adding
        d = len(fit.theta)
        gains[d] = n * fit.gain[0]
        criterion = d * price - 2 * gains[d]
        if criterion < least:
            best, least = fit, criterion
        if d >= most or _enough(gains, d):
            break
        knot = knot_to_add(x, fit, distance)
        if np.isnan(knot):
            break
        larger = with_knot(x, fit, knot)
        if not maximize(x, larger, _CLOSE):
            break
        fit = larger
    while len(fit.t) > 3:  # deleting
        fit, deleted = without_weakest(x, fit)
        if not deleted or not maximize(x, fit, _CLOSE):
            break
        d = len(fit.theta)
        criterion = d * price - 2 * n * fit.gain[0]
        if criterion < least:
            best, least = fit, criterion
        if criterion - least >= price * (d - 2):
            break
    found = maximize(x, best, _CLOSEST)
    return best.t, best.theta, found


@compiled
def _enough(gains: Array, d: int) -> bool:
    """Tell whether the last knots gained less than expected by chance, 1/2 for each."""
    enough = False
    for i in range(2, d - 2):
        enough |= gains[d] - gains[i] < (d - i) / 2 - 0.5
    return enough


@compiled
def without_weakest(x: Array, fit: Fit) -> tuple[Fit, bool]:
    """Delete the knot with the least Wald statistic; False if the covariance has no factor."""
    t, theta = fit.t, fit.theta
    k, d = len(t), len(theta)
    root = np.empty((d, d))
    if not factorize(fit.covariance, root):
        return fit, False
    jump, removed, least, weakest = np.empty(d), np.zeros(d), np.inf, 0
    for i in range(k):
        _fill_jump(t, i, jump)
        size = 0.0
        for j in range(d):
            size += jump[j] * theta[j]
        solve_lower(root, jump)
        variance = 0.0
        for j in range(d):
            variance += jump[j] * jump[j]
        if size * size / variance < least:
            least, weakest = size * size / variance, i
            removed[:] = jump * size / variance
    solve_upper(root, removed)
    # An end takes with it the bend of its neighbor, which is 0 by now.
    gone = min(max(weakest, 1), k - 2)
    fewer, kept = np.delete(t, weakest), theta - removed
    coefficients = np.concatenate((kept[:gone], kept[gone + 1 :]))
    return prepare(x, fewer, t[0] - fit.below, t[k - 1] + fit.above, coefficients), True


@compiled
def _fill_jump(t: Array, i: int, jump: Array) -> None:
    """Fill in the coefficients' factors that give the jump of s''' at knot i."""
    k = len(t)
    jump[:] = 0.0
    for side in (-1, 0):
        if 0 <= i + side < k - 1:
            weight = (1.0 if side == 0 else -1.0) / (t[i + side + 1] - t[i + side])
            if 0 < i + side + 1 < k - 1:
                jump[i + side + 1] += weight
            if 0 < i + side < k - 1:
                jump[i + side] -= weight


@compiled
def knot_to_add(x: Array, fit: Fit, distance: int) -> float:
    """Return a score with a large Rao statistic as a knot, or NaN if there is none."""
    t = fit.t
    largest, best, least, most = -1.0, -1, 0, 0
    for i in range(len(t) - 1):  # of the middle score of each piece
        first = np.searchsorted(x, t[i], side="right") + distance
        last = np.searchsorted(x, t[i + 1]) - distance - 1
        if last < first - 1:
            continue
        middle = (first + last) // 2
        statistic = rao(x, fit, x[middle])
        if statistic > largest:
            largest, best, least, most = statistic, middle, first, last
    if best < 0:
        return np.nan
    while x[most] > x[least]:
        up, down = _halfway(x, best, most, 1), _halfway(x, best, least, -1)
        above = below = largest
        if up >= 0:
            above = rao(x, fit, x[up])
        if down >= 0:
            below = rao(x, fit, x[down])
        if below > largest:
            most, best, largest = best, down, below
        elif above > largest:
            least, best, largest = best, up, above
        else:
            break
    return float(x[best])


@compiled
def _halfway(x: Array, best: int, end: int, step: int) -> int:
    """Return the index halfway to the end of another score, up or down, or -1 if there is none."""
    if x[best] == x[end]:
        return -1
    half = (best + end + step) // 2
    if x[half] != x[best]:
        return half
    half = (half + end) // 2
    return half if x[half] != x[best] else end


@compiled
def with_knot(x: Array, fit: Fit, knot: float) -> Fit:
    """Return the same spline with another knot."""
    t, theta, k = fit.t, fit.theta, len(fit.t)
    i = np.searchsorted(t, knot)
    left = theta[i - 1] if i > 1 else 0.0
    right = theta[i] if i < k - 1 else 0.0
    part = (knot - t[i - 1]) / (t[i] - t[i - 1])
    bend = (1 - part) * left + part * right
    more = np.concatenate((t[:i], np.array([knot]), t[i:]))
    coefficients = np.concatenate((theta[:i], np.array([bend]), theta[i:]))
    return prepare(x, more, t[0] - fit.below, t[k - 1] + fit.above, coefficients)


@compiled
def rao(x: Array, fit: Fit, knot: float) -> float:
    """Return the statistic of another knot: slopes of the likelihood, by their covariance."""
    larger = with_knot(x, fit, knot)
    _integrate(larger)
    root = np.empty_like(larger.covariance)
    if not factorize(larger.covariance, root):
        return -1.0
    slope = larger.sample - larger.mean
    solve_lower(root, slope)
    total = 0.0
    for each in slope:
        total += each * each
    return len(x) * total


@compiled
def first_knots(x: Array, low: float, high: float) -> Array:
    """Place the first knots at quantiles of the sorted sample, closer towards open ends."""
    n = len(x)
    k = max(3, int(2.5 * float(n) ** 0.2 + 1.0))
    proportions = _proportions(k, n, low > -np.inf, high < np.inf)
    values, middles = np.empty(n), np.empty(n)
    m, before = 0, 0
    for i in range(1, n + 1):
        if i == n or x[i] != x[i - 1]:
            values[m], middles[m] = x[i - 1], (before + i) / 2
            before, m = i, m + 1
    t = np.empty(k)
    t[0], t[k - 1] = x[0], x[n - 1]
    places = (middles[:m] - middles[0]) / (middles[m - 2] - middles[0])
    for i in range(1, k - 1):
        j = np.searchsorted(places[1 : m - 2], proportions[i], side="right")
        part = (proportions[i] - places[j]) / (places[j + 1] - places[j])
        t[i] = values[j] + part * (values[j + 1] - values[j])  # one rounding far from 0
    return t


@compiled
def _proportions(k: int, n: int, from_low: bool, to_high: bool) -> Array:
    """Return the proportions of the sample to the left of each of k knots."""
    proportions = np.empty(k)
    one_end = from_low != to_high
    grown = _grown(2 * k - 1, 2 * n) if one_end else _grown(k, n)
    for i in range(k):
        if from_low and to_high:
            proportions[i] = i / (k - 1)
        elif from_low:
            proportions[i] = 2 * grown[i]
        elif to_high:
            proportions[i] = 1 - 2 * grown[k - 1 - i]
        else:
            proportions[i] = grown[i]
    return proportions


@compiled
def _grown(k: int, n: int) -> Array:
    """Return k ranks as proportions of n, whose distances grow by ratios from both ends."""
    ranks = np.zeros(k)
    ranks[0], ranks[k - 1] = 1.0, float(n)
    half, middle = (k - 1) // 2, int((k - 1) / 2 + 0.99)
    below = min(0.0, 4.0 - ((n - 1) / 4.0) ** (1.0 / (middle - 1.0)))
    above = 3.0
    turn = 0
    while turn < 100 and (turn == 0 or above - below > 0.0001):
        epsilon = (below + above) / 2
        rank, gap = 1.0, 4.0
        for i in range(1, half + 1):
            rank += gap
            ranks[i], ranks[k - i - 1] = rank, n + 1.0 - rank
            gap *= max(1.0, 4.0 - i * epsilon)
        if 2 * middle == k:
            rank += gap / 2
        else:
            ranks[middle] = (n + 1) / 2
        if 2 * rank >= n + 1:
            below = epsilon
        else:
            above = epsilon
        turn += 1
    return (ranks - 1) / (n - 1.0)


@compiled
def start(x: Array, t: Array) -> Array:
    """Start from a parabola, as for a normal density, with linear tails that fall."""
    n, k, mean, variance = len(x), len(t), 0.0, 0.0
    for value in x:
        mean += value / n
    for value in x:
        variance += (value - mean) * (value - mean) / n
    theta = np.full(k - 1, -1 / variance)
    fall = (t[k - 1] + t[k - 2] - t[1] - t[0]) / 2 / variance
    theta[0] = min(max((mean - t[0]) / variance, 0.1 * fall), 0.9 * fall)
    return theta


@compiled
def maximize(x: Array, fit: Fit, last: float) -> bool:
    """Maximize the likelihood in place, until a step promises `last`; tell if it was found."""
    theta = fit.theta
    n, d = len(x), len(theta)
    _integrate(fit)
    if fit.log_c[0] == np.inf:
        theta[:] = start(x, fit.t)
        _integrate(fit)
    root, step, origin = np.empty((d, d)), np.empty(d), np.empty(d)
    for _ in range(_NEWTON_STEPS):
        if fit.log_c[0] == np.inf or not factorize(fit.covariance, root):
            return False
        step[:] = fit.sample - fit.mean
        solve_lower(root, step)
        solve_upper(root, step)
        promised = 0.0
        for j in range(d):
            promised += n * (fit.sample[j] - fit.mean[j]) * step[j]
            origin[j] = theta[j]
        previous, proportion = fit.gain[0], _proportion_within(fit, step)
        for _ in range(_HALVINGS):
            theta[:] = origin + proportion * step
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
    lower /= c
    upper /= c
    inner /= c
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
        for j in range(min(d, i + 2)):
            for power in range(COEFFICIENTS):
                q[i, power] += theta[j] * fit.pieces[i, j, power]
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
                p = pieces[i, m]
                covariance[j, m] += p[0] * v[0] + p[1] * v[1] + p[2] * v[2] + p[3] * v[3]
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
