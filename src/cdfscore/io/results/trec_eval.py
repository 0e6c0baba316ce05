"""Output of ``trec_eval -q``: a line has a measure, a topic and a value."""

from __future__ import annotations

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.results.coded import Coded
from cdfscore.io.results.results import SUMMARY, Results
from cdfscore.io.results.three_columns import ThreeColumns, parse_three_columns
from cdfscore.io.scores.how import How
from cdfscore.numerics.types import IntArray

_RUN = "runid"


def read_trec_eval(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read the output of ``trec_eval -q`` for one run, or for several one after another.

    The lines of a run end with those of the topic "all". The run id names the system, if it is
    there (``runid all bm25``); if not, `stem` names the only system. Raises `ScoresError` where the
    lines of "all" of another run follow, without its topics.
    """
    columns = parse_three_columns(source, content, "measure, topic and value, as of trec_eval -q")
    measures, topics = columns.first, columns.second
    blocks = _blocks(topics)
    _refuse_without_topics(columns, blocks)
    names = _names(columns, blocks)
    named = [names.get(block) for block in range(int(blocks[-1]) + 1)]
    systems = None
    if any(named):
        if None in named:
            place = columns.place(int(np.argmax(blocks == named.index(None))))
            raise ScoresError(
                f"{place}: the lines of a run begin, but no line has its name; expected a line "
                "'runid all NAME' for each run, or one file for each run"
            )
        systems = Coded.of([str(name) for name in named], blocks)
        _refuse_twice(systems, named, columns, blocks)
    elif len(named) > 1:
        raise ScoresError(
            f"{source} has the lines of {len(named)} runs without their names; expected a line "
            "'runid all NAME' for each run, or one file for each run"
        )
    return Results(
        source,
        topics,
        systems,
        measures,
        columns.third,
        columns.place,
        stem,
        per_topic="the output of trec_eval with -q, which has the topics as well",
    )


def _blocks(topics: Coded) -> IntArray:
    """Return the number of the run of each line: the next begins after the lines of "all"."""
    summary = topics.are(SUMMARY)
    begins = np.zeros(len(summary), np.intp)
    begins[1:] = summary[:-1] & ~summary[1:]
    return np.cumsum(begins)


def _refuse_without_topics(columns: ThreeColumns, blocks: IntArray) -> None:
    """Raise `ScoresError` for two lines "all" of one measure in a block: the second is of a run
    that has no others, and would give its name or mean to the topics of another.
    """
    rows = np.flatnonzero(columns.second.are(SUMMARY))
    if not len(rows):
        return
    measures = columns.first
    place = blocks[rows] * np.intp(len(measures.names)) + measures.codes[rows]
    _, first = np.unique(place, return_index=True)
    again = np.setdiff1d(np.arange(len(rows)), first)
    if not len(again):
        return
    second = again[0]
    before = int(rows[np.argmax(place == place[second])])
    measure = measures.names[measures.codes[rows[second]]]
    run = columns.third[int(rows[second])].as_py().strip()
    which = f"run {run!r}" if measure == _RUN else "a run"
    raise ScoresError(
        f"{columns.place(int(rows[second]))}: the lines of {which} begin without its topics, as "
        f"{measure} of {SUMMARY!r} is there already, in {columns.place(before)}; expected the "
        "output of trec_eval with -q for each run"
    )


def _names(columns: ThreeColumns, blocks: IntArray) -> dict[int, str]:
    """Return the names of the runs, by their numbers."""
    rows = np.flatnonzero(columns.first.are(_RUN))
    return {int(blocks[row]): columns.third[row].as_py().strip() for row in rows.tolist()}


def _refuse_twice(
    systems: Coded, named: list[str | None], columns: ThreeColumns, blocks: IntArray
) -> None:
    """Raise `ScoresError` for two runs of one name."""
    if len(systems.names) == len(named):
        return
    first = next(name for i, name in enumerate(named) if name in named[:i])
    places = [i for i, name in enumerate(named) if name == first]
    lines = [columns.place(int(np.argmax(blocks == i))) for i in places[:2]]
    raise ScoresError(
        f"{lines[1]}: the lines of another run {first!r} begin, after those in {lines[0]}; "
        "expected runs of different names, or one file for each run"
    )
