"""Beta distribution."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import betainc, betaincinv

from cdfscore.errors import SchemeError, check_one_of
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes._rows import (
    Ends,
    OnDomain,
    extremes,
    inside,
    limit_where_constant,
    quantile_where_constant,
    shrunk,
)
from cdfscore.stats.schemes._shape_likelihood import beta_shapes
from cdfscore.stats.schemes.base import (
    MAXIMA,
    Parameters,
    no_maximum,
    refuse_rows,
    too_little_spread,
)

# Up to here y is within 1e-11 of its true value; beyond, a shape rounded to a double moves it.
_LARGEST_SHAPE = 1e10

Method = Literal["ml", "moments"]


@dataclass(frozen=True)
class Beta(OnDomain):
    """Beta distribution of the scores of a topic, between 0 and 1.

    y = I_x(a, b), the regularized incomplete beta function. With ``method="ml"`` the shapes
    a and b are the maximum-likelihood estimates: digamma(a) - digamma(a + b) = mean(log x_i) and
    digamma(b) - digamma(a + b) = mean(log(1 - x_i)); the log-likelihood is concave, so that
    there is one solution. With ``method="moments"`` the distribution has the mean m and the
    variance v of the n reference scores: a = m c and b = (1 - m) c, c = m (1 - m) / v - 1.
    v has the denominator n, not n - 1, so that every topic with a score between 0 and 1 has a
    fit. Johnson, Kotz and Balakrishnan (1995), chapter 25. Scores have shape (..., n); y has no
    unit and lies in [0, 1].

    The likelihood has no maximum if a score is exactly 0 or 1. ``ends="raise"`` raises a fit
    error for such a topic. ``ends="shrink"`` replaces the reference scores of every topic, for
    either method, by (x_i (n - 1) + 1/2) / n, Smithson and Verkuilen (2006), p. 55. The scores x
    to standardize are not changed: y is 0 at 0 and 1 at 1. The method of moments needs no change.

    Shapes are within 1e-13 of the maximum for scores that differ by 1% or more. I_x is
    SciPy's. Its error is at most 8 ulp for shapes up to 3, and 100 ulp up to 10,000; R's is at
    most 20 and 140 ulp. y is within 3e-14 of F at the shapes.

    Constant topic: y is 0 left of the common score, 1/2 at it and 1 right of it, also if that
    score is 0 or 1. The shapes are given as 1 and are not used.

    Raises `SchemeError` for another method or policy, and `FitError` for a topic with fewer
    than two reference scores; with scores outside [0, 1]; with a score of 0 or 1 (maximum
    likelihood and ``ends="raise"``); with no other scores than 0 and 1 (moments); or with so
    little spread that a shape is above 1e10.

    Specified in beta.1 to beta.4.

    Examples
    --------
    >>> fitted = Beta().fit([0.1, 0.2, 0.4])
    >>> fitted([0.0, 0.2, 1.0]).round(3).tolist()
    [0.0, 0.443, 1.0]
    """

    method: Method = "ml"
    ends: Ends = "raise"

    formula = "y = I_x(a, b), the regularized incomplete beta function"
    source = (
        "Johnson, Kotz and Balakrishnan (1995), chapter 25; Smithson and Verkuilen (2006), p. 55"
    )
    minimum_scores = 2
    seconds_to_fit = 2e-6
    domain = (0.0, 1.0)
    free_parameters = 2
    tolerance = Tolerance.absolute(1e-12, f"{MAXIMA}; rounding the shapes changes y")

    def __post_init__(self) -> None:
        check_one_of(f"{self.name}: method", self.method, get_args(Method), SchemeError)
        check_one_of(f"{self.name}: ends", self.ends, get_args(Ends), SchemeError)

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        if self.method == "ml":
            moved = inside(self.name, scores, self.ends, no_maximum(self.name))
            shapes = beta_shapes(moved.reshape(-1, scores.shape[-1]))
            a, b = (shapes[:, i].reshape(low.shape) for i in (0, 1))
        else:
            a, b = _matched(shrunk(scores) if self.ends == "shrink" else scores)
        spread = low < high
        refuse_rows(
            (spread & (a == 0))[..., 0],
            "all reference scores are 0 or 1, and no beta distribution has their moments; "
            "ends=shrink moves them into (0, 1)",
        )
        refuse_rows(
            (spread & ~(np.maximum(a, b) <= _LARGEST_SHAPE))[..., 0],
            too_little_spread(f"a shape of the beta distribution is above {_LARGEST_SHAPE:g}"),
        )
        a, b = (np.where(spread, shape, 1.0) for shape in (a, b))
        return {"a": a, "b": b, "min": low, "max": high}

    def evaluate(self, x: Array, a: Array, b: Array, min: Array, max: Array) -> Array:
        y = np.asarray(betainc(a, b, np.clip(x, 0.0, 1.0)), dtype=np.float64)
        return limit_where_constant(y, x, np.equal(min, max), min)

    def inverse(self, p: Array, a: Array, b: Array, min: Array, max: Array) -> Array:
        q = np.asarray(betaincinv(a, b, p), dtype=np.float64)
        return quantile_where_constant(q, p, np.equal(min, max), min)


def _matched(scores: Array) -> tuple[Array, Array]:
    """Match mean and variance: m (1 - m) - v is the mean of x (1 - x), without cancellation."""
    m = mean(scores)
    variance = mean((scores - m) ** 2)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = mean(scores * (1.0 - scores)) / variance
        return m * size, (1.0 - m) * size
