"""Empirical distribution: E-std."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import SchemeError, check_one_of
from cdfscore.stats.numerics.compiled import as_rows, compiled, in_blocks, is_compiled
from cdfscore.stats.numerics.moments import count
from cdfscore.stats.numerics.numbers import between_0_and_1, finite_number
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes._rows import all_equal, extremes
from cdfscore.stats.schemes.base import Distribution, Parameters, setting_error

#: The named positions, each with its a.
POSITIONS = {"hazen": 1 / 2, "weibull": 0.0, "blom": 3 / 8}
# y is computed in whole numbers if a is a fraction with at most this denominator.
_LARGEST_DENOMINATOR = 1024
# Number of counts divided at a time, so that the quotients need little memory.
_BLOCK = 1 << 14

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
    rank (#{x_i < x} + #{x_i <= x} + 1) / 2, and "hazen" equals "mid" without a position. Then some
    probability is beyond the scores. y is correctly rounded if a is a fraction over a power of 2 up
    to 1024, as the named ones are; for another a it equals R's y bit for bit, within 3 ulp of the
    true value.

    `interpolation` "linear" joins the values of y at the distinct scores by straight lines,
    as R's ``approxfun``; outside the scores y equals the step function.

    Constant topic: the formula is defined; at the common score y is 1 (weak; with a position
    (n - a) / (n + 1 - 2a)), 0 (strict) or 1/2 (mid).

    Raises `SchemeError` for another convention, position or interpolation, and `FitError`
    for a topic without reference scores, or with a single one if a = 1, where y is 0/0.

    Specified in empirical.1 to empirical.8.

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
    basis = "by the empirical distribution of the scores of"
    enough_systems = 20
    needs_spread = False
    tolerance = Tolerance(
        0, "y is a count divided by n or 2n; other settings do the operations of ppoints and approx"
    )

    def __post_init__(self) -> None:
        check_one_of(f"{self.name}: convention", self.convention, get_args(Convention), SchemeError)
        a = position_of(self.position)
        if a is not None and math.isnan(a):
            named = ", ".join(map(repr, POSITIONS))
            self._refuse("position", f"a number from 0 to 1, {named} or None")
        words, given = get_args(Interpolation), self.interpolation
        if given is not None and not (isinstance(given, str) and given in words):
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
        return self.interpolation is None and self._is_fraction

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
        return self._out_of(count(sample)) if self.counts else None

    def inverse(self, p: Array, sample: Array) -> Array:
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
        """Return y of counts c times `_whole`, which are overwritten."""
        a = position_of(self.position)
        if a is None:
            return _quotients(counted, self._out_of(n))
        if not self._is_fraction:
            return np.clip((counted / self._whole - a) / (n + 1 - 2 * a), 0.0, 1.0)
        p, q = a.as_integer_ratio()
        out_of = self._out_of(n)
        return np.clip(q * counted - self._whole * p, 0, out_of) / out_of

    @property
    def _is_fraction(self) -> bool:
        """Tell whether y is a fraction of small whole numbers."""
        a = position_of(self.position)
        return a is None or a.as_integer_ratio()[1] <= _LARGEST_DENOMINATOR

    def _out_of(self, n: IntArray) -> IntArray:
        """Return the denominators (..., 1) of y for n scores, where y is a fraction."""
        a = position_of(self.position)
        if a is None:
            return self._whole * n
        p, q = a.as_integer_ratio()
        return self._whole * (q * (n + 1) - 2 * p)


def on_line(v: Array, x: Array, y: Array, right: IntArray, between: BoolArray) -> Array:
    """Interpolate at v up to the point `right` of x and y, as R's ``approx`` does."""
    right = np.where(between, right, 0)
    x0, y0 = (np.take_along_axis(values, right - 1, axis=-1) for values in (x, y))
    x1, y1 = (np.take_along_axis(values, right, axis=-1) for values in (x, y))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        part = (v - x0) / (x1 - x0)
        # A distance of more than the largest double is halved.
        part = np.where(np.isinf(x1 - x0), (v / 2 - x0 / 2) / (x1 / 2 - x0 / 2), part)
        return np.where(np.isinf(y1 - y0), (1 - part) * y0 + part * y1, y0 + (y1 - y0) * part)


def count_at_most(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s <= x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, below=False)


def count_below(sample: Array, x: Array) -> IntArray:
    """Count the sample scores s < x: rows of `sample` (..., n) are sorted, NaN last."""
    return _count(sample, x, below=True)


