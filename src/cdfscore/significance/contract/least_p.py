"""Smallest p value of a test: what it is a function of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


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
