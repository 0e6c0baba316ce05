"""Runs: the documents that a system returned for each topic, with their scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from cdfscore.errors import RunError
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array, IntArray

# Pairs of a topic and a document are ticked off if there can be so few, 16 MiB; sorting them takes
# five times as long.
_TICKS = 1 << 24


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Run: the documents that a system returned for each topic, with their scores.

    Documents are in the order of the file.

    Attributes
    ----------
    system
        Name of the system: the run id of the file, unless another name was given.
    source
        Name of the file, for messages.
    topics
        Labels of the topics, in the order of the file.
    starts
        Index of the first document of each topic, and the number of all documents, (topics + 1,).
    documents
        Their ids, a pyarrow array of strings that is coded as a dictionary.
    scores
        Their scores, float64.
    ranks
        Their ranks in the file, NaN without ranks. No measure uses them.
    notes
        Sentences on how the file was read: lines that were left out, and what stands for scores.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cdfscore.trec import read_run
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("301 Q0 d7 1 2.5 bm25\\n301 Q0 d2 2 1.5 bm25\\n302 Q0 d2 1 9 bm25\\n")
    >>> run = read_run(path)
    >>> run.topics, run.starts.tolist(), run.scores.tolist()
    (('301', '302'), [0, 2, 3], [2.5, 1.5, 9.0])
    """

    system: str
    source: str
    topics: tuple[str, ...]
    starts: IntArray
    documents: Any
    scores: Array
    ranks: Array
    notes: tuple[str, ...] = ()

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


def refuse_name_twice(before: str, source: str, system: str, kind: str, has: str) -> NoReturn:
    """Raise `RunError` for two runs of one name; `kind` is what they are of, and what it `has`."""
    where = f"{before} and {source} have {has}"
    if before == source:
        where = f"{before} is given twice, both times as the run"
    raise RunError(
        f"{where} of the {kind} {system!r}; expected a different name for each, as in NAME=FILE on "
        "the command line or {'NAME': FILE} in Python"
    )


def coded(column: Any) -> tuple[list[str], IntArray]:
    """Return the different words of a column, first come first, and the number of each cell's."""
    import pyarrow as pa

    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if not pa.types.is_dictionary(chunked.type):
        chunked = chunked.dictionary_encode()
    chunks = chunked.unify_dictionaries().chunks
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in chunks])
    return chunks[-1].dictionary.to_pylist(), codes.astype(np.int64)


def has_duplicates(topics: IntArray, documents: Any) -> bool:
    """Tell whether a topic has a document twice; documents are coded as a dictionary."""
    pairs = topics * len(documents.dictionary) + documents.indices.to_numpy()
    most = int(pairs.max(initial=-1)) + 1
    if most <= _TICKS:
        ticked = np.zeros(most, np.bool_)
        ticked[pairs] = True
        return int(np.count_nonzero(ticked)) < len(pairs)
    pairs.sort()
    return bool((pairs[1:] == pairs[:-1]).any())


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
