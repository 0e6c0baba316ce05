"""``cdfscore experiment``: experiments on the scores of the user, with any schemes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdfscore.cli.experiment_run import ExperimentRun
from cdfscore.cli.fitted_to import check_reference
from cdfscore.cli.form import Form
from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import (
    ConstantOption,
    ExtraTopicsOption,
    MissingOption,
    OneFileArgument,
    ReferenceOption,
    extra_topics_of,
    with_groups,
    with_plain_labels,
)
from cdfscore.cli.paths import check_paths, concerning, concerning_both
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

    from cdfscore.experiments.matrices import SchemeMatrices

app = typer.Typer(
    name="experiment",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Compare schemes by repeated random samples of your scores. Each trial draws topics, or "
    "topics and systems. Higher scores must be better.",
)
AlphaOption = Annotated[
    list[float] | None,
    typer.Option(
        metavar="LEVEL",
        help="Significance level. May be repeated, in increasing order. Default: 19 levels from "
        "0.001 to 0.1.",
    ),
]
HALF = "Number of topics in each of the two samples. Default: half of all topics, at most 50"


@dataclass(frozen=True)
class Asked:
    """The options that all experiments have."""

    scheme: Annotated[
        list[str],
        typer.Option(
            metavar="SCHEME",
            help="SCHEME or LABEL=SCHEME. LABEL is the name of the scheme in the tables. May be "
            "repeated.",
        ),
    ]
    out: OutFolderOption
    trials: Annotated[int, typer.Option(metavar="N", help="Number of trials.")] = 1000
    seed: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Random seed. Trial k, counted from 0, draws as R does after set.seed(N + k).",
        ),
    ] = 0
    ties: Annotated[
        str,
        typer.Option(
            metavar="TIES",
            help="exact: systems with equal means of E-std are tied. rounded: rounding errors "
            "order them, as in R.",
        ),
    ] = "exact"
    figures: Annotated[
        bool, typer.Option("--figures", help="Also draw a figure, as SVG and PDF.")
    ] = False
    reference: ReferenceOption = None
    extra_topics: ExtraTopicsOption = "refuse"
    constant: ConstantOption = "limit"
    missing: MissingOption = "raise"
    jobs: JobsOption = None
    dask: DaskOption = None
    resume: ResumeOption = False

    @property
    def policies(self) -> dict[str, Any]:
        """The policies of scores; those that are unknown are refused where they are used."""
        extra = extra_topics_of(self.extra_topics, reference=self.reference)
        return {
            "extra_topics": extra,
            "ties": self.ties,
            "constant": self.constant,
            "missing": self.missing,
        }

    @property
    def schemes(self) -> dict[str, str]:
        """The spelling of each scheme by its label; the default label is the spelling."""
        labelled: dict[str, str] = {}
        for text in self.scheme:
            label, equals, spelling = text.partition("=")
            if not equals or ":" in label:  # a setting, as in uniform:A=0.2
                label, spelling = text, text
            if label != label.strip() or label in ("", "alpha", "reference_systems"):
                raise CdfscoreError(
                    f"--scheme {text!r} has the label {label!r}; expected a label that is not "
                    "empty, has no spaces at its ends, and is not the column alpha or "
                    "reference_systems"
                )
            if label in labelled:
                raise CdfscoreError(
                    f"--scheme {text!r}: the label {label!r} is given twice; expected one scheme "
                    "per label, such as mine=uniform:A=0.2"
                )
            labelled[label] = spelling
        return labelled

    def read(self, form: Form, inputs: Mapping[str, str | None]) -> list[pd.DataFrame | None]:
        """Read the files, the first of which is given, after checks of the options."""
        if self.figures:
            from cdfscore.plots.canvas import require_matplotlib

            require_matplotlib()
        check_paths(inputs, {})
        _ = self.policies  # mistakes in them are reported before a file is read
        check_reference(self.reference, [*self.schemes.values()])
        scores, *others = inputs.values()
        assert scores is not None
        return form.read_all(Inputs.one(scores), *others)

    def standardized(
        self,
        path: str,
        reference: str | None,
        matrix: pd.DataFrame | None,
        fitted_on: pd.DataFrame | None,
    ) -> SchemeMatrices:
        """Standardize the scores of a file by the schemes."""
        from cdfscore.experiments import standardized

        assert matrix is not None
        with concerning(path, reference=reference):
            return standardized(matrix, self.schemes, reference=fitted_on, **self.policies)


def _experiment(command: Callable[..., None]) -> Callable[..., None]:
    """Make an experiment of a command: its options are in the arguments `asked` and `form`."""
    return app.command(cls=Command)(with_plain_labels(with_groups(command)))


@_experiment
def within(
    context: typer.Context,
    scores: OneFileArgument,
    *,
    asked: Asked,
    size: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of topics in a trial. Default: all topics, at most 50."
        ),
    ] = None,
    alpha: AlphaOption = None,
    form: Form,
) -> None:
    """Compare rankings by raw and standardized scores, and the power of paired t tests.

    Writes tau.csv, tauAP.csv and r.csv with a row for each trial, and power.csv with a row for each
    level.

    Example: cdfscore experiment within scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Within

    inputs = {"SCORES": scores, "--reference": asked.reference}
    matrices = asked.standardized(scores, asked.reference, *asked.read(form, inputs))
    with concerning(scores):
        subject = Within(matrices, size, tuple(alpha or ALPHAS), asked.seed)
    say(*matrices.cautions)
    draws = f"sample(1:{matrices.topics}, {subject.size})"
    ExperimentRun(context.params).carry_out(subject, inputs, draws, asked.figures)


