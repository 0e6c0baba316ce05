"""The options for factors from a file, in place of a scheme."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cdfscore.cli.inputs import Inputs
from cdfscore.cli.options import ExtraTopicsOption, extra_topics_of
from cdfscore.cli.paths import concerning
from cdfscore.cli.spelling import is_typed
from cdfscore.errors import CdfscoreError, FactorsError
from cdfscore.spelling import option

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.cli.form import Form
    from cdfscore.cli.options import Policies
    from cdfscore.standardization.standardized import ExtraTopics, Factors
    from cdfscore.standardization.standardizer import How, Standardizer

FactorsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="Standardize by the factors in this file, which 'standardize --save-factors' writes. "
        "They replace --scheme and --reference. Their policies apply unless you give others. If "
        "the file has factors of several measures, --measure names the measure of the factors and "
        "of SCORES. May be repeated, for factors of different topics.",
    ),
]
SdsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="File of standard deviations, if the factors are a CSV file of means."
    ),
]
TrackOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Track of the factors, if they are an archive of several tracks: the name of its "
        "files before means.csv, or a part of it.",
    ),
]

#: Arguments that factors determine.
_SETTLED = ("scheme", "reference", "lower_is_better", "all_lower_is_better", "reflect_at")


@dataclass(frozen=True, kw_only=True)  # so that what a subclass adds stands before them
class FactorsFile:
    """The options for factors from a file, in any of its formats."""

    factors: FactorsOption = None
    sds: SdsOption = None
    track: TrackOption = None
    extra_topics: ExtraTopicsOption = "refuse"

    def __post_init__(self) -> None:
        for name in ("sds", "track"):
            if getattr(self, name) is not None and len(self.factors or ()) != 1:
                raise typer.BadParameter(f"--{name} needs one --factors FILE")

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        files = enumerate(self.factors or (), start=1)
        named = {"--factors" if i == 1 else f"--factors, file {i}": path for i, path in files}
        return {**named, "--sds": self.sds}

    def extra(self) -> ExtraTopics:
        """Return the policy for extra topics, after checks; see `extra_topics_of`."""
        return extra_topics_of(self.extra_topics, factors=self.factors)

    def load(self, form: Form, policies: Policies) -> Factors | None:
        """Return the factors, if they are given; see `factors_of`."""
        if not self.factors:
            return None
        first, *others = (
            factors_of(path, form, policies, sds=self.sds, track=self.track)
            for path in self.factors
        )
        with concerning(" and ".join(self.factors)):
            return first.joined(*others) if others else first


def factors_of(
    path: str,
    form: Form,
    policies: Policies,
    *,
    sds: str | None = None,
    track: str | None = None,
    refitted: bool = False,
) -> Factors:
    """Load factors, with the policies that the user gives.

    Raises `FactorsError` for an option that the factors determine. Those that are `refitted` may
    have the scores for it by the option for reference scores, and must be saved ones. Also raises
    the errors of `factors_in_file`.
    """
    from cdfscore.standardization.formats import is_saved

    for name in _SETTLED:
        if is_typed(name) and not (refitted and name == "reference"):
            raise FactorsError(
                f"{option('factors')} and {option(name)} exclude each other: the factors contain "
                "the fitted scheme, and the topics on which lower is better"
            )
    if refitted and path != "-" and not is_saved(path):
        raise FactorsError(
            f"{path} has no factors that cdfscore saved: R fits the scheme again, and published "
            "means and standard deviations have no scores to fit; expected a file of 'cdfscore "
            f"standardize --save-factors', or {option('scheme')} with the scores to fit by "
            f"{option('reference')}"
        )
    loaded = factors_in_file(path, form, sds=sds, track=track)
    with concerning(path):
        typed = {n: policy for n, policy in vars(policies).items() if is_typed(n)}
        return dataclasses.replace(loaded, **typed)


def raw_as(factors: Factors, scores: pd.DataFrame) -> Standardizer:
    """Return the scheme raw, with the policy for missing scores and the directions of factors."""
    from cdfscore.io.scores.labels import topic_labels
    from cdfscore.standardization.policies import reversed_topics
    from cdfscore.standardization.standardizer import Standardizer

    lower = reversed_topics(factors.lower_is_better, topic_labels(scores))
    return Standardizer(
        "raw",
        missing=factors.missing,
        lower_is_better=lower,
        reflect_at=factors.reflect_at if lower else 0.0,
    )


def uses_measure(*ways: How) -> bool:
    """Tell whether any of the factors has a measure."""
    from cdfscore.standardization.standardized import Factors

    return any(isinstance(how, Factors) and how.measure is not None for how in ways)


def factors_in_file(
    path: str,
    form: Form,
    *,
    sds: str | None = None,
    track: str | None = None,
    scheme: str | None = None,
) -> Factors:
    """Load the factors of a file, for the measure of the scores if it is given.

    Raises `FactorsError` for standard input, and for a file without factors of the measure. If the
    file has scores, the message names the option for scores.
    """
    from cdfscore.standardization.formats import factors_in

    if path == "-":
        name = "FACTORS" if option("factors") == "factors" else option("factors")
        raise FactorsError(f"{name} cannot be standard input; expected the name of a file")
    try:
        return factors_in(path, sds=sds, measure=form.measure, scheme=scheme, track=track)
    except FactorsError as error:
        if sds is not None or not _has_scores(path, form):
            raise
        raise FactorsError(_not_factors(path, str(error))) from error


def has_factors(path: str) -> bool:
    """Tell whether a file has factors that need no other file."""
    from cdfscore.standardization.formats import factors_in

    try:
        factors_in(path)
    except FactorsError:
        return False
    return True


def _has_scores(path: str, form: Form) -> bool:
    """Tell whether a file can be read as scores; a CSV file of means can be."""
    try:
        form.read(Inputs.one(path), measure_is_used=True)
    except CdfscoreError:
        return False
    return True


def _not_factors(path: str, error: str) -> str:
    """Return the message for a file of scores that is given in place of factors."""
    if option("reference") != "reference":
        what = f"give scores by {option('reference')}, with {option('scheme')}"
    else:
        what = "fit factors to scores by 'cdfscore standardize' with --save-factors"
    if not path.lower().endswith(".csv"):
        return f"{error}; {path} has scores: {what}"
    return (
        f"{path} has scores or means, and no factors; {what}, or give means with their standard "
        f"deviations, by {option('sds')}"
    )
