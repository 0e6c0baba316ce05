"""Beta-binomial distribution, for measures on a grid such as P@10.

The cdf is own code because SciPy's, through the gamma function, has neither the binomial
distribution as a limit nor the digits. For a correlation r the likelihood is concave in the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.stats.numerics.compiled import as_rows, compiled, in_blocks
from cdfscore.stats.numerics.eighty_bits import product_error, two_sum
from cdfscore.stats.numerics.numbers import whole_number_from
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes._rows import extremes, limit_where_constant, quantile_where_constant
from cdfscore.stats.schemes.base import Distribution, Parameters, first_bad, refuse_rows

# Grid of the search over r: squares of equidistant numbers, so that there are more small r.
_GRID = 24
_MOST = 200
# Sufficient relative errors of a mean: for a sign, and for a fit.
_ROUGH, _EXACT = 1e-6, 1e-15

_LARGEST_SIZE = 1000
# Largest distance of a score from a multiple of 1 / size: 0.1 * 3 is 6e-17 above 0.3.
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class BetaBinomial(Distribution):
    """Beta-binomial distribution of the scores of a topic, times `size`.

    y = P(K <= size x). K relevant documents among `size` have a mean of size * mean, and
    any two of them the correlation rho: rho = 0 is the binomial distribution, rho = 1 is all
    or none. With p = mean (1 - rho) and q = (1 - mean) (1 - rho), P(K = k) is the product
    of C(size, k), of p + i rho for i < k and of q + i rho for i < size - k, over that of
    1 - rho + i rho for i < size; Skellam (1948), for rho > 0 with the beta distribution's
    shapes p / rho and q / rho. `mean` and `rho` maximize the likelihood on the closed square
    [0, 1]^2: scores that vary less than binomial ones have rho = 0. P@10 has size 10. Scores
    have shape (..., n) and are multiples of 1 / size, to 1e-12; y has no unit, lies in
    [0, 1] and steps at the multiples, 1e-12 left of each. It is within 1 ulp of the true
    value for these parameters, above 1e-280.

    For each rho, the likelihood has one maximum over the mean. Maxima over rho are searched on a
    grid of 25 values, and Newton's method finds the highest.

    Constant topic: the mean is the common score, and rho is not determined. y is 0 left of the
    common score, 1/2 at it and 1 right of it.

    Raises `SchemeError` for a size that is not a whole number from 2 to 1000, and `FitError`
    for a topic with fewer than two reference scores, or with a score outside [0, 1] or not on
    the grid.

    Specified in beta_binomial.1 to beta_binomial.3.

    Examples
    --------
    >>> fitted = BetaBinomial(size=5).fit([0.0, 0.2, 0.2, 0.4, 1.0])
    >>> fitted([0.0, 0.2, 0.4, 0.9]).round(3).tolist()
    [0.286, 0.474, 0.63, 0.89]
    """

    size: int = 10

    formula = "y = P(K <= size x), K beta-binomial with this mean and correlation rho"
    source = "Skellam (1948), by maximum likelihood"
    minimum_scores = 2
    domain = (0.0, 1.0)
    free_parameters = 2
    tolerance = Tolerance(
        64, "two algorithms maximize the likelihood, and R adds rounded probabilities", floor=1.0
    )

    def __post_init__(self) -> None:
        whole_number_from(f"{self.name}: size", self.size, 2, _LARGEST_SIZE, SchemeError)

    @property
    def grid(self) -> float:
        return 1 / self.size

    def estimate(self, scores: Array) -> Parameters:
        k = self.size * scores
        near = np.abs(k - np.round(k)) <= self.size * _TOLERANCE
        # 3 * 0.1 and 0.3 are the same score; a constant topic keeps its score, on the grid or not.
        low, high = extremes(scores)
        scores = np.where(near & (low != high), np.round(k) / self.size, scores)
        low, high = extremes(scores)
        spread = high - low
        off = np.abs(k - np.round(k)) > self.size * _TOLERANCE
        varies = (spread > 0)[..., 0]
        refuse_rows(
            off.any(axis=-1) & varies,
            lambda row: (
                f"a reference score is {first_bad(scores, off, row)}, which is not a "
                f"multiple of 1/{self.size}; {self} is a distribution on these"
            ),
        )
        mean, rho = low.copy(), np.zeros_like(low)
        present = np.round(k[varies])
        counts = np.stack([np.sum(present == i, axis=-1) for i in range(self.size + 1)], axis=-1)
        best = maximize(counts.astype(np.float64))
        mean[varies, 0], rho[varies, 0] = best
        return {"mean": mean, "rho": rho, "spread": spread}

    def evaluate(self, x: Array, mean: Array, rho: Array, spread: Array) -> Array:
        table = cumulative(self.size, np.where(spread > 0, mean, 0.5), rho)
        table = np.concatenate([np.zeros_like(mean), table], axis=-1)
        place = np.clip(self._position(x), -1.0, self.size)
        y = np.take_along_axis(table, np.where(np.isnan(x), 0, place + 1).astype(np.int64), axis=-1)
        y = limit_where_constant(y, x, np.equal(spread, 0), mean)
        return np.where(np.isnan(x), np.nan, y)

    def inverse(self, p: Array, mean: Array, rho: Array, spread: Array) -> Array:
        table = cumulative(self.size, np.where(spread > 0, mean, 0.5), rho)
        k = np.sum(table[..., np.newaxis, :] < p[..., np.newaxis], axis=-1)
        q = np.where(np.isnan(p), np.nan, k / self.size)
        return quantile_where_constant(q, p, np.equal(spread, 0), mean)

    def support(self, mean: Array, rho: Array, spread: Array) -> tuple[Array, Array]:
        varies = spread > 0
        return np.where(varies, 0.0, mean), np.where(varies, 1.0, mean)

    def constant(self, mean: Array, rho: Array, spread: Array) -> BoolArray:
        return np.equal(spread, 0)

    def _position(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            k = self.size * x
        whole = np.round(k)
        with np.errstate(invalid="ignore"):  # at infinity
            on = np.abs(k - whole) <= self.size * _TOLERANCE
        return np.where(x < 0, -1.0, np.where(on, whole, np.floor(k)))


def cumulative(size: int, mean: Array, correlation: Array) -> Array:
    """Return P(K <= k) for k = 0, ..., size; mean and correlation (..., 1) to (..., size + 1)."""
    mean, correlation = np.broadcast_arrays(mean, correlation)
    table = np.empty((*mean.shape[:-1], size + 1))
    rows, p, rho = as_rows(table), as_rows(mean), as_rows(correlation)

    def fill(part: slice) -> None:
        rows[part] = _of_rows(size, p[part], rho[part])

    in_blocks(fill, len(rows), size + 1)
    return table


def _of_rows(size: int, mean: Array, correlation: Array) -> Array:
    """Sum products of ratios P(K = k) / P(K = k - 1), rounded once, and divided by all of them."""
    certain = correlation == 1  # all or none: nothing lies between
    ratios = _ratios(size, mean, np.where(certain, 0.5, correlation))
    terms = [DoubleDouble.of(np.ones_like(mean))]
    exponents: list[IntArray] = [np.zeros(mean.shape, dtype=np.int64)]
    for k in range(size):
        # P(K = 0) may be 10^-6000: the powers of two are kept apart.
        term = terms[-1] * ratios[..., k : k + 1]
        exponent = np.frexp(term.high)[1]
        terms.append(term.times_power_of_two(-exponent))
        exponents.append(exponents[-1] + exponent)
    highest: IntArray = np.max(exponents, axis=0)
    sums, total = [], DoubleDouble.of(np.zeros_like(mean))
    for term, exponent in zip(terms, exponents, strict=True):
        total += term.times_power_of_two(exponent - highest)
        sums.append(total)
    table: Array = np.concatenate([(partial / total).high for partial in sums], axis=-1)
    table = np.where(certain, 1 - mean, table)
    table[..., -1] = 1.0
    return np.minimum(table, 1.0)


def _ratios(size: int, mean: Array, correlation: Array) -> DoubleDouble:
    """Return P(K = k) / P(K = k - 1) for k = 1, ..., size; correlations are below 1."""
    r = DoubleDouble.of(correlation)
    rest = DoubleDouble.one_minus(correlation)
    p, q = DoubleDouble.of(mean) * rest, DoubleDouble.one_minus(mean) * rest
    k = np.arange(1.0, size + 1)
    above = DoubleDouble.of(size - k + 1) * (p + DoubleDouble.of(k - 1) * r)
    return above / (DoubleDouble.of(k) * (q + DoubleDouble.of(size - k) * r))


@dataclass(frozen=True)
class DoubleDouble:
    """Numbers high + low, where low is at most half a unit in the last place of high."""

    high: Array
    low: Array

    @classmethod
    def of(cls, x: Array) -> DoubleDouble:
        """Return doubles as they are."""
        return cls(x, np.zeros_like(x))

    @classmethod
    def one_minus(cls, x: Array) -> DoubleDouble:
        """Return 1 - x without rounding."""
        return cls(*two_sum(np.ones_like(x), -x))

    def __add__(self, other: DoubleDouble) -> DoubleDouble:
        high, error = two_sum(self.high, other.high)
        lows, rest = two_sum(self.low, other.low)
        high, error = two_sum(high, error + lows)
        return DoubleDouble(*two_sum(high, error + rest))

    def __mul__(self, other: DoubleDouble) -> DoubleDouble:
        product = self.high * other.high
        error = product_error(self.high, other.high, product)
        error += self.high * other.low + self.low * other.high
        return DoubleDouble(*two_sum(product, error))

    def __truediv__(self, other: DoubleDouble) -> DoubleDouble:
        first = self.high / other.high
        product = first * other.high
        error = product_error(first, other.high, product)
        rest = ((self.high - product) - error + self.low - first * other.low) / other.high
        return DoubleDouble(*two_sum(first, rest))

    def __getitem__(self, place: Any) -> DoubleDouble:
        return DoubleDouble(self.high[place], self.low[place])

    def times_power_of_two(self, exponent: IntArray) -> DoubleDouble:
        """Multiply by 2^exponent."""
        return DoubleDouble(np.ldexp(self.high, exponent), np.ldexp(self.low, exponent))


@compiled
def maximize(counts):
    """Return mean and correlation for each row of counts (rows, size + 1), not of one number."""
    mean, correlation = np.empty(len(counts)), np.empty(len(counts))
    size = counts.shape[1] - 1
    # How many k are above i, and below size - i.
    above, below, d = np.empty(size), np.empty(size), np.empty(5)
    for row in range(len(counts)):
        above[:] = np.cumsum(counts[row, :0:-1])[::-1]
        below[:] = np.cumsum(counts[row, :-1])[::-1]
        inner = np.sum(counts[row, 1:-1])
        n = above[0] + below[0] - inner
        if inner == 0:  # zeros and wholes only: certain to be equal
            mean[row], correlation[row] = above[0] / n, 1.0
            continue
        m = start = np.sum(above) / (size * n)
        highest, before = -np.inf, 0.0  # 0 at r = 0 makes the binomial a maximum that falls
        for j in range(_GRID + 1):
            root, before_it = j / _GRID, max(j - 1, 0) / _GRID
            r, end = root * root, before_it * before_it
            slope = -1.0
            if j < _GRID:
                m = _best_mean(above, below, n, inner, r, m, _ROUGH, d)
                slope = d[1]
            if slope <= 0 and (before > 0 or j == 0):
                at, best = _climb(above, below, n, inner, end, r, start, d)
                value = _value(above, below, n, inner, best, at)
                if value > highest:
                    highest, correlation[row], mean[row] = value, at, best
            before = slope
    return mean, correlation


@compiled
def _climb(above, below, n, inner, low, high, m, d):
    """Return the maximum between two correlations, by Newton's method in a bracket."""
    r = 0.5 * (low + high)
    for _ in range(_MOST):
        m = _best_mean(above, below, n, inner, r, m, _EXACT, d)
        if d[1] > 0:
            low = r
        else:
            high = r
        # Along the ridge of the best means.
        after = r - d[1] / (d[4] - d[3] * d[3] / d[2])
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - r) <= _EXACT * r:
            break
        r = after
    return r, m


