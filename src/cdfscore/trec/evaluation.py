"""Measurement of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from cdfscore.numerics.types import Array, BoolArray
from cdfscore.trec.measures import parse_measures
from cdfscore.trec.programs import programs_of
from cdfscore.trec.qrels import Qrels
from cdfscore.trec.ranking import Judged, Ranking
from cdfscore.trec.run import Run
from cdfscore.trec.run_files import read_run
from cdfscore.trec.sums import RankedSum
from cdfscore.trec.ties import RankConflicts

_FIRST = 10_000


@dataclass(frozen=True, eq=False)
class RunScores:
    """Scores of a run, and what reading it has shown.

    Attributes
    ----------
    system, source
        Name of the system, and of the file.
    values
        Scores, (measures, topics of the qrels), NaN where the run lacks the topic, and where a
        measure is not defined.
    lacks
        True for the topics of the qrels that the run lacks, (topics of the qrels,).
    unjudged
        Topics of the run that the qrels lack.
    conflicts
        How often the order is not that of the ranks in the file.
    unknown
        A document of the run, if none of them is judged.
    """

    system: str
    source: str
    values: Array
    lacks: BoolArray
    unjudged: tuple[str, ...]
    conflicts: RankConflicts
    unknown: str | None


def scores_of(
    run: Run | str | Path, system: str | None, qrels: Qrels, names: tuple[str, ...]
) -> RunScores:
    """Measure a run, or the file of one; raises what `read_run` raises.

    Called in other processes, too: each prepares the qrels once.
    """
    return _evaluation(qrels, names).of(run if isinstance(run, Run) else read_run(run, system))


class Evaluation:
    """Measures runs by one set of qrels."""

    def __init__(self, qrels: Qrels, names: Sequence[str]) -> None:
        self.qrels = qrels
        measures = list(parse_measures(names).values())
        self._sums = {i: m for i, m in enumerate(measures) if isinstance(m, RankedSum)}
        others = {i: m for i, m in enumerate(measures) if i not in self._sums}
        self._programs = programs_of([*others.values()], qrels, [*others])
        self._shape = len(measures), len(qrels.topics)
        self._topics = frozenset(qrels.topics)

    def of(self, run: Run) -> RunScores:
        """Measure a run; raises `MeasureError` where a program fails."""
        ranking = Ranking.of(run)
        values = np.full(self._shape, np.nan)
        if self._programs:
            rankings = ranking.as_dict()
            for program in self._programs:
                program.measure(run, rankings, values)
        if self._sums:
            judged = Judged.of(ranking, self.qrels)
            for i, measure in self._sums.items():
                values[i] = measure.scores(judged, self.qrels)
        returned = frozenset(run.topics)
        lacks = np.array([topic not in returned for topic in self.qrels.topics])
        values[:, lacks] = np.nan
        return RunScores(
            run.system,
            run.source,
            values,
            lacks,
            tuple(topic for topic in run.topics if topic not in self._topics),
            RankConflicts.of(ranking),
            self._unknown(run),
        )

    def _unknown(self, run: Run) -> str | None:
        """Return a document of a run if none of them is judged."""
        # Most runs have one among the first, which are quick to look up.
        for part in (run.first(_FIRST), run):
            if len(Judged.of(Ranking.of(part), self.qrels).rank):
                return None
        return str(run.documents[0].as_py())


@lru_cache(maxsize=1)
def _evaluation(qrels: Qrels, names: tuple[str, ...]) -> Evaluation:
    return Evaluation(qrels, names)
