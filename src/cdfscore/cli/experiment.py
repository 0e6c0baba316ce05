"""``cdfscore experiment``: experiments on the user's own scores, under any schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.cli.experiment_run import ExperimentRun
from cdfscore.cli.options import (
    ConstantOption,
    MissingOption,
    NoTopicColumnOption,
    ReferenceOption,
    ScoresArgument,
    SystemsAsRowsOption,
    TopicColumnOption,
    read,
)
from cdfscore.cli.paths import check_paths, concerning
from cdfscore.cli.running import (
    DaskOption,
    JobsOption,
    OutFolderOption,
    ResumeOption,
)
from cdfscore.errors import CdfscoreError

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.experiments.matrices import SchemeMatrices, Ties
    from cdfscore.standardization.policies.constant import ConstantPolicy
    from cdfscore.standardization.policies.missing import MissingPolicy

    Tables = dict[str, pd.DataFrame]

app = typer.Typer(
    name="experiment",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Draw topics and systems again and again, and compare schemes on any scores.",
)
SchemesOption = Annotated[
    list[str],
    typer.Option(
        metavar="SCHEME",
        help="SCHEME or LABEL=SCHEME, by which tables call it; may be given more than once.",
    ),
]
TrialsOption = Annotated[int, typer.Option(metavar="N", help="How many trials.")]
SeedOption = Annotated[
    int, typer.Option(metavar="N", help="Trial k, from 0, draws as R does after set.seed(N + k).")
]
AlphaOption = Annotated[
    list[float] | None,
    typer.Option(
        metavar="LEVEL",
        help="Significance level; more than one: rising. 0.001 to 0.1 in 19 steps if not given.",
    ),
]
TiesOption = Annotated[
    str,
    typer.Option(
        metavar="TIES",
        help="exact: E-std ranks systems of equal means as tied; rounded: by rounding, as R.",
    ),
]
HalfSizeOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Topics of each of two samples; half of all, and 50 at most, if not given.",
    ),
]


@app.command()
def within(
    context: typer.Context,
    scores: ScoresArgument,
    scheme: SchemesOption,
    out: OutFolderOption,
    size: Annotated[
        int | None,
        typer.Option(metavar="N", help="Topics of a trial; all, and 50 at most, if not given."),
    ] = None,
    trials: TrialsOption = 1000,
    seed: SeedOption = 0,
    alpha: AlphaOption = None,
    ties: TiesOption = "exact",
    reference: ReferenceOption = None,
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    topic_column: TopicColumnOption = None,
    no_topic_column: NoTopicColumnOption = False,
    systems_as_rows: SystemsAsRowsOption = False,
    jobs: JobsOption = None,
    dask: DaskOption = None,
    resume: ResumeOption = False,
) -> None:
    """Compare rankings by raw and standardized scores, and the power of paired t tests.

    Writes tau.csv, tauAP.csv and r.csv, a row a trial, and power.csv, a row a level.

    Example: cdfscore experiment within scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Within

    form = (topic_column, no_topic_column, systems_as_rows)
    with concerning(scores):
        matrices = _matrices(scores, reference, form, scheme, ties, constant, missing)
        subject = Within(matrices, size, tuple(alpha or ALPHAS), seed)
    draws = f"sample(1:{matrices.topics}, {subject.size})"
    ExperimentRun(context.params).carry_out(subject, (scores, reference), draws)


