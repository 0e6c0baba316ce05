"""Scores with replicates on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs

if TYPE_CHECKING:
    from cdfscore.models.mixed.replicates import Replicates

ReplicateOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that tells several scores of a system on a topic apart, such as shard. "
        "SCORES has a row for each score. May be repeated.",
    ),
]


def read_replicates(
    given: Inputs, columns: list[str], form: Form, reference: str | None
) -> Replicates:
    """Read the one file of scores with replicates."""
    from cdfscore.models.mixed import replicates

    if reference is not None:
        raise typer.BadParameter(
            "--replicate and --reference exclude each other; save the factors of the reference by "
            "standardize --save-factors, and give them by --factors"
        )
    if len(given.files) > 1 or given.files[0][0] is not None:
        raise typer.BadParameter("--replicate needs one file of SCORES, which names the systems")
    if form.topic_column is False or form.systems_as_rows is not None:
        raise typer.BadParameter(
            "--replicate needs a file with a row for each score; expected no --no-topic-column, "
            "--systems-as-rows or --topics-as-rows"
        )
    return replicates.read_replicates(
        given.files[0][1],
        columns,
        topic_column=form.topic_column,
        measure=form.measure,
        keep_topics=form.keep_topics,
        keep_systems=form.keep_systems,
        drop_topics=form.drop_topics,
        drop_systems=form.drop_systems,
    )
