"""Continuous ranked probability score: the distance of a predicted cdf from an observed score."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.quantiles import invert
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Fitted

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

    CRPS(F, y) = integral of (F(x) - 1{x >= y})^2 dx over all x, for the `rows` fits of `fitted`
    and a score y (rows,) for each: Gneiting and Raftery (2007), Eq. 20, with the opposite sign,
    so that lower is better. It has the unit of the scores. Like the log score, it is proper. It
    compares step functions with densities: for a point mass it is the absolute error, and for the
    empirical distribution of X it is mean |X - y| - mean |X - X'| / 2 (Eq. 21).

    Distributions with a closed form define it as `crps` (normal, uniform, minmax, exponential, and
    the Gaussian kernel for up to 1,000 scores). For the others it is integrated: `scores` (k,) are
    the distinct scores of the topic, ascending, two or more; y is one of them, and the fits are
    to others of them. It is NaN if the integral is infinite, because F does not approach 0 and 1,
    as with plotting positions, or approaches them too slowly, as for a Lévy distribution.

    Examples
    --------
    >>> from cdfscore.schemes import Empirical, Normal
    >>> scores = np.array([0.1, 0.2, 0.4])
    >>> crps(Empirical().fit([[0.1, 0.2]]), np.array([0.4]), scores).round(4).tolist()
    [0.225]
    >>> crps(Normal().fit([[0.1, 0.2]]), np.array([0.4]), scores).round(4).tolist()
    [0.2101]
    """
    closed = fitted.crps(y[:, np.newaxis])
    return integrated(fitted, y, scores) if closed is None else closed[:, 0]


def integrated(fitted: Fitted, y: Array, scores: Array) -> Array:
    """Integrate the CRPS over pieces that end at y, at some scores and at the ends of the support.

    If F consists of steps or lines between scores, the pieces end at all scores, and the sum is
    exact. Otherwise the error is about 1e-9 of the range of the scores, and 1e-6 if F rises
    steeply at a hundred other places, as with a kernel whose bandwidth is 1/1000 of the range.
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
    """Return the places to integrate at for a distribution that was fitted to other scores.

    They are `scores` (k,), ascending, and the steps of a distribution of steps or lines, or some
    quantiles of another distribution, to find where it rises. `fitted` has one row.
    """
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
    """Return the sum over the steps or lines of fits to some of the scores.

    Gauss's two nodes are exact for the square of a line, and his one for a step.
    """
    node = 1 / math.sqrt(3)
    nodes = (0.0,) if fitted.scheme.degree_between == 0 else (-node, node)
    middle, half = (scores[:-1] + scores[1:]) / 2, np.diff(scores) / 2
    total = np.zeros(len(y))
    for place in nodes:
        x = np.broadcast_to(middle + place * half, (len(y), len(half)))
        total += _squares(fitted(x), x, y) @ half
    return total * (2 / len(nodes))


def _ends(fitted: Fitted, scores: Array, rows: int) -> tuple[Array, Array, Array]:
    """Return places on both sides of the scores, and for which rows they hold all but nothing.

    The places (k,) are doublings of the range of the scores away. Beyond the last of them
    F^2, or (1 - F)^2, times the distance is at most a `_LEFT` of the range: so small is the
    rest of the integral even where F falls no faster than 1 / x, as Cauchy's does.
    """
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
    """Return the row of each piece, and its ends."""
    some = np.unique(np.linspace(0, len(scores) - 1, _PIECES + 1).round().astype(np.intp))
    everywhere = np.concatenate((low, scores[some], high, _grid(fitted)))
    first, last = everywhere.min(), everywhere.max()
    support = [np.broadcast_to(np.clip(end, first, last), y.shape) for end in fitted.support]
    shared = np.broadcast_to(everywhere, (len(y), len(everywhere)))
    ends = np.sort(np.column_stack((y, *support, shared)), axis=-1)
    row, piece = np.nonzero(ends[:, 1:] > ends[:, :-1])
    return row, ends[row, piece], ends[row, piece + 1]


def _grid(fitted: Fitted) -> Array:
    """Return the multiples on which a scheme for scores on a grid has its steps."""
    grid, (low, high) = fitted.scheme.grid, fitted.scheme.domain
    if grid is None or not math.isfinite(high - low):
        return np.zeros(0)
    return np.asarray(np.arange(round(low / grid), round(high / grid) + 1) * float(grid))


def integrals(
    function: Function, row: IntArray, low: Array, high: Array, *, rows: int, tolerance: float
) -> Array:
    """Return the integral of each of `rows` functions over its own pieces; shape (rows,).

    Piece k, of the function of row `row[k]`, is from `low[k]` to `high[k]`, each (p,). It is
    integrated by 15 nodes, and halved where these and 7 of them differ by more than
    `tolerance`: so a step takes some 35 halvings, and a smooth piece none.

    Own code, because SciPy's and R's integrate one function at a time.

    Examples
    --------
    >>> row, low, high = np.array([0, 1]), np.zeros(2), np.array([1.0, 2.0])
    >>> square = lambda row, x: x**2
    >>> integrals(square, row, low, high, rows=2, tolerance=1e-12).round(6).tolist()
    [0.333333, 2.666667]
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

    A score of resolution d is the first multiple of d, x, with F(x + d/2) >= u: the quantile of
    u as it would be written. `at` has the x and `reached` F(x + d/2), where that takes fewer
    values of F than there are scores to draw; else, and for scores of full precision, both are
    empty, and quantiles are rounded. They are the scheme's own, or else found by inverting F.
    `guide` has how many of `reached` are below k / 2^m, which is all that a search needs for most
    numbers u.
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
        reached = fitted((at + width / 2)[np.newaxis])[0]
        reached = np.maximum.accumulate(reached)
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
        """Return F at the ends of the domain that no score of a sorted `sample` reaches.

        Uniform numbers between the two give scores that do not reach those ends either.
        """
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
