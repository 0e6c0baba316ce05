"""Doubts about a matrix that came in, in one table of rules on its topics and its systems.

A rule looks at the rows of a matrix, and is run on the topics and on the systems, unless its
meaning forbids one of them. Rules on reading ask what a label is: a summary such as the row ``all``
of trec_eval, or a number that is no score such as a size, would change n, every mean and every
p value. Such a label is refused until the user drops or keeps it, or is accepted with a caution
where chance may explain its numbers. Rules on results look at what is in order for a reader and
may be wrong all the same: a system that never ran, a copy, a topic in the other direction.

Each rule first takes a quick look at all rows, of at most a few passes over the scores, and looks
closely at the few rows that are left.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

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
What = Literal["mean", "sum", "geometric mean"]

_REFUSED, _DOUBTED = 1e-6, 1e-2  # expected number of such rows among other scores


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
    def low(self) -> Array:
        """The least score of each row, NaN if it has none."""
        return np.asarray(np.fmin.reduce(self.scores, axis=1))

    @cached_property
    def high(self) -> Array:
        """The largest score of each row, NaN if it has none."""
        return np.asarray(np.fmax.reduce(self.scores, axis=1))

    @cached_property
    def whole(self) -> BoolArray:
        """Which rows have whole numbers alone."""
        some = self.scores[:, : _FEW[0]]
        whole = ((some == np.rint(some)) | np.isnan(some)).all(axis=1)  # a quick look
        rest = self.scores[whole]
        whole[whole] = ((rest == np.rint(rest)) | np.isnan(rest)).all(axis=1)
        return np.asarray(whole)


class Found(NamedTuple):
    """What a rule says of some labels: a caution, or a note if it matters little, or an error."""

    rule: str
    kind: Kind
    labels: tuple[str, ...]
    why: str
    is_note: bool = False
    refused: bool = False
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
        "all and by of or over per the arithmetic column geometric grand harmonic macro micro row "
        "unweighted weighted score scores sd std"
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
_WHATS: tuple[What, ...] = get_args(What)
#: trec_eval puts this in place of smaller scores in a geometric mean.
LEAST_OF_GEOMETRIC = 1e-5
# Columns of the quick look, of the evidence, and cells whose last decimal is looked at.
_FEW = (24, 32, 1000)
# A row that is as near as this to a summary, in units of the usual distance of the others, in so
# many of the columns, is looked at; a margin as wide would be no evidence.
_NEAR, _OFF = 0.25, 0.25
# If more rows that are printed alike agree with a summary than this, such rows do so easily.
_MOST = 10
# The largest proportion of the numbers of a row that may be off, such as mistakes in typing.
_MISTAKES = 0.1
# Rows at the end that may be summaries together, such as a mean and a standard deviation.
_LAST = 3
# Rows nearest to the summary that show how near such rows come to it by chance.
_NEAREST = 8
# Summaries times roundings that are tried.
_TRIED = 9
# Of two other rows any mean is halfway, as 1/7 is between 0 and 2/7: the least chance there.
_LEAST_OF_TWO = 0.05
# The finest grid 1/q that is known, and how near to k / q a score of all digits is.
_FINEST, _ROUNDING = 1000, 1e-12
# So many rows in a column tell no more of its grid than all columns do.
_MANY = 20


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


def error_of_sums(what: What, scores: Array, level: Array | float = 0.0) -> Array:
    """Return how far two computations of a summary over the rows of `scores` may be apart.

    `level` is the summary, which that of a geometric mean depends on. These are bounds for n
    doubles that are added in any order: 2 eps sum|x| for a sum divided by n.
    """
    n, total = len(scores), np.nansum(np.abs(scores), axis=0)
    if what == "geometric mean":
        return np.asarray(32 * n * _EPS * level)
    return np.asarray((2 if what == "mean" else 2 * n) * _EPS * total)


def error_of_rounding(what: What, n: int, unit_of_scores: Array | float) -> Array:
    """Return how far a summary of n scores may be from that of the scores rounded to a unit.

    Each is off by half a unit at most, and so is their mean. In a sum these add up to n / 2 units,
    and to 2 sqrt(n) and hardly more, 7 standard deviations, where n is large. In a geometric mean
    small scores weigh more.
    """
    times = {"mean": 0.5, "sum": min(0.5 * n, 2 * n**0.5), "geometric mean": 2.0}[what]
    return np.asarray(times * unit_of_scores)


class Summary(NamedTuple):
    """A row that sums up the others, and how many such rows are expected among other scores.

    `what` is the name of the summary, of which the row has `agreeing` of its `present` numbers.
    """

    row: int
    what: What
    chance: float
    agreeing: int
    present: int


def summaries(scores: Array) -> Iterator[Summary]:
    """Yield the rows that agree with a summary of the others, or of the others but the last ones.

    Rows that sum up others at the end hide each other, and so each of the last three is also
    compared with the rows before them alone.
    """
    n = len(scores)
    if n < 3:  # of two rows, each is the mean and the sum of the other if they are equal
        return
    # Each row without no other, and each of the last ones without the others of them.
    ends = [
        (tuple(each for each in range(n - last, n) if each != row), row)
        for last in range(2, min(_LAST, n - 2) + 1)
        for row in range(n - last, n)
    ]
    some = scores[:, :: max(1, scores.shape[1] // _FEW[0])][:, : _FEW[0]]
    out = np.zeros((len(ends), n))
    for place, (others, _) in enumerate(ends):
        out[place, list(others)] = 1.0
    has = (~np.isnan(some)).astype(np.float64)
    count = has.sum(axis=0)
    with np.errstate(all="ignore"):
        usual = None
        for what in _WHATS:
            values = _added(some, what)
            if values is None:
                continue
            total = values.sum(axis=0)
            if usual is None:  # the first is the mean
                usual = (np.abs(values - total / count) * has).sum(axis=0) / count
            near: list[tuple[tuple[int, ...], int]] = [
                ((), row) for row in _near(some, _levels(what, total, count), usual)
            ]
            level = _levels(what, total - out @ values, count - out @ has)
            rows = some[[row for _, row in ends]]
            near += [ends[place] for place in _near(rows, level, usual)]
            yield from _agreeing(scores, near, what)


def _added(scores: Array, what: What) -> Array | None:
    """Return what a summary adds up, 0 where a score is missing; None if it has none.

    Negative scores have no geometric mean, and no one adds scores of both signs, such as z scores,
    some of which cancel each other.
    """
    low = np.fmin.reduce(scores, axis=None)
    if what == "geometric mean":
        if low < 0:
            return None
        scores = np.log(np.maximum(scores, LEAST_OF_GEOMETRIC))
    elif what == "sum" and low < 0:
        column = np.fmin.reduce(scores, axis=0) < 0
        if (column & (np.fmax.reduce(scores, axis=0) > 0)).any():
            return None
    return np.where(np.isnan(scores), 0.0, scores)


def _levels(what: What, total: Array, count: Array | IntArray) -> Array:
    """Return the score of a row that is a summary of the other rows, by the sum of all of them.

    A row is the mean of the others if it is the mean of all: S / n = (S - x) / (n - 1); and it is
    their sum if it is half of the sum of all.
    """
    if what == "sum":
        return np.asarray(total / 2)
    return np.asarray(np.exp(total / count) if what == "geometric mean" else total / count)


def _near(some: Array, level: Array, usual: Array) -> list[int]:
    """Return the rows that are near a summary in most columns of their scores."""
    away = np.abs(some - level)
    far = np.count_nonzero(away > _NEAR * usual, axis=1)
    return np.flatnonzero(far <= _OFF * np.count_nonzero(away >= 0, axis=1)).tolist()


def _agreeing(
    scores: Array, near: Sequence[tuple[tuple[int, ...], int]], what: What
) -> Iterator[Summary]:
    """Yield those of the rows `near` a summary, each without some others, that agree with it."""
    if not near:
        return
    units = last_decimals(scores[[row for _, row in near]])
    every = last_decimals(scores[:: max(1, len(scores) * scores.shape[1] // _FEW[2])][:, : _FEW[1]])
    unit = float(np.sort(every)[min(1, len(every) - 1)])  # the finest may be that of the row itself
    found: list[tuple[float, Summary]] = []
    known: dict[tuple[int, ...], tuple[Array, Array, Array]] = {}
    for (out, row), own in zip(near, units.tolist(), strict=True):
        if out not in known:
            rows = np.delete(scores, out, axis=0) if out else scores
            values = _added(rows, what)
            if values is None:
                continue
            count = np.count_nonzero(~np.isnan(rows), axis=0)
            level = _levels(what, values.sum(axis=0), count)
            known[out] = rows, level, error_of_sums(what, rows, level)
        rows, level, exact = known[out]
        place = row - sum(each < row for each in out)
        present = ~np.isnan(rows[place])
        off = np.abs(rows[place] - level)
        rounded = exact + error_of_rounding(what, len(rows), unit)
        # It has all digits; or it was rounded, of scores with all digits that are seen; or the
        # scores were rounded as well, after the summary was computed.
        best = None
        for margin in (exact, exact + own / 2, rounded + own / 2):
            agrees = off <= margin
            number = int(np.count_nonzero(agrees))
            if number and number >= np.count_nonzero(present) * (1 - _MISTAKES):
                chance = chance_of(rows, place, margin, what, agrees)
                if best is None or chance < best.chance:
                    best = Summary(row, what, chance, number, int(np.count_nonzero(present)))
                if number == np.count_nonzero(present):
                    break
        if best is not None:
            found.append((own, best))
    alike = Counter(own for own, _ in found)
    yield from (best for own, best in found if alike[own] <= _MOST)


def chance_of(scores: Array, row: int, margin: Array, what: str, agrees: BoolArray) -> float:
    """Return how many rows like one that agrees with a summary are expected by chance, at most.

    Of the others, the rows nearest to the summary show how near such rows come to it: the chance
    of a column is margin / mean distance of these rows. It is no less than that of a score on
    the grid that the scores are on, nor than the share of scores that are as near, nor than
    1 / n where the n scores are symmetric, and one is in the middle. Columns follow from each
    other: so the distance is also that of differences from each column before, and of sums. The
    product of the chances, times the rows that are nearest, the summaries that are tried and the
    ways to choose the columns of mistakes, is the number. Specified in summary.3.
    """
    mistakes = int(np.count_nonzero(~np.isnan(scores[row]) & ~agrees))
    columns = np.flatnonzero(agrees)[: _FEW[1]]
    level, margin = scores[row, columns], margin[columns]
    others = np.delete(scores[:, columns], row, axis=0)
    others = others[~np.isnan(others).all(axis=1)]
    n = len(others)
    # One score everywhere is that of a rule, such as the 1 of the best system after minmax.
    if n < 2 or (len(columns) > 1 and np.ptp(level) <= margin.min()):
        return 1.0
    missing = np.isnan(others)
    # A row above all others is on a scale of its own, on which they would be as large.
    above = what == "sum" and not (others >= level).any()
    away = np.where(missing, 0.0, others * n - level if above else others - level)
    sizes = np.maximum(np.abs(away).sum(axis=0) / (~missing).sum(axis=0), 1e-300)
    joint = np.abs(away / sizes).sum(axis=1) / (~missing).sum(axis=1)
    nearest = away[np.argsort(joint, kind="stable")[:_NEAREST]]
    on_one_grid = others if what == "mean" else scores[:, columns]
    start, unit = _grid(on_one_grid)
    steps = np.full(len(columns), unit)
    if n <= _MANY:  # a column may have its own, as the recall of one topic
        steps = np.array([max(unit, _grid(column)[1]) for column in on_one_grid.T])
    if what == "mean":  # of n whole multiples of a unit it is one of unit / n
        steps /= n
    every = _present(others)
    had = (np.abs(every[:, np.newaxis] - level) <= margin).mean(axis=0)
    tied = (~missing & (np.abs(away) <= margin)).mean(axis=0)
    least = np.maximum(_least(others, level, margin, what), np.maximum(had, tied))
    wide = np.maximum(margin, steps / 2)
    chances = np.maximum(least, _chances(nearest, wide))
    # Of each column given one before it: by differences and by sums.
    both = np.maximum(margin[:, np.newaxis] + margin, steps / 2)
    apart = nearest[:, np.newaxis, :] - nearest[:, :, np.newaxis]
    added = nearest[:, np.newaxis, :] + nearest[:, :, np.newaxis]
    given = np.triu(np.maximum(_chances(apart, both), _chances(added, both)), 1)
    chances = np.maximum(chances, given.max(axis=0))
    if len(chances) > 1 and _have_one_sum(others):
        chances[np.argmin(chances)] = 1.0  # the last column follows from the others
    rows = 1.0 if above else float(len(nearest))
    if unit and not _on_grid(level - start, unit).all():
        rows /= n + 1  # all other rows are on a grid, and this one is not
    ways = math.comb(int(np.count_nonzero(agrees)) + mistakes, mistakes)
    return float(_TRIED * rows * np.exp(math.log(ways) + np.log(chances).sum()))


def _chances(distances: Array, margin: Array) -> Array:
    """Return how likely each column is within its margin, by the distances of some rows."""
    sizes = np.abs(distances)
    # One may be there because so many columns are compared.
    within = (np.count_nonzero(sizes <= margin, axis=0) - 1) / len(sizes)
    near = margin / sizes.mean(axis=0)
    near = np.where(near < 1, near, 1.0)  # 1 for NaN as well: where all are equal is no evidence
    return np.asarray(np.clip(near, np.maximum(within, 1e-300), 1.0))


def _least(others: Array, level: Array, margin: Array, what: str) -> Array:
    """Return the least chance of each column: 1 / n if the n scores are symmetric about a summary.

    Then a score that is in the middle, as one of n is, has their mean, whatever the digits; and 0
    has their sum, if they are symmetric about 0. So do quantiles and other scores that depend on
    ranks alone.
    """
    if len(others) == 2:
        return np.full(len(level), _LEAST_OF_TWO)
    ordered = np.sort(others, axis=0)
    middle = (ordered + ordered[::-1]) / 2
    if what == "geometric mean":
        middle = np.sqrt(ordered * ordered[::-1])
    off = np.abs(middle if what == "sum" else middle - level)
    apart = off > 4 * margin + 1e-12 * np.abs(ordered).max(axis=0)  # False for NaN: anything
    return np.where(apart.any(axis=0), 0.0, 1 / len(others))


def _have_one_sum(others: Array) -> bool:
    """Tell whether the scores of each row have the same sum, as z scores and ranks have.

    Their digits, and not what all scores share, tell how far the sums may be apart.
    """
    apart = np.abs(others - others.mean(axis=1, keepdims=True)).sum(axis=1).max()
    rounding = error_of_sums("sum", others.T).max()
    return bool(np.ptp(others.sum(axis=1)) <= 1e-9 * apart + rounding)


def _grid(scores: Array) -> tuple[float, float]:
    """Return start and unit, such that all scores are start + k unit at their decimals, or 0, 0."""
    some = np.unique(_present(scores))
    decimals = next((d for d in range(13) if (np.round(some, d) == some).all()), None)
    half = _ROUNDING if decimals is None else 0.5 * 10.0**-decimals
    # A grid as fine as the decimals fits everything.
    q = np.arange(1.0, _FINEST + 1)
    q = q[10 * half * q <= 1.0, np.newaxis]
    fits = (np.abs(np.rint(some * q) / q - some) <= half).all(axis=1)
    if fits.any():
        return 0.0, 1 / float(q[np.argmax(fits), 0])
    if decimals is not None:
        return 0.0, 10.0**-decimals
    steps = np.diff(some)
    unit = float(steps[steps > _ROUNDING].min(initial=np.inf))
    regular = np.ptp(some) <= _FINEST * unit and _on_grid(some - some[0], unit).all()
    return (float(some[0]), unit) if regular else (0.0, 0.0)


def _present(scores: Array) -> Array:
    """Return some of the scores that are present, from all places."""
    every = scores.reshape(-1)
    some = every[:: max(1, every.size // _FEW[2])]
    return np.asarray(some[~np.isnan(some)])


def _on_grid(scores: Array, unit: float) -> BoolArray:
    """Tell which scores are whole multiples of a unit but for rounding."""
    return np.asarray(np.abs(np.rint(scores / unit) * unit - scores) <= _ROUNDING)


# No scores ---------------------------------------------------------------------------------------

#: Whole words of a header that say that a column is no task.
_NO_TASKS = _set(
    "size params parameters flops gflops mflops tflops macs vram latency throughput runtime rtf "
    "rtfx ranking licence license downloads std stdev stddev stderr"
)
#: Words that say so at the end of a header; a task may have them elsewhere, as in TimeQA.
_AT_THE_END = _set(
    "dim dims dimension dimensions memory epoch epochs speed time seconds hours rank year date "
    "cost price variance"
)
#: Words that say so at the end, of whole numbers among columns of fractions.
_COUNTS = _set(
    "n count counts index seed seeds votes likes tokens length context samples examples steps "
    "iterations layers heads runs"
)
#: Words of which a label that is no score has one, in any place, where all of its words are of
#: these sets; those that only a description of a data set has; and those beside them.
_NO_SCORES = _set(
    "rank ranks ranking wins losses ties draws mpce best worst pvalue count counts size params "
    "parameters flops gflops runtime latency seconds classes features instances samples"
)
_DESCRIBING = _set(
    "average averaged avg mean median total number num no of n p value train training test "
    "testing win loss tie draw time the overall model data dataset w t l d m b s"
)
_EXTREMES = _set("best worst")
_PHRASE_OF_NO_SCORES = re.compile(r"p[\s_.-]?values?|w(?:ins?)?\W+[td]\w*\W+l\w*", re.IGNORECASE)
# What may stand behind the last word: a unit.
_UNIT = re.compile(r"(?:[(\[][^()\[\]]*[)\]]|[\s_](?:s|ms|h|b|m|k|gb|mb))\s*$", re.IGNORECASE)
#: Words and signs of a spread, beside the name of another column: ``A_sd``, ``A ±``.
_SPREADS = frozenset({"sd", "se", "sem", "ci", "var", "±", "+/-"})
_WORD = re.compile(r"[^\W\d_]+|\+/-|±")
_UNKNOWN = -1.0  # as leaderboards write it
# A typical number of a column, over the largest of the others: of whole numbers beside fractions,
# and of others.
_WHOLE, _ANY = 3.0, 10.0
# The largest score in most units: 1, and 100 percent. Of fewer tasks than these, all may be hard
# but one, so that numbers of up to 100 are no evidence.
_UNITS = (1.0, 100.0)
_OTHERS = 3
# So many equal numbers are no chance, and so many counts, up to a large one.
_ENOUGH, _MANY_COUNTS, _COUNTABLE = 3, 5, 1e12
# An average agrees in so many of the rows; published ones are stale in a few.
_AGREES = 0.9
# Fits of the weights of an average, each without the rows that are the farthest off.
_TRIES = 3


def no_scores(rows: Rows) -> dict[str, str]:
    """Return the labels that may have numbers of another kind than scores, each with the reason.

    The columns of a file whose rows are systems are often of other kinds. Elsewhere all words of a
    label must say so, or its numbers are whole and those of most others are fractions.
    """
    found = dict(_no_scores_by_name(rows))
    for label in [each for each in found if each.casefold().strip() in _EXTREMES]:
        rest = [place for place, each in enumerate(rows.labels) if each not in found]
        own = rows.scores[rows.labels.index(label)]
        ends = (end.reduce(rows.scores[rest], axis=0) for end in (np.fmax, np.fmin) if rest)
        if rows.kind == "system" and not any(((own == x) | np.isnan(own)).all() for x in ends):
            del found[label]  # a system may be called so
    while rows.of_board or (rows.whole & (rows.high > _UNITS[0])).any():
        # What is far above the others may hide what is less so.
        rest = [place for place, label in enumerate(rows.labels) if label not in found]
        more = {
            rows.labels[rest[place]]: why
            for place, why in _no_scores_by_numbers(rows.scores[rest], any_number=rows.of_board)
        }
        if not more:
            break
        found |= more
    for sign, what in ((1.0, "largest"), (-1.0, "least")):
        for row in _extremes(sign * rows.scores):
            found.setdefault(rows.labels[row], f"the {what} of all others in each column")
    return found


def _extremes(scores: Array) -> Iterator[int]:
    """Yield rows that have the largest score of all others in each column, by no chance.

    With the k columns without the most frequent other row of that score, and the share q of
    columns in which two of the others are tied at the top, n q^k rows are expected to have it.
    """
    some = scores[:, : _FEW[0]]
    if len(scores) < 4 or np.count_nonzero(some == some.max(axis=0), axis=0).min() < 2:
        return  # NaN as well
    top = scores == scores.max(axis=0)
    for row in np.flatnonzero(top.all(axis=1)).tolist():
        others = np.delete(top, row, axis=0)
        tied = np.count_nonzero(others, axis=0)
        k = others.shape[1] - int(np.count_nonzero(others, axis=1).max())
        q = (np.count_nonzero(tied > 1) + 1) / (others.shape[1] + 2)
        if tied.min() > 0 and len(scores) * q**k < _REFUSED:
            yield row


def _no_scores_by_name(rows: Rows) -> Iterator[tuple[str, str]]:
    """Yield labels of no scores by their names, by -1 for unknown, or without a score."""
    if not rows.of_board:
        for label in _with_one_of((*_NO_SCORES, "value", "w/", "tie"), rows.labels):
            known = _NO_SCORES | _DESCRIBING
            found = {
                part.casefold()
                for word in _WORD.findall(_UNIT.sub("", label))
                for part in ([word] if word.casefold() in known else _CAMEL.findall(word) or "?")
            }
            told = found & _NO_SCORES
            if told and found <= known:
                yield label, f"by its name, {min(told)}"
            elif _PHRASE_OF_NO_SCORES.fullmatch(label.strip()):
                yield label, "by its name"
        return
    whole = rows.whole
    fractions = 2 * int(np.count_nonzero(whole)) < len(whole)
    names = [_WORD.findall(label.casefold()) for label in rows.labels]
    by_words = {tuple(words): row for words, row in zip(names, rows.scores, strict=True)}
    for label, words, row, integers in zip(rows.labels, names, rows.scores, whole, strict=True):
        present = row[~np.isnan(row)]
        unknown = present == _UNKNOWN
        last = _last_words(label)
        told = ({*words} | last) & _NO_TASKS | last & _AT_THE_END
        told |= last & _COUNTS if integers and fractions else set()
        spread = [word for word in words if word in _SPREADS]
        of = by_words.get(tuple(word for word in words if word not in _SPREADS))
        if len(row) and not len(present):  # some systems are left
            yield label, "no score"
        elif unknown.any() and (present[~unknown] >= 0).all():
            yield label, "-1 may mean unknown, all others are at least 0"
        elif told:
            yield label, f"by its name, {min(told)}"
        elif spread and (not spread[0].isalpha() or (of is not None and _is_small(row, of))):
            yield label, f"by its name, {spread[0]}"


def _last_words(label: str) -> set[str]:
    """Return the last word of a header before a unit, whole and from its last capital on.

    Examples
    --------
    >>> sorted(_last_words("modelSize")), sorted(_last_words("Training time [h]"))
    (['modelsize', 'size'], ['time'])
    """
    words = _WORD.findall(_UNIT.sub("", label)) or _WORD.findall(label)
    if not words:
        return set()
    return {words[-1].casefold(), *(part.casefold() for part in _CAMEL.findall(words[-1])[-1:])}


def _is_small(row: Array, of: Array) -> bool:
    """Tell whether numbers are small beside those that they may be the spread of."""
    both = ~np.isnan(row) & ~np.isnan(of)
    return bool(both.any()) and bool(np.median(row[both]) < np.median(np.abs(of[both])) / 2)


def _no_scores_by_numbers(columns: Array, *, any_number: bool) -> Iterator[tuple[int, str]]:
    """Yield the places of columns far above the others, and of the same whole number throughout.

    Unless it may be `any_number`, a column far above the others has whole numbers, as counts have.
    """
    filled = ~np.isnan(columns).all(axis=1)
    top = np.where(np.isnan(columns), 0.0, np.abs(columns)).max(axis=1, initial=0.0)
    level = np.zeros(len(columns))
    # Of halves, as a median of two is half of their sum, which may be no double.
    level[filled] = 2 * np.nanmedian(np.abs(columns[filled]) / 2, axis=1)
    whole = ((columns == np.rint(columns)) | np.isnan(columns)).all(axis=1)
    fractions = np.count_nonzero(~whole)
    far = _far(level, top, whole)
    if not any_number:
        enough = np.count_nonzero(~np.isnan(columns), axis=1) >= _MANY_COUNTS
        far &= whole & enough & (level < _COUNTABLE) if 2 * fractions > len(columns) else False
    for place, row in enumerate(columns):
        if far[place]:
            largest = top[~far].max()
            yield place, f"about {level[place]:.4g}, and most others are at most {largest:g}"
        elif whole[place] and 2 * fractions > len(columns) - 1:
            present = row[~np.isnan(row)]
            if len(present) < _ENOUGH:
                continue
            unit = float(np.median(np.delete(top, place)))
            if present.min() == present.max() > next((u for u in _UNITS if unit <= u), unit):
                yield place, f"{present[0]:g} for every system"
            elif len(row) > _ENOUGH and np.array_equal(np.sort(row), np.arange(len(row)) + 1):
                yield place, f"the whole numbers from 1 to {len(row)}, as ranks are"


def _far(level: Array, top: Array, whole: BoolArray) -> BoolArray:
    """Tell which columns are far above most others, which agree with each other.

    These are fewer than the others. `level` is a typical number of a column and `top` the largest,
    without its sign.
    """
    order = np.argsort(-level, kind="stable")
    far = np.zeros(len(level), np.bool_)
    for count in range((len(level) - 1) // 2, 0, -1):
        above, rest = order[:count], order[count:]
        largest, least = float(top[rest].max()), float(top[rest][top[rest] > 0].min(initial=np.inf))
        unit = _UNITS[0] if largest <= _UNITS[0] and len(rest) >= _OTHERS else _UNITS[1]
        bound = max(max(_ANY, largest / least) * largest, unit, largest)
        fractions = 2 * np.count_nonzero(whole[rest]) < len(rest)
        of_whole = max(_WHOLE * largest, unit) if fractions else bound
        if largest > 0 and (level[above] > np.where(whole[above], of_whole, bound)).all():
            far[above] = True
            break
    return far


def without_averages(
    source: str, scores: pd.DataFrame, keep: frozenset[str], dropped: pd.DataFrame
) -> tuple[list[str], list[str]]:
    """Return the columns of a board that are the mean of the others, by name and numbers; notes.

    The others may be with the columns that the user has `dropped`, which were tasks perhaps.
    Raises `ScoresError` for columns that may be no tasks, of which some may not be in an average,
    and for a column that has the name of a summary and other numbers.
    """
    topics, systems = labels_of(scores)
    values = scores.to_numpy()
    named = list(named_summaries("topic", topics))
    places = [place for place, label in enumerate(topics) if label not in set(named)]
    found = no_scores(Rows("topic", [topics[i] for i in places], values[places], of_board=True))
    named = [label for label in named if label not in keep]
    rows = dict(zip(topics, values, strict=True))
    for label in named:
        rest = [i for i in places if topics[i] not in found or topics[i] in keep]
        free = [topics[i] not in keep for i in rest]
        for other in _not_averaged(rows[label], values[rest], free):
            found[topics[rest[other]]] = f"not in the average {label!r}"
    for asked in _other_numbers(Rows("topic", topics, values, keep, of_board=True), found):
        _refuse(source, asked)
    tasks = [label for label in topics if label not in named]
    others = np.array([rows[label] for label in tasks]).reshape(len(tasks), len(systems))
    ways = [(others, "")]
    for more in _dropped_tasks(tasks, others, dropped) if named else ():
        are = "that is" if len(more) == 1 else "that are"
        ways.append((np.concatenate([others, more]), f" and {len(more)} {are} dropped"))
    notes = []
    for label in named:
        if not len(others):
            raise ScoresError(
                f"{source} has only columns with names of summaries, such as {label!r}; expected "
                f"columns of tasks, or {argument('keep_topics', named)} if these are tasks"
            )
        present = ~np.isnan(rows[label])
        tried = [(_is_mean(rows[label], each), with_those) for each, with_those in ways]
        agrees, with_those = max(tried, key=lambda each: np.count_nonzero(each[0]))
        apart = [system for system, bad in zip(systems, present & ~agrees, strict=True) if bad]
        count = int(present.sum())
        if not count or count - len(apart) < _AGREES * count:
            raise ScoresError(
                f"{source}: the column {label!r} has the name of a summary, but is not the mean of "
                f"the other {len(others)} columns for {len(apart)} of {count} systems; leave it "
                f"out by {argument('drop_topics', [label])}, or, if it is a task, keep it by "
                f"{argument('keep_topics', [label])}"
            )
        but = f", but for {len(apart)} of {count} systems ({listed(apart)})" if apart else ""
        notes.append(
            f"{source}: the column {label!r} is the mean of the other {len(others)} columns"
            f"{with_those}{but}, and is left out"
        )
    return named, notes


def _dropped_tasks(tasks: Sequence[str], others: Array, dropped: pd.DataFrame) -> Iterator[Array]:
    """Yield which columns that the user dropped may have been tasks: those that look so, and all.

    A column of words is not a task.
    """
    values, labels = dropped.to_numpy(), labels_of(dropped)[0]
    filled = ~np.isnan(values).all(axis=1)
    values, labels = values[filled], [x for x, has in zip(labels, filled, strict=True) if has]
    if not len(values):
        return
    every = Rows("topic", [*tasks, *labels], np.concatenate([others, values]), of_board=True)
    none = {*no_scores(every), *named_summaries("topic", labels)}
    likely = [label not in none for label in labels]
    yield values[likely]
    if not all(likely):
        yield values


def _is_mean(row: Array, others: Array) -> BoolArray:
    """Tell where a row (n,) is the mean of the others (m, n), to the decimals that are written."""
    present = ~np.isnan(others)
    mean = np.where(present, others, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
    rounding = error_of_rounding("mean", len(others), last_decimals(others.T))
    margin = 0.5 * last_decimals(row[:, np.newaxis]) + rounding + error_of_sums("mean", others)
    return np.asarray((np.abs(row - mean) <= margin) & present.any(axis=0))


def _not_averaged(row: Array, others: Array, free: Sequence[bool]) -> list[int]:
    """Return which of the others (m, n) a row (n,) is not the mean of, if it is that of the rest.

    Only those that are `free` may be. The weights of the others in the row, by least squares, are
    about equal for those in a mean and 0 for others; then the mean of the rest must agree.
    """
    has = ~np.isnan(row) & ~np.isnan(others).any(axis=0)
    x, y = others[:, has].T, row[has]
    if len(y) < len(others) or np.count_nonzero(_is_mean(y, x.T)) >= _AGREES * len(y):
        return []
    for _ in range(_TRIES):  # without the rows that are stale
        weights = np.linalg.lstsq(x, y, rcond=None)[0]
        off = np.abs(x @ weights - y)
        x, y = (each[off <= np.quantile(off, _AGREES)] for each in (x, y))
    out = [place for place, w in enumerate(weights.tolist()) if w < 0.5 / len(others)]
    rest = np.delete(others[:, has], out, axis=0)
    exact = not len(rest) or np.count_nonzero(_is_mean(row[has], rest)) < _AGREES * has.sum()
    return [] if exact or 2 * len(out) >= len(others) or not all(free[i] for i in out) else out


# Systems and topics that are in order for a reader -----------------------------------------------

# A system is dead, or a copy, if chance would so rarely make one, by its likeness to others.
_SURPRISE = 1e-6
# The largest proportion of copies among the systems that a note is enough for.
_COPIES = 0.2
# Nine topics of ten on which a system must take the spread, and how much less there is without it,
# for a large number of systems: of few, one is often far from all others.
_TOPICS_TAKEN, _TAKEN, _BY_SYSTEMS = 0.9, 2.5, 800.0
# Correlation of the scores of a topic in the other direction with the means of all other topics, or
# of their ranks, and that of both; and the number of such topics that chance would make.
_OTHER_DIRECTION, _AT_LEAST, _DIRECTIONS = -0.8, -0.4, 1e-6
_SEVERAL, _SHARE_OF_SEVERAL, _MANY_SYSTEMS = 8, 0.15, 30
_SYSTEMS, _TURNS = 5, 8  # at least, and of the power iteration
# Share of the variances that one topic has, of at least so many, also of scores from 0 to 1.
_SHARE, _SHARE_OF_ONE, _VARIED = 0.9, 0.98, 7
# Replicates of a topic: so many topics have a stem in common, on nearly all stems alike.
_ALIKE = 0.9
_NUMBERED = re.compile(r"(.*\S)[\s/_.:#-]+(?:fold|seed|run|rep|split|shard)?[\s_=-]*(\d+)\D?")


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
    for value in dict.fromkeys(low[same].tolist() if alive.size else ()):
        often = np.count_nonzero(alive == value, axis=0)
        names, most = [], 0
        for place in same:
            k = int(np.count_nonzero(~np.isnan(scores[:, place])))
            chance = len(low) * _likely(often, k) ** k
            name = matrix.systems[place]
            if low[place] == value and chance < _SURPRISE and name not in matrix.kept.systems:
                names.append(name)
                most = max(most, k)
        if names:
            has = "has" if len(names) == 1 else "have"
            what = f"{has} the score {value:g} on all {counted(most, 'topic')}"
            yield _of("dead", "system", names, what)


def _likely(times: IntArray, k: int) -> float:
    """Return how likely a score is one that other systems have so many times on k topics.

    It is that of the system which has it most often, or of all of them together.
    """
    of_all = (int(times.sum()) + 1) / (k * len(times) + 2)
    return min(1.0, max(of_all, int(times.max(initial=0)) / max(k, 1)))


def _copies(matrix: Matrix) -> Iterator[Found]:
    scores = matrix.scores
    k, n = scores.shape
    weights = np.sqrt(np.arange(2.0, k + 2))
    sums = weights @ matrix.filled
    order = np.argsort(sums, kind="stable")
    near = np.diff(sums[order]) <= 1e-12 * np.abs(sums[order[1:]])
    groups: list[list[str]] = []
    for place in np.sort(order[:-1][near]).tolist():
        own = scores[:, [place]]
        equal = ((scores == own) | (np.isnan(scores) & np.isnan(own))).all(axis=0)
        names = [matrix.systems[i] for i in np.flatnonzero(equal).tolist()]
        ties = np.count_nonzero(scores[:, ~equal] == own, axis=0)
        there = int(np.count_nonzero(~np.isnan(own)))
        chance = n * n / 2 * _likely(ties, there) ** there
        names = [name for name in names if name not in matrix.kept.systems]
        varies = matrix.ends[0][place] < matrix.ends[1][place]
        if len(names) > 1 and varies and chance < _SURPRISE and names not in groups:
            groups.append(names)
    if groups:
        groups.sort(key=lambda names: matrix.systems.index(names[0]))
        same = f"the same scores on all {counted(k, 'topic')}"
        told = f"systems {_named(groups[0])} have {same}"
        if len(groups) > 1:
            each = listed([" = ".join(names) for names in groups])
            told = f"{len(groups)} groups of systems have {same} ({each})"
        copies = tuple(name for names in groups for name in names[1:])
        yield Found("copy", "system", copies, told, is_note=len(copies) <= _COPIES * n)


def _taken_spread(matrix: Matrix) -> Iterator[Found]:
    """Find a system without which the standard deviations of the others are much smaller.

    With SS_t = sum of (x_ts - mean_t)^2 over n systems, the others have
    (SS_t - n / (n - 1) (x_ts - mean_t)^2) / (n - 2), so that all systems are left out in one pass.
    """
    away, squares, n, units = matrix.spread
    if not matrix.reference or away.shape[1] < 4:
        return
    least = np.where(n > 3, _TAKEN + _BY_SYSTEMS / n**2, np.inf)
    bound = squares * (n - 1) / n * (1 - (n - 2) / (n - 1) / least**2)
    varied = max(_LAST, int(np.count_nonzero((squares > 0) & (n > 3))))
    taken = np.count_nonzero((away**2 > bound) & (squares > 0), axis=0)
    for place in np.flatnonzero(taken > _TOPICS_TAKEN * varied).tolist():
        # Without rounding, and not on topics on which all others are equal.
        _, of_rest, m, unit = Matrix((), (), np.delete(matrix.scores, place, axis=1)).spread
        rest = np.sqrt(of_rest / (m - 1)) * unit
        ratio = np.sqrt(squares / (n - 1)) * units / np.where(rest > 0, rest, np.nan)
        if np.count_nonzero(ratio > least) <= _TOPICS_TAKEN * varied:
            continue
        times = np.nanmedian(ratio)
        name = matrix.systems[place]
        if name not in matrix.kept.systems and matrix.ends[0][place] < matrix.ends[1][place]:
            yield _of(
                *("spread", "system", [name]),
                f"is far from all others: without it the standard deviation of the topics is "
                f"about {times:.2g} times smaller, so that it moves the standardized scores of "
                "all systems",
            )


def _other_direction(matrix: Matrix) -> Iterator[Found]:
    """Find topics that order the systems against most topics.

    Signs of topics are those of the first principal component of the topics, each with mean 0 and
    standard deviation 1, and the side with fewer topics is the other direction.
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
        weights = z @ total
        total = weights @ z
        total /= max(float(np.abs(total).max()), 1e-300)
    side = np.where(z @ total < 0, -1.0, 1.0)
    if side.sum() < 0:
        side = -side
    if (side > 0).all():
        return
    mean = side @ z
    own = side * (z @ mean)
    apart = np.maximum(mean @ mean - 2 * own + 1, 1e-300)
    r = side * np.clip((own - 1) / np.sqrt(apart), -1.0, 1.0)
    weak, strong = [], []
    for place in np.flatnonzero(r < _AT_LEAST).tolist():
        # By ranks as well, in which one system far from all others is one of many.
        both = sorted([r[place], _rank_correlation(z[place], mean + z[place])])
        if both[1] < _AT_LEAST:
            weak.append(place)
            strong += [place] if both[0] < _OTHER_DIRECTION else []
    # Of many systems, several topics with a weak correlation are evidence together.
    several = (
        len(weak) >= max(_SEVERAL, _SHARE_OF_SEVERAL * len(varies))
        and np.median(n) >= _MANY_SYSTEMS
    )
    against = weak if several else strong
    names = [matrix.topics[varies[place]] for place in against]
    between = np.count_nonzero(np.abs(r) < -_AT_LEAST)
    if (
        not names
        or (2 * between > len(names) and not several)
        or _log_chance(r[against], n[varies[against], 0], len(varies)) > math.log(_DIRECTIONS)
    ):
        return
    if left := [name for name in names if name not in matrix.kept.topics]:
        yield _of(
            *("direction", "topic", left),
            f"{'orders' if len(left) == 1 else 'order'} the systems against most of the other "
            f"{len(varies) - len(left)} topics (correlation with their means "
            f"{r[against].min():.2f} to {r[against].max():.2f})",
        )


