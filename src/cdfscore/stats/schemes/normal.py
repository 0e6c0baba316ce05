"""Normal distribution: N-std."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import quantile_where_constant, z_scores
from cdfscore.stats.schemes.base import PNORM, Distribution, Parameters


@dataclass(frozen=True)
class Normal(Distribution):
    """N-std: normal distribution of the scores of a topic.

    y = Phi((x - mean) / sd), with the sample mean and the standard deviation with n - 1 of
    the reference scores; Webber, Moffat and Zobel (2008), Eq. 1 and 2, and Urbano, Lima and
    Hanjalic (2019), Eq. 5. Scores have shape (..., n); y has no unit and lies in [0, 1].

    Constant topic: as sd goes to 0, y goes to 0 left of the common score, 1/2 at it and 1
    right of it.

    Raises `FitError` for a topic with fewer than two reference scores.

    Specified in normal.1 to normal.3 and webber_moffat.2.

    Examples
    --------
    >>> fitted = Normal().fit([0.1, 0.2, 0.3])
    >>> fitted([0.1, 0.2, 0.3]).round(4).tolist()
    [0.1587, 0.5, 0.8413]
    """

    formula = "y = Phi((x - mean) / sd)"
    source = "Webber, Moffat and Zobel (2008), Eq. 1 and 2"
    basis = "by a normal distribution with the mean and the standard deviation of the scores of"
    free_parameters = 2
    location_scale = True
    minimum_scores = 2
    # R's pnorm is 0 left of -37.52, where Phi is 4.6e-308, 3 ulp of 1e-292.
    tolerance = Tolerance(11, PNORM, floor=1e-292, real=8)

    def estimate(self, scores: Array) -> Parameters:
        mean, sd = mean_and_sd(scores)
        return {"mean": mean, "sd": sd}

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        return normal_cdf(z_scores(x, mean, sd))

    def inverse(self, p: Array, mean: Array, sd: Array) -> Array:
        with np.errstate(invalid="ignore"):
            q = mean + sd * ndtri(p)
        return quantile_where_constant(q, p, np.equal(sd, 0), mean)

    def support(self, mean: Array, sd: Array) -> tuple[Array, Array]:
        infinity = np.where(sd > 0, np.inf, 0.0)
        return mean - infinity, mean + infinity

    def crps(self, y: Array, mean: Array, sd: Array) -> Array:
        """Gneiting and Raftery (2007), section 4.2."""
        z = np.minimum(np.abs(z_scores(y, mean, sd)), 40.0)  # where phi and Phi(-z) are 0
        density = np.exp(-0.5 * z * z) * math.sqrt(2 / math.pi)
        beside = density - 2 * z * normal_cdf(-z) - 1 / math.sqrt(math.pi)
        return np.asarray(np.abs(y - mean) + sd * beside)

    def constant(self, mean: Array, sd: Array) -> BoolArray:
        return np.equal(sd, 0)
