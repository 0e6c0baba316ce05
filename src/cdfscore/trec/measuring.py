"""Measurement of runs: topics x systems, by each of several measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import CdfscoreError, MeasureError, RunError, alternatives, did_you_mean
from cdfscore.io.results.names import TWO_FORMS_OF_DCG, is_with_base
from cdfscore.io.scores.dataframes import remember
from cdfscore.io.text import counted, listed, notes_of_files, part_of
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.threads import alone
from cdfscore.trec.measures import (
    RankedSum,
    name_of_measure,
    parse_measure,
    parse_measures,
    require_ir_measures,
)
from cdfscore.trec.runs import (
    Judged,
    NamedRun,
    Qrels,
    RankConflicts,
    Ranking,
    Run,
    cautions,
    qrels_given,
    read_run,
    refuse_name_twice,
    runs_given,
)

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.trec.measures import AnyMeasure, AnyMeasures, Measure
    from cdfscore.trec.runs import AnyQrels, AnyRuns

#: Policies for judged topics that a run lacks.
MissingTopics = Literal["refuse", "omit", "zero"]
POLICIES = get_args(MissingTopics)
# Without a least relevance, these count documents of any.
_OF_ANY_RELEVANCE = ("Judged", "NumRet")
Rankings = Mapping[str, Mapping[str, float]]
# Written in Perl: reads files of columns, and stops at a higher relevance.
_GDEVAL, _HIGHEST_OF_GDEVAL = "gdeval", 4

_FIRST = 10_000


def measure(
    runs: AnyRuns,
    qrels: AnyQrels,
    measures: AnyMeasures,
    *,
    missing_topics: MissingTopics = "refuse",
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measured:
    """Measure runs by qrels: one score matrix, topics x systems, for each measure.

    Documents are ordered as in trec_eval: by descending score in single precision, and equal scores
    by descending document id. The scores are those of `ir_measures`. If it takes them from
    pytrec_eval, they are the same doubles.

    Parameters
    ----------
    runs
        A run, a list of runs, or runs by the names of systems, ``{"bm25": "a.run", "x": run}``. A
        run is a file or the result of `read_run`, which has the name of its run id. Or it has
        scores in memory: a dictionary ``{"301": {"d7": 2.5}}`` as pytrec_eval takes it, a ``Run``
        of ranx, records such as ``ScoredDoc`` of ir_measures, or a data frame with columns of
        topics, documents and scores, such as ``query_id``, ``doc_id`` and ``score``, and perhaps
        of systems.
    qrels
        A file, the result of `read_qrels`, or relevance in memory, in the same forms:
        ``{"301": {"d7": 1}}``, ``Qrels`` of ranx, ``Qrel`` of ir_measures, a data frame.
    measures
        Measures of ir_measures, by name, such as ``AP``, ``nDCG@20`` and ``P(rel=2)@10``, or as
        objects, such as ``ir_measures.AP @ 10``. Also, by name, measures of Webber, Moffat and
        Zobel (2008): ``SP``, ``DCG``, ``nDCG(b=2)``, ``VDCG``, ``nVDCG``, ``RBP(p=0.95)``,
        ``nRBP(p=0.95)`` and ``nP@10``; see `cdfscore.trec.measures`.
    missing_topics
        The policy for judged topics that a run lacks. ``refuse``: an error. ``omit``: the score is
        missing, as in trec_eval, which averages over the other topics; topics that all runs lack
        are omitted. ``zero``: the score is 0, as with ``trec_eval -c``.
    executor
        An executor that measures one run at a time. A ProcessPoolExecutor uses several cores.
        Threads do not, because pytrec_eval keeps the interpreter's lock.
    progress
        A function that is called with the number of measured runs and the number of all runs.

    Returns
    -------
    Measured
        The matrices, with topics in the order of the qrels. Topics of the runs that are not judged
        are omitted, and a note counts them.

    Raises
    ------
    RunError
        For the errors of `read_run` and `read_qrels`, also in memory, with topic and document; for
        several runs without names, or two with the same name; for a run without a judged topic,
        and, under ``refuse``, for a run that lacks a judged topic.
    MeasureError
        For an unknown measure or setting, and if the program that computes a measure fails.
    MissingDependencyError
        If ir_measures or pytrec_eval is not installed.

    Warns
    -----
    CdfscoreWarning
        If the ranks in a file contradict the scores, or if equal scores have another order than
        their ranks; if no document of a run is judged; if a measure is not defined on a topic; and
        if a topic has no relevant document, so that all scores are 0.

    Examples
    --------
    >>> from cdfscore.trec import measure
    >>> run = {"301": {"d7": 2.5, "d2": 1.5}, "302": {"d2": 9.0}}
    >>> measured = measure({"bm25": run}, {"301": {"d2": 1}, "302": {"d2": 2}}, ["AP", "P@10"])
    >>> measured["AP"]
           bm25
    topic
    301     0.5
    302     1.0
    """
    given = runs_given(runs)
    return measure_named(
        given.runs,
        qrels,
        measures,
        missing_topics=missing_topics,
        executor=executor,
        progress=progress,
        notes=given.notes,
    )


def measure_named(
    runs: Sequence[NamedRun],
    qrels: AnyQrels,
    measures: AnyMeasures,
    *,
    missing_topics: MissingTopics,
    executor: Executor | None,
    progress: Callable[[int, int], None] | None,
    notes: Sequence[str] = (),
) -> Measured:
    """Measure runs as `measure` does, each with the name of its system, or None for the run id.

    `notes` are sentences on how the runs were given.
    """
    check_policy(missing_topics)
    parsed = parse_measures(measures)
    judged = qrels_given(qrels)
    found = list(_measured(runs, judged, tuple(parsed), executor, progress))
    _refuse_equal_names(found)
    # A topic with negative relevance only has no judged document.
    known = np.isin(judged.topics, judged.judged)
    topics = list(compress(judged.topics, known))
    values = np.stack([each.values[:, known] for each in found], axis=2)
    lacks = np.stack([each.lacks[known] for each in found], axis=1)
    values, stays, policy_notes = _after_policy(missing_topics, found, values, topics, lacks)
    known[known] = stays
    read = notes_of_files([(run.source, note) for run in found for note in run.notes], len(found))
    told = [*notes, *judged.notes, *read, *policy_notes, *unjudged(found), *below_zero(judged)]
    if any(map(is_with_base, parsed)):
        told.append(
            f"{TWO_FORMS_OF_DCG}: relevance 1 at rank 2 gives a DCG of 1 and a VDCG of 0.63"
        )
    warned = [
        *cautions({each.system: each.conflicts for each in found}),
        *without_judged(found, judged),
        *undefined(found, known, [*parsed]),
        *without_relevant(judged, known, parsed),
    ]
    everything = [*told, *warned]
    labels, systems = list(compress(topics, stays)), [each.system for each in found]
    matrices = {
        name: _matrix(block, labels, systems, everything, name)
        for name, block in zip(parsed, values, strict=True)
    }
    warn_of(warned)
    return Measured(matrices, tuple(everything))


def _measured(
    runs: Sequence[NamedRun],
    qrels: Qrels,
    names: tuple[str, ...],
    executor: Executor | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[RunScores]:
    """Measure each run, and tell the progress."""
    if executor is None:
        each = (scores_of(run, name, qrels, names) for run, name in runs)
    else:
        here = [  # standard input is of this process
            (read_run("-", name) if run == "-" else run, name) for run, name in runs
        ]
        waiting = [executor.submit(alone, scores_of, run, name, qrels, names) for run, name in here]
        each = (future.result() for future in waiting)
    for done, found in enumerate(each, start=1):
        if progress is not None:
            progress(done, len(runs))
        yield found


def _refuse_equal_names(found: Sequence[RunScores]) -> None:
    sources: dict[str, str] = {}
    for run in found:
        if run.system in sources:
            refuse_name_twice(sources[run.system], run.source, run.system, "system", "runs")
        sources[run.system] = run.source


def _matrix(
    values: Array, topics: list[str], systems: list[str], notes: list[str], measure: str
) -> pd.DataFrame:
    import pandas as pd

    index = pd.Index(topics, dtype=str, name="topic")
    frame = pd.DataFrame(values, index=index, columns=pd.Index(systems, dtype=str))
    remember(frame, notes=list(notes), measure=measure)
    return frame


def unjudged(found: Sequence[RunScores]) -> list[str]:
    """Return a sentence on the topics of the runs that the qrels lack, if there are any."""
    topics = sorted({topic for run in found for topic in run.unjudged})
    if not topics:
        return []
    having = sum(1 for run in found if run.unjudged)
    are = "is" if len(topics) == 1 else "are"
    return [
        f"{counted(len(topics), 'topic')} without judgments in the qrels {are} left out, as in "
        f"trec_eval: {listed(topics)} (in {part_of(having, len(found), 'run')})"
    ]


def without_judged(found: Sequence[RunScores], qrels: Qrels) -> list[str]:
    """Return a sentence on the runs that have no judged document, if there are any."""
    runs = [f"{run.system!r} (such as {run.unknown!r})" for run in found if run.unknown is not None]
    if not runs:
        return []
    return [
        f"no document of {part_of(len(runs), len(found), 'system')} is judged: {listed(runs)}; are "
        "the ids of the documents written as in the qrels, such as "
        f"{str(qrels.documents[0].as_py())!r}?"
    ]


def below_zero(qrels: Qrels) -> list[str]:
    """Return a sentence on the topics of the qrels without a judged document, if there are any."""
    judged = frozenset(qrels.judged)
    topics = [topic for topic in qrels.topics if topic not in judged]
    if not topics:
        return []
    are = "is" if len(topics) == 1 else "are"
    return [
        f"{counted(len(topics), 'topic')} {are} left out, because the relevance in the qrels "
        f"is below 0, which means not judged: {listed(topics)}"
    ]


def undefined(found: Sequence[RunScores], known: BoolArray, measures: Sequence[str]) -> list[str]:
    """Return a sentence on each measure that is not defined on topics that a run has."""
    sentences = []
    for i, name in enumerate(measures):
        counts = [int((np.isnan(run.values[i]) & ~run.lacks & known).sum()) for run in found]
        runs = [f"{run.system!r} ({n})" for run, n in zip(found, counts, strict=True) if n]
        if runs:
            sentences.append(
                f"{name} is not defined on some topics of {len(runs)} of {len(found)} systems, "
                f"where the scores are missing: {listed(runs)}"
            )
    return sentences


def without_relevant(qrels: Qrels, known: BoolArray, measures: Mapping[str, Measure]) -> list[str]:
    """Return a sentence on topics without relevant documents, for each meaning of relevant."""
    found = []
    for what, counts in sorted(dict(_relevant(qrels, measures)).items()):
        topics = list(compress(qrels.topics, known & (counts == 0)))
        if topics:
            have = "has" if len(topics) == 1 else "have"
            found.append(
                f"{counted(len(topics), 'topic')} {have} no document {what}, so that all systems "
                f"have the same score there: {listed(topics)}"
            )
    return found


def _relevant(qrels: Qrels, measures: Mapping[str, Measure]) -> Iterator[tuple[str, IntArray]]:
    """Yield what is relevant for each measure that depends on it, and the number in each topic."""
    for name, measure in measures.items():
        settings: dict[str, Any] = getattr(measure, "params", None) or vars(measure)
        kind = getattr(measure, "NAME", None)
        if "gains" in settings:
            yield f"with a gain above 0 by {name}", qrels.gaining(settings["gains"])
        # Accuracy is not defined on a topic without them.
        elif kind != "Accuracy" and ("rel" in settings or kind not in _OF_ANY_RELEVANCE):
            level = settings.get("rel", 1)
            yield f"of relevance {level} or more", qrels.relevant(level)


def check_policy(policy: str) -> None:
    """Raise `CdfscoreError` unless `policy` is one of `POLICIES`."""
    if policy not in POLICIES:
        raise CdfscoreError(
            f"missing_topics=... is {policy!r}{did_you_mean(str(policy), POLICIES)}; expected "
            f"{alternatives(list(POLICIES))}"
        )


def _after_policy(
    policy: MissingTopics,
    runs: Sequence[RunScores],
    values: Array,
    topics: Sequence[str],
    lacks: BoolArray,
) -> tuple[Array, BoolArray, list[str]]:
    """Return the scores after the policy, the topics that stay, and what was done.

    Parameters
    ----------
    policy
        ``refuse`` raises `RunError`; ``omit`` leaves scores missing, as trec_eval does, and
        leaves out topics that all runs lack; ``zero`` makes them 0, as ``trec_eval -c`` does.
    runs
        The runs, for messages.
    values
        Scores, (measures, topics, systems), NaN where a run lacks the topic.
    topics
        Labels of the topics.
    lacks
        True where a run lacks the topic, (topics, systems).

    Raises
    ------
    RunError
        For a run without a judged topic under any policy, and for one that lacks a topic under
        ``refuse``.
    """
    for run, absent in zip(runs, lacks.T, strict=True):
        if absent.all():
            raise RunError(
                f"{run.source} has none of the {counted(len(topics), 'judged topic')}, such as "
                f"{topics[0]!r}{_others(run)}; expected topics with the labels of the qrels"
            )
        if policy == "refuse" and absent.any():
            raise RunError(
                f"{run.source} lacks {_part(absent)}, such as {topics[int(absent.argmax())]!r}; "
                "say missing_topics='zero' for scores of 0 there, or missing_topics='omit' for "
                "missing scores"
            )
    stays = np.ones(len(topics), np.bool_)
    if not lacks.any():
        return values, stays, []
    which = [
        f"{run.system!r} ({int(absent.sum())})"
        for run, absent in zip(runs, lacks.T, strict=True)
        if absent.any()
    ]
    lack = "lacks" if len(which) == 1 else "lack"
    count = part_of(len(which), len(runs), "system")
    whose = f"judged topics that {count} {lack}: {listed(which)}"
    if policy == "zero":
        return np.where(lacks, 0.0, values), stays, [f"scores are 0 on {whose}"]
    stays = np.logical_not(lacks.all(axis=1))
    notes = []
    if not stays.all():
        are, them = ("is", "it") if np.count_nonzero(~stays) == 1 else ("are", "them")
        notes.append(f"{_part(~stays)} {are} left out, because no run has {them}")
    if lacks[stays].any():
        notes.append(f"scores are missing on {whose}")
    return values[:, stays], stays, notes


def _part(flags: BoolArray | IntArray) -> str:
    return part_of(int(np.count_nonzero(flags)), len(flags), "judged topic")


def _others(run: RunScores) -> str:
    return f", but has others, such as {run.unjudged[0]!r}" if run.unjudged else ""


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


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """Result of `measure`: a score matrix for each measure.

    Attributes
    ----------
    matrices
        The score matrix, topics x systems, of each measure, by its name.
    notes
        Sentences on topics that were omitted, and cautions.

    Examples
    --------
    >>> from cdfscore.trec import measure
    >>> run = {"301": {"d7": 2.5, "d2": 1.5}, "302": {"d2": 9.0}}
    >>> measure({"bm25": run}, {"301": {"d2": 1}, "302": {"d2": 2}}, ["AP", "P@10"])
    <Measured AP, P@10: 2 topics, 1 system>
    """

    matrices: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...]

    def __getitem__(self, measure: AnyMeasure) -> pd.DataFrame:
        """Return the score matrix of a measure, given by any of its spellings or as an object.

        Raises `MeasureError` for a measure that was not computed.
        """
        name = name_of_measure(measure)
        found = self.matrices.get(name)
        if found is None:
            found = self.matrices.get(str(parse_measure(name)))
        if found is None:
            raise MeasureError(
                f"{name!r} was not measured; expected one of {listed([*self.matrices])}"
            )
        return found

    def frame(self) -> pd.DataFrame:
        """Return all scores in long form: topic, system, measure, score; NaN if missing."""
        import pandas as pd

        first = next(iter(self.matrices.values()))
        topics, systems, names = [*first.index], [*first.columns], [*self.matrices]
        values = np.stack([each.to_numpy() for each in self.matrices.values()])
        shape = values.shape  # (measures, topics, systems)
        numbers = np.indices((shape[2], shape[1], shape[0])).reshape(3, -1)
        labels = (systems, topics, names)
        columns = {
            name: np.array(words, dtype=object)[number]
            for name, words, number in zip(
                ("system", "topic", "measure"), labels, numbers, strict=True
            )
        }
        return pd.DataFrame(
            {
                "topic": columns["topic"],
                "system": columns["system"],
                "measure": columns["measure"],
                "score": values.transpose(2, 1, 0).ravel(),
            }
        )

    def __repr__(self) -> str:
        first = next(iter(self.matrices.values()))
        shape = [counted(n, noun) for n, noun in zip(first.shape, ("topic", "system"), strict=True)]
        return f"<Measured {', '.join(self.matrices)}: {', '.join(shape)}>"
