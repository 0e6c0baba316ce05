"""Parquet files of scores, as a whole or one block of topics after another."""

from __future__ import annotations

import base64
import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from cdfscore.common import files
from cdfscore.errors import ScoresError
from cdfscore.scores.dataframes import refuse_damaged_memory, remembered
from cdfscore.scores.labels import texts

#: Arguments of pyarrow for whatever reads.
CHECKED: Final[dict[str, Any]] = {"page_checksum_verification": True}
_OF_CHECKSUM = "CRC checksum"


def fault(error: Exception, otherwise: str = "is not a Parquet file") -> str:
    """Return what is wrong with a file that cannot be opened or read, such as "is damaged: ..."."""
    if "decrypt" in str(error):
        return "is encrypted; expected a file without encryption"
    damaged = isinstance(error, UnicodeDecodeError) or _OF_CHECKSUM in str(error)
    damaged |= "base64" in str(error)  # of the schema that pyarrow saves
    return f"{'is damaged' if damaged else otherwise}: {reason(error)}"


def reason(error: Exception) -> str:
    """Return in one line why pyarrow cannot read a file."""
    if _OF_CHECKSUM in str(error):  # a page is not the one that was written
        return "a page of it was changed after it was written (its checksum is another)"
    return " ".join(str(error).split())


# The key under which programs built on Apache Arrow save their own schema.
_ARROW = b"ARROW:schema"
_OR = "or a program has renamed columns and kept the old schema: expected it without that one"


def frame_of_parquet(path: Path) -> pd.DataFrame:
    """Return the content of a Parquet file; its footer, which is not checked, may say too much."""
    with files.readable(path, ScoresError):  # the same message as for text without such a file
        content = files.read_bytes(path)
    source = files.source_name(path)
    refuse_no_parquet(source, content)
    try:
        said = pq.read_metadata(io.BytesIO(content))
        refuse_lists(source, said.schema)
        refuse_changed_names(source, said)
        refuse_large(source, said, len(content))
        frame = pd.read_parquet(io.BytesIO(content), **CHECKED)
        refuse_damaged_memory(source, frame)
    except ScoresError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise ScoresError(f"{source} {fault(error)}") from error
    if len(frame) != said.num_rows:
        raise ScoresError(
            f"{source} is damaged: it has {len(frame):,} rows, and says that it has "
            f"{said.num_rows:,}"
        )
    return frame


def refuse_no_parquet(source: str, content: bytes) -> None:
    """Raise `ScoresError` for a file of another kind, by its first bytes."""
    if not content.startswith(b"PAR"):  # PARE if it is encrypted
        files.refuse_others(source, content, ScoresError, "a Parquet file")


def refuse_large(source: str, said: Any, size: int) -> None:
    """Raise `ScoresError` for a file that would fill the memory, by what it says of itself."""
    decompressed = sum(said.row_group(i).total_byte_size for i in range(said.num_row_groups))
    limit, cells = files.most_bytes(size), files.most_cells(size)
    if decompressed > limit:
        raise ScoresError(
            f"{source} has {size:,} bytes, and {decompressed:,} when it is decompressed; expected "
            f"at most {limit:,}"
        )
    if said.num_rows * said.num_columns > cells:
        raise ScoresError(
            f"{source} has {size:,} bytes for {said.num_rows:,} rows and {said.num_columns:,} "
            f"columns; expected at most {cells:,} scores"
        )


def refuse_lists(source: str, schema: Any) -> None:
    """Raise `ScoresError` for a column of lists: nothing but reading tells how long they are."""
    for i in range(len(schema)):
        if schema.column(i).max_repetition_level:
            name = schema.column(i).path.partition(".")[0]
            raise ScoresError(
                f"{source}: the column {name!r} has lists; expected a number, or text, in each row"
            )


def refuse_changed_names(source: str, said: Any) -> None:
    """Raise `ScoresError` if the schema of Arrow, where a file has one, has other names: a
    flipped bit of one would be the name of another system.
    """
    saved = (said.metadata or {}).get(_ARROW)
    if saved is None:
        return
    names = said.schema.to_arrow_schema().names
    twice = pa.ipc.read_schema(pa.BufferReader(base64.b64decode(saved))).names
    if len(names) != len(twice):
        raise ScoresError(
            f"{source} is damaged: it has {len(names):,} columns, and {len(twice):,} in its other "
            f"schema (ARROW:schema); {_OR}"
        )
    for name, again in zip(names, twice, strict=True):
        if name != again:
            raise ScoresError(
                f"{source} is damaged: the column {name!r} has the name {again!r} in its other "
                f"schema (ARROW:schema); {_OR}"
            )


#: The key of the schema under which pandas saves what a frame remembers.
ATTRS = b"PANDAS_ATTRS"
# Arguments of pyarrow that read some bytes of a column at a time, and no row group as a whole.
_IN_PARTS: Final[dict[str, Any]] = {"buffer_size": 1 << 18, "pre_buffer": False, **CHECKED}
# Bytes that tell what a file is, if it is no Parquet file.
_BEGINNING = 512
# A column of an index without a name, as pandas writes it.
UNNAMED_INDEX = "__index_level_"
# Rows that tell what the columns are.
_SOME = 10_000
_TEXT = (pa.string(), pa.large_string())


