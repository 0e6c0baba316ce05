"""Criteria of fit: resolution, CRPS, distance of the cdf, probability integral transform."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.quantiles import invert
from cdfscore.stats.numerics.tails import central_counts
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import Fitted

# --- Resolution of scores, and the probability of a score as written ---


Source = Literal["found", "assumed"]

#: Largest distance of a score from a multiple of the resolution, as a proportion of it.
NEAR = 1e-9
# Tolerance for rounding, as a proportion of the score, at most a proportion of the resolution.
_ROUNDING, _MOST_ROUNDING = 4 * float(np.finfo(np.float64).eps), 1e-3
# Candidates for the resolution, the widest first: 1 / size of a ranking, then more decimals.
_SIZES = (*range(1, 101), *(10**k for k in range(3, 8)))
#: Proportion of the range of the scores that is taken for scores of full precision.
SHARE = 1e-6


@dataclass(frozen=True)
class Resolution:
    """Width of the cells of scores: x represents a score in (x - width / 2, x + width / 2].

    `source` is "found" if all scores are multiples of `width`, or "assumed" if they are of full
    precision, and simulated scores are not rounded. See diagnose.2 and diagnose.3.
    """

    width: float
    source: Source

    def cells(self, fitted: Fitted, x: Array) -> tuple[Array, Array]:
        """Return F at the lower and the upper end of each score's cell, of the shape of x."""
        half = self.width / 2
        lower, upper = np.split(fitted(np.concatenate([x - half, x + half], axis=-1)), 2, axis=-1)
        return lower, upper

    def rounded(self, x: Array) -> Array:
        """Return x rounded to the center of its cell."""
        if self.source == "assumed":
            return x
        return self.multiple(np.ceil(x / self.width - 0.5))

    def multiple(self, k: Array | IntArray) -> Array:
        """Return k times the width, as it is read from decimals: 3/10 and not 3 * 0.1."""
        size = round(1 / self.width)
        if size >= 1 and math.isclose(size * self.width, 1, rel_tol=1e-12):
            return np.asarray(k / size)
        return np.asarray(k * self.width)

    def __str__(self) -> str:
        return f"{self.width:.6g} ({self.source})"


def resolution_of(scores: Array) -> Resolution:
    """Return the resolution of scores (topics, systems), NaN where one is missing: diagnose.3."""
    values = scores[~np.isnan(scores)]
    narrowest = _narrowest(scores)
    for size in _SIZES:
        if 1 / size <= narrowest * (1 + NEAR) and _multiples(values, 1 / size).all():
            return Resolution(1 / size, "found")
    spread = float(np.ptp(values))
    return Resolution(SHARE * (spread or 1.0), "assumed")


def _multiples(values: Array, width: float) -> BoolArray:
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = values / width
        rounding = _ROUNDING * np.abs(ratio)
        near: BoolArray = np.abs(np.rint(ratio) - ratio) <= NEAR + rounding
    return near & (rounding <= _MOST_ROUNDING)


def _narrowest(scores: Array) -> float:
    """Return the least range of the scores of a topic that is not 0; infinite without one."""
    present = ~np.isnan(scores)
    low = np.min(scores, axis=-1, where=present, initial=np.inf)
    high = np.max(scores, axis=-1, where=present, initial=-np.inf)
    return float((high - low)[high > low].min(initial=np.inf))


# --- Continuous ranked probability score: the distance of a cdf from an observed score ---


