"""Raw scores, without standardization."""

from dataclasses import dataclass

from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import LinearScheme, Parameters


@dataclass(frozen=True)
class Raw(LinearScheme):
    """No standardization: y = x, in the unit of the score.

    Nothing is fitted, so a constant topic is like any other. Scores have shape (..., n).

    Raises `FitError` for a topic without reference scores.

    Specified in raw.1.

    Examples
    --------
    >>> Raw().fit([0.1, 0.2])([0.3]).tolist()
    [0.3]
    """

    formula = "y = x"
    source = "the baseline of Urbano, Lima and Hanjalic (2019)"
    needs_spread = False
    keeps_unit = True
    tolerance = Tolerance(0, "y is the score itself")

    def estimate(self, scores: Array) -> Parameters:
        return {}

    def evaluate(self, x: Array) -> Array:
        return x.copy()
