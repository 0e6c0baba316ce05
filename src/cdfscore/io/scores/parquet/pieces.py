"""Writing of a Parquet file table by table, as pieces of bytes for an atomic writer."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cdfscore.io.scores.parquet.checksums import CHECKSUMS


class _Sink(io.RawIOBase):
    """A file of which the bytes that were written are taken away again and again."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        piece = bytes(content)
        self._pieces.append(piece)
        return len(piece)

    def taken(self) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces


def parquet_pieces(
    tables: Iterable[Any], *, labels: Sequence[str], repeated: bool
) -> Iterator[bytes]:
    """Yield the content of a Parquet file that has a row group for each table.

    Columns of `labels` have statistics, by which readers skip row groups; if their labels are
    `repeated`, they are written as dictionaries. A dictionary of doubles that are nearly all
    different takes five times as long to write.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink, writer = _Sink(), None
    for table in tables:
        if writer is None:
            writer = pq.ParquetWriter(
                pa.PythonFile(sink, mode="w"),
                table.schema,
                use_dictionary=list(labels) if repeated else False,
                write_statistics=list(labels),
                **CHECKSUMS,
            )
        writer.write_table(table, row_group_size=max(1, table.num_rows))
        yield from sink.taken()
    if writer is not None:
        writer.close()
        yield from sink.taken()
