"""Components of variance of means over topics: that of the topics, and of the reference systems."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cdfscore.numerics import student_t
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.significance.contract.result import TestResult


@dataclass(frozen=True)
class Estimates:
    """Means over topics, of systems or of differences of two, with their standard errors."""

    mean: Array
    stderr: Array  # 0 where all topics have one value, NaN for fewer than 2 topics
    n: IntArray

    @classmethod
    def of(cls, found: TestResult) -> Estimates:
        """Take the numbers of a t test, which has none where all topics have one value."""
        mean, stderr, n = found.estimate, found.stderr, found.n
        without = np.isnan(stderr) & (n >= 2) & ~np.isnan(mean)
        return cls(mean, np.where(without, 0.0, stderr), n)

    def take(self, rows: IntArray | int, columns: IntArray) -> Estimates:
        """Return some of estimates (rows, columns)."""
        return Estimates(*(each[rows, columns] for each in (self.mean, self.stderr, self.n)))


@dataclass
class Variances:
    """Sums over resamples of the reference systems, as many as there are means.

    `systems` are the numbers of reference systems that are resampled. Sums are in units of the
    standard error by the factors as they are, so that squares of small and large scores are
    numbers.
    """

    given: Estimates
    systems: IntArray
    weight: Array = field(init=False)
    #: The fewest topics of a mean.
    fewest: IntArray = field(init=False)
    _moved: Array = field(init=False)
    _moved_squared: Array = field(init=False)
    _within: Array = field(init=False)
    _unit: Array = field(init=False)

    def __post_init__(self) -> None:
        zeros = np.zeros((4, len(self.given.mean)))
        self.weight, self._moved, self._moved_squared, self._within = zeros
        self.fewest = self.given.n.copy()
        self._unit = np.where(self.given.stderr > 0, self.given.stderr, 1.0)

    def add(self, resampled: Estimates, which: IntArray, weights: Array) -> BoolArray:
        """Add means by the factors of resamples, each of which stands for so many resamples.

        `which` has the mean that each is of. Where fewer than 2 topics have a score, as under a
        policy that leaves topics out, a mean is left out. Returns which are.
        """
        there = ~np.isnan(resampled.stderr)
        own, weight = which[there], weights[there]
        unit = self._unit[own]
        moved = (resampled.mean[there] - self.given.mean[own]) / unit
        # In the order of the resamples, as R adds them.
        np.add.at(self.weight, own, weight)
        np.add.at(self._moved, own, weight * moved)
        np.add.at(self._moved_squared, own, weight * moved**2)
        np.add.at(self._within, own, weight * (resampled.stderr[there] / unit) ** 2)
        np.minimum.at(self.fewest, own, resampled.n[there])
        return ~there

    def columns(self, exact: bool, conf_level: float) -> dict[str, Array]:
        """Return the standard errors and intervals.

        `exact` if the resamples are all there are, whose variance is over their number.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            reference = self._of_reference(exact)
            both = reference + self._within / self.weight
            share = np.where(both == 0, 0.0, reference / both)
            df = self.degrees_of_freedom(share)
        stderr = np.sqrt(both) * self._unit
        low, high = student_t.interval(self.given.mean, stderr, df, "two-sided", conf_level)
        return {
            "stderr_topics": self.given.stderr,
            "stderr_reference": np.sqrt(reference) * self._unit,
            "stderr_both": stderr,
            "reference_share": share,
            "both_df": df,
            "both_low": low,
            "both_high": high,
        }

    def degrees_of_freedom(self, share: Array) -> Array:
        """Return Satterthwaite's degrees of freedom of the sum of two estimates of variance."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return 1 / (share**2 / (self.systems - 1) + (1 - share) ** 2 / (self.given.n - 1))

    def rounding(self, exact: bool, resamples: int) -> tuple[Array, Array]:
        """Return bounds of the rounding of the standard errors, from reference and within topics.

        Each of the sums over k resamples is rounded k times, a relative error of k 2^-53 at most,
        and the variance from the reference is the difference of two, which may cancel.
        """
        relative = 2.0**-53 * (resamples + 4)
        with np.errstate(invalid="ignore", divide="ignore"):
            # |x^2| / w is at most the sum of squares, and x is rounded twice in it.
            error = 3 * relative * self._moved_squared / (self.weight - (0 if exact else 1))
            root = np.sqrt(self._of_reference(exact))
            of_reference = np.fmin(error / root, np.sqrt(error))
            within = relative * np.sqrt(self._within / self.weight)
        return of_reference * self._unit, within * self._unit

    def _of_reference(self, exact: bool) -> Array:
        squares = self._moved_squared - self._moved**2 / self.weight
        return np.maximum(squares, 0.0) / (self.weight - (0 if exact else 1))

    def apart_by_topics(self, conf_level: float) -> BoolArray:
        """Tell which means differ from 0 by the topics alone: their interval is on one side."""
        df = self.given.n.astype(np.float64) - 1
        mean, stderr = self.given.mean, self.given.stderr
        low, high = student_t.interval(mean, stderr, df, "two-sided", conf_level)
        return (low > 0) | (high < 0)
