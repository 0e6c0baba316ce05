"""Centering on the mean of the topic."""

from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import extremes
from cdfscore.stats.schemes.base import SAME, LinearScheme, Parameters


@dataclass(frozen=True)
class Centered(LinearScheme):
    """Centering: each score as a difference from the mean of the topic.

    y = x - mean, with the mean of the n reference scores; Mizzaro and Robertson (2007), as in
    Webber, Moffat and Zobel (2008), Section 6. Except for rounding error, differences between
    systems do not change, so that paired tests of the mean have the same p values. Scores have
    shape (..., n); y has the unit of the score and is unbounded.

    Constant topic: y is x - mean as on other topics, 0 at the common score. The parameter
    `spread`, max - min, identifies such topics and is in no formula.

    Raises `FitError` for a topic without reference scores, or with scores so large that max - min
    overflows.

    Specified in centered.1.

    Examples
    --------
    >>> Centered().fit([0.25, 0.5, 0.75])([0.25, 1.0]).tolist()
    [-0.25, 0.5]
    """

    formula = "y = x - mean(x_i)"
    source = "Mizzaro and Robertson (2007), as in Webber, Moffat and Zobel (2008), Section 6"
    basis = "by the mean of the scores of"
    needs_spread = False
    keeps_unit = True
    tolerance = SAME

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        return {"mean": mean(scores), "spread": high - low}

    def evaluate(self, x: Array, mean: Array, spread: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(x - mean)

    def constant(self, mean: Array, spread: Array) -> BoolArray:
        return np.equal(spread, 0)
