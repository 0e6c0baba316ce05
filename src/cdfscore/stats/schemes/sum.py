"""Sum normalization."""

from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.moments import total
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes._rows import extremes
from cdfscore.stats.schemes.base import SAME, LinearScheme, Parameters


@dataclass(frozen=True)
class Sum(LinearScheme):
    """Sum normalization: each score as a proportion of the sum, after subtracting the minimum.

    y = (x - min) / sum_i (x_i - min) over the n reference scores, whose y add up to 1;
    Markov, Linear Score Normalization Revisited, Sum. Scores have shape (..., n); y has no
    unit and is unbounded for other systems than the reference.

    Constant topic: as the sum goes to 0, y goes to -inf left of the common score and to +inf
    right of it, and is 0 at it.

    Raises `FitError` for a topic without reference scores.

    Specified in sum.1 and sum.2.

    Examples
    --------
    >>> Sum().fit([0.1, 0.2, 0.3])([0.1, 0.2, 0.3]).round(4).tolist()
    [0.0, 0.3333, 0.6667]
    """

    formula = "y = (x - min) / sum(x_i - min)"
    source = "Markov, Linear Score Normalization Revisited, Sum"
    basis = "by the lowest of the scores, and the sum of those above it, of"
    rests_on_extremes = True
    tolerance = SAME

    def estimate(self, scores: Array) -> Parameters:
        low, _ = extremes(scores)
        return {"min": low, "total": total(scores - low)}

    def evaluate(self, x: Array, min: Array, total: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            y: Array = (x - min) / total
        if not np.all(total):
            y[(x == min) & (total == 0)] = 0.0
        return y

    def constant(self, min: Array, total: Array) -> BoolArray:
        return np.equal(total, 0)