@_experiment
def between(
    context: typer.Context,
    scores: OneFileArgument,
    *,
    asked: Asked,
    size: Annotated[int | None, typer.Option(metavar="N", help=f"{HALF}.")] = None,
    alpha: AlphaOption = None,
    form: Form,
) -> None:
    """Compare rankings on two samples of topics, and the errors of Welch's t test.

    Writes tau.csv, tauAP.csv, r.csv, drmse.csv and swap_rate.csv with a row for each trial, and
    type1.csv (type I errors) and power.csv with a row for each level.

    Example: cdfscore experiment between scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS, Between

    inputs = {"SCORES": scores, "--reference": asked.reference}
    matrices = asked.standardized(scores, asked.reference, *asked.read(form, inputs))
    with concerning(scores):
        subject = Between(matrices, size, tuple(alpha or ALPHAS), asked.seed)
    say(*matrices.cautions)
    assert subject.size is not None
    draws = (
        f"sample(1:{matrices.topics}, {2 * subject.size}), the first {subject.size} as one sample "
        "and the others as the other sample"
    )
    ExperimentRun(context.params).carry_out(subject, inputs, draws, asked.figures)


@_experiment
def halves(
    context: typer.Context,
    scores: OneFileArgument,
    *,
    asked: Asked,
    other: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="OTHER",
            help="Scores of the same systems on another collection. The topics of both are drawn "
            "together, and the two collections are compared with the random parts.",
        ),
    ] = None,
    with_reference: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Reference systems of OTHER, beside --reference."),
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
    form: Form,
) -> None:
    """Halve the topics at random, and compare each system with itself.

    Writes drmse.csv, false_positives.csv, tau.csv, tauAP.csv, r.csv and swap_rate.csv with a row
    for each trial, and summary.csv with means and percentiles. With --with it also writes
    collections.csv, and each collection is standardized by its own systems or reference.

    Example: cdfscore experiment halves scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import Halves, pooled

    if other is None and with_reference is not None:
        raise typer.BadParameter("--with-reference needs --with OTHER")
    if other is not None and (asked.reference is None) != (with_reference is None):
        raise typer.BadParameter(
            "--reference and --with-reference need each other: each collection has its own"
        )
    inputs = {"SCORES": scores, "--reference": asked.reference}
    inputs |= {"--with": other, "--with-reference": with_reference}
    frames = asked.read(form, inputs)
    matrices = asked.standardized(scores, asked.reference, *frames[:2])
    if other is not None:
        second = asked.standardized(other, with_reference, *frames[2:])
    with concerning_both(scores, other):
        if other is not None:
            matrices = pooled(matrices, second)
        subject = Halves(matrices, test, alpha, asked.seed)
    say(*matrices.cautions)
    part = "the first collection" if other else "one half"
    draws = f"sample(1:{matrices.topics}, {subject.size}) as {part}, and the others as the other"
    ExperimentRun(context.params).carry_out(subject, inputs, draws, asked.figures)


@_experiment
def reference_size(
    context: typer.Context,
    scores: OneFileArgument,
    *,
    asked: Asked,
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
    size: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"{HALF}; with --reference, one sample of all topics."),
    ] = None,
    alpha: AlphaOption = None,
    form: Form,
) -> None:
    """Fit schemes to samples of the systems, and test held-out systems.

    The held-out systems are ranked as well. With --reference, samples are drawn of the reference
    systems, and all systems of SCORES are ranked. Writes tau.csv, tauAP.csv, power_paired.csv,
    power_unpaired.csv, type1.csv and constant.csv, with rows for each number of reference systems.
    With all topics in one sample, there are no power_unpaired.csv and type1.csv.

    Example: cdfscore experiment reference-size scores.csv --scheme E-std=empirical --out out
    """
    from cdfscore.experiments import ALPHAS
    from cdfscore.experiments.matrices import refitted
    from cdfscore.experiments.reference_size import ReferenceSize

    inputs = {"SCORES": scores, "--reference": asked.reference}
    matrix, others = asked.read(form, inputs)
    assert matrix is not None
    with concerning(scores, reference=asked.reference):
        subject = ReferenceSize(
            refitted(matrix, asked.schemes, reference=others, **asked.policies),
            tuple(systems) if systems else None,
            held_out,
            size,
            tuple(alpha or ALPHAS),
            asked.seed,
        )
    say(*subject.schemes.cautions)
    draws = f"sample(1:{subject.schemes.sampled.shape[1]})"
    if asked.reference is None:
        draws += f", the last {subject.held_out} as held-out systems"
    if (half := subject.size) is not None:
        topics = f"sample(1:{subject.schemes.topics}, {2 * half})"
        draws = f"{topics}, the first {half} as one half, and {draws}"
    ExperimentRun(context.params).carry_out(subject, inputs, draws, asked.figures)
