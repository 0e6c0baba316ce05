"""Base class of significance tests: a function with its settings and its documentation."""

from __future__ import annotations

import inspect
import typing
from abc import ABC
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, ParamSpec, TypedDict

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import SignificanceError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import IntArray
from cdfscore.significance.contract.result import Rows, TestResult
from cdfscore.significance.contract.settings import USUAL, checked, with_usual
from cdfscore.significance.contract.unit import scaled_rows
from cdfscore.significance.resampling.draws import Drawn, Draws
from cdfscore.significance.resampling.draws import Sizes as NumbersOfTopics

#: The least difference, in the unit of the estimate, whose p value is at most a level, where all
#: pairs of systems have the same: of the result of a test, the number of systems, and the level.
CriticalDifference = Callable[[TestResult, int, float], float]

P = ParamSpec("P")
Indices = NDArray[np.intp]
#: The name of the estimate of a test of pairs by their mean ranks within topics.
MEAN_RANKS = "difference of mean ranks"
#: The effect size of tests of paired ranks.
RANKS = "rank_biserial_paired"
#: The name of the estimate of a test of pairs by the signs of the differences of topics.
SIGNS = "proportion of positive differences"
#: The numbers of topics for which levels are simulated.
CHECKED = (5, 8, 10, 20, 50)
#: The level of the simulation, and the largest type I error that counts as held.
NOMINAL, MOST = 0.05, 0.055


@dataclass(frozen=True)
class Sizes:
    """What bounds the p values of a test from below, whatever the scores.

    `n` topics of the first system and `m` of the second, of which `nonzero` have a difference
    other than 0 in a paired test, the number of systems of the matrix, and whether ranks may be
    `tied`: of differences in a paired test, and of scores in an unpaired one.
    """

    n: int
    m: int
    nonzero: int
    systems: int = 2
    tied: bool = True

    @classmethod
    def of_topics(cls, n: int, systems: int = 2, *, tied: bool = True) -> Sizes:
        """Return the sizes of n topics, all with a difference."""
        return cls(n, n, n, systems, tied)


#: The smallest p value for these sizes, under all settings of the test.
LeastP = Callable[[Sizes, Mapping[str, Any]], float]


def any_p(sizes: Sizes, settings: Mapping[str, Any]) -> float:
    """Return 0, the bound of a test that declares no smallest p value."""
    return 0.0


@dataclass(frozen=True)
class Level:
    """Numbers of topics at which the simulated type I error of a test is above 5 %.

    A test declares a case if the proportion of rejected true null hypotheses is above 5.5 % by more
    than 3 Monte Carlo standard errors. The numbers of topics are those of `CHECKED`.

    `untied` has these proportions by the number of topics for normal scores, and `tied` for scores
    with ties (multiples of 0.1, as of P@10). `instead` names a test that holds its level there.
    `skewed` has them for exponential differences, of a test whose null hypothesis is of a mean.
    """

    untied: Mapping[int, float] = field(default_factory=dict)
    tied: Mapping[int, float] = field(default_factory=dict)
    skewed: Mapping[int, float] = field(default_factory=dict)
    instead: str = ""

    def above(self, *, ties: bool) -> Mapping[int, float]:
        """Return the proportions above the level; for scores with ties, the larger of the two.

        The reason is that the simulated scores have many ties, and a few ties change little.
        """
        if not ties:
            return self.untied
        sizes = sorted({*self.untied, *self.tied})
        return {n: max(self.untied.get(n, 0.0), self.tied.get(n, 0.0)) for n in sizes}

    def held_from(self, *, ties: bool) -> int | None:
        """Return the smallest number of topics from which on the level is held, or None."""
        above = self.above(ties=ties)
        return next((n for n in CHECKED if n > max(above, default=0)), None)


#: The level of a test that holds it in all simulated cases.
HELD = Level()


class Declared(TypedDict, total=False):
    """Declarations of a test that differ from the defaults."""

    label: str
    effect: str | None
    estimates: str
    shows: str
    null: str
    assumes: str
    choose_for: str
    tolerances: Mapping[str, Tolerance]
    drawn: Drawn
    least_p: LeastP
    critical_difference: CriticalDifference
    example: Mapping[str, Any]
    in_unit: tuple[str, ...]
    check: Callable[[Mapping[str, Any]], None]
    level: Level
    complete_null: bool
    ranks_topics: bool


