"""Doubts about a matrix that came in, in two tables of rules on its topics and its systems.

Rules on reading ask what a label is: a summary such as the row ``all`` of trec_eval, or a number
that is no score such as a size, would change n, every mean and every p value. Such a label is
refused until the user drops or keeps it. Rules on results give cautions on what is in order for a
reader and may be wrong all the same: a system that never ran, a copy, a topic in the other
direction. Each rule takes a quick look at all rows, and looks closely at the few that are left.
What the evidence of each is, how often it is wrong and what it costs is in docs/cautions.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from string import ascii_lowercase
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd

from cdfscore.common.text import counted, kept, listed
from cdfscore.errors import ScoresError, alternatives
from cdfscore.scores.dataframes import remembered
from cdfscore.scores.labels import Labels, labels_of, roles_of
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

Kind = Literal["topic", "system"]  # what the rows of a matrix are
What = Literal["mean", "sum"]  # what a number may be of the scores

_FEW = 24  # rows or columns of a quick look


@dataclass(frozen=True, eq=False)
class Rows:
    """The topics or the systems of a matrix as rows; `keep` are labels that are not asked about.

    `of_board` is True for the columns of a file whose rows are systems. Of some of the topics only,
    `telling` are the labels of all that may be names of summaries.
    """

    kind: Kind
    labels: Sequence[str]
    scores: Array
    keep: frozenset[str] = frozenset()
    of_board: bool = False
    telling: Sequence[str] | None = None

    @cached_property
    def whole(self) -> BoolArray:
        """Which rows have whole numbers alone."""
        found: BoolArray = _are_whole(self.scores[:, :1])  # a quick look
        found[found] = _are_whole(self.scores[found])
        return found

    def without(self, labels: Collection[str]) -> Rows:
        """Return the other rows."""
        if not labels:
            return self
        left = [place for place, label in enumerate(self.labels) if label not in labels]
        own = [self.labels[place] for place in left]
        return Rows(self.kind, own, self.scores[left], self.keep, self.of_board)


def _are_whole(rows: Array) -> BoolArray:
    return np.asarray(((rows == np.rint(rows)) | np.isnan(rows)).all(axis=1))


class Found(NamedTuple):
    """What a rule says of some labels: a refusal or a caution."""

    rule: str
    kind: Kind
    labels: tuple[str, ...]
    why: str
    noun: str = ""

    @property
    def sentence(self) -> str:
        """The sentence of a caution, with the remedy as the user types it."""
        return f"{self.why}: {remedy}" if (remedy := _remedy(self)) else self.why


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
_BESIDE = _MEASURES | _COUNTED
_BESIDE |= _set("all and by of or over per the arithmetic column geo geometric grand harmonic")
_BESIDE |= _set("macro micro row unweighted weighted score scores sd std")
#: Words that are one.
_PHRASES = re.compile(
    r"\b(?:(std|standard) (?:dev|deviation|err|error)|(reciprocal) rank|(word error) rate)\b"
)
#: Labels of a whole that are no scores, in any place.
_NO_LABELS = _set("measure num_q num_rel num_rel_ret num_ret runid")
#: Rows that sum up the topics, the first of them in trec_eval; a system may have this name.
_OF_TOPICS = frozenset({"all", "all queries", "all topics", "map"})
#: Names that pandas' ``describe`` gives, of which two or more are its rows.
_DESCRIBED = _set("count mean std min 25% 50% 75% max median")

_RUN = re.compile(r"[^\W\d_]+|\d+%?")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_KNOWN = _SUMMARIES | _WITH_OTHERS | _BESIDE
# Every such label has one of these in it. A text is searched for them faster than for a pattern.
_TELLING = {"standard", *_SUMMARIES, *_ALONE, *_WITH_OTHERS, *_NO_LABELS, *_OF_TOPICS, *_DESCRIBED}


@lru_cache(maxsize=4)  # many matrices have the same labels one after another
def _told(labels: str) -> frozenset[str]:
    folded = labels.casefold()
    absent = {letter for letter in ascii_lowercase if letter not in folded}  # nearly all, as in t12
    every = (word for word in _EVERY if absent.isdisjoint(word))
    return frozenset(word for word in every if word in folded)


def telling_labels(labels: Sequence[str], words: Collection[str] | None = None) -> list[str]:
    """Return the labels with one of some words in them, by default of those of summaries."""
    told = _told("\n".join(labels)).intersection(_TELLING if words is None else words)
    return [each for each in labels if any(w in each.casefold() for w in told)] if told else []


def named_summaries(kind: str, labels: Sequence[str]) -> Iterator[str]:
    """Yield those of the labels of topics or systems, the `kind`, that are names of summaries.

    A label is one if all of its words are known and one of them says so: ``Mean AP``, and not
    ``bm25-mean-pooling``.
    """
    found = [(label, _words(label)) for label in telling_labels(labels)]
    described = sum(" ".join(words) in _DESCRIBED for _, words in found) > 1
    for label, words in found:
        text = " ".join(words)
        if (
            _is_summary(words)
            or "_".join(words) in _NO_LABELS
            or (kind == "topic" and text in _OF_TOPICS)
            or (described and text in _DESCRIBED)
        ):
            yield label


def _is_summary(words: list[str]) -> bool:
    alone = sum(not word.isdecimal() for word in words) == 1
    telling = _SUMMARIES | (_ALONE if alone else _WITH_OTHERS)
    known = _KNOWN | telling
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word.isdecimal():
            if before not in _BEFORE_NUMBERS and after not in _COUNTED:
                return False
        elif word not in known and not (word in _WITH_NUMBER and after.isdecimal()):
            return False
    return not telling.isdisjoint(words)


def _words(label: str, known: frozenset[str] = _KNOWN) -> list[str]:
    words: list[str] = []
    for run in _RUN.findall(label):
        folded = run.casefold()
        one = folded in known or not run.isascii() or run[0].isdecimal()
        words += [folded] if one else [part.casefold() for part in _CAMEL.findall(run)]
    text = _PHRASES.sub(lambda m: "stddev" if m[1] else "rr" if m[2] else "wer", " ".join(words))
    return text.split()


# Numbers of summaries ----------------------------------------------------------------------------

_MOST_DECIMALS = 12
_EPS = float(np.finfo(np.float64).eps)
# A row that is as near as this to a summary, in units of the usual distance of the others, in so
# many of the columns of a quick look, is looked at: the nearest ones.
_NEAR, _OFF, _NEAREST = 0.25, 0.25, 10
# The proportion of cells that agree with a summary: a few may be stale, or mistakes in typing.
_AGREES = 0.9
# So many cells must agree, each to a share of the usual distance; the product of the shares is how
# often that is so by chance. And the range of distances of a row that is parallel, as made-up
# scores are, over that of the summary.
_FEWEST, _BY_CHANCE, _PARALLEL = 5, 1e-9, 1e-3


def last_decimals(scores: Array) -> Array:
    """Return the unit of the last decimal of each row, 0 if its scores have all digits."""
    units = np.zeros(len(scores))
    for decimals in range(_MOST_DECIMALS, -1, -1):
        written = (np.round(scores, decimals) == scores) | np.isnan(scores)
        units[written.all(axis=1)] = 10.0**-decimals
    return units


def error_of_sums(what: What, scores: Array) -> Array:
    """Return how far two computations of a summary over the rows of `scores` may be apart.

    These are bounds for n doubles in any order: 2 eps sum|x| for a sum divided by n.
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