@app.command()
def between(
    context: typer.Context,
    scores: ScoresArgument,
    scheme: SchemesOption,
    out: OutFolderOption,
    size: HalfSizeOption = None,
    trials: TrialsOption = 1000,
    seed: SeedOption = 0,
    alpha: AlphaOption = None,
    ties: TiesOption = "exact",
    reference: ReferenceOption = None,
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    topic_column: TopicColumnOption = None,
    no_topic_column: NoTopicColumnOption = False,
    systems_as_rows: SystemsAsRowsOption = False,
    jobs: JobsOption = None,
    dask: DaskOption = None,
    resume: ResumeOption = False,
) -> None:
    """Compare rankings over two samples of topics, and the errors and power of Welch's t test.

    Writes tau.csv, tauAP.csv and r.csv, a row a trial, and type1.csv and power.csv, a row a
    level.

    Example: cdfscore experiment between scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Between

    form = (topic_column, no_topic_column, systems_as_rows)
    with concerning(scores):
        matrices = _matrices(scores, reference, form, scheme, ties, constant, missing)
        subject = Between(matrices, size, tuple(alpha or ALPHAS), seed)
    assert subject.size is not None
    draws = f"sample(1:{matrices.topics}, {2 * subject.size}), the first {subject.size} of them one"
    ExperimentRun(context.params).carry_out(subject, (scores, reference), draws + " sample")


@app.command()
def reference_size(
    context: typer.Context,
    scores: ScoresArgument,
    scheme: SchemesOption,
    out: OutFolderOption,
    systems: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            help="Reference systems of a sample; more than one: rising. 2, 5, 10, 20, 50, ... "
            "and all that are not held out if not given.",
        ),
    ] = None,
    held_out: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Systems that are ranked and tested; a quarter of all if not given."
        ),
    ] = None,
    size: HalfSizeOption = None,
    trials: TrialsOption = 1000,
    seed: SeedOption = 0,
    alpha: AlphaOption = None,
    ties: TiesOption = "exact",
    figures: Annotated[
        bool, typer.Option("--figures", help="Draw a figure too, as SVG and PDF.")
    ] = False,
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    topic_column: TopicColumnOption = None,
    no_topic_column: NoTopicColumnOption = False,
    systems_as_rows: SystemsAsRowsOption = False,
    jobs: JobsOption = None,
    dask: DaskOption = None,
    resume: ResumeOption = False,
) -> None:
    """Fit schemes to samples of the systems, and rank and test systems that are held out.

    Writes tau.csv, tauAP.csv, power_paired.csv, power_unpaired.csv, type1.csv and constant.csv,
    with a row for each number of reference systems and more.

    Example: cdfscore experiment reference-size scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS
    from cdfscore.experiments.reference_size import ReferenceSize
    from cdfscore.experiments.refitted import refitted

    if figures:
        from cdfscore.plots.canvas import require_matplotlib

        require_matplotlib()
    with concerning(scores):
        check_paths({"SCORES": scores}, {})
        matrix = read(scores, topic_column, no_topic_column, systems_as_rows)
        subject = ReferenceSize(
            refitted(
                matrix,
                _schemes(scheme),
                ties=cast("Ties", ties),
                constant=cast("ConstantPolicy", constant),
                missing=cast("MissingPolicy", missing),
            ),
            tuple(systems) if systems else None,
            held_out,
            size,
            tuple(alpha or ALPHAS),
            seed,
        )
    assert subject.size is not None
    draws = (
        f"sample(1:{subject.schemes.topics}, {2 * subject.size}), the first {subject.size} of them "
        f"one half, and sample(1:{subject.schemes.systems}), the last {subject.held_out} of them "
        "held out"
    )
    ExperimentRun(context.params).carry_out(subject, (scores, None), draws, figures)


def _schemes(given: Sequence[str]) -> dict[str, str]:
    """Return the spelling of each scheme by its label, which is the spelling if not given."""
    labelled: dict[str, str] = {}
    for text in given:
        label, equals, spelling = text.partition("=")
        if not equals or ":" in label:  # a setting, as in uniform:A=0.2
            label, spelling = text, text
        if label != label.strip() or label in ("", "alpha", "reference_systems"):
            raise CdfscoreError(
                f"--scheme {text!r} has the label {label!r}; expected another one, not empty, "
                "without spaces at its ends, and not alpha or reference_systems, which are columns"
            )
        if label in labelled:
            raise CdfscoreError(
                f"--scheme {text!r}: the label {label!r} is given twice; expected one scheme each, "
                "such as mine=uniform:A=0.2"
            )
        labelled[label] = spelling
    return labelled


def _matrices(
    scores: str,
    reference: str | None,
    form: tuple[str | None, bool, bool],
    scheme: Sequence[str],
    ties: str,
    constant: str,
    missing: str,
) -> SchemeMatrices:
    from cdfscore.experiments import standardized

    check_paths({"SCORES": scores, "--reference": reference}, {})
    return standardized(
        read(scores, *form),
        _schemes(scheme),
        reference=None if reference is None else read(reference, *form),
        ties=cast("Ties", ties),
        constant=cast("ConstantPolicy", constant),
        missing=cast("MissingPolicy", missing),
    )
