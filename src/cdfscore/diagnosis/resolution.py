"""Resolution of scores, and the probability of a score as written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes.base import Fitted

Source = Literal["given", "found", "assumed"]

#: Largest distance of a score from a multiple of the resolution, as a proportion of it.
NEAR = 1e-9
# Tolerance for rounding, as a proportion of the score, at most a proportion of the resolution.
_ROUNDING, _MOST_ROUNDING = 4 * float(np.finfo(np.float64).eps), 1e-3
# Candidates for the resolution, the widest first: 1 / size of a ranking, then more decimals.
_SIZES = (*range(1, 101), *(10**k for k in range(3, 8)))
#: Proportion of the range of the scores that is taken for scores of full precision.
SHARE = 1e-6


@dataclass(frozen=True)
class Resolution:
    """Width of the cells of scores: x represents a score in (x - width / 2, x + width / 2].

    Every cdf gives x the probability F(x + width / 2) - F(x - width / 2), so that densities are
    comparable with point masses. `source` is "given"; "found" if all scores are multiples of
    `width`; or "assumed" if they are of full precision, and `width` only converts a density to a
    probability. Simulated scores are rounded like the scores, except under "assumed".
    """

    width: float
    source: Source

    def cells(self, fitted: Fitted, x: Array) -> tuple[Array, Array]:
        """Return F at the lower and the upper end of each score's cell, of the shape of x."""
        half = self.width / 2
        return fitted(x - half), fitted(x + half)

    def rounded(self, x: Array) -> Array:
        """Return x rounded to the center of its cell."""
        if self.source == "assumed":
            return x
        return self.multiple(np.ceil(x / self.width - 0.5))

    def multiple(self, k: Array | IntArray) -> Array:
        """Return k times the width, as it is read from decimals: 3/10 and not 3 * 0.1."""
        size = round(1 / self.width)
        if size >= 1 and math.isclose(size * self.width, 1, rel_tol=1e-12):
            return np.asarray(k / size)
        return np.asarray(k * self.width)

    def __str__(self) -> str:
        return f"{self.width:.6g} ({self.source})"


def width_of(given: object) -> float:
    """Return a resolution as a double; raises `ScoresError` unless it is finite and above 0."""
    width = finite_number(given)
    if width is None or width <= 0:
        raise ScoresError(f"resolution={shown(given)} is not accepted; expected a number above 0")
    return width


def resolution_of(scores: Array, given: float | None = None) -> Resolution:
    """Return the resolution of scores (topics, systems), NaN where a score is missing.

    Without `given` it is the widest of 1, 1/2, ..., 1/100, 10^-3, ..., 10^-7 that meets two
    conditions: all scores are its multiples, to 1e-9 of it and rounding; and it is at most the
    range of the scores of each topic that is not constant. It is 0.1 for P@10, 1e-4 for four
    decimals. If there is none, the resolution is 1e-6 of the range of all scores.

    Raises `ScoresError` if `given` is not a finite number above 0, if a score is not a
    multiple of it, if it is wider than the range of a topic's scores, or if it is so small that
    scores in double precision cannot be told to be its multiples.

    Examples
    --------
    >>> resolution_of(np.array([[0.3, 0.35, 1.0]]))
    Resolution(width=0.05, source='found')
    """
    values = scores[~np.isnan(scores)]
    narrowest = _narrowest(scores)
    if given is not None:
        given = width_of(given)
        largest = float(np.abs(values).max(initial=0.0))
        if _ROUNDING * largest > _MOST_ROUNDING * given:
            raise ScoresError(
                f"resolution={given:g} is not accepted: scores of {largest:g} have too few digits "
                f"to be multiples of it; expected {_ROUNDING / _MOST_ROUNDING * largest:.2g} or "
                "more"
            )
        far = ~_multiples(values, given)
        if far.any():
            raise ScoresError(
                f"resolution={given:g} is not accepted: the score {float(values[far][0])!r} is not "
                "a multiple of it; expected a number that all scores are multiples of"
            )
        if given > narrowest * (1 + NEAR):
            raise ScoresError(
                f"resolution={given:g} is not accepted: the scores of a topic are in a range of "
                f"{narrowest:g}; expected no more"
            )
        return Resolution(given, "given")
    for size in _SIZES:
        if 1 / size <= narrowest * (1 + NEAR) and _multiples(values, 1 / size).all():
            return Resolution(1 / size, "found")
    spread = float(np.ptp(values))
    return Resolution(SHARE * (spread or 1.0), "assumed")


def _multiples(values: Array, width: float) -> BoolArray:
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = values / width
        rounding = _ROUNDING * np.abs(ratio)
        near: BoolArray = np.abs(np.rint(ratio) - ratio) <= NEAR + rounding
    return near & (rounding <= _MOST_ROUNDING)


def _narrowest(scores: Array) -> float:
    """Return the least range of the scores of a topic that is not 0; infinite without one."""
    present = ~np.isnan(scores)
    low = np.min(scores, axis=-1, where=present, initial=np.inf)
    high = np.max(scores, axis=-1, where=present, initial=-np.inf)
    return float((high - low)[high > low].min(initial=np.inf))
