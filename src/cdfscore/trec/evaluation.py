"""Measurement of one run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.errors import MeasureError
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.trec.measures import parse_measures, require_ir_measures
from cdfscore.trec.qrels import Qrels
from cdfscore.trec.ranking import Judged, Ranking
from cdfscore.trec.run import Run
from cdfscore.trec.run_files import read_run
from cdfscore.trec.sums import RankedSum
from cdfscore.trec.ties import RankConflicts

Rankings = Mapping[str, Mapping[str, float]]
# Written in Perl: reads files of columns, and stops at a higher relevance.
_GDEVAL, _HIGHEST_OF_GDEVAL = "gdeval", 4

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
    notes
        Sentences on how the run was read.
    """

    system: str
    source: str
    values: Array
    lacks: BoolArray
    unjudged: tuple[str, ...]
    conflicts: RankConflicts
    unknown: str | None
    notes: tuple[str, ...]


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
            run.notes,
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


class Program:
    """A program of ir_measures, with qrels and measures.

    It is given the number of each topic in the qrels for its label, from 0: gdeval takes numbers
    only, and drops what stands before a hyphen.
    """

    def __init__(self, provider: Any, places: Mapping[Any, int], qrels: Qrels) -> None:
        self._places = places
        self._is_gdeval = provider.NAME == _GDEVAL
        self._what = f"{listed([*map(str, places)])} by {provider.NAME} of ir_measures"
        self._numbers = {topic: str(i) for i, topic in enumerate(qrels.topics)}
        if self._is_gdeval:
            self._refuse_relevance(qrels)
            self._refuse_spaces(qrels)
        with self._errors_told(qrels):
            self._evaluator = provider.evaluator(list(places), self._numbered(qrels.as_dict()))

    def measure(self, run: Run, rankings: Rankings, values: Array) -> None:
        """Write the scores of a run, given as {topic: {document: score}} too, into their places.

        Places are of measures x topics of the qrels. Raises `MeasureError` where the program
        fails.
        """
        if self._is_gdeval:
            self._refuse_spaces(run)
        with self._errors_told(run):
            for found in self._evaluator.iter_calc(self._numbered(rankings)):
                values[self._places[found.measure], int(found.query_id)] = found.value

    def _numbered(self, rows: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows of topics of the qrels by their numbers."""
        return {self._numbers[topic]: row for topic, row in rows.items() if topic in self._numbers}

    @contextmanager
    def _errors_told(self, source: Run | Qrels) -> Iterator[None]:
        """Turn any error of a program into one sentence."""
        try:
            yield
        except Exception as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise MeasureError(
                f"{source.source} cannot be measured with {self._what} ({reason})"
            ) from error

    def _refuse_relevance(self, qrels: Qrels) -> None:
        highest = int(qrels.relevance.max())
        if highest > _HIGHEST_OF_GDEVAL:
            raise MeasureError(
                f"{qrels.source} cannot be measured with {self._what}: a document has the "
                f"relevance {highest}; expected at most {_HIGHEST_OF_GDEVAL}"
            )

    def _refuse_spaces(self, source: Run | Qrels) -> None:
        """Refuse ids that a file of columns cannot hold; what is in memory may have them."""
        import pyarrow.compute as pc

        ids = source.documents.dictionary
        bad = ids.filter(pc.match_substring_regex(ids, r"^$|\s"))
        if len(bad):
            raise MeasureError(
                f"{source.source} cannot be measured with {self._what}: a document has the id "
                f"{bad[0].as_py()!r}; expected ids without spaces"
            )


def programs_of(measures: Sequence[Any], qrels: Qrels, places: Sequence[int]) -> list[Program]:
    """Return the programs that measure these, each by the first of ir_measures that has it.

    Those of one program go together, which is quicker, unless they would change each other:
    pytrec_eval in ir_measures measures nDCG with the gains of another measure and NumRet among the
    judged documents of another, depending on their order. ir_measures alone would keep them in a
    set, whose order differs from process to process.
    """
    groups: dict[Any, dict[Any, int]] = {}
    providers = {}
    for measure, place in zip(measures, places, strict=True):
        provider = _provider(measure)
        providers[provider.NAME] = provider
        settings = measure.params
        gains = tuple(sorted(settings["gains"].items())) if "gains" in settings else None
        key = (provider.NAME, gains, settings.get("judged_only", False))
        groups.setdefault(key, {})[measure] = place
    return [Program(providers[name], group, qrels) for (name, *_), group in groups.items()]


def _provider(measure: Any) -> Any:
    """Return the first program of ir_measures that is installed and has the measure."""
    known = require_ir_measures().DefaultPipeline.providers
    return next(each for each in known if each.is_available() and each.supports(measure))
