"""Runs as files of TREC: topic, Q0, document, rank, score and run id in each line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from cdfscore.errors import OutputError
from cdfscore.io.decimals import spelled
from cdfscore.threads import in_threads
from cdfscore.trec.run import Run

# What separates columns for trec_eval and for `read_run`.
_SPACE = re.compile(r"[ \t\n\r\v\f]")
# The mark of UTF-8, which readers leave out.
_MARK = "\ufeff"
# Number of lines that are made at a time; bounds the memory.
_BLOCK = 1 << 15


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
