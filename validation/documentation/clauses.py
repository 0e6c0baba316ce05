"""The clauses of the specification: what each says that it is, and which objects it specifies.

A clause is a heading with a number, such as ``### normal.1 Distribution``, and a line ``Code:``
with the objects that implement it. Numbers are never given anew, so that a test can name them.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CHAPTERS = ROOT / "docs" / "specification"
#: A heading with the number of a clause: a word, a dot, and a number.
HEADING = re.compile(r"^(?P<level>#{2,4}) (?P<number>[a-z]\w*\.\d+) (?P<title>.+)$")
#: The line of a clause that names what it specifies.
CODE = re.compile(r"^Code: (?P<names>`[\w.]+`(?:, `[\w.]+`)*)$")
_FENCE = "```"


@dataclass(frozen=True)
class Clause:
    """A clause, and the objects that implement it."""

    number: str
    title: str
    chapter: str
    line: int
    code: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """Where the clause is within its page."""
        return anchor_of(f"{self.number} {self.title}")


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, which a forge and the site make of its words."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w -]", "", words).replace(" ", "-")


@cache
def clauses() -> tuple[Clause, ...]:
    """Return all clauses, chapter by chapter."""
    return tuple(each for path in sorted(CHAPTERS.glob("*.md")) for each in clauses_of(path))


def clauses_of(path: Path) -> list[Clause]:
    """Return the clauses of a chapter; raises `ValueError` for one without code."""
    found: list[Clause] = []
    heading: re.Match[str] | None = None
    first = 0
    for line, text in lines_of(path.read_text(encoding="utf-8")):
        if text.startswith("#"):
            if heading is not None:
                raise ValueError(f"{path.name}, line {first}: {heading['number']} has no Code line")
            heading, first = HEADING.match(text), line
        elif (said := CODE.match(text)) is not None and heading is not None:
            names = tuple(re.findall(r"[\w.]+", said["names"]))
            found.append(Clause(heading["number"], heading["title"], path.stem, first, names))
            heading = None
    if heading is not None:
        raise ValueError(f"{path.name}, line {first}: {heading['number']} has no Code line")
    return found


def specified_in(found: object) -> str:
    """Return the sentence that names the clauses of an object and of its members; "" for none."""
    words = _clauses_by_object().get(id(found), {})
    parts: list[str] = []
    for word in sorted(words, key=lambda word: -len(words[word])):
        # Consecutive numbers have the same distance from their places in the order.
        for _, group in groupby(enumerate(sorted(words[word])), lambda pair: pair[1] - pair[0]):
            run = [f"{word}.{number}" for _, number in group]
            parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else run
    listed = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
    return f"Specified in {listed}." if listed else ""


@cache
def _clauses_by_object() -> dict[int, dict[str, set[int]]]:
    """Return the numbers of the clauses, by word, for each object that they name."""
    found: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for clause in clauses():
        word, _, number = clause.number.partition(".")
        for name in clause.code:
            of, _, member = name.rpartition(".")
            found[id(object_of(name))][word].add(int(number))
            if hasattr(owner := object_of(of), member):
                found[id(owner)][word].add(int(number))
    return found


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not within a block of code, with their numbers."""
    within = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_FENCE):
            within = not within
        elif not within:
            yield number, line


def object_of(name: str) -> Any:
    """Return the object of a dotted name, such as ``cdfscore.stats.schemes.Normal.fit``.

    Raises `ImportError` or `AttributeError` if there is none.
    """
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        # A function may have the name of its module.
        for part in parts[size:]:
            found = getattr(found, part)
        if size == len(parts) and size > 1:
            parent = importlib.import_module(".".join(parts[:-1]))
            found = getattr(parent, parts[-1], found)
        return found
    raise ImportError(f"there is no module for {name}")


def file_of(name: str) -> Path:
    """Return the file of an object, from the root of the project."""
    found = object_of(name)
    if isinstance(found, property):
        found = found.fget
    # A decorated significance test is an instance; its function is where it was written.
    found = getattr(found, "function", found)
    if not (inspect.isclass(found) or inspect.isroutine(found) or inspect.ismodule(found)):
        found = type(found)
    return Path(inspect.getfile(inspect.unwrap(found))).resolve().relative_to(ROOT)


def twin_of(path: Path) -> Path | None:
    """Return the reference implementation in R, the file of the same stem; None without one."""
    twin = path.with_suffix(".R")
    return twin if (ROOT / twin).exists() else None
