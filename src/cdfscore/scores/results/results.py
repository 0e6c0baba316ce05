"""Scores in long form: a row has the labels of a topic, a system and a measure, and a score."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cdfscore.common.files import refuse_sparse, with_one_line_end
from cdfscore.common.text import SYSTEMS, counted, kept, listed, named, number, part_of, units
from cdfscore.errors import ScoresError
from cdfscore.scores import cautions, dataframes, delimited
from cdfscore.scores.cells import MISSING, advice, is_of_words, shown
from cdfscore.scores.how import COLUMNS, How, Part, without
from cdfscore.scores.labels import (
    HEADERS,
    Labels,
    check_labels,
    is_nameless,
    role_of,
    roles_of,
    texts,
)
from cdfscore.scores.results.names import NO_SCORES, chosen_measure, is_measure
from cdfscore.scores.tables import unguarded
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray


class Coded(NamedTuple):
    """Labels of rows: the different ones in order of first appearance, and their numbers."""

    names: list[str]
    codes: IntArray

    @classmethod
    def of_arrow(cls, column: Any) -> Coded:
        """Return a column of pyarrow, text in a dictionary."""
        array = column.unify_dictionaries().combine_chunks()
        if hasattr(array, "chunks"):  # of a version that keeps one chunk
            (array,) = array.chunks
        return cls.of(array.dictionary.to_pylist(), array.indices.to_numpy().astype(np.intp))

    @classmethod
    def of(cls, names: Sequence[str], codes: IntArray) -> Coded:
        """Return labels without spaces around them; those that are equal then are one."""
        stripped = [name.strip() for name in names]
        unique = list(dict.fromkeys(stripped))
        if len(unique) < len(stripped):
            place = {name: i for i, name in enumerate(unique)}
            codes = np.array([place[name] for name in stripped], np.intp)[codes]
        return cls(unique, codes)

    @classmethod
    def of_list(cls, labels: Sequence[str]) -> Coded:
        """Return the labels of a list."""
        place: dict[str, int] = {}
        codes = [place.setdefault(label.strip(), len(place)) for label in labels]
        return cls(list(place), np.array(codes, np.intp))

    def among(self, names: Container[str]) -> BoolArray:
        """Tell which rows have one of some labels."""
        chosen = np.array([own in names for own in self.names], np.bool_)
        return np.asarray(chosen[self.codes])

    def present(self, rows: BoolArray) -> Coded:
        """Return the labels that some of the rows have; the codes of the other rows are 0."""
        used = np.flatnonzero(np.bincount(self.codes[rows], minlength=len(self.names)))
        lookup = np.zeros(len(self.names), np.intp)
        lookup[used] = np.arange(len(used))
        return Coded([self.names[code] for code in used.tolist()], lookup[self.codes])

    def take(self, rows: IntArray) -> Coded:
        """Return the labels of some rows."""
        return Coded(self.names, self.codes[rows])


#: The topic of a number for all others, in the output of trec_eval and ir_measures.
SUMMARY = "all"
_MOST_TOPICS = 1e9
# Measures of trec_eval and ir_measures that are added up over topics.
_COUNTS = r"Z?num_|Num(Q|Rel|Ret)\b"


@dataclass(frozen=True, eq=False)
class Results:
    """Scores in long form. `scores` are text (a pyarrow array), or numbers.

    `labels` are those of the topic and, if the file names them, of the system, the measure and the
    replicate of each row, in this order; `system` is the name of the only system otherwise. `place`
    names the place of a row in messages: "s.tsv, line 3".
    """

    source: str
    labels: dict[str, Coded]
    scores: Any
    place: Callable[[int], str]
    system: str | None = None
    #: Text of a missing score.
    missing: frozenset[str] = frozenset()
    #: Settings of `How` on the form that were used to find the columns.
    uses: frozenset[str] = frozenset()
    #: On what was left out of the file.
    notes: tuple[str, ...] = ()
    #: The header of a column that says that systems are models.
    header: str | None = None
    #: What to do about a file that has no topics but "all".
    per_topic: str = "a row for each topic"

    def part(self, how: How) -> Part:
        """Return the scores of a measure as a matrix; raises `ScoresError` with the place."""
        units.set(dataframes.units_of(self.header))
        if not len(self.scores):
            raise ScoresError(f"{self.source} has no scores; expected a row for each")
        for kind, labels in self.labels.items():
            if "" in labels.names:
                row = int(np.argmax(labels.among({""})))
                raise ScoresError(f"{self.place(row)}: the {kind} has no name; expected a label")
        own = self._translated(how)._without(how.dropped.systems)
        matrix, topics, systems = np.empty((0, 0)), list[str](), list[str]()
        notes, measure = list[str](), None
        if len(own.scores):
            matrix, topics, systems, notes, measure = own._chosen(how)
        index = pd.Index(topics, dtype=str, name="topic")
        frame = pd.DataFrame(matrix, index=index, columns=pd.Index(systems, dtype=str))
        dataframes.remember(frame, header=self.header)
        return Part(
            self.source,
            without(frame, how.dropped.topics, how.dropped.systems),
            self.labels["topic"].names,
            self.of_systems().names,
            tuple(notes),
            measure,
            tuple(own.labels["measure"].names) if "measure" in own.labels else (),
            uses=self.uses,
            whole=False,
            named_as_file="system" not in self.labels,
        )

    def _chosen(self, how: How) -> tuple[Array, list[str], list[str], list[str], str | None]:
        """Return the matrix, its topics and systems, notes, and the measure."""
        every, measures = self.labels["topic"], self.labels.get("measure")
        systems = self.of_systems()
        summary = every.among({SUMMARY}) & (SUMMARY not in how.kept.topics)
        if summary.all():
            raise ScoresError(
                f"{self.source} has only the topic {SUMMARY!r}, which is a summary of topics; "
                f"expected {self.per_topic}"
            )
        measure, rows = None, np.arange(len(summary))
        if measures is not None:
            of_topics = measures.present(~summary).names
            measure = chosen_measure(self.source, measures.names, how.measure, of_topics)
            rows = np.flatnonzero(measures.among({measure}))
        unread = every.take(rows).among(how.dropped.topics)
        scores = np.full(len(rows), np.nan)
        scores[~unread] = scores_of(self.scores, rows[~unread], self.cell, self.missing)
        with suppress(ScoresError):  # they are read because "all" may sum them up
            scores[unread] = scores_of(self.scores, rows[unread], self.cell, self.missing)
        # Only labels that have a score of the measure.
        sums = summary[rows]
        topics = every.take(rows).present(~sums)
        of_rows = systems.take(rows).present(~sums)
        self._refuse_absent(measure, of_rows.names, summary)
        refuse_sparse(self.source, len(topics.names), len(of_rows.names), len(rows))
        cell = topics.codes * np.intp(len(of_rows.names)) + of_rows.codes
        for own in (~sums & ~unread, sums & ~unread):
            self._refuse_twice(rows[own], cell[own])
        values = np.full(len(topics.names) * len(of_rows.names), np.nan)
        notes = list(self.notes)
        if "replicate" not in self.labels:
            values[cell[~sums]] = scores[~sums]
        else:
            self._refuse_summaries(sums & ~unread)
            spread = means_of(cell[~sums], scores[~sums], values)
            args = self.source, how.replicate, topics.names, of_rows.names
            notes += _of_replicates(*args, *spread)
        matrix = values.reshape(len(topics.names), len(of_rows.names))
        there = every.present(~summary).names
        notes += topics_without_scores(self.source, topics.names, there, measure, how.dropped)
        if sums.any():
            notes += _checked_summary(
                *(self, measure, matrix, of_rows, rows[sums], scores[sums]),
                dropped=SUMMARY in how.dropped.topics,
            )
        return matrix, topics.names, of_rows.names, notes, measure

    def _without(self, systems: frozenset[str]) -> Results:
        """Return the rows of the other systems: those to leave out may hold anything."""
        left = self.of_systems().among(systems)
        if not left.any():
            return self
        rows = np.flatnonzero(~left)
        labels = {kind: own.take(rows).present(rows >= 0) for kind, own in self.labels.items()}
        scores = self.scores.take(rows)  # of NumPy and of pyarrow
        return replace(
            self, labels=labels, scores=scores, place=lambda row: self.place(int(rows[row]))
        )

    def of_systems(self) -> Coded:
        """Return the systems of the rows, also if there is only one."""
        if "system" in self.labels:
            return self.labels["system"]
        if self.system is None:
            raise ScoresError(
                f"{self.source} does not name its system; expected a name, as in NAME=-, or a file"
            )
        return Coded([self.system], np.zeros(len(self.scores), np.intp))

    def cell(self, row: int) -> str:
        """Return the place of a score: the line, and what it is a score of."""
        labels = [f"{kind} {own.names[own.codes[row]]!r}" for kind, own in self.labels.items()]
        return ", ".join([self.place(row), *labels])

    def _translated(self, how: How) -> Results:
        if not how.cells:
            return self
        if isinstance(self.scores, np.ndarray):
            return replace(self, scores=how.cells.numbers(self.scores))
        missing = min(self.missing & {"NA", "null"}, default="NA")
        plain = [how.cells.plain(text) for text in self.scores.to_pylist()]
        scores = pa.array([missing if text == "NA" else text for text in plain], pa.string())
        return replace(self, scores=scores, missing=self.missing | {missing})

    def _refuse_summaries(self, sums: BoolArray) -> None:
        names = cautions.named_summaries("topic", self.labels[_REPLICATE].names)
        found = [f"replicate {name!r}" for name in names]
        remedy = "leave its rows out, or, if it is none, rename it"
        if sums.any():
            found, remedy = [f"topic {SUMMARY!r}"], f"drop_topics={[SUMMARY]!r}"
        if found:
            raise ScoresError(
                f"{self.source} has the {found[0]}, the name of a summary, beside replicates; "
                f"expected it without: {remedy}"
            )

    def _refuse_absent(self, measure: str | None, present: list[str], summary: BoolArray) -> None:
        systems, there = self.of_systems(), set(present)
        absent = [name for name in systems.names if name not in there]
        if not absent:
            return
        own = systems.among(absent[:1]) & ~summary
        has = self.labels["measure"].present(own).names if "measure" in self.labels else []
        if has := [name for name in has if name not in NO_SCORES]:
            raise without_scores(self.source, absent, measure, has)
        raise ScoresError(
            f"{self.source}: system {absent[0]!r} has only the topic {SUMMARY!r}, a summary of "
            f"topics; expected {self.per_topic}, or drop_systems={absent[:1]!r}"
        )

    def _refuse_twice(self, rows: IntArray, cells: IntArray) -> None:
        replicates = self.labels.get("replicate")
        if replicates is not None:
            pairs = cells * np.intp(len(replicates.names)) + replicates.codes[rows]
            cells = np.unique(pairs, return_inverse=True)[1]
        if not len(cells) or np.bincount(cells).max() < 2:
            return
        order = np.argsort(cells, kind="stable")
        same = np.flatnonzero(np.diff(cells[order]) == 0)
        second = int(order[same + 1].min())  # the first row that is one too many
        first = int(np.argmax(cells == cells[second]))
        which, too = ("another", "too ") if replicates else ("a", "")
        apart = (
            f", or, if {which} column tells them apart, such as a fold or a seed, its name {too}by "
            "replicate=..."
        )
        raise ScoresError(
            f"{self.cell(int(rows[second]))}: this score was given before, in "
            f"{self.place(int(rows[first])).removeprefix(f'{self.source}, ')}; expected one"
            + apart
            * ("replicate" in self.uses)
        )


def without_scores(
    source: str, systems: Sequence[str], measure: str | None, has: Sequence[str]
) -> ScoresError:
    """Return the error of systems without a score of a measure; the first `has` those of others."""
    one = len(systems) == 1
    names = listed([repr(system) for system in systems])
    which = f"system {names} has" if one else f"systems {names} have"
    return ScoresError(
        f"{source}: {which} no scores of {measure} ({'it' if one else systems[0]} has "
        f"{listed(has)}); expected scores of each system, or drop_systems={list(systems)!r}"
    )


def topics_without_scores(
    source: str, topics: Iterable[str], every: Iterable[str], measure: str | None, dropped: Labels
) -> list[str]:
    """Return the note on topics that have other measures and not this one, if there are any."""
    there = {*topics, *dropped.topics}
    absent = [topic for topic in every if topic not in there]
    if not absent:
        return []
    have, are = ("has", "is") if len(absent) == 1 else ("have", "are")
    return [f"{source}: {named(absent)} {have} other measures and no {measure}, and {are} left out"]


def means_of(cells: IntArray, scores: Array, means: Array) -> tuple[IntArray, float]:
    """Set the mean of each cell that has a score, rounded once or twice from the exact sum, and
    return how many scores each is of, and their pooled standard deviation.

    So means of the same scores are the same double in any order, and that of equal scores is the
    score. A score that is NaN does not count. The pooled standard deviation is the square root of
    the squared differences from the means, over the number of scores less that of cells.
    """
    there = np.flatnonzero(~np.isnan(scores))
    order = there[np.argsort(cells[there], kind="stable")]
    counts = np.bincount(cells[there], minlength=len(means))
    ends = np.cumsum(counts)
    squares = 0.0
    for cell in np.flatnonzero(counts).tolist():
        own = scores[order[ends[cell] - counts[cell] : ends[cell]]].tolist()
        mean = math.fsum(own) / len(own)
        mean += math.fsum([*own, *[-mean] * len(own)]) / len(own)
        means[cell] = mean
        squares += math.fsum((value - mean) ** 2 for value in own)
    freedom = len(there) - np.count_nonzero(counts)
    return counts, math.sqrt(squares / freedom) if freedom else math.nan


def _of_replicates(
    source: str,
    replicate: object,
    topics: list[str],
    systems: list[str],
    counts: IntArray,
    deviation: float,
) -> list[str]:
    """Return the notes on the replicates, whose columns are `replicate`."""
    there = np.flatnonzero(counts)
    own = counts[there]
    least, most = (int(own.min()), int(own.max())) if len(own) else (0, 0)
    number = f"{most}" if least == most else f"{least} to {most}"
    spread = "" if np.isnan(deviation) else f", with the standard deviation {deviation:.3g}"
    found = [
        f"{source}: each score is the mean of {number} replicates ({replicate}){spread} within "
        "a system and topic; a test counts topics and not replicates, which a mixed model has"
    ]
    if least < most:
        few = there[own < most]
        topic, system = divmod(int(few[0]), len(systems))
        found.append(
            f"{source}: {part_of(len(few), len(there), 'score')} have fewer than {most} "
            f"replicates, such as system {kept(systems[system])} on topic {kept(topics[topic])}"
        )
    return found


def scores_of(
    scores: Any, rows: IntArray, place: Callable[[int], str], missing: frozenset[str]
) -> Array:
    """Return the numbers of some rows, NaN for the text of a `missing` score."""
    if isinstance(scores, np.ndarray):
        found = np.asarray(scores[rows], np.float64)
        if (bad := np.isinf(found) | (np.isnan(found) & (not missing))).any():
            row = int(np.argmax(bad))
            raise _refused(place(int(rows[row])), f"{found[row]}", missing)
        return found
    text = scores if len(rows) == len(scores) else scores.take(pa.array(rows))
    absent = pc.is_in(pc.utf8_trim_whitespace(text), pa.array(sorted(missing), pa.string()))
    with suppress(pa.ArrowInvalid):
        found = np.asarray(pc.cast(pc.if_else(absent, None, text), pa.float64()), np.float64)
        if (np.isfinite(found) | np.asarray(absent)).all():
            return found
    values = []
    for row, cell in zip(rows.tolist(), text.to_pylist(), strict=True):
        stripped = cell.strip()
        value = np.nan if stripped in missing else number(stripped)
        if value is None or (not np.isfinite(value) and stripped not in missing):
            raise _refused(place(row), stripped, missing)
        values.append(value)
    return np.array(values, np.float64)


def _refused(place: str, text: str, missing: frozenset[str]) -> ScoresError:
    value = number(text)
    what = "is not a number" if value is None else "is not finite"
    absent = (
        f", or {'NA' if 'NA' in missing else min(missing)} where it is missing" if missing else ""
    )
    return ScoresError(
        f"{place}: {shown(text)} {what}; expected a score such as 0.2731{absent}{advice(text)}"
    )


def _checked_summary(
    results: Results,
    measure: str | None,
    matrix: Array,
    systems: Coded,
    rows: IntArray,
    found: Array,
    *,
    dropped: bool,
) -> list[str]:
    """Return the notes on the rows "all" of a measure, whose numbers are `found`.

    They have to be the mean of the topics, or the sum of counts, unless they are `dropped`. Of
    ``trec_eval -c`` the divisor is num_q, or sum / mean if the rows are dropped.
    """
    averaged: dict[tuple[int, int, bool], list[str]] = {}
    what: cautions.What = "sum" if re.match(_COUNTS, measure or "") else "mean"
    of_systems, measures = results.of_systems(), results.labels.get("measure")
    codes = of_systems.codes[rows].tolist()
    counts = results.labels["topic"].among({SUMMARY})  # rows of the number of topics, if any
    counts &= what == "mean" and measures is not None and measures.among({"num_q"})
    for row, code, value in zip(rows.tolist(), codes, found.tolist(), strict=True):
        name = of_systems.names[code]
        scores = matrix[:, systems.names.index(name)]
        scores = scores[~np.isnan(scores)]
        n = len(scores)
        if not n or np.isnan(value):  # nothing to compare
            continue
        level = scores.sum() if what == "sum" else scores.mean()
        margin = float(cautions.error_of_sums(what, scores)) + _rounding(results, row, scores, what)
        agrees = abs(value - level) <= margin
        own = np.flatnonzero(counts & (of_systems.codes == code))[:1]
        said = next(iter(scores_of(results.scores, own, results.cell, frozenset())), None)
        if agrees and said in (None, n):
            continue
        count = _divisor(value, float(scores.sum()), margin, said) if what == "mean" else n
        if count > n and (dropped or said):
            averaged.setdefault((count, count - n, said is None), []).append(name)
            continue
        if dropped:
            continue
        is_not = f"{results.cell(row)}: {value:g} is not the {what} of the {n} topics, which is "
        drop = f"drop_topics={[SUMMARY]!r}"
        if agrees:
            raise ScoresError(
                f"{results.cell(row)}: {value:g} is the mean of the {n} topics that are there, and "
                f"num_q says {said:g}; expected the lines of all topics, or {drop} if no line is "
                "lost"
            )
        if count > n:
            zeros = f"{counted(count - n, 'topic')} without documents count"
            raise ScoresError(
                f"{is_not}{level:.6g}, but their sum divided by {count}, as of trec_eval -c, where "
                f"{zeros}{'s' if count == n + 1 else ''} as 0; expected num_q as well, as of "
                f"trec_eval -q -c with -m num_q or -m all_trec, or {drop}: both give the {n} "
                "topics; 'cdfscore measure RUN --qrels QRELS --missing-topics zero' gives all "
                f"{count}"
            )
        raise ScoresError(
            f"{is_not}{level:.6g}, and off by {abs(value - level):.2g}; expected the file as it "
            f"was written, or {drop} if it is of other topics"
        )
    topics = f"the {len(matrix)} topics" if len(matrix) > 1 else "the only topic"
    has = f"the {what} of {topics}" if not averaged else "a mean of topics"
    notes = [] if dropped else [f"the topic {SUMMARY!r} has {has} and is left out"]
    notes += [_averaged(systems, names, *topics) for topics, names in averaged.items()]
    return [f"{results.source}: {note}" for note in notes]


def _divisor(mean: float, total: float, margin: float, said: float | None) -> int:
    """Return by what a sum was divided to a mean: as `said`, or the only number that fits, or 0."""
    ratio = total / mean if mean and said is None else said or 0.0
    count = round(ratio) if 0 < ratio < _MOST_TOPICS else 0
    if not count or abs(mean - total / count) > margin:
        return 0
    return count if said is not None or abs(mean) / (count + 1) > 4 * margin else 0


def _averaged(systems: Coded, names: list[str], topics: int, absent: int, likely: bool) -> str:
    those = "" if len(names) == len(systems.names) else f" of {listed(names)}"
    if likely:
        are = "topic that is" if absent == 1 else "topics that are"
        return (
            f"the topic 'all' has the sum of the scores{those} divided by {topics}: trec_eval -c "
            f"may have counted {absent} {are} not in the file as 0, but not here"
        )
    are = "is not in the file and counts" if absent == 1 else "are not in the file and count"
    return (
        f"trec_eval -c averaged the scores{those} over {topics} topics, {absent} of which {are} "
        "as 0 there, but not here"
    )


def _rounding(results: Results, row: int, scores: Array, what: cautions.What) -> float:
    text = results.scores[row]
    if isinstance(text, float):  # and so is NumPy's
        unit = float(cautions.last_decimals(np.array([[float(text)]]))[0])
    else:
        written = re.fullmatch(r"[-+]?\d*(?:\.(\d*))?(?:[eE]([-+]?\d+))?", text.as_py().strip())
        unit = float(f"1e{int(written[2] or 0) - len(written[1] or '')}") if written else 0.0
    if what == "sum" and unit == 1:
        return 0.0
    of_scores = min(unit, float(cautions.last_decimals(scores[np.newaxis])[0]))
    return 0.5 * unit + float(cautions.error_of_rounding(what, len(scores), of_scores))


# Tables with a header -----------------------------------------------------------------------------

#: A header of systems in such tables alone, as pyterrier writes it.
_NAME = "name"
_REPLICATE = "replicate"
_OF_LABELS = ("topic", "system", "measure", _REPLICATE)
#: Returns the cells of the column at a position.
Cells = Callable[[int], Sequence[str]]


class Columns(NamedTuple):
    """Positions of the columns, None without one; `scores` are several if headers are measures."""

    topic: int
    scores: dict[str | None, int]
    system: int | None
    measure: int | None
    replicate: int | None = None
    #: Headers of columns that are not read, where the user names those that are.
    ignored: tuple[str, ...] = ()
    #: The header of a column that says that systems are models.
    header: str | None = None

    def score(self, source: str, how: How) -> tuple[int, str | None]:
        """Return the column of scores to read, and its measure if its header names it."""
        names = [name for name in self.scores if name is not None]
        if not names:
            return self.scores[None], None
        measure = chosen_measure(source, names, how.measure)
        return self.scores[measure], measure

    def labels(self) -> dict[str, int]:
        """Return the columns of labels, by what they hold."""
        return {role: at for role in _OF_LABELS if (at := getattr(self, role)) is not None}

    def notes(self, source: str) -> list[str]:
        """Return the note on columns that are not read, if there are any."""
        one = len(self.ignored) == 1
        names = listed([repr(name) for name in self.ignored])
        which = f"the column {names} is" if one else f"{len(self.ignored)} columns ({names}) are"
        return [f"{source}: {which} not read"] if self.ignored else []


def long_columns(source: str, header: Sequence[str], how: How, cells: Cells) -> Columns | None:
    """Return the columns of a table with a row a score, None if `header` is of another table.

    It has a topic and a score and, if there are more columns, a system or a measure; or a topic, a
    system in words, and scores under the names of measures. `cells` are those of a column. Raises
    `ScoresError` for two columns of one kind or one measure, and for one of no kind.
    """
    if how.topic_column is False or (how.systems_as_rows is not None and not how.header_first):
        return None
    names = list(map(str.strip, header))
    places: dict[str, list[int]] = {role: [] for role in (*HEADERS, _REPLICATE)}
    named_roles = (
        (_REPLICATE, how.replicate),
        ("score", how.score_column),
        ("system", how.system_column),
        ("topic", how.label_header),
    )
    given = {own: role for role, own in named_roles if own is not None}
    for place, (name, known) in enumerate(zip(names, roles_of(tuple(names)), strict=True)):
        role = "system" if name.lower() == _NAME else known
        role = given.get(name, None if role in given.values() else role)
        if role is not None:
            places[role].append(place)
    topics, systems, measures = places["topic"], places["system"], places["measure"]
    named = how.system_column is not None or how.score_column is not None
    if not (named or (topics and (systems or places["score"]))):
        return None
    own = [i for i, name in enumerate(names) if not is_nameless(name)]
    others = sorted(set(own).difference(*places.values()))
    if named and not topics:
        labels = [] if how.score_column is not None else cells(systems[0])
        if len(set(labels)) == len(labels) and how.score_column is None:
            return None  # a row for each system
        raise ScoresError(
            f"{source} has a row for each score, and no column that is known as one of topics; "
            f"name it by topic_column=...: {listed([repr(names[i]) for i in others])}"
        )
    if topics and systems and others and not (places["score"] or measures):
        words = cells(systems[0])
        leads = systems[0] < topics[0] and how.label_header is None
        if not (named or is_of_words(words)) or (leads and len(set(words)) == len(words)):
            # Scores of a system that is called so; or a leaderboard, by its first column.
            values, labels = [number(word.strip()) for word in words], cells(topics[0])
            whole = all(value is not None and value.is_integer() for value in values)
            if whole and len(set(labels)) < len(labels) and len(set(words)) < len(words):
                raise ScoresError(
                    f"{source} has the column {names[systems[0]]!r} of whole numbers, which are "
                    "labels of systems in a table with a row for each score; expected names with a "
                    "letter beside columns of measures, or columns headed topic, system, measure "
                    "and score"
                )
            return None
        _refuse_second(source, names, places)
        ignored = [i for i in others if named and is_of_words(cells(i))]
        own = [i for i in others if i not in ignored]
        check_labels(source, "measure", [names[i] for i in own], (f"column {i + 1}" for i in own))
        scores: dict[str | None, int] = {names[i]: i for i in own}
    elif topics and places["score"] and (systems or measures or len(own) == 2 or named):
        _refuse_second(source, names, places)
        header_of_score = names[places["score"][0]]
        if others and not named:
            beside = [] if how.replicate is None else str(how.replicate).split(",")
            one = "another column tells" if beside else "a column tells several"
            raise ScoresError(
                f"{source} has a row for each score, and also the column{'s'[len(others) == 1 :]} "
                f"{listed([repr(names[i]) for i in others])}; expected only columns of topic, "
                f"system, score{', replicate' if beside else ''} and measure; if {one} scores of a "
                "system on a topic apart, such as a fold or a seed, say "
                f"replicate={[*beside, names[others[0]]]!r}, and the mean of them is read (a mixed "
                "model, as of 'cdfscore mixed-model --replicate', has them all); "
                f"score_column={header_of_score!r} leaves all other columns out"
            )
        ignored = others
        is_measure = role_of(header_of_score) != "score" and not measures
        scores = {header_of_score if is_measure else None: places["score"][0]}
    else:
        return None
    first = {role: found[0] if found else None for role, found in places.items()}
    return Columns(
        topics[0],
        scores,
        first["system"],
        first["measure"],
        first[_REPLICATE],
        tuple(names[i] for i in ignored),
        next((name for name in names if dataframes.units_of(name) != SYSTEMS), None),
    )


def _refuse_second(source: str, names: Sequence[str], places: dict[str, list[int]]) -> None:
    for role, found in places.items():
        if len(found) > 1:
            raise ScoresError(
                f"{source} has a row for each score and {len(found)} columns of {role}s, "
                f"{listed([repr(names[i]) for i in found])}; expected one"
                + (", or its name as topic_column=..." if role == "topic" else "")
                + (", or replicate=... for a number of runs" if role == "system" else "")
            )


def read_table(
    source: str, content: bytes, how: How, stem: str | None, *, columns: Columns
) -> Part:
    """Read CSV or TSV; `stem` names the system if there is no column of systems."""
    text = delimited.decoded(source, content)
    separator = delimited.separator_of(text)
    score, measure = columns.score(source, how)

    def split() -> list[tuple[int, list[str]]]:
        (_, header), *found = delimited.rows_of(source, text, separator)
        delimited.refuse_ragged(source, header, found)
        return found

    own = {**columns.labels(), "score": score}
    labels, *rest = _rows(source, content, separator, len(_header(text, separator)), own, split)
    labels = {role: Coded.of(unguarded(own.names), own.codes) for role, own in labels.items()}
    return _of_table(source, columns, measure, stem, labels, *rest).part(how)


def columns_of_text(source: str, content: bytes, how: How) -> Columns | None:
    """Return the columns of CSV or TSV with a row a score, None if its header is of another."""
    lines = re.split(rb"\r\n?|\n", content, maxsplit=2)[:2]
    first = b"\n".join(lines).decode(errors="replace")
    separator = delimited.separator_of(first)
    header = _header(first, separator)

    def cells(place: int) -> list[str]:
        def split() -> list[tuple[int, list[str]]]:
            _, *rows = delimited.rows_of(source, delimited.decoded(source, content), separator)
            return [(line, row) for line, row in rows if place < len(row)]

        own = {"score": place}
        return list(_rows(source, content, separator, len(header), own, split)[1].to_pylist())

    return long_columns(source, header, how, cells)


def _header(text: str, separator: str) -> list[str]:
    line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    try:
        return unguarded(next(csv.reader([line], delimiter=separator, strict=True), []))
    except csv.Error:
        return []


def columns_of_frame(source: str, frame: pd.DataFrame, how: How) -> Columns | None:
    """Return the columns of a data frame with a row a score, None if it has another form."""
    levels = list(frame.index.names) if _has_names(frame) else []

    def cells(place: int) -> list[str]:
        if place < len(levels):
            return texts(frame.index.get_level_values(place).tolist())
        return texts(frame.iloc[:, place - len(levels)].tolist())

    return long_columns(source, texts([*levels, *frame.columns.tolist()]), how, cells)


def results_of_frame(
    source: str,
    frame: pd.DataFrame,
    columns: Columns,
    how: How,
    stem: str | None,
    place: Callable[[int], str] | None = None,
) -> Results:
    """Return the scores of a data frame with these columns; see `read_table`."""
    frame = flat(frame)
    score, measure = columns.score(source, how)
    labels = {}
    for role, position in columns.labels().items():
        codes, names = pd.factorize(frame.iloc[:, position], use_na_sentinel=False)
        labels[role] = Coded.of(texts(list(names)), codes.astype(np.intp))
    column = frame.iloc[:, score]
    scores: Any
    if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind not in "bc":
        scores = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        scores = pa.array(texts(column.tolist()), pa.string())
    at = place or (lambda row: f"{source}, row {row + 1}")
    return _of_table(source, columns, measure, stem, labels, scores, at)


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with an index that has a name as columns."""
    return frame.reset_index(allow_duplicates=True) if _has_names(frame) else frame


