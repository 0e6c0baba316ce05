"""``cdfscore plan``: the number of topics of a test collection."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from cdfscore.cli.given import Inputs, Standardization, uses_measure
from cdfscore.cli.options import READ, Figure, Result
from cdfscore.cli.paths import write_outputs
from cdfscore.cli.terminal import ROWS, say, show_result


def plan(
    given: Inputs,
    *,
    goal: str,
    pilot: Annotated[list[str] | None, READ] = None,
    scheme: str = "raw",
    standardization: Standardization,
    topics: list[int] | None = None,
    check: int = 0,
    seed: int = 0,
    out: Result = None,
    plot: Figure = None,
) -> None:
    """Find how many topics a test collection needs.

    SCORES are pilot data, from which the variances are estimated.

    Examples:
    cdfscore plan scores.csv --goal paired_t:difference=0.05
    cdfscore plan scores.csv --goal interval:width=0.1 --check 1000 -o curve.csv
    cdfscore plan 2019.csv --pilot old.csv --goal generalizability:reliability=0.9

    Parameters
    ----------
    goal : GOAL
        What the collection must reach. For power: paired_t:difference=D, one_way:difference=D or
        two_way:difference=D, with power=0.8, alpha=0.05 and, for the last two, systems=M. For
        precision: interval:width=W. For reliability: generalizability:reliability=R or
        dependability:reliability=R.
    pilot : FILE
        Scores of another pilot. Its variances are pooled with those of SCORES. May be repeated.
    scheme : SCHEME
        Standardize the scores by this scheme first. 'cdfscore schemes' lists the schemes.
    topics : N
        Number of topics for a row of the curve. May be repeated. Default: some numbers up to twice
        the answer.
    check : B
        Check the answer by B resamples of the topics of the pilot, 100 or more. 0: no check.
    seed : N
        Seed of the resamples.
    out : OUT
        Output file for the curve, with a row for each number of topics: .csv, .tsv, .json, .tex,
        .md or .html.
    plot : FILE
        Draw the curve to this .svg, .pdf or .png file.
    """
    from cdfscore.models.goals import check_settings, parse_goal
    from cdfscore.models.goals import plan as planned
    from cdfscore.plots.canvas import encode_figure
    from cdfscore.report.models import of_plan
    from cdfscore.report.writing import encode
    from cdfscore.scores.dataframes import measure_of, same_measure

    others = [Inputs.one(each) for each in pilot or ()]
    # Mistakes in these options are reported before a file is read.
    wanted = parse_goal(goal)
    check_settings(wanted, topics or (), check, seed)
    (way,) = standardization.ways([scheme])
    reference = standardization.reference
    every = [given, *others, *([] if reference is None else [Inputs.one(reference)])]
    first, *rest = frames = standardization.form.read_several(
        every, measure_is_used=uses_measure(way)
    )
    same_measure((measure_of(f), own.name) for f, own in zip(frames, every, strict=True))
    fitted_on = None if reference is None else rest.pop()
    with standardization.concerning(given):
        found = planned(
            first,
            wanted,
            scheme=way,
            others=rest,
            reference=fitted_on,
            extra_topics=standardization.extra(),
            topics=topics,
            check=check,
            seed=seed,
        )
    write_outputs(
        (out, partial(encode, found)),
        (plot, lambda path: encode_figure(found.plot(), path)),
    )
    if out is None:
        show_result([of_plan(found, ROWS // 2)], None)
    else:
        say(found.answer, *found.notes)
