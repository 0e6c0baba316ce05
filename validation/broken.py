"""Deliberately broken copies of two families, by which the judges are judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdfscore.stats.numerics.moments import count, mean_and_sd
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Normal
from cdfscore.stats.schemes.base import Parameters, Scheme


@dataclass(frozen=True)
class OffByOne(Empirical):
    """E-std whose count is one short: the scores below x and all but one of those at it."""

    def evaluate(self, x: Array, sample: Array) -> Array:
        at_most, below = super().evaluate(x, sample), Empirical("strict").evaluate(x, sample)
        return np.where(
            at_most > below, np.rint(at_most * count(sample) - 1) / count(sample), at_most
        )

    @classmethod
    def twin(cls) -> Path:
        return Empirical.twin()


@dataclass(frozen=True)
class DividesByN(Normal):
    """N-std with the standard deviation of n, ``ddof=0``, for that of n - 1."""

    def estimate(self, scores: Array) -> Parameters:
        mean, sd = mean_and_sd(scores)
        n = count(scores)
        return {"mean": mean, "sd": sd * np.sqrt((n - 1) / n)}

    @classmethod
    def twin(cls) -> Path:
        return Normal.twin()


BROKEN: tuple[Scheme, ...] = (OffByOne(), DividesByN())