def _has_names(frame: pd.DataFrame) -> bool:
    return any(name is not None for name in frame.index.names)


def _of_table(
    source: str,
    columns: Columns,
    measure: str | None,
    stem: str | None,
    labels: dict[str, Coded],
    scores: Any,
    place: Callable[[int], str],
) -> Results:
    """Return the scores of a table, of `measure` if it has no column of measures."""
    if measure is not None:
        labels = {**labels, "measure": Coded([measure], np.zeros(len(scores), np.intp))}
    every = {role: labels[role] for role in _OF_LABELS if role in labels}
    notes = tuple(columns.notes(source))
    uses = frozenset(COLUMNS)
    return Results(source, every, scores, place, stem, MISSING, uses, notes, columns.header)


def _rows(
    source: str,
    content: bytes,
    separator: str,
    width: int,
    columns: Mapping[str, int],
    split: Callable[[], Sequence[tuple[int, Sequence[str]]]],
    *,
    headed: bool = True,
) -> tuple[dict[str, Coded], Any, Callable[[int], str]]:
    """Return labels, text of scores and the place of a row, from columns of these roles.

    They are parsed by pyarrow; if not all rows are one plain line each, `split` gives them.
    """
    coded = pa.dictionary(pa.int32(), pa.string())
    types = {at: pa.string() if role == "score" else coded for role, at in columns.items()}
    table = delimited.parsed_quickly(
        content, separator, width, types, skipped=int(headed), quotes=headed
    )
    # A field with a line break has more lines than rows, and so has a blank line.
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    broken = content.count(b"\r") != content.count(b"\r\n")
    if table is None or len(table) != lines - headed or broken:
        rows = split()
        texts = {role: [row[place] for _, row in rows] for role, place in columns.items()}
        scores = pa.array(texts.pop("score"), pa.string())
        labels = {role: Coded.of_list(own) for role, own in texts.items()}
        return labels, scores, lambda row: f"{source}, line {rows[row][0]}"
    found = {role: table[str(place)] for role, place in columns.items()}
    scores = pa.concat_arrays(found.pop("score").chunks or [pa.array([], pa.string())])
    labels = {role: Coded.of_arrow(own) for role, own in found.items()}
    return labels, scores, lambda row: f"{source}, line {row + headed + 1}"