# Nodes in (0, 1] and weights of Gauss and Kronrod's pair of 7 and 15 nodes on [-1, 1]; Piessens
# et al. (1983), QUADPACK, routine QK15. The last node is 0, and every other one is Gauss's.
_NODES = (
    0.991455371120812639206854697526329,
    0.949107912342758524526189684047851,
    0.864864423359769072789712788640926,
    0.741531185599394439863864773280788,
    0.586087235467691130294144691693013,
    0.405845151377397166906606412076961,
    0.207784955007898467600689403773245,
    0.0,
)
_KRONROD = (
    0.022935322010529224963732008058970,
    0.063092092629978553290700663189204,
    0.104790010322250183839876322541518,
    0.140653259715525918745189590510238,
    0.169004726639267902826583426598550,
    0.190350578064785409913256402421014,
    0.204432940075298892414161999234649,
    0.209482141084727828012999174891714,
)
_GAUSS = (
    0.129484966168869693270611432679082,
    0.279705391489276667901467771423780,
    0.381830050505118944950369775488975,
    0.417959183673469387755102040816327,
)
NODES = np.array([*(-node for node in _NODES), *_NODES[-2::-1]])
KRONROD = np.array([*_KRONROD, *_KRONROD[-2::-1]])
# The difference of the two rules, which is the estimate of the error.
ERROR = KRONROD.copy()
ERROR[1::2] -= [*_GAUSS, *_GAUSS[-2::-1]]
# A piece around a step is halved so often that its width no longer counts.
_HALVINGS = 50
# Number of function values at a time, for little memory.
_BLOCK = 1 << 17
#: Function of the row of each piece (p,) and of places within the pieces (p, 15).
Function = Callable[[IntArray, Array], Array]

#: Largest estimated error of a piece of the integral, as a proportion of the scores' range.
TOLERANCE = 1e-9
# Number of pieces between the scores of a topic if F is smooth.
_PIECES = 8
# Probabilities whose quantiles show where a distribution fitted to other scores rises.
_PLACES = (np.arange(_PIECES * 8) + 0.5) / (_PIECES * 8)
# Doublings of the range beyond the scores, and the neglected part, as a proportion of the range.
_DOUBLINGS, _LEFT = 60, 1e-13
# The least and the largest uniform number; 0 and 1 may have no finite quantile.
_ENDS = (2.0**-54, 1 - 2.0**-53)
# With more cells, quantiles are no slower.
_MOST_CELLS = 1 << 16
# Parts of the guide for each cell.
_PER_CELL = 8


def crps(fitted: Fitted, y: Array, scores: Array) -> Array:
    """Return the continuous ranked probability score of a score under each fit; shape (rows,).

    Specified in crps.1 and crps.2. y (rows,) has a score for each fit. Some distributions have a
    closed form, as their `crps`. The others are integrated: `scores` (k,) are the distinct scores
    of the topic, ascending, two or more; y is one of them, and the fits are to others of them. It
    is NaN if the integral is infinite, as with plotting positions, or for a Lévy distribution.
    """
    closed = fitted.crps(y[:, np.newaxis])
    return integrated(fitted, y, scores) if closed is None else closed[:, 0]


def integrated(fitted: Fitted, y: Array, scores: Array) -> Array:
    """Integrate the CRPS over pieces that end at y, at some scores and at the ends of the support.

    For steps and lines the sum is exact. Otherwise the error is about 1e-9 of the range of the
    scores.
    """
    low, high, found = _ends(fitted, scores, len(y))
    rows = np.flatnonzero(found)
    result = np.full(len(y), np.nan)
    if not rows.size:
        return result
    kept, at = fitted.take(rows), y[rows]
    if kept.scheme.degree_between in (0, 1):
        result[rows] = _of_lines(kept, at, scores)
        return result
    row, left, right = _pieces(kept, at, scores, low, high)

    def squares(own: IntArray, x: Array) -> Array:
        return _squares(kept.take(own)(x), x, at[own])

    tolerance = TOLERANCE * float(np.ptp(scores))
    result[rows] = integrals(squares, row, left, right, rows=len(rows), tolerance=tolerance)
    return result


def places_of(fitted: Fitted, scores: Array) -> Array:
    """Return the places to integrate at for one distribution that was fitted to other scores."""
    if fitted.scheme.degree_between in (0, 1):
        own = np.concatenate([np.ravel(each) for each in fitted.parameters.values()])
    else:
        own = quantiles(fitted, _PLACES[np.newaxis])[0]
    return np.unique(np.concatenate([scores, own[np.isfinite(own)]]))


