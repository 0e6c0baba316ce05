"""Logspline: a density whose logarithm is a natural cubic spline."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import DIGITS, Parameters, exact, without_spread
from validation.campaign.truth.newton import STEPS, Refined


class Logspline(Refined):
    """Integrals by Gauss and Legendre's rule of 96 nodes on each half of a piece."""

    def is_defined(self) -> bool:
        return self.scheme.low is None and self.scheme.high is None

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        t = exact(fitted["knots"])
        if len(t) == 1:
            return {"knots": t, "bends": exact(fitted["bends"]), "slope": mpf(0)}
        d = len(t) - 1
        theta = [exact(fitted["slope"])[0], *exact(fitted["bends"])[1:-1]]
        units = [_Spline(t, [mpf(int(i == j)) for i in range(d)]) for j in range(d)]
        means = [mp.fsum(f.value(s) for s in sample) / len(sample) for f in units]
        nodes = [
            (weight, [f.value(v) for f in units])
            for low, high in pairwise(t)
            for v, weight in _halves(low, high)
        ]
        ends = [(f.value(t[-1]), f.slopes[-1]) for f in units]
        for _ in range(STEPS):
            s = _Spline(t, theta)
            lower, upper = 1 / theta[0], -1 / s.slopes[-1]
            mass = [(w * mp.exp(_dot(theta, f)), f) for w, f in nodes]
            # In a tail w is exponential: its moments are 1, its mean and twice the square of it.
            height = mp.exp(s.values[-1])
            zero = lower + height * upper + mp.fsum(m for m, _ in mass)
            first, second = mp.matrix(d, 1), mp.matrix(d, d)
            for i in range(d):
                (a, b) = ends[i]
                first[i] = mp.fsum(m * f[i] for m, f in mass) + height * upper * (a + b * upper)
                for j in range(i + 1):
                    (e, g) = ends[j]
                    tail = a * e + (a * g + b * e) * upper + 2 * b * g * upper**2
                    inner = mp.fsum(m * f[i] * f[j] for m, f in mass)
                    second[i, j] = second[j, i] = inner + height * upper * tail
            first[0] -= lower**2  # left of the first knot the slope alone is not 0
            second[0, 0] += 2 * lower**3
            first, second = first / zero, second / zero
            step = mp.lu_solve(second - first * first.T, mp.matrix(means) - first)
            theta = [a + b for a, b in zip(theta, step, strict=True)]
            if max(abs(b / (a or 1)) for a, b in zip(theta, step, strict=True)) < mpf(10) ** -40:
                return {"knots": t, "bends": [mpf(0), *theta[1:], mpf(0)], "slope": theta[0]}
        raise ArithmeticError(f"the likelihood was not maximized in {STEPS} steps")

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        p = {name: exact(values) for name, values in fitted.items()}
        p["slope"] = p["slope"][0]
        return [self.cdf(mpf(v), p) for v in x.tolist()]

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        t = p["knots"]
        if len(t) == 1:
            return without_spread(x, t[0])
        s, masses = _integrated(tuple(t), tuple(p["bends"]), p["slope"])
        total = mp.fsum(masses)
        if x < t[0]:
            return masses[0] * mp.exp(max(p["slope"] * (x - t[0]), mpf(-2000))) / total
        if x >= t[-1]:
            return 1 - masses[-1] * mp.exp(max(s.slopes[-1] * (x - t[-1]), mpf(-2000))) / total
        i = max(j for j in range(len(t)) if t[j] <= x)
        part = mp.fsum(w * mp.exp(s.value(v)) for v, w in _halves(t[i], x))
        return (mp.fsum(masses[: i + 1]) + part) / total


class _Spline:
    """A natural cubic spline that is 0 at the first knot, with its slope there and its bends."""

    def __init__(self, t: list[mpf], theta: list[mpf]) -> None:
        self.t, self.bends = t, [mpf(0), *theta[1:], mpf(0)]
        self.values, self.slopes = [mpf(0)], [theta[0]]
        for i in range(len(t) - 1):
            h, a, b = t[i + 1] - t[i], self.bends[i], self.bends[i + 1]
            self.values.append(self.values[-1] + h * (self.slopes[-1] + h * (a / 3 + b / 6)))
            self.slopes.append(self.slopes[-1] + h * (a + b) / 2)

    def value(self, x: mpf) -> mpf:
        t = self.t
        if x < t[0]:
            return self.slopes[0] * (x - t[0])
        i = max(j for j in range(len(t)) if t[j] <= x)
        w = x - t[i]
        if i == len(t) - 1:
            return self.values[i] + self.slopes[i] * w
        third = (self.bends[i + 1] - self.bends[i]) / (t[i + 1] - t[i])
        return self.values[i] + w * (self.slopes[i] + w * (self.bends[i] / 2 + w * third / 6))


@cache
def _integrated(t: tuple[mpf, ...], bends: tuple[mpf, ...], slope: mpf) -> Any:
    """Return the spline, and the masses of the lower tail, the pieces and the upper tail."""
    s = _Spline(list(t), [slope, *bends[1:-1]])
    inner = [
        mp.fsum(w * mp.exp(s.value(v)) for v, w in _halves(low, high)) for low, high in pairwise(t)
    ]
    return s, [1 / slope, *inner, -mp.exp(s.values[-1]) / s.slopes[-1]]


@cache
def _nodes() -> Any:
    with mp.workdps(DIGITS):
        return GaussLegendre(mp).calc_nodes(6, mp.prec)


def _halves(low: mpf, high: mpf) -> list[tuple[mpf, mpf]]:
    """Return nodes and weights on both halves of an interval."""
    quarter = (high - low) / 4
    return [(low + quarter * (k + u), quarter * w) for k in (1, 3) for u, w in _nodes()]


def _dot(a: list[mpf], b: list[mpf]) -> mpf:
    return mp.fsum(x * y for x, y in zip(a, b, strict=True))
