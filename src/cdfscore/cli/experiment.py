"""``cdfscore experiment``: experiments on the user's own scores, under any schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.cli.experiment_run import ExperimentRun
from cdfscore.cli.exported import with_plain_labels
from cdfscore.cli.form import Form, with_form
from cdfscore.cli.help import Group
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    ConstantOption,
    ExtraTopicsOption,
    MissingOption,
    OneFileArgument,
    ReferenceOption,
    extra_topics_of,
)
from cdfscore.cli.paths import check_paths, concerning
from cdfscore.cli.running import (
    DaskOption,
    JobsOption,
    OutFolderOption,
    ResumeOption,
)
from cdfscore.cli.spelling import Command
from cdfscore.cli.terminal import say
from cdfscore.errors import CdfscoreError

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.experiments.matrices import SchemeMatrices, Ties
    from cdfscore.standardization.factors import ExtraTopics
    from cdfscore.standardization.policies.constant import ConstantPolicy
    from cdfscore.standardization.policies.missing import MissingPolicy

    Tables = dict[str, pd.DataFrame]

app = typer.Typer(
    name="experiment",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Compare schemes on any scores, higher ones being better, by repeated random samples "
    "of topics and systems.",
)
SchemesOption = Annotated[
    list[str],
    typer.Option(
        metavar="SCHEME",
        help="SCHEME or LABEL=SCHEME, where LABEL is its name in tables; may be given more than "
        "once.",
    ),
]
TrialsOption = Annotated[int, typer.Option(metavar="N", help="Number of trials.")]
SeedOption = Annotated[
    int, typer.Option(metavar="N", help="Trial k, from 0, draws as R does after set.seed(N + k).")
]
AlphaOption = Annotated[
    list[float] | None,
    typer.Option(
        metavar="LEVEL",
        help="Significance level; may be given more than once, in rising order; 19 levels from "
        "0.001 to 0.1 if not given.",
    ),
]
TiesOption = Annotated[
    str,
    typer.Option(
        metavar="TIES",
        help="exact: systems with equal means of E-std are tied; rounded: rounding orders them, as "
        "in R.",
    ),
]
FiguresOption = Annotated[
    bool, typer.Option("--figures", help="Draw a figure too, as SVG and PDF.")
]
HalfSizeOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Topics in each of two samples; half of all, at most 50, if not given.",
    ),
]


@app.command(cls=Command)
@with_plain_labels
@with_form
def within(
    context: typer.Context,
    scores: OneFileArgument,
    scheme: SchemesOption,
    out: OutFolderOption,
    size: Annotated[
        int | None,
        typer.Option(metavar="N", help="Topics in a trial; all, at most 50, if not given."),
    ] = None,
    trials: TrialsOption = 1000,
    seed: SeedOption = 0,
    alpha: AlphaOption = None,
    ties: TiesOption = "exact",
    figures: FiguresOption = False,
    reference: ReferenceOption = None,
    extra_topics: ExtraTopicsOption = "refuse",
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    jobs: JobsOption = None,
    dask: DaskOption = None,
    resume: ResumeOption = False,
    *,
    form: Form,
) -> None:
    """Compare rankings by raw and standardized scores, and the power of paired t tests.

    Writes tau.csv, tauAP.csv and r.csv, one row per trial, and power.csv, one row per level.

    Example: cdfscore experiment within scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Within

    _check_drawing(figures)
    extra = extra_topics_of(extra_topics, reference=reference)
    matrices = _matrices(scores, reference, extra, form, scheme, ties, constant, missing)
    subject = Within(matrices, size, tuple(alpha or ALPHAS), seed)
    say(*matrices.cautions)
    draws = f"sample(1:{matrices.topics}, {subject.size})"
    ExperimentRun(context.params).carry_out(subject, (scores, reference), draws, figures)


