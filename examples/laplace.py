"""A scheme of one's own: the Laplace distribution around the median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore import Distribution


@dataclass(frozen=True)
class Laplace(Distribution):
    """Scores are taken to be Laplace distributed around their median."""

    formula = "y = 1/2 + sign(x - median) (1 - exp(-|x - median| / scale)) / 2"
    source = "maximum likelihood for the Laplace distribution"

    def estimate(self, scores):
        median = np.nanmedian(scores, axis=-1, keepdims=True)
        scale = np.nanmean(np.abs(scores - median), axis=-1, keepdims=True)
        return {"median": median, "scale": scale}

    def evaluate(self, x, median, scale):
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.where(x == median, 0.0, np.abs(x - median) / scale)
        return 0.5 - 0.5 * np.sign(x - median) * np.expm1(-distance)

    def support(self, median, scale):
        infinity = np.where(scale > 0, np.inf, 0.0)
        return median - infinity, median + infinity

    def constant(self, median, scale):
        return scale == 0
