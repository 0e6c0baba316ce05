"""Random draws in a file for R: those of a test, and of the reference systems."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cdfscore.r.session import RSession
from cdfscore.significance.contract import Draws, NumbersOfTopics, SignificanceTest

DRAWS = Path(__file__).with_name("draws.R")


@dataclass(frozen=True)
class DrawsFile:
    """Sets of random draws, one after another.

    `draws` has each set by its name in R, and `of` names the analysis that uses them.
    """

    draws: Mapping[str, Draws]
    of: str = "the test"

    @property
    def sets(self) -> dict[str, dict[str, int]]:
        """The place and size of each set of draws for ``draws.R``, by its name."""
        sets: dict[str, dict[str, int]] = {}
        offset = 0
        for name, draws in self.draws.items():
            sets[name] = {
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
        """Yield the bytes; each call draws them again."""
        for draws in self.draws.values():
            yield from draws.encoded()

    def write(self, path: Path) -> None:
        """Write the file."""
        with path.open("wb") as stream:
            stream.writelines(self.content())


def by_sizes(draws: Mapping[NumbersOfTopics, Draws]) -> dict[str, Draws]:
    """Return the draws of a test by the sizes of samples as R writes them, such as "249 x 110"."""
    return {" x ".join(map(str, sizes)): each for sizes, each in draws.items()}


@contextmanager
def draws_in_r(
    session: RSession, test: SignificanceTest[Any], draws: Mapping[NumbersOfTopics, Draws]
) -> Iterator[dict[str, Any]]:
    """Yield the argument ``draws`` for the twin of a test that draws, nothing for other tests."""
    if test.drawn is None:
        yield {}
        return
    with sets_in_r(session, by_sizes(draws)) as found:
        yield {"draws": found}


@contextmanager
def sets_in_r(session: RSession, draws: Mapping[str, Draws]) -> Iterator[Any]:
    """Yield the function of ``draws.R`` for sets of draws by name, while their file exists."""
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        file, path = DrawsFile(draws), Path(folder, "draws")
        file.write(path)
        sets = {key: session.as_list(numbers) for key, numbers in file.sets.items()}
        yield session.function("draws_from", DRAWS)(str(path), session.as_list(sets))
