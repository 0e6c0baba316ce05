"""Runs: the documents that a system returned for each topic, with their scores."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.decimals import number
from cdfscore.io.files import source_name
from cdfscore.io.scores.cells import shown
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array, IntArray
from cdfscore.trec.content import content_of
from cdfscore.trec.lines import Columns, empty, fields_of_lines, quick_table

_TOPIC, _DOCUMENT, _RANK, _SCORE, _RUN = "topic", "document", "rank", "score", "run id"
COLUMNS = Columns(
    kind="a run",
    example="301 Q0 FR940202-2-00150 1 2.129 bm25",
    names=(_TOPIC, "Q0", _DOCUMENT, _RANK, _SCORE, _RUN),
    other="qrels have",
    others=4,
    number=3,
)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """What a system returned: documents and scores of each topic, as the file has them.

    Attributes
    ----------
    system
        Name of the system: the run id of the file, unless another was given.
    source
        Name of the file, for messages.
    topics
        Labels of the topics, in the order of the file.
    starts
        Where the documents of each topic begin, and where the last end, (topics + 1,).
    documents
        Their ids, a pyarrow array of strings.
    scores
        Their scores, float64.
    ranks
        Their ranks as the file says, which no measure uses; NaN where it says none.
    """

    system: str
    source: str
    topics: tuple[str, ...]
    starts: IntArray
    documents: Any
    scores: Array
    ranks: Array

    def __repr__(self) -> str:
        topics, documents = len(self.topics), len(self.scores)
        size = f"{counted(topics, 'topic')}, {counted(documents, 'document')}"
        return f"<Run {self.system!r}: {size}>"

    def named(self, system: str) -> Run:
        """Return the run under another name of the system."""
        return replace(self, system=system)

    def first(self, count: int) -> Run:
        """Return the first documents of the run; later topics have none."""
        return replace(
            self,
            starts=np.minimum(self.starts, count),
            documents=self.documents[:count],
            scores=self.scores[:count],
            ranks=self.ranks[:count],
        )


def read_run(path: str | Path, system: str | None = None) -> Run:
    """Read a run, plain or compressed by gzip or zstd; ``-`` is standard input.

    A line has six columns, separated by white space: topic, Q0, document, rank, score and run
    id. As in trec_eval, documents are ordered by their scores and the ranks are not used; columns
    after the sixth, empty lines and lines that begin with # are left out.

    Parameters
    ----------
    path
        The file. Compression is known by the first bytes.
    system
        Name of the system. If it is not given, the run id is, which must be the same in all
        lines.

    Returns
    -------
    Run
        Topics in the order of their first lines.

    Raises
    ------
    RunError
        With file and line: for another number of columns, a score that is not a finite number,
        a document that a topic has twice, different run ids, text that is not UTF-8, a file that
        is empty or damaged.
    MissingDependencyError
        For zstd, if zstandard is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("301 Q0 d7 1 2.5 bm25\\n301 Q0 d2 2 1.5 bm25\\n302 Q0 d2 1 9 bm25\\n")
    >>> read_run(path)
    <Run 'bm25': 2 topics, 3 documents>
    """
    source, content = source_name(path), content_of(path)
    found = _quickly(source, content, system)
    return _exactly(source, content, system) if found is None else found


def _quickly(source: str, content: bytes, system: str | None) -> Run | None:
    """Read a file without line numbers; None if it has a defect."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = dict.fromkeys((_TOPIC, _DOCUMENT, _RANK, _RUN), pa.string())
    table = quick_table(content, COLUMNS, {**words, _SCORE: pa.float64()})
    if table is None or not len(table):
        return None
    scores = table[_SCORE].to_numpy()
    names = pc.unique(table[_RUN])
    if not np.isfinite(scores).all() or (system is None and len(names) > 1):
        return None
    topics, codes = coded(table[_TOPIC])
    documents = table[_DOCUMENT].combine_chunks()
    if has_duplicates(codes, documents):
        return None
    ranks = _numbers(table[_RANK].combine_chunks())
    name = names[0].as_py() if system is None else system
    return grouped(name, source, topics, codes, documents, scores, ranks)


def coded(column: Any) -> tuple[list[str], IntArray]:
    """Return the different words of a column, first come first, and the number of each cell's."""
    import pyarrow.compute as pc

    words = pc.unique(column)
    codes = pc.index_in(column, value_set=words).to_numpy()
    return words.to_pylist(), codes.astype(np.int64)


def has_duplicates(topics: IntArray, documents: Any) -> bool:
    """Tell whether a topic has a document twice."""
    codes = documents.dictionary_encode()
    pairs = topics * len(codes.dictionary) + codes.indices.to_numpy()
    pairs.sort()
    return bool((pairs[1:] == pairs[:-1]).any())


def _numbers(words: Any) -> Array:
    """Return ranks as numbers, NaN for all if a word is none: such a column has no ranks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return np.asarray(pc.cast(words, pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowException:
        return np.full(len(words), np.nan)


def _exactly(source: str, content: bytes, system: str | None) -> Run:
    """Read a file line by line; raises `RunError` with the line of a defect."""
    import pyarrow as pa

    labels: list[str] = []
    documents: list[str] = []
    ranks: list[str] = []
    scores: list[float] = []
    lines: dict[tuple[str, str], int] = {}
    name, first = system, 0
    for line, fields in fields_of_lines(source, content, COLUMNS):
        topic, _, document, rank, score, run = fields[: len(COLUMNS.names)]
        if len(fields) > len(COLUMNS.names) and number(rank) is None:
            raise RunError(
                f"{source}, line {line} has {len(fields)} columns, and its rank {shown(rank)} is "
                f"not a number; expected {len(COLUMNS.names)} columns, and no spaces within them"
            )
        if name is None:
            name, first = run, line
        elif system is None and run != name:
            raise RunError(
                f"{source} has the run ids {shown(name)} in line {first} and {shown(run)} in line "
                f"{line}; expected the same in all lines, or a file for each run"
            )
        earlier = lines.setdefault((topic, document), line)
        if earlier != line:
            raise RunError(
                f"{source}, line {line}: topic {shown(topic)} has document {shown(document)} "
                f"already in line {earlier}; expected each document once"
            )
        labels.append(topic)
        documents.append(document)
        ranks.append(rank)
        scores.append(_score(source, line, score))
    if name is None or not labels:
        raise empty(source, COLUMNS)
    topics, codes = coded(pa.array(labels, pa.string()))
    return grouped(
        name,
        source,
        topics,
        codes,
        pa.array(documents, pa.string()),
        np.array(scores),
        _numbers(pa.array(ranks, pa.string())),
    )


def _score(source: str, line: int, text: str) -> float:
    """Read a score; raises `RunError` with its line unless it is a finite number."""
    value = number(text)
    if value is None or not math.isfinite(value):
        what = "is not a number" if value is None else "is not finite"
        raise RunError(
            f"{source}, line {line}: the score {shown(text)} {what}; expected one such as 12.5"
        )
    return value


def grouped(
    system: str,
    source: str,
    topics: Iterable[str],
    codes: IntArray,
    documents: Any,
    scores: Array,
    ranks: Array,
) -> Run:
    """Return a run with the documents of each topic one after another, each in their order."""
    labels = tuple(topics)
    if (np.diff(codes) < 0).any():
        order = np.argsort(codes, kind="stable")
        documents, scores, ranks = documents.take(order), scores[order], ranks[order]
    sizes = np.bincount(codes, minlength=len(labels))
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return Run(system, source, labels, starts, documents, scores, ranks)