# Output of trec_eval -q and ir_measures -q --------------------------------------------------------
# A line of trec_eval has a measure, a topic and a value; one of ir_measures has the topic first.


_RUN = "runid"
# Three fields of a line, between tabs or between spaces.
_THREE = re.compile(rb"(?m)^ *(?:(\S+) *\t([^\t\n]+)\t|(\S+) +(\S+) +)([^\t\n ]+)[ \t]*$")
# trec_eval prints the measure in so many characters.
_WIDTH = 22
# A wrapper's lines before the first line of output are within so many bytes.
_BEGINNING = 1 << 16


def printed(content: bytes) -> tuple[int, bytes | None] | None:
    """Return in which place the measure is in output of a program, perhaps after lines of another,
    and what is between the fields, by a line near the beginning; no line before it is a header,
    with a tab or such a word.
    """
    content = with_one_line_end(content[:_BEGINNING])
    for found in _THREE.finditer(content):
        names = [field.decode(errors="replace").strip() for field in found.groups() if field]
        padded = found[1] is not None and found[0].find(b"\t") >= _WIDTH
        # A header of systems, such as runid in tables, is no measure.
        text = names[0] in NO_SCORES and (names[1] == SUMMARY or role_of(names[0]) != "system")
        known = [text or is_measure(names[0]), is_measure(names[1])]
        if padded and (not found.start() or known[0]):
            return 0, b"\t"
        before = content[: found.start()].decode(errors="replace").split()
        if b"\t" in content[: found.start()] or (before and role_of(before[0]) is not None):
            return None  # below a header
        topic = names[1] if known[0] else names[0]
        is_score = "." in topic and number(topic) is not None  # of a table with another header
        if known[0] != known[1] and not is_score and (text or number(names[2]) is not None):
            return 0 if known[0] else 1, None if found[1] is None else b"\t"
    return None


