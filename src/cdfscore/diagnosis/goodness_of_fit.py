"""Distance of scores from a distribution, by three statistics."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.blocks import is_compiled
from cdfscore.numerics.compiled import compiled, in_python
from cdfscore.numerics.types import Array

# Ramps narrower than this proportion of their distance from 0 and 1 are integrated numerically,
# by Gauss's five nodes on [-1, 1]; the closed form would cancel.
_NARROW = 0.1
_NODE_1, _NODE_2 = 0.5384693101056831, 0.906179845938664
_WEIGHT_0, _WEIGHT_1, _WEIGHT_2 = 128 / 225, 0.47862867049936647, 0.23692688505618908

#: Distance from 0 and 1 below which logarithms are not taken: a cdf near 1 has no more digits.
LEAST = 2.0**-53
# Python takes for a score the time of so many steps of NumPy.
_STEPS = 200
#: Column and name of each statistic.
STATISTICS = {"ks": "Kolmogorov-Smirnov", "ad": "Anderson-Darling", "cvm": "Cramer-von Mises"}


def statistics(lower: Array, upper: Array) -> Array:
    """Return the statistics of samples of n scores; shape (..., n) twice to (3, ...).

    `lower` and `upper` are the fitted cdf at the lower and the upper end of the cell of each
    score, the scores in ascending order (see `Resolution.cells`). A score is spread evenly over
    [lower_i, upper_i], as in the histogram of the probability integral transform, and G(u) is
    the proportion of scores up to u. With integrals over u from 0 to 1,

    - ks: the largest |G(u) - u|;
    - ad: n times the integral of (G(u) - u)^2 / (u (1 - u));
    - cvm: n times the integral of (G(u) - u)^2.

    Both ends are in [0, 1] and ascend along a row; this is not checked. Own code, because no
    library spreads numbers; the integrals are closed forms on the pieces where G is linear.

    If cells have no width, these are the usual statistics for a continuous cdf, such as
    -n - (1/n) sum_i (2i - 1) (log z_i + log(1 - z_(n+1-i))) for ad and
    1/(12n) + sum_i (z_i - (2i - 1)/(2n))^2 for cvm, with z_i = F(x_i). Scores on a grid are
    compared at the ends of their cells, so that ties do not increase the distance. With the usual
    formulas they would, and the statistic would depend more on the grid than on the fit. In ad, u
    and 1 - u are at least 2^-53, so that a score where F has no probability has a large but finite
    weight.

    Source: Stephens (1974), EDF statistics for goodness of fit and some comparisons, section
    2; D'Agostino and Stephens (1986), Goodness-of-fit techniques, section 4.2; for grouped
    scores after Choulakian, Lockhart and Stephens (1994), Cramer-von Mises statistics for
    discrete distributions, with G linear within a cell.

    Examples
    --------
    >>> import numpy as np
    >>> z = np.array([0.1, 0.4, 0.7])
    >>> statistics(z, z).round(4).tolist()
    [0.3, 0.366, 0.06]
    >>> statistics(np.array([0.0, 0.0, 0.5]), np.array([0.5, 0.5, 1.0])).round(4).tolist()
    [0.1667, 0.1288, 0.0278]
    """
    shape, n = lower.shape[:-1], lower.shape[-1]
    out = np.empty((math.prod(shape), 3))
    low, high = (np.ascontiguousarray(ends).reshape(-1, n) for ends in (lower, upper))
    if is_compiled(_STEPS * lower.size):
        _of_rows(low, high, out)
    else:
        in_python(_of_rows)(low.tolist(), high.tolist(), out)
    return np.ascontiguousarray(out.T).reshape(3, *shape)


@compiled
def _beyond(u: float) -> float:
    """Return the integral of v / (1 - v) from 0 to u, -log(1 - u) - u without cancellation."""
    if u > 0.05:
        return -math.log(max(1 - u, LEAST)) - u
    total, power = 0.0, u
    for k in range(2, 14):
        power *= u
        total += power / k
    return total


@compiled
def _weighted(u1: float, u2: float, g1: float, g2: float) -> float:
    """Return the integral of (g(u) - u)^2 / (u (1 - u)), g linear from (u1, g1) to (u2, g2)."""
    width = u2 - u1
    if width <= 0:
        return 0.0
    slope = (g2 - g1) / width
    if slope > 0 and width < _NARROW * min(u1, 1 - u2):
        middle, half = (u1 + u2) / 2, width / 2
        total = 0.0
        for node, weight in (
            (0.0, _WEIGHT_0),
            (-_NODE_1, _WEIGHT_1),
            (_NODE_1, _WEIGHT_1),
            (-_NODE_2, _WEIGHT_2),
            (_NODE_2, _WEIGHT_2),
        ):
            u = middle + half * node
            distance = g1 + (g2 - g1) * (1 + node) / 2 - u
            total += weight * distance * distance / (u * (1 - u))
        return total * half
    if u1 == 0 and g1 == 0:
        return (slope - 1) * (slope - 1) * _beyond(u2)
    if u2 == 1 and g2 == 1:
        return (slope - 1) * (slope - 1) * _beyond(1 - u1)
    # (a + b u)^2 / (u (1 - u)) = a^2 / u + (a + b)^2 / (1 - u) - b^2
    a, b = g1 - slope * u1, slope - 1
    below, above = max(u1, LEAST), max(1 - u2, LEAST)
    return (
        a * a * math.log1p((max(u2, below) - below) / below)
        + (a + b) * (a + b) * math.log1p((max(1 - u1, above) - above) / above)
        - b * b * width
    )


@compiled
def _of_row(lower: Array, upper: Array, out: Array) -> None:
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
        weighted += _weighted(u, low, g1, g1) + _weighted(low, high, g1, g2)
        u, i = high, end
    d0 = 1 - u
    square += d0 * d0 * d0
    weighted += _weighted(u, 1.0, 1.0, 1.0)
    out[0], out[1], out[2] = largest, n * weighted, n * square / 3


@compiled
def _of_rows(lower: Array, upper: Array, out: Array) -> None:
    for row in range(len(lower)):
        _of_row(lower[row], upper[row], out[row])