def _rank_correlation(x: Array, y: Array) -> float:
    ranks = [np.argsort(np.argsort(each, kind="stable")).astype(np.float64) for each in (x, y)]
    a, b = (each - each.mean() for each in ranks)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def _log_chance(r: Array, systems: Array, topics: int) -> float:
    """Return the logarithm of how often so many topics would have such correlations by chance.

    It is that of Student's t with n - 2 degrees of freedom, in the tail at most
    (1 - r^2)^((n - 2) / 2), times the ways to choose the topics.
    """
    one = (systems - 2) / 2 * np.log(np.maximum(1 - r**2, 1e-300))
    k = len(r)
    ways = math.lgamma(topics + 1) - math.lgamma(k + 1) - math.lgamma(topics - k + 1)
    return float(one.sum() + ways)


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
    topics = matrix.topics
    if len(topics) < 4 or not _NUMBERED.fullmatch(topics[0]) or not _NUMBERED.fullmatch(topics[-1]):
        return
    stems: dict[str, list[str]] = {}
    for topic in topics:
        if found := _NUMBERED.fullmatch(topic):
            stems.setdefault(found[1], []).append(found[2])
    numbers = Counter(tuple(sorted(own, key=int)) for own in stems.values())
    usual, times = numbers.most_common(1)[0]
    if (
        len(stems) > 1
        and times >= _ALIKE * len(stems)
        and times * len(usual) >= _ALIKE * len(topics)
        and [int(each) for each in usual] in ([*range(len(usual))], [*range(1, len(usual) + 1)])
        and len(usual) > 1
        and not matrix.kept.topics.issuperset(topics)
    ):
        stem = next(iter(stems))
        yield Found(
            "replicates",
            "topic",
            tuple(topics),
            f"{len(topics)} topics are named as {len(usual)} replicates of each of {len(stems)}, "
            f"such as {listed([t for t in topics if t.startswith(stem)][:2])}: if they are folds "
            f"or seeds, they are not independent, and a test of n = {len(topics)} rejects too "
            f"often; take the mean over replicates, as {option('replicate')} does of a table with "
            "a column of them",
        )


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
            yield Found("labels", rows.kind, (label,), why, refused=True)


