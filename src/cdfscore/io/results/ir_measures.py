"""Output of ``ir_measures QRELS RUN MEASURE... -q``: a line has a topic, a measure and a value."""

from __future__ import annotations

from cdfscore.io.results.results import Results
from cdfscore.io.results.three_columns import parse_three_columns
from cdfscore.io.scores.how import How


def read_ir_measures(source: str, content: bytes, how: How, stem: str | None) -> Results:
    """Read the output of ``ir_measures -q`` for a run; `stem` names its system."""
    columns = parse_three_columns(source, content, "topic, measure and value, as of ir_measures -q")
    return Results(
        source,
        columns.first,
        None,
        columns.second,
        columns.third,
        columns.place,
        stem,
        per_topic="the output of ir_measures with -q, which has the topics as well",
    )
