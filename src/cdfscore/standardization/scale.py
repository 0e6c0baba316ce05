"""Scale of scores: their range, and the grid that they lie on.

Scores of another measure, or in another unit, can be read through factors without an error, and
the result looks like scores. Their scale gives them away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.multiples import denominators
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.standardization.matrix import ScoreMatrix

#: The finest grid: decimals of a printed score are none.
_FINEST = 1000
# Scores that are looked at before the others, which may be many.
_FIRST = 2000
# Scores between the ends of the scale that tell a grid; 0 and 1 lie on every one.
_ENOUGH = 20
# The largest proportion of scores out of range that is no reason to ask.
_FEW = 0.05
# Of scores of at most 1: the largest proportion of others that may be mistakes, and their size.
_STRAY = 0.01
_FAR = 2.0


@dataclass(frozen=True)
class Scale:
    """Range of reference scores; they are whole multiples of 1 / grid, or grid is None."""

    low: float
    high: float
    grid: int | None = None

    @classmethod
    def of(cls, scores: Array) -> Scale | None:
        """Return the scale of scores, None if there is none."""
        low, high = float(np.fmin.reduce(scores, axis=None)), float(np.fmax.reduce(scores, None))
        return None if np.isnan(low) else cls(low, high, _grid(scores, low, high))

    def cautions(self, scores: Array) -> list[str]:
        """Return sentences on `scores` that are on another scale."""
        present = scores[~np.isnan(scores)]
        width = self.high - self.low
        outside = (present < self.low) | (present > self.high)
        far = (present < self.low - width) | (present > self.high + width)
        found = []
        if width and (far.any() or outside.mean() > _FEW):
            worst = present[outside][np.abs(present[outside] - (self.low + width / 2)).argmax()]
            found.append(
                f"{outside.sum():,} of {present.size:,} scores are outside of the range of the "
                f"reference scores, {self.low:g} to {self.high:g}, such as {worst:g}: are they of "
                "the same measure, in the same unit?"
            )
        elif other := self._other_grid(present):
            found.append(f"{other}: are they of the same measure?")
        return found

    def _other_grid(self, scores: Array) -> str:
        """Return what is wrong if scores are on another grid, else ""."""
        if self.grid is not None:
            off = scores.size - np.count_nonzero(_on_grid(scores, self.grid))
            if off:
                return (
                    f"the reference scores are multiples of 1/{self.grid}, and {off:,} of "
                    f"{scores.size:,} scores are not"
                )
        grid = _grid(scores, self.low, self.high)
        if grid is not None and grid <= (self.grid or _FINEST) / 2:
            theirs = "not" if self.grid is None else f"of 1/{self.grid}"
            return f"the scores are multiples of 1/{grid}, and the reference scores are {theirs}"
        return ""


def mixed_scales(given: ScoreMatrix) -> list[str]:
    """Return a sentence if a few scores, a system or a topic are on another scale than the rest.

    It is of scores from 0 to 1: a few of 2 or more, or a system or a topic most of whose scores
    are above 1 where all others have none.
    """
    values = given.values
    above = values > 1
    if not above.any() or (values < 0).any():
        return []
    count, present = int(above.sum()), int(np.count_nonzero(~np.isnan(values)))
    question = "and all others are from 0 to 1: are they on one scale?"
    for kind, labels, axis in (("system", given.systems, 0), ("topic", given.topics, 1)):
        where = np.flatnonzero(above.any(axis=axis))
        own = np.take(values, where, axis=1 - axis)
        if len(where) == 1 and len(labels) > 2 and np.nanmedian(own) > 1:
            largest = np.fmax.reduce(own, axis=None)
            return [f"{kind} {labels[where[0]]!r} has scores up to {largest:g}, {question}"]
    if count <= max(1, _STRAY * present) and values[above].max() >= _FAR and present > 2:
        row, column = np.argwhere(above)[0]
        verb = "is" if count == 1 else "are"
        return [
            f"{count:,} of {present:,} scores {verb} above 1, such as {values[row, column]:g} of "
            f"system {given.systems[column]!r} on topic {given.topics[row]!r}, {question}"
        ]
    return []


def _grid(scores: Array, low: float, high: float) -> int | None:
    """Return the q of which all scores are k / q, if there are enough of them to tell."""
    some = scores.reshape(-1)[:_FIRST]
    some = some[~np.isnan(some)]
    q = denominators(some[np.newaxis])[0] if some.size else np.nan
    if not q <= _FINEST:
        return None
    between = np.count_nonzero((scores > low) & (scores < high))
    if between < max(_ENOUGH, 5 * q) or not _on_grid(scores, int(q)).all():
        return None
    return int(q)


def _on_grid(scores: Array, grid: int) -> BoolArray:
    """Tell which scores are whole multiples of 1 / grid; missing ones are."""
    return np.asarray((np.rint(scores * grid) / grid == scores) | np.isnan(scores))