@dataclass(frozen=True, eq=False)
class ParquetRows:
    """A Parquet file; its batches are read from the file each time."""

    source: str
    #: The open file for Arrow, and its reader.
    arrow: Any
    file: Any
    schema: Any
    #: The file itself, which stays open, and the size and time of change that it had.
    descriptor: int
    stamp: tuple[int, int]
    #: What the frame that pandas wrote remembers; see `remembered`.
    known: dict[str, Any]

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[ParquetRows]:
        """Open a file for as long as it is needed; raises `ScoresError`."""
        source = files.source_name(path)
        with files.readable(path, ScoresError):
            stream = path.open("rb")
        with stream:
            refuse_no_parquet(source, stream.read(_BEGINNING))
            stamp = _stamp(stream.fileno())
            try:
                file = pq.ParquetFile(arrow := pa.OSFile(str(path)), **_IN_PARTS)
                refuse_lists(source, file.schema)
                refuse_changed_names(source, file.metadata)
                schema = file.schema_arrow
                frame = schema.empty_table().to_pandas()
                saved = (schema.metadata or {}).get(ATTRS)
                frame.attrs = json.loads(saved) if saved else {}
            except ScoresError:
                raise
            except Exception as error:  # pyarrow raises many kinds for a damaged file
                raise ScoresError(f"{source} {fault(error)}") from error
            for name, times in Counter(schema.names).most_common(1):
                if times > 1:
                    raise ScoresError(f"{source} has two columns {name!r}; expected one")
            refuse_damaged_memory(source, frame)
            with arrow:
                yield cls(source, arrow, file, schema, stream.fileno(), stamp, remembered(frame))

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
        """Return the columns that pandas takes as the index, of those that others have left."""
        known = (self.schema.pandas_metadata or {}).get("index_columns", [])
        return [name for name in known if name in self.names]

    def index(self) -> Any:
        """Return the numbers of the rows, which pandas takes as the index if no column is one."""
        return self.file.read(columns=[]).to_pandas().index

    def cells(self, place: int) -> list[str]:
        """Return some cells of a column as text."""
        batch = next(self.batches([self.names[place]], _SOME), None)
        return [] if batch is None else texts(self.cells_of(batch.column(0)))

    def cells_of(self, column: Any, some: Any = None) -> list[Any]:
        """Return cells of a column of labels, by default all; `ScoresError` for text not UTF-8."""
        try:
            return list((column if some is None else column.take(some)).to_pylist())
        except IndexError as error:
            raise ScoresError(f"{self.source} {fault(error, 'is damaged')}") from error
        except UnicodeDecodeError as error:
            raise ScoresError(f"{self.source} is damaged: it has text that is not UTF-8") from error
        except (ValueError, OverflowError, pa.ArrowException) as error:  # such as the year 10000
            raise ScoresError(
                f"{self.source} has labels of {column.type} that cannot be read: {reason(error)}"
            ) from error

    def frame(self, batch: Any = None) -> pd.DataFrame:
        """Return a batch as a data frame, by default the first rows; raises `ScoresError`."""
        first = batch is None
        if first:
            batch = next(self.batches(self.names, _SOME), self.schema.empty_table())
        for column in batch.columns:  # pandas would decode text on access
            if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
                self.cells_of(column)
        frame: pd.DataFrame = batch.to_pandas(use_threads=False)
        if first and isinstance(frame.index, pd.RangeIndex):  # as pandas numbers a part
            frame.index = self.index()[: len(frame)]
        return frame

    def batches(self, columns: Sequence[str], rows: int, *, coded: bool = False) -> Iterator[Any]:
        """Yield some columns, at most so many rows at a time; text may be numbers of labels."""
        file = self.file
        if coded:
            words = [name for name in columns if self.schema.field(name).type in _TEXT]
            file = pq.ParquetFile(self.arrow, read_dictionary=words, **_IN_PARTS)
        found = file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False)
        number = 0
        while True:
            try:
                batch = next(found, None)
                if batch is not None:
                    batch.validate(full=False)
            except Exception as error:
                self._refuse_change()
                raise ScoresError(f"{self.source} {fault(error, 'is damaged')}") from error
            self._refuse_change()
            if batch is None:
                break
            number += batch.num_rows
            if batch.num_rows:
                yield batch.select(list(columns))
        if number != self.rows:
            raise ScoresError(
                f"{self.source} is damaged: it has {number:,} rows, and says that it has "
                f"{self.rows:,}"
            )

    def _refuse_change(self) -> None:
        if _stamp(self.descriptor) != self.stamp:
            raise ScoresError(
                f"{self.source} was changed while it was read; expected it to stay as it is"
            )


def _stamp(descriptor: int) -> tuple[int, int]:
    """Return the size of an open file and when it was changed; a rename changes neither."""
    known = os.fstat(descriptor)
    return known.st_size, known.st_mtime_ns
