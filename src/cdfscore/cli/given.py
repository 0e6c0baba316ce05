"""What commands on scores are given: the files, their form, and how they are standardized."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from cdfscore.cli.options import has_option, is_typed
from cdfscore.cli.paths import concerning
from cdfscore.common.files import source_name
from cdfscore.common.text import files
from cdfscore.errors import CdfscoreError, FactorsError, SchemeError
from cdfscore.standardization.policies import ConstantPolicy, MissingPolicy, UnfittedPolicy

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.models.replicates import Replicates
    from cdfscore.scores.how import How as ReadSettings
    from cdfscore.scores.reading import Layout
    from cdfscore.standardization.policies import LowerIsBetter
    from cdfscore.standardization.standardized import ExtraTopics, Factors, Standardized
    from cdfscore.standardization.standardizer import How, Standardizer
    from cdfscore.stats.significance.contract import ChosenTest

_ALL = "all"
#: Arguments that factors determine.
_SETTLED = ("scheme", "reference", "lower_is_better", "all_lower_is_better", "reflect_at")


@dataclass(frozen=True)
class Inputs:
    """The files of one score matrix, each with the name of its only system if it is given."""

    typed: tuple[str, ...]
    files: tuple[tuple[str | None, str], ...]

    @classmethod
    def of(cls, scores: Annotated[list[str], typer.Argument()]) -> Inputs:
        """Read the words of an argument; see `named_file`."""
        return cls(tuple(scores), tuple(map(named_file, scores)))

    @classmethod
    def one(cls, path: str) -> Inputs:
        """Return a file whose systems keep their names."""
        return cls((path,), ((None, path),))

    @property
    def name(self) -> str:
        """The files, for a message."""
        return files([source_name(path) for _, path in self.files])

    @property
    def paths(self) -> dict[str, str]:
        """The files by their names in a message on paths."""
        if len(self.files) == 1:
            return {"SCORES": self.files[0][1]}
        return {f"SCORES, file {i}": path for i, (_, path) in enumerate(self.files, start=1)}


@dataclass(frozen=True)
class Runs:
    """The run files of a command, each with the name that replaces its run id if it is given."""

    files: tuple[tuple[str | None, str], ...]

    @classmethod
    def of(cls, run: Annotated[list[str], typer.Argument()]) -> Runs:
        """Read the words of an argument; see `named_file`."""
        return cls(tuple(map(named_file, run)))

    @property
    def paths(self) -> dict[str, str]:
        """The files by their names in a message on paths."""
        return {f"RUN {i}": path for i, (_, path) in enumerate(self.files, start=1)}


def named_file(word: str) -> tuple[str | None, str]:
    """Return the name before the =, None if there is none, and the file.

    The whole word is a file if it has a slash before the =, or if this file or its folder exists.
    Raises `CdfscoreError` for an empty name or file.
    """
    name, equals, path = word.partition("=")
    folder = word.rpartition("/")[0]
    if not equals or "/" in name or Path(word).exists() or (folder and Path(folder).is_dir()):
        return None, word
    if not name.strip() or not path:
        raise CdfscoreError(f"{word!r} is not accepted; expected a file, or NAME=FILE for a system")
    return name, path


@dataclass(frozen=True)
class Form:
    """The form of the score files of a command, from its options."""

    topic_column: str | None = None
    no_topic_column: bool = False
    systems_as_rows: Annotated[bool | None, typer.Option("--systems-as-rows/--topics-as-rows")] = (
        None
    )
    keep_topic: list[str] | None = None
    keep_system: list[str] | None = None
    drop_topic: list[str] | None = None
    drop_system: list[str] | None = None
    measure: str | None = None
    system_column: str | None = None
    score_column: str | None = None
    replicate: list[str] | None = None
    na: list[str] | None = None
    cells: list[str] | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.topic_column is not None and self.no_topic_column:
            raise typer.BadParameter("--topic-column and --no-topic-column exclude each other")

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of `cdfscore.read_scores`."""
        given = {name: tuple(v) if isinstance(v, list) else v for name, v in vars(self).items()}
        for name in ("keep_topic", "keep_system", "drop_topic", "drop_system"):
            given[f"{name}s"] = given.pop(name) or ()
        if given.pop("no_topic_column"):
            given["topic_column"] = False
        na = tuple(text for texts in self.na or () for text in texts.split(","))
        return {**given, "na": na, "cells": given["cells"] or ()}

    @property
    def typed(self) -> list[str]:
        """The options that are given, as they are typed."""
        words: list[str] = []
        for name, value in vars(self).items():
            values = [value] if isinstance(value, str) else value
            for each in values if isinstance(values, list) else ():
                words += [f"--{name.replace('_', '-')}", each]
        flags = {
            "--no-topic-column": self.no_topic_column,
            "--systems-as-rows": self.systems_as_rows is True,
            "--topics-as-rows": self.systems_as_rows is False,
        }
        return [*words, *(flag for flag, is_given in flags.items() if is_given)]

    def read(self, scores: Inputs) -> pd.DataFrame:
        """Read a score matrix; see `read_several`."""
        return self.read_several([scores])[0]

    def read_all(self, scores: Inputs, *others: str | None) -> list[Any]:
        """Read a score matrix and the other files that are given; see `read_several`."""
        from cdfscore.scores.dataframes import measure_of, same_measure

        inputs = [scores, *(Inputs.one(path) for path in others if path is not None)]
        frames = self.read_several(inputs)
        if len(frames) > 1:
            same_measure(
                (measure_of(frame), own.name) for frame, own in zip(frames, inputs, strict=True)
            )
        rest = iter(frames[1:])
        return [frames[0], *(None if path is None else next(rest) for path in others)]

    def read_several(self, inputs: Sequence[Inputs]) -> list[pd.DataFrame]:
        """Read the score matrices of a command."""
        from cdfscore.scores.reading import read_several

        return read_several([own.files for own in inputs], self._how())

    def read_replicates(self, scores: Inputs, reference: str | None) -> Replicates:
        """Read the one file of scores whose replicates a mixed model has."""
        from cdfscore.models.replicates import read_replicates

        if reference is not None:
            raise typer.BadParameter(
                "--replicate and --reference exclude each other in a model; save the factors of "
                "the reference by standardize --save-factors, and give them by --factors"
            )
        if len(scores.files) > 1 or scores.files[0][0] is not None:
            raise typer.BadParameter(
                "--replicate needs one file of SCORES in a model, which names the systems"
            )
        settings = self.settings
        if settings["topic_column"] is False or settings.pop("systems_as_rows") is not None:
            raise typer.BadParameter(
                "--replicate needs a file with a row for each score; expected no "
                "--no-topic-column, --systems-as-rows or --topics-as-rows"
            )
        return read_replicates(scores.files[0][1], **settings)

    def text_layout(self, path: str, *, one_of_several: bool) -> Layout:
        """Return the layout of a text file for R; the file is read alone or with others."""
        from cdfscore.scores.reading import text_layout

        return text_layout(path, dataclasses.replace(self._how(), header_first=one_of_several))

    def _how(self) -> ReadSettings:
        from cdfscore.scores.how import How as ReadSettings

        return ReadSettings.given(**self.settings)


