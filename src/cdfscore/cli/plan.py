"""``cdfscore plan``: the number of topics of a test collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdfscore.cli.factors import uses_measure
from cdfscore.cli.fitted_to import FittedTo
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    OR_TABLE,
    Direction,
    Policies,
    ScoresArgument,
    with_groups,
    with_plain_labels,
)
from cdfscore.cli.paths import check_outputs, check_paths, concerning
from cdfscore.cli.terminal import ROWS, say, show_result, written


@with_plain_labels
@with_groups
def plan(
    scores: ScoresArgument,
    goal: Annotated[
        str,
        typer.Option(
            metavar="GOAL",
            help="What the collection must reach. For power: paired_t:difference=D, "
            "one_way:difference=D or two_way:difference=D, with power=0.8, alpha=0.05 and, for "
            "the last two, systems=M. For precision: interval:width=W. For reliability: "
            "generalizability:reliability=R or dependability:reliability=R.",
        ),
    ],
    pilot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Scores of another pilot. Its variances are pooled with those of SCORES. May be "
            "repeated.",
        ),
    ] = None,
    scheme: Annotated[
        str,
        typer.Option(
            metavar="SCHEME",
            help="Standardize the scores by this scheme first. 'cdfscore schemes' lists the "
            "schemes.",
        ),
    ] = "raw",
    *,
    fitted_to: FittedTo,
    topics: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            help="Number of topics for a row of the curve. May be repeated. Default: some numbers "
            "up to twice the answer.",
        ),
    ] = None,
    check: Annotated[
        int,
        typer.Option(
            metavar="B",
            help="Check the answer by B resamples of the topics of the pilot, 100 or more. 0: no "
            "check.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the resamples.")] = 0,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="Output file for the curve, with a row for each number of topics: .csv, .tsv, "
            f".json, .tex, .md or .html. {OR_TABLE}",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the curve to this .svg, .pdf or .png file."),
    ] = None,
    policies: Policies,
    form: Form,
    direction: Direction,
) -> None:
    """Find how many topics a test collection needs.

    SCORES are pilot data, from which the variances are estimated.

    Example: cdfscore plan scores.csv --goal paired_t:difference=0.05 --check 1000 -o curve.csv
    """
    from cdfscore.io.atomic import write_whole
    from cdfscore.io.scores.memory import measure_of, same_measure
    from cdfscore.models.goals.registry import parse_goal
    from cdfscore.models.planning import check_settings
    from cdfscore.models.planning import plan as planned
    from cdfscore.plots.canvas import require_matplotlib
    from cdfscore.plots.saving import ENDINGS as OF_FIGURES
    from cdfscore.report.models import of_plan
    from cdfscore.report.writing import ENDINGS, encode

    out = written(out)
    given = Inputs.of(scores)
    others = [Inputs.one(each) for each in pilot or ()]
    paths = {f"--pilot {each}": each for each in pilot or ()}
    check_paths({**given.paths, **paths, **fitted_to.paths}, {"--out": out, "--plot": plot})
    check_outputs({"--out": (out, ENDINGS), "--plot": (plot, OF_FIGURES)})
    # Mistakes in these options are reported before a file is read.
    wanted = parse_goal(goal)
    check_settings(wanted, topics or (), check, seed)
    if plot is not None:
        require_matplotlib()
    extra = fitted_to.extra()
    (way,) = fitted_to.ways([scheme], policies, direction, form)
    reference = fitted_to.reference
    every = [given, *others, *([] if reference is None else [Inputs.one(reference)])]
    first, *rest = frames = form.read_several(every, measure_is_used=uses_measure(way))
    same_measure((measure_of(f), own.name) for f, own in zip(frames, every, strict=True))
    fitted_on = None if reference is None else rest.pop()
    with concerning(given.name, reference=reference):
        found = planned(
            first,
            wanted,
            scheme=way,
            others=rest,
            reference=fitted_on,
            extra_topics=extra,
            topics=topics,
            check=check,
            seed=seed,
        )
    contents = {} if out is None else {Path(out): encode(found, Path(out))}
    if plot is not None:
        from cdfscore.plots.saving import encode_figure

        contents[Path(plot)] = encode_figure(found.plot(), Path(plot))
    write_whole(contents)
    if out is None:
        show_result([of_plan(found, ROWS // 2)], None)
    else:
        say(found.answer, *found.notes)
