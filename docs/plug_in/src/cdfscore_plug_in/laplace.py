"""The Laplace distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from cdfscore.errors import SchemeError
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.schemes import Distribution, Parameters

Centre = Literal["median", "mean"]


@dataclass(frozen=True)
class Laplace(Distribution):
    """Laplace distribution of the scores of a topic, around their median.

    y = exp(-d) / 2 left of the centre and 1 - exp(-d) / 2 right of it, with
    d = |x - centre| / scale. By default this is the maximum likelihood fit: the centre is the
    median, and scale = mean(|x_i - median|). With `centre` "mean", the mean replaces the
    median. Scores have shape (..., n); y has no unit and lies in (0, 1).

    Constant topic: as the scale goes to 0, y is 0 left of the common score, 1/2 at it and 1
    right of it.

    Raises `SchemeError` for another centre, and `FitError` for a topic without reference
    scores.
    """

    centre: Centre = "median"

    formula = "y = exp(-|x - centre| / scale) / 2 left of the centre, 1 minus that right of it"
    source = "maximum likelihood for the Laplace distribution"
    free_parameters = 2
    tolerance = Tolerance(2, "NumPy's exp and the C library's, which R calls, round differently")

    def __post_init__(self) -> None:
        if self.centre not in get_args(Centre):
            raise SchemeError(
                f"laplace: centre={self.centre} is not accepted; expected 'median' or 'mean'"
            )

    def estimate(self, scores: Array) -> Parameters:
        if self.centre == "median":
            location = np.nanmedian(scores, axis=-1, keepdims=True)
        else:
            location = mean(scores)
        return {"location": location, "scale": mean(np.abs(scores - location))}

    def evaluate(self, x: Array, location: Array, scale: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.where(x == location, 0.0, np.abs(x - location) / scale)
        tail = 0.5 * np.exp(-distance)
        return np.where(x < location, tail, 1.0 - tail)

    def inverse(self, p: Array, location: Array, scale: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = -np.log(2.0 * np.minimum(p, 1.0 - p)) * scale
        distance = np.where((scale > 0) | np.isnan(p), distance, 0.0)
        return np.where(p < 0.5, location - distance, location + distance)

    def support(self, location: Array, scale: Array) -> tuple[Array, Array]:
        infinity = np.where(scale > 0, np.inf, 0.0)
        return location - infinity, location + infinity

    def constant(self, location: Array, scale: Array) -> BoolArray:
        return np.equal(scale, 0)