def _squares(reached: Array, x: Array, y: Array) -> Array:
    """Return (F(x) - 1{x >= y})^2 from F(x), shape (rows, m), for y (rows,)."""
    distance = np.where(x < y[:, np.newaxis], reached, 1 - reached)
    return np.square(distance)


def _of_lines(fitted: Fitted, y: Array, scores: Array) -> Array:
    """Return the sum over steps or lines, at nodes of Gauss that are exact for their squares."""
    node = 1 / math.sqrt(3)
    nodes = (0.0,) if fitted.scheme.degree_between == 0 else (-node, node)
    middle, half = (scores[:-1] + scores[1:]) / 2, np.diff(scores) / 2
    total = np.zeros(len(y))
    for place in nodes:
        x = np.broadcast_to(middle + place * half, (len(y), len(half)))
        total += _squares(fitted(x), x, y) @ half
    return total * (2 / len(nodes))


def _ends(fitted: Fitted, scores: Array, rows: int) -> tuple[Array, Array, Array]:
    """Return doublings of the range beyond the scores, and which rows have nothing beyond."""
    spread = float(np.ptp(scores))
    with np.errstate(over="ignore"):
        away = spread * (2.0 ** np.arange(_DOUBLINGS + 1) - 1)
    away = away[away < np.finfo(np.float64).max / 4]
    for distance in away.tolist():
        x = np.array([scores[0] - distance, scores[-1] + distance])
        reached = fitted(np.broadcast_to(x, (rows, 2)))
        beyond = np.maximum(reached[:, 0], 1 - reached[:, 1]) ** 2
        held = beyond * (distance + spread) <= _LEFT * spread
        if held.all():
            break
    used = away[away <= distance]
    return scores[0] - used, scores[-1] + used, held


def _pieces(
    fitted: Fitted, y: Array, scores: Array, low: Array, high: Array
) -> tuple[IntArray, Array, Array]:
    some = np.unique(np.linspace(0, len(scores) - 1, _PIECES + 1).round().astype(np.intp))
    everywhere = np.concatenate((low, scores[some], high, _grid(fitted)))
    first, last = everywhere.min(), everywhere.max()
    support = [np.broadcast_to(np.clip(end, first, last), y.shape) for end in fitted.support]
    shared = np.broadcast_to(everywhere, (len(y), len(everywhere)))
    ends = np.sort(np.column_stack((y, *support, shared)), axis=-1)
    row, piece = np.nonzero(ends[:, 1:] > ends[:, :-1])
    return row, ends[row, piece], ends[row, piece + 1]


def _grid(fitted: Fitted) -> Array:
    grid, (low, high) = fitted.scheme.grid, fitted.scheme.domain
    if grid is None or not math.isfinite(high - low):
        return np.zeros(0)
    return np.asarray(np.arange(round(low / grid), round(high / grid) + 1) * float(grid))


def integrals(
    function: Function, row: IntArray, low: Array, high: Array, *, rows: int, tolerance: float
) -> Array:
    """Return the integral of each of `rows` functions over its own pieces; shape (rows,).

    Piece k, of the function of row `row[k]`, is halved where 15 nodes and 7 of them differ by more
    than `tolerance`. Own code, because SciPy's and R's integrate one function at a time.
    """
    total = np.zeros(rows)
    size = _BLOCK // len(NODES)
    for start in range(0, len(row), size):
        part = slice(start, start + size)
        total += _halved(function, row[part], low[part], high[part], rows, tolerance)
    return total


def _halved(
    function: Function, row: IntArray, low: Array, high: Array, rows: int, tolerance: float
) -> Array:
    total = np.zeros(rows)
    for halving in range(_HALVINGS + 1):
        middle, half = (low + high) / 2, (high - low) / 2
        values = function(row, middle[:, np.newaxis] + half[:, np.newaxis] * NODES)
        done = np.abs(half * (values @ ERROR)) <= tolerance
        if halving == _HALVINGS:
            done[:] = True
        total += np.bincount(row[done], (half * (values @ KRONROD))[done], minlength=rows)
        if done.all():
            break
        more = ~done
        row = np.repeat(row[more], 2)
        low = np.column_stack((low[more], middle[more])).ravel()
        high = np.column_stack((middle[more], high[more])).ravel()
    return total


