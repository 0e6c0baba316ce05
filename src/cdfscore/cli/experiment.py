"""``cdfscore experiment``: experiments on the scores of the user, with any schemes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cdfscore.cli.experiment_run import ExperimentRun
from cdfscore.cli.exported import with_plain_labels
from cdfscore.cli.form import Form, with_form
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
from cdfscore.cli.spelling import Command, Group
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
    help="Compare schemes by repeated random samples of your scores. Each trial draws topics, or "
    "topics and systems. Higher scores must be better.",
)
SchemesOption = Annotated[
    list[str],
    typer.Option(
        metavar="SCHEME",
        help="SCHEME or LABEL=SCHEME. LABEL is the name of the scheme in the tables. May be "
        "repeated.",
    ),
]
TrialsOption = Annotated[int, typer.Option(metavar="N", help="Number of trials.")]
SeedOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Random seed. Trial k, counted from 0, draws as R does after set.seed(N + k).",
    ),
]
AlphaOption = Annotated[
    list[float] | None,
    typer.Option(
        metavar="LEVEL",
        help="Significance level. May be repeated, in increasing order. Default: 19 levels from "
        "0.001 to 0.1.",
    ),
]
TiesOption = Annotated[
    str,
    typer.Option(
        metavar="TIES",
        help="exact: systems with equal means of E-std are tied. rounded: rounding errors order "
        "them, as in R.",
    ),
]
FiguresOption = Annotated[
    bool, typer.Option("--figures", help="Also draw a figure, as SVG and PDF.")
]
HalfSizeOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of topics in each of the two samples. Default: half of all topics, at most "
        "50.",
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
        typer.Option(
            metavar="N", help="Number of topics in a trial. Default: all topics, at most 50."
        ),
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

    Writes tau.csv, tauAP.csv and r.csv with a row for each trial, and power.csv with a row for each
    level.

    Example: cdfscore experiment within scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Within

    _check_drawing(figures)
    extra = extra_topics_of(extra_topics, reference=reference)
    matrices = _matrices(scores, reference, extra, form, scheme, ties, constant, missing)
    subject = Within(matrices, size, tuple(alpha or ALPHAS), seed)
    say(*matrices.cautions)
    draws = f"sample(1:{matrices.topics}, {subject.size})"
    ExperimentRun(context.params).carry_out(
        subject, {"SCORES": scores, "--reference": reference}, draws, figures
    )


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
    """Compare rankings on two samples of topics, and the errors of Welch's t test.

    Writes tau.csv, tauAP.csv, r.csv, drmse.csv and swap_rate.csv with a row for each trial, and
    type1.csv (type I errors) and power.csv with a row for each level.

    Example: cdfscore experiment between scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Between

    _check_drawing(figures)
    extra = extra_topics_of(extra_topics, reference=reference)
    matrices = _matrices(scores, reference, extra, form, scheme, ties, constant, missing)
    subject = Between(matrices, size, tuple(alpha or ALPHAS), seed)
    say(*matrices.cautions)
    assert subject.size is not None
    draws = (
        f"sample(1:{matrices.topics}, {2 * subject.size}), the first {subject.size} as one sample "
        "and the others as the other sample"
    )
    ExperimentRun(context.params).carry_out(
        subject, {"SCORES": scores, "--reference": reference}, draws, figures
    )


