"""The pages of a Parquet file: how large they say that they are, before any is read.

pyarrow takes the memory for a page before it looks at what the page has: a file of 4 kB can say
that one of its pages has 1.5 GB.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from cdfscore.errors import ScoresError
from cdfscore.io.scores.parquet.structs import I32, I64, Shape, Struct, ThriftError
from cdfscore.io.scores.parquet.thrift import ThriftReader

# The numbers of fields are those of parquet.thrift in Apache's parquet-format: of FileMetaData,
_ROWS_OF_FILE, _GROUPS = 3, 4
# of RowGroup and of ColumnChunk,
_COLUMNS, _ROWS_OF_GROUP = 1, 3
_ABOUT = 3
# of ColumnMetaData,
_VALUES, _DATA_PAGE, _DICTIONARY_PAGE = 5, 9, 11
# and of PageHeader. Two types of pages have values, and say how many in fields of their own.
_TYPE, _SIZE, _SIZE_IN_FILE = 1, 2, 3
_HEADER_OF_TYPE: Final = {0: 5, 3: 8}
_VALUES_OF_PAGE = 1
_ENCODING: Final = {0: 2, 3: 4}
_DICTIONARY: Final = 2
# The encoding in which a text has the beginning of the one before it, DELTA_BYTE_ARRAY.
_PREFIXES: Final = 7
_COLUMN: Final[Shape] = {_VALUES: I64, _DATA_PAGE: I64, _DICTIONARY_PAGE: I64}
_GROUP: Final[Shape] = {_COLUMNS: [{_ABOUT: _COLUMN}], _ROWS_OF_GROUP: I64}
_FILE: Final[Shape] = {_ROWS_OF_FILE: I64, _GROUPS: [_GROUP]}
_PAGE: Final[Shape] = {
    **dict.fromkeys((_TYPE, _SIZE, _SIZE_IN_FILE), I32),
    **{
        header: {_VALUES_OF_PAGE: I32, _ENCODING[kind]: I32}
        for kind, header in _HEADER_OF_TYPE.items()
    },
}
# The size of FileMetaData and the letters PAR1 end a file.
_END: Final = 8


class Page(NamedTuple):
    """A page of a column, as its header says."""

    column: int
    #: Bytes that it has when it is decompressed.
    size: int
    #: Whether more text than it has may be read from it: again for each row, or for the next text.
    repeats: bool


def pages_of(content: bytes) -> Iterator[Page]:
    """Yield what the header of each page of a file without lists says.

    Raises `ThriftError` for what is no page, and where the numbers of rows, of values and of bytes
    contradict each other.
    """
    (size,) = struct.unpack("<I", content[-_END : 4 - _END])
    pages = memoryview(content)[: max(0, len(content) - _END - size)]
    said = ThriftReader(memoryview(content), len(pages)).struct(_FILE)
    groups = said.structs(_GROUPS)
    rows = sum(group.size(_ROWS_OF_GROUP) for group in groups)
    if rows != said.size(_ROWS_OF_FILE):
        raise ThriftError(
            f"its groups have {rows:,} rows, and it says that it has {said.size(_ROWS_OF_FILE):,}"
        )
    for group in groups:
        for i, column in enumerate(group.structs(_COLUMNS)):
            yield from _of_column(pages, i, column.struct(_ABOUT), group.size(_ROWS_OF_GROUP))


def refuse_lists(source: str, schema: Any) -> None:
    """Raise `ScoresError` for a column of lists: nothing but reading tells how long they are.

    Of a column in a group of rows pyarrow says more, but there it does not catch the errors of C++:
    a damaged file would end the process.
    """
    for i in range(len(schema)):
        if schema.column(i).max_repetition_level:
            name = schema.column(i).path.partition(".")[0]
            raise ScoresError(
                f"{source}: the column {name!r} has lists; expected a number, or text, in each row"
            )


def _of_column(pages: memoryview, column: int, about: Struct, rows: int) -> Iterator[Page]:
    """Yield the pages that a column has in a group of rows."""
    if about.size(_VALUES) != rows:
        raise ThriftError(f"a column has {about.size(_VALUES):,} values in {rows:,} rows")
    first = about.size(_DATA_PAGE)
    # Some programs write 0 where there is no dictionary.
    dictionary = about.size(_DICTIONARY_PAGE) if _DICTIONARY_PAGE in about.fields else 0
    reader = ThriftReader(pages, dictionary if 0 < dictionary < first else first)
    values = 0
    while values < rows:
        said = reader.struct(_PAGE)
        kind = said.size(_TYPE)
        repeats = kind == _DICTIONARY
        if (header := _HEADER_OF_TYPE.get(kind)) is not None:
            values += said.struct(header).size(_VALUES_OF_PAGE)
            repeats = said.struct(header).size(_ENCODING[kind]) == _PREFIXES
        yield Page(column, said.size(_SIZE), repeats)
        reader.skip(said.size(_SIZE_IN_FILE))
    if values != rows:
        raise ThriftError(f"the pages of a column have {values:,} values in {rows:,} rows")
