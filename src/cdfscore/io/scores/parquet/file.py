"""Parquet files that are read in batches of rows, whatever the size of their row groups."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ScoresError
from cdfscore.io.files import readable
from cdfscore.io.scores.frame_labels import texts
from cdfscore.io.scores.memory import refuse_damaged_memory, remembered
from cdfscore.io.scores.parquet.checksums import CHECKED, fault, reason
from cdfscore.io.scores.parquet.frame import (
    refuse_changed_names,
    refuse_lists,
    refuse_no_parquet,
)

if TYPE_CHECKING:
    import pandas as pd

#: The key of the schema under which pandas saves what a frame remembers.
ATTRS = b"PANDAS_ATTRS"
# Bytes of a column that are read at a time, so that a row group is never in memory as a whole.
_BUFFER = 1 << 18
# Bytes that tell what a file is, if it is no Parquet file.
_BEGINNING = 512
# A column of an index without a name, as pandas writes it.
UNNAMED_INDEX = "__index_level_"
# Cells that tell whether a column is one of words.
_SOME = 10_000


@dataclass(frozen=True, eq=False)
class ParquetRows:
    """A Parquet file; its batches are read from the file each time."""

    path: Path
    file: Any
    schema: Any
    #: The file itself, which stays open, and the size and time of change that it had.
    descriptor: int
    stamp: tuple[int, int]
    #: What the frame that pandas wrote remembers; see `memory.remembered`.
    known: dict[str, Any]

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[ParquetRows]:
        """Open a file for as long as it is needed; raises `ScoresError`."""
        with readable(path, ScoresError):
            stream = path.open("rb")
        with stream:
            refuse_no_parquet(str(path), stream.read(_BEGINNING))
            stamp = _stamp(stream.fileno())
            try:
                file = _opened(path)
                schema = file.schema_arrow
                frame = _without_rows(schema)
            except ScoresError:
                raise
            except Exception as error:  # pyarrow raises many kinds for a damaged file
                raise ScoresError(f"{path} {fault(error)}") from error
            refuse_damaged_memory(str(path), frame)
            with file:
                yield cls(path, file, schema, stream.fileno(), stamp, remembered(frame))

    @property
    def source(self) -> str:
        """The name of the file in messages."""
        return str(self.path)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.file.metadata.num_rows)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def headers(self) -> list[str]:
        """The names of the columns, "" for that of an index without a name."""
        return ["" if name.startswith(UNNAMED_INDEX) else name for name in self.names]

    def index_columns(self) -> list[str]:
        """Return the columns that pandas takes as the index, if it wrote the file.

        Another program may have left some of them out.
        """
        known = self.schema.pandas_metadata or {}
        names = set(self.names)
        return [
            name
            for name in known.get("index_columns", [])
            if isinstance(name, str) and name in names
        ]

    def cells(self, place: int) -> list[str]:
        """Return some cells of a column as text."""
        batch = next(self.batches([self.names[place]], _SOME), None)
        return [] if batch is None else texts(self.cells_of(batch.column(0)))

    def cells_of(self, column: Any) -> list[Any]:
        """Return the cells of a column of labels; raises `ScoresError`, as text is decoded now."""
        import pyarrow as pa

        try:
            return list(column.to_pylist())
        except UnicodeDecodeError as error:
            raise ScoresError(f"{self.path} is damaged: it has text that is not UTF-8") from error
        except (ValueError, OverflowError, pa.ArrowException) as error:  # such as the year 10000
            raise ScoresError(
                f"{self.path} has labels of {column.type} that cannot be read: {reason(error)}"
            ) from error

    def batches(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield some columns, at most so many rows at a time.

        Raises `ScoresError` for a damaged file, and for one that was changed since it was opened.
        """
        found = self.file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False)
        number = 0
        while True:
            try:
                batch = next(found, None)
                if batch is not None:
                    batch.validate(full=False)
            except Exception as error:
                self._refuse_change()
                raise ScoresError(f"{self.path} {fault(error, 'is damaged')}") from error
            self._refuse_change()
            if batch is None:
                break
            number += batch.num_rows
            if batch.num_rows:
                yield batch.select(list(columns))
        if number != self.rows:
            raise ScoresError(
                f"{self.path} is damaged: it has {number:,} rows, and says that it has "
                f"{self.rows:,}"
            )

    def _refuse_change(self) -> None:
        if _stamp(self.descriptor) != self.stamp:
            raise self.changed()

    def changed(self) -> ScoresError:
        """Return the error of a file that was changed."""
        return ScoresError(
            f"{self.path} was changed while it was read; expected it to stay as it is"
        )


def _opened(path: Path) -> Any:
    """Return the file, of which nothing but what it says of itself is read yet."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False, **CHECKED)
    refuse_lists(str(path), file.schema)
    refuse_changed_names(str(path), file.metadata)
    return file


def _without_rows(schema: Any) -> pd.DataFrame:
    """Return the frame that pandas makes of no rows, if it can read what it once wrote."""
    frame: pd.DataFrame = schema.empty_table().to_pandas()
    saved = (schema.metadata or {}).get(ATTRS)
    frame.attrs = json.loads(saved) if saved else {}
    return frame


def _stamp(descriptor: int) -> tuple[int, int]:
    """Return the size of an open file and when it was changed.

    A file that is renamed onto its name changes neither, and what is read stays the first one.
    """
    known = os.fstat(descriptor)
    return known.st_size, known.st_mtime_ns