@dataclass(frozen=True)
class Simulation:
    """Simulator that turns uniform numbers into scores of one fitted topic.

    `at` has the multiples x of the resolution d, and `reached` F(x + d/2), where that takes fewer
    values of F than there are scores to draw; else quantiles are rounded. `guide` has how many of
    `reached` are below k / 2^m, which is all that a search needs for most u.
    """

    fitted: Fitted
    resolution: Resolution
    at: Array
    reached: Array
    guide: IntArray

    @classmethod
    def of(cls, fitted: Fitted, resolution: Resolution) -> Simulation:
        """Return the simulation of a fit of one row."""
        nowhere = cls(fitted, resolution, np.zeros(0), np.zeros(0), np.zeros(0, np.intp))
        low, high = quantiles(fitted, np.array([_ENDS]))[0].tolist()
        width = resolution.width
        if resolution.source == "assumed" or not (high - low) / width < _MOST_CELLS:
            return nowhere
        first, last = np.rint(resolution.rounded(np.array([low, high])) / width)
        at = resolution.multiple(np.arange(first, last + 1))
        reached = np.maximum.accumulate(fitted((at + width / 2)[np.newaxis])[0])
        size = 1 << (_PER_CELL * len(at)).bit_length()
        guide = np.searchsorted(reached, np.arange(size + 1) / size)
        return cls(fitted, resolution, at, reached, guide)

    def scores(self, u: Array) -> Array:
        """Return the scores of uniform numbers in [0, 1), of their shape."""
        inside = np.clip(u, *_ENDS)
        if len(self.at):
            # Numbers k / 2^m are exact, and where no value of F lies between two of them, all
            # numbers between them have the same place.
            k = (inside * (len(self.guide) - 1)).astype(np.intp)
            place = self.guide[k]
            unsure = np.nonzero(place < self.guide[k + 1])
            place[unsure] = np.searchsorted(self.reached, inside[unsure])
            return np.asarray(self.at[np.minimum(place, len(self.at) - 1)])
        drawn = quantiles(self.fitted, inside.reshape(1, -1)).reshape(u.shape)
        return self.resolution.rounded(drawn)

    def within(self, sample: Array) -> tuple[float, float]:
        """Return F at the ends of the domain that no score of a sorted `sample` reaches."""
        low, high = self.fitted.scheme.domain
        half = self.resolution.width / 2
        below, above = 0.0, 1.0
        if math.isfinite(low) and sample[0] > low:
            below = float(self.fitted(np.array([[low + half]]))[0, 0])
        if math.isfinite(high) and sample[-1] < high:
            above = float(self.fitted(np.array([[high - half]]))[0, 0])
        return below, above


def quantiles(fitted: Fitted, p: Array) -> Array:
    """Return the quantiles of a fit, by its scheme or by inverting the cdf."""
    if hasattr(fitted.scheme, "inverse"):
        return fitted.quantile(p)
    low, high = fitted.support
    return invert(fitted, p, low[:, np.newaxis], high[:, np.newaxis])


# --- Distance of scores from a distribution, by three statistics ---


# Ramps narrower than this proportion of their distance from 0 and 1 are integrated numerically,
# by Gauss's five nodes on [-1, 1]; the closed form would cancel.
_NARROW = 0.1
_HALF = {0.5384693101056831: 0.47862867049936647, 0.906179845938664: 0.23692688505618908}
_GAUSS_5 = ((0.0, 128 / 225), *((s * u, weight) for u, weight in _HALF.items() for s in (-1, 1)))

#: Distance from 0 and 1 below which logarithms are not taken: a cdf near 1 has no more digits.
LEAST = 2.0**-53
# Scores from which on the statistics are worth the import of what is compiled.
_MANY = 1 << 12
#: Column and name of each statistic.
STATISTICS = {"ks": "Kolmogorov-Smirnov", "ad": "Anderson-Darling", "cvm": "Cramer-von Mises"}


