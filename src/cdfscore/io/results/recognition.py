"""What a text file of scores is, by its first line."""

from __future__ import annotations

import re
from collections.abc import Callable

from cdfscore.errors import ScoresError
from cdfscore.io.content import refuse_others
from cdfscore.io.decimals import number
from cdfscore.io.results.dictionaries import WideRecords, read_json
from cdfscore.io.results.names import NO_SCORES, is_measure
from cdfscore.io.results.results import SUMMARY, Results
from cdfscore.io.results.table import columns_of_text, read_table
from cdfscore.io.results.trec_eval import is_printed, read_ir_measures, read_trec_eval
from cdfscore.io.scores.delimited import EXPECTED
from cdfscore.io.scores.how import How
from cdfscore.io.scores.labels import HEADERS, heads
from cdfscore.spelling import argument, option

#: Takes source, content, settings, and the name of the system if the file names none.
Reader = Callable[[str, bytes, How, str | None], Results | WideRecords]


def reader_of(source: str, content: bytes, how: How) -> Reader | None:
    """Return what reads a file with a row a score; None for a file with a column a system.

    Raises `ScoresError` for output of trec_eval or ir_measures without the topics.
    """
    if content[:64].lstrip()[:1] in (b"{", b"["):
        return read_json
    refuse_others(source, content, ScoresError, EXPECTED)
    if is_printed(content):
        return read_trec_eval
    line = re.split(rb"[\r\n]", content, maxsplit=1)[0].decode(errors="replace")
    _refuse_runs(source, line)
    fields = line.split("\t")
    if len(fields) == 1 and "," not in line:
        fields = line.split()
    if len(fields) == 3:
        first, second, third = (field.strip() for field in fields)
        if first in NO_SCORES and not _heads_systems(first, second):
            return read_trec_eval
        if number(third) is not None:
            known = is_measure(first) != is_measure(second)
            if known or not _is_header(first, second, how):
                return _by_measure(source, first, second, how)
    if len(fields) == 2 and is_measure(fields[0]) and number(fields[1]) is not None:
        raise ScoresError(
            f"{source} has one number for each measure, as the output of ir_measures without -q; "
            "expected a row for each topic, as with -q"
        )
    return None if columns_of_text(source, content, how) is None else read_table


def _heads_systems(first: str, second: str) -> bool:
    """Tell whether the first field is a header of systems, as runid is in tables."""
    return heads("system", first) and second != SUMMARY


def _refuse_runs(source: str, line: str) -> None:
    """Raise `ScoresError` for a first line of a run or of qrels, which are to be measured."""
    fields = line.split()
    if len(fields) >= 6 and fields[1].upper() == "Q0" and number(fields[4]) is not None:
        what = "a run (topic, Q0, document, rank, score, run id)"
    elif (
        len(fields) == 4
        and fields[1].upper() in ("0", "Q0")
        and _is_whole(fields[3])
        and not any(heads(role, fields[0]) for role in HEADERS)  # as of systems 0, 1 and 2
    ):
        what = "a file of qrels (topic, 0, document, relevance)"
    else:
        return
    raise ScoresError(
        f"{source} is {what} and has no scores of topics; compute the scores of runs by 'cdfscore "
        "measure RUN --qrels QRELS --measure AP', or by cdfscore.trec.measure in Python"
    )


def _is_whole(field: str) -> bool:
    value = number(field)
    return value is not None and value.is_integer()


def _is_header(first: str, second: str, how: How) -> bool:
    """Tell whether a first line is a header that ends in a number, or has numbers alone."""
    said = how.topic_column is not None or how.systems_as_rows is not None
    numbers = number(first) is not None and number(second) is not None
    return said or numbers or not first or any(heads(role, first) for role in HEADERS)


def _by_measure(source: str, first: str, second: str, how: How) -> Reader:
    """Return the reader of lines whose first or second field is a measure.

    Raises `ScoresError` if no name, or each, is known, until the user names the measure.
    """
    outside, inside = is_measure(first), is_measure(second)
    if outside == inside and how.measure is not None:
        outside, inside = first == how.measure, second == how.measure
    if outside == inside:
        raise ScoresError(
            f"{source}, line 1 does not say whether {first!r} or {second!r} is a measure, as of "
            "trec_eval -q or ir_measures -q; say which one by "
            f"{argument('measure', first)} or {argument('measure', second)}, or, if it is a "
            f"header, name the column of labels by {option('topic_column')}"
        )
    return read_trec_eval if outside else read_ir_measures
