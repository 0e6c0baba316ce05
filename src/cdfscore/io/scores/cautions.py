"""Doubts about a matrix that came in, in one table of rules on its topics and its systems.

A rule looks at the rows of a matrix, and is run on the topics and on the systems, unless its
meaning forbids one of them. Rules on reading ask what a label is: a summary such as the row ``all``
of trec_eval, or a number that is no score such as a size, would change n, every mean and every
p value. Such a label is refused until the user drops or keeps it. Rules on results look at what is
in order for a reader and may be wrong all the same: a system that never ran, a copy, a topic in
the other direction. They are cautions.

Each rule first takes a quick look at all rows, of at most a few passes over the scores, and looks
closely at the few rows that are left. Bounds are from measured false alarms: docs/cautions.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.frame_labels import labels_of
from cdfscore.io.scores.how import Labels
from cdfscore.io.scores.labels import role_of
from cdfscore.io.scores.memory import remembered
from cdfscore.io.text import counted, listed
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.spelling import argument, option

if TYPE_CHECKING:
    import pandas as pd

#: What the rows of a matrix are.
Kind = Literal["topic", "system"]
#: What a number may be of the scores.
What = Literal["mean", "sum"]

_FEW = 24  # rows or columns of a quick look


@dataclass(frozen=True, eq=False)
class Rows:
    """The topics or the systems of a matrix as rows, without those that the user keeps in doubt.

    `of_board` is True for topics that are the columns of a file whose rows are systems: such files
    have columns of all kinds beside those of tasks. Of a `part` of the topics, there are the labels
    of all that may be names of summaries, and the number of all.
    """

    kind: Kind
    labels: Sequence[str]
    scores: Array
    keep: frozenset[str] = frozenset()
    of_board: bool = False
    part: tuple[Sequence[str], int] | None = None

    @cached_property
    def high(self) -> Array:
        """The largest score of each row, NaN if it has none."""
        return np.asarray(np.fmax.reduce(self.scores, axis=1))

    @cached_property
    def whole(self) -> BoolArray:
        """Which rows have whole numbers alone."""
        some = self.scores[:, :_FEW]
        whole = ((some == np.rint(some)) | np.isnan(some)).all(axis=1)  # a quick look
        rest = self.scores[whole]
        whole[whole] = ((rest == np.rint(rest)) | np.isnan(rest)).all(axis=1)
        return np.asarray(whole)


class Found(NamedTuple):
    """What a rule says of some labels: a refusal or a caution, or a note if it matters little."""

    rule: str
    kind: Kind
    labels: tuple[str, ...]
    why: str
    is_note: bool = False
    noun: str = ""

    @property
    def sentence(self) -> str:
        """The sentence of a caution, with the remedy as the user types it."""
        return f"{self.why}: {_remedy(self)}" if RULES[self.rule].remedy else self.why


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Names of summaries ------------------------------------------------------------------------------

#: Words that are a summary alone and with others.
_SUMMARIES = _set(
    "aggregate amean average averaged averages avg gmap gmean hmean mean means median overall "
    "stddev stderr stdev sum total totals"
)
#: Words that are a summary only if they are alone; ``std::map`` is not one.
_ALONE = frozenset({"std", "25%", "50%", "75%"})
#: Words that are a summary with others only; alone they may be a topic or a system.
_WITH_OTHERS = frozenset({"gm"})
#: Measures that may have a cutoff, as ``ndcg@10`` and ``ndcg_cut_10``.
_MEASURES = _set(
    "acc accuracy ap auc bleu bpref cer cut dcg em err error f f1 map mrr ndcg perplexity ppl "
    "precision rate rbp recall rmse rouge rr success wer"
)
#: Words that have a number after them, as ``n=50`` and ``P@10``.
_WITH_NUMBER = frozenset({"n", "p"})
#: Words that may have a number after them.
_BEFORE_NUMBERS = _MEASURES | _WITH_NUMBER | {"all", "of", "over"}
#: Words that may have a number before them.
_COUNTED = _set("datasets queries query runs systems task tasks topic topics")
#: Words that a summary may have beside them.
_BESIDE = (
    _MEASURES
    | _COUNTED
    | _set(
        "all and by of or over per the arithmetic column geo geometric grand harmonic macro micro "
        "row unweighted weighted score scores sd std"
    )
)
#: Words that are one.
_PHRASES = re.compile(
    r"\b(?:(std|standard) (?:dev|deviation|err|error)|(reciprocal) rank|(word error) rate)\b"
)
#: Labels of a whole that are no scores, in any place.
_NO_LABELS = _set("measure num_q num_rel num_rel_ret num_ret runid")
#: Rows that sum up the topics, the first of them in trec_eval; a system may have this name.
_OF_TOPICS = frozenset({"all", "all queries", "all topics", "map"})
#: Names that pandas' ``describe`` gives. Two or more of them are its rows; one, such as a topic
#: ``max``, may be a label as any other.
_DESCRIBED = _set("count mean std min 25% 50% 75% max median")

_NUMBER = re.compile(r"\d+(?![\d%])")
_RUN = re.compile(r"[^\W\d_]+|\d+%?")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_KNOWN = _SUMMARIES | _WITH_OTHERS | _BESIDE
# Every such label has one of these in it. A text is searched for them faster than for a pattern.
_TELLING = sorted(
    {"standard", *_SUMMARIES, *_ALONE, *_WITH_OTHERS, *_NO_LABELS, *_OF_TOPICS, *_DESCRIBED}
)


def _with_one_of(words: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return the labels that have one of the words in them, in any case."""
    text = "\n".join(labels)
    if not any(map(text.__contains__, "aeiouAEIOU%")) and text.isascii():
        return []  # numbers, as most topics have
    folded = text.casefold()
    told = [word for word in words if word in folded]
    return [each for each in labels if any(w in each.casefold() for w in told)] if told else []


