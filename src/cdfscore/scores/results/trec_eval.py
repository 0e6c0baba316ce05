"""Output of ``trec_eval -q`` and ``ir_measures -q``: lines of three fields with tabs between them.

A line of trec_eval has a measure, a topic and a value; one of ir_measures has the topic first.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from cdfscore.common.files import with_one_line_end
from cdfscore.common.text import counted, listed, number
from cdfscore.errors import ScoresError
from cdfscore.scores.cells import shown
from cdfscore.scores.delimited import decoded
from cdfscore.scores.how import How
from cdfscore.scores.labels import heads, role_of
from cdfscore.scores.results.names import NO_SCORES, is_measure
from cdfscore.scores.results.results import SUMMARY, Coded, Lines, Results, exact_rows, quick_rows
from cdfscore.stats.numerics.types import IntArray

_RUN = "runid"
# Three fields of a line, between tabs or between spaces.
_THREE = re.compile(rb"(?m)^ *(?:(\S+) *\t([^\t\n]+)\t|(\S+) +(\S+) +)([^\t\n ]+)[ \t]*$")
# trec_eval prints the measure in so many characters.
_WIDTH = 22
# A wrapper's lines before the first line of output are within so many bytes.
_BEGINNING = 1 << 16


class Printed(NamedTuple):
    """Output of a program, perhaps after lines of another: in which place the measure is."""

    measure: int
    between: bytes | None = None


def printed(content: bytes) -> Printed | None:
    """Tell which output a line near the beginning is of; no line before it is a header, with a
    tab or such a word.
    """
    content = with_one_line_end(content[:_BEGINNING])
    for found in _THREE.finditer(content):
        names = [field.decode(errors="replace").strip() for field in found.groups() if field]
        padded = found[1] is not None and found[0].find(b"\t") >= _WIDTH
        # A header of systems, such as runid in tables, is no measure.
        text = names[0] in NO_SCORES and (names[1] == SUMMARY or not heads("system", names[0]))
        known = [text or is_measure(names[0]), is_measure(names[1])]
        if padded and (not found.start() or known[0]):
            return Printed(0, b"\t")
        before = content[: found.start()].decode(errors="replace").split()
        if b"\t" in content[: found.start()] or (before and role_of(before[0]) is not None):
            return None  # below a header
        topic = names[1] if known[0] else names[0]
        is_score = "." in topic and number(topic) is not None  # of a table with another header
        if known[0] != known[1] and not is_score and (text or number(names[2]) is not None):
            return Printed(0 if known[0] else 1, None if found[1] is None else b"\t")
    return None


def read_ir_measures(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read lines of a topic, a measure and a value; `stem` names the system."""
    content, notes = _without_wrapper(source, content)
    columns = _parsed(source, content, "topic, measure and value, as of ir_measures -q")
    return Results(
        source,
        columns.labels["first"],
        None,
        columns.labels["second"],
        columns.scores,
        columns.place,
        stem,
        per_topic="the output of ir_measures with -q, which has the topics as well",
        notes=notes,
    )


def read_trec_eval(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read the output of ``trec_eval -q`` for one run, or for several one after another.

    The lines of a run end with those of the topic "all". The run id names the system, if it is
    there (``runid all bm25``); if not, `stem` names the only system.
    """
    content, notes = _without_wrapper(source, content)
    columns = _parsed(source, content, "measure, topic and value, as of trec_eval -q")
    measures, topics = columns.labels["first"], columns.labels["second"]
    blocks = _blocks(topics)
    _refuse_without_topics(columns, blocks)
    rows = np.flatnonzero(measures.are(_RUN)).tolist()
    names = {int(blocks[row]): columns.scores[row].as_py().strip() for row in rows}
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
        columns.scores,
        columns.place,
        stem,
        per_topic="the output of trec_eval with -q, which has the topics as well",
        notes=notes,
    )


def _without_wrapper(source: str, content: bytes) -> tuple[bytes, tuple[str, ...]]:
    if (form := printed(content)) is None:
        return content, ()
    lines = with_one_line_end(content).split(b"\n")
    others = [i for i, line in enumerate(lines) if line.strip() and _is_other(line, form)]
    if not others:
        return content, ()
    text = shown(lines[others[0]].decode(errors="replace").strip())
    are, which = ("s are", "lines") if len(others) > 1 else (" is", "line")
    program = "ir_measures" if form.measure else "trec_eval"
    note = (
        f"{source}: {len(others)} line{are} left out as not of {program} ({which} "
        f"{listed([str(i + 1) for i in others])}), such as {text}"
    )
    for i in others:
        lines[i] = b""
    return b"\n".join(lines), (note,)


def _is_other(line: bytes, form: Printed) -> bool:
    """Tell whether a line is of another program: without a tab, or three fields, or a measure."""
    words = line.decode(errors="replace").split()
    if form.between is None and len(words) == 3 and number(words[2]) is not None:
        return False
    name = words[min(form.measure, len(words) - 1)]
    return b"\t" not in line and not is_measure(name) and name not in NO_SCORES


def _blocks(topics: Coded) -> IntArray:
    """Return the number of the run of each line: the next begins after the lines of "all"."""
    summary = topics.are(SUMMARY)
    begins = np.zeros(len(summary), np.intp)
    begins[1:] = summary[:-1] & ~summary[1:]
    return np.cumsum(begins)


def _refuse_without_topics(columns: Lines, blocks: IntArray) -> None:
    """Raise `ScoresError` for two lines "all" of one measure in a block: the second is of a run
    that has no others, and would give its name or mean to the topics of another.
    """
    rows = np.flatnonzero(columns.labels["second"].are(SUMMARY))
    if not len(rows):
        return
    measures = columns.labels["first"]
    place = blocks[rows] * np.intp(len(measures.names)) + measures.codes[rows]
    _, first = np.unique(place, return_index=True)
    again = np.setdiff1d(np.arange(len(rows)), first)
    if not len(again):
        return
    second = again[0]
    before = int(rows[np.argmax(place == place[second])])
    measure = measures.names[measures.codes[rows[second]]]
    run = columns.scores[int(rows[second])].as_py().strip()
    which = f"run {run!r}" if measure == _RUN else "a run"
    raise ScoresError(
        f"{columns.place(int(rows[second]))}: the lines of {which} begin without its topics, as "
        f"{measure} of {SUMMARY!r} is there already, in {columns.place(before)}; expected the "
        "output of trec_eval with -q for each run"
    )


def _parsed(source: str, content: bytes, fields: str) -> Lines:
    """Parse lines of three fields, which `fields` names in messages."""
    content = with_one_line_end(content)
    if b"\t" not in content.lstrip().split(b"\n", 1)[0]:
        content = re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", content))
    columns = {"first": 0, "second": 1, "score": 2}
    quick = quick_rows(source, content, "\t", 3, columns, quotes=False)
    return quick or exact_rows(source, _split(source, content, fields), columns)


def _split(source: str, content: bytes, fields: str) -> list[tuple[int, list[str]]]:
    rows = []
    for line, text in enumerate(decoded(source, content).split("\n"), start=1):
        if not text.strip():
            continue
        cells = text.split("\t")
        if len(cells) != 3:
            several = " (two records in one line?)" if len(cells) > 4 else ""
            raise ScoresError(
                f"{source}, line {line} has {counted(len(cells), 'field')}{several}; expected 3: "
                f"{fields}"
            )
        rows.append((line, cells))
    return rows