def read_printed(source: str, content: bytes, how: How, stem: str | None, *, program: str) -> Part:
    """Read lines of a measure, a topic and a value of ``trec_eval -q``, for one run or for several
    one after another, or of a topic, a measure and a value of ``ir_measures -q``.

    The lines of a run end with those of the topic "all". The run id names the system, if it is
    there (``runid all bm25``); if not, `stem` names the only system.
    """
    content, notes = _without_wrapper(source, content)
    content = with_one_line_end(content)
    if b"\t" not in content.lstrip().split(b"\n", 1)[0]:
        content = re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", content))
    order = ("measure", "topic") if program == "trec_eval" else ("topic", "measure")
    columns = {order[0]: 0, order[1]: 1, "score": 2}

    def split() -> list[tuple[int, list[str]]]:
        lines = enumerate(delimited.decoded(source, content).split("\n"), start=1)
        rows = [(line, text.split("\t")) for line, text in lines if text.strip()]
        for line, cells in rows:
            if len(cells) != 3:
                several = " (two records in one line?)" if len(cells) > 4 else ""
                raise ScoresError(
                    f"{source}, line {line} has {counted(len(cells), 'field')}{several}; expected "
                    f"3: {', '.join(order)} and value, as of {program} -q"
                )
        return rows

    labels, scores, place = _rows(source, content, "\t", 3, columns, split, headed=False)
    per_topic = f"the output of {program} with -q, which has the topics as well"
    found = Results(source, labels, scores, place, stem, per_topic=per_topic, notes=notes)
    systems = _systems_of_runs(found) if program == "trec_eval" else {}
    own = {"topic": labels["topic"], **systems, "measure": labels["measure"]}
    return replace(found, labels=own).part(how)


