"""Exponential distribution, shifted to the minimum."""

from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import extremes, quantile_where_constant
from cdfscore.stats.schemes.base import Distribution, Parameters


@dataclass(frozen=True)
class Exponential(Distribution):
    """Exponential distribution of the scores of a topic, above their minimum.

    y = 1 - exp(-(x - min) / scale) right of min, 0 left of it; scale = mean(x_i - min) is
    the maximum likelihood estimate, over the n reference scores. Markov's Sum normalization
    assumes this distribution (Linear Score Normalization Revisited, Sum).
    Scores have shape (..., n); y has no unit and lies in [0, 1).

    Constant topic: as the scale goes to 0, y goes to 1 right of the common score. At it and
    left of it, y is 0 for any scale.

    Raises `FitError` for a topic without reference scores.

    Specified in exponential.1 and exponential.2.

    Examples
    --------
    >>> Exponential().fit([0.1, 0.2, 0.3])([0.1, 0.2]).round(4).tolist()
    [0.0, 0.6321]
    """

    formula = "y = 1 - exp(-(x - min) / mean(x_i - min)) for x >= min"
    source = "Markov, Linear Score Normalization Revisited, Sum"
    free_parameters = 2
    rests_on_extremes = True
    tolerance = Tolerance(
        4, "R's pexp takes the rate, which is the rounded reciprocal of the scale"
    )

    def estimate(self, scores: Array) -> Parameters:
        low, _ = extremes(scores)
        with np.errstate(invalid="ignore"):  # distances that overflow; their mean is refused
            return {"min": low, "scale": mean(scores - low)}

    def evaluate(self, x: Array, min: Array, scale: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y: Array = -np.expm1(-(x - min) / scale)
        y[x <= min] = 0.0
        return y

    def inverse(self, p: Array, min: Array, scale: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            q = min - scale * np.log1p(-p)
        return quantile_where_constant(q, p, self.constant(min, scale), min)

    def support(self, min: Array, scale: Array) -> tuple[Array, Array]:
        return min, min + np.where(scale > 0, np.inf, 0.0)

    def crps(self, y: Array, min: Array, scale: Array) -> Array:
        """Jordan, Krueger and Lerch (2019), A."""
        reached = np.where(scale > 0, self.evaluate(y, min, scale), 0.0)
        return np.asarray(np.abs(y - min) + scale * (0.5 - 2 * reached))

    def constant(self, min: Array, scale: Array) -> BoolArray:
        return np.equal(scale, 0)
