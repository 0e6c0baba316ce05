"""What imports what: the rooms of the package and the arrows between them.

``python -m tests.layers`` counts both, in the package and in ``validation``, and the files and
functions that frequent calls enter; ``--repo FOLDER`` counts rooms and arrows in another checkout.
"""

import argparse
import ast
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

from cdfscore import Standardizer, compare, datasets, read_scores, verify, write_scores

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "cdfscore"


def imports_within(
    source: Path = SOURCE, *, type_checking: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yield importing room, imported room and place, for all modules but the package's own."""
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if parts[0] in ("__init__", "__main__"):
            continue
        package = ".".join(["cdfscore", *parts[:-1]])
        tree = parsed(path)
        for name, only_checking, line in imports(tree, package):
            if only_checking == type_checking:
                yield _floor(parts), _floor(name.split(".")), f"{path.relative_to(source)}:{line}"


def names_imported(source: Path = SOURCE) -> Iterator[tuple[str, str]]:
    """Yield importing room and full name, without the package's, of all that is imported."""
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        for name, *_ in imports(parsed(path), ".".join(["cdfscore", *parts[:-1]])):
            yield _floor(parts), name


def public_names(path: Path) -> Iterator[str]:
    """Yield the names without an underscore that a module defines itself."""
    for node in parsed(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [each.id for each in node.targets if isinstance(each, ast.Name)]
        else:
            continue
        yield from (name for name in names if not name.startswith("_"))


@cache
def parsed(path: Path) -> ast.Module:
    """Return the tree of a file, which is read once."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(tree: ast.AST, package: str) -> list[tuple[str, bool, int]]:
    """Return what is imported of cdfscore, "" for itself; under TYPE_CHECKING or not; line."""
    guarded = under_type_checking(tree)
    return [
        (name.partition(".")[2], id(node) in guarded, getattr(node, "lineno", 0))
        for node in ast.walk(tree)
        for name in imported_names(node, package)
        if name.partition(".")[0] == "cdfscore"
    ]


@cache
def under_type_checking(tree: ast.AST) -> set[int]:
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }


def imported_names(node: ast.AST, package: str) -> list[str]:
    """Return the full names that an import names, modules and what is in them."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        parents = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*parents, *([base] if base else [])])
    return [f"{base}.{alias.name}" for alias in node.names]


@cache
def module_level_packages(path: Path) -> tuple[str, ...]:
    """Return the packages that a file imports as soon as it is imported itself."""
    tree = parsed(path)
    in_functions = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    later = in_functions | under_type_checking(tree)
    return tuple(
        name.partition(".")[0]
        for node in ast.walk(tree)
        if id(node) not in later
        for name in imported_names(node, "")
    )


def rooms_and_arrows(source: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the rooms at the top of a package and which of them imports which, anywhere."""
    rooms: set[str] = set()
    arrows: set[tuple[str, str]] = set()
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if parts[0].startswith("__"):
            continue
        rooms.add(parts[0])
        for node in ast.walk(parsed(path)):
            for name in imported_names(node, ".".join([source.name, *parts[:-1]])):
                top, _, there = name.partition(".")
                if top == source.name and there.partition(".")[0] != parts[0]:
                    arrows.add((parts[0], there.partition(".")[0]))
    return rooms, {(here, there) for here, there in arrows if there in rooms}


def entered(call: Callable[[], object]) -> tuple[int, int]:
    """Return how many files and functions of the package a call enters the second time."""
    functions: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and Path(frame.f_code.co_filename).is_relative_to(SOURCE):
            functions.add(frame.f_code)

    call()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return len({code.co_filename for code in functions}), len(functions)


def calls(folder: Path) -> dict[str, Callable[[], object]]:
    """Return what a reader follows through the package, by name."""
    scores = datasets.load_cranfield("ap")
    path = folder / "scores.csv"
    write_scores(scores, path)
    compared = compare(scores, "paired_t", scheme="normal")
    return {
        "compare": lambda: compare(scores, "paired_t", scheme="empirical"),
        "fit and transform": lambda: Standardizer("normal").fit(scores).transform(scores),
        "reading": lambda: read_scores(path),
        "verify": lambda: verify(compared),
    }


def _floor(parts: Sequence[str]) -> str:
    """Return the room, within ``stats`` the room of its own."""
    return ".".join(parts[: 2 if parts[0] == "stats" else 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, default=ROOT)
    repository = parser.parse_args().repo
    for folder in ("src/cdfscore", "validation"):
        rooms, arrows = rooms_and_arrows(repository / folder)
        print(f"{folder}: {len(rooms)} rooms, {len(arrows)} arrows")
    if repository == ROOT:
        with TemporaryDirectory() as folder:
            for name, call in calls(Path(folder)).items():
                print("{}: {} files, {} functions".format(name, *entered(call)))


if __name__ == "__main__":
    main()
