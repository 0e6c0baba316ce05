"""Structures of a Parquet file, of which only what is needed is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

#: Types of numbers, as Thrift's compact protocol counts types.
I32: Final = 5
I64: Final = 6
#: The fields of a structure that are needed, by their numbers: each is a type of numbers, the shape
#: of a structure, or a list with the shape of each of its structures.
Shape = Mapping[int, Any]


class ThriftError(ValueError):
    """The bytes are no structure, or not the one that is expected there."""


class EncryptedError(ValueError):
    """The file is encrypted."""


@dataclass(frozen=True, slots=True)
class Struct:
    """A structure: those of its fields that are needed, by their numbers."""

    fields: dict[int, Any]

    def size(self, field: int) -> int:
        """Return a number that is at least 0; raises `ThriftError`."""
        number = self._needed(field)
        if number < 0:
            raise ThriftError(f"the field {field} of a structure is {number}; expected 0 or more")
        return int(number)

    def struct(self, field: int) -> Struct:
        """Return a structure within this one; raises `ThriftError`."""
        found: Struct = self._needed(field)
        return found

    def structs(self, field: int) -> list[Struct]:
        """Return a list of structures; raises `ThriftError`."""
        found: list[Struct] = self._needed(field)
        return found

    def _needed(self, field: int) -> Any:
        if field not in self.fields:
            raise ThriftError(f"a structure has no field {field}")
        return self.fields[field]
