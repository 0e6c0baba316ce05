"""Arguments and options that several commands have in common."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

import typer

from cdfscore.cli.spelling import is_typed
from cdfscore.errors import ModelError
from cdfscore.io.tables import DELIMITERS
from cdfscore.io.text import listed
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies import missing as missing_scores
from cdfscore.standardization.policies import unfitted as unfitted_topics

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.cli.direction import Direction
    from cdfscore.standardization.factors import ExtraTopics
    from cdfscore.standardization.policies.constant import ConstantPolicy
    from cdfscore.standardization.policies.missing import MissingPolicy
    from cdfscore.standardization.policies.unfitted import UnfittedPolicy
    from cdfscore.standardization.standardizer import Standardizer


def with_options_of(
    make: Callable[..., object], name: str, command: Callable[..., None]
) -> Callable[..., None]:
    """Replace the argument `name` of a command by the options that `make` takes.

    The command gets the object that `make` returns for these options. Typer itself has one option
    for each argument.
    """
    options = inspect.signature(make).parameters

    @functools.wraps(command)
    def with_options(**arguments: Any) -> None:
        own = {option: arguments.pop(option) for option in options}
        command(**arguments, **{name: make(**own)})

    hints = get_type_hints(command, include_extras=True) | get_type_hints(make, include_extras=True)
    arguments = inspect.signature(command).parameters
    shown = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for argument in arguments.values()
        for parameter in (options.values() if argument.name == name else [argument])
    ]
    vars(with_options)["__signature__"] = inspect.Signature(shown)
    with_options.__annotations__ = {each.name: each.annotation for each in shown}
    return with_options


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
    from cdfscore.plots.marginal_means import factors_drawn

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


def with_policies(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Policies` in place of its argument `policies`."""
    return with_options_of(Policies, "policies", command)
