"""What a simulation found: one proportion, or one mean, beside the number that is nominal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from cdfscore import parse_scheme
from cdfscore.stats.numerics.types import Array

SEED = 2641
#: Monte Carlo standard errors from the nominal number, beyond which a sentence has to say so.
ERRORS = 3

Generator = np.random.Generator
Sampler = Callable[[Generator], Array]


@dataclass(frozen=True)
class Cell:
    """A number that a simulation of one design found.

    `nominal` is what it should be, `error` the Monte Carlo standard error, over so many `trials`.
    `undefined` counts data sets without the number; they count as not covered, or not rejected.
    """

    quantity: str
    design: str
    nominal: float
    found: float
    error: float
    trials: int
    undefined: int = 0

    def __post_init__(self) -> None:
        # So that a cell equals its record; the last digits may differ between machines.
        for name in ("nominal", "found", "error"):
            object.__setattr__(self, name, float(f"{getattr(self, name):.8g}"))

    @property
    def outside(self) -> bool:
        return abs(self.found - self.nominal) > ERRORS * self.error

    @property
    def none(self) -> float:
        """The share of data sets without the number."""
        return self.undefined / self.trials

    @property
    def of_others(self) -> float:
        """What is found of the data sets that have the number."""
        return self.found / (1 - self.none)


def proportion(
    quantity: str, design: str, nominal: float, hits: ArrayLike, undefined: ArrayLike = False
) -> Cell:
    """Return the cell of a coverage or a level: one hit or miss for each trial."""
    counted = np.asarray(hits, dtype=np.bool_)
    n = len(counted)
    error = float(np.sqrt(nominal * (1 - nominal) / n))
    lacking = int(np.count_nonzero(undefined))
    return Cell(quantity, design, nominal, float(counted.mean()), error, n, lacking)


def covered(
    quantity: str, design: str, level: float, low: ArrayLike, high: ArrayLike, truth: ArrayLike
) -> Cell:
    """Return the cell of the coverage of intervals, one for each trial, NaN where there is none."""
    low, high = np.asarray(low), np.asarray(high)
    hits = (low <= truth) & (truth <= high)
    return proportion(quantity, design, level, hits, np.isnan(low) | np.isnan(high))


def average(quantity: str, design: str, nominal: float, values: ArrayLike) -> Cell:
    """Return the cell of a mean over trials, whose standard error is that of the values."""
    numbers = np.asarray(values, dtype=np.float64)
    n = len(numbers)
    error = float(numbers.std(ddof=1) / np.sqrt(n))
    return Cell(quantity, design, nominal, float(numbers.mean()), error, n)


def ratio(quantity: str, design: str, nominal: float, values: Array) -> Cell:
    """Return the cell of the ratio of two means, of values (trials, 2), with its linear part."""
    above, below = values.T
    found = above.mean() / below.mean()
    return average(quantity, design, nominal, (above - found * below) / below.mean() + found)


def generators(data: str, trials: int) -> Iterator[Generator]:
    """Yield a generator for each trial, which depends on the data, the seed and its place alone."""
    for k in range(trials):
        yield np.random.default_rng([SEED, crc32(data.encode()), k])


def sampled(data: str, trials: int, sampler: Sampler) -> Array:
    """Return the samples (trials, ...) of all trials."""
    return np.array([sampler(rng) for rng in generators(data, trials)])


def standardized(scores: Array, scheme: str) -> Array:
    """Standardize scores (..., topics, systems) by a scheme fitted to the scores of each topic."""
    rows = scores.reshape(-1, scores.shape[-1])
    return np.asarray(parse_scheme(scheme).fit(rows)(rows)).reshape(scores.shape)


def ends(intervals: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the low and the high ends of the intervals of all trials."""
    low, high = zip(*intervals, strict=True)
    return np.array(low), np.array(high)
