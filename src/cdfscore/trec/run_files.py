"""Files of runs: read by pyarrow if they are tidy, else line by line."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.decimals import number
from cdfscore.io.files import source_name
from cdfscore.io.scores.cells import shown
from cdfscore.numerics.types import Array
from cdfscore.trec.content import content_of
from cdfscore.trec.lines import Columns, empty, fields_of_lines, quick_table, words_type
from cdfscore.trec.run import Run, coded, grouped, has_duplicates

_TOPIC, _DOCUMENT, _RANK, _SCORE, _RUN = "topic", "document", "rank", "score", "run id"
COLUMNS = Columns(
    kind="a run",
    example="301 Q0 FR940202-2-00150 1 2.129 bm25",
    names=(_TOPIC, "Q0", _DOCUMENT, _RANK, _SCORE, _RUN),
    other="qrels have",
    others=4,
    number=3,
)


def read_run(path: str | Path, system: str | None = None) -> Run:
    """Read a run from a file, plain or compressed by gzip or zstd.

    A line has six columns, separated by white space: topic, Q0, document, rank, score and run
    id. As in trec_eval, documents are ordered by their scores, and the ranks are not used. Columns
    after the sixth, empty lines and lines that begin with # are omitted.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. Compression is recognized by the first bytes.
    system
        The name of the system. If it is None, the run id is the name. Then all lines must have the
        same run id.

    Returns
    -------
    Run
        Topics in the order of their first lines.

    Raises
    ------
    RunError
        With file and line: for another number of columns, for a score that is not a finite number,
        for the same document twice in a topic, and for different run ids. Also for text that is not
        UTF-8, and for an empty or damaged file.
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

    types = {_TOPIC: words_type(), _DOCUMENT: pa.string(), _RANK: pa.float64(), _RUN: words_type()}
    types[_SCORE] = pa.float64()
    # Ranks are numbers, or words.
    table = quick_table(content, COLUMNS, types, {**types, _RANK: pa.string()})
    if table is None or not len(table):
        return None
    scores = table[_SCORE].to_numpy()
    names, _ = coded(table[_RUN])
    if not np.isfinite(scores).all() or (system is None and len(names) > 1):
        return None
    topics, codes = coded(table[_TOPIC])
    documents = table[_DOCUMENT].combine_chunks().dictionary_encode()
    if has_duplicates(codes, documents):
        return None
    ranks = _numbers(table[_RANK].combine_chunks())
    name = names[0] if system is None else system
    return grouped(name, source, topics, codes, documents, scores, ranks)


def _numbers(words: Any) -> Array:
    """Return ranks as numbers, or NaN for all if a word is not a number."""
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
        pa.array(documents, pa.string()).dictionary_encode(),
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
