"""The analysis of a score matrix in R: policies, scheme (by its twin) and system means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison.differences import sizes_of_ties
from cdfscore.effect_size.contract import USUAL, effect_sizes
from cdfscore.errors import VerificationError
from cdfscore.io.scores.labels import topic_labels
from cdfscore.io.text import written
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r.distances import Quantity
from cdfscore.r.draws import DRAWS, DrawsFile, by_sizes, draws_in_r
from cdfscore.r.further import Further
from cdfscore.r.published import PUBLISHED, Compared, compared_in_r
from cdfscore.r.session import SHARED, RSession, twin_of_test
from cdfscore.schemes.base import Scheme
from cdfscore.significance.contract import (
    QUANTITIES,
    ChosenTest,
    Draws,
    NumbersOfTopics,
    SignificanceTest,
    TestResult,
    TwoSamples,
)
from cdfscore.standardization import policies
from cdfscore.standardization.policies import (
    ConstantPolicy,
    LowerIsBetter,
    MissingPolicy,
    UnfittedPolicy,
)
from cdfscore.standardization.standardized import ExtraTopics, Standardized

if TYPE_CHECKING:
    import pandas as pd

_FOLDER = Path(__file__).parent
#: The R files that define the analysis, in addition to the twin of the scheme.
SOURCES = (
    Path(policies.__file__).with_suffix(".R"),
    _FOLDER / "rows.R",
    _FOLDER / "analysis.R",
)
SIGNIFICANCE = _FOLDER / "tests.R"
#: Further R files for a significance test.
TEST_SOURCES = (SIGNIFICANCE, DRAWS, _FOLDER / "differences.R")
#: The function of ``differences.R`` that runs a test, by what the test compares.
RUN_ON = {
    "one sample": "on_each_system",
    "all systems": "on_all_systems",
    "paired": "on_each_pair",
    "unpaired": "on_each_pair",
    "pairs": "on_all_pairs",
}
#: The numbers of an effect size, and their names among the numbers of a test.
_OF_EFFECTS = {"estimate": "effect_size", "conf_low": "effect_low", "conf_high": "effect_high"}
#: The numbers of a test, as named in ``differences.R``.
TEST_QUANTITIES = (*QUANTITIES, "p_adjusted", *_OF_EFFECTS.values())
#: The count of numbers in the draws of all pairs that R handles in about a minute: 5,995 pairs of
#: two samples of 249 scores each, with 10,000 divisions.
_A_MINUTE = 3e10
#: The Monte Carlo standard errors within which a pair is near the level.
_NEAR = 4


@dataclass(frozen=True)
class Sample:
    """The places of the pairs that R tests, and the p values of all pairs."""

    places: IntArray
    p_values: Array
    note: str


def sample_of(
    draws: Iterable[Draws], result: TestResult, p_adjusted: Array, alpha: float
) -> Sample | None:
    """Return the pairs that R tests, or None if R can test all in about a minute.

    These are all pairs whose adjusted p value is near the level alpha, and every k-th other pair.
    """
    pairs = len(p_adjusted)
    each = max((one.trials * one.numbers for one in draws), default=0)
    if each * pairs <= _A_MINUTE:
        return None
    with np.errstate(invalid="ignore"):
        error = p_adjusted / result.p_value * result.p_value_stderr
        is_near = np.abs(p_adjusted - alpha) <= _NEAR * error
    near, others = np.flatnonzero(is_near), np.flatnonzero(~is_near)
    step = -(-len(others) // max(1, int(_A_MINUTE // each) - len(near)))
    places = np.sort(np.concatenate([near, others[::step]])) if step else near
    note = (
        f"R tests {len(places):,} of {pairs:,} pairs, since all would take more than about a "
        f"minute: the {len(near):,} whose adjusted p value is within {_NEAR} Monte Carlo standard "
        f"errors of {written(alpha)}, and of the others the first of each {step:,}; for p.adjust, "
        "the p values of the other pairs come from Python"
    )
    return Sample(places, result.p_value, note)


@dataclass(frozen=True)
class AnalysisInR:
    """The numbers of R, and the message of the test if it stops on every sample, else "".

    The notes are the other messages of R: where it stops, and its warnings.
    """

    quantities: list[Quantity]
    version: str
    stopped: str = ""
    notes: list[str] = field(default_factory=list)
    published: tuple[Compared, ...] = ()


@dataclass(frozen=True)
class TestAnalysis:
    """A significance test on the standardized scores, with correction and effect size."""

    __test__ = False  # for pytest, which would collect the class by its name

    chosen: ChosenTest
    baselines: tuple[str, ...]
    adjust: str
    #: The name of an effect size; "" is none.
    effect: str
    #: The level of the conclusions.
    alpha: float
    #: The random draws of the test for samples of each size.
    draws: Mapping[NumbersOfTopics, Draws] = field(default_factory=dict)
    #: The pairs to test, if not all.
    sample: Sample | None = None
    #: Whether the scheme is a cdf, where scores tie that are equal but for rounding.
    ties_of_cdf: bool | None = None

    def on(self, found: Standardized, result: TestResult, p_adjusted: Array) -> TestAnalysis:
        """Return the analysis with the draws for these scores, which have this result in Python."""
        test = self.chosen.test
        shape = found.frame.shape
        sizes = test.sizes(np.atleast_1d(result.n), np.atleast_1d(result.n_y), shape)
        draws = test.random_draws(self.chosen.settings, sizes)
        sample = None
        if isinstance(test, TwoSamples):  # others test all pairs together
            sample = sample_of(draws.values(), result, p_adjusted, self.alpha)
        ties = sizes_of_ties(found, self.chosen, self.effect) is not None
        is_cdf = found.factors.fitted.scheme.is_cdf if ties else None
        return replace(self, draws=draws, sample=sample, ties_of_cdf=is_cdf)

    @property
    def compares_pairs(self) -> bool:
        """Tell whether the test is of pairs of systems."""
        return RUN_ON[self.chosen.test.samples].endswith(("_pair", "_pairs"))

    @property
    def effect_twin(self) -> Path | None:
        """The R twin of the effect size."""
        if not self.effect:
            return None
        twin: Path = effect_sizes.load(self.effect).twin()
        return twin

    @property
    def scales_effect(self) -> bool:
        """Tell whether the effect size is one of scores in any unit, which suits them."""
        return bool(self.effect) and not effect_sizes.load(self.effect).in_unit

    @property
    def tolerances(self) -> dict[str, Tolerance]:
        """The tolerances of the test and the effect size, by name in `TEST_QUANTITIES`."""
        stated = effect_sizes.load(self.effect).tolerances if self.effect else USUAL
        of_effect = {name: stated[number] for number, name in _OF_EFFECTS.items()}
        return {**self.chosen.test.tolerances, **of_effect}


@dataclass(frozen=True)
class Analysis:
    """The analysis to run: a scheme, its policies as in `Standardizer`, and further analyses."""

    scheme: Scheme
    constant: ConstantPolicy
    missing: MissingPolicy
    unfitted: UnfittedPolicy = "raise"
    test: TestAnalysis | None = None
    lower_is_better: LowerIsBetter = ()
    reflect_at: float = 0.0
    extra_topics: ExtraTopics = "refuse"
    further: tuple[Further, ...] = ()
    #: The argument `how` of check_published.
    published: Mapping[str, Any] = field(default_factory=dict)

    @property
    def constant_in_r(self) -> str | None:
        """The policy in R, None for the limit; urbano2019 is for a scheme with mean and sd."""
        has_moments = {"mean", "sd"} <= set(self.scheme.parameter_names())
        plain = self.constant == "urbano2019" and not has_moments
        return None if plain or self.constant == "limit" else self.constant

    @property
    def draws(self) -> DrawsFile:
        """The random draws of the test and of the further analysis; empty if there are none."""
        of_test = {} if self.test is None else by_sizes(self.test.draws)
        of_further = {name: own for each in self.further for name, own in each.draws.items()}
        of = "the test" if of_test or not of_further else "the reference systems"
        both = " and the reference systems" if of_test and of_further else ""
        return DrawsFile({**of_test, **of_further}, of + both)

    @property
    def other(self) -> pd.DataFrame | None:
        """Scores that a further analysis needs too, standardized by themselves."""
        return next((each.other for each in self.further if each.other is not None), None)

    def run(
        self,
        session: RSession,
        scores: pd.DataFrame,
        reference: pd.DataFrame,
        published: Mapping[str, Path] | None = None,
    ) -> AnalysisInR:
        """Run the analysis in a running R; raises `VerificationError` if R stops."""
        lower = self.lower_is_better
        settle = session.function("settle", *SOURCES)
        how = session.as_list(
            {
                "standardize": session.twin(self.scheme),
                "settings": session.settings(self.scheme),
                "unfitted": session.function(f"unfitted_{self.unfitted}"),
                "constant": self.constant_in_r,
                "settle_constant": session.function("settle_constant_topics"),
            }
        )
        try:
            with session.printing_nothing(), ExitStack() as drawn:

                def settled_in_r(own: pd.DataFrame, fitted_on: pd.DataFrame, extra: str) -> Any:
                    both = _named(session, own), _named(session, fitted_on)
                    found = settle(*both, session.function(f"missing_{self.missing}"), extra)
                    if not lower:
                        return found
                    topics = True if lower is True else session.strings(lower)
                    return session.function("reverse_both")(found, topics, self.reflect_at)

                session.said.clear()
                settled = settled_in_r(scores, reference, self.extra_topics)
                results = session.function("analyze")(settled, how)
                stopped, retest = "", session.rinterface.NULL
                there = {"y": results[0], "settled": settled, "how": how}
                notes = [*session.notes, *map(str, results.do_slot("notes"))]
                if (other := self.other) is not None:
                    there["other"] = settled_in_r(other, other, "refuse")
                join = session.rinterface.baseenv["c"]
                if self.test is not None:
                    retest = drawn.enter_context(
                        _retester(session, self.test, results[0], settled, how)
                    )
                    there["tested"] = tested = retest()
                    results = join(results, tested)
                    stopped = tested.do_slot("stopped")[0]
                    notes += map(str, tested.do_slot("notes"))
                for further in self.further:
                    results = join(results, further.run(session, there))
                notes += session.said
                quantities = [
                    Quantity(name, list(topics), list(systems), session.array(own))
                    for name, own in zip(results.do_slot("names"), results, strict=True)
                    for topics, systems in [own.do_slot("dimnames")]
                ]
                compared = tuple(
                    compared_in_r(session, name, path, results, retest, self.published)
                    for name, path in (published or {}).items()
                )
        except (LookupError, TypeError) as error:  # a twin can replace a function of R
            raise VerificationError(
                f"the numbers of R cannot be read ({error}); expected matrices with names"
            ) from error
        except session.error as error:
            raise VerificationError(f"R stops: {' '.join(str(error).split())}") from error
        return AnalysisInR(quantities, session.version, " ".join(stopped.split()), notes, compared)


@contextmanager
def _retester(
    session: RSession, analysis: TestAnalysis, y: Any, settled: Any, how: Any
) -> Iterator[Any]:
    """Give the function of R that tests the pairs, with none or some of them swapped."""
    test, twin = analysis.chosen.test, analysis.effect_twin
    retester = session.function("retester", *TEST_SOURCES, PUBLISHED)
    pairs = session.rinterface.NULL
    if analysis.compares_pairs:
        systems = y.do_slot("dimnames")[1]
        pairs = session.function("pairs_of")(systems, session.strings(analysis.baselines))
    effect = session.rinterface.NULL
    if twin is not None:
        of = session.function_of(twin, "effect_size")
        if analysis.scales_effect:
            of = in_own_unit(session, of, ())
        effect = session.function("effect_numbers")(of, analysis.chosen.conf_level)
    if analysis.ties_of_cdf is not None:
        tied = session.function("tied_scores", *SOURCES, SHARED)
        y = tied(y, settled, how, analysis.ties_of_cdf)
    with draws_in_r(session, test, analysis.draws) as drawn:
        yield retester(
            y,
            twin_in_r(session, test),
            session.function(RUN_ON[test.samples]),
            pairs,
            session.as_list({**analysis.chosen.settings, **drawn}),
            analysis.adjust,
            session.strings(QUANTITIES),
            effect,
            *(session.vector(numbers) for numbers in _sampled(analysis.sample)),
        )


def _sampled(sample: Sample | None) -> tuple[Array, ...]:
    if sample is None:
        return ()
    return sample.places.astype(np.float64) + 1, sample.p_values


def _named(session: RSession, scores: pd.DataFrame) -> Any:
    return session.named(scores.to_numpy(), topic_labels(scores), list(scores.columns))


def twin_in_r(session: RSession, test: SignificanceTest[Any]) -> Any:
    """Return the function of a test's twin, of scores in a unit that suits them."""
    twin = session.function_of(twin_of_test(test), "significance_test")
    return twin if test.in_unit is None else in_own_unit(session, twin, test.in_unit)


def in_own_unit(session: RSession, function: Any, in_unit: tuple[str, ...]) -> Any:
    """Return a function of scores, whose settings and numbers in their unit have these names."""
    return session.function("in_own_unit", SIGNIFICANCE)(function, session.strings(in_unit))
