"""Advice on which significance test to use: all tests by situation, and those that fit scores.

A test states its null hypothesis, what it assumes and what to choose it for in its decorator; a
situation is told by what a test takes and shows. A new test is in the tables as soon as it is
in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.significance.contract import SignificanceTest
from cdfscore.significance.registry import significance_tests


@dataclass(frozen=True)
class Situation:
    """Question that tests answer: which they are, their correction and missing scores."""

    title: str
    correction: str
    missing: str
    covers: Callable[[SignificanceTest[Any]], bool]

    def tests(self) -> list[SignificanceTest[Any]]:
        """Return the tests of the catalogue for this situation."""
        tests = map(significance_tests.load, significance_tests.names())
        return [test for test in tests if self.covers(test)]


def _of(samples: str) -> Callable[[SignificanceTest[Any]], bool]:
    return lambda test: test.samples == samples and test.shows == "difference"


_BY_PAIR = "none for one pair; for several, holm (the default), or BH for a screening"
_WHOLE = "a missing score is refused: leave out its topic by the policy drop_topic"

#: In the order of the tables; a test is in the first that covers it.
SITUATIONS = (
    Situation(
        "A pair of systems on the same topics, or each pair by itself",
        _BY_PAIR,
        "a topic is left out for a pair that lacks its score (the policy omit)",
        _of("paired"),
    ),
    Situation(
        "Several systems on the same topics: all pairs, or those with a baseline, together",
        "none, since the p values hold for the family; holm for conover, which tests each pair",
        _WHOLE,
        _of("pairs"),
    ),
    Situation(
        "Whether any of several systems differ, on the same topics",
        "none for one test; which of them differ is for the tests of pairs",
        _WHOLE,
        _of("all systems"),
    ),
    Situation(
        "A pair of systems on different topics",
        _BY_PAIR,
        "a missing score is left out",
        _of("unpaired"),
    ),
    Situation(
        "Something else than a difference of two systems",
        "holm for several pairs or systems",
        "a missing score, or pair, is left out",
        lambda test: test.samples == "one sample" or test.shows != "difference",
    ),
)


@dataclass(frozen=True)
class Facts:
    """What a matrix of scores says about the choice of a test."""

    topics: int
    complete_topics: int
    systems: int
    missing: int
    #: Proportion of the pairs of scores on one topic that are equal; 0 for one system.
    equal: float

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
        equal = pairs = 0
        for column in range(systems - 1):
            both = ~absent[:, column : column + 1] & ~absent[:, column + 1 :]
            pairs += int(both.sum())
            equal += int((scores[:, column : column + 1] == scores[:, column + 1 :]).sum())
        complete = int((~absent.any(axis=1)).sum())
        return cls(len(scores), complete, systems, int(absent.sum()), equal / pairs if pairs else 0)

    @property
    def pairs(self) -> int:
        """Number of pairs of systems."""
        return self.systems * (self.systems - 1) // 2

    def __str__(self) -> str:
        one = self.pairs <= 1
        return (
            f"{_counted(self.topics, 'topic')}, {_counted(self.systems, 'system')}, "
            f"{_counted(self.pairs, 'pair')}; {_counted(self.missing, 'score')} missing, "
            f"{_counted(self.complete_topics, 'topic')} complete; {100 * self.equal:.1f} % of the "
            "pairs of scores on a topic are equal; "
            + ("one pair needs no correction" if one else "tests of each pair need a correction")
        )

    def against(self, test: SignificanceTest[Any]) -> str:
        """Return why a test of differences does not fit these scores, "" if it does.

        A new kind of reason is one more line here.
        """
        whole = test.samples in ("pairs", "all systems")
        topics = self.complete_topics if whole else self.topics
        reasons = {
            "the question is another": test.shows != "difference" or test.samples == "one sample",
            "there is one system": self.systems < 2,
            "the systems have the same topics": test.samples == "unpaired",
            "two systems are one pair": whole and self.systems == 2,
            f"it needs every score, and {self.missing} {'is' if self.missing == 1 else 'are'} "
            "missing": whole and self.missing > 0,
            f"it needs {test.minimum} topics": topics < test.minimum,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def direction(test: SignificanceTest[Any]) -> str:
    """Say whether a test can be one-sided, by its setting ``alternative``."""
    return "possible" if "alternative" in test.defaults else "no"


def in_words(text: str) -> str:
    """Return a declaration of a test, or a dash for a test that has not declared it."""
    return text or "-"
