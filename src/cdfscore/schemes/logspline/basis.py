"""Logspline on given knots: the functions that form its log density.

The log of the density is a natural cubic spline s on knots t_0 < ... < t_k-1. Its second
derivative is linear between the knots and 0 at both ends, so that s is determined by its slope left
of t_0 and by s'' at the inner knots, the bends: k - 1 numbers, a constant apart, that the
density integrating to 1 decides. s = slope (x - t_0) + sum_j bend_j H_j(x), where H_j'' is 1
at t_j, 0 at the other knots and linear between them, and H_j is 0 left of t_j-1. Between knots
all is a polynomial in u = (x - t_i) / (t_i+1 - t_i).

Between knots the log of the density is a cubic, and the density is integrated by 20
Gauss-Legendre nodes on parts over which its log varies little, good to double precision. In
the tails the log is linear.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array

#: Of a polynomial of the third degree, and of its values and slopes at a knot.
VALUE, SLOPE, COEFFICIENTS = 0, 1, 4
#: Of the moments of a tail, the integrals of w^power against the density.
MASS, FIRST, SECOND, MOMENTS = 0, 1, 2, 3
#: Powers of u that are integrated over a piece: a product of two cubics has degree 6.
POWERS = 7
_nodes, _weights = np.polynomial.legendre.leggauss(20)
# On [0, 1].
_NODES, _WEIGHTS = (_nodes + 1) / 2, _weights / 2
# How much the log density may vary from the middle of a part, for 20 nodes to be exact.
_VARIATION = 3.0


class Fit(NamedTuple):
    """Logspline on given knots, in arrays, as numbers of a tuple cannot be changed.

    Attributes
    ----------
    t
        The knots.
    below, above
        How far the tails reach, infinite where there is no bound.
    pieces
        Coefficients of 1, u, u^2, u^3, (pieces, functions, 4). Function j is 0 on the pieces
        i < j - 1.
    ends
        Values and slopes at the last knot, (functions, 2).
    sample
        Means over the sample, (functions,).
    theta
        The coefficients: the slope, and the bends.
    gain
        The log-likelihood of a score, (1,).
    log_c
        The log of the integral of exp(s), (1,); infinite where there is no density.
    lower, upper
        Mass, first and second moment of the tails, in x - t_0 and in x - t_k-1.
    inner
        Integrals of u^power against the density of each piece, (pieces, 7).
    mean, covariance
        Of the functions under the density.
    """

    t: Array
    below: float
    above: float
    pieces: Array
    ends: Array
    sample: Array
    theta: Array
    gain: Array
    log_c: Array
    lower: Array
    inner: Array
    upper: Array
    mean: Array
    covariance: Array


@compiled
def prepare(x: Array, t: Array, low: float, high: float, theta: Array) -> Fit:
    """Return the fit with these knots and coefficients; the density is not yet integrated."""
    d = len(theta)
    pieces, ends = _functions(t)
    return Fit(
        t,
        t[0] - low,
        high - t[-1],
        pieces,
        ends,
        _means(x, t, pieces, ends),
        theta,
        np.empty(1),
        np.empty(1),
        np.empty(MOMENTS),
        np.empty((d, POWERS)),
        np.empty(MOMENTS),
        np.empty(d),
        np.empty((d, d)),
    )


@compiled
def _functions(t: Array) -> tuple[Array, Array]:
    """Return the pieces and the ends of the functions for these knots."""
    k = len(t)
    pieces, ends = np.zeros((k - 1, k - 1, COEFFICIENTS)), np.zeros((k - 1, 2))
    for i in range(k - 1):
        h = t[i + 1] - t[i]
        pieces[i, 0, VALUE], pieces[i, 0, SLOPE] = t[i] - t[0], h
        for j in range(1, k - 1):
            if i == j - 1:
                pieces[i, j, 3] = h * h / 6
                ends[j, VALUE], ends[j, SLOPE] = h * h / 6, h / 2
            elif i >= j:
                pieces[i, j, VALUE], pieces[i, j, SLOPE] = ends[j, VALUE], ends[j, SLOPE] * h
                ends[j, VALUE] += ends[j, SLOPE] * h
                if i == j:
                    pieces[i, j, 2], pieces[i, j, 3] = h * h / 2, -h * h / 6
                    ends[j, VALUE] += h * h / 3
                    ends[j, SLOPE] += h / 2
    ends[0, VALUE], ends[0, SLOPE] = t[k - 1] - t[0], 1.0
    return pieces, ends


@compiled
def _means(x: Array, t: Array, pieces: Array, ends: Array) -> Array:
    """Return the means of the functions over the sample, which is sorted."""
    n, k = len(x), len(t)
    means, powers = np.zeros(k - 1), np.zeros(COEFFICIENTS)
    left_of = np.searchsorted(x, t)  # of each knot, how many scores
    for at in range(left_of[0]):
        means[0] += x[at] - t[0]
    for i in range(k - 1):
        powers[:] = 0.0
        h = t[i + 1] - t[i]
        for at in range(left_of[i], left_of[i + 1]):
            u = (x[at] - t[i]) / h
            powers[0] += 1.0
            powers[1] += u
            powers[2] += u * u
            powers[3] += u * u * u
        for j in range(min(k - 1, i + 2)):
            for power in range(COEFFICIENTS):
                means[j] += pieces[i, j, power] * powers[power]
    for at in range(left_of[k - 1], n):
        for j in range(k - 1):
            means[j] += ends[j, VALUE] + ends[j, SLOPE] * (x[at] - t[k - 1])
    for j in range(k - 1):
        means[j] /= n
    return means


@compiled
def integrate_cubic(p: Array, moments: Array, v: Array) -> None:
    """Fill v with the integrals of p(u), u p(u), u^2 p(u), u^3 p(u) against the density."""
    for power in range(COEFFICIENTS):
        v[power] = (
            p[0] * moments[power]
            + p[1] * moments[power + 1]
            + p[2] * moments[power + 2]
            + p[3] * moments[power + 3]
        )


@compiled
def integrate_linear(end: Array, moments: Array, v: Array) -> None:
    """Fill v with the integrals of f(w) = value + slope w, and of w f(w), in the upper tail."""
    v[MASS] = end[VALUE] * moments[MASS] + end[SLOPE] * moments[FIRST]
    v[FIRST] = end[VALUE] * moments[FIRST] + end[SLOPE] * moments[SECOND]


@compiled
def dot(p: Array, v: Array) -> float:
    """Return the sum of the products of four numbers, added from the left."""
    return float(p[0] * v[0] + p[1] * v[1] + p[2] * v[2] + p[3] * v[3])


@compiled
def add_spline(fit: Fit, i: int, q: Array) -> None:
    """Add the coefficients of s on piece i to q."""
    for j in range(min(len(fit.theta), i + 2)):
        for power in range(COEFFICIENTS):
            q[power] += fit.theta[j] * fit.pieces[i, j, power]


@compiled
def last_slope(fit: Fit, coefficients: Array) -> float:
    """Return the slope at the last knot of the sum of the functions with these coefficients."""
    slope = 0.0
    for j in range(len(coefficients)):
        slope += coefficients[j] * fit.ends[j, SLOPE]
    return slope


@compiled
def piece_mass(level: float, first: float, second: float, third: float, h: float) -> float:
    """Integrate exp(level + first u + second u^2 + third u^3) h over 0 <= u <= 1."""
    parts, total = _parts(first, second, third), 0.0
    for part in range(parts):
        for node in range(len(_NODES)):
            u = (part + _NODES[node]) / parts
            total += _at_node(node, u, level, first, second, third)
    return total * (h / parts)


@compiled
def piece_moments(q: Array, h: float, moments: Array) -> None:
    """Fill `moments` with the integrals of exp(q(u)) u^power h over 0 <= u <= 1."""
    for power in range(len(moments)):
        moments[power] = 0.0
    parts = _parts(q[1], q[2], q[3])
    for part in range(parts):
        for node in range(len(_NODES)):
            u = (part + _NODES[node]) / parts
            mass = _at_node(node, u, q[0], q[1], q[2], q[3])
            for power in range(len(moments)):
                moments[power] += mass
                mass *= u
    for power in range(len(moments)):
        moments[power] *= h / parts


@compiled
def _at_node(node: int, u: float, level: float, first: float, second: float, third: float) -> float:
    """Return the density at u, where the node lies, times the weight of the node."""
    density = math.exp(level + u * (first + u * (second + u * third)))
    return float(_WEIGHTS[node] * density)


@compiled
def _parts(first: float, second: float, third: float) -> int:
    """Return the number of parts of a piece, such that the nodes are exact on each part."""
    return 1 + int(variation(first, second, third) / _VARIATION)


@compiled
def variation(first: float, second: float, third: float) -> float:
    """Return how much the log density varies at most from the middle of a piece."""
    slope, bend = first + second + 0.75 * third, second + 1.5 * third  # in the middle
    return abs(slope) / 2 + abs(bend) / 4 + abs(third) / 8


@compiled
def tail_moments(slope: float, length: float, height: float, moments: Array) -> None:
    """Integrate height exp(slope w) w^power over -length <= w <= 0, for the powers 0, 1, 2."""
    if length == np.inf:
        moments[MASS] = height / slope
        moments[FIRST] = -moments[MASS] / slope
        moments[SECOND] = -2 * moments[FIRST] / slope
    elif abs(slope * length) < 2 * _VARIATION:
        moments[MASS] = moments[FIRST] = moments[SECOND] = 0.0
        for node in range(len(_NODES)):
            w = -length * _NODES[node]
            mass = height * length * _WEIGHTS[node] * math.exp(slope * w)
            moments[MASS] += mass
            moments[FIRST] += mass * w
            moments[SECOND] += mass * w * w
    else:
        far = height * math.exp(-slope * length)
        moments[MASS] = (height - far) / slope
        moments[FIRST] = (length * far - moments[MASS]) / slope
        moments[SECOND] = -(length * length * far + 2 * moments[FIRST]) / slope
