"""Runs of sources: read, ordered as by trec_eval, and cut at a depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from cdfscore.errors import SchemeError
from cdfscore.io.text import joined
from cdfscore.merging.remarks import of_absent
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.spelling import argument
from cdfscore.threads import in_threads
from cdfscore.trec.given import NamedRun, runs_given
from cdfscore.trec.ranking import Ranking
from cdfscore.trec.run import Run, refuse_name_twice
from cdfscore.trec.run_files import read_run

if TYPE_CHECKING:
    from cdfscore.trec.given import AnyRuns


class Sources(NamedTuple):
    """The lists of each source, read one after another, and notes on how they were given."""

    runs: Iterator[Run]
    notes: list[str]


def sources_of(runs: AnyRuns, depth: int | None, keep: int | None = None) -> Sources:
    """Return the first `depth` documents of each list, ordered, a run for each source.

    Raises `SchemeError` for a depth below 1, and for such a number of documents to keep, before a
    run is read; reading raises `RunError` for two sources of one name and for what cannot be read.
    """
    check_depth("depth", depth)
    check_depth("keep", keep)
    given = runs_given(runs)
    return Sources(_each(given.runs, depth), given.notes)


def read_all(
    runs: AnyRuns, depth: int | None, keep: int | None = None
) -> tuple[list[Run], list[str]]:
    """Return all lists, and notes on what was given and what is absent; raises as `sources_of`."""
    sources = sources_of(runs, depth, keep)
    found = list(sources.runs)
    told = [*sources.notes, *of_reading(found)]
    return found, [*told, *of_absent({run.system: run.topics for run in found})]


def of_reading(runs: Sequence[Run]) -> list[str]:
    """Return the notes on how the files of runs were read."""
    return joined([(run.source, note) for run in runs for note in run.notes], len(runs))


def _each(given: Sequence[NamedRun], depth: int | None) -> Iterator[Run]:
    names: dict[str, str] = {}
    for run in in_threads(partial(_top, depth), given):
        if run.system in names:
            refuse_name_twice(names[run.system], run.source, run.system, "source", "lists")
        names[run.system] = run.source
        yield run


def as_read(runs: AnyRuns) -> list[Run]:
    """Return the runs as they are given or read, in their own order, without checks of names."""
    return [
        each if isinstance(each, Run) else read_run(each, name)
        for each, name in runs_given(runs).runs
    ]


def _top(depth: int | None, given: NamedRun) -> Run:
    each, name = given
    run = each if isinstance(each, Run) else read_run(each, name)
    return Ranking.of(run).top(depth)


def check_depth(name: str, depth: int | None) -> None:
    """Raise `SchemeError` unless the depth is None or a whole number of at least 1."""
    if depth is None:
        return
    number = finite_number(depth)
    if number is None or number < 1 or not number.is_integer():
        raise SchemeError(
            f"{argument(name, depth, shown=shown)} is not accepted; expected a whole number of at "
            "least 1"
        )
