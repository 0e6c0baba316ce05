"""The smallest p values that tests can reach, and advice on tests."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, Self

import numpy as np
import pandas as pd

from cdfscore.common.text import counted, written
from cdfscore.comparison.pairs import Family, adjustment_of, in_compare
from cdfscore.stats.adjustment import CORRECTIONS
from cdfscore.stats.adjustment import adjust as adjusted
from cdfscore.stats.numerics.numbers import MOST_RESAMPLES
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.significance import contract, max_t
from cdfscore.stats.significance.rank_tests import TiesAt, differences_at, shifted_at

# --- Smallest p values ---


#: The most resamples times pairs that are chosen without being asked for: about a minute.
_MOST_COUNTED = 10_000_000_000
#: How many times the resamples that a correction needs at least are chosen.
_ROOM = 1.5
#: The most topics that are proposed.
_MOST_TOPICS = 1_000
# With fewer topics, skewed differences are not seen.
_FEW = 20
#: Differences looked at at a time.
_BLOCK = 1 << 20
#: So small that no adjusted p value of its size is 1; a power of 2, which scales exactly.
_TINY = 2.0**-60


@dataclass(frozen=True)
class Limits:
    """A test of `pairs` pairs at level alpha after a correction: what can be rejected at all."""

    chosen: contract.ChosenTest
    pairs: int
    systems: int
    adjust: str
    alpha: float
    #: Whether no score is missing.
    complete: bool = True

    @cached_property
    def factor(self) -> float:
        """What the correction multiplies p by, where all pairs have the same p."""
        return float(adjusted(np.full(self.pairs, _TINY), self.adjust).min() / _TINY)

    def least_p(self, sizes: contract.Sizes) -> float:
        """Return the smallest p value of the test for these sizes."""
        return self.chosen.test.least_p(sizes, self.chosen.settings)

    def can_reject(self, sizes: contract.Sizes) -> bool:
        """Tell whether pairs of these sizes can have an adjusted p value of alpha or less."""
        return self.least_p(sizes) * self.factor <= self.alpha

    def resamples_needed(self) -> int:
        """Return the number of random resamples from which on a pair can be rejected."""
        # From one too few on, as the division may be rounded up.
        least = max(1, math.ceil(self.factor / self.alpha) - 2)
        return next(B for B in count(least) if 1 / (B + 1) * self.factor <= self.alpha)

    def topics_needed(self, *, tied: bool = True) -> int | None:
        """Return the number of topics from which on a pair can be rejected, if there is one."""
        numbers = range(1, _MOST_TOPICS + 1)
        sizes = (contract.Sizes.of_topics(n, self.systems, tied=tied) for n in numbers)
        return next((each.n for each in sizes if self.can_reject(each)), None)

    def with_resamples(self, B: int) -> Limits:
        """Return the same with B resamples."""
        given = {**self.chosen.given, "B": B}
        return replace(self, chosen=contract.ChosenTest(self.chosen.test, given))


def with_enough_resamples(
    chosen: contract.ChosenTest, family: Family, topics: int, adjust: str, alpha: float
) -> tuple[contract.ChosenTest, list[str]]:
    """Return the test with a number of resamples with which the correction can reject; a note.

    Only where none is given, one resample serves all pairs, and more take a minute or less.
    """
    test, default = chosen.test, chosen.settings.get("B", 0)
    if (
        "B" in chosen.given
        or not isinstance(test, contract.TwoSamples)
        or not test.shares_resamples
    ):
        return chosen, []
    limits = Limits(chosen, len(family), len(family.systems), adjust, alpha)
    needed = limits.resamples_needed()
    rounds = (digit * 10**power for power in count(4) for digit in (1, 2, 5))
    B = next(each for each in rounds if each >= max(default, _ROOM * needed))
    more, sizes = limits.with_resamples(B), contract.Sizes.of_topics(topics)
    if more.least_p(sizes) == limits.least_p(sizes) or B * len(family) > _MOST_COUNTED:
        return chosen, []
    return more.chosen, [
        f"B = {B:,} was chosen, because {CORRECTIONS[adjust].label} needs {needed:,} resamples or "
        f"more to find a difference among {len(family):,} pairs"
    ]


def cautions_on(
    chosen: contract.ChosenTest,
    family: Family,
    adjust: str,
    alpha: float,
    matrix: Array,
    table: pd.DataFrame,
) -> list[str]:
    """Return cautions on p values that cannot be small, and on levels that are not held.

    `matrix` has the scores (topics, systems), and `table` a row for each pair.
    """
    found, limits = list[str](), Limits(chosen, 1, len(family.systems), adjust, alpha)
    for own in [] if family.at_once else family.kinds.values():
        numbers = (
            table.loc[own, each].to_numpy() for each in ("n", "n_b", "p_value", "p_adjusted")
        )
        limits = replace(limits, pairs=int(own.sum()))
        found += cautions_of(limits, matrix, family.part(own), *numbers)
    n = table.loc[table["p_value"].notna(), ["n", "n_b"]].min(axis=1).to_numpy()
    return [*found, *level_cautions(limits, matrix, n), *cautions_on_few_topics(chosen, n)]


def cautions_of(
    limits: Limits, matrix: Array, family: Family, n: IntArray, n_b: IntArray, p: Array, q: Array
) -> list[str]:
    """Return a caution if no pair can be rejected, or only many pairs at the same time."""
    present = ~np.isnan(p)
    if not present.any() or q[present].min() <= limits.alpha:
        return []
    every = _sizes(matrix, family, n, n_b, limits.chosen)
    sizes = [each for each, has in zip(every, present, strict=True) if has]
    bounds = {each: limits.least_p(each) for each in set(sizes)}
    least = np.array([bounds[each] for each in sizes])
    limits = replace(limits, pairs=len(least), complete=not np.isnan(matrix).any())
    attainable = adjusted(least, limits.adjust).min()
    at = sizes[int(least.argmin())]
    smallest = (
        f"the smallest p value of {limits.chosen.test.called} {limited_by(limits, at)} is "
        f"{_rounded(least.min(), limits.alpha)}"
    )
    if attainable > limits.alpha:
        corrected = limits.adjust != "none" and limits.pairs > 1
        made = _rounded(attainable, limits.alpha)
        after = f" after {CORRECTIONS[limits.adjust].label} for {limits.pairs:,} pairs"
        multiplied = f", and {made}{after}" * corrected
        could = " or ".join(_remedies(limits, at))
        no_difference = limits.chosen.test.samples == "paired" and at.nonzero < at.n
        depends = not draws_limit(limits, at) and (no_difference or _ties_matter(limits, at))
        return [
            f"no {'adjusted ' * corrected}p value can be {written(limits.alpha)} or less"
            f"{', whatever the scores' * (not depends)}: {smallest}{multiplied}"
            + f"; {could} could find a difference"
            * bool(could)
        ]
    number = _number_needed(least, limits)
    return [
        f"{CORRECTIONS[limits.adjust].label} can find a difference only if {number:,} or more of "
        f"{len(least):,} pairs have their smallest possible p value: {smallest}"
    ] * (number > 1)


def _rounded(value: float, alpha: float) -> str:
    """Write a number with two digits, or as many as tell that it is above alpha."""
    digits = next(d for d in range(2, 18) if value <= alpha or float(f"{value:.{d}g}") > alpha)
    return f"{value:.{digits}g}"


def _sizes(
    matrix: Array, family: Family, n: IntArray, n_b: IntArray, chosen: contract.ChosenTest
) -> list[contract.Sizes]:
    null = float(chosen.settings.get("null_value", 0.0))
    # What is 0, and what ties, is what a test finds that compares at the resolution of the scores.
    rule: TiesAt | contract.Decimals = chosen.settings.get("ties_at", "resolution")
    # A power of 2 changes no digit, and keeps differences in the range of a double.
    size = np.fmax.reduce(np.abs(matrix), axis=None, initial=abs(null))
    unit = -int(contract.exponents((np.array([[size]]),))[0])
    if unit and isinstance(rule, int):
        rule = contract.Decimals(rule, -unit)
    systems, null = np.ldexp(np.ascontiguousarray(matrix.T), unit), float(np.ldexp(null, unit))
    step = max(1, _BLOCK // max(1, len(matrix)))
    nonzero = np.empty(len(family), dtype=np.int64)
    tied = np.empty(len(family), dtype=np.bool_)
    for start in range(0, len(family), step):
        block = slice(start, start + step)
        a, b = systems[family.first[block]], systems[family.second[block]]
        difference = np.abs(differences_of(a, b, null, rule))
        nonzero[block] = (difference > 0).sum(axis=1)  # a missing one is not
        if chosen.test.samples == "unpaired":
            x, y, _ = shifted_at("", np.nan_to_num(a), np.nan_to_num(b), null, rule)
            missing = np.isnan(np.concatenate([a, b], axis=1))
            tied[block] = ties(np.where(missing, np.nan, np.concatenate([x, y], axis=1)))
        else:
            tied[block] = ties(np.where(difference > 0, difference, np.nan))
    return [
        contract.Sizes(int(a), int(b), int(c), len(family.systems), bool(d))
        for a, b, c, d in zip(n, n_b, nonzero, tied, strict=True)
    ]


def differences_of(a: Array, b: Array, null: float, rule: TiesAt | contract.Decimals) -> Array:
    """Return a - b - null (rows, n) as compared under a rule of ties; NaN where one is missing."""
    missing = np.isnan(a) | np.isnan(b)
    a, b = np.where(missing, 0, a), np.where(missing, 0, b)
    found, _ = differences_at("", a, b, null, rule, ranked=True)
    return np.where(missing, np.nan, found)


def ties(rows: Array) -> BoolArray:
    """Tell in which rows two numbers are equal; NaN is none."""
    ordered = np.sort(rows, axis=1)
    return np.asarray((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))


def limited_by(limits: Limits, sizes: contract.Sizes) -> str:
    """Say what the smallest p value is of: resamples or topics."""
    if draws_limit(limits, sizes):
        return f"with B = {limits.chosen.settings['B']:,}"
    if limits.chosen.test.samples == "unpaired":
        topics = f"with {sizes.n} and {sizes.m} topics"
        return f"{topics} and no equal scores" * _ties_matter(limits, sizes) or topics
    topics = f"with {sizes.n} topic{'s' * (sizes.n != 1)}"
    equal = sizes.n - sizes.nonzero
    if equal:
        return f"{topics}, {equal} or more without a difference,"
    return f"{topics} and no equal differences" * _ties_matter(limits, sizes) or topics


def _ties_matter(limits: Limits, sizes: contract.Sizes) -> bool:
    tied = replace(sizes, tied=True)
    return not sizes.tied and limits.least_p(tied) < limits.least_p(sizes)


def draws_limit(limits: Limits, sizes: contract.Sizes) -> bool:
    """Tell whether the smallest p value depends on the number of resamples."""
    B = limits.chosen.settings.get("B")
    if B is None or B >= MOST_RESAMPLES:
        return False
    more = limits.with_resamples(min(2 * B, MOST_RESAMPLES))
    return more.least_p(sizes) != limits.least_p(sizes)


def _remedies(limits: Limits, sizes: contract.Sizes) -> list[str]:
    test, needed = limits.chosen.test, limits.resamples_needed()
    could = [_MAX_T] if _is_for_max_t(limits, sizes) else []
    if draws_limit(limits, sizes):
        return [*could, f"B of at least {needed:,}"]
    topics, resamples = limits.topics_needed(tied=sizes.tied), ""
    if topics is None and test.draws:
        topics, resamples = limits.with_resamples(needed).topics_needed(), f" and B of {needed:,}"
    which = " of each system" if test.samples == "unpaired" else ""
    if test.samples == "paired" and sizes.nonzero < sizes.n:
        which = " with a difference"
    if topics is not None:
        could.append(f"{topics} topics{which} or more{resamples}")
    return could


_MAX_T = f"{max_t.called} (max_t), which needs no correction,"


def _is_for_max_t(limits: Limits, sizes: contract.Sizes) -> bool:
    test, settings = limits.chosen.test, limits.chosen.settings
    shifted = settings.get("null_value", 0) != 0
    if test.samples != "paired" or test.shows != "difference" or shifted or not limits.complete:
        return False
    own = max_t.chosen({name: settings[name] for name in ("alternative",) if name in settings})
    return limits.adjust != "none" and replace(limits, chosen=own, adjust="none").can_reject(sizes)


def _number_needed(least: Array, limits: Limits) -> int:
    """Return how many pairs must have their smallest p value for one to be rejected."""
    ordered = np.sort(least)

    def rejects(number: int) -> bool:
        p = np.where(np.arange(len(ordered)) < number, ordered, 1.0)
        return bool(adjusted(p, limits.adjust).min() <= limits.alpha)

    return 1 + bisect_left(range(1, len(ordered)), True, key=rejects)


def level_cautions(limits: Limits, matrix: Array, n: IntArray) -> list[str]:
    """Return a caution if the test rejected too often in simulations with so few topics.

    `n` has the number of scores in each p value.
    """
    test = limits.chosen.test
    has_ties = bool(ties(matrix).any())
    above = test.level.above(ties=has_ties)
    held_from = next((n for n in contract.CHECKED if n > max(above, default=0)), None)
    if not above or not len(n):
        return []
    least = int(n.min())
    if held_from is not None and least >= held_from:
        return []
    at = max((size for size in above if size <= least), default=min(above))
    where = "at any number of topics" if held_from is None else f"below {held_from} topics"
    instead = ""
    if test.level.instead:
        other = contract.significance_tests.load(test.level.instead)
        instead = f"; {other.called} ({other.name}) keeps the level"
        if not can_reject_instead(limits, least):
            instead = f"; more topics are needed, because {other.called}, which keeps the level, "
            instead += "cannot reject with so few"
    kinds = "with or without ties" if has_ties else "without ties"
    return [
        f"{test.called} rejects too many true null hypotheses {where}: "
        f"{'up to ' * has_ties}{100 * above[at]:.1f} % at the level {100 * contract.NOMINAL:g} % "
        f"with {at} topics, in simulations of scores {kinds}; here there are {least} "
        f"topics{instead}"
    ]


def can_reject_instead(limits: Limits, topics: int) -> bool:
    """Tell whether the test that keeps its level can reject with so many topics."""
    instead = contract.significance_tests.load(limits.chosen.test.level.instead)
    other = replace(limits, chosen=instead.chosen({}))
    if instead.draws:
        other = other.with_resamples(other.resamples_needed())
    return other.can_reject(contract.Sizes.of_topics(topics, limits.systems))


def cautions_on_few_topics(chosen: contract.ChosenTest, n: IntArray) -> list[str]:
    """Return a caution on a level that was not simulated, or that few skewed scores break."""
    test, least = chosen.test, int(n.min()) if len(n) else max(contract.CHECKED)
    if least < contract.CHECKED[0]:
        return [
            f"nothing is known of the level of {test.called} with {least} topics, unless its "
            "assumptions hold exactly: simulations of its type I error begin at "
            f"{contract.CHECKED[0]} topics"
        ]
    at = max(size for size in contract.CHECKED if size <= least)
    if least >= _FEW or at not in test.level.skewed:
        return []
    what = "differences" if test.samples == "paired" else "scores"
    return [
        f"{test.called} rejects {100 * test.level.skewed[at]:.1f} % of the true null hypotheses at "
        f"the level {100 * contract.NOMINAL:g} % with {at} topics if the {what} are as skewed as "
        f"exponential ones, in simulations; here there are {least} topics, too few to see whether "
        "they are"
    ]


# --- Advice on tests ---


@dataclass(frozen=True)
class Situation:
    """Question that several tests answer, with their correction and their missing scores."""

    title: str
    correction: str
    missing: str
    covers: Callable[[contract.SignificanceTest[Any]], bool]

    def tests(self) -> list[contract.SignificanceTest[Any]]:
        """Return the tests of the catalogue for this situation."""
        tests = map(contract.significance_tests.load, contract.significance_tests.names())
        return [test for test in tests if self.covers(test)]

    @property
    def not_in_compare(self) -> list[str]:
        """The names of those of the tests that `compare` does not run."""
        return [test.name for test in self.tests() if not in_compare(test)]


def _of(samples: str) -> Callable[[contract.SignificanceTest[Any]], bool]:
    return lambda test: test.samples == samples and test.shows == "difference"


_BY_PAIR = "none for one pair; for several pairs holm (the default), or BH for a screening"
_WHOLE = "a missing score is an error; the policy drop_topic omits its topic"

#: In the order of the tables; a test is in the first that covers it.
SITUATIONS = (
    Situation(
        "Two systems on the same topics, or several pairs tested one by one",
        _BY_PAIR,
        "each pair omits the topics that lack a score (the policy omit)",
        _of("paired"),
    ),
    Situation(
        "Several systems on the same topics, all pairs or pairs with a baseline tested together",
        "none, because the p values hold for the whole family; for conover, holm",
        _WHOLE,
        _of("pairs"),
    ),
    Situation(
        "Whether any of several systems differ, on the same topics",
        "none, because there is one p value; tests of pairs show which systems differ",
        _WHOLE,
        _of("all systems"),
    ),
    Situation(
        "Two systems on different topics",
        _BY_PAIR,
        "a missing score is omitted. Of two collections: standardized by comparable reference "
        "systems",
        _of("unpaired"),
    ),
    Situation(
        "Other questions: equivalence, correlation, spread, one system",
        "holm for several pairs or systems",
        "a missing score, or a pair with one, is omitted",
        lambda test: test.samples == "one sample" or test.shows != "difference",
    ),
)


@dataclass(frozen=True)
class Facts:
    """Properties of a score matrix that decide which tests fit it."""

    topics: int
    complete_topics: int
    systems: int
    missing: int
    #: Proportion of the pairs of scores on one topic that are equal; 0 for one system.
    equal: float
    #: The scores themselves, for the levels of tests.
    scores: Array = field(repr=False, compare=False)
    #: The sizes that bound the p values of the pairs of systems, each once.
    sizes: frozenset[contract.Sizes] = field(repr=False, compare=False)

    @classmethod
    def of(cls, scores: Array) -> Self:
        """Return the facts of scores (topics, systems), NaN where one is missing."""
        absent = np.isnan(scores)
        systems = scores.shape[1]
        names, present = tuple(map(str, range(systems))), (~absent).astype(np.int64)
        family = Family(names, (), *np.triu_indices(systems, 1))
        n = (present.T @ present)[family.first, family.second]
        sizes = _sizes(scores, family, n, n, max_t.chosen({}))
        both, different = int(n.sum()), sum(each.nonzero for each in sizes)
        return cls(
            len(scores),
            complete_topics=int((~absent.any(axis=1)).sum()),
            systems=systems,
            missing=int(absent.sum()),
            equal=(both - different) / both if both else 0.0,
            scores=scores,
            sizes=frozenset(sizes),
        )

    @property
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return self.systems * (self.systems - 1) // 2

    def __str__(self) -> str:
        correction = {0: "there is no pair", 1: "one pair needs no correction"}
        return (
            f"{counted(self.topics, 'topic')}, {counted(self.systems, 'system')}, "
            f"{counted(self.pairs, 'pair')}; {counted(self.missing, 'score')} missing, "
            f"{counted(self.complete_topics, 'topic')} complete; {100 * self.equal:.1f} % of the "
            "pairs of scores on the same topic are equal; "
            + correction.get(self.pairs, "tests of single pairs need a correction")
        )

    def against(self, test: contract.SignificanceTest[Any]) -> str:
        """Return why a test of differences does not fit these scores, "" if it does."""
        whole = test.samples in ("pairs", "all systems")
        topics = self.complete_topics if whole else self.topics
        reasons = {
            "its question is another": test.shows != "difference" or test.samples == "one sample",
            "there is only one system": self.systems < 2,
            "the systems have the same topics": test.samples == "unpaired",
            "all systems have the same scores": self.equal == 1,
            "there are only two systems": whole and self.systems == 2,
            f"it allows no missing score, and {self.missing} {'is' if self.missing == 1 else 'are'}"
            " missing": whole and self.missing > 0,
            f"it needs {test.minimum} topics or more": topics < test.minimum,
        }
        reason = next((reason for reason, holds in reasons.items() if holds), "")
        return reason or self._against_its_p_values(test)

    def but(self, test: contract.SignificanceTest[Any]) -> str:
        """Return a limitation of a test that fits these scores, "" if there is none."""
        if not cautions_on_few_topics(test.chosen_example(), self._numbers):
            return ""
        if self._numbers.min() < contract.CHECKED[0]:
            return "its type I error was not simulated for so few topics"
        return "it rejects too often if the differences of so few topics are skewed"

    def _against_its_p_values(self, test: contract.SignificanceTest[Any]) -> str:
        chosen = test.chosen_example()
        adjust = adjustment_of(chosen, None) if self.pairs > 1 else "none"
        family = Family.of([str(system) for system in range(self.systems)])
        chosen, _ = with_enough_resamples(chosen, family, self.topics, adjust, contract.NOMINAL)
        limits = Limits(chosen, self.pairs, self.systems, adjust, contract.NOMINAL)
        if not any(map(limits.can_reject, self.sizes)):
            at = min(self.sizes, key=limits.least_p)
            why = limited_by(limits, at).removesuffix(",")
            after = f" after {CORRECTIONS[adjust].label}" if adjust != "none" else ""
            more = f"; B = {limits.resamples_needed():,} or more needed" * draws_limit(limits, at)
            return f"no p value can be {contract.NOMINAL:g} or less{after} {why}{more}"
        if level_cautions(limits, self.scores, self._numbers):
            can = bool(test.level.instead) and can_reject_instead(limits, int(self._numbers.min()))
            return "it rejects too often with so few topics" + f"; use {test.level.instead}" * can
        return ""

    @property
    def _numbers(self) -> IntArray:
        return np.array(sorted({each.n for each in self.sizes}), dtype=np.int64)


def direction(test: contract.SignificanceTest[Any]) -> str:
    """Say whether a test can be one-sided, by its setting ``alternative``."""
    return "possible" if "alternative" in test.defaults else "no"


def in_words(text: str) -> str:
    """Return a declaration of a test, or a dash for a test that has not declared it."""
    return text or "-"
