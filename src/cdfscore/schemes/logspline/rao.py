"""Rao's score statistic of another knot: its expected gain, without fitting it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes.logspline.basis import Fit, add_spline, dot, integrate_cubic, integrate_linear
from cdfscore.schemes.logspline.linear_algebra import solve_lower
from cdfscore.schemes.logspline.places import (
    COEFFICIENTS,
    FIRST,
    MASS,
    POWERS,
    SECOND,
    VALUE,
)
from cdfscore.schemes.logspline.quadrature import piece_moments


class Beyond(NamedTuple):
    """Integrals right of each piece against the density, X being x - t_0.

    Attributes
    ----------
    mass, first, second
        Of 1, X and X^2, (pieces,).
    functions, products
        Of each function, and of X times it, (pieces, functions).
    """

    mass: Array
    first: Array
    second: Array
    functions: Array
    products: Array


@compiled
def integrated_beyond(fit: Fit) -> Beyond:
    """Integrate right of each piece: add from the upper tail, piece by piece, to the left."""
    t, d = fit.t, len(fit.theta)
    mass, first, second = np.zeros(d), np.zeros(d), np.zeros(d)
    functions, products = np.zeros((d, d)), np.zeros((d, d))
    far, m, v = t[d] - t[0], fit.upper, np.empty(COEFFICIENTS)
    mass[d - 1], first[d - 1] = m[MASS], far * m[MASS] + m[FIRST]
    second[d - 1] = far * far * m[MASS] + 2 * far * m[FIRST] + m[SECOND]
    for j in range(d):
        integrate_linear(fit.ends[j], m, v)
        functions[d - 1, j], products[d - 1, j] = v[MASS], far * v[MASS] + v[FIRST]
    for i in range(d - 1, 0, -1):
        near, h, m = t[i] - t[0], t[i + 1] - t[i], fit.inner[i]
        mass[i - 1] = mass[i] + m[MASS]
        first[i - 1] = first[i] + (near * m[MASS] + h * m[FIRST])
        second[i - 1] = second[i] + (
            near * near * m[MASS] + 2 * near * h * m[FIRST] + h * h * m[SECOND]
        )
        for j in range(d):
            functions[i - 1, j], products[i - 1, j] = functions[i, j], products[i, j]
        for j in range(min(d, i + 2)):
            integrate_cubic(fit.pieces[i, j], m, v)
            functions[i - 1, j] += v[MASS]
            products[i - 1, j] += near * v[MASS] + h * v[FIRST]
    return Beyond(mass, first, second, functions, products)


@compiled
def rao(x: Array, fit: Fit, root: Array, beyond: Beyond, i: int, knot: float) -> float:
    """Return the statistic for another knot, in piece i.

    `root` is the Cholesky factor of the covariance of the functions. The new
    function G has G'' = 1 at the knot, 0 at t_i and t_i+1 and linear between.
    """
    t = fit.t
    n, d = len(x), len(fit.theta)
    h, left, right = t[i + 1] - t[i], knot - t[i], t[i + 1] - knot
    part = left / h
    first, second = np.zeros(COEFFICIENTS), np.zeros(COEFFICIENTS)
    first[3] = left * left / 6
    second[0], second[1] = left * left / 6, left * right / 2
    second[2], second[3] = right * right / 2, -right * right / 6
    rise = (left + right) / 2
    end = left * left / 6 + left * right / 2 + right * right / 3
    total = 0.0
    at_knot, at_end = np.searchsorted(x, knot), np.searchsorted(x, t[i + 1])
    for at in range(np.searchsorted(x, t[i], side="right"), at_knot):
        w = (x[at] - t[i]) / left
        total += first[3] * w * w * w
    for at in range(at_knot, at_end):
        w = (x[at] - knot) / right
        total += second[0] + w * (second[1] + w * (second[2] + w * second[3]))
    for at in range(at_end, n):
        total += end + rise * (x[at] - t[i + 1])
    # Beyond the piece, G = base + rise X.
    base = end - rise * (t[i + 1] - t[0])
    mean = base * beyond.mass[i] + rise * beyond.first[i]
    square = (
        base * base * beyond.mass[i]
        + 2 * base * rise * beyond.first[i]
        + rise * rise * beyond.second[i]
    )
    product = np.empty(d)
    for j in range(d):
        product[j] = base * beyond.functions[i, j] + rise * beyond.products[i, j]
    q, cut, m, v = (
        np.zeros(COEFFICIENTS),
        np.empty(COEFFICIENTS),
        np.empty(POWERS),
        np.empty(COEFFICIENTS),
    )
    near = min(d, i + 2)  # the other functions are 0 up to the end of the piece
    add_spline(fit, i, q)
    q[VALUE] -= fit.log_c[0]
    for half in range(2):
        begin, length = (0.0, part) if half == 0 else (part, 1 - part)
        g = first if half == 0 else second
        _cut(q, begin, length, cut)
        piece_moments(cut, length * h, m)
        integrate_cubic(g, m, v)
        mean += v[MASS]
        square += dot(g, v)
        for j in range(near):
            _cut(fit.pieces[i, j], begin, length, cut)
            product[j] += dot(cut, v)
    for j in range(d):
        product[j] -= mean * fit.mean[j]
    solve_lower(root, product)
    variance = square - mean * mean
    for j in range(d):
        variance -= product[j] * product[j]
    return float((total - n * mean) ** 2 / (n * variance))


@compiled
def _cut(p: Array, begin: float, length: float, cut: Array) -> None:
    """Fill `cut` with the coefficients of p(begin + length w) in w."""
    cut[0] = p[0] + begin * (p[1] + begin * (p[2] + begin * p[3]))
    cut[1] = length * (p[1] + begin * (2 * p[2] + 3 * begin * p[3]))
    cut[2] = length * length * (p[2] + 3 * begin * p[3])
    cut[3] = length * length * length * p[3]
