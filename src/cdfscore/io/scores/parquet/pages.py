"""The pages of a Parquet file: how large they say that they are, before any is read.

pyarrow takes the memory for a page before it looks at what the page has: a file of 4 kB can say
that one of its pages has 1.5 GB.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Iterator
from typing import Any, Final

from cdfscore.errors import ScoresError
from cdfscore.io.scores.parquet.thrift import I32, I64, Struct, ThriftError, ThriftReader

# The numbers of fields are those of parquet.thrift in Apache's parquet-format: of FileMetaData,
_ROWS_OF_FILE, _GROUPS, _ENCRYPTION = 3, 4, 8
# of RowGroup and of ColumnChunk,
_COLUMNS, _ROWS_OF_GROUP = 1, 3
_ABOUT = 3
# of ColumnMetaData,
_VALUES, _DATA_PAGE, _DICTIONARY_PAGE = 5, 9, 11
# and of PageHeader. Three types of pages have values, and say how many in fields of their own.
_TYPE, _SIZE, _SIZE_IN_FILE = 1, 2, 3
_HEADER_OF_TYPE: Final = {0: 5, 2: 7, 3: 8}
_VALUES_OF_PAGE = 1
_IS_DICTIONARY: Final = 2
# The size of FileMetaData and the letters PAR1 end a file.
_END: Final = 8


def page_sizes(content: bytes) -> list[list[list[int]]]:
    """Return how many bytes each page of a file without lists has when it is decompressed.

    In a list for each group of rows, with one for each of its columns. Raises `ThriftError` for
    what is no page, and where the numbers of rows, of values and of bytes contradict each other.
    """
    (size,) = struct.unpack("<I", content[-_END : 4 - _END])
    pages = memoryview(content)[: max(0, len(content) - _END - size)]
    said = ThriftReader(memoryview(content), len(pages)).struct()
    if _ENCRYPTION in said.fields:
        raise ThriftError("it is encrypted; expected a file without encryption")
    groups = said.structs(_GROUPS)
    rows = sum(group.size(_ROWS_OF_GROUP, I64) for group in groups)
    of_file = said.size(_ROWS_OF_FILE, I64)
    if rows != of_file:
        raise ThriftError(f"its groups have {rows:,} rows, and it says that it has {of_file:,}")
    found: list[list[list[int]]] = []
    passed = 0
    for group in groups:
        found.append([])
        for column in group.structs(_COLUMNS):
            sizes: list[int] = []
            for size, in_file in _of_column(
                pages, column.struct(_ABOUT), group.size(_ROWS_OF_GROUP, I64)
            ):
                sizes.append(size)
                passed += in_file
                if passed > len(pages):  # and to go through them all might take for ever
                    raise ThriftError("its columns share pages")
            found[-1].append(sizes)
    return found


def at_a_time(sizes: list[list[list[int]]]) -> int:
    """Return how many bytes a stream has of pages at most.

    Of each column of a group these are one with values and the dictionary.
    """
    return max(
        (sum(sum(heapq.nlargest(2, pages)) for pages in group) for group in sizes), default=0
    )


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


def _of_column(pages: memoryview, about: Struct, rows: int) -> Iterator[tuple[int, int]]:
    """Yield the sizes of the pages that a column has in a group of rows, also those in the file."""
    of_column = about.size(_VALUES, I64)
    if of_column != rows:
        raise ThriftError(f"a column has {of_column:,} values in {rows:,} rows")
    first = about.size(_DATA_PAGE, I64)
    # Some programs write 0 where there is no dictionary.
    dictionary = about.size(_DICTIONARY_PAGE, I64) if _DICTIONARY_PAGE in about.fields else 0
    reader = ThriftReader(pages, dictionary if 0 < dictionary < first else first)
    values = 0
    while values < rows:
        begin = reader.place
        page = reader.struct()
        size, kind = page.size(_SIZE, I32), page.size(_TYPE, I32)
        reader.skip(page.size(_SIZE_IN_FILE, I32))
        yield size, reader.place - begin
        if (header := _HEADER_OF_TYPE.get(kind)) is None:
            continue
        of_page = page.struct(header).size(_VALUES_OF_PAGE, I32)
        if kind != _IS_DICTIONARY:
            values += of_page
        elif of_page > size:  # pyarrow takes memory for so many
            raise ThriftError(f"a dictionary has {of_page:,} values in {size:,} bytes")
    if values != rows:
        raise ThriftError(f"the pages of a column have {values:,} values in {rows:,} rows")
