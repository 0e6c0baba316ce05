"""Structures of Apache Thrift's compact protocol, in which Parquet files say what they have.

pyarrow reads them as well. But it does not give the size of a page before it has taken the memory
for the page, and some damaged structures end the process.
"""

from __future__ import annotations

from typing import Any, Final

from cdfscore.io.scores.parquet.structs import I32, I64, Shape, Struct, ThriftError

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
