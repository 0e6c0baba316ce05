"""Measurement of one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.trec.measures import parse_measures, require_ir_measures
from cdfscore.trec.qrels import Qrels
from cdfscore.trec.ranking import Judged, Ranking
from cdfscore.trec.run import Run, read_run
from cdfscore.trec.sums import RankedSum
from cdfscore.trec.ties import RankConflicts


@dataclass(frozen=True, eq=False)
class RunScores:
    """Scores of a run, and what reading it has shown.

    Attributes
    ----------
    system, source
        Name of the system, and of the file.
    values
        Scores, (measures, topics of the qrels), NaN where the run lacks the topic.
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
        self._places = {m: i for i, m in enumerate(measures) if not isinstance(m, RankedSum)}
        self._topics = {topic: i for i, topic in enumerate(qrels.topics)}
        self._evaluator = None
        if self._places:
            self._evaluator = require_ir_measures().evaluator(list(self._places), qrels.as_dict())

    def of(self, run: Run) -> RunScores:
        """Measure a run."""
        ranking = Ranking.of(run)
        values = np.zeros((len(self._sums) + len(self._places), len(self._topics)))
        if self._evaluator is not None:
            for found in self._evaluator.iter_calc(ranking.as_dict()):
                values[self._places[found.measure], self._topics[found.query_id]] = found.value
        if self._sums:
            judged = Judged.of(ranking, self.qrels)
            for i, measure in self._sums.items():
                values[i] = measure.scores(judged, self.qrels)
        returned = set(run.topics)
        values[:, [topic not in returned for topic in self.qrels.topics]] = np.nan
        unjudged = tuple(topic for topic in run.topics if topic not in self._topics)
        return RunScores(
            run.system,
            run.source,
            values,
            unjudged,
            RankConflicts.of(ranking),
            None if np.nansum(values) else self._unknown(ranking),
        )

    def _unknown(self, ranking: Ranking) -> str | None:
        """Return a document of a run if none of them is judged, which is rare and slow to tell."""
        known = len(Judged.of(ranking, self.qrels).rank) > 0
        return None if known else str(ranking.run.documents[0])


@lru_cache(maxsize=1)
def _evaluation(qrels: Qrels, names: tuple[str, ...]) -> Evaluation:
    return Evaluation(qrels, names)
