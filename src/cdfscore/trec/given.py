"""What users give as runs and qrels: what was read, files, and what other programs have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.text import a_type, counted
from cdfscore.trec.qrels import Qrels, qrels_of_records, read_qrels
from cdfscore.trec.records import (
    RELEVANCE,
    SCORE,
    is_frame,
    is_one,
    is_record,
    name_of,
    records_of,
    records_of_frame,
)
from cdfscore.trec.run import Run
from cdfscore.trec.run_files import run_of_records

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    from cdfscore.trec.records import OfRanx, Record


class RunFile(NamedTuple):
    """The file of a run, and the name of its system, None for its run id."""

    path: str | Path
    system: str | None


if TYPE_CHECKING:
    #: Numbers of documents: by topic and document, or in records, or in columns of a data frame.
    AnyRecords = Mapping[Any, Mapping[Any, Any]] | OfRanx | Iterable[Record] | IntoFrame
    #: What a run is given as: what was read, a file, or scores of documents.
    AnyRun = Run | RunFile | str | Path | AnyRecords
    AnyRuns = AnyRun | Sequence[AnyRun] | Mapping[str, AnyRun]
    AnyQrels = Qrels | str | Path | AnyRecords

_RUNS = (
    "a file, {topic: {document: score}}, a Run of ranx, records such as ScoredDoc of ir_measures, "
    "or a data frame of query_id, doc_id and score"
)
_QRELS = (
    "a file, {topic: {document: relevance}}, a Qrels of ranx, records such as Qrel of ir_measures, "
    "or a data frame of query_id, doc_id and relevance"
)

NamedRun = tuple[Run | str | Path, str | None]

#: The name of the system of a run that has none.
_NAMELESS = "run"


class Given(NamedTuple):
    """Runs, each with the name of its system or None for its own name; and notes."""

    runs: list[NamedRun]
    notes: list[str]


def runs_given(runs: AnyRuns) -> Given:
    """Return one run, several, or several by name; raises `RunError` for other objects."""
    found: list[NamedRun]
    if isinstance(runs, Mapping) and not is_one(runs):
        found = [_named(str(name).strip(), run) for name, run in runs.items()]
    else:
        found = list(_nameless(runs))
    if not found:
        raise RunError("there is no run; expected one or more")
    without = sum(isinstance(run, Run) and not run.system for run, _ in found)
    if not without:
        return Given(found, [])
    if len(found) > 1:
        raise RunError(
            f"{without} of {counted(len(found), 'run')} do not name their system; expected a name "
            "for each, as in {'bm25': run}"
        )
    ((run, _),) = found
    assert isinstance(run, Run)
    note = f"the run does not name its system, which is called {_NAMELESS!r}"
    return Given([(run.named(_NAMELESS), None)], [note])


def qrels_given(qrels: AnyQrels) -> Qrels:
    """Return qrels with a judged document; raises `RunError` for other objects."""
    if isinstance(qrels, str | Path):
        qrels = read_qrels(qrels)
    elif not isinstance(qrels, Qrels):
        qrels = qrels_of(qrels)
    if not qrels.judged:
        raise RunError(
            f"{qrels.source}: the relevance of every document is below 0, which means not judged; "
            "expected 0 or more for judged documents"
        )
    return qrels


def _named(name: str, run: object) -> NamedRun:
    """Return a run with a name that is given."""
    if not name:
        raise RunError("a run has an empty name; expected the name of its system")
    if isinstance(run, Run):
        return run.named(name), None
    if isinstance(run, RunFile):
        return run.path, name
    return (run, name) if isinstance(run, str | Path) else (run_of(name, run), None)


def _nameless(runs: object) -> Iterator[NamedRun]:
    """Yield one run, or several, with their own names if they have any."""
    if isinstance(runs, Run | RunFile | str | Path) or is_one(runs) or not _is_list(runs):
        yield from _own_names(runs, "the run")
        return
    every = list(runs)
    if every and is_record(every[0]):
        yield from _own_names(every, "the run")
        return
    for number, run in enumerate(every, start=1):
        yield from _own_names(run, f"run {number}")


def _is_list(given: object) -> TypeGuard[Iterable[object]]:
    return isinstance(given, Iterable) and not isinstance(given, Mapping | bytes | np.ndarray)


def _own_names(run: object, source: str) -> Iterator[NamedRun]:
    """Yield a run, or those of the systems of a data frame; a system is "" if it has no name."""
    if isinstance(run, RunFile):
        yield run.path, run.system
    elif isinstance(run, Run | str | Path):
        yield run, None
    elif is_frame(run):
        for name, records in records_of_frame(source, run, SCORE).items():
            yield run_of_records(name or "", source, records), None
    else:
        yield run_of(name_of(run) or "", run, source), None


def run_of(system: str, given: object, source: str | None = None) -> Run:
    """Return the run of a system from the scores of its documents, in memory.

    Raises `RunError` for other objects, for a score that is not a finite number, for a document
    that a topic has twice, and for an empty label. `source` is for messages.
    """
    source = source or f"the run {system!r}"
    if not is_frame(given):
        records = records_of(source, given, SCORE)
        if records is None:
            raise RunError(f"{source} is {a_type(given)}; expected {_RUNS}")
        return run_of_records(system, source, records)
    by_system = records_of_frame(source, given, SCORE)
    if len(by_system) > 1:
        raise RunError(
            f"{source} has {len(by_system)} systems; expected one, or the data frame without a name"
        )
    (records,) = by_system.values()
    return run_of_records(system, source, records)


def qrels_of(given: object) -> Qrels:
    """Return qrels from the relevance of documents, in memory.

    Raises `RunError` for other objects, for relevance that is not a whole number, for a document
    that a topic has twice, and for an empty label.
    """
    source = "the qrels"
    if is_frame(given):
        (records,) = records_of_frame(source, given, RELEVANCE).values()
    else:
        found = records_of(source, given, RELEVANCE)
        if found is None:
            raise RunError(f"{source} are {a_type(given)}; expected {_QRELS}")
        records = found
    return qrels_of_records(source, records)
