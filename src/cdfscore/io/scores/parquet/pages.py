"""The pages of a Parquet file: how large they say that they are, before any is read.

pyarrow takes the memory for a page before it looks at what the page has: a file of 4 kB can say
that one of its pages has 1.5 GB.

pyarrow reads them as well. But it does not give the size of a page before it has taken the memory
for the page, and some damaged structures end the process.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from cdfscore.errors import ScoresError
from cdfscore.io.scores.parquet.structs import (
    I32,
    I64,
    EncryptedError,
    Shape,
    Struct,
    ThriftError,
)

_TRUE, _FALSE, _BYTE, _I16 = range(1, 5)
_DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(7, 13)
# Types of one byte each.
_SHORT: Final = {_TRUE, _FALSE, _BYTE}
# Numbers of fields have 16 bits.
_FIELDS: Final = 1 << 15
# Structures within structures: those of Parquet have fewer than ten.
_DEPTH: Final = 32
# Of a number of 64 bits, with seven in each.
_BYTES: Final = 10

# The numbers of fields are those of parquet.thrift in Apache's parquet-format: of FileMetaData,
_ROWS_OF_FILE, _GROUPS, _ALGORITHM = 3, 4, 8
# of RowGroup and of ColumnChunk,
_COLUMNS, _ROWS_OF_GROUP = 1, 3
_ABOUT, _CRYPTO = 3, 8
# of ColumnMetaData,
_PHYSICAL_TYPE, _VALUES, _DATA_PAGE, _DICTIONARY_PAGE = 1, 5, 9, 11
# and of PageHeader. Three types of pages have values, and say how many in fields of their own.
_TYPE, _SIZE, _SIZE_IN_FILE = 1, 2, 3
_DICTIONARY: Final = 2
_HEADER_OF_TYPE: Final = {0: 5, _DICTIONARY: 7, 3: 8}
_VALUES_OF_PAGE = 1
_ENCODING: Final = {0: 2, _DICTIONARY: 2, 3: 4}
# The encoding in which a text has the beginning of the one before it, DELTA_BYTE_ARRAY.
_PREFIXES: Final = 7
# The type of values of a fixed length; each of another type has four bytes or more in a dictionary.
_FIXED: Final = 7
_PAGE: Final[Shape] = {_TYPE: I32, _SIZE: I32, _SIZE_IN_FILE: I32} | {
    header: {_VALUES_OF_PAGE: I32, _ENCODING[kind]: I32} for kind, header in _HEADER_OF_TYPE.items()
}
_COLUMN: Final[Shape] = {
    _PHYSICAL_TYPE: I32,
    _VALUES: I64,
    _DATA_PAGE: I64,
    _DICTIONARY_PAGE: I64,
}
_GROUP: Final[Shape] = {_COLUMNS: [{_ABOUT: _COLUMN, _CRYPTO: {}}], _ROWS_OF_GROUP: I64}
_FILE: Final[Shape] = {_ROWS_OF_FILE: I64, _GROUPS: [_GROUP], _ALGORITHM: {}}
# The size of FileMetaData and the letters PAR1 end a file.
_END: Final = 8


class Page(NamedTuple):
    """A page of a column, as its header says."""

    group: int
    column: int
    #: Bytes that it has when it is decompressed, and in the file with its header.
    size: int
    size_in_file: int
    #: Values that it has, of a dictionary those that are repeated.
    values: int
    is_dictionary: bool
    #: Whether texts in it have the beginning of the one before.
    has_prefixes: bool


def pages_of(content: bytes) -> Iterator[Page]:
    """Yield what the header of each page of a file without lists says.

    Raises `ThriftError` for other content, and where the numbers of rows, of values and of bytes
    contradict each other; `EncryptedError` for an encrypted file.
    """
    (size,) = struct.unpack("<I", content[-_END : 4 - _END])
    pages = memoryview(content)[: max(0, len(content) - _END - size)]
    said = ThriftReader(memoryview(content), len(pages)).struct(_FILE)
    groups = said.structs(_GROUPS)
    if _ALGORITHM in said.fields or any(
        _CRYPTO in column.fields for group in groups for column in group.structs(_COLUMNS)
    ):
        raise EncryptedError
    rows = sum(group.size(_ROWS_OF_GROUP) for group in groups)
    if rows != said.size(_ROWS_OF_FILE):
        raise ThriftError(
            f"its groups have {rows:,} rows, and it says that it has {said.size(_ROWS_OF_FILE):,}"
        )
    passed = 0
    for i, group in enumerate(groups):
        for j, column in enumerate(group.structs(_COLUMNS)):
            about = column.struct(_ABOUT)
            for page in _of_column(pages, (i, j), about, group.size(_ROWS_OF_GROUP)):
                passed += page.size_in_file
                if passed > len(pages):  # to look at them again for each column takes too long
                    raise ThriftError("its columns have pages in common")
                yield page


def size_at_once(pages: Iterable[Page]) -> int:
    """Return how many bytes pages have, at most, that are in memory when rows are read in batches.

    They are the largest page of each column and its dictionary, of a group of rows.
    """
    largest: dict[tuple[int, int, bool], int] = {}
    for page in pages:
        key = page.group, page.column, page.is_dictionary
        largest[key] = max(largest.get(key, 0), page.size)
    of_groups: dict[int, int] = {}
    for (group, _, _), size in largest.items():
        of_groups[group] = of_groups.get(group, 0) + size
    return max(of_groups.values(), default=0)


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


def _of_column(
    pages: memoryview, place: tuple[int, int], about: Struct, rows: int
) -> Iterator[Page]:
    """Yield the pages that a column has in a group of rows."""
    if about.size(_VALUES) != rows:
        raise ThriftError(f"a column has {about.size(_VALUES):,} values in {rows:,} rows")
    first = about.size(_DATA_PAGE)
    # Some programs write 0 where there is no dictionary.
    dictionary = about.size(_DICTIONARY_PAGE) if _DICTIONARY_PAGE in about.fields else 0
    reader = ThriftReader(pages, dictionary if 0 < dictionary < first else first)
    values = 0
    while values < rows:
        begin = reader.place
        said = reader.struct(_PAGE)
        reader.skip(said.size(_SIZE_IN_FILE))
        kind, size, own, encoding = said.size(_TYPE), said.size(_SIZE), 0, 0
        if kind in _HEADER_OF_TYPE:
            header = said.struct(_HEADER_OF_TYPE[kind])
            own, encoding = header.size(_VALUES_OF_PAGE), header.size(_ENCODING[kind])
        if kind != _DICTIONARY:
            values += own
        elif own * (1 if about.size(_PHYSICAL_TYPE) == _FIXED else 4) > size:
            raise ThriftError(f"a dictionary has {own:,} values in {size:,} bytes")
        in_file = reader.place - begin
        yield Page(*place, size, in_file, own, kind == _DICTIONARY, encoding == _PREFIXES)
    if values != rows:
        raise ThriftError(f"the pages of a column have {values:,} values in {rows:,} rows")


class ThriftReader:
    """Reads the structures of `content` one behind the other, from a place on."""

    def __init__(self, content: memoryview, place: int) -> None:
        """Start at a place."""
        self._content = content
        self.place = place

    def struct(self, shape: Shape) -> Struct:
        """Return what is needed of the next structure; raises `ThriftError`.

        A needed field that has another type, or is there twice, is refused: programs do not agree
        on which one counts.
        """
        return self._struct(shape, 0)

    def skip(self, size: int) -> None:
        """Pass over some bytes; raises `ThriftError` if there are fewer."""
        if size > len(self._content) - self.place:
            raise ThriftError("a part of the file is missing")
        self.place += size

    def _struct(self, shape: Shape, depth: int) -> Struct:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._signed()
            if not 0 < number < _FIELDS:
                raise ThriftError(f"it has a field of the number {number}")
            if number in fields:
                raise ThriftError(f"the field {number} of a structure is there twice")
            if number in shape:
                fields[number] = self._needed(number, kind, shape[number], depth)
            elif kind not in (_TRUE, _FALSE):  # which the type itself says
                self._pass_over(kind, depth)
        return Struct(fields)

    def _needed(self, field: int, kind: int, shape: Any, depth: int) -> Any:
        """Return the value of a field, which has to be of a shape."""
        if isinstance(shape, int):
            if kind == shape:
                return self._number(kind)
        elif isinstance(shape, list):
            if kind == _LIST:
                size, kind = self._head_of_list()
                if kind == _STRUCT or not size:
                    return [self._struct(shape[0], depth + 1) for _ in range(size)]
        elif kind == _STRUCT:
            return self._struct(shape, depth + 1)
        raise ThriftError(f"the field {field} of a structure has the type {kind}")

    def _pass_over(self, kind: int, depth: int) -> None:
        """Skip a value."""
        if depth > _DEPTH:
            raise ThriftError("it has structures within structures without end")
        if kind in (_I16, I32, I64):
            self._unsigned()
        elif kind in _SHORT:
            self.skip(1)
        elif kind == _DOUBLE:
            self.skip(8)
        elif kind == _BINARY:
            self.skip(self._unsigned())
        elif kind == _STRUCT:
            while head := self._byte():
                if head < 16:  # the number of the field follows
                    self._unsigned()
                if head & 15 not in (_TRUE, _FALSE):
                    self._pass_over(head & 15, depth + 1)
        elif kind in (_LIST, _SET):
            size, kind = self._head_of_list()
            for _ in range(size):
                self._pass_over(kind, depth + 1)
        elif kind == _MAP:
            size = self._unsigned()
            kinds = divmod(self._byte(), 16) if size else ()
            for _ in range(self._checked(size)):
                for kind in kinds:
                    self._pass_over(kind, depth + 1)
        else:
            raise ThriftError(f"it has a field of the unknown type {kind}")

    def _head_of_list(self) -> tuple[int, int]:
        """Return the number of members and their type."""
        size, kind = divmod(self._byte(), 16)
        return self._checked(self._unsigned() if size == 15 else size), kind

    def _checked(self, size: int) -> int:
        """Return a number of members, each of which has a byte at least."""
        if size > len(self._content) - self.place:
            raise ThriftError("a part of the file is missing")
        return size

    def _number(self, kind: int) -> int:
        number, bits = self._signed(), 32 if kind == I32 else 64
        if not -1 <= number >> bits - 1 <= 0:
            raise ThriftError(f"it has a number of more than {bits} bits")
        return number

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        number = shift = 0
        for _ in range(_BYTES):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
        raise ThriftError("it has a number of more than 64 bits")

    def _byte(self) -> int:
        try:
            byte = self._content[self.place]
        except IndexError:
            raise ThriftError("a part of the file is missing") from None
        self.place += 1
        return byte