def _names(rows: Rows) -> Iterator[Found]:
    for label in named_summaries(rows.kind, *(rows.part or (rows.labels,))):
        why = f"has a {rows.kind} {label!r}, the name of a summary and not of a {rows.kind}"
        yield Found("name", rows.kind, (label,), why, refused=True)


def _other_numbers(rows: Rows, known: dict[str, str] | None = None) -> Iterator[Found]:
    """Find all labels of no scores together, as one question; they may be `known`."""
    if rows.part is not None or (rows.of_board and known is None):  # asked when it was read
        return
    reasons = no_scores(rows) if known is None else known
    labels = tuple(label for label in rows.labels if label in reasons and label not in rows.keep)
    if labels:
        *most, last = (f"{label!r} ({reasons[label]})" for label in labels)
        side, noun = ("column", "task") if rows.of_board else (rows.kind, rows.kind)
        may = "may have no scores"
        if rows.of_board:
            may = "may not be a task" if len(labels) == 1 else "may not be tasks"
        names = f"{', '.join(most)} and {last}" if most else last
        why = f"the {side}{'s' * (len(labels) > 1)} {names} {may}"
        yield Found("no scores", rows.kind, labels, why, refused=True, noun=noun)


def _numbers(rows: Rows) -> Iterator[Found]:
    """Find rows that sum up the others, or may."""
    doubted: dict[str, tuple[float, str]] = {}
    for row, what, chance, agreeing, present in summaries(rows.scores) if not rows.part else ():
        label = rows.labels[row]
        if label in rows.keep or chance >= _DOUBTED or not _is_of_others(rows, row):
            continue
        cells = "" if agreeing == present else f" in {agreeing:,} of {present:,} cells,"
        why = f"{rows.kind} {label!r} has the {what}{cells} of the scores of all other {rows.kind}s"
        if chance < _REFUSED:
            yield Found("numbers", rows.kind, (label,), why, refused=True)
        doubted[label] = min(doubted.get(label, (1.0, "")), (chance, why))
    for label, (_, why) in doubted.items():
        yield Found("numbers", rows.kind, (label,), f"{why}, which may be chance")


