"""Qrels: the judged documents of each topic, with their relevance."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.files import lines_in, source_name
from cdfscore.io.text import counted
from cdfscore.numerics.types import BoolArray, IntArray
from cdfscore.trec.lines import (
    Columns,
    columns_of_lines,
    quick_table,
    without_comments,
)
from cdfscore.trec.records import LARGEST, RELEVANCE, Records, checked, records_of_table
from cdfscore.trec.run import coded, has_duplicates

_TOPIC, _DOCUMENT, _RELEVANCE = "topic", "document", "relevance"
COLUMNS = Columns(
    kind="qrels",
    example="301 0 FR940202-2-00150 1",
    names=(_TOPIC, "iteration", _DOCUMENT, _RELEVANCE),
    other="a run has",
    others=6,
    number=3,
    is_number=lambda text: RELEVANCE.of_text(text) is not None,
    headers=("query_id", "iteration", "doc_id", "relevance"),
)


class JudgmentIndex(NamedTuple):
    """Judgments by a key: the number of the topic, times that of words, plus that of the document.

    `words` are the different documents, and `keys` are sorted; `order` has their judgments.
    """

    words: Any
    keys: IntArray
    order: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgments: the judged documents of each topic, and their relevance.

    Attributes
    ----------
    source
        Name of the file, for messages.
    topics
        Labels of the topics, in the order of the file.
    codes
        Number of the topic of each judgment, from 0.
    documents
        Id of each document, a pyarrow array of strings that is coded as a dictionary.
    relevance
        Relevance of each document, int64; below 0 if trec_eval takes it as not judged.
    notes
        Sentences on lines that were left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 d2 1\\n301 0 d5 0\\n302 0 d2 2\\n")
    >>> qrels = read_qrels(path)
    >>> qrels.topics, qrels.relevance.tolist(), qrels.relevant(1).tolist()
    (('301', '302'), [1, 0, 2], [1, 1])
    """

    source: str
    topics: tuple[str, ...]
    codes: IntArray
    documents: Any
    relevance: IntArray
    notes: tuple[str, ...] = ()
    #: Tells these judgments from others, also in another process.
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        found = hashlib.blake2b(digest_size=16)
        for text in (self.topics, self.documents.to_pylist()):
            found.update("\n".join(text).encode())
        for numbers in (self.codes, self.relevance):
            found.update(np.ascontiguousarray(numbers, "<i8").data)
        object.__setattr__(self, "digest", found.hexdigest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Qrels) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        topics, judgments = len(self.topics), len(self.relevance)
        return f"<Qrels: {counted(topics, 'topic')}, {counted(judgments, 'judgment')}>"

    def relevant(self, level: int = 1) -> IntArray:
        """Count the documents of each topic whose relevance is `level` or more, (topics,)."""
        return self._counted(self.relevance >= level)

    def gaining(self, gains: Mapping[int, int]) -> IntArray:
        """Count the documents of each topic with a gain above 0, (topics,).

        `gains` has the gain of levels of relevance; the gain of others is the relevance.
        """
        levels, of_documents = np.unique(self.relevance, return_inverse=True)
        gaining = np.array([gains.get(level, level) > 0 for level in levels.tolist()])
        return self._counted(gaining[of_documents])

    def _counted(self, flags: BoolArray) -> IntArray:
        found = self.codes[flags]
        return np.bincount(found, minlength=len(self.topics)).astype(np.int64)

    @cached_property
    def judged(self) -> tuple[str, ...]:
        """Topics with a judged document; the others have negative relevance only."""
        counts = self.relevant(0)
        return tuple(t for t, n in zip(self.topics, counts.tolist(), strict=True) if n)

    @cached_property
    def index(self) -> JudgmentIndex:
        """What finds the judgment of a topic and document, made once for many runs."""
        ids = self.documents
        keys = self.codes * len(ids.dictionary) + ids.indices.to_numpy()
        order = np.argsort(keys)
        return JudgmentIndex(ids.dictionary, keys[order], order)

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Return {topic: {document: relevance}}, as ir_measures and pytrec_eval take it.

        Topics without a judged document are left out: pytrec_eval would take the levels of
        another topic for theirs.
        """
        rows: dict[str, dict[str, int]] = {topic: {} for topic in self.topics}
        of_topics = [rows[topic] for topic in self.topics]
        for code, document, relevance in zip(
            self.codes.tolist(), self.documents.to_pylist(), self.relevance.tolist(), strict=True
        ):
            of_topics[code][document] = relevance
        return {topic: rows[topic] for topic in self.judged}


def read_qrels(path: str | Path) -> Qrels:
    """Read qrels from a file, plain or compressed by gzip or zstd.

    A line has four columns, separated by white space or by tabs: topic, iteration, document and
    relevance (a whole number). The iteration is not used. Or the first line names the columns, as
    in BEIR: query-id, corpus-id, score. Empty lines are omitted, and so are lines that begin with #
    and are no record, which `Qrels.notes` counts. A document with negative relevance is not judged
    for trec_eval.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. Compression is recognized by the first bytes.

    Raises
    ------
    RunError
        With file and line: for another number of columns, for relevance that is not a whole number
        or is above 10,000, and for the same document twice in a topic. Also for text that is not
        UTF-8, and for an empty or damaged file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 d2 1\\n301 0 d5 0\\n302 0 d2 2\\n")
    >>> read_qrels(path)
    <Qrels: 2 topics, 3 judgments>
    """
    source = source_name(path)
    content, notes = lines_in(path, RunError, "a run or qrels")
    for records in records_of_table(source, content, RELEVANCE).values():
        found = qrels_of_records(source, records)
        return replace(found, notes=tuple(notes)) if notes else found
    content, comments = without_comments(source, content, COLUMNS)
    found = _quickly(source, content) or _exactly(source, content)
    notes += comments
    return replace(found, notes=tuple(notes)) if notes else found


def qrels_of_records(source: str, records: Records) -> Qrels:
    """Return qrels from records; raises `RunError` with the place of one that is refused."""
    topics, codes, documents, levels = checked(source, records, RELEVANCE)
    return Qrels(source, tuple(topics), codes, documents, levels.astype(np.int64))


def _quickly(source: str, content: bytes) -> Qrels | None:
    """Read a file without line numbers; None if it has a defect."""
    import pyarrow as pa

    types = {_DOCUMENT: pa.string(), _RELEVANCE: pa.int64()}
    table = quick_table(content, COLUMNS, types)
    if table is None or not len(table):
        return None
    relevance = table[_RELEVANCE].to_numpy()
    if (np.abs(relevance) > LARGEST).any():
        return None
    topics, codes = coded(table[_TOPIC])
    documents = table[_DOCUMENT].combine_chunks().dictionary_encode()
    if has_duplicates(codes, documents):
        return None
    return Qrels(source, tuple(topics), codes, documents, relevance)


def _exactly(source: str, content: bytes) -> Qrels:
    """Read a file line by line; raises `RunError` with the line of a defect."""
    lines, (topics, _, documents, levels) = columns_of_lines(source, content, COLUMNS)
    return qrels_of_records(source, Records(topics, documents, levels, lines=lines))
