"""Scale of scores: their range, and the grid that they lie on.

Scores of another measure, or in another unit, can be read through factors without an error, and
the result looks like scores. Their scale gives them away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.multiples import denominators
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.notes import named
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies.direction import LowerIsBetter

#: The finest grid; decimals of a printed score do not count as a grid.
_FINEST = 1000
# Every 1/q for a q of up to 10, or with few decimals, is a multiple of one of these: 1/k.
_COARSE = (2520, 1000)
# Number of scores that are checked first, since there may be many.
_FIRST = 2000
# Number of scores from which the median and the proportion of fractions are computed.
_SOME = 500
# Scores between the ends that are enough to find the grid of a reference; 0 and 1 are on all grids.
_ENOUGH = 20
# New systems of the same measure may have scores outside of the range, more with fewer systems and
# topics. Usually their proportion is at most 0.05 + 1.8 / systems + 1 / sqrt(topics), and their
# distance at most the width of the range times 1 + 80 / systems + 10 / topics.
_FEW = 0.05
_FEW_BY_SYSTEMS = 1.8
_FAR_BY_SYSTEMS = 80.0
_FAR_BY_TOPICS = 10.0
# If the largest score is below this proportion of the largest reference score, the scores are in
# another unit, provided that their median is a usual proportion of their largest. A weak system
# has many scores near 0 and a few larger ones; with fewer scores than this it may not.
_SMALL = 0.02
_ORDINARY = 1 / 3
_SCORES = 30
# New scores have another grid if scores like those of the reference would be on it with at
# most this probability.
_CHANCE = 1e-6
# Largest ratio of standard deviations of scores in the same unit.
_OTHER_UNIT = 10.0
# If most scores are at most 1: largest proportion of others that may be mistakes, and their size.
_STRAY = 0.01
_FAR = 2.0


@dataclass(frozen=True)
class Scale:
    """Range of reference scores; they are whole multiples of 1 / grid, or grid is None.

    `middle` is about their median. `coarse` is about the proportion of fractions such as 1/2 and
    0.3 among those between the ends. Both are None if they are not known.
    """

    low: float
    high: float
    grid: int | None = None
    middle: float | None = None
    coarse: float | None = None

    @classmethod
    def of(cls, scores: Array) -> Scale | None:
        """Return the scale of scores, None if there is none."""
        low, high = float(np.fmin.reduce(scores, axis=None)), float(np.fmax.reduce(scores, None))
        if np.isnan(low):
            return None
        some = np.sort(_some(scores))
        middle = float(some[len(some) // 2]) if some.size else None
        return cls(low, high, _grid(scores, low, high), middle, _coarse(some, low, high))

    def cautions(self, scores: Array, systems: int) -> list[str]:
        """Return sentences on `scores`, topics x systems, that are on another scale.

        `systems` is the number of reference systems.
        """
        present = scores[~np.isnan(scores)]
        if not present.size:
            return []
        width = self.high - self.low
        outside = (present < self.low) | (present > self.high)
        beyond = max(self.low - float(present.min()), float(present.max()) - self.high)
        far = beyond > width * (1 + _FAR_BY_SYSTEMS / systems + _FAR_BY_TOPICS / len(scores))
        most = _FEW + _FEW_BY_SYSTEMS / systems + 1 / math.sqrt(len(scores))
        unit = "are they of the same measure, in the same unit?"
        # One score less, so that one of three is not a large proportion.
        if width and (far or np.count_nonzero(outside) - 1 > most * present.size):
            worst = present[outside][np.abs(present[outside] - (self.low + width / 2)).argmax()]
            are = "is" if outside.sum() == 1 else "are"
            return [
                f"{outside.sum():,} of {present.size:,} scores {are} outside of the range of the "
                f"reference scores, {self.low:g} to {self.high:g}, such as {worst:g}: {unit}"
            ]
        if self._are_far_below(present):
            return [
                f"all {present.size:,} scores are at most {present.max():g}, and the reference "
                f"scores go up to {self.high:g}: {unit}"
            ]
        other = self._other_grid(scores, present)
        return [f"{other}: are they of the same measure?"] if other else []

    def _are_far_below(self, scores: Array) -> bool:
        """Tell whether scores are like those of the reference, and many times smaller."""
        if self.middle is None or self.low < 0 or scores.size < _SCORES or scores.min() < 0:
            return False
        largest = float(scores.max())
        if not 0 < largest <= _SMALL * self.high:
            return False
        median = float(np.median(scores))  # takes longer than all of the above
        return median > 0 and median / largest >= _ORDINARY * self.middle / self.high

    def _other_grid(self, scores: Array, present: Array) -> str:
        """Return what is wrong if scores are on another grid, else ""."""
        if self.grid is not None:
            off = present.size - np.count_nonzero(_on_grid(present, self.grid))
            if off:
                are = "is" if off == 1 else "are"
                return (
                    f"the reference scores are multiples of 1/{self.grid}, and {off:,} of "
                    f"{present.size:,} scores {are} not"
                )
        grid = _common_grid(present)
        if grid is None or grid > (self.grid or _FINEST) / 2:
            return ""
        # A score of the reference that is no end is on the grid so often. The scores of a topic
        # go together, as where few documents are relevant, so that a topic counts once.
        between = (scores > self.low) & (scores < self.high)
        one = self.coarse if self.grid is None else grid / self.grid
        topics = int(np.count_nonzero(between.any(axis=1)))
        if one is None or one**topics > _CHANCE:
            return ""
        theirs = "not" if self.grid is None else f"of 1/{self.grid}"
        return f"the scores are multiples of 1/{grid}, and the reference scores are {theirs}"


def topics_of_scale(
    given: ScoreMatrix, lower_is_better: LowerIsBetter, topics: Sequence[str]
) -> ScoreMatrix:
    """Return the part of a matrix that a scale is of; `topics` are those of the reference.

    It is of the topics on which higher is better, unless there are none: perplexity beside
    accuracy has a scale of its own.
    """
    lower = set(direction.reversed_topics(lower_is_better, topics))
    if not lower or lower.issuperset(topics):
        return given
    return given.take([topic not in lower for topic in given.topics])


def mixed_scales(given: ScoreMatrix, lower_is_better: LowerIsBetter = ()) -> list[str]:
    """Return a sentence if a few scores, a system or a topic are on another scale than the rest.

    It is of scores from 0 to 1: a few of 2 or more, or a system or a topic most of whose scores
    are above 1 where all others have none. Topics on which lower is better are left out, unless
    it is on all.
    """
    given = topics_of_scale(given, lower_is_better, given.topics)
    if not (given.values > 1).any():
        return []
    above = ScoresAboveOne(len(given.systems))
    above.add(given.topics, given.values)
    return above.cautions(given.systems)


class ScoresAboveOne:
    """Where scores are above 1 and where they are not, of one part of the topics after another."""

    def __init__(self, systems: int) -> None:
        self._count = self._present = self._topics = self._rows = 0
        self._negative = False
        # By system: how many scores are above 1, the largest of all, and those next to 1.
        self._above, self._others = np.zeros((2, systems), dtype=np.int64)
        self._largest, self._up_to_one = np.full((2, systems), -np.inf)
        self._over_one = np.full(systems, np.inf)
        self._first: tuple[str, int, float] | None = None
        self._last_topic = "", np.zeros(0)

    def add(self, topics: Sequence[str], values: Array) -> None:
        """Add topics with their scores (topics, systems)."""
        self._topics += len(topics)
        present = np.count_nonzero(~np.isnan(values), axis=0)
        self._present += int(present.sum())
        self._negative |= bool((values < 0).any())
        above = values > 1
        count = np.count_nonzero(above, axis=0)
        self._above += count
        self._others += present - count
        if values.size:
            self._up_to_one = np.fmax(self._up_to_one, _greatest(values, ~above))
        if not count.any():
            return
        self._count += int(count.sum())
        self._largest = np.fmax(self._largest, _greatest(values, above))
        self._over_one = np.fmin(self._over_one, -_greatest(-values, above))
        rows = np.flatnonzero(above.any(axis=1))
        self._rows += len(rows)
        self._last_topic = topics[rows[-1]], values[rows[-1]]
        if self._first is None:
            row, column = np.argwhere(above)[0]
            self._first = topics[row], int(column), float(values[row, column])

    def cautions(self, systems: Sequence[str]) -> list[str]:
        """Return the sentence of `mixed_scales`, if there is one."""
        if self._first is None or self._negative:
            return []
        question = "and all others are from 0 to 1: are they on one scale?"
        found = np.flatnonzero(self._above)
        if len(found) == 1 and len(systems) > 2 and self._median_is_above(found[0]):
            return [
                f"system {systems[found[0]]!r} has scores up to {self._largest[found[0]]:g}, "
                f"{question}"
            ]
        topic, own = self._last_topic
        if self._rows == 1 and self._topics > 2 and np.nanmedian(own) > 1:
            return [f"topic {topic!r} has scores up to {np.fmax.reduce(own):g}, {question}"]
        few = self._count <= max(1, _STRAY * self._present)
        if few and self._largest.max() >= _FAR and self._present > 2:
            verb = "is" if self._count == 1 else "are"
            topic, system, score = self._first
            return [
                f"{self._count:,} of {self._present:,} scores {verb} above 1, such as {score:g} of "
                f"system {systems[system]!r} on topic {topic!r}, {question}"
            ]
        return []

    def _median_is_above(self, system: int) -> bool:
        """Tell whether the median score of a system is above 1, without the scores between."""
        above, others = int(self._above[system]), int(self._others[system])
        if above != others:
            return above > others
        return bool((self._up_to_one[system] + self._over_one[system]) / 2 > 1)


def _greatest(values: Array, where: BoolArray) -> Array:
    """Return the largest score of each column where it is asked for, -inf if there is none."""
    largest: Array = np.fmax.reduce(np.where(where, values, -np.inf), axis=0)
    return largest


def mixed_units(given: ScoreMatrix, lower_is_better: LowerIsBetter = ()) -> list[str]:
    """Return a sentence if scores whose unit a scheme keeps are on several scales.

    Lower is better on topics of another measure than that of the rest. If their scores spread
    otherwise as well, one measure decides every mean. Topics of one measure are told as by
    `mixed_scales`, whatever their direction.
    """
    lower = direction.reversed_topics(lower_is_better, given.topics)
    if 0 < len(lower) < len(given.topics):
        left = set(lower)
        own, others = (
            _spread(given.values[[(topic in left) == side for topic in given.topics]])
            for side in (True, False)
        )
        if max(own, others) > _OTHER_UNIT * min(own, others) > 0:
            return [
                f"scores have a standard deviation of about {own:.2g} on {named(lower)}, where "
                f"lower is better, and of {others:.2g} on the others: on several scales they have "
                "no common mean, unless they are standardized"
            ]
    return mixed_scales(given)


def _spread(scores: Array) -> float:
    """Return the median of the standard deviations of the topics, 0 if there is none."""
    some = scores[np.count_nonzero(~np.isnan(scores), axis=1) > 1]
    return float(np.median(np.nanstd(some, axis=1, ddof=1))) if len(some) else 0.0


def _grid(scores: Array, low: float, high: float) -> int | None:
    """Return the q of which all scores are k / q, if there are enough of them to tell."""
    q = _common_grid(scores)
    if q is None:
        return None
    between = np.count_nonzero((scores > low) & (scores < high))
    return q if between >= max(_ENOUGH, 5 * q) else None


def _common_grid(scores: Array) -> int | None:
    """Return the q of which all scores are k / q, if it is no number of decimals."""
    some = scores.reshape(-1)[:_FIRST]
    some = some[~np.isnan(some)]
    q = denominators(some[np.newaxis])[0] if some.size else np.nan
    return int(q) if q <= _FINEST and _on_grid(scores, int(q)).all() else None


def _some(scores: Array) -> Array:
    """Return some of the scores that are present, of all topics and systems."""
    places = np.arange(scores.size)
    if scores.size > _SOME:  # steps of a large prime, which no number of systems divides
        places = places[:_SOME] * 1_000_003 % scores.size
    some = scores[places // scores.shape[1], places % scores.shape[1]]
    return np.asarray(some[~np.isnan(some)])


def _coarse(scores: Array, low: float, high: float) -> float:
    """Return the proportion of scores between the ends that are coarse, one more counted."""
    between = scores[(scores > low) & (scores < high)]
    coarse = _on_grid(between, _COARSE[0]) | _on_grid(between, _COARSE[1])
    return float((np.count_nonzero(coarse) + 1) / (between.size + 1))


def _on_grid(scores: Array, grid: int) -> BoolArray:
    """Tell which scores are whole multiples of 1/grid; missing ones are."""
    with np.errstate(over="ignore"):
        return np.asarray((np.rint(scores * grid) / grid == scores) | np.isnan(scores))
