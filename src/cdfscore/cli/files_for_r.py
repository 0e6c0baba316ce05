"""Files for R: the file of the user if it is a wide text file, or else a temporary CSV file."""

from __future__ import annotations

import itertools
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.cli.given import Form, Inputs
from cdfscore.errors import ScoresError
from cdfscore.io.scores.reading import text_layout
from cdfscore.io.scores.writing import write_scores
from cdfscore.r.script import TextFile

if TYPE_CHECKING:
    import pandas as pd


def file_for_r(
    form: Form, given: Inputs, scores: pd.DataFrame, *, one_of_several: bool
) -> TextFile:
    """Return the file of the user with its layout, read alone or with others.

    Raises `ScoresError` if an R script cannot read it. The message has a command that writes a file
    that the script can read.
    """
    try:
        return _own_file(form, given, one_of_several=one_of_several)
    except ScoresError as error:
        missing = ["--missing", "omit"] if scores.isna().any(axis=None) else []
        options = [*form.typed, *missing, "--scheme", "raw", "-o", _new_file()]
        command = shlex.join(["cdfscore", "standardize", *given.typed, *options])
        raise ScoresError(f"{error}; this command writes one: {command}") from error


def _new_file() -> str:
    """Return the name of a file that does not exist yet."""
    names = itertools.chain(["scores.csv"], (f"scores-{i}.csv" for i in itertools.count(2)))
    return next(name for name in names if not Path(name).exists())


def _own_file(form: Form, given: Inputs, *, one_of_several: bool) -> TextFile:
    if len(given.files) > 1:
        raise ScoresError(
            f"{given.name} are {len(given.files)} files, and the R script reads one; expected one "
            "CSV or TSV file"
        )
    ((name, path),) = given.files
    if name is not None:
        raise ScoresError(
            f"the R script cannot rename the system of {path} to {name}; expected a CSV or TSV "
            "file with this name"
        )
    return TextFile(Path(path), form.text_layout(path, one_of_several=one_of_several))


@contextmanager
def files_for_rscript(
    form: Form, inputs: Sequence[tuple[Inputs, pd.DataFrame]]
) -> Iterator[list[TextFile]]:
    """Yield the files of the user, or temporary CSV files of the scores, while R runs."""
    with tempfile.TemporaryDirectory(prefix="cdfscore-") as folder:
        files = []
        for number, (given, scores) in enumerate(inputs):
            try:
                files.append(file_for_r(form, given, scores, one_of_several=len(inputs) > 1))
            except ScoresError:
                path = Path(folder, f"{number}.csv")
                write_scores(scores, path)
                files.append(TextFile(path, text_layout(path)))
        yield files
