"""Uniform distribution on [min, max]: MinMax normalization."""

from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import extremes, uniform_crps
from cdfscore.stats.schemes.base import SAME, Distribution, Parameters, refuse_rows


@dataclass(frozen=True)
class Minmax(Distribution):
    """MinMax: uniform distribution of the scores of a topic between their extremes.

    y = (x - min) / (max - min), and 0 or 1 outside; Markov, Linear Score Normalization
    Revisited, MinMax. It is the cdf of a uniform distribution on [min, max] of the
    reference scores. Scores have shape (..., n); y has no unit and lies in [0, 1].

    Constant topic: y is 0 left of the common score, 1 right of it, and 1/2 at it, the limit
    for an interval that shrinks to its center.

    Raises `FitError` for a topic without reference scores, or with scores so large that max - min
    overflows.

    Specified in minmax.1 and minmax.2.

    Examples
    --------
    >>> Minmax().fit([0.1, 0.2, 0.5])([0.0, 0.1, 0.3, 0.5]).tolist()
    [0.0, 0.0, 0.49999999999999994, 1.0]
    """

    formula = "y = (x - min) / (max - min) within [min, max]"
    source = "Markov, Linear Score Normalization Revisited, MinMax"
    basis = "by the lowest and the highest of the scores of"
    free_parameters = 2
    rests_on_extremes = True
    tolerance = SAME

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        with np.errstate(over="ignore"):
            refuse_rows(np.isinf(high - low)[..., 0], "max - min is too large for a double")
        return {"min": low, "max": high}

    def evaluate(self, x: Array, min: Array, max: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y = (x - min) / (max - min)
        np.clip(y, 0.0, 1.0, out=y)
        if not np.all(min < max):
            y[(x == min) & (min == max)] = 0.5
        return y

    def inverse(self, p: Array, min: Array, max: Array) -> Array:
        return np.where(p < 1, min + p * (max - min), np.where(np.isnan(p), p, max))

    def support(self, min: Array, max: Array) -> tuple[Array, Array]:
        return min, max

    def crps(self, y: Array, min: Array, max: Array) -> Array:
        return uniform_crps(y, min, max)

    def constant(self, min: Array, max: Array) -> BoolArray:
        return np.equal(min, max)