def statistics(lower: Array, upper: Array) -> Array:
    """Return the statistics of goodness_of_fit.1 of n scores; (..., n) twice to (3, ...).

    `lower` and `upper` are the fitted cdf at the ends of the cell of each score, both ascending in
    [0, 1]. Own code, because no library spreads a score evenly over its cell; the integrals are
    closed forms on the pieces where G is linear.
    """
    low, high = (np.ascontiguousarray(each).reshape(-1, lower.shape[-1]) for each in (lower, upper))
    out = np.empty((len(low), 3))
    if low.size >= _MANY:
        _rows(low, high, out)
    else:
        row = _in_python(_row)
        for at, ends in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            row(*ends, out[at])
    return np.ascontiguousarray(out.T).reshape(3, *lower.shape[:-1])


@cache
def _in_python(function: Any) -> Any:
    """Return a compiled function, and those that it calls, as Python runs them: the same bits."""
    own, called = function.py_func, {}
    for name in own.__code__.co_names:
        if hasattr(each := own.__globals__.get(name), "py_func"):
            called[name] = _in_python(each)
    return FunctionType(own.__code__, {**own.__globals__, **called})


@compiled
def _far(u: float) -> float:
    """Return the integral of v / (1 - v) from 0 to u, -log(1 - u) - u without cancellation."""
    if u > 0.05:
        return -math.log(max(1 - u, LEAST)) - u
    total, power = 0.0, u
    for k in range(2, 14):
        power *= u
        total += power / k
    return total


@compiled
def _piece(u1: float, u2: float, g1: float, g2: float) -> float:
    """Return the integral of (g(u) - u)^2 / (u (1 - u)), g linear from (u1, g1) to (u2, g2)."""
    width = u2 - u1
    if width <= 0:
        return 0.0
    slope = (g2 - g1) / width
    if slope > 0 and width < _NARROW * min(u1, 1 - u2):
        middle, half = (u1 + u2) / 2, width / 2
        total = 0.0
        for node, weight in _GAUSS_5:
            u = middle + half * node
            distance = g1 + (g2 - g1) * (1 + node) / 2 - u
            total += weight * distance * distance / (u * (1 - u))
        return total * half
    if u1 == 0 and g1 == 0:
        return (slope - 1) * (slope - 1) * _far(u2)
    if u2 == 1 and g2 == 1:
        return (slope - 1) * (slope - 1) * _far(1 - u1)
    # (a + b u)^2 / (u (1 - u)) = a^2 / u + (a + b)^2 / (1 - u) - b^2
    a, b = g1 - slope * u1, slope - 1
    below, above = max(u1, LEAST), max(1 - u2, LEAST)
    return (
        a * a * math.log1p((max(u2, below) - below) / below)
        + (a + b) * (a + b) * math.log1p((max(1 - u1, above) - above) / above)
        - b * b * width
    )


@compiled
def _row(lower: Array, upper: Array, out: Array) -> None:
    n = len(lower)
    u, largest, weighted, square = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i < n:
        end = i + 1
        while end < n and lower[end] == lower[i] and upper[end] == upper[i]:
            end += 1
        low = max(lower[i], u)
        high = max(upper[i], low)
        g1, g2 = i / n, end / n
        d0, d1, d2 = g1 - u, g1 - low, g2 - high
        largest = max(largest, abs(d1), abs(d2))
        square += (low - u) * (d0 * d0 + d0 * d1 + d1 * d1)
        square += (high - low) * (d1 * d1 + d1 * d2 + d2 * d2)
        weighted += _piece(u, low, g1, g1) + _piece(low, high, g1, g2)
        u, i = high, end
    d0 = 1 - u
    square += d0 * d0 * d0
    weighted += _piece(u, 1.0, 1.0, 1.0)
    out[0], out[1], out[2] = largest, n * weighted, n * square / 3


@compiled
def _rows(lower: Array, upper: Array, out: Array) -> None:
    for row in range(len(lower)):
        _row(lower[row], upper[row], out[row])