def _count(sample: Array, x: Array, *, below: bool) -> IntArray:
    if not is_compiled(x.size):
        return _searched(sample, x, np.less if below else np.less_equal)
    counts = np.empty(x.shape, dtype=np.int64)
    rows, given = (np.ascontiguousarray(as_rows(values)) for values in (sample, x))
    count_rows(rows, given, as_rows(counts), below)
    return counts


def _searched(sample: Array, x: Array, precedes: np.ufunc) -> IntArray:
    """Search in all rows at once, as NumPy's searchsorted takes one row only."""
    # Rows padded to a power of two with NaN, which precedes nothing, need no bounds checks.
    width = 1 << sample.shape[-1].bit_length()
    rows = np.full((*sample.shape[:-1], width), np.nan)
    rows[..., : sample.shape[-1]] = sample
    before = np.arange(rows.size // width).reshape((*sample.shape[:-1], 1)) * width - 1
    last = np.empty(x.shape, dtype=np.int64)  # the last score known to precede x
    last[...] = before
    step = width // 2
    while step:
        last += precedes(rows.take(last + step), x) * step
        step //= 2
    return np.asarray(last - before)


def position_of(position: float | str | None) -> float | None:
    """Return a of a position, None if there is none, and NaN if it is not a position."""
    if position is None:
        return None
    a = POSITIONS.get(position) if isinstance(position, str) else finite_number(position)
    return a if a is not None and 0 <= a <= 1 else math.nan


def _quotients(counted: IntArray, n: IntArray) -> Array:
    """Divide counts (..., m) by n (..., 1), in their own memory."""
    y = counted.view(np.float64)
    counts, out_of, found = as_rows(counted), as_rows(n), as_rows(y)

    def fill(block: slice) -> None:
        found[block] = counts[block] / out_of[block]

    in_blocks(fill, len(counts), counts.shape[1], _BLOCK)
    return y


@compiled
def count_rows(sample: Array, x: Array, counts: IntArray, below: bool) -> None:
    """Fill in how many scores of each sorted row of `sample` are at most x, or `below` x."""
    for row in range(len(sample)):
        scores, given, found = sample[row], x[row], counts[row]
        found[:] = 0
        length = len(scores)
        # Binary search for all x at once, without branches, half of which would be guessed wrong.
        while length > 1:
            half = length // 2
            for k in range(len(given)):
                at = found[k]
                score = scores[at + half - 1]
                found[k] = at + half if (score < given[k] if below else score <= given[k]) else at
            length -= half
        for k in range(len(given)):
            score = scores[found[k]]
            found[k] += score < given[k] if below else score <= given[k]


def dkw_band(scores: ArrayLike, x: ArrayLike, conf_level: float = 0.95) -> tuple[Array, Array]:
    """Return the low and high ends at x of a confidence band of the true cdf around E-std.

    F_n(x) - epsilon and F_n(x) + epsilon, limited to [0, 1], with F_n the empirical distribution
    and epsilon = sqrt(log(2 / (1 - conf_level)) / (2n)); Dvoretzky, Kiefer and Wolfowitz
    (1956), with the constant 2 of Massart (1990), Corollary 1. For any distribution of n
    independent scores, the whole band contains F with probability `conf_level` or more.
    Reference systems are not a random sample of systems: the band shows the precision that a
    random sample of n systems would have.

    `scores` has shape (..., n), one topic per row, NaN where a score is missing, and `x` (...,
    m). Returns the low and the high ends, each of the shape of x and without unit; NaN where
    x is NaN.

    Constant topic: the band is as for other topics, 1 - epsilon to 1 at the common score.

    Raises `SchemeError` for a `conf_level` that is not between 0 and 1, and `FitError` for a
    topic without scores, an infinite score, or an x without one row per topic.

    Examples
    --------
    >>> low, high = dkw_band([0.1, 0.2, 0.2, 0.3], [0.0, 0.2, 0.3], conf_level=0.5)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.3337, 0.5837], [0.4163, 1.0, 1.0])
    """
    fitted = Empirical().fit(scores)
    n = count(fitted.parameters["sample"])
    level = between_0_and_1("dkw_band: conf_level", conf_level, SchemeError)
    epsilon = np.sqrt(math.log(2.0 / (1.0 - level)) / (2 * n))
    y = fitted(x)
    return np.maximum(y - epsilon, 0.0), np.minimum(y + epsilon, 1.0)
