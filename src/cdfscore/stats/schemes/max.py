"""Max-normalization."""

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import extremes
from cdfscore.stats.schemes.base import SAME, LinearScheme, Parameters


@dataclass(frozen=True)
class Max(LinearScheme):
    """Max-normalization: each score as a proportion of the highest of the topic.

    y = x / max, with the highest of the n reference scores; Zobel (1998), as in Webber, Moffat and
    Zobel (2008), Section 6. Scores have shape (..., n) and are 0 or more; y has no unit, is at
    most 1 for the reference systems, and may be larger for others.

    Constant topic: y is x / max as on other topics, 1 at the common score. If that score is 0, y
    is 0 at it, and -inf and +inf left and right of it, the limit as max goes to 0.

    Raises `FitError` for a topic without reference scores, or with a negative score, since a
    division by a negative maximum would reverse the order of the systems.

    Specified in max.1 and max.2.

    Examples
    --------
    >>> Max().fit([0.1, 0.2, 0.4])([0.1, 0.4, 0.8]).tolist()
    [0.25, 1.0, 2.0]
    """

    formula = "y = x / max(x_i)"
    source = "Zobel (1998), as in Webber, Moffat and Zobel (2008), Section 6"
    basis = "by the highest of the scores of"
    domain = (0.0, math.inf)
    needs_spread = False
    rests_on_extremes = True
    tolerance = SAME

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        return {"min": low + 0.0, "max": high + 0.0}  # a score of -0 is 0

    def evaluate(self, x: Array, min: Array, max: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y: Array = x / max
        if not np.all(max):
            y[(x == 0) & (max == 0)] = 0.0
        return y

    def constant(self, min: Array, max: Array) -> BoolArray:
        return np.equal(min, max)