# --- Probability integral transform of left-out scores under the predicted distributions ---


def pit_histogram(lower: Array, upper: Array, bins: int) -> Array:
    """Return how many scores fall into each of `bins` equal parts of [0, 1]; shape (bins,).

    A score is spread evenly over [lower, upper], the predicted cdf at the ends of its cell: the
    nonrandomized transform of Czado, Gneiting and Held (2009), Eq. 2.
    """
    width = np.where(upper > lower, upper - lower, 1.0)
    below = np.zeros(bins + 1)
    below[-1] = len(lower)
    for k in range(1, bins):
        edge = k / bins
        proportion = np.where(
            upper > lower, np.clip((edge - lower) / width, 0.0, 1.0), np.less(lower, edge)
        )
        below[k] = proportion.sum()
    return np.diff(below)


def cells_by_rank(sample: Array, others: Array | None = None) -> tuple[Array, Array]:
    """Return the ends between which the transform of each score is spread, by its rank; (n,) each.

    They are for steps or lines between m other scores, (m,), or the rest of the sample. With a of
    the others below a score and e equal to it, the ends are a / (m + 1) and (a + e + 1) / (m + 1).
    Each of the m + 1 ranks of a new score is equally probable, so that the histogram is flat.
    """
    known = np.sort(sample if others is None else others)
    itself = others is not None  # it is among the known scores otherwise
    below, at_most = (np.searchsorted(known, sample, side) for side in ("left", "right"))
    return below / (len(known) + itself), (at_most + itself) / (len(known) + itself)


def pit_moments(lower: Array, upper: Array) -> tuple[float, float]:
    """Return mean and standard deviation of the transform; 1/2 and 0.2887 under a perfect fit."""
    if not len(lower):
        return math.nan, math.nan
    mean = float(np.mean((lower + upper) / 2))
    square = float(np.mean((lower**2 + lower * upper + upper**2) / 3))
    return mean, float(np.sqrt(max(square - mean**2, 0.0)))


#: Level of the sampling band of each bin.
BAND = 0.95


def sampling_band(n: int, bins: int) -> tuple[float, float]:
    """Return the limits of the proportion of n scores in a bin in 95 % of samples.

    They are quantiles of the binomial distribution of n and 1 / bins, divided by n, for each bin by
    itself. pit.3 says where parameters, grids and related systems change them. There is no band for
    schemes that follow the scores, whose histogram is flat for any scores.
    """
    if not n:
        return math.nan, math.nan
    low, high = central_counts(BAND, n, 1 / bins)
    return low / n, high / n


def normal_end(n: int, bins: int) -> float:
    """Return the expected end bins for normal scores and a fitted normal, times `bins`.

    The result is above 1, about 1 + 2.7 / n for 10 bins: (x - mean) / sd of the n - 1 other scores
    is distributed as t with n - 2 degrees of freedom times sqrt(n / (n - 1)). NaN for n below 3.
    """
    if n < 3:
        return math.nan
    return float(bins * special.stdtr(n - 2, special.ndtri(1 / bins) / math.sqrt(n / (n - 1))))


def histogram_table(
    predicted: dict[str, tuple[Array, Array]], bins: int, follow: frozenset[str] = frozenset()
) -> pd.DataFrame:
    """Return `Diagnosis.histogram`; schemes that `follow` the scores have no band."""
    tables = []
    for name, (lower, upper) in predicted.items():
        count = pit_histogram(lower, upper, bins)
        edges = np.arange(bins + 1) / bins
        band = sampling_band(0 if name in follow else len(lower), bins)
        proportion = count / len(lower) if len(lower) else np.full(bins, np.nan)
        tables.append(
            pd.DataFrame(
                {
                    "scheme": name,
                    "bin": np.arange(1, bins + 1),
                    "low": edges[:-1],
                    "high": edges[1:],
                    "count": count,
                    "proportion": proportion,
                    "expected": 1 / bins,
                    "band_low": band[0],
                    "band_high": band[1],
                }
            )
        )
    return pd.concat(tables, ignore_index=True)
