"""Runs of sources: read, ordered as by trec_eval, and cut at a depth."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from cdfscore.errors import RunError, SchemeError
from cdfscore.merging.remarks import of_absent
from cdfscore.numerics.numbers import shown
from cdfscore.spelling import argument, as_here
from cdfscore.trec.given import NamedRun, runs_given
from cdfscore.trec.ranking import Ranking
from cdfscore.trec.run import Run
from cdfscore.trec.run_files import read_run

if TYPE_CHECKING:
    from cdfscore.trec.given import AnyRuns


class SourceRuns(NamedTuple):
    """The lists of each source, and notes on them."""

    runs: list[Run]
    notes: list[str]


def source_runs(runs: AnyRuns, depth: int | None) -> SourceRuns:
    """Return the first `depth` documents of each list, ordered, a run for each source; and notes.

    Raises `RunError` for two sources of one name and for what cannot be read, `SchemeError` for a
    depth below 1.
    """
    check_depth(depth)
    given = runs_given(runs)
    found: dict[str, Run] = {}
    with ThreadPoolExecutor(os.cpu_count(), initializer=as_here()) as pool:
        ordered = list(pool.map(_top, given.runs, repeat(depth)))
    for run in ordered:
        if run.system in found:
            raise RunError(
                f"{found[run.system].source} and {run.source} are both of the source "
                f"{run.system!r}; expected a name for each, as in a=FILE on the command line or "
                "{'a': FILE} in Python"
            )
        found[run.system] = run
    return SourceRuns(ordered, [*given.notes, *of_absent(ordered)])


def _top(given: NamedRun, depth: int | None) -> Run:
    """Read a run and order it."""
    each, name = given
    run = each if isinstance(each, Run) else read_run(each, name)
    return Ranking.of(run).top(depth)


def check_depth(depth: int | None) -> None:
    """Raise `SchemeError` unless the depth is None or a whole number of at least 1."""
    if depth is not None and (isinstance(depth, bool) or depth < 1 or int(depth) != depth):
        raise SchemeError(
            f"{argument('depth', depth, shown=shown)} is not accepted; expected a whole number of "
            "at least 1"
        )
