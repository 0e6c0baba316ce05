"""Arguments and options that several commands have in common."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

import typer

from cdfscore.cli.spelling import is_typed
from cdfscore.errors import ModelError
from cdfscore.io.spreadsheets import plain_labels
from cdfscore.io.tables import DELIMITERS
from cdfscore.io.text import listed
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies import unfitted as unfitted_topics

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.standardization.factors import ExtraTopics
    from cdfscore.standardization.policies.constant import ConstantPolicy
    from cdfscore.standardization.policies.direction import LowerIsBetter
    from cdfscore.standardization.policies.missing import MissingPolicy
    from cdfscore.standardization.policies.unfitted import UnfittedPolicy
    from cdfscore.standardization.standardizer import Standardizer

LowerIsBetterOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL",
        help="Topic on which lower scores are better, such as an error rate. Its scores are "
        "negated first. May be repeated; all stands for every topic.",
    ),
]
AllLowerIsBetterOption = Annotated[
    bool, typer.Option("--all-lower-is-better", help="Lower is better on every topic.")
]
ReflectAtOption = Annotated[
    float,
    typer.Option(
        metavar="X",
        help="If lower is better, replace each score x by X - x, and not by -x. Use 1 for error "
        "rates with a distribution on [0, 1].",
        show_default=False,
    ),
]

_ALL = "all"


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each argument of a command whose type is a dataclass by the options that it takes.

    The options are the arguments of its method ``of``, or its fields. The command gets the objects
    that are made of them. Typer itself has one option for each argument.
    """
    hints = get_type_hints(command, include_extras=True)
    named = [name for name, own in hints.items() if is_dataclass(own)]
    groups = {name: getattr(hints[name], "of", hints[name]) for name in named}

    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        for name, make in reversed(groups.items()):
            own = {option: arguments.pop(option) for option in inspect.signature(make).parameters}
            arguments[name] = make(**own)
        command(**arguments)

    shown: list[inspect.Parameter] = []
    for argument in inspect.signature(command).parameters.values():
        if make := groups.get(argument.name):
            hints |= get_type_hints(make, include_extras=True)
            shown += inspect.signature(make).parameters.values()
        else:
            shown.append(argument)
    return _with_parameters(with_options, shown, hints)


