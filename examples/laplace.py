"""A scheme of one's own: the Laplace distribution around the median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.moments import mean
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes import Distribution, Parameters


@dataclass(frozen=True)
class Laplace(Distribution):
    """Scores are taken to be Laplace distributed around their median."""

    formula = "y = exp(-|x - median| / scale) / 2 left of the median, 1 minus that right of it"
    source = "maximum likelihood for the Laplace distribution"

    def estimate(self, scores: Array) -> Parameters:
        median = np.nanmedian(scores, axis=-1, keepdims=True)
        return {"median": median, "scale": mean(np.abs(scores - median))}

    def evaluate(self, x: Array, median: Array, scale: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.where(x == median, 0.0, np.abs(x - median) / scale)
        tail = 0.5 * np.exp(-distance)
        return np.where(x < median, tail, 1.0 - tail)

    def support(self, median: Array, scale: Array) -> tuple[Array, Array]:
        infinity = np.where(scale > 0, np.inf, 0.0)
        return median - infinity, median + infinity

    def constant(self, median: Array, scale: Array) -> BoolArray:
        return np.equal(scale, 0)