def telling_labels(labels: Sequence[str]) -> list[str]:
    """Return the labels with a word in them that every name of a summary has one of."""
    return _with_one_of(_TELLING, labels)


def named_summaries(kind: str, labels: Sequence[str], number: int | None = None) -> Iterator[str]:
    """Yield those of the labels of topics or systems, the `kind`, that are names of summaries.

    A label is one if all of its words are known and one of them says so: ``Mean AP``, and not
    ``bm25-mean-pooling``. If `labels` are only the telling ones of all labels, `number` is that
    of all.
    """
    telling = telling_labels(labels)
    number = len(labels) if number is None else number
    if not telling:
        return
    # Labels that differ in a number only are looked at once.
    alike: dict[str, list[str]] = {}
    for label in telling:
        alike.setdefault(_NUMBER.sub("1", label), []).append(label)
    found = [(own, _words(own[0])) for own in alike.values()]
    described = sum(len(own) for own, words in found if " ".join(words) in _DESCRIBED) > 1
    times = Counter[tuple[str, ...]]()
    for own, words in found:
        times[_without_numbers(words)] += len(own)
    for own, words in found:
        # A summary may be of fewer topics than there are labels: others are summaries as well.
        # Labels such as avg1 and avg2 have numbers of their own.
        numbered = times[_without_numbers(words)] > 1
        counts = range(0) if numbered else range(max(1, number - 3), number)
        text = " ".join(words)
        if (
            _is_summary(words, counts)
            or "_".join(words) in _NO_LABELS
            or (kind == "topic" and text in _OF_TOPICS)
            or (described and text in _DESCRIBED)
        ):
            yield from own


def _is_summary(words: list[str], counts: range) -> bool:
    """Tell whether all words are known and one says so; `counts` are numbers of what it sums up."""
    telling = _SUMMARIES | (_ALONE if len(_without_numbers(words)) == 1 else _WITH_OTHERS)
    if telling.isdisjoint(words):
        return False
    known = _KNOWN | telling
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word.isdecimal():
            is_count = before in _BEFORE_NUMBERS or after in _COUNTED
            if not is_count and int(word) not in counts:
                return False
        elif word not in known and not (word in _WITH_NUMBER and after.isdecimal()):
            return False
    return True


def _without_numbers(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in words if not word.isdecimal())


def _words(label: str) -> list[str]:
    """Return the words and numbers of a label; ``MeanAP`` has two words, and ``nDCG`` one."""
    words: list[str] = []
    for run in _RUN.findall(label):
        folded = run.casefold()
        known = folded in _KNOWN or not run.isascii() or run[0].isdecimal()
        words += [folded] if known else [part.casefold() for part in _CAMEL.findall(run)]
    one = _PHRASES.sub(lambda m: "stddev" if m[1] else "rr" if m[2] else "wer", " ".join(words))
    return one.split()


# Numbers of summaries ----------------------------------------------------------------------------

_MOST_DECIMALS = 12
_EPS = float(np.finfo(np.float64).eps)
# A row that is as near as this to a summary, in units of the usual distance of the others, in so
# many of the columns of a quick look, is looked at: the nearest ones.
_NEAR, _OFF, _NEAREST = 0.25, 0.25, 10
# The proportion of cells that agree with a summary: a few may be stale, or mistakes in typing.
_AGREES = 0.9
# The least chance of a cell, whatever its digits, and the chance of all cells of a summary.
_OF_CELL, _OF_ALL = 0.01, 1e-9


def last_decimals(scores: Array) -> Array:
    """Return the unit of the last decimal of each row, 0 if its scores have all digits.

    Examples
    --------
    >>> last_decimals(np.array([[0.25, 0.5], [1.0, 2.0], [1 / 3, 0.5]])).tolist()
    [0.01, 1.0, 0.0]
    """
    units = np.zeros(len(scores))
    for decimals in range(_MOST_DECIMALS, -1, -1):
        written = (np.round(scores, decimals) == scores) | np.isnan(scores)
        units[written.all(axis=1)] = 10.0**-decimals
    return units


def error_of_sums(what: What, scores: Array) -> Array:
    """Return how far two computations of a summary over the rows of `scores` may be apart.

    These are bounds for n doubles that are added in any order: 2 eps sum|x| for a sum divided by n.
    """
    n, total = len(scores), np.nansum(np.abs(scores), axis=0)
    return np.asarray((2 if what == "mean" else 2 * n) * _EPS * total)


def error_of_rounding(what: What, n: int, unit_of_scores: Array | float) -> Array:
    """Return how far a summary of n scores may be from that of the scores rounded to a unit.

    Each is off by half a unit at most, and so is their mean. In a sum these add up to n / 2 units,
    and to 2 sqrt(n) and hardly more, 7 standard deviations, where n is large.
    """
    times = 0.5 if what == "mean" else min(0.5 * n, 2 * n**0.5)
    return np.asarray(times * unit_of_scores)


class Summary(NamedTuple):
    """A row that sums up the others, in `agreeing` of its `present` cells."""

    row: int
    what: What
    agreeing: int
    present: int


