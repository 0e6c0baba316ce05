"""``cdfscore standardize --stream``: Parquet to Parquet, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.running import shown_progress
from cdfscore.cli.terminal import say

if TYPE_CHECKING:
    from cdfscore.standardization.standardizer import Standardizer

StreamOption = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Read and write block by block, so that memory for a few blocks is enough for a file "
        "of any size. Input and output are Parquet files of the same form, with a column for each "
        "system or a row for each score. The numbers do not change.",
    ),
]
JobsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Number of threads for --stream, each with its own block. Default: 1.",
    ),
]


def check_stream(*, stream: bool, jobs: int | None, others: Mapping[str, object]) -> None:
    """Raise an error for --jobs without --stream, and for options that need all scores at once."""
    if not stream:
        if jobs is not None:
            raise typer.BadParameter("--jobs needs --stream")
        return
    for option, value in others.items():
        if value:
            raise typer.BadParameter(f"--stream and {option} exclude each other")


def stream_scores(given: Inputs, out: str, form: Form, how: Standardizer, jobs: int | None) -> None:
    """Standardize a Parquet file into another, and report what was done."""
    from cdfscore.errors import CdfscoreError, OutputError, ScoresError
    from cdfscore.standardization.streaming.standardize_parquet import standardize_parquet

    _check_form(form)
    ((name, path), *others) = given.files
    if others or name is not None or not path.lower().endswith(".parquet"):
        raise ScoresError(
            f"--stream reads one .parquet file, but SCORES is {given.name}; expected such a file"
        )
    check_paths(given.paths, {"--out": out})
    check_outputs({"--out": (out, [".parquet"])})
    with shown_progress("nothing is written") as begin:
        try:
            done = standardize_parquet(
                path,
                out,
                how,
                jobs=jobs or 1,
                topic_column=form.topic_column or None,
                systems_as_rows=form.systems_as_rows,
                keep_topics=form.keep_topics,
                keep_systems=form.keep_systems,
                progress=begin("topics standardized and written"),
            )
        except OutputError:  # of the other file, which it names
            raise
        except CdfscoreError as error:
            if str(error).startswith(str(Path(path))):  # an error of reading names the file
                raise
            with concerning(path):
                raise
    say(f"{done.size} {done.how}", *done.notes)


def _check_form(form: Form) -> None:
    """Raise an error for options for the form of the file that a stream does not use."""
    streamed = (
        "--topic-column",
        "--keep-topic",
        "--keep-system",
        "--systems-as-rows",
        "--topics-as-rows",
    )
    for word in form.typed:
        if word.startswith("--") and word not in streamed:
            raise typer.BadParameter(f"--stream and {word} exclude each other")