def _systems_of_runs(rows: Results) -> dict[str, Coded]:
    measures, summary = rows.labels["measure"], rows.labels["topic"].among({SUMMARY})
    # The number of the run of each line: the next begins after the lines of "all".
    begins = np.zeros(len(summary), np.intp)
    begins[1:] = summary[:-1] & ~summary[1:]
    blocks = np.cumsum(begins)
    # The second line "all" of one measure in a block is of a run that has no others, and would
    # give its name or mean to the topics of another.
    sums = np.flatnonzero(summary)
    place = blocks[sums] * np.intp(len(measures.names)) + measures.codes[sums]
    again = np.setdiff1d(np.arange(len(sums)), np.unique(place, return_index=True)[1])
    for second in again[:1].tolist():
        before, row = int(sums[np.argmax(place == place[second])]), int(sums[second])
        measure = measures.names[measures.codes[row]]
        which = f"run {rows.scores[row].as_py().strip()!r}" if measure == _RUN else "a run"
        raise ScoresError(
            f"{rows.place(row)}: the lines of {which} begin without its topics, as {measure} of "
            f"{SUMMARY!r} is there already, in {rows.place(before)}; expected the output of "
            "trec_eval with -q for each run"
        )
    of_names = np.flatnonzero(measures.among({_RUN})).tolist()
    names = {int(blocks[row]): rows.scores[row].as_py().strip() for row in of_names}
    named = [names.get(block) for block in range(int(blocks[-1]) + 1)]
    if any(named):
        if None in named:
            first = int(np.argmax(blocks == named.index(None)))
            raise ScoresError(
                f"{rows.place(first)}: the lines of a run begin, but no line has its name; "
                "expected a line 'runid all NAME' for each run, or one file for each run"
            )
        return {"system": Coded.of([str(name) for name in named], blocks)}
    if len(named) > 1:
        raise ScoresError(
            f"{rows.source} has the lines of {len(named)} runs without their names; expected a "
            "line 'runid all NAME' for each run, or one file for each run"
        )
    return {}


def _without_wrapper(source: str, content: bytes) -> tuple[bytes, tuple[str, ...]]:
    if (form := printed(content)) is None:
        return content, ()
    lines = with_one_line_end(content).split(b"\n")
    others = [i for i, line in enumerate(lines) if line.strip() and _is_other(line, *form)]
    if not others:
        return content, ()
    text = shown(lines[others[0]].decode(errors="replace").strip())
    are, which = ("s are", "lines") if len(others) > 1 else (" is", "line")
    program = "ir_measures" if form[0] else "trec_eval"
    note = (
        f"{source}: {len(others)} line{are} left out as not of {program} ({which} "
        f"{listed([str(i + 1) for i in others])}), such as {text}"
    )
    for i in others:
        lines[i] = b""
    return b"\n".join(lines), (note,)


def _is_other(line: bytes, measure: int, between: bytes | None) -> bool:
    """Tell whether a line is of another program: without a tab, or three fields, or a measure."""
    words = line.decode(errors="replace").split()
    if between is None and len(words) == 3 and number(words[2]) is not None:
        return False
    name = words[min(measure, len(words) - 1)]
    return b"\t" not in line and not is_measure(name) and name not in NO_SCORES
