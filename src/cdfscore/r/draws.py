"""The random draws of a test in a file for R."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cdfscore.r.session import RSession
from cdfscore.significance.contract import SignificanceTest
from cdfscore.significance.resampling.draws import Draws, Sizes

DRAWS = Path(__file__).with_name("draws.R")


@dataclass(frozen=True)
class DrawsFile:
    """The draws of a test for samples of all sizes, one after another, and where each begins."""

    draws: Mapping[Sizes, Draws]

    @property
    def sets(self) -> dict[str, dict[str, int]]:
        """What ``draws.R`` has to know of each set of draws, by its sizes."""
        sets: dict[str, dict[str, int]] = {}
        offset = 0
        for sizes, draws in self.draws.items():
            sets[" x ".join(map(str, sizes))] = {
                "offset": offset,
                "trials": draws.trials,
                "numbers": draws.numbers,
                "width": draws.width,
            }
            offset += draws.size
        return sets

    @property
    def size(self) -> int:
        """The number of bytes."""
        return sum(draws.size for draws in self.draws.values())

    @property
    def md5(self) -> str:
        """The digest by which a script recognizes the file; base R has no better one."""
        digest = hashlib.md5(usedforsecurity=False)
        for chunk in self.content():
            digest.update(chunk)
        return digest.hexdigest()

    def content(self) -> Iterator[bytes]:
        """Yield the bytes, drawn anew at each call."""
        for draws in self.draws.values():
            yield from draws.encoded()

    def write(self, path: Path) -> None:
        """Write the file."""
        with path.open("wb") as stream:
            stream.writelines(self.content())


@contextmanager
def draws_in_r(
    session: RSession, test: SignificanceTest[Any], draws: Mapping[Sizes, Draws]
) -> Iterator[dict[str, Any]]:
    """Give the argument ``draws`` of the twin of a test that draws; nothing for others."""
    if test.drawn is None:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        file, path = DrawsFile(draws), Path(folder, "draws")
        file.write(path)
        sets = {key: session.as_list(numbers) for key, numbers in file.sets.items()}
        yield {"draws": session.function("draws_from", DRAWS)(str(path), session.as_list(sets))}
