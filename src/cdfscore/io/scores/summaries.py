"""Refusal of summaries among scores: the row ``all`` of trec_eval, a column of averages.

A summary that is taken for a topic or a system changes n, every mean and every p value. It is
known by its name or by its numbers, which are the mean, the sum or the geometric mean of the
others. Where chance might make such numbers, it is accepted with a caution. A frame remembers in
its `attrs` which labels its reader keeps all the same, the cautions, and the mark of the labels
and scores that were searched.

Candidates are found by their numbers, with a cost that is linear in the scores. Whether chance
would make such a row is a question of its own; see `summary_evidence`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.scores.how import Labels
from cdfscore.io.scores.labels import role_of
from cdfscore.io.scores.memory import remember, remembered
from cdfscore.io.scores.printed import What, error_of_rounding, error_of_sums, last_decimals
from cdfscore.io.scores.summary_evidence import chance_of
from cdfscore.io.scores.summary_names import named_summaries
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import argument

if TYPE_CHECKING:
    import pandas as pd

# Numbers of a row that tell by a quick look that it is no summary, some and then more, and the
# proportion of them that must be off.
_FIRST, _MORE = 8, 24
_OFF = 0.25
# If more rows that are printed alike agree with a summary than this, such rows do so easily.
_MOST = 10
# The largest proportion of the numbers of a row that may be off, such as mistakes in typing.
_MISTAKES = 0.1
# Rows at the end that may be summaries together, such as a mean and a standard deviation.
_LAST = 3
# Rows and columns that the unit of the last decimal of all is taken from.
_SOME = (1000, 50)
_SUMMARIES: tuple[What, ...] = get_args(What)
#: trec_eval puts this in place of smaller scores in a geometric mean.
LEAST_OF_GEOMETRIC = 1e-5

# A row is refused if so few matrices of other scores would have one like it, and there is a
# caution if these are more, but few.
_REFUSED = 1e-6
_DOUBTED = 1e-2


def kept_by(frame: pd.DataFrame) -> Labels:
    """Return the labels that a frame remembers to keep, whatever their name and their numbers."""
    known = remembered(frame)
    return Labels(frozenset(known.get("keep_topics", ())), frozenset(known.get("keep_systems", ())))


def refuse_summaries(
    source: str, frame: pd.DataFrame, labels: tuple[list[str], list[str]], kept: Labels
) -> None:
    """Raise `ScoresError` for a topic or system that sums up the others, except those kept.

    The frame remembers the labels that are kept, and by its mark that it was searched; it is
    not searched again if it remembers the same already. It remembers what may be a summary, and
    may be by chance, as well; see `doubts`.
    """
    values = frame.to_numpy()
    search: dict[str, object] = {
        "keep_topics": sorted(kept.topics),
        "keep_systems": sorted(kept.systems),
        "mark": _mark(labels, values),
    }
    if search.items() <= remembered(frame).items():
        return
    _refuse_columns_of_labels(source, labels[1], values, kept.systems)
    doubts = [
        *_search(source, "topic", labels[0], values, kept.topics),
        *_search(source, "system", labels[1], values.T, kept.systems),
    ]
    remember(frame, **search, doubts=doubts)


def refuse_summaries_of_part(
    source: str,
    frame: pd.DataFrame,
    systems: list[str],
    kept: Labels,
    telling: Sequence[str],
    number: int,
) -> None:
    """Raise `ScoresError` as `refuse_summaries` does, as far as a part of the topics tells.

    Systems are searched by name and by their numbers on these topics; of the topics, `number` in
    all, those with `telling` labels are searched by name. The frame remembers the doubts.
    """
    values = frame.to_numpy()
    _refuse_columns_of_labels(source, systems, values, kept.systems)
    _refuse_names(source, "topic", named_summaries("topic", telling, number), kept.topics)
    remember(
        frame,
        keep_topics=sorted(kept.topics),
        keep_systems=sorted(kept.systems),
        doubts=_search(source, "system", systems, values.T, kept.systems),
    )


def _refuse_columns_of_labels(
    source: str, systems: list[str], values: Array, keep: frozenset[str]
) -> None:
    """Raise `ScoresError` for a column `run_id` of whole numbers, of a table with a row a score."""
    for system, column in zip(systems, values.T, strict=True):
        role = role_of(system)
        if role not in ("system", "measure") or system in keep:
            continue
        present = column[~np.isnan(column)]
        if (present == np.rint(present)).all():
            raise ScoresError(
                f"{source} has the column {system!r} of whole numbers, which are labels of "
                f"{role}s in a table with a row for each score; expected columns headed topic, "
                f"system and score there; {_advice('system', system)}"
            )


def doubts(frame: pd.DataFrame, topics: Sequence[str]) -> list[str]:
    """Return a sentence on each of the topics and on each system that may be a summary."""
    found = remembered(frame).get("doubts", [])
    return [
        f"{kind} {label!r} has the {what} of the scores of all other {kind}s, which may be chance: "
        f"{_advice(kind, label)}"
        for kind, label, what in found
        if kind == "system" or label in topics  # some may have been left out since
    ]


def _search(
    source: str, kind: str, labels: list[str], scores: Array, keep: frozenset[str]
) -> list[list[str]]:
    """Raise `ScoresError` for a summary; return kind, label and summary of what may be one."""
    _refuse_names(source, kind, named_summaries(kind, labels), keep)
    doubted: dict[str, tuple[float, str]] = {}
    for row, what, chance, agreeing, present in summaries(scores):
        label = labels[row]
        if agreeing < present:
            what = f"{what} in {agreeing:,} of {present:,} cells,"
        if label not in keep and chance < _REFUSED:
            raise ScoresError(
                f"{source}: {kind} {label!r} has the {what} of the scores of all other {kind}s; "
                f"{_advice(kind, label)}"
            )
        if label not in keep and chance < _DOUBTED:
            doubted[label] = min(doubted.get(label, (1.0, "")), (chance, what))
    return [[kind, label, what] for label, (_, what) in doubted.items()]


def _refuse_names(source: str, kind: str, names: Iterable[str], keep: frozenset[str]) -> None:
    for label in names:
        if label not in keep:
            raise ScoresError(
                f"{source} has a {kind} {label!r}, the name of a summary and not of a {kind}; "
                f"{_advice(kind, label)}"
            )


def _advice(kind: str, label: str) -> str:
    return (
        f"leave it out by {argument(f'drop_{kind}s', [label])}, or, if it is a {kind}, keep it by "
        f"{argument(f'keep_{kind}s', [label])}"
    )


def _mark(labels: tuple[list[str], list[str]], values: Array) -> str:
    """Return a digest that tells labels and scores from others.

    It is of a weighted sum of each row, which takes a tenth of the time that all scores would: a
    score that is changed, or exchanged for another, changes it. What is lost in the rounding of
    the sum is not seen. Another machine may round otherwise, and search once more.
    """
    with np.errstate(all="ignore"):
        sums = values @ np.sqrt(np.arange(2.0, values.shape[1] + 2))
    told = sums if np.isfinite(sums).all() else values  # not with missing scores
    text = "\x1e".join(map("\x1f".join, labels))
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    digest.update(np.ascontiguousarray(told).data)
    return digest.hexdigest()


class Summary(NamedTuple):
    """A row that sums up the others, and how likely one like it is by chance.

    `what` is the name of the summary, of which the row has `agreeing` of its `present` numbers.
    """

    row: int
    what: str
    chance: float
    agreeing: int
    present: int


def summaries(scores: Array) -> Iterator[Summary]:
    """Yield the rows that agree with a summary of the others."""
    if len(scores) < 3:  # of two rows, each is the mean and the sum of the other if they are equal
        return
    places = (np.arange(min(most, width := scores.shape[1])) for most in (_FIRST, _MORE))
    first, more = (
        np.ascontiguousarray(scores[:, own * max(1, width // len(own))]) for own in places
    )
    with np.errstate(all="ignore"):
        # The finest unit may be that of the row itself.
        unit = float(np.sort(last_decimals(_spaced(scores)))[1])
        units = last_decimals(first)
        for what in _SUMMARIES:
            # Few rows are left after a look at their first numbers.
            near = _near(first, np.arange(len(scores)), what, units, unit)
            if near.size > _MOST:
                near = _near(more, near, what, units, unit)
            if near.size:
                yield from _rows(scores, near, what, unit)
            # Several summaries at the end are found one by one, each without the others.
            for last in range(2, min(_LAST, len(scores) - 2) + 1):
                for row in range(len(scores) - last, len(scores)):
                    own = np.arange(len(scores) - last + 1)
                    own[-1] = row
                    place = np.array([len(own) - 1])
                    if _near(first[own], place, what, units[own], unit).size:
                        for found in _rows(scores[own], place, what, unit):
                            yield found._replace(row=row)


def _near(first: Array, rows: IntArray, what: What, units: Array, unit: float) -> IntArray:
    """Return the rows that may be a summary by their first numbers, printed in `units` or more."""
    level = _level(first, what)
    if np.isinf(level).any():
        return rows[:0]
    found = first[rows]
    *_, widest = _margins(first, level, what, units[rows, np.newaxis], unit)
    off = np.count_nonzero(np.abs(found - level) > widest, axis=1)  # not NaN, which may be anything
    return np.asarray(rows[off <= _OFF * first.shape[1]])


def _rows(scores: Array, near: IntArray, what: What, unit: float) -> Iterator[Summary]:
    """Yield the rows that agree with a summary."""
    found, level = scores[near], _level(scores, what)
    off, present = np.abs(found - level), ~np.isnan(found)
    counts = np.count_nonzero(present, axis=1)
    seen: set[int] = set()
    (exact,) = _margins(scores, level, what)
    if np.count_nonzero((off <= exact).all(axis=1)) > _MOST:
        return
    units = last_decimals(found)
    for margin in _margins(scores, level, what, units[:, np.newaxis], unit):
        agreeing = np.count_nonzero(off <= margin, axis=1)
        agrees = (counts > 0) & (agreeing >= counts * (1 - _MISTAKES))
        for each in np.unique(units[agrees]).tolist():
            places = np.flatnonzero(agrees & (units == each)).tolist()
            if len(places) > _MOST:
                continue  # rows that are printed so agree easily, and finer ones do not
            for place in places:
                row, own = int(near[place]), (off <= margin)[place]
                if row not in seen:
                    chance = chance_of(scores, row, margin[place], what, own)
                    yield Summary(row, what, chance, int(own.sum()), int(counts[place]))
                if own[present[place]].all():
                    seen.add(row)


def _margins(
    scores: Array, level: Array, what: What, units: Array | None = None, unit_of_others: float = 0.0
) -> Iterator[Array]:
    """Yield how far rows may be from a summary, in rising order; each has shape (rows, columns).

    The row has all digits; or it was rounded to its last decimal, of scores that have no more
    digits than are seen; or the scores were rounded as well, after the summary was computed.
    Without `units` of the rows it is the first alone.
    """
    exact = error_of_sums(what, scores, level)
    if units is None:
        yield exact
        return
    yield np.broadcast_to(exact, (len(units), len(exact)))
    yield exact + 0.5 * units
    yield exact + 0.5 * units + error_of_rounding(what, len(scores), unit_of_others)


def _level(scores: Array, what: What) -> Array:
    """Return a summary: the scores (columns,) of a row that is that of the other rows.

    A row is the mean of the others if it is the mean of all: S / n = (S - x) / (n - 1); and
    it is their sum if it is half of the sum of all. Where there is none it is infinite: negative
    scores have no geometric mean, and no one adds scores of both signs, such as z scores, some of
    which cancel each other.
    """
    present = ~np.isnan(scores)
    n = np.count_nonzero(present, axis=0)
    if what == "sum":
        mixed = (scores < 0).any(axis=0) & (scores > 0).any(axis=0)
        return np.where(mixed, np.inf, np.where(present, scores, 0.0).sum(axis=0) / 2)
    if what == "geometric mean":
        logs = np.log(np.maximum(scores, LEAST_OF_GEOMETRIC))
        level = np.exp(np.where(present, logs, 0.0).sum(axis=0) / n)
        return np.where((scores < 0).any(axis=0), np.inf, level)
    return np.asarray(np.where(present, scores, 0.0).sum(axis=0) / n)


def _spaced(scores: Array) -> Array:
    """Return some of the rows and columns, from all places."""
    rows, columns = (max(1, size // most) for size, most in zip(scores.shape, _SOME, strict=True))
    return scores[::rows, ::columns]
