"""Rows in any order, sorted by topic out of core: each block of topics has a file of its rows.

Topics are numbered in order of first appearance, and a block has some that follow one another. The
rows of a block keep their order, so that they are put back in the order of the file without a sort.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.errors import OutputError
from cdfscore.io.scores.parquet.long import LongFile, RowsOfTopics, topics_of_block
from cdfscore.numerics.types import Array, BoolArray, IntArray

_ROW = np.dtype([("topic", np.int32), ("system", np.int32), ("score", np.float64)])
_CODES = np.dtype([("topic", np.int32), ("system", np.int32)])


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Raise `OutputError`, which names the target, for what cannot be written beside it."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{target} cannot be written: {error.strerror or error}, in the folder of rows beside "
            "it, which takes 24 bytes a row"
        ) from error


class Partition:
    """The rows of a file by blocks of topics, in files in a folder.

    Raises `OutputError`, which names `target`, where these cannot be written.
    """

    def __init__(self, file: LongFile, folder: Path, target: Path) -> None:
        self._file, self._folder, self._target = file, folder, target
        self._codes = folder / "codes"
        topics: dict[str, int] = {}
        systems: dict[str, int] = {}
        with writing(target), self._codes.open("wb") as stream:
            for row, batch in file.batches([file.topic_column, file.system_column]):
                own = np.empty(batch.num_rows, dtype=_CODES)
                for name, place, coded in zip(
                    _CODES.names or (), (topics, systems), file.coded(batch, row), strict=True
                ):
                    numbers = list(map(place.get, coded.names))
                    if None in numbers:
                        numbers = [place.setdefault(each, len(place)) for each in coded.names]
                    own[name] = np.array(numbers, dtype=np.int32)[coded.codes]
                stream.write(own.data)
        self.topics, self.systems = list(topics), list(systems)
        self._kept = np.ones(len(self.topics), dtype=np.bool_)
        self._step = 0

    def blocks(self, scores: int) -> Iterator[RowsOfTopics]:
        """Yield the rows of some topics, about so many scores, in the order of the file."""
        self._step = topics_of_block(len(self.systems), scores)
        for codes, batch in self._batches([self._file.score_column]):
            rows = np.empty(len(codes), dtype=_ROW)
            rows["topic"], rows["system"] = codes["topic"], codes["system"]
            rows["score"] = self._file.scores(batch)
            for block, own in self._by_block(codes["topic"]):
                with writing(self._target), self._path("rows", block).open("ab") as stream:
                    stream.write(rows[own].data)
        for start in range(0, len(self.topics), self._step):
            path = self._path("rows", start // self._step)
            topics = self.topics[start : start + self._step]
            # Of more rows than cells, one is there twice, which is refused.
            found = np.fromfile(path, dtype=_ROW, count=len(topics) * len(self.systems) + 1)
            path.unlink()
            yield RowsOfTopics(
                topics,
                found["topic"].astype(np.int64) - start,
                found["system"].astype(np.int64),
                np.ascontiguousarray(found["score"]),
            )

    def put(self, block: int, scores: Array, kept: BoolArray) -> None:
        """Take the standardized scores of the rows of a block, and which of its topics are kept."""
        with writing(self._target):
            self._path("y", block).write_bytes(scores.data)
        start = block * self._step
        self._kept[start : start + len(kept)] = kept

    def restored(self) -> Iterator[tuple[Any, Array, BoolArray]]:
        """Yield the rows of the file, their standardized scores, and which of them are kept."""
        taken = np.zeros(-(-len(self.topics) // self._step), dtype=np.int64)
        for codes, batch in self._batches(None):
            scores = np.empty(len(codes))
            for block, own in self._by_block(codes["topic"]):
                path, offset = self._path("y", block), int(taken[block]) * 8
                scores[own] = np.fromfile(path, dtype=np.float64, count=len(own), offset=offset)
                taken[block] += len(own)
            yield batch, scores, self._kept[codes["topic"]]

    def _batches(self, columns: list[str] | None) -> Iterator[tuple[Any, Any]]:
        """Yield the numbers of topics and systems of each batch, and the batch."""
        with self._codes.open("rb") as stream:
            for _, batch in self._file.batches(columns):
                yield np.fromfile(stream, dtype=_CODES, count=batch.num_rows), batch

    def _by_block(self, topics: Any) -> Iterator[tuple[int, IntArray]]:
        """Yield the blocks that some rows are of, with the rows of each in their order."""
        blocks = topics // self._step
        # Numbers of 16 bits are sorted in linear time.
        order = np.argsort(
            blocks.astype(np.uint16) if blocks.max() < 1 << 16 else blocks, kind="stable"
        )
        starts = np.flatnonzero(np.diff(blocks[order], prepend=-1))
        for own in np.split(order, starts[1:]):
            yield int(blocks[own[0]]), own

    def _path(self, kind: str, block: int) -> Path:
        return self._folder / f"{kind}-{block}"
