"""Cautions on standardized scores: few reference systems, and mixed scales."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.common.text import counted, kept, named, part_of
from cdfscore.errors import FitError
from cdfscore.standardization import policies
from cdfscore.standardization.policies import ConstantPolicy, LowerIsBetter, ScoreMatrix, used
from cdfscore.stats.numerics.multiples import denominators
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Distribution, Fitted, Scheme, scheme_label

# --- Reference systems: how many, what they reach, whether others are of their kind ---


def beyond_ends(fitted: Fitted, x: Array) -> tuple[IntArray, IntArray]:
    """Return how many scores of each row are below and above the distribution of the row.

    `x` is (rows, m). There are none where all reference scores are equal. Specified in censored.1.
    """
    if not isinstance(fitted.scheme, Distribution):
        return np.zeros(len(x), dtype=np.int64), np.zeros(len(x), dtype=np.int64)
    low, high = (np.broadcast_to(end, len(x))[:, np.newaxis] for end in fitted.support)
    varies = ~np.broadcast_to(fitted.constant, len(x))
    below, above = ((x < low).sum(axis=1), (x > high).sum(axis=1))
    return below * varies, above * varies


#: Reference systems below which results depend on which they are, unless a scheme needs more.
FEW_SYSTEMS = Scheme.enough_systems

# Two scores of a topic, at different places and distances: a scheme that fits a location and a
# scale gives the same two y to each.
_PAIRS = np.array([[0.25, 0.75], [0.5, 0.53125], [0.125, 0.9375]])


def few_systems(count: int | None, scheme: Scheme | None = None) -> list[str]:
    """Return a sentence if a scheme is fitted to few systems; `count` is None if not known."""
    enough = FEW_SYSTEMS if scheme is None else scheme.enough_systems
    if count is None or count >= enough:
        return []
    if count == 2 and scheme is not None and _gives_any_two_the_same(scheme):
        return [
            "2 reference systems: on each topic they get the same two standardized scores for "
            "any difference of their scores, so that a test of the two is a sign test"
        ]
    return [
        f"with {counted(count, 'reference system')}, fewer than {enough}, results depend on which "
        "systems they are"
    ]


def _gives_any_two_the_same(scheme: Scheme) -> bool:
    try:
        y = scheme.fit(_PAIRS)(_PAIRS)
    except FitError:
        return False
    return bool(np.allclose(y, y[0], rtol=1e-9, atol=1e-12))


# The numbers of the clause reference.1.
_BY_CHANCE, _APART, _BEYOND, _DIGITS = 1e-3, 0.2, 0.1, 1e-3
_QUESTION = "are they of the same measure, on the same judgments?"


def unlike_the_reference(given: ScoreMatrix, reference: ScoreMatrix) -> list[str]:
    """Return sentences on systems whose scores do not look like those of the reference systems.

    Specified in reference.1.
    """
    there = {topic: row for row, topic in enumerate(reference.topics)}
    rows = [row for row, topic in enumerate(given.topics) if topic in there]
    theirs = reference.values[[there[given.topics[row]] for row in rows]]
    own, topics = given.values[rows], [given.topics[row] for row in rows]
    place = {name: column for column, name in enumerate(reference.systems)}
    shared = [column for column, name in enumerate(given.systems) if name in place]
    found = []
    if shared and len(topics):
        width = np.nanmax(theirs, initial=-np.inf) - np.nanmin(theirs, initial=np.inf)
        same = theirs[:, [place[given.systems[column]] for column in shared]]
        apart = np.abs(own[:, shared] - same) > _DIGITS * width
        if apart.any():
            names = [given.systems[shared[i]] for i in np.flatnonzero(apart.any(axis=0))]
            are = "is" if len(names) == 1 else "are"
            where = part_of(int(apart.any(axis=1).sum()), len(topics), "topic")
            found.append(
                f"{counted(len(names), 'system')} ({kept(*names)}) {are} in the reference too, "
                f"with other scores on {where}: {_QUESTION}"
            )
    new = np.delete(own, shared, axis=1)
    complete = ~np.isnan(new).any(axis=1) & ~np.isnan(theirs).any(axis=1)
    return [*found, *_apart(new[complete], theirs[complete])]


def _apart(new: Array, reference: Array) -> list[str]:
    """Return the sentences on new systems (topics, m) beside reference systems (topics, n)."""
    (topics, m), n = new.shape, reference.shape[1]
    if not m or topics < 2 or n < 2:
        return []
    beyond, ordered, found = int(_BEYOND * n), np.sort(reference, axis=1), list[str]()
    for side, is_apart in (
        ("below", new.max(axis=1) < ordered[:, beyond]),
        ("above", new.min(axis=1) > ordered[:, n - 1 - beyond]),
    ):
        # Topics go together, but the expected share is this chance (Markov's inequality).
        if (share := is_apart.mean()) >= _APART and 2 * _chance(m, beyond, n) <= _BY_CHANCE * share:
            found.append(
                f"all {m} new systems are {side} {n - beyond} or more of the {n} reference systems "
                f"on {part_of(int(is_apart.sum()), topics, 'topic')}: {_QUESTION}"
            )
    if n >= FEW_SYSTEMS:
        total = reference.sum(axis=1, keepdims=True)
        with_others = _correlations(reference, (total - reference) / (n - 1))
        own = np.nanmax(_correlations(new, total / n), initial=-1)
        lower, middle = int((with_others <= own).sum()), float(np.nanmedian(with_others))
        if own <= middle / 2 and _chance(m, lower, n) <= _BY_CHANCE:
            found.append(
                f"the {m} new systems find other topics difficult than the reference systems do: "
                f"their correlation with its mean over topics is at most {own:.2f}, and that of a "
                f"reference system is {middle:.2f} in the median: {_QUESTION}"
            )
    return found


def _chance(m: int, lower: int, n: int) -> float:
    """Return the probability that m of m + n systems at random are the lowest but `lower`."""
    return math.comb(m + lower, m) / math.comb(m + n, m)


def _correlations(x: Array, y: Array) -> Array:
    x, y = (each - each.mean(axis=0) for each in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((x * y).sum(axis=0) / np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0)))


# --- Scale of scores: their range, and the grid that they lie on ---

# The numbers of the clauses scale.1 to scale.3, in their order.
_FEW, _FEW_BY_SYSTEMS, _FAR_BY_SYSTEMS, _FAR_BY_TOPICS = 0.05, 1.8, 80.0, 10.0
_SCORES, _SMALL, _ORDINARY = 30, 0.02, 1 / 3
_FINEST, _ENOUGH, _CHANCE, _SOME = 1000, 20, 1e-6, 500
_STRAY, _FAR, _OTHER_UNIT = 0.01, 2.0, 10.0
# Every 1/q for a q of up to 10, or with few decimals, is a multiple of one of these: 1/k.
_COARSE = (2520, 1000)
# Numbers of scores that are looked at, and checked, first, since there may be many.
_LOOK, _FIRST = 4, 2000


@dataclass(frozen=True)
class Scale:
    """Range of reference scores; they are whole multiples of 1 / grid, or grid is None.

    `middle` is about their median, and `coarse` about the proportion of fractions such as 1/2 and
    0.3 among those between the ends; None if not known.
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
        places = np.arange(scores.size)
        if scores.size > _SOME:  # steps of a large prime, which no number of systems divides
            places = places[:_SOME] * 1_000_003 % scores.size
        some = scores[places // scores.shape[1], places % scores.shape[1]]
        some = np.sort(some[~np.isnan(some)])
        middle = float(some[len(some) // 2]) if some.size else None
        grid = _common_grid(scores)
        between = np.count_nonzero((scores > low) & (scores < high))
        if grid is not None and between < max(_ENOUGH, 5 * grid):  # too few of them to tell
            return cls(low, high, None, middle)
        inner = some[(some > low) & (some < high)]
        coarse = np.count_nonzero(_on_grid(inner, _COARSE[0]) | _on_grid(inner, _COARSE[1]))
        # One more counted.
        return cls(low, high, grid, middle, float((coarse + 1) / (inner.size + 1)))

    def cautions(self, scores: Array, systems: int) -> list[str]:
        """Return sentences on `scores`, topics x systems, that are on another scale."""
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
    """Return the part of a matrix that a scale is of: where higher is better, if there is any."""
    lower = set(policies.reversed_topics(lower_is_better, topics))
    if not lower or lower.issuperset(topics):
        return given
    return given.take([topic not in lower for topic in given.topics])


def mixed_scales(given: ScoreMatrix, lower_is_better: LowerIsBetter = ()) -> list[str]:
    """Return a sentence if a few scores, a system or a topic are on another scale than the rest.

    It is of scores from 0 to 1: a few of 2 or more, or a system or a topic most of whose scores
    are above 1 where all others have none.
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
    return np.asarray(np.fmax.reduce(np.where(where, values, -np.inf), axis=0))


def mixed_units(given: ScoreMatrix, lower_is_better: LowerIsBetter = ()) -> list[str]:
    """Return a sentence if scores whose unit a scheme keeps are on several scales.

    On topics where lower is better another measure may decide every mean.
    """
    lower = policies.reversed_topics(lower_is_better, given.topics)
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
    some = scores[np.count_nonzero(~np.isnan(scores), axis=1) > 1]
    return float(np.median(np.nanstd(some, axis=1, ddof=1))) if len(some) else 0.0


def _common_grid(scores: Array) -> int | None:
    """Return the q of which all scores are k / q, if it is no number of decimals."""
    some = scores.reshape(-1)[:_FIRST]
    some = some[~np.isnan(some)]
    # A quick look at a few scores, which are nearly always on no grid.
    on_each = _on_grid(some[:_LOOK, np.newaxis], np.arange(1.0, _FINEST + 1))
    q = denominators(some[np.newaxis])[0] if some.size and on_each.all(axis=0).any() else np.nan
    return int(q) if q <= _FINEST and _on_grid(scores, int(q)).all() else None


def _on_grid(scores: Array, grid: int | Array) -> BoolArray:
    with np.errstate(over="ignore"):
        return np.asarray((np.rint(scores * grid) / grid == scores) | np.isnan(scores))


# --- Notes on the effects of policies, the same in Python and on the command line ---

_MISSING = {"zero": "taken as 0", "omit": "omitted", "drop_topic": "dropped with the topic"}


def missing_notes(count: int, policy: str, of: str = "score") -> list[str]:
    """Return the note on missing scores, if there are any."""
    return [f"{are(count, f'missing {of}')} {_MISSING[policy]}"] if count else []


def dropped_notes(topics: Sequence[str]) -> list[str]:
    """Return the note on topics that were dropped for missing scores, if there are any."""
    return [f"{topics_are(topics)} dropped for missing scores"] if topics else []


def standardized_by(scheme: Scheme) -> str:
    """Say by which scheme scores were standardized; raw ones were not."""
    label = scheme_label(str(scheme))
    return f"standardized by {label}" if scheme.parameter_names() else "of raw scores"


def undefined_notes(standardized: Array, scheme: Scheme) -> list[str]:
    """Return the notes on missing and infinite scores after a scheme."""
    undefined = int(np.count_nonzero(np.isnan(standardized)))
    infinite = int(np.count_nonzero(np.isinf(standardized)))
    return undefined_and_infinite(undefined, infinite, scheme)


def undefined_and_infinite(undefined: int, infinite: int, scheme: Scheme) -> list[str]:
    """Return the notes of `undefined_notes` for numbers of such scores."""
    score = "standardized score" if scheme.parameter_names() else "score"
    notes = []
    if undefined:
        has = "has" if undefined == 1 else "have"
        notes.append(f"{counted(undefined, 'cell')} {has} no {score}")
    if infinite:
        notes.append(f"{are(infinite, score)} infinite")
    return notes


def censored_notes(numbers: Mapping[str, tuple[int, int]]) -> list[str]:
    """Return the note on scores beyond the ends of a distribution, if there are any, by topic."""
    if not numbers:
        return []
    below, above = (sum(each) for each in zip(*numbers.values(), strict=True))
    topics = [f"{topic} ({low} and {high})" for topic, (low, high) in numbers.items()]
    return [
        f"{are(below, 'score')} below the distribution of the topic and censored at 0, and "
        f"{above} above it and censored at 1, on {counted(len(numbers), 'topic')}: {kept(*topics)}"
    ]


def constant_notes(
    topics: Sequence[str], around: Array, policy: ConstantPolicy, scheme: Scheme
) -> list[str]:
    """Return the note on constant topics, if there are any: which, and what y is `around` there."""
    if not topics:
        return []
    are = "are" if len(topics) > 1 else "is"
    first = f"{named(topics, most=30)} {are} constant in the reference"
    if policy == "drop_topic":
        return [f"{first} and dropped"]
    said = _around(around) if len(around) else ""
    if not said:
        return [f"{first}{used(policy, scheme)}"]
    under = f"under the policy {policy}, " if used(policy, scheme) else ""
    them = "them" if len(topics) > 1 else "it"
    others = []
    if getattr(scheme, "convention", "") == "weak" and (around[:, 2] == 1).all():
        others.append(f"{scheme.name}:convention=mid gives 1/2 at it")
    others.append(f"the policy drop_topic leaves {them} out")
    advice = f"; {', and '.join(others)}" if others and policy != "nan" else ""
    return [f"{first}: {under}{scheme_label(str(scheme))} {said}{advice}"]


def _around(around: Array) -> str:
    """Say what y is below, at and above the score c of constant topics."""
    c, below, at, above = around.T
    if np.isnan(at).all():
        return "gives no score"
    if (at == below).all() and (at == above).all():
        return f"gives {_one(at)} to every score"
    # Otherwise y depends on the distance from c, as it does on other topics.
    ends = all((y == y[0]).all() and y[0] in (0, 1, -np.inf, np.inf, -1e6) for y in (below, above))
    if not ends:
        return f"gives {_one(at)} at their common score"
    if (at != above).any() or (below == above).all():
        if (at == below).all():
            return f"gives {_one(at)} at and below their common score, and {_one(above)} above it"
        return (
            f"gives {_one(below)} below their common score, {_one(at)} at it and {_one(above)} "
            "above it"
        )
    nothing = ""
    if zeros := int(np.count_nonzero(c == 0)):
        where = "" if zeros == len(c) else f", on {counted(zeros, 'topic')} where it is 0"
        nothing = f", also to a system that found nothing{where}"
    return (
        f"gives {_one(below)} below their common score and {_one(above)} at and above it{nothing}"
    )


def _one(y: Array) -> str:
    low, high = float(y.min()), float(y.max())
    words = {0.5: "1/2", -np.inf: "-infinity", np.inf: "infinity"}
    ends = [
        words.get(end) or f"{end:{'.0f' if end.is_integer() else '.4g'}}" for end in (low, high)
    ]
    return ends[0] if low == high else " to ".join(ends)


def unfitted_notes(topics: Mapping[str, str], policy: str) -> list[str]:
    """Return the note on unfitted topics, each with its reason, if there are any."""
    if not topics:
        return []
    topic, reason = next(iter(topics.items()))
    dropped = " and dropped" if policy == "drop_topic" else ""
    first = f"; topic {topic}" if len(topics) > 1 else ""
    return [f"{topics_are(list(topics))} unfitted{dropped}{first}: {reason}"]


def topics_are(topics: Sequence[str]) -> str:
    """List topics, at most five, with a verb: "topic 301 is"."""
    return f"{named(topics)} {'are' if len(topics) > 1 else 'is'}"


def are(number: int, noun: str) -> str:
    """Return a number, its noun and the verb: "1 cell is"."""
    return f"{counted(number, noun)} {'is' if number == 1 else 'are'}"
