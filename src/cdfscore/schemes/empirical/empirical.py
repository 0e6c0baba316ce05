"""Empirical distribution: E-std."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from cdfscore.numerics.blocks import as_rows, in_blocks
from cdfscore.numerics.moments import count
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes._extremes import all_equal, extremes
from cdfscore.schemes.base import Distribution, Parameters
from cdfscore.schemes.empirical.line import on_line
from cdfscore.schemes.empirical.plotting_position import (
    POSITIONS,
    denominators,
    heights,
    is_fraction,
    position_of,
)
from cdfscore.schemes.empirical.sample import count_at_most, count_below
from cdfscore.schemes.settings import setting_error

Convention = Literal["weak", "strict", "mid"]
Interpolation = Literal["linear"]
Position = Literal["hazen", "weibull", "blom"]  # the keys of POSITIONS


@dataclass(frozen=True)
class Empirical(Distribution):
    """E-std: the proportion of reference systems that score x or less.

    y = #{i : x_i <= x} / n over the n reference scores; Urbano, Lima and Hanjalic (2019),
    Eq. 7. It is a whole number over n, correctly rounded, as R's ``ecdf(scores)(x)``.
    `convention` is the rule for ties: "weak" counts x_i <= x (Eq. 7), "strict" counts x_i < x,
    "mid" is the mean of the two. Scores have shape (..., n); y has no unit and lies in [0, 1].

    `position` converts the count c to a plotting position, y = (c - a) / (n + 1 - 2a) limited to
    [0, 1], as R's ``ppoints(n, a)``. It is a number a from 0 to 1, or "hazen" (a = 1/2),
    "weibull" (0) or "blom" (3/8); the general form of Cunnane (1978). Under "mid", c is the mean
    rank (#{x_i < x} + #{x_i <= x} + 1) / 2, and "hazen" equals "mid" without a position.
    Under "weak" and "strict", y is 1 - (1 - a) / (n + 1 - 2a) right of the largest score, 0 left
    of the smallest, and 1 at x = inf only. Under "mid" with a < 1/2, y is
    (1/2 - a) / (n + 1 - 2a) left of the smallest score, 1 minus that right of the largest, and 0
    at x = -inf only. y is correctly rounded if a is a fraction over a power of 2 up to 1024, as
    the named ones are; for another a it equals R's y bit for bit, within 3 ulp of the true value.

    `interpolation` "linear" joins the values of y at the distinct scores by straight lines,
    as R's ``approxfun``; outside the scores y equals the step function.

    Constant topic: the formula is defined; at the common score y is 1 (weak; with a position
    (n - a) / (n + 1 - 2a)), 0 (strict) or 1/2 (mid).

    Raises `SchemeError` for another convention, position or interpolation, and `FitError`
    for a topic without reference scores, or with a single one if a = 1, where y is 0/0.

    Examples
    --------
    >>> Empirical().fit([0.1, 0.2, 0.2, 0.3])([0.0, 0.2, 0.3]).tolist()
    [0.0, 0.75, 1.0]
    >>> Empirical(position="weibull").fit([0.1, 0.2, 0.2, 0.3])([0.0, 0.2, 0.3]).tolist()
    [0.0, 0.6, 0.8]
    >>> Empirical(interpolation="linear").fit([1, 2, 2, 3])([1.0, 1.5]).tolist()
    [0.25, 0.5]
    """

    convention: Convention = "weak"
    position: float | Position | None = None
    interpolation: Interpolation | None = None

    formula = "y = #{i: x_i <= x} / n"
    source = "Urbano, Lima and Hanjalic (2019), Eq. 7"
    needs_spread = False
    tolerance = Tolerance(
        0, "y is a count divided by n or 2n; other settings do the operations of ppoints and approx"
    )

    def __post_init__(self) -> None:
        if self.convention not in get_args(Convention):
            self._refuse("convention", " or ".join(map(repr, get_args(Convention))))
        a = position_of(self.position)
        if a is not None and math.isnan(a):
            named = ", ".join(map(repr, POSITIONS))
            self._refuse("position", f"a number from 0 to 1, {named} or None")
        if self.interpolation not in (None, *get_args(Interpolation)):
            self._refuse("interpolation", "'linear', or None for steps")

    def _refuse(self, setting: str, expected: str) -> None:
        raise setting_error(self.name, setting, getattr(self, setting), expected)

    @property
    def minimum_scores(self) -> int:
        return 2 if position_of(self.position) == 1 else 1

    @property
    def right_continuous(self) -> bool:
        return self.convention == "weak"

    @property
    def degree_between(self) -> int:
        return 0 if self.interpolation is None else 1

    @property
    def counts(self) -> bool:
        """True for steps whose heights are fractions of small whole numbers."""
        return self.interpolation is None and is_fraction(position_of(self.position))

    def estimate(self, scores: Array) -> Parameters:
        sample = np.empty(scores.shape)
        rows, found = as_rows(scores), as_rows(sample)

        def fill(block: slice) -> None:
            found[block] = rows[block]
            found[block].sort(axis=-1)

        in_blocks(fill, *rows.shape)
        return {"sample": sample}

    def evaluate(self, x: Array, sample: Array) -> Array:
        y = self._steps(x, sample)
        if self.interpolation == "linear":
            below, at_most = count_below(sample, x), count_at_most(sample, x)
            between = (below == at_most) & (at_most > 0) & (at_most < count(sample))
            line = on_line(x, sample, self._steps(sample, sample), at_most, between)
            y = np.where(between, line, y)
        return y

    def denominators(self, sample: Array) -> IntArray | None:
        """Return the numbers that counts are divided by; see `Scheme.denominators`."""
        if not self.counts:
            return None
        return denominators(count(sample), position_of(self.position), self._whole)

    def inverse(self, p: Array, sample: Array) -> Array:
        """Return the smallest x with F(x) >= p; for the steps of E-std R's quantile type 1.

        With lines, and p between y at the smallest and at the largest score, it is R's
        quantile of type 4, or of type 5 for "hazen", 6 for "weibull", 7 for a = 1, 8 for
        a = 1/3 and 9 for "blom", where no scores are tied.
        """
        n, smallest = count(sample), np.arange(sample.shape[-1] + 1)
        y = np.where(smallest <= n, self._right_of(smallest, n), np.nan)
        rank = count_below(y, p)
        x = np.take_along_axis(sample, np.clip(rank, 1, n) - 1, axis=-1)
        x = np.where((rank == 0) & (y[..., :1] > 0), -np.inf, x)
        x = np.where(rank > n, np.inf, x)
        if self.interpolation == "linear":
            y = self._steps(sample, sample)
            rank = count_below(y, p)
            between = (rank > 0) & (rank < n)
            x = np.where(between, on_line(p, y, sample, rank, between), x)
        return np.where(np.isnan(p), np.nan, x)

    def support(self, sample: Array) -> tuple[Array, Array]:
        n = count(sample)
        low, high = extremes(sample)
        return (
            np.where(self._right_of(np.zeros_like(n), n) > 0, -np.inf, low),
            np.where(self._right_of(n, n) < 1, np.inf, high),
        )

    def constant(self, sample: Array) -> BoolArray:
        return all_equal(sample)

    @property
    def _whole(self) -> int:
        """Return the factor that makes c a whole number: 2 under "mid", where c may be a half."""
        return 2 if self.convention == "mid" else 1

    def _count(self, x: Array, sample: Array) -> IntArray:
        """Return c, times 2 under "mid"."""
        match self.convention:
            case "weak":
                counted = count_at_most(sample, x)
            case "strict":
                counted = count_below(sample, x)
            case "mid":
                counted = count_at_most(sample, x) + count_below(sample, x)
        if self.position is None:
            return counted
        counted += self._whole - 1
        # The rank of an infinite score is 0 or n + 1, where y is 0 or 1 for any a.
        last = self._whole * (count(sample) + 1)
        return np.where(np.isinf(x), np.where(x > 0, last, 0), counted)

    def _steps(self, x: Array, sample: Array) -> Array:
        y = self._heights(self._count(x, sample), count(sample))
        missing = np.isnan(x)
        if missing.any():
            y[missing] = np.nan
        return y

    def _right_of(self, smallest: IntArray, n: IntArray) -> Array:
        """Return y just right of each number of smallest scores."""
        added = 0 if self.position is None else self._whole - 1
        return self._heights(self._whole * smallest + added + 0 * n, n)  # of the shape of both

    def _heights(self, counted: IntArray, n: IntArray) -> Array:
        return heights(counted, n, position_of(self.position), self._whole)
