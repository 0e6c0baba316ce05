"""Runs and qrels made of what other programs have in memory, after checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.text import a_type
from cdfscore.numerics.numbers import shown
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.trec.qrels import LARGEST, WHOLE_NUMBER, Qrels
from cdfscore.trec.records import (
    RELEVANCE,
    SCORE,
    Number,
    Records,
    is_frame,
    records_of,
    records_of_frame,
)
from cdfscore.trec.run import Run, coded, grouped, has_duplicates

_RUNS = (
    "a file, {topic: {document: score}}, a Run of ranx, records such as ScoredDoc of ir_measures, "
    "or a data frame of query_id, doc_id and score"
)
_QRELS = (
    "a file, {topic: {document: relevance}}, a Qrels of ranx, records such as Qrel of ir_measures, "
    "or a data frame of query_id, doc_id and relevance"
)


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
    topics, codes, documents = _labels(source, records, RELEVANCE)
    values = _doubles(records.numbers)
    whole = (values == np.rint(values)) & (np.abs(values) <= LARGEST)  # not NaN
    _refuse(source, records, ~whole, lambda level: f"the relevance is {level}; {WHOLE_NUMBER}")
    return Qrels(source, tuple(topics), codes, documents, values.astype(np.int64))


def run_of_records(system: str, source: str, records: Records) -> Run:
    """Return the run of a system from its records, as `run_of` does."""
    topics, codes, documents = _labels(source, records, SCORE)
    scores = _doubles(records.numbers)
    _refuse(source, records, ~np.isfinite(scores), _no_score)
    ranks = records.ranks
    if ranks is None or np.isnan(ranks).any():
        ranks = np.full(len(scores), np.nan)
    return grouped(system, source, topics, codes, documents, scores, ranks)


def _labels(source: str, records: Records, number: Number) -> tuple[list[str], IntArray, Any]:
    """Return the topics, the number of that of each record, and the documents, after checks."""
    import pyarrow as pa

    if not records.topics:
        raise RunError(
            f"there is no document in {source}; expected documents by topic, each with its "
            f"{number.name}"
        )
    for kind, labels in (("topic", records.topics), ("document", records.documents)):
        if "" in labels:
            row = labels.index("")
            raise RunError(f"{_place(source, records, row)}: the {kind} has no name; expected one")
    topics, codes = coded(pa.array(records.topics, pa.string()))
    documents = pa.array(records.documents, pa.string()).dictionary_encode()
    if has_duplicates(codes, documents):
        pairs = list(zip(records.topics, records.documents, strict=True))
        first = dict(zip(reversed(pairs), range(len(pairs))[::-1], strict=True))
        row = next(i for i, pair in enumerate(pairs) if first[pair] != i)
        raise RunError(
            f"{_place(source, records, row)}: the topic has the document already; expected each "
            "once"
        )
    return topics, codes, documents


def _doubles(numbers: Sequence[Any]) -> Array:
    """Return numbers as doubles, NaN for other objects."""
    try:
        values = np.asarray(numbers)
    except ValueError:  # some are lists
        values = np.array([])
    if values.shape == (len(numbers),) and values.dtype.kind in "biuf":
        return values.astype(np.float64)
    return np.array([_double(each) for each in numbers])


def _double(number: Any) -> float:
    try:
        return float(number) if isinstance(number, Real | Decimal) else np.nan
    except OverflowError:  # of a whole number
        return np.inf
    except ValueError:  # of a signaling NaN of Decimal
        return np.nan


def _no_score(score: str) -> str:
    return f"the score {score} is not a finite number; expected one such as 12.5"


def _refuse(source: str, records: Records, bad: BoolArray, message: Callable[[str], str]) -> None:
    """Raise `RunError` for the first bad number."""
    if bad.any():
        row = int(bad.argmax())
        what = message(shown(records.numbers[row]))
        raise RunError(f"{_place(source, records, row)}: {what}")


def _place(source: str, records: Records, row: int) -> str:
    return f"{source}, topic {records.topics[row]!r}, document {records.documents[row]!r}"
