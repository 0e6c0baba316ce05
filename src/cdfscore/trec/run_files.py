"""Files of runs: read by pyarrow if they are tidy, else line by line; and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.errors import OutputError, RunError
from cdfscore.io.files import lines_in, source_name
from cdfscore.io.scores.cells import shown
from cdfscore.io.scores.reading import stem_of
from cdfscore.io.tables import spelled
from cdfscore.io.text import number
from cdfscore.numerics.types import Array
from cdfscore.threads import in_threads
from cdfscore.trec.lines import (
    Columns,
    columns_of_lines,
    first_line,
    quick_table,
    under_names,
    without_comments,
    words_type,
)
from cdfscore.trec.records import SCORE, Records, checked, records_of_table
from cdfscore.trec.run import Run, coded, grouped, has_duplicates

_TOPIC, _DOCUMENT, _RANK, _SCORE, _RUN = "topic", "document", "rank", "score", "run id"
COLUMNS = Columns(
    kind="a run",
    example="301 Q0 FR940202-2-00150 1 2.129 bm25",
    names=(_TOPIC, "Q0", _DOCUMENT, _RANK, _SCORE, _RUN),
    other="qrels have",
    others=4,
    number=4,
    is_number=lambda text: number(text) is not None,
    headers=("query_id", "q0", "doc_id", "rank", "score", "run"),
)
# As the runs of MS MARCO: topic, document and rank, and perhaps the score.
_THREE = rb"(?m)^[ \t]*(\S+)[ \t]+(\S+)[ \t]+([1-9][0-9]*)"
_RANKED = re.compile(_THREE + rb"[ \t]*$")
_SCORED = re.compile(_THREE + rb"[ \t]+(-?[\d.]\S*)[ \t]*$")
# What separates columns for trec_eval and for `read_run`.
_SPACE = re.compile(r"[ \t\n\r\v\f]")
_SPACED = " "
# The mark of UTF-8, which readers leave out.
_MARK = "\ufeff"
# Number of lines that are made at a time; bounds the memory.
_BLOCK = 1 << 15


def read_run(path: str | Path, system: str | None = None) -> Run:
    """Read a run from a file, plain or compressed by gzip or zstd.

    A line has six columns, separated by white space or by tabs: topic, Q0, document, rank, score
    and run id. As in trec_eval, documents are ordered by their scores, and the ranks are not used.
    Or the first line names the columns, such as query_id, doc_id and score; or each line has topic,
    document and rank, as of MS MARCO, and the score is minus the rank. Empty lines are omitted, and
    so are lines that begin with # and are no record. `Run.notes` tells of all this.

    Parameters
    ----------
    path
        The file; ``-`` is standard input. Compression is recognized by the first bytes.
    system
        The name of the system. If it is None, the run id is the name, or the name of a file without
        run ids. Then all lines must have the same run id.

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

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("301 Q0 d7 1 2.5 bm25\\n301 Q0 d2 2 1.5 bm25\\n302 Q0 d2 1 9 bm25\\n")
    >>> read_run(path)
    <Run 'bm25': 2 topics, 3 documents>
    """
    source, name = source_name(path), system
    content, notes = lines_in(path, RunError, "a run or qrels")
    if by_system := records_of_table(source, content, SCORE, of_one=system is not None):
        if len(by_system) > 1:
            names = " and ".join(shown(str(each)) for each in [*by_system][:2])
            raise RunError(
                f"{source} has the run ids {names}; expected the same in all lines, or a file for "
                "each run"
            )
        ((own, records),) = by_system.items()
        if name is None and own is None:
            name = _named_as_file(source, path, notes)
        return replace(run_of_records(name or own or "", source, records), notes=tuple(notes))
    ranked, width, first = 0, 3, first_line(content)  # records of three columns, or of four
    scored = _SCORED.fullmatch(first)
    if _RANKED.fullmatch(first) or (scored and scored[2] not in (b"0", b"Q0")):  # as of qrels
        if name is None:
            name = _named_as_file(source, path, notes)
        has = "document and rank, as of MS MARCO, and no score: it is minus the rank"
        if scored:
            has, width = "document, rank and score, and neither Q0 nor a run id", 4
            content, ranked = _SCORED.subn(rb"\1 Q0 \2 \3 \4 x", content)
        else:
            content, ranked = _RANKED.subn(rb"\1 Q0 \2 \3 -\3 x", content)
        notes.append(f"{source}: lines have topic, {has}")
    content, comments = without_comments(source, content, COLUMNS)
    run = _quickly(source, content, name) or _exactly(source, content, name)
    if ranked:
        _refuse_other_ranks(run, ranked, width)
    notes += comments
    return replace(run, notes=tuple(notes)) if notes else run


def _named_as_file(source: str, path: str | Path, notes: list[str]) -> str:
    """Return the name of a run without a run id, and add the note on it."""
    name = stem_of(path)
    if name is None:
        raise RunError(f"{source} does not name its system; expected a name, as in NAME=-")
    notes.append(f"{source}: no system is named, and its name is taken from the file: {name}")
    return name


def _refuse_other_ranks(run: Run, ranked: int, width: int) -> None:
    """Raise `RunError` unless all records are `ranked`, by ranks that begin with 1 and ascend."""
    if ranked != len(run.ranks):
        raise RunError(
            f"{run.source} has lines of {width} and of {len(COLUMNS.names)} columns; expected the "
            "same in every line"
        )
    begins = np.zeros(len(run.ranks), np.bool_)
    begins[run.starts[:-1]] = True
    steps = np.diff(run.ranks, prepend=0)
    bad = np.where(begins, run.ranks != 1, steps <= 0)
    if bad.any():
        topic = run.topics[int(np.searchsorted(run.starts, bad.argmax(), side="right")) - 1]
        raise RunError(
            f"{run.source} has lines of {width} columns, and the third is no rank on topic "
            f"{topic!r}: it does not begin with 1 and ascend; expected topic, document and rank, "
            f"as of MS MARCO, or {len(COLUMNS.names)} columns: {', '.join(COLUMNS.names)}"
            + under_names(COLUMNS, ["1"] * width, _SPACED)
        )


def run_of_records(system: str, source: str, records: Records) -> Run:
    """Return a run from records; raises `RunError` with the place of one that is refused."""
    topics, codes, documents, scores = checked(source, records, SCORE)
    ranks = records.ranks
    if ranks is None or np.isnan(ranks).any():
        ranks = np.full(len(scores), np.nan)
    return grouped(system, source, topics, codes, documents, scores, ranks)


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

    lines, (topics, _, documents, ranks, scores, names) = columns_of_lines(source, content, COLUMNS)
    for line, name in zip(lines, names, strict=True):
        if system is None and name != names[0]:
            raise RunError(
                f"{source} has the run ids {shown(names[0])} in line {lines[0]} and {shown(name)} "
                f"in line {line}; expected the same in all lines, or a file for each run"
            )
    numbers = _numbers(pa.array(ranks, pa.string()))
    records = Records(topics, documents, scores, numbers, lines)
    return run_of_records(names[0] if system is None else system, source, records)


def encode_run(run: Run) -> Iterator[bytes]:
    """Return the lines of a run as bytes, in blocks.

    Documents are in the order of the run, with ranks from 1. Scores have enough digits to be read
    back as the same double.

    Raises
    ------
    OutputError
        For a label that is empty or has a space, because a space ends a column; and for a topic
        that is # (a comment) or begins with a byte order mark.

    Examples
    --------
    >>> from cdfscore.merging import merge
    >>> merged = merge({"a": {"301": {"d1": 3.0, "d2": 1.0}}, "b": {"301": {"d7": 0.5, "d9": 0.0}}})
    >>> print(b"".join(encode_run(merged.run)).decode(), end="")
    301 Q0 d7 1 1.0 merged
    301 Q0 d1 2 1.0 merged
    301 Q0 d9 3 0.0 merged
    301 Q0 d2 4 0.0 merged
    """
    check_labels(run.system, run.topics, run.documents.dictionary)
    return lines_of(run)


def check_labels(system: str, topics: Iterable[str], ids: Any) -> None:
    """Raise `OutputError` for a label that `encode_run` refuses."""
    import pyarrow.compute as pc

    for kind, labels in (("run id", [system]), ("topic", topics)):
        for label in labels:
            if not label or _SPACE.search(label):
                raise _refused(kind, label)
    for label in topics:
        if label == "#" or label.startswith(_MARK):  # a comment
            raise OutputError(
                f"the topic {label!r} begins with {label[0]!r}, so that a reader would not find "
                "this label; expected another name"
            )
    bad = ids.filter(pc.match_substring_regex(ids, f"{_SPACE.pattern}|^$"))
    if len(bad):
        raise _refused("document", bad[0].as_py())


def lines_of(run: Run) -> Iterator[bytes]:
    """Yield the lines of a run whose labels have been checked."""
    import pyarrow as pa
    import pyarrow.compute as pc

    topics = pa.array([f"{topic} Q0" for topic in run.topics], pa.string())

    def lines_from(start: int) -> bytes:
        end = min(start + _BLOCK, len(run.scores))
        topic = np.searchsorted(run.starts, np.arange(start, end), side="right") - 1
        columns = [
            topics.take(pa.array(topic)),
            run.documents[start:end].dictionary_decode(),
            pc.cast(pa.array(np.arange(start, end) - run.starts[topic] + 1), pa.string()),
            spelled(run.scores[start:end], ""),
        ]
        rows = pc.binary_join_element_wise(*columns, f"{run.system}\n", " ")
        content: bytes = pa.concat_arrays([rows]).buffers()[2].to_pybytes()
        return content

    yield from in_threads(lines_from, range(0, len(run.scores), _BLOCK))


def _refused(kind: str, label: str) -> OutputError:
    return OutputError(
        f"the {kind} {label!r} is empty or has a space, which ends a column of a run; expected a "
        "word"
    )
