"""z-score."""

from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import z_scores
from cdfscore.stats.schemes.base import SAME, LinearScheme, Parameters


@dataclass(frozen=True)
class Z(LinearScheme):
    """z-score: number of standard deviations of a score above the topic's mean.

    y = (x - mean) / sd, with the sample mean and the standard deviation with n - 1 of the
    reference scores; Webber, Moffat and Zobel (2008), Eq. 1. Scores have shape (..., n);
    y is in standard deviations and unbounded.

    Constant topic: as sd goes to 0, y goes to -inf left of the common score and to +inf
    right of it, and is 0 at it.

    Raises `FitError` for a topic with fewer than two reference scores.

    Specified in z.1 and z.2.

    Examples
    --------
    >>> Z().fit([0.1, 0.2, 0.3])([0.1, 0.2, 0.4]).round(4).tolist()
    [-1.0, 0.0, 2.0]
    """

    formula = "y = (x - mean) / sd"
    source = "Webber, Moffat and Zobel (2008), Eq. 1"
    basis = "by the mean and the standard deviation of the scores of"
    minimum_scores = 2
    tolerance = SAME

    def estimate(self, scores: Array) -> Parameters:
        mean, sd = mean_and_sd(scores)
        return {"mean": mean, "sd": sd}

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        return z_scores(x, mean, sd)

    def constant(self, mean: Array, sd: Array) -> BoolArray:
        return np.equal(sd, 0)