def summaries(scores: Array) -> Iterator[Summary]:
    """Yield the rows that agree with the mean or the sum of all others.

    A row is the mean of the others if it is the mean of all: S / n = (S - x) / (n - 1); and it is
    their sum if it is half of the sum of all.
    """
    n, k = scores.shape
    if n < 3:  # of two rows, each is the mean and the sum of the other if they are equal
        return
    some = scores[:, :: max(1, k // _FEW)][:, :_FEW]
    has = ~np.isnan(some)
    values = np.where(has, some, 0.0)
    count = np.count_nonzero(has, axis=0)
    with np.errstate(all="ignore"):
        total = values.sum(axis=0)
        usual = (np.abs(values - total / count) * has).sum(axis=0) / count
        for what, level in (("mean", total / count), ("sum", total / 2)):
            away = np.abs(some - level) / usual
            far = np.count_nonzero(away > _NEAR, axis=1)
            near = np.flatnonzero(far <= _OFF * np.count_nonzero(away >= 0, axis=1))
            if len(near) > _NEAREST:
                near = near[np.argsort(np.nansum(away[near], axis=1), kind="stable")[:_NEAREST]]
            yield from _agreeing(scores, near.tolist(), what)


def _agreeing(scores: Array, near: list[int], what: What) -> Iterator[Summary]:
    """Yield those of the rows `near` a summary whose numbers agree with it by no chance.

    Of a cell with the margin d, it is d over the mean distance of all rows from their mean. Only
    cells count in which no other row has that number, and one of those with the same number: so
    scores that are alike in many cells, as zeros, copies and ranks are, are no evidence.
    """
    if not near:
        return
    count = np.count_nonzero(~np.isnan(scores), axis=0)
    mean = np.nansum(scores, axis=0) / count
    level = mean if what == "mean" else mean * count / 2
    usual = np.nansum(np.abs(scores - mean), axis=0) / count
    every = last_decimals(scores[:: max(1, len(scores) // _FEW)])
    unit = float(np.sort(every)[min(1, len(every) - 1)])  # the finest may be that of the row itself
    exact = error_of_sums(what, scores)
    for row in near:
        own = scores[row]
        present = int(np.count_nonzero(~np.isnan(own)))
        half = float(last_decimals(own[np.newaxis])[0]) / 2
        # It has all digits; or it was rounded, of scores with all digits that are seen; or the
        # scores were rounded as well, after the summary was computed.
        for more in (0.0, half, half + error_of_rounding(what, len(scores), unit)):
            margin = exact + more
            agrees = np.abs(own - level) <= margin
            number = int(np.count_nonzero(agrees))
            if not number or number < _AGREES * present:
                continue
            alone = np.count_nonzero(np.abs(scores - own) <= margin, axis=0) == 1
            cells = np.flatnonzero(agrees & alone)
            cells = cells[np.unique(own[cells], return_index=True)[1]]
            chances = np.clip(margin[cells] / usual[cells], _OF_CELL, 1.0)
            if np.log10(chances).sum() < math.log10(_OF_ALL):
                yield Summary(row, what, number, present)
                break


# No scores ---------------------------------------------------------------------------------------

#: Words that say that a label has no scores, if all of its words are known; or at the end of a
#: column of a file whose rows are systems, where a task may have them elsewhere, as in TimeQA.
_NO_SCORES = _set(
    "size sizes params parameters flops gflops mflops tflops macs vram memory latency throughput "
    "runtime rtf rtfx speed time times seconds hours epoch epochs year date cost price variance "
    "licence license downloads dim dims dimension dimensions classes features instances rank ranks "
    "ranking wins losses draws ties mpce pvalue pvalues friedman wilcoxon nemenyi"
)
#: Words that say so of whole numbers among fractions.
_COUNTS = _set(
    "n count counts index seed seeds votes likes tokens length context samples examples steps "
    "iterations layers heads runs best worst"
)
#: Words that say so of the largest or the least of all others.
_EXTREMES = _set("best worst max min maximum minimum oracle")
#: Words that say so of any column of a file whose rows are systems.
_SPREADS = _set("std stdev stddev stderr")
#: Words that are known beside them.
_DESCRIBING = _set(
    "average averaged avg mean median total number num nb no of p value train training test "
    "testing win loss tie draw sign the overall model data dataset w t l d m b s"
)
_PHRASE_OF_NO_SCORES = re.compile(r"p[\s_.-]?values?|w(?:ins?)?\W+[td]\w*\W+l\w*", re.IGNORECASE)
# What may stand behind the last word: a unit.
_UNIT = re.compile(r"(?:[(\[][^()\[\]]*[)\]]|[\s_](?:s|ms|h|b|m|k|gb|mb))\s*$", re.IGNORECASE)
#: Words and signs of a spread, beside the name of another column: ``A_sd``, ``A ±``.
_OF_ANOTHER = frozenset({"sd", "se", "sem", "ci", "var", "±", "+/-"})
_WORD = re.compile(r"[^\W\d_]+|\+/-|±")
_UNKNOWN = -1.0  # as leaderboards write it
# A typical number of a row, over the largest of the lower half: of whole numbers beside fractions,
# and of others.
_WHOLE, _ANY = 3.0, 10.0
# The largest score in most units: 1, and 100 percent. Of fewer tasks than these, all may be hard
# but one, so that numbers of up to 100 are no evidence.
_UNITS, _OTHERS = (1.0, 100.0), 3
# So many counts, up to a large one, are no chance.
_MANY_COUNTS, _COUNTABLE = 5, 1e12
_OF_RANK = 0.25  # the largest distance of an average rank from that of the others


def no_scores(rows: Rows) -> dict[str, str]:
    """Return the labels that may have numbers of another kind than scores, each with the reason."""
    found = dict(_no_scores_by_name(rows))
    for place, why in (*_far_above(rows), *_ranks(rows)):
        found.setdefault(rows.labels[place], why)
    for label in _with_one_of(sorted(_EXTREMES), rows.labels):
        if label.casefold().strip() in _EXTREMES and label not in found:
            place, labels = rows.labels.index(label), [*found, label]
            rest = rows.scores[[other not in labels for other in rows.labels]]
            own, missing = rows.scores[place], np.isnan(rows.scores[place])
            ends = (end.reduce(rest, axis=0) for end in (np.fmax, np.fmin) if len(rest))
            if any(((own == end) | missing).all() for end in ends):
                found[label] = "the largest or the least of all others in each column"
    return found


def _no_scores_by_name(rows: Rows) -> Iterator[tuple[str, str]]:
    """Yield labels of no scores by their names; of a board also -1 for unknown, or no score."""
    board = rows.of_board
    sure = _NO_SCORES | _SPREADS if board else _NO_SCORES
    known = sure | _COUNTS | _DESCRIBING
    labels = (
        rows.labels
        if board
        else _with_one_of(sorted({*sure, *_COUNTS, "val", "w/", "win"}), rows.labels)
    )
    if not labels:
        return
    fractions = 2 * int(np.count_nonzero(rows.whole)) < len(rows.labels)
    places = {label: place for place, label in enumerate(rows.labels)}
    columns = {_without_spread(label)[1]: place for label, place in places.items()}
    for label in labels:
        row = rows.scores[places[label]]
        words = list(_known_words(_UNIT.sub("", label) or label, known))
        told = {*words} if known.issuperset(words) else {*words[-1:]} if board else set()
        told |= _SPREADS.intersection(words) if board else set()
        told &= sure | _COUNTS if rows.whole[places[label]] and fractions else sure
        spread, of = _without_spread(label)
        if told:
            yield label, f"by its name, {min(told)}"
        elif _PHRASE_OF_NO_SCORES.fullmatch(label.strip()):
            yield label, "by its name"
        elif board and len(row):
            present = row[~np.isnan(row)]
            if not len(present):
                yield label, "no score"
            elif _UNKNOWN in present and (present[present != _UNKNOWN] >= 0).all():
                yield label, "-1 may mean unknown, all others are at least 0"
            elif spread and (
                not spread[0].isalpha()
                or _is_small(row, rows.scores[columns.get(of, places[label])])
            ):
                yield label, f"by its name, {spread[0]}"


def _known_words(label: str, known: frozenset[str]) -> Iterator[str]:
    """Yield the words of a label; one that is not known is split before capitals: `modelSize`."""
    for word in _WORD.findall(label):
        parts = [] if word.casefold() in known else _CAMEL.findall(word)
        yield from (part.casefold() for part in parts or [word])


def _without_spread(label: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the words of a label that are those of a spread, and the others."""
    words = _WORD.findall(label.casefold())
    return [w for w in words if w in _OF_ANOTHER], tuple(w for w in words if w not in _OF_ANOTHER)


def _is_small(row: Array, of: Array) -> bool:
    """Tell whether numbers are small beside those that they may be the spread of."""
    both = ~np.isnan(row) & ~np.isnan(of)
    return bool(both.any()) and bool(np.median(row[both]) < np.median(np.abs(of[both])) / 2)


def _far_above(rows: Rows) -> Iterator[tuple[int, str]]:
    """Yield the places of rows whose typical number is far above the lower half of the rows.

    That half has no such row if these are fewer than the others. Where rows are not of a board,
    these are whole numbers beside fractions, as counts are: others are those of a system or topic
    in other units.
    """
    n = len(rows.scores)
    if n < 3 or not (rows.of_board or (rows.whole & (rows.high > _UNITS[0])).any()):
        return
    sizes = np.abs(rows.scores)
    top = np.nan_to_num(np.fmax.reduce(sizes, axis=1), nan=0.0)
    level = np.nan_to_num(2 * _medians(sizes / 2), nan=0.0)  # of halves: a sum may be no double
    lower = np.argsort(level, kind="stable")[: (n + 1) // 2]
    largest = float(top[lower].max())
    least = float(top[lower][top[lower] > 0].min(initial=np.inf))
    small = largest <= _UNITS[0] and len(lower) >= _OTHERS
    unit = max(_UNITS[0] if small else _UNITS[1], largest)
    counts = rows.whole & (2 * int(np.count_nonzero(rows.whole[lower])) < len(lower))
    times = np.where(counts, _WHOLE, max(_ANY, largest / least))
    times[counts & (np.fmin.reduce(sizes, axis=1) == top)] = 1.0  # one number throughout
    far = (level > np.maximum(times * largest, unit)) & (largest > 0)
    if not rows.of_board:
        enough = np.count_nonzero(~np.isnan(rows.scores), axis=1) >= _MANY_COUNTS
        far &= counts & enough & (level < _COUNTABLE)
    for place in np.flatnonzero(far).tolist():
        yield place, f"about {level[place]:.4g}, and most others are at most {largest:g}"


def _ranks(rows: Rows) -> Iterator[tuple[int, str]]:
    """Yield topics with the ranks of the k systems, whose sum is 1 + ... + k, or average ranks."""
    k = rows.scores.shape[1]
    if rows.kind == "system" or k < 3 or len(rows.scores) < 3:
        return
    total = k * (k + 1) / 2
    like = np.flatnonzero(np.abs(rows.scores.sum(axis=1) - total) <= 0.005 * k + 1e-9 * total)
    own = rows.scores[like]
    like = like[(own >= 1).all(axis=1) & (own <= k).all(axis=1)]
    if not len(like) or 2 * len(like) >= len(rows.scores):
        return
    from scipy.stats import rankdata

    ranks = rankdata(np.delete(rows.scores, like, axis=0), axis=1, nan_policy="omit")
    average = np.nanmean(ranks, axis=0)
    fractions = 2 * int(np.count_nonzero(rows.whole)) < len(rows.scores)
    for place in like.tolist():
        row = rows.scores[place]
        if fractions and np.array_equal(np.sort(row), np.arange(1, k + 1)):
            yield place, f"the whole numbers from 1 to {k}, as ranks are"
        near = [np.abs(row - each) <= _OF_RANK for each in (average, k + 1 - average)]
        if max(np.count_nonzero(each) for each in near) >= _AGREES * k:
            yield place, "the average ranks of the systems on the others"


def _medians(scores: Array) -> Array:
    """Return the median of each row, NaN of a row without a score."""
    n = np.count_nonzero(~np.isnan(scores), axis=1)
    ordered, rows = np.sort(scores, axis=1), np.arange(len(scores))
    low, high = np.maximum(n - 1, 0) // 2, np.minimum(n // 2, scores.shape[1] - 1)
    return np.asarray((ordered[rows, low] + ordered[rows, high]) / 2)


def without_averages(
    source: str, scores: pd.DataFrame, keep: frozenset[str]
) -> tuple[list[str], list[str]]:
    """Return the columns of a board that are the mean of the others, by name and numbers; notes.

    Raises `ScoresError` for columns that may be no tasks, and for a column that has the name of a
    summary and other numbers.
    """
    topics, systems = labels_of(scores)
    values = scores.to_numpy()
    named = list(named_summaries("topic", topics))
    tasks = [label not in named for label in topics]
    labels = [label for label in topics if label not in named]
    for asked in _other_numbers(Rows("topic", labels, values[tasks], keep, True), asked=True):
        _refuse(source, asked)
    named = [label for label in named if label not in keep]
    others = values[[label not in named for label in topics]]
    notes = []
    for label in named:
        row = values[topics.index(label)]
        apart = ~np.isnan(row) & ~_is_mean(row, others)
        count, off = int(np.count_nonzero(~np.isnan(row))), int(np.count_nonzero(apart))
        if not count or count - off < _AGREES * count:
            raise ScoresError(
                f"{source}: the column {label!r} has the name of a summary, but is not the mean of "
                f"the other {len(others)} columns for {off} of {count} systems; leave it "
                f"out by {argument('drop_topics', [label])}, or, if it is a task, keep it by "
                f"{argument('keep_topics', [label])}"
            )
        names = [system for system, bad in zip(systems, apart, strict=True) if bad]
        but = f", but for {off} of {count} systems ({listed(names)})" if off else ""
        notes.append(
            f"{source}: the column {label!r} is the mean of the other {len(others)} columns"
            f"{but}, and is left out"
        )
    return named, notes


def _is_mean(row: Array, others: Array) -> BoolArray:
    """Tell where a row (n,) is the mean of the others (m, n), to the decimals that are written."""
    present = ~np.isnan(others)
    mean = np.where(present, others, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    rounding = error_of_rounding("mean", len(others), last_decimals(others.T))
    margin = 0.5 * last_decimals(row[:, np.newaxis]) + rounding + error_of_sums("mean", others)
    return np.asarray((np.abs(row - mean) <= margin) & present.any(axis=0))


# Systems and topics that are in order for a reader -----------------------------------------------

# A system is dead, or a copy, if chance would so rarely make one, by its likeness to others. On so
# many topics it is told in any case, in a note.
_SURPRISE, _LONG, _LONGER = 1e-6, 10, 20
# The largest proportion of copies among the systems that a note is enough for.
_COPIES = 0.2
# Topics of four on which a system is far from the median of all, and how far, in units of the
# median distance; with few topics or systems, one is often far by chance.
_TOPICS_FAR, _FAR, _BY_TOPICS, _BY_SYSTEMS = 0.75, 8.0, 250.0, 300.0
# Correlation of the scores of a topic in the other direction with the means of all other topics, or
# of their ranks, and that of both; and the number of such topics that chance would make.
_OTHER_DIRECTION, _AT_LEAST, _DIRECTIONS = -0.8, -0.4, 1e-6
_SEVERAL, _SHARE_OF_SEVERAL, _MANY_SYSTEMS = 8, 0.15, 30
_SYSTEMS, _TURNS = 5, 8  # at least, and of the power iteration
# Share of the variances that one topic has, of at least so many, also of scores from 0 to 1.
_SHARE, _SHARE_OF_ONE, _VARIED = 0.9, 0.98, 7
# A replicate: a stem, and a number behind a sign or a word; so many topics are named so.
_REPLICATE = re.compile(
    r"(.*?)(?:[\W_]+(?:[a-z]|cv|{0})?[\W_]*|({0})[\W_]*)(\d+)\W*".format(
        "fold|seed|run|rep|replicate|split|shard"
    ),
    re.IGNORECASE,
)
_NAMED_SO = 0.9


@dataclass(frozen=True, eq=False)
class Matrix:
    """Scores (topics, systems) of a result, with what is known of them.

    Lower is better on the topics `lower`. Scores of a `reference` are those that a scheme is
    fitted to, and those that are not `raw` are standardized before they are averaged.
    """

    topics: Sequence[str]
    systems: Sequence[str]
    scores: Array
    kept: Labels = field(default_factory=Labels)
    lower: Collection[str] = ()
    reference: bool = True
    raw: bool = True

    @cached_property
    def filled(self) -> Array:
        """The scores, 0 where one is missing."""
        missing = np.isnan(self.scores)
        return np.where(missing, 0.0, self.scores) if missing.any() else self.scores

    @cached_property
    def spread(self) -> tuple[Array, Array, Array, Array]:
        """Distances from the mean of the topic, 0 for a missing score, in units of the largest.

        With the sums of their squares, the numbers of scores, and the units, as columns. Whatever
        the unit of a topic, no square is too large or too small.
        """
        missing = np.isnan(self.scores)
        n = np.count_nonzero(~missing, axis=1)[:, np.newaxis].astype(np.float64)
        with np.errstate(all="ignore"):
            away = self.filled - self.filled.sum(axis=1, keepdims=True) / n
            if n.size and n.min() < missing.shape[1]:
                away[missing] = 0.0
            units = np.maximum(away.max(axis=1, keepdims=True), -away.min(axis=1, keepdims=True))
            away /= np.maximum(units, 1e-300)
        return away, np.einsum("ij,ij->i", away, away)[:, np.newaxis], n, units

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """The least and the largest score of each system."""
        return np.fmin.reduce(self.scores, axis=0), np.fmax.reduce(self.scores, axis=0)


def _dead(matrix: Matrix) -> Iterator[Found]:
    scores, (low, high) = matrix.scores, matrix.ends
    same = np.flatnonzero(low == high).tolist()
    alive = scores[:, low < high] if same else scores[:, :0]
    found: dict[tuple[float, int, bool], list[str]] = {}
    for place in same if alive.size else ():
        k, value = int(np.count_nonzero(~np.isnan(scores[:, place]))), float(low[place])
        times = np.count_nonzero(alive == value, axis=0)
        likely = len(low) * _likely(times, k) ** k >= _SURPRISE
        if (not likely or k >= _LONG) and matrix.systems[place] not in matrix.kept.systems:
            found.setdefault((value, k, likely), []).append(matrix.systems[place])
    for (value, k, likely), names in found.items():
        has = "has" if len(names) == 1 else "have"
        what = f"{has} the score {value:g} on all {counted(k, 'topic')}"
        yield _of("dead", "system", names, what)._replace(is_note=likely)


def _likely(times: IntArray, k: int) -> float:
    """Return how likely a score is one that other systems have so many times on k topics.

    It is that of the system which has it most often, or of all of them together.
    """
    of_all = (int(times.sum()) + 1) / (k * len(times) + 2)
    return min(1.0, max(of_all, int(times.max(initial=0)) / max(k, 1)))


def _copies(matrix: Matrix) -> Iterator[Found]:
    scores, (low, high) = matrix.scores, matrix.ends
    k, n = scores.shape
    same: dict[bytes, list[int]] = {}
    for place, column in enumerate(scores.T + 0.0):  # -0.0 is 0.0
        same.setdefault(column.tobytes(), []).append(place)
    groups, certain = [], False
    for places in same.values():
        own = scores[:, places[:1]]
        names = [
            name
            for name in map(matrix.systems.__getitem__, places)
            if name not in matrix.kept.systems
        ]
        if len(names) < 2 or not low[places[0]] < high[places[0]]:
            continue
        there = int(np.count_nonzero(~np.isnan(own)))
        times = np.count_nonzero(np.delete(scores, places, axis=1) == own, axis=0)
        likely = n * n / 2 * _likely(times, there) ** there >= _SURPRISE
        if not likely or there >= _LONGER:
            groups.append(names)
            certain |= not likely
    if groups:
        told = f"have the same scores on all {counted(k, 'topic')}"
        each = listed([" = ".join(names) for names in groups])
        many = f"{len(groups)} groups of systems {told} ({each})"
        copies = tuple(name for names in groups for name in names[1:])
        is_note = not certain or len(copies) <= _COPIES * n
        one = f"systems {_named(groups[0])} {told}"
        yield Found("copy", "system", copies, one if len(groups) == 1 else many, is_note)


def _far_systems(matrix: Matrix) -> Iterator[Found]:
    """Find systems that are far from all others on most topics, by the median, so that none hides.

    The larger their distance, the smaller are those of all others in standard deviations.
    """
    scores = matrix.scores
    if not matrix.reference or scores.shape[1] < 4 or not len(scores):
        return
    few = scores[:: max(1, len(scores) // _FEW)][:_FEW]
    if not _are_far(few, 0.5, len(scores)).any():  # a quick look
        return
    (low, high), kept = matrix.ends, matrix.kept.systems
    far = np.flatnonzero(_are_far(scores, _TOPICS_FAR) & (low < high)).tolist()
    names = [name for name in map(matrix.systems.__getitem__, far) if name not in kept]
    if names:
        _, of_all, n, unit = matrix.spread
        _, of_rest, m, own = Matrix((), (), np.delete(scores, far, axis=1)).spread
        rest = np.sqrt(of_rest / (m - 1)) * own
        ratio = np.sqrt(of_all / (n - 1)) * unit / np.where(rest > 0, rest, np.nan)
        are, it = ("is", "it") if len(names) == 1 else ("are", "them")
        yield _of(
            *("spread", "system", names),
            f"{are} far from all others: without {it} the standard deviation of the topics is "
            f"about {np.nanmedian(ratio):.2g} times smaller, and all standardized scores move",
        )


def _are_far(scores: Array, share: float, topics: int | None = None) -> BoolArray:
    """Tell which systems are far from the median on a share of the topics that vary."""
    n = scores.shape[1]
    away = np.abs(scores - _medians(scores)[:, np.newaxis])
    usual = _medians(away)
    varied = usual > 0
    k = int(np.count_nonzero(varied))
    bound = _FAR + _BY_TOPICS / max(topics or k, 1) + _BY_SYSTEMS / n**2
    far = np.count_nonzero(away[varied] > bound * usual[varied, np.newaxis], axis=0)
    return np.asarray((far >= share * k) & (k >= 3))


def _other_direction(matrix: Matrix) -> Iterator[Found]:
    """Find topics that order the systems against most topics.

    Signs of topics are those of the first principal component of the topics, each with mean 0 and
    length 1, and the side with fewer topics is the other direction.
    """
    away, squares, n, _ = matrix.spread
    varies = np.flatnonzero((squares[:, 0] > 0) & (n[:, 0] >= _SYSTEMS))
    if len(varies) < _SYSTEMS:
        return
    z = away[varies] / np.sqrt(squares[varies])
    if matrix.lower:
        z[[matrix.topics[place] in matrix.lower for place in varies.tolist()]] *= -1
    total = z.sum(axis=0)
    for _ in range(_TURNS):
        total = (z @ total) @ z
        total /= max(float(np.abs(total).max()), 1e-300)
    side = np.where(z @ total < 0, -1.0, 1.0)
    side *= 1.0 if side.sum() >= 0 else -1.0
    if (side > 0).all():
        return
    mean = side @ z
    own = side * (z @ mean)
    apart = np.maximum(mean @ mean - 2 * own + 1, 1e-300)
    r = side * np.clip((own - 1) / np.sqrt(apart), -1.0, 1.0)
    both = {}  # correlations of the scores and of their ranks, in which none is far from others
    for place in np.flatnonzero(r < _AT_LEAST).tolist():
        ranks = [each.argsort().argsort() for each in (z[place], mean + z[place])]
        both[place] = sorted([r[place], float(np.corrcoef(ranks)[0, 1])])
    weak = [place for place, (_, largest) in both.items() if largest < _AT_LEAST]
    # Of many systems, several topics with a weak correlation are evidence together.
    least = max(_SEVERAL, _SHARE_OF_SEVERAL * len(varies))
    several = len(weak) >= least and np.median(n) >= _MANY_SYSTEMS
    against = weak if several else [place for place in weak if both[place][0] < _OTHER_DIRECTION]
    between = np.count_nonzero(np.abs(r) < -_AT_LEAST)
    if not against or (2 * between > len(against) and not several):
        return
    # By chance: the tail of Student's t is at most (1 - r^2)^((n - 2) / 2), for each choice.
    chances = (n[varies[against], 0] - 2) / 2 * np.log(np.maximum(1 - r[against] ** 2, 1e-300))
    if chances.sum() + math.log(math.comb(len(varies), len(against))) > math.log(_DIRECTIONS):
        return
    names = [matrix.topics[varies[place]] for place in against]
    if left := [name for name in names if name not in matrix.kept.topics]:
        yield _of(
            *("direction", "topic", left),
            f"{'orders' if len(left) == 1 else 'order'} the systems against most of the other "
            f"{len(varies) - len(left)} topics (correlation with their means "
            f"{r[against].min():.2f} to {r[against].max():.2f})",
        )


def shares_of_variance(matrix: Matrix) -> Array:
    """Return the share of each topic in the sum of the variances between systems, 0 if none."""
    _, squares, n, units = matrix.spread
    with np.errstate(all="ignore"):
        variances = squares / np.maximum(n - 1, 1) * (units / np.fmax.reduce(units)) ** 2
        shares = variances / np.nansum(variances)
    return np.where(shares > 0, shares, 0.0)[:, 0]


def _deciding(matrix: Matrix) -> Iterator[Found]:
    if not matrix.raw or not len(matrix.topics):
        return
    shares = shares_of_variance(matrix)
    place, varied = int(np.argmax(shares)), int(np.count_nonzero(shares))
    name = matrix.topics[place]
    # Scores from 0 to 1 have one unit, whatever the topics.
    largest = np.fmax.reduce(np.abs(matrix.ends), axis=None)
    least = _SHARE if largest > 1 else _SHARE_OF_ONE
    if varied >= _VARIED and shares[place] > least and name not in matrix.kept.topics:
        yield _of(
            *("deciding", "topic", [name]),
            f"has {100 * shares[place]:.0f}% of the sum of the variances of {varied} topics, and "
            "decides the means of raw scores and their order",
        )


def _replicates(matrix: Matrix) -> Iterator[Found]:
    topics, stems = matrix.topics, dict[str, dict[int, str]]()
    if len(topics) < 4 or not any(map(_REPLICATE.fullmatch, topics[:2])):  # a quick look
        return
    for topic in topics:
        if (found := _REPLICATE.fullmatch(topic)) and (found[1] or found[2]):
            stems.setdefault(found[1], {})[int(found[3])] = topic
    several = {stem: own for stem, own in stems.items() if len(own) > 1}
    numbers = Counter(number for own in several.values() for number in own)
    named, cells = sum(numbers.values()), len(several) * len(numbers)
    # All stems have the same numbers but a few; or, if stems are words, most numbers are shared.
    words = not any(stem.isdecimal() for stem in several)
    shared = named >= cells - max(1, cells // 10) or (words and named >= 1.5 * len(numbers))
    enough = len(several) > 1 or "" in several
    if named < _NAMED_SO * len(topics) or not shared or not enough:
        return
    if not matrix.kept.topics.issuperset(topics):
        least, most = (end(map(len, several.values())) for end in (min, max))
        many = f"{most}" if least == most else f"{least} to {most}"
        each = f"each of {len(several)}" if len(several) > 1 else "one"
        shown = listed(list(next(iter(several.values())).values())[:2])
        told = (
            f"{named} topics are named as {many} replicates of {each}, such as {shown}: if they "
            f"are folds or seeds, they are not independent, and a test of n = {len(topics)} "
            f"rejects too often; take the mean over replicates, as {option('replicate')} does of a "
            "table with a column of them"
        )
        yield Found("replicates", "topic", tuple(topics), told)


# The table ---------------------------------------------------------------------------------------

_SHOWN = 10  # labels in a sentence


def _named(labels: Sequence[str]) -> str:
    shown = [repr(label) for label in labels[:_SHOWN]]
    if len(labels) > _SHOWN:
        return f"{', '.join(shown)} and {counted(len(labels) - _SHOWN, 'other')}"
    *most, last = shown
    return f"{', '.join(most)} and {last}" if most else last


def _of(rule: str, kind: Kind, labels: Sequence[str], what: str) -> Found:
    kinds = kind if len(labels) == 1 else f"{kind}s"
    return Found(rule, kind, tuple(labels), f"{kinds} {_named(labels)} {what}")


def _labels(rows: Rows) -> Iterator[Found]:
    """Find a column `run_id` of whole numbers, of a table with a row a score."""
    for place in np.flatnonzero(rows.whole).tolist():
        label = rows.labels[place]
        if (role := role_of(label)) in ("system", "measure"):
            why = (
                f"has the column {label!r} of whole numbers, which are labels of {role}s in a "
                "table with a row for each score; expected columns headed topic, system and score "
                "there"
            )
            yield Found("labels", rows.kind, (label,), why)


def _names(rows: Rows) -> Iterator[Found]:
    for label in named_summaries(rows.kind, *(rows.part or (rows.labels,))):
        why = f"has a {rows.kind} {label!r}, the name of a summary and not of a {rows.kind}"
        yield Found("name", rows.kind, (label,), why)


def _other_numbers(rows: Rows, *, asked: bool = False) -> Iterator[Found]:
    """Find all labels of no scores together, as one question; a board is asked when it is read."""
    if rows.part is not None or (rows.of_board and not asked):
        return
    reasons = no_scores(rows)
    labels = tuple(label for label in rows.labels if label in reasons and label not in rows.keep)
    if labels:
        *most, last = (f"{label!r} ({reasons[label]})" for label in labels)
        side, noun = ("column", "task") if rows.of_board else (rows.kind, rows.kind)
        may = "may have no scores"
        if rows.of_board:
            may = "may not be a task" if len(labels) == 1 else "may not be tasks"
        names = f"{', '.join(most)} and {last}" if most else last
        why = f"the {side}{'s' * (len(labels) > 1)} {names} {may}"
        yield Found("no scores", rows.kind, labels, why, noun=noun)


def _numbers(rows: Rows) -> Iterator[Found]:
    for row, what, agreeing, present in summaries(rows.scores) if not rows.part else ():
        label = rows.labels[row]
        cells = "" if agreeing == present else f" in {agreeing:,} of {present:,} cells,"
        why = f"{rows.kind} {label!r} has the {what}{cells} of the scores of all other {rows.kind}s"
        yield Found("numbers", rows.kind, (label,), why)


class Rule(NamedTuple):
    """One line of the table of rules; `find` is given topics or systems as rows, or a matrix."""

    looks_at: tuple[Kind, ...]
    find: Callable[[Any], Iterator[Found]]
    remedy: str


_BOTH: tuple[Kind, ...] = ("topic", "system")
_DROP = "leave {it} out by {drop}, or, if {they}, keep {it} by {keep}"
_RIGHT = "leave {it} out by {drop}, or, if that is right, keep {it} by {keep}"
_COPIED = "if {names} by mistake, leave {it} out by {drop}; if all are right, keep {it} by {keep}"
_DIRECTION = "if lower is better on {it}, say {lower}; if not, keep {it} by {keep}"
_DECIDING = "standardize the scores, leave {it} out by {drop}, or keep {it} by {keep}"
#: All rules, in the order in which they are asked: first those on reading, whose labels are
#: refused, then those on results. docs/cautions.md says what the evidence of each is.
RULES: dict[str, Rule] = {
    "labels": Rule(("system",), _labels, _DROP),
    "name": Rule(_BOTH, _names, _DROP),
    "no scores": Rule(_BOTH, _other_numbers, _DROP),
    "numbers": Rule(_BOTH, _numbers, _DROP),
    "dead": Rule(("system",), _dead, _RIGHT),
    "copy": Rule(("system",), _copies, _COPIED),
    "spread": Rule(("system",), _far_systems, _RIGHT),
    "direction": Rule(("topic",), _other_direction, _DIRECTION),
    "deciding": Rule(("topic",), _deciding, _DECIDING),
    "replicates": Rule(("topic",), _replicates, ""),
}
_READING = ("labels", "name", "no scores", "numbers")


def _remedy(found: Found) -> str:
    """Return what a user does about labels: mostly, leave them out, or keep them."""
    labels, noun = list(found.labels), found.noun or found.kind
    one = len(labels) == 1
    return RULES[found.rule].remedy.format(
        it="it" if one else "them",
        they=f"it is a {noun}" if one else f"they are {noun}s",
        names=f"{_named(labels)} {'is a copy' if one else 'are copies'}",
        drop=argument(f"drop_{found.kind}s", labels),
        keep=argument(f"keep_{found.kind}s", labels),
        lower=argument("lower_is_better", labels) if found.kind == "topic" else "",
    )


def kept_by(frame: pd.DataFrame) -> Labels:
    """Return the labels that a frame remembers to keep, whatever their name and their numbers."""
    known = remembered(frame)
    return Labels(frozenset(known.get("keep_topics", ())), frozenset(known.get("keep_systems", ())))


def of_reading(
    source: str,
    labels: tuple[Sequence[str], Sequence[str]],
    scores: Array,
    kept: Labels,
    *,
    board: bool = False,
    part: tuple[Sequence[str], int] | None = None,
) -> None:
    """Raise `ScoresError` for a topic or system that is none.

    Labels that are `kept` are not asked about. The topics of a `board` were its columns, which were
    asked about when they were read. See `Rows` for a `part` of the topics.
    """
    topics = Rows("topic", labels[0], scores, kept.topics, board, part)
    systems = Rows("system", labels[1], np.ascontiguousarray(scores.T), kept.systems)
    for name in _READING:
        for rows in (topics, systems):
            if rows.kind in RULES[name].looks_at:
                for found in RULES[name].find(rows):
                    if not rows.keep.issuperset(found.labels):
                        _refuse(source, found)


def _refuse(source: str, found: Found) -> None:
    colon = "" if found.why.startswith("has ") else ":"
    raise ScoresError(f"{source}{colon} {found.why}; {_remedy(found)}")


def of_results(matrix: Matrix) -> list[Found]:
    """Return what is said of the systems and topics of a result."""
    rules = [rule for name, rule in RULES.items() if name not in _READING]
    with np.errstate(all="ignore"):  # of scores near the largest double
        return [found for rule in rules for found in rule.find(matrix)]


def sentences(found: Iterable[Found], *, notes: bool = False) -> list[str]:
    """Return cautions, or notes, with the remedies as the user types them."""
    return [each.sentence for each in found if each.is_note == notes]
