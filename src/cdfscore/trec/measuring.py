"""Measurement of runs: topics x systems, by each of several measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import RunError
from cdfscore.io.text import listed
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.evaluation import RunScores, scores_of
from cdfscore.trec.measured import Measured
from cdfscore.trec.measures import parse_measures
from cdfscore.trec.missing import MissingTopics, after_policy, check_policy
from cdfscore.trec.qrels import Qrels, qrels_of, read_qrels
from cdfscore.trec.run import Run, read_run, run_of
from cdfscore.trec.ties import cautions

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.trec.measures import Measure

#: What a run is given as: what was read, a file, or scores by topic and document.
AnyRun = Run | str | Path | Mapping[str, Mapping[str, float]]
AnyRuns = Run | str | Path | Sequence[Run | str | Path] | Mapping[str, AnyRun]
NamedRun = tuple[Run | str | Path, str | None]
AnyQrels = Qrels | str | Path | Mapping[str, Mapping[str, int]]

# Without a least relevance, these count documents of any.
_OF_ANY_RELEVANCE = ("Judged", "NumRet")


def measure(
    runs: AnyRuns,
    qrels: AnyQrels,
    measures: str | Sequence[str],
    *,
    missing_topics: MissingTopics = "refuse",
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measured:
    """Measure runs against qrels: a score matrix, topics x systems, for each measure.

    Documents are ordered as by trec_eval: by descending score in single precision, equal scores
    by descending document id. The scores are those of `ir_measures`, through pytrec_eval where it
    has the measure: the same doubles.

    Parameters
    ----------
    runs
        Files, or what `read_run` returns; the run id names the system. A mapping gives other
        names, ``{"bm25": "a.run", "mine": {"301": {"d7": 2.5}}}``, where a run may also be its
        scores by topic and document.
    qrels
        A file, what `read_qrels` returns, or relevance by topic and document.
    measures
        Names as in ir_measures, such as ``AP``, ``nDCG@20`` and ``P(rel=2)@10``, and the sums of
        Webber, Moffat and Zobel (2008) that it lacks: ``SP``, ``DCG``, ``RBP(p=0.95)``,
        ``nRBP(p=0.95)`` and ``nP@10``; see `cdfscore.trec.sums`.
    missing_topics
        For judged topics that a run lacks: ``refuse`` is an error; ``omit`` leaves the score
        missing, as trec_eval does, which averages over the other topics, and leaves out topics
        that all runs lack; ``zero`` is a score of 0, as by ``trec_eval -c``.
    executor
        Measures the runs, one by one. A ProcessPoolExecutor uses several cores; threads do not,
        as pytrec_eval keeps the interpreter's lock.
    progress
        Called with the number of runs that are measured, and of all.

    Returns
    -------
    Measured
        Topics in the order of the qrels. Topics of the runs that are not judged are left out
        and counted.

    Raises
    ------
    RunError
        What `read_run` and `read_qrels` raise; two systems of one name; a run without a judged
        topic, and, under ``refuse``, one that lacks any of them.
    MeasureError
        For a measure that is not known, and where the program that measures it fails.
    MissingDependencyError
        If ir_measures or pytrec_eval is not installed.

    Warns
    -----
    CdfscoreWarning
        If the ranks in a file contradict the scores, or equal scores have another order; if no
        document of a run is judged; if a measure is not defined on a topic; if a topic has no
        relevant document, on which every score is 0.

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
    return measure_named(
        _named(runs),
        qrels,
        measures,
        missing_topics=missing_topics,
        executor=executor,
        progress=progress,
    )


def measure_named(
    runs: Sequence[NamedRun],
    qrels: AnyQrels,
    measures: str | Sequence[str],
    *,
    missing_topics: MissingTopics,
    executor: Executor | None,
    progress: Callable[[int, int], None] | None,
) -> Measured:
    """Measure runs as `measure` does, each with the name of its system, or None for the run id."""
    check_policy(missing_topics)
    parsed = parse_measures(measures)
    judged = _qrels(qrels)
    found = list(_measured(runs, judged, tuple(parsed), executor, progress))
    _refuse_equal_names(found)
    # A topic with negative relevance only has no judged document.
    known = np.isin(judged.topics, judged.judged)
    topics = list(compress(judged.topics, known))
    values = np.stack([each.values[:, known] for each in found], axis=2)
    lacks = np.stack([each.lacks[known] for each in found], axis=1)
    values, stays, notes = after_policy(missing_topics, found, values, topics, lacks)
    known[known] = stays
    notes += [*_unjudged(found), *_below_zero(judged)]
    warned = [
        *cautions({each.system: each.conflicts for each in found}),
        *_without_judged(found, judged),
        *_undefined(found, known, [*parsed]),
        *_without_relevant(judged, known, parsed),
    ]
    everything = [*notes, *warned]
    labels, systems = list(compress(topics, stays)), [each.system for each in found]
    matrices = {
        name: _matrix(block, labels, systems, everything)
        for name, block in zip(parsed, values, strict=True)
    }
    warn_of(warned)
    return Measured(matrices, tuple(everything))


