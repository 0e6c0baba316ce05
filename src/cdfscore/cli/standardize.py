"""``cdfscore standardize``: standardize a score matrix."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cdfscore.cli.direction import Direction, with_direction
from cdfscore.cli.exported import with_plain_labels
from cdfscore.cli.fitted_to import check_reference, standardized
from cdfscore.cli.form import Form, with_form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    ExtraTopicsOption,
    OutOption,
    ReferenceOption,
    ScoresArgument,
    extra_topics_of,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.policies import Policies, with_policies
from cdfscore.cli.running import shown_progress
from cdfscore.cli.streaming import JobsOption, StreamOption, check_stream, stream_scores
from cdfscore.cli.terminal import show_scores, written


@with_plain_labels
@with_direction
@with_form
@with_policies
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
    from cdfscore.cli.what_was_done import say_what_was_done, say_what_was_left_out
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.scores.writing import ENDINGS, encode_scores
    from cdfscore.standardization.formats.saving import ENDINGS as OF_FACTORS
    from cdfscore.standardization.formats.saving import encode_factors
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
        say_what_was_left_out(left)
        return
    with (
        concerning(given.name, reference=reference),
        shown_progress("nothing is written") as begin,
    ):
        (found,) = standardized(matrix, [how], fitted_on, extra, begin)
    contents = {} if out is None else {Path(out): encode_scores(found.scores, Path(out))}
    if save_factors is not None:
        measure = form.measure or found.factors.measure
        contents[Path(save_factors)] = encode_factors(replace(found.factors, measure=measure))
    write_whole(contents)
    if out is None:
        show_scores({"": found.scores})
    say_what_was_done(found)
