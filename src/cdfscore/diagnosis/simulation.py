"""Simulation of scores from a fitted distribution, rounded as the topic's scores are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.inversion import invert
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Fitted

# The least and the largest uniform number; 0 and 1 may have no finite quantile.
_ENDS = (2.0**-54, 1 - 2.0**-53)
# With more cells, quantiles are no slower.
_MOST_CELLS = 1 << 16
# Parts of the guide for each cell.
_PER_CELL = 8


@dataclass(frozen=True)
class Simulation:
    """Simulator that turns uniform numbers into scores of one fitted topic.

    A score of resolution d is the first multiple of d, x, with F(x + d/2) >= u: the quantile of
    u as it would be written. `at` has the x and `reached` F(x + d/2), where that takes fewer
    values of F than there are scores to draw; else, and for scores of full precision, both are
    empty, and quantiles are rounded. They are the scheme's own, or else found by inverting F.
    `guide` has how many of `reached` are below k / 2^m, which is all that a search needs for most
    numbers u.
    """

    fitted: Fitted
    resolution: Resolution
    at: Array
    reached: Array
    guide: IntArray

    @classmethod
    def of(cls, fitted: Fitted, resolution: Resolution) -> Simulation:
        """Return the simulation of a fit of one row."""
        nowhere = cls(fitted, resolution, np.zeros(0), np.zeros(0), np.zeros(0, np.intp))
        low, high = quantiles(fitted, np.array([_ENDS]))[0].tolist()
        width = resolution.width
        if resolution.source == "assumed" or not (high - low) / width < _MOST_CELLS:
            return nowhere
        first, last = np.rint(resolution.rounded(np.array([low, high])) / width)
        at = resolution.multiple(np.arange(first, last + 1))
        reached = fitted((at + width / 2)[np.newaxis])[0]
        reached = np.maximum.accumulate(reached)
        size = 1 << (_PER_CELL * len(at)).bit_length()
        guide = np.searchsorted(reached, np.arange(size + 1) / size)
        return cls(fitted, resolution, at, reached, guide)

    def scores(self, u: Array) -> Array:
        """Return the scores of uniform numbers in [0, 1), of their shape."""
        inside = np.clip(u, *_ENDS)
        if len(self.at):
            # Numbers k / 2^m are exact, and where no value of F lies between two of them, all
            # numbers between them have the same place.
            k = (inside * (len(self.guide) - 1)).astype(np.intp)
            place = self.guide[k]
            unsure = np.nonzero(place < self.guide[k + 1])
            place[unsure] = np.searchsorted(self.reached, inside[unsure])
            return np.asarray(self.at[np.minimum(place, len(self.at) - 1)])
        drawn = quantiles(self.fitted, inside.reshape(1, -1)).reshape(u.shape)
        return self.resolution.rounded(drawn)

    def within(self, sample: Array) -> tuple[float, float]:
        """Return F at the ends of the domain that no score of a sorted `sample` reaches.

        Uniform numbers between the two give scores that do not reach those ends either.
        """
        low, high = self.fitted.scheme.domain
        half = self.resolution.width / 2
        below, above = 0.0, 1.0
        if math.isfinite(low) and sample[0] > low:
            below = float(self.fitted(np.array([[low + half]]))[0, 0])
        if math.isfinite(high) and sample[-1] < high:
            above = float(self.fitted(np.array([[high - half]]))[0, 0])
        return below, above


def quantiles(fitted: Fitted, p: Array) -> Array:
    """Return the quantiles of a fit, by its scheme or by inverting the cdf."""
    if hasattr(fitted.scheme, "inverse"):
        return fitted.quantile(p)
    low, high = fitted.support
    return invert(fitted, p, low[:, np.newaxis], high[:, np.newaxis])