@app.command(cls=Command)
@with_plain_labels
@with_form
def between(
    context: typer.Context,
    scores: OneFileArgument,
    scheme: SchemesOption,
    out: OutFolderOption,
    size: HalfSizeOption = None,
    trials: TrialsOption = 1000,
    seed: SeedOption = 0,
    alpha: AlphaOption = None,
    ties: TiesOption = "exact",
    figures: FiguresOption = False,
    reference: ReferenceOption = None,
    extra_topics: ExtraTopicsOption = "refuse",
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    jobs: JobsOption = None,
    dask: DaskOption = None,
    resume: ResumeOption = False,
    *,
    form: Form,
) -> None:
    """Compare rankings on two samples of topics, and errors and power of Welch's t test.

    Writes tau.csv, tauAP.csv and r.csv, one row per trial, and type1.csv and power.csv, one
    row per level.

    Example: cdfscore experiment between scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Between

    _check_drawing(figures)
    extra = extra_topics_of(extra_topics, reference=reference)
    matrices = _matrices(scores, reference, extra, form, scheme, ties, constant, missing)
    subject = Between(matrices, size, tuple(alpha or ALPHAS), seed)
    say(*matrices.cautions)
    assert subject.size is not None
    draws = f"sample(1:{matrices.topics}, {2 * subject.size}), the first {subject.size} of them one"
    ExperimentRun(context.params).carry_out(
        subject, (scores, reference), draws + " sample", figures
    )


@app.command(cls=Command)
@with_plain_labels
@with_form
def reference_size(
    context: typer.Context,
    scores: OneFileArgument,
    scheme: SchemesOption,
    out: OutFolderOption,
    systems: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            help="Reference systems in a sample; may be given more than once, in rising order; 2, "
            "5, 10, 20, 50, ... and all that are not held out if not given.",
        ),
    ] = None,
    held_out: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Held-out systems, which are ranked and tested; a quarter of all if not given.",
        ),
    ] = None,
    size: HalfSizeOption = None,
    trials: TrialsOption = 1000,
    seed: SeedOption = 0,
    alpha: AlphaOption = None,
    ties: TiesOption = "exact",
    figures: FiguresOption = False,
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    jobs: JobsOption = None,
    dask: DaskOption = None,
    resume: ResumeOption = False,
    *,
    form: Form,
) -> None:
    """Fit schemes to samples of the systems, and rank and test systems that are held out.

    Writes tau.csv, tauAP.csv, power_paired.csv, power_unpaired.csv, type1.csv and constant.csv,
    each with rows for every number of reference systems.

    Example: cdfscore experiment reference-size scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS
    from cdfscore.experiments.reference_size import ReferenceSize
    from cdfscore.experiments.refitted import refitted

    _check_drawing(figures)
    check_paths({"SCORES": scores}, {})
    labelled = _schemes(scheme)
    matrix = form.read(Inputs.one(scores))
    with concerning(scores):
        subject = ReferenceSize(
            refitted(
                matrix,
                labelled,
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


def _check_drawing(figures: bool) -> None:
    """Raise `MissingDependencyError` if figures are asked for and cannot be drawn."""
    if figures:
        from cdfscore.plots.canvas import require_matplotlib

        require_matplotlib()


def _schemes(given: Sequence[str]) -> dict[str, str]:
    """Return the spelling of each scheme by its label; the default label is the spelling."""
    labelled: dict[str, str] = {}
    for text in given:
        label, equals, spelling = text.partition("=")
        if not equals or ":" in label:  # a setting, as in uniform:A=0.2
            label, spelling = text, text
        if label != label.strip() or label in ("", "alpha", "reference_systems"):
            raise CdfscoreError(
                f"--scheme {text!r} has the label {label!r}; expected a label that is not "
                "empty, has no spaces at its ends, and is not the column alpha or reference_systems"
            )
        if label in labelled:
            raise CdfscoreError(
                f"--scheme {text!r}: the label {label!r} is given twice; expected one scheme per "
                "label, such as mine=uniform:A=0.2"
            )
        labelled[label] = spelling
    return labelled


def _matrices(
    scores: str,
    reference: str | None,
    extra_topics: ExtraTopics,
    form: Form,
    scheme: Sequence[str],
    ties: str,
    constant: str,
    missing: str,
) -> SchemeMatrices:
    from cdfscore.experiments import standardized

    check_paths({"SCORES": scores, "--reference": reference}, {})
    labelled = _schemes(scheme)
    matrix, fitted_on = form.read_both(Inputs.one(scores), reference)
    with concerning(scores, reference=reference):
        return standardized(
            matrix,
            labelled,
            reference=fitted_on,
            extra_topics=extra_topics,
            ties=cast("Ties", ties),
            constant=cast("ConstantPolicy", constant),
            missing=cast("MissingPolicy", missing),
        )
