"""Advice on which significance test to use: all tests by situation, and those that fit scores.

The decorator of a test states its null hypothesis, its assumptions, its use, its smallest p value
and its type I error. The situation follows from the samples of the test and from what it shows. A
new test is in the tables as soon as it is in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from cdfscore.comparison.attainable import (
    Limits,
    can_reject_instead,
    cautions_on_few_topics,
    differences_of,
    draws_limit,
    level_cautions,
    limited_by,
    ties,
    with_enough_resamples,
)
from cdfscore.comparison.choices import adjustment_of, in_compare
from cdfscore.comparison.pairs import Family
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.contract import (
    CHECKED,
    NOMINAL,
    SignificanceTest,
    Sizes,
    significance_tests,
)


@dataclass(frozen=True)
class Situation:
    """Question that several tests answer, with their correction and their missing scores."""

    title: str
    correction: str
    missing: str
    covers: Callable[[SignificanceTest[Any]], bool]

    def tests(self) -> list[SignificanceTest[Any]]:
        """Return the tests of the catalogue for this situation."""
        tests = map(significance_tests.load, significance_tests.names())
        return [test for test in tests if self.covers(test)]

    @property
    def not_in_compare(self) -> list[str]:
        """The names of those of the tests that `compare` does not run."""
        return [test.name for test in self.tests() if not in_compare(test)]


def _of(samples: str) -> Callable[[SignificanceTest[Any]], bool]:
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
    sizes: frozenset[Sizes] = field(repr=False, compare=False)

    @classmethod
    def of(cls, scores: Array) -> Self:
        """Return the facts of scores (topics, systems), NaN where one is missing.

        Examples
        --------
        >>> Facts.of(np.array([[0.1, 0.1, 0.3], [0.2, np.nan, 0.4]])).equal
        0.25
        """
        absent = np.isnan(scores)
        systems = scores.shape[1]
        counts = np.concatenate([np.empty((3, 0), dtype=np.int64), *_counts_of_pairs(scores)], 1)
        both, different = (int(each) for each in counts[:2].sum(axis=1))
        pairs = set(zip(*counts.tolist(), strict=True))
        sizes = (Sizes(n, n, nonzero, systems, bool(tied)) for n, nonzero, tied in pairs)
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

    def against(self, test: SignificanceTest[Any]) -> str:
        """Return why a test of differences does not fit these scores, "" if it does.

        A new kind of reason is one more line here.
        """
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

    def but(self, test: SignificanceTest[Any]) -> str:
        """Return a limitation of a test that fits these scores, "" if there is none."""
        if not cautions_on_few_topics(test.chosen_example(), self._numbers):
            return ""
        if self._numbers.min() < CHECKED[0]:
            return "its type I error was not simulated for so few topics"
        return "it rejects too often if the differences of so few topics are skewed"

    def _against_its_p_values(self, test: SignificanceTest[Any]) -> str:
        """Return why a test cannot reject, or rejects too often, on such scores; "" if neither."""
        chosen = test.chosen_example()
        adjust = adjustment_of(chosen, None) if self.pairs > 1 else "none"
        family = Family.of([str(system) for system in range(self.systems)])
        chosen, _ = with_enough_resamples(chosen, family, self.topics, adjust, NOMINAL)
        limits = Limits(chosen, self.pairs, self.systems, adjust, NOMINAL)
        if not any(map(limits.can_reject, self.sizes)):
            at = min(self.sizes, key=limits.least_p)
            why = limited_by(limits, at).removesuffix(",")
            after = f" after {adjust}" if adjust != "none" else ""
            more = f"; B = {limits.resamples_needed():,} or more needed" * draws_limit(limits, at)
            return f"no p value can be {NOMINAL:g} or less{after} {why}{more}"
        if level_cautions(limits, self.scores, self._numbers):
            can = bool(test.level.instead) and can_reject_instead(limits, int(self._numbers.min()))
            return "it rejects too often with so few topics" + f"; use {test.level.instead}" * can
        return ""

    @property
    def _numbers(self) -> IntArray:
        """The numbers of topics of the pairs, each once."""
        return np.array(sorted({each.n for each in self.sizes}), dtype=np.int64)


def _counts_of_pairs(scores: Array) -> Iterator[IntArray]:
    """Yield, for a system with each after it, the common topics, those with a difference, ties."""
    present = ~np.isnan(scores)
    for column in range(scores.shape[1] - 1):
        both = present[:, column : column + 1] & present[:, column + 1 :]
        others = scores[:, column + 1 :].T
        own = np.broadcast_to(scores[:, column], others.shape)
        difference = np.abs(differences_of(own, others, 0.0, "resolution"))
        different = difference > 0  # a missing one is not
        tied = ties(np.where(different, difference, np.nan))
        yield np.stack([both.sum(axis=0), different.sum(axis=1), tied])


def direction(test: SignificanceTest[Any]) -> str:
    """Say whether a test can be one-sided, by its setting ``alternative``."""
    return "possible" if "alternative" in test.defaults else "no"


def in_words(text: str) -> str:
    """Return a declaration of a test, or a dash for a test that has not declared it."""
    return text or "-"
