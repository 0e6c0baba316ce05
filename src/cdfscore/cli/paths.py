"""Paths of a command: checks, and file names in its errors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path

from cdfscore.common.files import check_ending, check_target, source_name
from cdfscore.common.text import files
from cdfscore.errors import (
    CdfscoreError,
    ExperimentError,
    MissingDependencyError,
    MissingScoreError,
    OutputError,
    SchemeError,
    ScoresError,
    SignificanceError,
    SpecificationError,
)

#: What is written to a file, whole or in pieces.
Content = bytes | Iterable[bytes]


def check_paths(inputs: Mapping[str, str | None], outputs: Mapping[str, str | None]) -> None:
    """Raise an error for an empty path, two uses of standard input, or an overwritten file."""
    read = {name: path for name, path in inputs.items() if path is not None}
    written = {name: path for name, path in outputs.items() if path is not None}
    for name, path in (*read.items(), *written.items()):
        if not path:
            raise CdfscoreError(f"{name} is empty; expected the name of a file")
    from_standard_input = [name for name, path in read.items() if path == "-"]
    if len(from_standard_input) > 1:
        raise ScoresError(
            f"{' and '.join(from_standard_input)} are both standard input; expected one at most"
        )
    pairs = [
        *((name, other) for name in written for other in read if read[other] != "-"),
        *((other, name) for name, other in combinations(written, 2)),
    ]
    paths = {**read, **written}
    for name, other in pairs:
        if _is_same(paths[name], paths[other]):
            raise OutputError(
                f"{name} would overwrite {other}, {paths[other]}; expected different files"
            )


def check_outputs(outputs: Mapping[str, tuple[str, Collection[str]]]) -> None:
    """Raise `OutputError` early for a file that cannot be written after the computation."""
    for option, (path, endings) in outputs.items():
        try:
            check_ending(path, endings)
        except OutputError as error:
            raise OutputError(f"{option}: {error}") from error
        check_target(Path(path))


def write_outputs(*outputs: tuple[str | None, Callable[[Path], Content]]) -> None:
    """Write the files that are given, all or none, each as its function encodes it."""
    from cdfscore.common.files import write_whole

    given = [(Path(path), encode) for path, encode in outputs if path is not None]
    write_whole({path: encode(path) for path, encode in given})


_OF_OPTIONS = (
    *(SchemeError, SignificanceError, ExperimentError, SpecificationError),
    MissingDependencyError,
)


@contextmanager
def concerning(*paths: str | None, reference: str | None = None) -> Iterator[None]:
    """Begin the message of an error with the files that it concerns.

    That is `reference` for an error of the reference scores. Errors of schemes, tests,
    experiments, formulas and components concern the options, not the scores, and those of other
    software concern neither. Errors of reading name their file already and are raised elsewhere.
    """
    try:
        yield
    except _OF_OPTIONS:
        raise
    except CdfscoreError as error:
        own = [reference] if reference and error.of_reference else [*filter(None, paths)]
        place = files([*map(source_name, own)])
        if isinstance(error, MissingScoreError) and error.cell is not None:
            from cdfscore.scores.reading import line_of_missing

            message = str(error).removeprefix("scores, ")
            if len(own) == 1 and (line := line_of_missing(own[0], *error.cell)) is not None:
                place = f"{place}, line {line}"
            raise CdfscoreError(f"{place}: {message}") from error
        if reference is not None and not error.of_reference:
            place = f"{place}, by the reference {source_name(reference)}"
        raise CdfscoreError(f"{place}: {error}") from error


def _is_same(path: str, other: str) -> bool:
    """Tell whether two paths name one file; a device such as /dev/null can be written twice."""
    if "-" in (path, other):
        return path == other
    with suppress(OSError, ValueError, RuntimeError):
        target = Path(path).resolve()
        return target == Path(other).resolve() and (target.is_file() or not target.exists())
    return False