@app.command(cls=Command)
@with_plain_labels
@with_form
def halves(
    context: typer.Context,
    scores: OneFileArgument,
    scheme: SchemesOption,
    out: OutFolderOption,
    other: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="OTHER",
            help="Scores of the same systems on another collection. The topics of both are drawn "
            "together, and the two collections are compared with the random parts.",
        ),
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            metavar="TEST",
            help="Test of each system on one half against itself on the other. 'cdfscore tests' "
            "lists the tests of two independent samples.",
        ),
    ] = "student_t",
    alpha: Annotated[
        float, typer.Option(metavar="LEVEL", help="Significance level of false positives.")
    ] = 0.05,
    trials: TrialsOption = 1000,
    seed: SeedOption = 0,
    ties: TiesOption = "exact",
    figures: FiguresOption = False,
    reference: ReferenceOption = None,
    with_reference: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Reference systems of OTHER, beside --reference."),
    ] = None,
    extra_topics: ExtraTopicsOption = "refuse",
    constant: ConstantOption = "limit",
    missing: MissingOption = "raise",
    jobs: JobsOption = None,
    dask: DaskOption = None,
    resume: ResumeOption = False,
    *,
    form: Form,
) -> None:
    """Halve the topics at random, and compare each system with itself.

    Writes drmse.csv, false_positives.csv, tau.csv, tauAP.csv, r.csv and swap_rate.csv with a row
    for each trial, and summary.csv with means and percentiles. With --with it also writes
    collections.csv, and each collection is standardized by its own systems or reference.

    Example: cdfscore experiment halves scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import Halves, pooled

    _check_drawing(figures)
    if other is None and with_reference is not None:
        raise typer.BadParameter("--with-reference needs --with OTHER")
    if other is not None and (reference is None) != (with_reference is None):
        raise typer.BadParameter(
            "--reference and --with-reference need each other: each collection has its own"
        )
    inputs = {"--with": other, "--with-reference": with_reference}
    policies = (scheme, ties, constant, missing)
    extra = extra_topics_of(extra_topics, reference=reference)
    matrices = _matrices(scores, reference, extra, form, *policies, others=inputs)
    if other is not None:
        second = _matrices(other, with_reference, extra, form, *policies)
        with concerning(other):
            matrices = pooled(matrices, second)
    subject = Halves(matrices, test, alpha, seed)
    say(*matrices.cautions)
    part = "the first collection" if other else "one half"
    draws = f"sample(1:{matrices.topics}, {subject.size}) as {part}, and the others as the other"
    ExperimentRun(context.params).carry_out(
        subject, {"SCORES": scores, "--reference": reference, **inputs}, draws, figures
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
            help="Number of reference systems in a sample. May be repeated, in increasing order. "
            "Default: 2, 5, 10, 20, 50, ... and all systems that are not held out.",
        ),
    ] = None,
    held_out: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of held-out systems, which are ranked and tested. Default: a quarter of "
            "all systems. With --reference all systems of SCORES are.",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Scores of the systems of which samples are drawn, on the same topics. Default: "
            "the systems of SCORES that are not held out.",
        ),
    ] = None,
    extra_topics: ExtraTopicsOption = "refuse",
    size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of topics in each of the two samples. Default: half of all topics, at "
            "most 50; with --reference, one sample of all topics.",
        ),
    ] = None,
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
    """Fit schemes to samples of the systems, and test held-out systems.

    The held-out systems are ranked as well. With --reference, samples are drawn of other systems.
    Writes tau.csv, tauAP.csv, power_paired.csv, power_unpaired.csv, type1.csv and constant.csv,
    with rows for each number of reference systems. With all topics in one sample, there are no
    power_unpaired.csv and type1.csv.

    Example: cdfscore experiment reference-size scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS
    from cdfscore.experiments.reference_size import ReferenceSize
    from cdfscore.experiments.refitted import refitted

    _check_drawing(figures)
    inputs = {"SCORES": scores, "--reference": reference}
    check_paths(inputs, {})
    labelled = _schemes(scheme)
    extra = extra_topics_of(extra_topics, reference=reference)
    matrix, others = form.read_both(Inputs.one(scores), reference)
    with concerning(scores, reference=reference):
        subject = ReferenceSize(
            refitted(
                matrix,
                labelled,
                reference=others,
                extra_topics=extra,
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
    draws = f"sample(1:{subject.schemes.sampled.shape[1]})"
    if reference is None:
        draws += f", the last {subject.held_out} as held-out systems"
    if (half := subject.size) is not None:
        topics = f"sample(1:{subject.schemes.topics}, {2 * half})"
        draws = f"{topics}, the first {half} as one half, and {draws}"
    ExperimentRun(context.params).carry_out(subject, inputs, draws, figures)


def _check_drawing(figures: bool) -> None:
    """Raise `MissingDependencyError` if figures are wanted but matplotlib is not installed."""
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
    others: Mapping[str, str | None] | None = None,
) -> SchemeMatrices:
    from cdfscore.experiments import standardized

    check_paths({"SCORES": scores, "--reference": reference, **(others or {})}, {})
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
