"""Files of scores on the command line: FILE, or NAME=FILE for the scores of one system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cdfscore.errors import CdfscoreError
from cdfscore.io.files import source_name
from cdfscore.io.text import files


@dataclass(frozen=True)
class Inputs:
    """The files of one score matrix, each with the name of its only system if it is given."""

    typed: tuple[str, ...]
    files: tuple[tuple[str | None, str], ...]

    @classmethod
    def of(cls, typed: Sequence[str]) -> Inputs:
        """Read the words of an argument; see `named_file`."""
        return cls(tuple(typed), tuple(map(named_file, typed)))

    @classmethod
    def one(cls, path: str) -> Inputs:
        """Return a file whose systems keep their names."""
        return cls((path,), ((None, path),))

    @property
    def name(self) -> str:
        """The files, for a message."""
        return files([source_name(path) for _, path in self.files])

    @property
    def paths(self) -> dict[str, str]:
        """The files by their names in a message on paths."""
        if len(self.files) == 1:
            return {"SCORES": self.files[0][1]}
        return {f"SCORES, file {i}": path for i, (_, path) in enumerate(self.files, start=1)}


def named_file(word: str) -> tuple[str | None, str]:
    """Return the name before the =, None if there is none, and the file.

    The whole word is a file if it has a slash before the =, or if this file or its folder exists.
    Raises `CdfscoreError` for an empty name or file.
    """
    name, equals, path = word.partition("=")
    folder = word.rpartition("/")[0]
    if not equals or "/" in name or Path(word).exists() or (folder and Path(folder).is_dir()):
        return None, word
    if not name.strip() or not path:
        raise CdfscoreError(f"{word!r} is not accepted; expected a file, or NAME=FILE for a system")
    return name, path