def _levels(scores: Array) -> tuple[Array, Array]:
    """Return the mean and half of the sum of each column (2, k), and the usual distance of it."""
    missing = np.isnan(scores)
    some, n = missing.any(), np.asarray(len(scores))
    n = n - np.count_nonzero(missing, axis=0) if some else n
    shares = scores / n
    if some:
        shares[missing] = 0.0
    mean = shares.sum(axis=0)
    away = np.abs(scores - mean)
    if some:
        away[missing] = 0.0
    return np.array([mean, mean * n / 2]), away.sum(axis=0) / n


def _numbers(rows: Rows) -> Iterator[Found]:
    """Look closely at the rows that are nearest to the mean or the sum of all others.

    A row is the mean of the others if it is that of all, and their sum if it is half of all.
    """
    n, k = rows.scores.shape
    if n < 3 or rows.telling is not None:  # of two equal rows, each is the mean of the other
        return
    some = np.ascontiguousarray(rows.scores[:, :: max(1, k // _FEW)][:, :_FEW])
    levels, usual = _levels(some)
    of_both = np.abs(some - levels[:, np.newaxis]) / usual
    of_both_far = (of_both > _NEAR).sum(axis=2)
    for what, away, far in zip(get_args(What), of_both, of_both_far, strict=True):
        near = np.flatnonzero(far <= _OFF * away.shape[1])
        if len(near):
            near = near[far[near] <= _OFF * np.count_nonzero(away[near] >= 0, axis=1)]
            order = np.argsort(np.nansum(away[near], axis=1), kind="stable")
            yield from _agreeing(rows, near[order[:_NEAREST]].tolist(), what)


def _agreeing(rows: Rows, near: list[int], what: What) -> Iterator[Found]:
    """Find those of the rows `near` a summary whose numbers agree with it by no chance.

    Only cells count in which no other row has that number, and one of those with the same number.
    """
    scores, n = rows.scores, len(rows.scores)
    levels, usual = _levels(scores)
    level = levels[get_args(What).index(what)]
    every = np.sort(last_decimals(scores[:: max(1, n // _FEW)]))
    # The finest unit may be that of the row itself.
    rounding = error_of_rounding(what, n, float(every[min(1, len(every) - 1)]))
    exact = error_of_sums(what, scores)
    for row in near:
        own, label = scores[row], rows.labels[row]
        present = int(np.count_nonzero(~np.isnan(own)))
        half = float(last_decimals(own[np.newaxis])[0]) / 2
        # It has all digits; or it was rounded; or the scores were as well, after it was computed.
        for more in (0.0, half, half + rounding):
            margin = exact + more
            agrees = np.abs(own - level) <= margin
            number = int(np.count_nonzero(agrees))
            if number < _AGREES * present:
                continue
            alone = np.count_nonzero(np.abs(scores - own) <= margin, axis=0) == 1
            cells = np.flatnonzero(agrees & alone)
            cells = cells[np.unique(own[cells], return_index=True)[1]]
            shares = np.minimum(margin[cells] / usual[cells], 1.0)
            if len(cells) < _FEWEST or np.prod(shares) > _BY_CHANCE:
                continue
            apart = np.ptp(scores[:, cells] - own[cells], axis=1)  # 0 of the row itself
            if np.count_nonzero(apart <= _PARALLEL * np.ptp(own[cells])) == 1:
                cells_of = "" if number == present else f" in {number:,} of {present:,} cells,"
                why = f"has the {what}{cells_of} of the scores of all other {rows.kind}s"
                yield Found("numbers", rows.kind, (label,), f"{rows.kind} {label!r} {why}")
                break


# No scores ---------------------------------------------------------------------------------------

#: Words that say that a label has no scores, if all of its words are known. Behind others, as in
#: car_price, they may be of a task, and its numbers decide.
_NO_SCORES = _set(
    "size sizes params parameters flops gflops mflops tflops macs vram memory latency throughput "
    "runtime rtf rtfx speed time times seconds hours epoch epochs year date cost price variance "
    "licence license downloads dim dims dimension dimensions classes features instances rank ranks "
    "ranking wins losses draws ties mpce pvalue pvalues friedman wilcoxon nemenyi "
    "std stdev stddev stderr"
)
#: Words that say so of whole numbers among fractions.
_COUNTS = _set(
    "n count counts index seed seeds votes likes tokens length context samples examples steps "
    "iterations layers heads runs best worst"
)
#: Words that say so of the largest or the least of all others.
_EXTREMES = _set("best worst max min maximum minimum oracle")
#: Words that are known beside them.
_DESCRIBING = _set(
    "average averaged avg mean median total number num nb no of p value train training test "
    "testing win loss tie draw sign the overall model data dataset w t l d m b s active api batch "
    "compute cpu embedding eval evaluation fit gpu inference per peak prompt release token vocab "
    "vocabulary wall"
)
_PHRASE_OF_NO_SCORES = re.compile(r"p[\s_.-]?values?|w(?:ins?)?\W+[td]\w*\W+l\w*", re.IGNORECASE)
# What may stand behind the last word: a unit.
_UNIT = re.compile(r"(?:[(\[][^()\[\]]*[)\]]|[\s_](?:s|ms|h|b|m|k|gb|mb))\s*$", re.IGNORECASE)
#: Words and signs of a spread, beside the name of another column: ``A_sd``, ``A ±``.
_SPREADS = _set("sd se sem ci std stdev stddev stderr var variance ± +/-")
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
_RANKED, _OF_RANK = 4, 0.25  # systems at least, and the largest distance of an average rank
_OF_LABELS = _NO_SCORES | _COUNTS | _DESCRIBING
# Every label of no scores has one of these in it by its name.
_OF_OTHERS = _NO_SCORES | _COUNTS | {"val", "w/", "w-", "win"}
_EVERY = _OF_OTHERS | _EXTREMES | _TELLING


def _of_label(label: str) -> list[str]:
    every = _words(_UNIT.sub("", label) or label, _OF_LABELS)
    return [word for word in every if not word.isdecimal()]


def no_scores(rows: Rows) -> dict[str, str]:
    """Return the labels that may have numbers of another kind than scores, each with the reason."""
    found = dict(_no_scores_by_name(rows))
    # As ranks are, and numbers of another kind than scores.
    above_one = np.fmax.reduce(rows.scores, axis=None, initial=0.0) > 1
    if above_one:
        found = {**dict(_ranks(rows)), **found}
    rest = rows.without(found)
    while (rows.of_board or above_one) and (more := dict(_far_above(rest))):
        found |= more
        rest = rest.without(more)  # what is far above may hide what is less so
    for label in telling_labels(rest.labels, _EXTREMES):
        if label.casefold().strip() in _EXTREMES and len(rest.labels) > 1:
            own, others = rest.scores[rest.labels.index(label)], rest.without({label}).scores
            ends = (np.fmax.reduce(others), np.fmin.reduce(others))
            if any(((own == end) | np.isnan(own)).all() for end in ends):
                found[label] = "the largest or the least of all others in each column"
    return found


def _no_scores_by_name(rows: Rows) -> Iterator[tuple[str, str]]:
    board = rows.of_board
    labels = rows.labels if board else telling_labels(rows.labels, _OF_OTHERS)
    if not labels:
        return
    fractions = 2 * int(np.count_nonzero(rows.whole)) < len(rows.labels)
    places = {label: place for place, label in enumerate(rows.labels)}
    rows_of = {tuple(_WORD.findall(label.casefold())): places[label] for label in labels}
    for label in labels:
        place = places[label]
        row, words, counts = rows.scores[place], _of_label(label), rows.whole[place] and fractions
        if not _OF_LABELS.issuperset(words):
            words = words[-1:] if board and counts else []
        told = {*words} & (_NO_SCORES | _COUNTS if counts else _NO_SCORES)
        sizes = np.abs(row[~np.isnan(row)])
        every = _WORD.findall(label.casefold())
        spread = [word for word in every if word in _SPREADS] if board else []
        of = rows_of.get(tuple(word for word in every if word not in _SPREADS), place)
        if board and len(row) and not len(sizes):
            yield label, "no score"
        elif board and _UNKNOWN in row and not ((row < 0) & (row != _UNKNOWN)).any():
            yield label, "-1 may mean unknown, all others are at least 0"
        elif told:
            yield label, f"by its name, {min(told)}"
        elif _PHRASE_OF_NO_SCORES.fullmatch(label.strip()):
            yield label, "by its name"
        elif spread and (
            not spread[0].isalpha() or np.median(sizes) < np.nanmedian(np.abs(rows.scores[of])) / 2
        ):
            yield label, f"by its name, {spread[0]}"


def _far_above(rows: Rows) -> Iterator[tuple[str, str]]:
    """Yield rows whose typical number is far above the lower half, which is of scores if most
    are; where rows are not of a board, whole numbers beside fractions alone.
    """
    if len(rows.scores) < 3 or not (rows.of_board or (rows.scores[rows.whole] > _UNITS[0]).any()):
        return
    sizes = np.abs(rows.scores)
    top = np.nan_to_num(np.fmax.reduce(sizes, axis=1))
    level = np.nan_to_num(2 * _medians(sizes / 2))  # of halves: a sum may be no double
    lower = np.argsort(level, kind="stable")[: (len(level) + 1) // 2]
    largest = float(top[lower].max())
    least = float(top[lower][top[lower] > 0].min(initial=np.inf))
    small = largest <= _UNITS[0] and np.count_nonzero(top <= _UNITS[0]) >= _OTHERS
    unit = max(_UNITS[0] if small else _UNITS[1], largest)
    ask, labels = rows.of_board and largest <= _UNITS[1], rows.labels
    named = [ask and not _NO_SCORES.isdisjoint(_of_label(own)[-1:]) for own in labels]
    counts = rows.whole & (2 * int(np.count_nonzero(rows.whole[lower])) < len(lower))
    times = np.where(counts, _WHOLE, np.where(named, 1.0, max(_ANY, largest / least)))
    times[counts & (np.fmin.reduce(sizes, axis=1) == top)] = 1.0  # one number throughout
    far = (level > np.maximum(times * largest, unit)) & (largest > 0)
    if not rows.of_board:
        enough = np.count_nonzero(~np.isnan(rows.scores), axis=1) >= _MANY_COUNTS
        far &= counts & enough & (level < _COUNTABLE)
    for place in np.flatnonzero(far).tolist():
        what = f"about {level[place]:.4g}, and most others are at most {largest:g}"
        yield rows.labels[place], what


def _ranks(rows: Rows) -> Iterator[tuple[str, str]]:
    """Yield topics with the ranks of the k systems, whose sum is 1 + ... + k, or average ranks."""
    k = rows.scores.shape[1]
    if rows.kind == "system" or k < _RANKED:
        return
    total = k * (k + 1) / 2
    away = np.abs(rows.scores.sum(axis=1) - total) - 1e-9 * total
    like = np.flatnonzero(away <= k * 0.5e-2)
    # What rounding can change in a sum: that of numbers of 32 bits, or to so many decimals.
    own, least = rows.scores[like], np.full(len(like), total * 2.0**-24)
    for decimals in range(7, 1, -1):
        least[(own == own.round(decimals)).all(axis=1)] = k * 0.5 * 10.0**-decimals
    like = like[(away[like] <= least) & (own >= 1).all(axis=1) & (own <= k).all(axis=1)]
    if not len(like) or 2 * len(like) >= len(rows.scores):
        return
    from scipy.stats import rankdata

    ranks = rankdata(np.delete(rows.scores, like, axis=0), axis=1, nan_policy="omit")
    average = np.nanmean(ranks, axis=0)
    fractions = 2 * int(np.count_nonzero(rows.whole)) < len(rows.scores)
    for place in like.tolist():
        row, label = rows.scores[place], rows.labels[place]
        near = [np.abs(row - each) <= _OF_RANK for each in (average, k + 1 - average)]
        if fractions and np.array_equal(np.sort(row), np.arange(1, k + 1)):
            yield label, f"the whole numbers from 1 to {k}, as ranks are"
        elif max(np.count_nonzero(each) for each in near) >= _AGREES * k:
            yield label, "the average ranks of the systems on the others"


def _medians(scores: Array) -> Array:
    ordered, k = np.sort(scores, axis=1), scores.shape[1]
    if not np.isnan(ordered[:, -1]).any():  # NaN is the last
        return np.asarray((ordered[:, (k - 1) // 2] + ordered[:, k // 2]) / 2)
    rows, n = np.arange(len(scores)), k - np.count_nonzero(np.isnan(scores), axis=1)
    low, high = np.maximum(n - 1, 0) // 2, np.minimum(n // 2, k - 1)
    return np.asarray((ordered[rows, low] + ordered[rows, high]) / 2)


def without_averages(
    source: str, scores: pd.DataFrame, keep: frozenset[str]
) -> tuple[list[str], list[str]]:
    """Return the columns of a board that are the mean of the others, by name and numbers; notes."""
    topics, systems = labels_of(scores)
    values = scores.to_numpy()
    named, rows = list(named_summaries("topic", topics)), Rows("topic", topics, values, keep, True)
    for asked in _other_numbers(rows.without(named), asked=True):
        _refuse(source, asked)
    named = [label for label in named if label not in keep]
    others = rows.without(named).scores
    notes = []
    for label in named:
        if not len(others):
            raise ScoresError(
                f"{source} has only columns with names of summaries, such as {label!r}; expected "
                f"columns of tasks, or keep_topics={named!r} if these are tasks"
            )
        row = values[topics.index(label)]
        apart = ~np.isnan(row) & ~_is_mean(row, others)
        count, off = int(np.count_nonzero(~np.isnan(row))), int(np.count_nonzero(apart))
        if not count or count - off < _AGREES * count:
            raise ScoresError(
                f"{source}: the column {label!r} has the name of a summary, but is not the mean of "
                f"the other {len(others)} columns for {off} of {count} systems; leave it out by "
                f"drop_topics={[label]!r}, or, if it is a task, keep it by keep_topics={[label]!r}"
            )
        names = [system for system, bad in zip(systems, apart, strict=True) if bad]
        but = f", but for {off} of {count} systems ({kept(*names)})" if off else ""
        notes.append(
            f"{source}: the column {label!r} is the mean of the other {len(others)} columns"
            f"{but}, and is left out"
        )
    return named, notes


def _is_mean(row: Array, others: Array) -> BoolArray:
    present = ~np.isnan(others)
    mean = np.where(present, others, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    rounding = error_of_rounding("mean", len(others), last_decimals(others.T))
    margin = 0.5 * last_decimals(row[:, np.newaxis]) + rounding + error_of_sums("mean", others)
    return np.asarray((np.abs(row - mean) <= margin) & present.any(axis=0))


# Systems and topics that are in order for a reader -----------------------------------------------

# A system is dead, or a copy, if chance would so rarely make one, by its likeness to others. On so
# many topics it is told in any case.
_SURPRISE, _LONG, _LONGER = 1e-6, 10, 20
# Topics of four on which a system is far from the median of all, and how far, in units of the
# median distance; with few topics or systems, one is often far by chance.
_TOPICS_FAR, _FAR, _BY_TOPICS, _BY_SYSTEMS = 0.75, 8.0, 250.0, 300.0
# Fractions and percentages: systems with means so many times those of others, of at least so many.
_PERCENT, _BOTH = 5.0, 2
# Correlation of the scores of a topic in the other direction with the means of all other topics, or
# of their ranks, and that of both; and the number of such topics that chance would make.
_OTHER_DIRECTION, _AT_LEAST, _DIRECTIONS = -0.8, -0.4, 1e-6
_SEVERAL, _SHARE_OF_SEVERAL, _MANY_SYSTEMS = 8, 0.15, 30
_SYSTEMS, _TURNS = 5, 8  # at least, and of the power iteration
# Share of the variances that one topic has, of at least so many, also of scores from 0 to 1.
_SHARE, _SHARE_OF_ONE, _VARIED = 0.9, 0.98, 7
# A replicate: a stem, and a number behind a sign or a word, or a word, a number and a stem; so many
# topics are named so. Without a word, numbers that are all of years (en-de-14) are none.
# A trial is a word of its own, with a capital behind small letters: industrial-2005 has none.
_WORDS = r"fold|seed|run|rep|replicate|split|shard|(?-i:(?<=[a-z\d])Trial)"
_NAMED_SO = 0.9
_REPLICATE = re.compile(
    rf"(.*?)(?:[\W_]+(?:([a-z]|cv|trial|{_WORDS})[\W_]*)?|({_WORDS})[\W_]*)(\d+)"
    rf"(?:\.[a-z]{{2,5}})?\W*|({_WORDS})[\W_]*(\d+)[\W_]+(.+)",
    re.IGNORECASE,
)
_YEARS = frozenset([*range(2, 41), *range(1900, 2100)])


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
    def spread(self) -> tuple[Array, Array, Array, Array]:
        """Distances from the mean of the topic in units of the largest, 0 for a missing score;
        with the sums of squares, the numbers of scores, and the units, as columns.
        """
        n = count(self.scores).astype(np.float64)
        missing = None if n.min(initial=np.inf) >= self.scores.shape[1] else np.isnan(self.scores)
        with np.errstate(all="ignore"):
            filled = self.scores if missing is None else np.where(missing, 0.0, self.scores)
            away = filled - filled.sum(axis=1, keepdims=True) / n
            if missing is not None:
                away[missing] = 0.0
            units = np.abs(away).max(axis=1, keepdims=True)
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
    found: dict[tuple[float, int], list[str]] = {}
    for place in same if alive.size else ():
        k, value = int(np.count_nonzero(~np.isnan(scores[:, place]))), float(low[place])
        times = np.count_nonzero(alive == value, axis=0)
        likely = len(low) * _likely(times, k) ** k >= _SURPRISE
        if (not likely or k >= _LONG) and matrix.systems[place] not in matrix.kept.systems:
            found.setdefault((value, k), []).append(matrix.systems[place])
    for (value, k), names in found.items():
        what = f"{'have' if names[1:] else 'has'} the score {value:g} on all {counted(k, 'topic')}"
        yield _of("dead", "system", names, what)


def _likely(times: IntArray, k: int) -> float:
    of_all = (int(times.sum()) + 1) / (k * len(times) + 2)
    return min(1.0, max(of_all, int(times.max(initial=0)) / max(k, 1)))


def _copies(matrix: Matrix) -> Iterator[Found]:
    scores, (low, high) = matrix.scores, matrix.ends
    k, n = scores.shape
    groups, copies = [], list[str]()
    few = _same(scores[:_FEW])  # a quick look
    for places in [[own[i] for i in same] for own in few for same in _same(scores[:, own])]:
        own = scores[:, places[:1]]
        names = [matrix.systems[place] for place in places]
        names.sort(key=lambda name: name not in matrix.kept.systems)  # the first is no copy
        again = [name for name in names[1:] if name not in matrix.kept.systems]
        if not again or not low[places[0]] < high[places[0]]:
            continue
        there = int(np.count_nonzero(~np.isnan(own)))
        times = np.count_nonzero(np.delete(scores, places, axis=1) == own, axis=0)
        likely = n * n / 2 * _likely(times, there) ** there >= _SURPRISE
        if not likely or there >= _LONGER:
            groups.append([names[0], *again])
            copies += again
    if groups:
        told = f"have the same scores on all {counted(k, 'topic')}"
        each = listed([" = ".join(map(kept, names)) for names in groups])
        many = f"{len(groups)} groups of systems {told} ({each})"
        one = f"systems {_named(groups[0])} {told}"
        yield Found("copy", "system", tuple(copies), one if len(groups) == 1 else many)


def _same(scores: Array) -> list[list[int]]:
    columns = np.add(scores.T, 0.0, order="C")  # -0.0 is 0.0
    # Columns that are the same have the same sum of their bits, and few others have.
    sums = (columns.view(np.int64) * np.arange(1, 2 * len(scores), 2)).sum(axis=1)
    if len(set(sums.tolist())) == len(sums):
        return []
    _, which, times = np.unique(sums, return_inverse=True, return_counts=True)
    same: dict[bytes, list[int]] = {}
    for place in np.flatnonzero(times[which] > 1).tolist():
        same.setdefault(columns[place].tobytes(), []).append(place)
    return [places for places in same.values() if len(places) > 1]


def _far_systems(matrix: Matrix) -> Iterator[Found]:
    """Find systems far from all others on most topics, by the median, so that none hides."""
    scores = matrix.scores
    if scores.shape[1] < 4 or not len(scores):
        return
    few = scores[:: max(1, len(scores) // _FEW)][:_FEW]
    if not _are_far(few, 0.5, len(scores)).any():  # a quick look
        return
    low, high = matrix.ends
    far = np.flatnonzero(_are_far(scores, _TOPICS_FAR) & (low < high)).tolist()
    far = [place for place in far if matrix.systems[place] not in matrix.kept.systems]
    if names := [matrix.systems[place] for place in far]:
        _, of_all, n, unit = matrix.spread
        _, of_rest, m, own = Matrix((), (), np.delete(scores, far, axis=1)).spread
        rest = np.sqrt(of_rest / (m - 1)) * own
        ratio = np.sqrt(of_all / (n - 1)) * unit / np.where(rest > 0, rest, np.nan)
        are, it = ("is", "it") if len(names) == 1 else ("are", "them")
        yield _of(
            *("spread", "system", names),
            f"{are} far from all others: without {it} the standard deviation of the topics is "
            f"about {np.nanmedian(ratio):.2g} times smaller",
        )


def _are_far(scores: Array, share: float, topics: int | None = None) -> BoolArray:
    n = scores.shape[1]
    away = np.abs(scores - _medians(scores)[:, np.newaxis])
    usual = _medians(away)
    varied = usual > 0
    k = int(np.count_nonzero(varied))
    bound = _FAR + _BY_TOPICS / max(topics or k, 1) + _BY_SYSTEMS / n**2
    far = np.count_nonzero(away[varied] > bound * usual[varied, np.newaxis], axis=0)
    return np.asarray((far >= share * k) & (k >= 3))


def _units(matrix: Matrix) -> Iterator[Found]:
    """Find fractions beside percentages, of so many systems that not all of them are far."""
    low, high = matrix.ends
    small, large = (low < high) & (high <= 1), (low < high) & (high > 1)
    smaller = min(small, large, key=np.count_nonzero)
    if np.count_nonzero(smaller) < _BOTH or np.nanmin(low) < 0 or np.nanmax(high) > 100:
        return
    means = [np.nanmean(matrix.scores[:, own], axis=0) for own in (small, large)]
    if means[1].min() <= _PERCENT * means[0].max():
        return
    names = [matrix.systems[place] for place in np.flatnonzero(smaller).tolist()]
    names = [name for name in names if name not in matrix.kept.systems]
    if not any(names == list(each.labels) for each in _far_systems(matrix)) and names:
        have, own, others = "has" if len(names) == 1 else "have", high[small], high[large]
        own, others = (own, others) if smaller is small else (others, own)
        yield _of(
            *("units", "system", names),
            f"{have} scores of up to {own.max():.3g}, and others of up to {others.max():.3g}, as "
            "fractions and percentages have",
        )


def _other_direction(matrix: Matrix) -> Iterator[Found]:
    """Find topics that order the systems against most topics.

    Signs of topics are those of the first principal component of the topics, each with mean 0 and
    length 1, and the side with fewer topics is the other direction.
    """
    away, squares, n, _ = matrix.spread
    varies = np.flatnonzero((squares[:, 0] > 0) & (n[:, 0] >= _SYSTEMS))
    if len(varies) < _SYSTEMS:
        return
    z = away[varies]
    z /= np.sqrt(squares[varies])
    if matrix.lower:
        z[[matrix.topics[place] in matrix.lower for place in varies.tolist()]] *= -1
    total = z.sum(axis=0)
    for _ in range(_TURNS):
        total = (z @ total) @ z
    side = np.where(z @ total < 0, -1.0, 1.0)
    side *= 1.0 if side.sum() >= 0 else -1.0
    if (side > 0).all():
        return
    mean = side @ z
    own = side * (z @ mean)
    apart = np.maximum(mean @ mean - 2 * own + 1, 1e-300)
    r = side * np.clip((own - 1) / np.sqrt(apart), -1.0, 1.0)
    doubtful = np.flatnonzero(r < _AT_LEAST)
    # Correlations of the ranks, in which no score is far from others, beside those of the scores.
    some, k = z[doubtful], z.shape[1]
    ranks, of_means = (each.argsort(axis=1).argsort(axis=1) for each in (some, mean + some))
    of_ranks: Array = 1 - 6 * ((ranks - of_means) ** 2).sum(axis=1) / (k * (k * k - 1))
    is_weak = of_ranks < _AT_LEAST
    weak = doubtful[is_weak]
    # Of many systems, several topics with a weak correlation are evidence together.
    least = max(_SEVERAL, _SHARE_OF_SEVERAL * len(varies))
    several = len(weak) >= least and np.median(n) >= _MANY_SYSTEMS
    against = weak if several else weak[np.minimum(r[weak], of_ranks[is_weak]) < _OTHER_DIRECTION]
    between = np.count_nonzero(np.abs(r) < -_AT_LEAST)
    if not len(against) or (2 * between > len(against) and not several):
        return
    # By chance: the tail of Student's t is at most (1 - r^2)^((n - 2) / 2), for each choice.
    chances = (n[varies[against], 0] - 2) / 2 * np.log(np.maximum(1 - r[against] ** 2, 1e-300))
    if chances.sum() + math.log(math.comb(len(varies), len(against))) > math.log(_DIRECTIONS):
        return
    names = [matrix.topics[place] for place in varies[against].tolist()]
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
    if not len(matrix.topics):
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
    topics, stems, worded = matrix.topics, dict[str, dict[int, str]](), False
    if len(topics) < 4 or not any(map(_REPLICATE.fullmatch, topics[:2])):  # a quick look
        return
    for topic in topics:
        if found := _REPLICATE.fullmatch(topic):
            stem, word = found[1] or found[7] or "", found[3] or found[5]
            worded = worded or bool(word or found[2])
            if stem or word:
                stems.setdefault(stem, {})[int(found[4] or found[6])] = topic
    several = {stem: own for stem, own in stems.items() if len(own) > 1}
    numbers = Counter(number for own in several.values() for number in own)
    named, cells = sum(numbers.values()), len(several) * len(numbers)
    # All stems have the same numbers but a few; or most numbers are shared, and stems are words.
    words = len({re.sub(r"\d", "", stem) for stem in several}) > 1
    shared = named >= cells - max(1, cells // 10) or (words and named >= 1.5 * len(numbers))
    enough = named >= _NAMED_SO * len(topics) and (len(several) > 1 or "" in several)
    enough = enough and (worded or not numbers.keys() <= _YEARS)
    if enough and shared and not matrix.kept.topics.issuperset(topics):
        least, most = (end(map(len, several.values())) for end in (min, max))
        many = f"{most}" if least == most else f"{least} to {most}"
        each = f"each of {len(several)}" if len(several) > 1 else "one"
        shown = listed(list(next(iter(several.values())).values())[:2])
        told = (
            f"{named} topics are named as {many} replicates of {each}, such as {shown}: if they "
            f"are folds or seeds, they are not independent, and a test of n = {len(topics)} "
            "rejects too often; take the mean over replicates, as replicate=... does of a table "
            "with a column of them"
        )
        yield Found("replicates", "topic", tuple(topics), told)


# The table ---------------------------------------------------------------------------------------


def _named(labels: Sequence[str], most: int = 10) -> str:
    more = [counted(len(labels) - most, "other")] if len(labels) > most else []
    return alternatives([*map(repr, labels[:most]), *more], "and")


def _of(rule: str, kind: Kind, labels: Sequence[str], what: str) -> Found:
    kinds = kind if len(labels) == 1 else f"{kind}s"
    return Found(rule, kind, tuple(labels), f"{kinds} {_named(labels)} {what}")


def _labels(rows: Rows) -> Iterator[Found]:
    """Find a column `run_id` of whole numbers, of a table with a row a score."""
    roles = roles_of(tuple(rows.labels)) if rows.kind == "system" else ()
    for place, (label, role) in enumerate(zip(rows.labels, roles, strict=False)):
        if role in ("system", "measure") and rows.whole[place]:
            why = (
                f"has the column {label!r} of whole numbers, which are labels of {role}s in a "
                "table with a row for each score; expected columns headed topic, system and score "
                "there"
            )
            yield Found("labels", "system", (label,), why)


def _names(rows: Rows) -> Iterator[Found]:
    for label in named_summaries(rows.kind, rows.labels if rows.telling is None else rows.telling):
        why = f"has a {rows.kind} {label!r}, the name of a summary and not of a {rows.kind}"
        yield Found("name", rows.kind, (label,), why)


def _other_numbers(rows: Rows, *, asked: bool = False) -> Iterator[Found]:
    """Find all labels of no scores together, as one question; a board is asked when it is read."""
    if rows.telling is not None or (rows.of_board and not asked):
        return
    with np.errstate(all="ignore"):
        reasons = no_scores(rows)
    labels = tuple(filter((reasons.keys() - rows.keep).__contains__, rows.labels))
    if labels:
        names = alternatives([f"{label!r} ({reasons[label]})" for label in labels], "and")
        s = "s" * (len(labels) > 1)
        why = f"the {rows.kind}{s} {names} may have no scores"
        if rows.of_board:
            why = f"the column{s} {names} may not be {'tasks' if s else 'a task'}"
        yield Found("no scores", rows.kind, labels, why, noun="task" * rows.of_board)


_DROP = "leave {it} out by {drop}, or, if {they}, keep {it} by {keep}"
_RIGHT = "leave {it} out by {drop}, or, if that is right, keep {it} by {keep}"
_COPIED = "if {names} by mistake, leave {it} out by {drop}; if all are right, keep {it} by {keep}"
_IN_UNITS = "write all in one unit, leave {it} out by {drop}, or keep {it} by {keep}"
_DIRECTION = "if lower is better on {it}, say {lower}; if not, keep {it} by {keep}"
_DECIDING = "standardize the scores, leave {it} out by {drop}, or keep {it} by {keep}"
#: The rules on reading, in the order in which they are asked of topics and of systems, with the
#: remedy. Labels that they find are refused.
OF_READING: dict[str, tuple[Callable[[Rows], Iterator[Found]], str]] = {
    "labels": (_labels, _DROP),
    "name": (_names, _DROP),
    "no scores": (_other_numbers, _DROP),
    "numbers": (_numbers, _DROP),
}
#: The rules on results, with the remedy.
OF_RESULTS: dict[str, tuple[Callable[[Matrix], Iterator[Found]], str]] = {
    "dead": (_dead, _RIGHT),
    "copy": (_copies, _COPIED),
    "spread": (_far_systems, _RIGHT),
    "units": (_units, _IN_UNITS),
    "direction": (_other_direction, _DIRECTION),
    "deciding": (_deciding, _DECIDING),
    "replicates": (_replicates, ""),
}
# Those that are only of a `Matrix` that is such a one.
_ONLY_OF = {"spread": "reference", "deciding": "raw"}


def _remedy(found: Found) -> str:
    labels, noun = list(found.labels), found.noun or found.kind
    one = len(labels) == 1
    _, remedy = OF_READING[found.rule] if found.rule in OF_READING else OF_RESULTS[found.rule]
    return remedy.format(
        it="it" if one else "them",
        they=f"it is a {noun}" if one else f"they are {noun}s",
        names=f"{_named(labels)} {'is a copy' if one else 'are copies'}",
        drop=f"drop_{found.kind}s={labels!r}",
        keep=f"keep_{found.kind}s={labels!r}",
        lower=f"lower_is_better={labels!r}",
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
    telling: Sequence[str] | None = None,
) -> None:
    """Raise `ScoresError` for a label that is none; columns of a `board` were asked when read."""
    topics = Rows("topic", labels[0], scores, kept.topics, board, telling)
    systems = Rows("system", labels[1], np.ascontiguousarray(scores.T), kept.systems)
    with np.errstate(all="ignore"):  # of scores near the largest double
        for find, _ in OF_READING.values():
            for rows in (topics, systems):
                for found in find(rows):
                    if not rows.keep.issuperset(found.labels):
                        _refuse(source, found)


def _refuse(source: str, found: Found) -> None:
    colon = "" if found.why.startswith("has ") else ":"
    raise ScoresError(f"{source}{colon} {found.why}; {_remedy(found)}")


def of_results(matrix: Matrix, known: dict[object, list[Found]] | None = None) -> list[Found]:
    """Return what is said of a result; `known` is what was found in the same scores before."""
    known, found = {} if known is None else known, list[Found]()
    for rule, (find, _) in OF_RESULTS.items():
        if rule not in _ONLY_OF or getattr(matrix, _ONLY_OF[rule]):
            key = rule, frozenset(matrix.lower)
            if key not in known:
                with np.errstate(all="ignore"):
                    known[key] = list(find(matrix))
            found += known[key]
    return found