class SignificanceTest(ABC, Generic[P]):
    """Significance test with its settings, their defaults and its documentation.

    `name`, the file, the R twin and the command line share one stem.
    """

    #: What the test compares: "one sample", "paired", "unpaired", "all systems", "pairs".
    samples: ClassVar[str]
    #: The effect size that goes with such a test unless another is declared; "" is none.
    usual_effect: ClassVar[str] = ""

    def __init__(
        self,
        function: Callable[..., Rows],
        *,
        source: str,
        minimum: int,
        label: str = "",
        effect: str | None = None,
        estimates: str = "difference",
        shows: str = "difference",
        null: str = "",
        assumes: str = "",
        choose_for: str = "",
        tolerances: Mapping[str, Tolerance] | None = None,
        drawn: Drawn | None = None,
        least_p: LeastP = any_p,
        critical_difference: CriticalDifference | None = None,
        example: Mapping[str, Any] | None = None,
        in_unit: tuple[str, ...] | None = None,
        check: Callable[[Mapping[str, Any]], None] | None = None,
        level: Level = HELD,
        complete_null: bool = False,
        ranks_topics: bool = False,
    ) -> None:
        self.function = function
        self._file = Path(inspect.getfile(function))
        self.source = source
        #: The effect size to report beside the test.
        self.effect = self.usual_effect if effect is None else effect
        #: Name of the estimate, such as "difference", x minus y, or "correlation".
        self.estimates = estimates
        #: Conclusion from a small p value, such as "difference" or "equivalence".
        self.shows = shows
        #: The smallest p value that the test can have, by the sizes of the samples.
        self.least_p = least_p
        #: The least difference that is significant, of a test that has one for all pairs.
        self.critical_difference = critical_difference
        #: The settings, and the fields of `Rows`, that are in the unit of the scores; None if the
        #: test does not say. Only if it does, scores far from 1 are scaled by a power of 2.
        self.in_unit = in_unit
        #: What raises `SignificanceError` for settings that the test refuses, in the unit in which
        #: they are given; None if there is nothing to check.
        self.check = check
        #: The numbers of topics for which the test rejected too often in simulations.
        self.level = level
        #: Whether the familywise error rate is controlled only if no systems differ (weak control),
        #: as in tests whose p value of a pair depends on all systems.
        self.complete_null = complete_null
        #: Whether scores of different topics are ranked together. `compare` then ties standardized
        #: scores that differ by rounding errors.
        self.ranks_topics = ranks_topics
        #: The null hypothesis, the assumptions beside topics at random, and what to choose the
        #: test for, in a few words each for `cdfscore tests --advise`; "" where not stated.
        self.null, self.assumes, self.choose_for = null, assumes, choose_for
        #: Minimum number of scores, or pairs of them, for which the test is defined.
        self.minimum = minimum
        self.name = function.__name__
        #: What people call the test.
        self.label = label or self.name.replace("_", " ")
        #: Tolerance of each number against R's, by its name: "statistic", "p_value", ...
        self.tolerances = with_usual(self.name, USUAL, tolerances)
        #: What makes the random draws of the test, for its R twin; None if it draws nothing.
        self.drawn = drawn
        parameters = inspect.signature(function).parameters.values()
        settings = {p.name: p.default for p in parameters if p.kind == p.KEYWORD_ONLY}
        #: The names of the settings, in the order of the function.
        self.setting_names = tuple(settings)
        #: The defaults of the settings that have one.
        self.defaults = {k: v for k, v in settings.items() if v is not inspect.Parameter.empty}
        #: Settings with which the test can be run: of those without a default, and no advice.
        self.example = dict(example or {})
        if set(self.example) != set(settings) - set(self.defaults):
            raise SignificanceError(
                f"{self.name}: example={self.example!r} is declared; expected a value for each "
                f"setting without a default: {', '.join(self.required) or 'there is none'}"
            )
        # What functools.update_wrapper copies, so that help() and doctest see the function.
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__name__ = self.__qualname__ = function.__name__

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (inspect.getdoc(self.function) or self.name).splitlines()[0]

    @property
    def draws(self) -> bool:
        """True if the test resamples, so that its p value depends on a seed."""
        return "seed" in self.defaults

    def sizes(self, n: IntArray, n_y: IntArray, shape: tuple[int, ...]) -> set[NumbersOfTopics]:
        """Return the sizes on which the draws depend.

        `n` and `n_y` are those of `TestResult`, `shape` is that of the scores (topics, systems).
        """
        return {(int(size),) for size in np.unique(n)}

    def random_draws(
        self, settings: Mapping[str, Any], sizes: Iterable[NumbersOfTopics]
    ) -> dict[NumbersOfTopics, Draws]:
        """Return the draws for samples of these sizes, but where all outcomes are enumerated."""
        if self.drawn is None:
            return {}
        made = {each: self.drawn(each, settings["B"], settings["seed"]) for each in sorted(sizes)}
        return {each: draws for each, draws in made.items() if draws is not None}

    @property
    def required(self) -> list[str]:
        """The names of the settings that have no default and must be given."""
        return [name for name in self.setting_names if name not in self.defaults]

    def twin(self) -> Path:
        """Return the path of the R twin, beside the file of the test."""
        return self._file.with_name(f"{self.name}.R")

    def hints(self) -> dict[str, Any]:
        """Return the types of the settings."""
        return typing.get_type_hints(self.function)

    def settings(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return all settings: those given, checked, and the defaults of the others."""
        for key in given:
            if key not in self.setting_names:
                raise SignificanceError(self.no_setting(key))
        for name in self.required:
            if name not in given:
                raise SignificanceError(
                    f"{self.name} needs a value of {name}, which has no default; expected "
                    f"{name}=..., as in {self.name}:{name}=..."
                )
        complete = {**self.defaults, **given}
        found = checked(self.name, {name: complete[name] for name in self.setting_names})
        if self.check is not None:
            self.check(found)
        return found

    def no_setting(self, key: str) -> str:
        """Say that the test has no such setting, and which it has."""
        known = ", ".join(self.setting_names)
        message = f"{self.name} has no setting {key!r}; "
        return message + (f"its settings are {known}" if known else "it has no settings")

    def chosen(self, settings: dict[str, Any]) -> ChosenTest:
        """Return the test with these settings, which are checked."""
        complete = self.settings(settings)
        return ChosenTest(self, {name: complete[name] for name in settings})

    def chosen_example(self) -> ChosenTest:
        """Return the test with the defaults, and its `example` where a setting has none."""
        return self.chosen(self.example)

    def __reduce__(self) -> str:
        # By name, as a function is: pickle would look for the function and find the test.
        return self.name

    def __repr__(self) -> str:
        return f"<significance test {self.name}>"

    def _named(self, positional: tuple[Any, ...], settings: dict[str, Any]) -> dict[str, Any]:
        """Return the settings; raise `SignificanceError` for one without its name."""
        if positional:
            raise SignificanceError(
                f"{self.name}: {positional[0]!r} is given without a name; expected settings by "
                f"name: {', '.join(self.setting_names) or 'it has none'}"
            )
        return self.settings(settings)

    def _rows(self, n: int, *arguments: Any, **settings: Any) -> Rows:
        """Return what the function computes, or the reason why `n` scores are too few."""
        if n < self.minimum:
            return Rows(np.nan, np.nan, reason=self._too_few(n, *arguments))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            return self._in_unit(arguments, settings)

    def _in_unit(self, arguments: tuple[Any, ...], settings: dict[str, Any]) -> Rows:
        """Return what the function computes, of scores in a unit that suits them."""
        if self.in_unit is None:
            return self.function(*arguments, **settings)
        return scaled_rows(self.function, arguments, settings, self.in_unit)

    def _too_few(self, n: int, *arguments: Any) -> str:
        """Say how many scores there are and are needed; of two samples, which is short."""
        of = {"paired": "pair", "one sample": "score", "unpaired": "score"}
        counted = f"{n} {of.get(self.samples, 'topic')}{'s' * (n != 1)}"
        if self.samples == "unpaired":
            counted = f"{'x' if arguments[0].shape[1] == n else 'y'} has {counted}"
        return (
            f"{counted}, but at least {self.minimum} {'is' if self.minimum == 1 else 'are'} needed"
        )

    def _finished(self, result: TestResult) -> TestResult:
        """Raise an error for a single test without a result; a batch lists the reasons."""
        if np.ndim(result.reason) == 0 and result.reason:
            raise SignificanceError(f"{self.name}: {result.reason}")
        return result


@dataclass(frozen=True)
class ChosenTest:
    """Test with the settings that were given, spelled as on the command line."""

    test: SignificanceTest[Any]
    given: dict[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, with the defaults of those not given."""
        return self.test.settings(self.given)

    @property
    def conf_level(self) -> float:
        """Level of intervals: the test's own, or 0.95 if the test has none."""
        return float(self.settings.get("conf_level", 0.95))

    def __str__(self) -> str:
        settings = ",".join(f"{name}={value}" for name, value in self.given.items())
        return f"{self.test.name}:{settings}" if settings else self.test.name