@compiled
def _best_mean(above, below, n, inner, r, m, tolerance, d):
    """Return the mean that is best for a correlation; `d` has the derivatives there."""
    low, high = 0.0, 1.0
    for _ in range(_MOST):
        _derivatives(above, below, n, inner, m, r, d)
        if d[0] > 0:
            low = m
        else:
            high = m
        after = m - d[0] / d[2]
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - m) <= tolerance * m:
            break
        m = after
    return m


@compiled
def _derivatives(above, below, n, inner, m, r, d):
    """Fill d with the slopes by m and r, and those by m twice, by both, and by r twice."""
    p, q = m * (1 - r), (1 - m) * (1 - r)
    d[0] = above[0] / m - below[0] / (1 - m)
    d[1] = -inner / (1 - r)
    d[2] = -above[0] / (m * m) - below[0] / ((1 - m) * (1 - m))
    d[3], d[4] = 0.0, -inner / ((1 - r) * (1 - r))
    for i in range(1, len(above)):
        a, b, c = 1 / (p + i * r), 1 / (q + i * r), (i - 1) / (1 - r + i * r)
        u, v = (i - m) * a, (i - 1 + m) * b
        d[0] += (1 - r) * (above[i] * a - below[i] * b)
        d[1] += above[i] * u + below[i] * v - n * c
        d[2] -= (1 - r) * (1 - r) * (above[i] * a * a + below[i] * b * b)
        # The sum of the slopes: p + i r is m (1 - r) + i r.
        d[3] -= i * (above[i] * a * a - below[i] * b * b)
        d[4] -= above[i] * u * u + below[i] * v * v - n * c * c


@compiled
def _value(above, below, n, inner, m, r):
    p, q = m * (1 - r), (1 - m) * (1 - r)
    value = above[0] * math.log(m) + below[0] * math.log(1 - m) + inner * math.log(1 - r)
    for i in range(1, len(above)):
        value += above[i] * math.log(p + i * r) + below[i] * math.log(q + i * r)
        value -= n * math.log(1 - r + i * r)
    return value
