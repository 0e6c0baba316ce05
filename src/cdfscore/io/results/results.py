"""Scores in long form: a row has the labels of a topic, a system and a measure, and a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.results.coded import Coded
from cdfscore.io.results.numbers import scores_of
from cdfscore.io.results.summary import checked_summary
from cdfscore.io.results.which import chosen_measure
from cdfscore.io.scores.how import How
from cdfscore.io.scores.part import Part
from cdfscore.io.scores.selection import without
from cdfscore.io.text import listed
from cdfscore.numerics.types import BoolArray, IntArray

#: The topic of a number for all others, in the output of trec_eval and ir_measures.
SUMMARY = "all"


@dataclass(frozen=True, eq=False)
class Results:
    """Scores in long form. `scores` are text (a pyarrow array), or numbers.

    `place` names the place of a row in messages: "s.tsv, line 3". `systems` and `measures` are
    None if the file does not name them; `system` is the name of the only system then.
    """

    source: str
    topics: Coded
    systems: Coded | None
    measures: Coded | None
    scores: Any
    place: Callable[[int], str]
    system: str | None = None
    #: Text of a missing score.
    missing: frozenset[str] = frozenset()
    #: What to do about a file that has no topics but "all".
    per_topic: str = "a row for each topic"

    def part(self, how: How) -> Part:
        """Return the scores of a measure as a matrix; raises `ScoresError` with the place."""
        if not len(self.topics.codes):
            raise ScoresError(f"{self.source} has no scores; expected a row for each")
        self._check_names()
        systems = self.of_systems()
        summary = self._is_summary(how)
        if summary.all():
            raise ScoresError(
                f"{self.source} has the topic {SUMMARY!r} alone, which is of all others; "
                f"expected {self.per_topic}"
            )
        measure = chosen_measure(self.source, self.measures, summary, how.measure)
        rows = np.flatnonzero(self._of(measure))
        scores = scores_of(self.scores, rows, self.cell, self.missing)
        # Only labels that have a score of the measure.
        sums = summary[rows]
        topics = self.topics.take(rows).present(~sums)
        of_rows = systems.take(rows).present(~sums)
        cell = topics.codes * np.intp(len(of_rows.names)) + of_rows.codes
        self._refuse_twice(rows[~sums], cell[~sums])
        values = np.full(len(topics.names) * len(of_rows.names), np.nan)
        values[cell[~sums]] = scores[~sums]
        matrix = values.reshape(len(topics.names), len(of_rows.names))
        notes = self._absent(measure, summary, topics.names, how)
        if sums.any() and SUMMARY not in how.dropped.topics:
            notes += checked_summary(self, measure, matrix, of_rows, rows[sums], scores[sums])
        return self._part(how, matrix, topics.names, of_rows.names, notes, measure)

    def _absent(
        self, measure: str | None, summary: BoolArray, topics: list[str], how: How
    ) -> list[str]:
        """Return the note on topics that have other measures and not this one, if there are any."""
        there = {*topics, *how.dropped.topics}
        absent = [topic for topic in self.topics.present(~summary).names if topic not in there]
        if not absent:
            return []
        one = len(absent) == 1
        which = f"topic {absent[0]} has" if one else f"{len(absent)} topics ({listed(absent)}) have"
        return [
            f"{self.source}: {which} other measures and no {measure}, and "
            f"{'is' if one else 'are'} left out"
        ]

    def counted_topics(self, system: int) -> float | None:
        """Return the number of topics that trec_eval says it has averaged over, if it does."""
        if self.measures is None:
            return None
        rows = np.flatnonzero(self.measures.are("num_q") & self.topics.are(SUMMARY))
        own = rows[self.of_systems().codes[rows] == system]
        return scores_of(self.scores, own[:1], self.cell, frozenset())[0] if len(own) else None

    def _part(
        self,
        how: How,
        matrix: Any,
        topics: list[str],
        systems: list[str],
        notes: list[str],
        measure: str | None,
    ) -> Part:
        import pandas as pd

        index = pd.Index(topics, dtype=str, name="topic")
        frame = pd.DataFrame(matrix, index=index, columns=pd.Index(systems, dtype=str))
        frame = without(frame, how.dropped.topics, how.dropped.systems)
        known = () if self.measures is None else tuple(self.measures.names)
        return Part(
            self.source,
            frame,
            self.topics.names,
            systems,
            tuple(notes),
            measure,
            known,
            whole=False,
            named_as_file=self.systems is None,
        )

    def of_systems(self) -> Coded:
        """Return the systems of the rows, also if there is only one."""
        if self.systems is not None:
            return self.systems
        if self.system is None:
            raise ScoresError(
                f"{self.source} does not name its system; expected a name, as in NAME=-, or a file"
            )
        return Coded([self.system], np.zeros(len(self.topics.codes), np.intp))

    def _is_summary(self, how: How) -> BoolArray:
        if SUMMARY in how.kept.topics:
            return np.zeros(len(self.topics.codes), np.bool_)
        return self.topics.are(SUMMARY)

    def _of(self, measure: str | None) -> BoolArray:
        if self.measures is None or measure is None:
            return np.ones(len(self.topics.codes), np.bool_)
        return self.measures.are(measure)

    def cell(self, row: int) -> str:
        """Return the place of a score: the line, and what it is a score of."""
        labels = [f"topic {self.topics.names[self.topics.codes[row]]!r}"]
        if self.systems is not None:
            labels.append(f"system {self.systems.names[self.systems.codes[row]]!r}")
        if self.measures is not None:
            labels.append(f"measure {self.measures.names[self.measures.codes[row]]!r}")
        return ", ".join([self.place(row), *labels])

    def _check_names(self) -> None:
        """Raise `ScoresError` for a row without a label."""
        for kind, labels in (
            ("topic", self.topics),
            ("system", self.systems),
            ("measure", self.measures),
        ):
            if labels is not None and "" in labels.names:
                row = int(np.argmax(labels.are("")))
                raise ScoresError(f"{self.place(row)}: the {kind} has no name; expected a label")

    def _refuse_twice(self, rows: IntArray, cells: IntArray) -> None:
        """Raise `ScoresError` for two scores of one system on one topic."""
        if not len(cells) or np.bincount(cells).max() < 2:
            return
        order = np.argsort(cells, kind="stable")
        same = np.flatnonzero(np.diff(cells[order]) == 0)
        second = int(order[same + 1].min())  # the first row that is one too many
        first = int(np.argmax(cells == cells[second]))
        raise ScoresError(
            f"{self.cell(int(rows[second]))}: the score is there already, in "
            f"{self.place(int(rows[first])).removeprefix(f'{self.source}, ')}; expected one"
        )
