"""Gamma distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.moments import count
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import extremes, quantile_with_limit, with_limit
from cdfscore.schemes._refusals import at_ends, no_maximum, refuse_rows, too_little_spread
from cdfscore.schemes.base import MAXIMA, Distribution, Parameters

# Beyond this shape y takes 10 us a score, and a scale rounded to a double moves it by 1e-13.
_LARGEST_SHAPE = 2e5


@dataclass(frozen=True)
class Gamma(Distribution):
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
    domain = (0.0, math.inf)
    free_parameters = 2
    # An ulp of x / scale moves y by up to sqrt(shape / (2 pi)) ulp of 1, 180 at the largest shape;
    # Python and R each round the mean, the scale and the quotient.
    tolerance = Tolerance(
        512, f"{MAXIMA}; rounding the scale changes y by up to 180 ulp", floor=1.0
    )

    def estimate(self, scores: Array) -> Parameters:
        from cdfscore.schemes._shape_likelihood import gamma_shapes

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
        from cdfscore.schemes._incomplete_gamma import lower_gamma

        with np.errstate(over="ignore"):
            u = np.maximum(x, 0.0) / scale
        return with_limit(lower_gamma(shape, u), x, min, max)

    def inverse(self, p: Array, shape: Array, scale: Array, min: Array, max: Array) -> Array:
        """Return scale times SciPy's ``gammaincinv``."""
        from scipy.special import gammaincinv

        return quantile_with_limit(scale * gammaincinv(shape, p), p, min, max)

    def support(self, shape: Array, scale: Array, min: Array, max: Array) -> tuple[Array, Array]:
        spread = min < max
        return np.where(spread, 0.0, min), np.where(spread, np.inf, max)

    def constant(self, shape: Array, scale: Array, min: Array, max: Array) -> BoolArray:
        return np.equal(min, max)
