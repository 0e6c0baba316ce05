"""Structures of Apache Thrift's compact protocol, in which Parquet files say what they have.

pyarrow reads them as well. But it does not give the size of a page before it has taken the memory
for the page, and some damaged structures end the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
# Structures within structures: those of Parquet have fewer than ten.
_DEPTH: Final = 32
# Of a number of 64 bits, with seven in each.
_BYTES: Final = 10


class ThriftError(ValueError):
    """The bytes are no structure, or not the one that is expected there."""


@dataclass(frozen=True)
class Struct:
    """A structure: its fields by their numbers."""

    fields: dict[int, Any]

    def size(self, field: int) -> int:
        """Return a number that is at least 0; raises `ThriftError`."""
        number = self.fields.get(field)
        if not isinstance(number, int) or number < 0:
            raise ThriftError(f"the field {field} of a structure is {number!r:.20}")
        return number

    def struct(self, field: int) -> Struct:
        """Return a structure within this one; raises `ThriftError`."""
        found = self.fields.get(field)
        if not isinstance(found, Struct):
            raise ThriftError(f"the field {field} of a structure is {found!r:.20}")
        return found

    def structs(self, field: int) -> list[Struct]:
        """Return a list of structures; raises `ThriftError`."""
        found = self.fields.get(field)
        if not isinstance(found, list) or not all(isinstance(each, Struct) for each in found):
            raise ThriftError(f"the field {field} of a structure is {found!r:.20}")
        return found


class ThriftReader:
    """Reads the structures of `content` one behind the other, from a place on."""

    def __init__(self, content: memoryview, place: int) -> None:
        """Start at a place."""
        self._content = content
        self._place = place

    def struct(self) -> Struct:
        """Return the next structure; raises `ThriftError`."""
        return self._struct(0)

    def skip(self, size: int) -> memoryview:
        """Pass over some bytes, and return them; raises `ThriftError` if there are fewer."""
        begin = self._place
        if begin + size > len(self._content):
            raise ThriftError("a part of the file is missing")
        self._place += size
        return self._content[begin : self._place]

    def _struct(self, depth: int) -> Struct:
        if depth > _DEPTH:
            raise ThriftError("it has structures within structures without end")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._signed()
            # A field that is true or false says so by its type, a member of a list by a byte.
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return Struct(fields)

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_I16, _I32, _I64):
            return self._signed()
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind == _DOUBLE:
            return self.skip(8)
        if kind == _BINARY:
            return self.skip(self._unsigned())
        if kind in (_LIST, _SET):
            size, kind = divmod(self._byte(), 16)
            size = self._unsigned() if size == 15 else size
            return [self._value(kind, depth + 1) for _ in self._members(size)]
        if kind == _MAP:
            size = self._unsigned()
            kinds = divmod(self._byte(), 16) if size else ()
            return [[self._value(kind, depth + 1) for kind in kinds] for _ in self._members(size)]
        if kind == _STRUCT:
            return self._struct(depth + 1)
        raise ThriftError(f"it has a field of the unknown type {kind}")

    def _members(self, size: int) -> range:
        """Return the places of members, each of which has a byte at least."""
        if size > len(self._content) - self._place:
            raise ThriftError("a part of the file is missing")
        return range(size)

    def _signed(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)

    def _unsigned(self) -> int:
        number = 0
        for i in range(_BYTES):
            byte = self._byte()
            number |= (byte & 127) << 7 * i
            if byte < 128:
                return number
        raise ThriftError("it has a number of more than 64 bits")

    def _byte(self) -> int:
        return int(self.skip(1)[0])
