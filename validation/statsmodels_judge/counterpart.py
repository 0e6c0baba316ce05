"""A number that we and statsmodels both have: who computes it, and on which cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.data import Source

#: What one side has computed of a case: numbers by their names, each of shape (k,) or one.
Numbers = Mapping[str, Any]
#: What all sides are given, by the names of their arguments.
Given = dict[str, Any]
#: What follows the name of a goal of `plan`, which is that of a test too.
GOAL = " goal"
#: Below this a number is next to no double.
_SMALLEST = 1e-300


@dataclass(frozen=True)
class Counterpart:
    """One of our functions and what statsmodels has for it.

    Attributes
    ----------
    ours, theirs
        The names, as the page has them.
    cases
        Yields what a case is, and what is given to all sides.
    by_us, by_statsmodels
        Compute the numbers of a case. Those of statsmodels are compared.
    in_r
        The function of ``judge.R`` that computes them.
    truth
        Computes them in mpmath, from the same doubles.
    covers
        Names of our functions, methods and goals that `by_us` calls; that of `ours` alone if None.
    slow
        How many times fewer cases are taken, because statsmodels or 50 digits take long.
    """

    ours: str
    theirs: str
    cases: Callable[[Source], Iterator[tuple[str, Given]]]
    by_us: Callable[..., Numbers]
    by_statsmodels: Callable[..., Numbers]
    in_r: str
    truth: Callable[..., Numbers]
    covers: tuple[str, ...] | None = None
    slow: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of our functions that are compared."""
        return (self.ours,) if self.covers is None else self.covers


def size_of(quantity: str, numbers: Mapping[str, Array]) -> Array:
    """Return the size to which a difference is taken, from our numbers.

    It is the size of the number itself, except where it may be near 0 by cancelling: an estimate is
    taken with its standard error, an end of an interval with the estimate and the margin, a
    statistic with 1, and another number with what our side names ``<number>_terms``.
    """
    value = np.abs(numbers[quantity])
    if quantity in ("conf_low", "conf_high") and "estimate" in numbers:
        estimate = numbers["estimate"]
        with np.errstate(invalid="ignore"):
            value = np.abs(estimate) + np.abs(numbers[quantity] - estimate)
    elif quantity == "statistic":
        value = value + 1
    beside = ("stderr",) if quantity == "estimate" else ()
    for terms in (*beside, f"{quantity}_terms"):
        value = value + np.nan_to_num(numbers.get(terms, np.zeros(1)))
    return np.maximum(value, _SMALLEST)