def _named(runs: AnyRuns) -> list[NamedRun]:
    """Return the runs, each with the name that was given, if any."""
    found: list[NamedRun] = []
    if isinstance(runs, Run | str | Path):
        found.append((runs, None))
    elif isinstance(runs, Mapping):
        for name, run in runs.items():
            if isinstance(run, Mapping):
                found.append((run_of(str(name), run), None))
            elif isinstance(run, Run):
                found.append((run.named(str(name)), None))
            else:
                found.append((run, str(name)))
    else:
        found.extend((run, None) for run in runs)
    if not found:
        raise RunError("there is no run; expected one or more")
    return found


def _qrels(qrels: AnyQrels) -> Qrels:
    if isinstance(qrels, Mapping):
        qrels = qrels_of(qrels)
    elif not isinstance(qrels, Qrels):
        qrels = read_qrels(qrels)
    if not qrels.judged:
        raise RunError(
            f"{qrels.source} has no judged document: the relevance of all is below 0; expected 0 "
            "or more for those that were judged"
        )
    return qrels


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
        waiting = [executor.submit(scores_of, run, name, qrels, names) for run, name in here]
        each = (future.result() for future in waiting)
    for done, found in enumerate(each, start=1):
        if progress is not None:
            progress(done, len(runs))
        yield found


def _refuse_equal_names(found: Sequence[RunScores]) -> None:
    sources: dict[str, str] = {}
    for run in found:
        if run.system in sources:
            raise RunError(
                f"{sources[run.system]} and {run.source} are both of the system {run.system!r}; "
                "expected a name for each, as in bm25=FILE on the command line or "
                "{'bm25': FILE} in Python"
            )
        sources[run.system] = run.source


def _unjudged(found: Sequence[RunScores]) -> list[str]:
    """Return a sentence on the topics of the runs that the qrels lack, if there are any."""
    topics = sorted({topic for run in found for topic in run.unjudged})
    if not topics:
        return []
    having = sum(1 for run in found if run.unjudged)
    what = "1 topic" if len(topics) == 1 else f"{len(topics)} topics"
    return [
        f"{what} of {having} of {len(found)} runs left out, as by trec_eval, because the qrels "
        f"have no judgments of them: {listed(topics)}"
    ]


def _without_judged(found: Sequence[RunScores], qrels: Qrels) -> list[str]:
    """Return a sentence on the runs that have no judged document, if there are any."""
    runs = [f"{run.system!r} (such as {run.unknown!r})" for run in found if run.unknown is not None]
    if not runs:
        return []
    return [
        f"no document of {len(runs)} of {len(found)} systems is judged: {listed(runs)}; are their "
        f"ids those of the qrels, such as {str(qrels.documents[0])!r}?"
    ]


def _below_zero(qrels: Qrels) -> list[str]:
    """Return a sentence on the topics of the qrels without a judged document, if there are any."""
    judged = frozenset(qrels.judged)
    topics = [topic for topic in qrels.topics if topic not in judged]
    if not topics:
        return []
    what = "1 topic is" if len(topics) == 1 else f"{len(topics)} topics are"
    return [
        f"{what} left out, because all relevance in the qrels is below 0 there, which means not "
        f"judged: {listed(topics)}"
    ]


def _undefined(found: Sequence[RunScores], known: BoolArray, measures: Sequence[str]) -> list[str]:
    """Return a sentence on each measure that is not defined on topics that a run has."""
    sentences = []
    for i, name in enumerate(measures):
        counts = [int((np.isnan(run.values[i]) & ~run.lacks & known).sum()) for run in found]
        runs = [f"{run.system!r} ({n})" for run, n in zip(found, counts, strict=True) if n]
        if runs:
            sentences.append(
                f"{name} is not defined on some topics of {len(runs)} of {len(found)} systems, and "
                f"their scores are missing there: {listed(runs)}"
            )
    return sentences


def _without_relevant(qrels: Qrels, known: BoolArray, measures: Mapping[str, Measure]) -> list[str]:
    """Return a sentence on topics without relevant documents, for each meaning of relevant."""
    found = []
    for what, counts in sorted(dict(_relevant(qrels, measures)).items()):
        topics = list(compress(qrels.topics, known & (counts == 0)))
        if topics:
            having = "1 topic has" if len(topics) == 1 else f"{len(topics)} topics have"
            found.append(
                f"{having} no document {what}, so that all systems have the same score there: "
                f"{listed(topics)}"
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


def _matrix(values: Array, topics: list[str], systems: list[str], notes: list[str]) -> pd.DataFrame:
    import pandas as pd

    index = pd.Index(topics, dtype=str, name="topic")
    frame = pd.DataFrame(values, index=index, columns=pd.Index(systems, dtype=str))
    frame.attrs["cdfscore"] = {"notes": notes}
    return frame
