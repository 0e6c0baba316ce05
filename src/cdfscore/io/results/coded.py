"""Labels of many rows: each label once, and a number for each row."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

import numpy as np

from cdfscore.numerics.types import BoolArray, IntArray


class Coded(NamedTuple):
    """Labels of rows: the different ones in order of first appearance, and their numbers."""

    names: list[str]
    codes: IntArray

    @classmethod
    def of_arrow(cls, column: Any) -> Coded:
        """Return a column of pyarrow, text in a dictionary."""
        array = column.unify_dictionaries().combine_chunks()
        if hasattr(array, "chunks"):  # of a version that keeps one chunk
            (array,) = array.chunks
        return cls.of(array.dictionary.to_pylist(), array.indices.to_numpy().astype(np.intp))

    @classmethod
    def of(cls, names: Sequence[str], codes: IntArray) -> Coded:
        """Return labels without spaces around them; those that are equal then are one."""
        stripped = [name.strip() for name in names]
        unique = list(dict.fromkeys(stripped))
        if len(unique) < len(stripped):
            place = {name: i for i, name in enumerate(unique)}
            codes = np.array([place[name] for name in stripped], np.intp)[codes]
        return cls(unique, codes)

    @classmethod
    def of_list(cls, labels: Sequence[str]) -> Coded:
        """Return the labels of a list."""
        place: dict[str, int] = {}
        codes = [place.setdefault(label.strip(), len(place)) for label in labels]
        return cls(list(place), np.array(codes, np.intp))

    @classmethod
    def all_of(cls, name: str | None, rows: int) -> Coded | None:
        """Return one label of all rows, None if there is none."""
        return None if name is None else cls([name], np.zeros(rows, np.intp))

    def are(self, name: str) -> BoolArray:
        """Tell which rows have a label."""
        return self.among({name})

    def among(self, names: Container[str]) -> BoolArray:
        """Tell which rows have one of some labels."""
        chosen = np.array([own in names for own in self.names], np.bool_)
        return np.asarray(chosen[self.codes])

    def present(self, rows: BoolArray) -> Coded:
        """Return the labels that some of the rows have; the codes of the other rows are 0."""
        used = np.flatnonzero(np.bincount(self.codes[rows], minlength=len(self.names)))
        lookup = np.zeros(len(self.names), np.intp)
        lookup[used] = np.arange(len(used))
        return Coded([self.names[code] for code in used.tolist()], lookup[self.codes])

    def take(self, rows: IntArray) -> Coded:
        """Return the labels of some rows."""
        return Coded(self.names, self.codes[rows])
