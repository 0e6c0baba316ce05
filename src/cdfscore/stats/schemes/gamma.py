"""Gamma distribution.

Own code because `scipy.special.gammainc` is 650 ulp off at shapes of 100. The series and the
continued fraction are those of Abramowitz and Stegun (1964), 6.5.29 and 6.5.31.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes._rows import (
    OnDomain,
    extremes,
    limit_where_constant,
    quantile_where_constant,
)
from cdfscore.stats.schemes._shape_likelihood import gamma_shapes
from cdfscore.stats.schemes.base import (
    MAXIMA,
    Parameters,
    at_ends,
    no_maximum,
    refuse_rows,
    too_little_spread,
)

# From here on Stirling's series has all the digits of a double.
_STIRLING = 10.0
# Up to here a^a is a double. Powers are exact where a logarithm times a large shape is not.
_POWERS = 140.0
# Both sums need some multiple of the root of the shape; this is enough for 1e6 and more.
_MOST_TERMS = 100_000
_EPSILON = 2.0**-53

# Beyond this shape y takes 10 us a score, and a scale rounded to a double moves it by 1e-13.
_LARGEST_SHAPE = 2e5


@dataclass(frozen=True)
class Gamma(OnDomain):
    """Gamma distribution of the scores of a topic, from 0 on.

    y = P(shape, x / scale), the regularized lower incomplete gamma function, with the
    parameters of maximum likelihood: log(shape) - digamma(shape) = log(mean) - mean(log x_i)
    and scale = mean / shape, over the n reference scores. The left side decreases from infinity
    to 0 as the shape increases, so that there is one solution; Johnson, Kotz and Balakrishnan
    (1994), chapter 17. Scores have shape (..., n); the scale has the unit of the score, y has
    no unit and lies in [0, 1]. The fit is that of ``from_scipy:dist=gamma,floc=0``.

    The shape is within 1e-14 of the maximum for scores that differ by a few percent. The
    absolute error of P is at most 1e-14. Its relative error is at most 20 ulp for P above 0.1 and
    shapes up to 100, 80 ulp for shapes up to 200,000, and about 800 ulp in the lower tail (R's
    ``pgamma`` and SciPy's ``gammainc`` have errors of this size in places). y is within 1e-14 of
    F at the parameters, because x / scale is rounded.

    Constant topic: y is 0 left of the common score, 1/2 at it and 1 right of it, also if that
    score is 0. Shape and scale are given as 1 and are not used.

    Raises `FitError` for a topic with fewer than two reference scores; with a negative score;
    with a score of 0, since the likelihood then has no maximum; or with so little spread that
    the shape is above 200,000 (a standard deviation below 1/450 of the mean).

    Specified in gamma.1 and gamma.2.

    Examples
    --------
    >>> Gamma().fit([0.1, 0.2, 0.4])([0.0, 0.2]).round(3).tolist()
    [0.0, 0.463]
    """

    formula = "y = P(shape, x / scale), the regularized lower incomplete gamma function"
    source = "Johnson, Kotz and Balakrishnan (1994), chapter 17"
    minimum_scores = 2
    seconds_to_fit = 8e-7
    domain = (0.0, math.inf)
    free_parameters = 2
    # An ulp of x / scale moves y by up to sqrt(shape / (2 pi)) ulp of 1, 180 at the largest shape;
    # Python and R each round the mean, the scale and the quotient.
    tolerance = Tolerance(
        512, f"{MAXIMA}; rounding the scale changes y by up to 180 ulp", floor=1.0
    )

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        spread = low < high
        n, zeros = count(scores)[..., 0], np.sum(scores == 0, axis=-1)
        refuse_rows(
            (spread & (low == 0))[..., 0],
            lambda row: (
                f"{at_ends(int(n.flat[row]), zeros.flat[row])}, {no_maximum(self.name)}; "
                "zero_inflated:family=gamma has a mass at 0"
            ),
        )
        found = gamma_shapes(scores.reshape(-1, scores.shape[-1]))
        shape, mean = (found[:, i].reshape(low.shape) for i in (0, 1))
        refuse_rows(
            (spread & ~(shape <= _LARGEST_SHAPE))[..., 0],
            too_little_spread(f"the shape of the gamma distribution is above {_LARGEST_SHAPE:g}"),
        )
        shape = np.where(spread, shape, 1.0)
        scale = np.where(spread, mean / shape, 1.0)
        return {"shape": shape, "scale": scale, "min": low, "max": high}

    def evaluate(self, x: Array, shape: Array, scale: Array, min: Array, max: Array) -> Array:
        with np.errstate(over="ignore"):
            u = np.maximum(x, 0.0) / scale
        return limit_where_constant(lower_gamma(shape, u), x, np.equal(min, max), min)

    def inverse(self, p: Array, shape: Array, scale: Array, min: Array, max: Array) -> Array:
        return quantile_where_constant(scale * gammaincinv(shape, p), p, np.equal(min, max), min)


def lower_gamma(shape: Array, x: Array) -> Array:
    """P(a, x) for shapes a > 0, (..., 1), at x, (..., m); 0 left of 0, NaN where x is NaN."""
    shapes = np.ascontiguousarray(np.broadcast_to(shape, x.shape)).reshape(-1)
    return np.asarray(_lower(shapes, np.ascontiguousarray(x).reshape(-1)).reshape(x.shape))


@compiled
def _lower(shapes: Array, x: Array) -> Array:
    y = np.empty(len(x))
    for i in range(len(x)):
        a, u = shapes[i], x[i]
        if u != u:
            y[i] = np.nan
        elif u <= 0.0:
            y[i] = 0.0
        elif u > 2.0 * a + 800.0:  # 1 - P is below 1e-300, and the power below may overflow
            y[i] = 1.0
        elif u < a + 1.0:
            y[i] = _factor(a, u) * _series(a, u)
        else:
            y[i] = 1.0 - _factor(a, u) * a * _fraction(a, u)
    return y


@compiled
def _factor(a: float, x: float) -> float:
    """x^a exp(-x) / Gamma(a + 1), whose exponent near the mean is a small number."""
    if a < _STIRLING:
        return math.pow(x, a) * math.exp(-x) / math.gamma(a + 1.0)
    e = (x - a) / a
    if abs(e) < 0.4 or (a > _POWERS and -0.9 < e < 9.0):
        # e - log(1 + e) = s (e - 2 s^2 (1/3 + s^2 / 5 + ...)) with s = e / (2 + e).
        s = e / (2.0 + e)
        square, power, total = s * s, 1.0, 0.0
        k = 3.0
        while power / k > _EPSILON * total:
            total += power / k
            power *= square
            k += 2.0
        excess = s * (e - 2.0 * square * total)
        near = math.exp(-a * excess)
    elif a < _POWERS and a * math.log(x) > 700.0:  # the power alone would overflow
        root = math.pow(x, a / 2.0) / math.pow(a, a / 2.0) * math.exp((a - x) / 2.0)
        near = root * root
    elif a <= _POWERS:
        near = math.pow(x, a) / math.pow(a, a) * math.exp(a - x)
    else:
        near = math.exp(-a * (e - math.log(x / a)))
    r = 1.0 / (a * a)
    stirling = 1 / 1188 - r * (691 / 360360 - r * (1 / 156 - r * 3617 / 122400))
    stirling = 1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * stirling)))
    stirling /= a
    return near * math.exp(-stirling) / math.sqrt(2.0 * math.pi * a)


@compiled
def _series(a: float, x: float) -> float:
    term, total = 1.0, 1.0
    for k in range(1, _MOST_TERMS):
        term *= x / (a + k)
        total += term
        if term < _EPSILON * total:
            break
    return total


@compiled
def _fraction(a: float, x: float) -> float:
    """1 / (x + 1 - a - (1 - a) / (x + 3 - a - 2 (2 - a) / ...)), 6.5.31, by Lentz's method."""
    b = x + 1.0 - a
    d = 1.0 / b
    c, value = np.inf, d
    for k in range(1, _MOST_TERMS):
        numerator = k * (a - k)
        b += 2.0
        d = 1.0 / (b + numerator * d)
        c = b + numerator / c
        change = c * d
        value *= change
        if abs(change - 1.0) <= 2.0 * _EPSILON:
            break
    return value
