"""Uniform distribution around the mean: U-std."""

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.numbers import finite_number
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import uniform_crps, z_scores
from cdfscore.stats.schemes.base import SAME, Distribution, Parameters, setting_error


@dataclass(frozen=True)
class Uniform(Distribution):
    """U-std: uniform distribution of the scores of a topic around their mean.

    y = max(0, min(1, A z + B)) with z = (x - mean) / sd, the mean and the standard deviation
    with n - 1 of the reference scores; Sakai (2016), and Urbano, Lima and Hanjalic (2019),
    Eq. 3. By their Eq. 6 this is the cdf of a uniform distribution on the scale of z,
    F_U(z; -B/A, (1 - B)/A), and y is computed in this form. Scores have shape (..., n); y has
    no unit and lies in [0, 1]. The defaults A = 0.15 and B = 0.5 are Sakai's.

    Constant topic: as sd goes to 0, y goes to 0 left of the common score, B at it and 1
    right of it.

    Raises `SchemeError` unless A > 0 and 0 <= B <= 1, and `FitError` for a topic with fewer
    than two reference scores.

    Specified in uniform.1 to uniform.4.

    Examples
    --------
    >>> Uniform().fit([0.1, 0.2, 0.3])([0.1, 0.2, 0.3]).round(4).tolist()
    [0.35, 0.5, 0.65]
    """

    A: float = 0.15
    B: float = 0.5

    formula = "y = max(0, min(1, A (x - mean) / sd + B))"
    source = "Sakai (2016); Urbano, Lima and Hanjalic (2019), Eq. 3 and 6"
    basis = "by a uniform distribution around the mean of the scores of"
    free_parameters = 2
    location_scale = True
    minimum_scores = 2
    tolerance = SAME

    def __post_init__(self) -> None:
        a, b = finite_number(self.A), finite_number(self.B)
        if a is None or not (a > 0 and math.isfinite(1 / a)):
            raise setting_error(self.name, "A", self.A, "a number above 0")
        if b is None or not 0 <= b <= 1:
            raise setting_error(self.name, "B", self.B, "a number in [0, 1]")

    def estimate(self, scores: Array) -> Parameters:
        mean, sd = mean_and_sd(scores)
        return {"mean": mean, "sd": sd}

    def evaluate(self, x: Array, mean: Array, sd: Array) -> Array:
        low, high = self._ends()
        y = z_scores(x, mean, sd)
        y -= low
        y /= high - low
        return np.clip(y, 0.0, 1.0, out=y)

    def inverse(self, p: Array, mean: Array, sd: Array) -> Array:
        low, high = self._ends()
        return mean + sd * (low + p * (high - low))

    def support(self, mean: Array, sd: Array) -> tuple[Array, Array]:
        low, high = self._ends()
        return mean + sd * low, mean + sd * high

    def crps(self, y: Array, mean: Array, sd: Array) -> Array:
        return uniform_crps(y, *self.support(mean, sd))

    def constant(self, mean: Array, sd: Array) -> BoolArray:
        return np.equal(sd, 0)

    def _ends(self) -> tuple[float, float]:
        """Return the ends of the distribution on the scale of z, Eq. 6."""
        return -self.B / self.A, (1.0 - self.B) / self.A