@dataclass(frozen=True)
class Policies:
    """The policies of a command, or their defaults."""

    constant: ConstantPolicy = "limit"
    missing: MissingPolicy = "raise"
    unfitted: UnfittedPolicy = "raise"

    def standardizer(self, scheme: str, direction: Direction) -> Standardizer:
        """Return a scheme with these policies, after checks."""
        from cdfscore.standardization.standardizer import Standardizer

        return Standardizer(
            scheme,
            self.constant,
            self.missing,
            self.unfitted,
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
        lower_is_better: list[str] | None = None,
        all_lower_is_better: bool = False,
        reflect_at: Annotated[float, typer.Option(show_default=False)] = 0.0,
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


@dataclass(frozen=True, kw_only=True)  # so that what a subclass adds stands before them
class FactorsFile:
    """The options for factors from files, in any of their formats, in place of a scheme."""

    factors: list[str] | None = None
    sds: str | None = None
    track: str | None = None
    extra_topics: str = "refuse"

    def __post_init__(self) -> None:
        for name in ("sds", "track"):
            if getattr(self, name) is not None and len(self.factors or ()) != 1:
                raise typer.BadParameter(f"--{name} needs one --factors FILE")

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        numbered = enumerate(self.factors or (), start=1)
        named = {"--factors" if i == 1 else f"--factors, file {i}": path for i, path in numbered}
        return {**named, "--sds": self.sds}

    def extra(self) -> ExtraTopics:
        """Return the policy for extra topics, after checks; see `extra_topics_of`."""
        names = [name for name in ("reference", "factors") if hasattr(self, name)]
        return extra_topics_of(self.extra_topics, **{name: getattr(self, name) for name in names})

    def load(self, form: Form, policies: Policies) -> Factors | None:
        """Return the factors, if they are given; see `factors_of`."""
        if not self.factors:
            return None
        first, *others = (
            factors_of(path, form, policies, sds=self.sds, track=self.track)
            for path in self.factors
        )
        with concerning(*self.factors):
            return first.joined(*others) if others else first


@dataclass(frozen=True)
class Standardization(FactorsFile):
    """How the scores of a command are read, and by what they are standardized."""

    reference: str | None = None
    policies: Policies = field(kw_only=True)
    form: Form = field(kw_only=True)
    direction: Direction = field(kw_only=True)

    @property
    def paths(self) -> dict[str, str | None]:
        """The files by their options, for a message on paths."""
        return {"--reference": self.reference, **super().paths}

    def ways(self, schemes: Sequence[str]) -> list[How]:
        """Return the factors if they are given, or else the schemes, without duplicates."""
        from cdfscore.comparison.pairs import check_different

        self.extra()
        factors = self.load(self.form, self.policies)
        if factors is not None:
            return [factors]
        check_reference(self.reference, schemes)
        ways: list[How] = [self.policies.standardizer(each, self.direction) for each in schemes]
        check_different(ways)
        return ways

    def read(self, scores: Inputs) -> tuple[pd.DataFrame, pd.DataFrame | None]:
        """Read a score matrix, and the reference scores if they are given."""
        matrix, fitted_on = self.form.read_all(scores, self.reference)
        return matrix, fitted_on

    def standardized(
        self, scores: pd.DataFrame, ways: Sequence[How], fitted_on: pd.DataFrame | None
    ) -> list[Standardized]:
        """Standardize scores by each scheme or factors."""
        from cdfscore.standardization.standardizer import standardize

        return [standardize(scores, how, fitted_on, self.extra()) for how in ways]

    def concerning(self, scores: Inputs) -> AbstractContextManager[None]:
        """Begin the message of an error with the file that it concerns; see `concerning`."""
        return concerning(*scores.paths.values(), reference=self.reference)


def extra_topics_of(policy: str, **fitted_to: object) -> ExtraTopics:
    """Return the policy for topics that the reference or the factors lack, after checks."""
    from cdfscore.standardization.standardized import check_extra

    check_extra(policy)
    if policy != "refuse" and not any(fitted_to.values()):
        options = " or ".join(f"--{name} FILE" for name in fitted_to)
        raise typer.BadParameter(f"--extra-topics {policy} needs {options}")
    return cast("ExtraTopics", policy)


def check_reference(reference: str | None, schemes: Sequence[str]) -> None:
    """Raise `SchemeError` for reference scores if no scheme is fitted to them."""
    from cdfscore.stats.schemes.base import parse_scheme

    if reference is not None and all(parse_scheme(each).name == "raw" for each in schemes):
        raise SchemeError(
            f"--reference {reference} has no effect on raw scores; expected --scheme with a "
            "scheme that is fitted, such as empirical, or no --reference"
        )


def factors_of(
    path: str,
    form: Form,
    policies: Policies,
    *,
    sds: str | None = None,
    track: str | None = None,
    refitted: bool = False,
) -> Factors:
    """Load factors, with the policies that the user gives."""
    from cdfscore.standardization.formats import is_saved

    for name in _SETTLED:
        if is_typed(name) and not (refitted and name == "reference"):
            raise FactorsError(
                f"factors=... and {name}=... exclude each other: the factors contain the fitted "
                "scheme, and the topics on which lower is better"
            )
    if refitted and path != "-" and not is_saved(path):
        raise FactorsError(
            f"{path} has no factors that cdfscore saved: R fits the scheme again, and published "
            "means and standard deviations have no scores to fit; expected a file of 'cdfscore "
            "standardize --save-factors', or scheme=... with the scores to fit by reference=..."
        )
    loaded = factors_in_file(path, form, sds=sds, track=track)
    with concerning(path):
        typed = {n: policy for n, policy in vars(policies).items() if is_typed(n)}
        return dataclasses.replace(loaded, **typed)


def tested_by(
    test: str,
    baseline: Sequence[str] | None,
    adjust: str | None,
    effect: str | None,
    alpha: float,
) -> tuple[ChosenTest, tuple[str, ...], str, str, float]:
    """Return a test, the baselines, the correction, the effect size and the level, after checks."""
    from cdfscore.comparison import pairs

    level, chosen = pairs.check_alpha(alpha), pairs.chosen_test(test)
    baselines = pairs.baseline_names(baseline or ())
    pairs.check_options_of_pairs(chosen, baselines, effect)
    correction, size = pairs.adjustment_of(chosen, adjust), pairs.effect_of(chosen, effect)
    return chosen, baselines, correction, size, level


def factors_in_file(
    path: str,
    form: Form,
    *,
    sds: str | None = None,
    track: str | None = None,
    scheme: str | None = None,
) -> Factors:
    """Load the factors of a file, for the measure of the scores if it is given."""
    from cdfscore.standardization.formats import factors_in

    if path == "-":
        name = "--factors" if has_option("factors") else "FACTORS"
        raise FactorsError(f"{name} cannot be standard input; expected the name of a file")
    try:
        return factors_in(path, sds=sds, measure=form.measure, scheme=scheme, track=track)
    except FactorsError as error:
        if sds is not None:
            raise
        try:  # a CSV file of means can be read as scores
            form.read(Inputs.one(path))
        except CdfscoreError:
            raise error from None
        what = "fit factors to scores by 'cdfscore standardize' with --save-factors"
        if has_option("reference"):
            what = "give scores by reference=..., with scheme=..."
        told = f"{error}; {path} has scores: {what}"
        if path.lower().endswith(".csv"):
            told = (
                f"{path} has scores or means, and no factors; {what}, or give means with their "
                "standard deviations, by sds=..."
            )
        raise FactorsError(told) from error