def with_plain_labels(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that writes CSV or TSV files the option ``--plain-labels``, and apply it."""

    @functools.wraps(command)
    def exporting(**arguments: Any) -> None:
        with plain_labels() if arguments.pop(PLAIN_LABELS) else nullcontext():
            command(**arguments)

    own = inspect.Parameter(PLAIN_LABELS, inspect.Parameter.KEYWORD_ONLY, default=False)
    hints = get_type_hints(command, include_extras=True) | {PLAIN_LABELS: PlainLabelsOption}
    shown = [*inspect.signature(command).parameters.values(), own]
    return _with_parameters(exporting, shown, hints)


def _with_parameters(
    function: Callable[..., None], shown: Iterable[inspect.Parameter], hints: dict[str, Any]
) -> Callable[..., None]:
    """Give a function these parameters, as Typer sees them."""
    own = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[each.name])
        for each in shown
    ]
    vars(function)["__signature__"] = inspect.Signature(own)
    function.__annotations__ = {each.name: each.annotation for each in own}
    return function


def _listed(policies: Iterable[str]) -> str:
    """List policies for a help text, with the meaning of raise."""
    return ", ".join("raise (an error)" if each == "raise" else each for each in policies)


#: End of the help of ``--out``, for commands that show a table in a terminal.
OR_TABLE = (
    "Use - for standard output. Default: in a terminal a table of rounded numbers, and in a pipe "
    "what - writes."
)
_SCORES = (
    "File of scores: CSV, TSV or Parquet with a column for each system or a row for each score; "
    "output of trec_eval -q or ir_measures -q; or JSON. Use - for standard input."
)
ScoresArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SCORES",
        help=f"{_SCORES} Several files are combined by topic. NAME=FILE names the system of a "
        "file.",
    ),
]
OneFileArgument = Annotated[str, typer.Argument(metavar="SCORES", help=_SCORES)]
ReferenceOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Scores of the reference systems, to which the scheme is fitted. Default: SCORES.",
    ),
]
ExtraTopicsOption = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help="What to do with topics of SCORES that the reference scores or the factors lack: "
        "refuse (an error) or drop.",
    ),
]
OutOption = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--out",
        metavar="OUT",
        help=f"Output file for the standardized scores: .csv, .tsv or .parquet. {OR_TABLE}",
    ),
]
ConstantOption = Annotated[
    str,
    typer.Option(
        "--constant",
        metavar="POLICY",
        help="What to do with constant topics, whose reference scores are all equal: "
        f"{_listed(constant_topics.POLICIES)}.",
    ),
]
MissingOption = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help=f"What to do with missing scores: {_listed(missing_scores.POLICIES)}.",
    ),
]
UnfittedOption = Annotated[
    str,
    typer.Option(
        metavar="POLICY",
        help="What to do with topics to which the scheme cannot be fitted: "
        f"{_listed(unfitted_topics.POLICIES)}.",
    ),
]

PlainLabelsOption = Annotated[
    bool,
    typer.Option(
        "--plain-labels",
        help="In CSV and TSV files, write labels that start with =, +, - or @ unchanged. Without "
        "this option, such a label gets an apostrophe before it unless it is a number, so that a "
        "spreadsheet does not run it as a formula. cdfscore removes the apostrophe when it reads "
        "the file.",
    ),
]
#: The name of this option in Python.
PLAIN_LABELS = "plain_labels"

BaselineOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Compare the other systems with this system only. May be repeated.",
    ),
]
AlphaOption = Annotated[
    float,
    typer.Option(
        metavar="LEVEL",
        help="Significance level of letters, diagram and caption. If the test is permutation and "
        "its B is not given, this level and the correction determine B.",
    ),
]
AdjustOption = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD",
        help="Correction for multiple tests, by its name in R's p.adjust. Default: holm, or none "
        "for a test of the whole family such as tukey_hsd.",
    ),
]

EffectOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Effect size of pairs. Default: the effect size that belongs to the test. '' for "
        "none.",
    ),
]

#: Options of linear models.
LevelOption = Annotated[
    float,
    typer.Option(
        metavar="LEVEL",
        help="Significance level. Tables mark p values up to this level, and all intervals have "
        "the confidence level 1 - alpha.",
    ),
]
ComponentsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="CSV or TSV file with a row for each system, the column system, and a column for "
        "each factor.",
    ),
]
SchemesOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SCHEME",
        help="Standardize the scores by this scheme first. Default: raw. May be repeated.",
    ),
]
MeansOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TERM",
        help="Compare the marginal means of this term, such as stemmer or stemmer:model. The "
        "results go to the file of --contrasts. May be repeated.",
    ),
]
MeansAdjustOption = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help="Correction of these comparisons: tukey, or a method of R's p.adjust.",
    ),
]
ContrastsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Write the comparisons of --means with all digits to this .csv or .tsv file.",
    ),
]


def extra_topics_of(policy: str, **fitted_to: object) -> ExtraTopics:
    """Return the policy for topics that the reference or the factors lack, after checks.

    `fitted_to` has the files by the names of their options. A policy other than refuse needs one of
    them.
    """
    from cdfscore.standardization.factors import check_extra

    check_extra(policy)
    if policy != "refuse" and not any(fitted_to.values()):
        options = " or ".join(f"--{name} FILE" for name in fitted_to)
        raise typer.BadParameter(f"--extra-topics {policy} needs {options}")
    return cast("ExtraTopics", policy)


def check_means(means: Sequence[str] | None, outputs: Mapping[str, str | None]) -> None:
    """Raise `ModelError` for terms without an output file, and for an output file without terms.

    `outputs` has the files by their options.
    """
    if any(path is not None for path in outputs.values()) != bool(means):
        files = " or ".join(f"{option} FILE" for option in outputs)
        raise ModelError(f"--means TERM and {files} need each other; expected both, or neither")


def check_adjust(adjust: str, contrasts: str | None) -> None:
    """Raise `ModelError` for an unknown correction, or a correction without an output file."""
    from cdfscore.models.result import check_adjustment

    if contrasts is None and is_typed("adjust"):
        raise ModelError(
            "--adjust METHOD is for the comparisons in --contrasts FILE; expected both, or no "
            "--adjust"
        )
    check_adjustment(adjust)


def check_drawn(means: Sequence[str] | None, plot: str | None) -> None:
    """Raise `ModelError` for a figure of several terms, or a term with three factors or more."""
    from cdfscore.plots.models import factors_drawn

    if plot is None or not means:
        return
    if len(means) > 1:
        raise ModelError(
            f"--plot-means FILE draws one term, and --means is given {len(means)} times, as "
            f"{listed(means)}; expected --means TERM once"
        )
    factors_drawn(means[0])


def contents_of_contrasts(path: str | None, compared: Sequence[pd.DataFrame]) -> dict[Path, bytes]:
    """Return the file of comparisons with its content, if it is wanted."""
    import pandas as pd

    from cdfscore.io.tables import encode_frame

    if path is None:
        return {}
    ending = Path(path).suffix.lower()
    return {Path(path): encode_frame(pd.concat(compared), DELIMITERS[ending])}


@dataclass(frozen=True)
class Policies:
    """The policies of a command, or their defaults."""

    constant: ConstantOption = "limit"
    missing: MissingOption = "raise"
    unfitted: UnfittedOption = "raise"

    def standardizer(self, scheme: str, direction: Direction) -> Standardizer:
        """Return a scheme with these policies, after checks."""
        from cdfscore.standardization.standardizer import Standardizer

        return Standardizer(
            scheme,
            cast("ConstantPolicy", self.constant),
            cast("MissingPolicy", self.missing),
            cast("UnfittedPolicy", self.unfitted),
            lower_is_better=direction.lower_is_better,
            reflect_at=direction.reflect_at,
        )


@dataclass(frozen=True)
class Direction:
    """The topics on which lower is better, and X of their reversed scores X - x."""

    lower_is_better: LowerIsBetter
    reflect_at: float

    @property
    def is_given(self) -> bool:
        """True if lower is better on any topic."""
        return bool(self.lower_is_better)

    @classmethod
    def of(
        cls,
        lower_is_better: LowerIsBetterOption = None,
        all_lower_is_better: AllLowerIsBetterOption = False,
        reflect_at: ReflectAtOption = 0.0,
    ) -> Direction:
        """Return the direction that the options describe."""
        if lower_is_better and all_lower_is_better:
            raise typer.BadParameter(
                "--lower-is-better and --all-lower-is-better exclude each other"
            )
        if lower_is_better and _ALL in lower_is_better:  # no topic, but a summary
            if len(lower_is_better) > 1:
                raise typer.BadParameter(
                    f"--lower-is-better {_ALL} covers every topic; expected no other "
                    "--lower-is-better"
                )
            all_lower_is_better, lower_is_better = True, None
        if reflect_at and not (lower_is_better or all_lower_is_better):
            raise typer.BadParameter(
                "--reflect-at needs --lower-is-better LABEL, or --all-lower-is-better"
            )
        return cls(all_lower_is_better or tuple(lower_is_better or ()), reflect_at)