def _is_of_others(rows: Rows, row: int) -> bool:
    """Tell whether there are two other systems to sum up, which are neither dead nor copies of it.

    The sum of a system and of one that never ran is the system itself.
    """
    if rows.kind == "topic":
        return True
    dead = rows.low == rows.high
    own = rows.scores[row]
    copies = ((rows.scores == own) | (np.isnan(rows.scores) & np.isnan(own))).all(axis=1)
    return int(np.count_nonzero(~dead & ~copies)) > 1 or (not dead.any() and copies.sum() == 1)


class Rule(NamedTuple):
    """One line of the table of rules; `find` is given topics or systems as rows, or a matrix."""

    name: str
    looks_at: tuple[Kind, ...]
    answer: Literal["refused", "refused or caution", "caution", "caution or note"]
    evidence: str
    cost: str
    remedy: str
    find: Callable[[Any], Iterator[Found]]


_DROP = "leave {it} out by {drop}, or, if {they}, keep {it} by {keep}"
_RIGHT = "leave {it} out by {drop}, or, if that is right, keep {it} by {keep}"
_BOTH: tuple[Kind, ...] = ("topic", "system")
#: All rules, in the order in which they are asked: first those on reading, then those on results.
RULES: dict[str, Rule] = {
    "labels": Rule(
        *("labels in place of scores", ("system",), "refused"),
        "whole numbers under a header such as `run_id`",
        "one search of the labels",
        _DROP,
        _labels,
    ),
    "name": Rule(
        *("name of a summary", _BOTH, "refused"),
        "all words of the label are words of summaries, and one says so (`Avg.`, `Mean AP`, `all`)",
        "one search of the labels",
        _DROP,
        _names,
    ),
    "no scores": Rule(
        *("no scores", _BOTH, "refused"),
        "all words of the label say so (rank, wins, train size, p-value); or whole numbers far "
        "above the others, the same for all, or 1 to n, where most others are fractions; or the "
        "largest or least score of the others in each column, by no chance; in files "
        "whose rows are systems also -1 for unknown, other numbers far above the others, columns "
        "without a score, and those that an average does not include",
        "a look at 24 columns, and at rows of whole numbers",
        _DROP,
        _other_numbers,
    ),
    "numbers": Rule(
        *("numbers of a summary", _BOTH, "refused or caution"),
        "the mean, sum or geometric mean of the others in 9 of 10 cells, to the printed digits; "
        "refused if fewer than 10^-6 such rows are expected by chance, a caution below 10^-2",
        "a look at 24 columns, and at rows near a summary",
        _DROP,
        _numbers,
    ),
    "dead": Rule(
        *("one score throughout", ("system",), "caution"),
        "the same score on all k topics, if fewer than 10^-6 of n systems would by chance: n p^k, "
        "where p is the share of this score in the system with most, or its share in all",
        "the least and the largest score of each system",
        _RIGHT,
        _dead,
    ),
    "copy": Rule(
        *("identical systems", ("system",), "caution or note"),
        "the same scores on all k topics, if fewer than 10^-6 pairs of n systems would by chance: "
        "n^2 p^k / 2, where p is the share of ties with the system with most, or the share in all; "
        "a note if at most a fifth of the systems are copies",
        "a weighted sum of each system",
        "leave {it} out by {drop}, or, if they are two, keep {it} by {keep}",
        _copies,
    ),
    "spread": Rule(
        *("a system that takes the spread", ("system",), "caution"),
        "of n reference systems, the standard deviation of the topic is smaller without it by the "
        "factor 2.5 + 800 / n^2, on more than 9 of 10 topics",
        "the distances from the mean, squared, once",
        _RIGHT,
        _taken_spread,
    ),
    "direction": Rule(
        *("topics in the other direction", ("topic",), "caution"),
        "the correlation of the topic with the mean of the others, or that of their ranks, is "
        "below -0.8, and few topics are near 0; or, of 30 systems or more, both are below -0.4 on "
        "8 topics or more and 15% of all; and chance would make so many with a probability below "
        "10^-6",
        "ten products of the matrix with a vector",
        "if lower is better on {it}, say {lower}; if not, keep {it} by {keep}",
        _other_direction,
    ),
    "deciding": Rule(
        *("one topic decides the mean", ("topic",), "caution"),
        "of raw scores of 7 topics or more, over 90% of the sum of the variances between systems, "
        "or 98% of scores from 0 to 1",
        "the squares of the distances",
        "standardize the scores, leave {it} out by {drop}, or keep {it} by {keep}",
        _deciding,
    ),
    "replicates": Rule(
        *("topics named as replicates", ("topic",), "caution"),
        "2 or more stems with the same numbers from 0 or 1, such as a/0, a/1, b/0, b/1",
        "the labels, if the first and the last are so",
        "",
        _replicates,
    ),
}

_READING = ("labels", "name", "no scores", "numbers")


def _remedy(found: Found) -> str:
    """Return what a user does about labels: mostly, leave them out, or keep them."""
    labels, noun = list(found.labels), found.noun or found.kind
    one = len(labels) == 1
    return RULES[found.rule].remedy.format(
        it="it" if one else "them",
        they=f"it is a {noun}" if one else f"they are {noun}s",
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
) -> tuple[Found, ...]:
    """Raise `ScoresError` for a topic or system that is none, and return what may be one.

    Labels that are `kept` are not asked about. The topics of a `board` were its columns, which were
    asked about when they were read. See `Rows` for a `part` of the topics.
    """
    topics = Rows("topic", labels[0], scores, kept.topics, board, part)
    systems = Rows("system", labels[1], np.ascontiguousarray(scores.T), kept.systems)
    doubts = []
    for name in _READING:
        for rows in (topics, systems):
            if rows.kind in RULES[name].looks_at:
                for found in RULES[name].find(rows):
                    if not rows.keep.issuperset(found.labels):
                        _refuse(source, found)
                        doubts.append(found)
    return tuple(doubts)


def _refuse(source: str, found: Found) -> None:
    if found.refused:
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
