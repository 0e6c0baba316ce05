"""Rows in any order, sorted by topic out of core: each block of topics has a file of its rows.

Topics are numbered in order of first appearance, and a block has some that follow one another. The
rows of a block keep their order, so that they are put back in the order of the file without a sort.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.errors import OutputError
from cdfscore.io.scores.parquet.long import LongFile, RowsOfTopics
from cdfscore.numerics.types import Array, BoolArray, IntArray

_ROW = np.dtype([("topic", np.int32), ("system", np.int32), ("score", np.float64)])
_CODES = np.dtype([("topic", np.int32), ("system", np.int32)])


class Partition:
    """The rows of a file by blocks of topics, in files in a folder beside a target.

    Raises `OutputError` if they cannot be written.
    """

    def __init__(self, file: LongFile, folder: Path, target: Path) -> None:
        self._file, self._folder, self._target = file, folder, target
        self._codes = folder / "codes"
        topics: dict[str, int] = {}
        systems: dict[str, int] = {}
        self._append(self._codes, np.empty(0, dtype=_CODES))
        for row, batch in file.batches([file.topic_column, file.system_column]):
            own = np.empty(batch.num_rows, dtype=_CODES)
            for name, place, coded in zip(
                _CODES.names or (), (topics, systems), file.coded(batch, row), strict=True
            ):
                numbers = list(map(place.get, coded.names))
                if None in numbers:
                    numbers = [place.setdefault(each, len(place)) for each in coded.names]
                own[name] = np.array(numbers, dtype=np.int32)[coded.codes]
            self._append(self._codes, own)
        self.topics, self.systems = list(topics), list(systems)
        self._kept = np.ones(len(self.topics), dtype=np.bool_)
        self._step = 0

    def blocks(self, scores: int) -> Iterator[RowsOfTopics]:
        """Yield the rows of some topics, about so many scores, in the order of the file."""
        self._step = max(1, scores // len(self.systems))
        for codes, batch in self._batches([self._file.score_column]):
            rows = np.empty(len(codes), dtype=_ROW)
            rows["topic"], rows["system"] = codes["topic"], codes["system"]
            rows["score"] = self._file.scores(batch)
            for block, own in self._by_block(codes["topic"]):
                self._append(self._path("rows", block), rows[own])
        for start in range(0, len(self.topics), self._step):
            path = self._path("rows", start // self._step)
            found = np.fromfile(path, dtype=_ROW)
            path.unlink()
            yield RowsOfTopics(
                self.topics[start : start + self._step],
                found["topic"].astype(np.int64) - start,
                found["system"].astype(np.int64),
                np.ascontiguousarray(found["score"]),
            )

    def put(self, block: int, scores: Array, kept: BoolArray) -> None:
        """Take the standardized scores of the rows of a block, and which of its topics are kept."""
        self._append(self._path("y", block), scores)
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

    def _append(self, path: Path, rows: Any) -> None:
        try:
            with path.open("ab") as stream:  # not by NumPy, whose errors do not say what is wrong
                stream.write(rows.tobytes())
        except OSError as error:
            raise OutputError(
                f"{self._target} cannot be written: {error.strerror or error}, in the folder of "
                "rows beside it, which takes 24 bytes a row"
            ) from error

    def _path(self, kind: str, block: int) -> Path:
        return self._folder / f"{kind}-{block}"
