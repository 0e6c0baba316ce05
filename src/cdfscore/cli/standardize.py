"""``cdfscore standardize``: standardize a score matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.fitted_to import check_reference, standardized
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    Direction,
    ExtraTopicsOption,
    OutOption,
    Policies,
    ReferenceOption,
    ScoresArgument,
    extra_topics_of,
    with_groups,
    with_plain_labels,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.running import shown_progress
from cdfscore.cli.terminal import say, show_scores, written
from cdfscore.io.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.leave_one_out import LeftOut
    from cdfscore.standardization.standardized import Standardized
    from cdfscore.standardization.standardizer import Standardizer
    from cdfscore.standardization.streaming import Streamed

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


@with_plain_labels
@with_groups
def standardize(
    scores: ScoresArgument,
    scheme: Annotated[
        str,
        typer.Option(
            metavar="SCHEME",
            help="Scheme: NAME or NAME:KEY=VALUE,... 'cdfscore schemes' lists the schemes.",
        ),
    ],
    reference: ReferenceOption = None,
    extra_topics: ExtraTopicsOption = "refuse",
    out: OutOption = None,
    save_factors: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Save the fitted factors to this JSON file, for 'apply'."
        ),
    ] = None,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="Leave-one-out standardization: the scheme for each system is fitted to the "
            "other systems.",
        ),
    ] = False,
    stream: StreamOption = False,
    jobs: JobsOption = None,
    *,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Standardize scores by a scheme fitted to each topic.

    --save-factors also saves the name of the measure, from --measure or from the files. With
    --stream, the file may be larger than the memory.

    Example: cdfscore standardize scores.csv --scheme empirical -o standardized.csv
    """
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.scores.writing import ENDINGS, encode_scores
    from cdfscore.standardization.formats import ENDINGS as OF_FACTORS
    from cdfscore.standardization.formats import encode_factors
    from cdfscore.standardization.leave_one_out import left_out

    if leave_one_out:
        for option, value in (
            ("--reference", reference),
            ("--save-factors", save_factors),
        ):
            if value is not None:
                raise typer.BadParameter(f"--leave-one-out and {option} exclude each other")
    check_stream(
        stream=stream,
        jobs=jobs,
        others={
            "--reference": reference is not None,
            "--extra-topics": extra_topics != "refuse",
            "--save-factors": save_factors is not None,
            "--leave-one-out": leave_one_out,
        },
    )
    given = Inputs.of(scores)
    if stream:
        stream_scores(given, out or "-", form, policies.standardizer(scheme, direction), jobs)
        return
    out = written(out)
    check_paths(
        {**given.paths, "--reference": reference}, {"--out": out, "--save-factors": save_factors}
    )
    check_outputs({"--out": (out, ENDINGS), "--save-factors": (save_factors, OF_FACTORS)})
    extra = extra_topics_of(extra_topics, reference=reference)
    how = policies.standardizer(scheme, direction)
    if save_factors is None:  # those of raw scores have the topics and systems of the reference
        check_reference(reference, [scheme])
    matrix, fitted_on = form.read_both(given, reference, measure_is_used=save_factors is not None)
    if leave_one_out:
        with concerning(given.name):
            left = left_out(matrix, how)
        if out is None:
            show_scores({"": left.scores})
        else:
            write_whole({Path(out): encode_scores(left.scores, Path(out))})
        say_what_was_done(left, size_of(left.scores))
        return
    with concerning(given.name, reference=reference):
        (found,) = standardized(matrix, [how], fitted_on, extra)
    contents = {} if out is None else {Path(out): encode_scores(found.scores, Path(out))}
    if save_factors is not None:
        measure = form.measure or found.factors.measure
        contents[Path(save_factors)] = encode_factors(replace(found.factors, measure=measure))
    write_whole(contents)
    if out is None:
        show_scores({"": found.scores})
    say_what_was_done(found, size_of(found.scores))


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
    from cdfscore.standardization.streaming import standardize_parquet

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
                system_column=form.system_column,
                score_column=form.score_column,
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
    say_what_was_done(done, done.size)


def say_what_was_done(found: Standardized | LeftOut | Streamed, size: str) -> None:
    """Report what was standardized, what the policies changed, and what is censored."""
    from cdfscore.standardization.cautions import censored_notes

    say(f"{size} {found.how}", *found.notes, *censored_notes(found.censored))


def size_of(scores: pd.DataFrame) -> str:
    """Return the numbers of topics and systems as text."""
    return f"{counted(len(scores), 'topic')} x {counted(scores.shape[1], 'system')}"


def _check_form(form: Form) -> None:
    """Raise an error for options for the form of the file that a stream does not use."""
    streamed = (
        "--topic-column",
        "--system-column",
        "--score-column",
        "--keep-topic",
        "--keep-system",
        "--systems-as-rows",
        "--topics-as-rows",
    )
    for word in form.typed:
        if word.startswith("--") and word not in streamed:
            raise typer.BadParameter(
                f"--stream and {word} exclude each other; expected {word} without --stream, which "
                "reads the file into memory"
            )
