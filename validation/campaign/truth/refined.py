"""Families whose maximum of the likelihood is found by Newton's method from our estimate."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

from cdfscore.numerics.types import Array
from validation.campaign.truth.base import DIGITS, Parameters, Truth, exact, phi

# Derivatives are differences over 1e-25, among more digits.
_DIGITS_OF_DIFFERENCES = 100
_STEPS = 20


def climbed(value: Callable[..., mpf], start: list[mpf]) -> list[mpf]:
    """Return the maximum near `start`, by Newton's method."""
    with mp.workdps(_DIGITS_OF_DIFFERENCES):
        theta, h, d = list(start), mpf(10) ** -25, len(start)

        def at(*moves: tuple[int, int]) -> mpf:
            moved = list(theta)
            for j, sign in moves:
                moved[j] += sign * h
            return value(*moved)

        for _ in range(_STEPS):
            here, slopes, bends = at(), mp.matrix(d, 1), mp.matrix(d, d)
            up, down = [at((j, 1)) for j in range(d)], [at((j, -1)) for j in range(d)]
            for j in range(d):
                slopes[j] = (up[j] - down[j]) / (2 * h)
                bends[j, j] = (up[j] - 2 * here + down[j]) / h**2
                for i in range(j):
                    both = at((i, 1), (j, 1)) - up[i] - up[j] + here
                    bends[i, j] = bends[j, i] = both / h**2
            step = mp.lu_solve(bends, -slopes)
            theta = [a + b for a, b in zip(theta, step, strict=True)]
            if max(abs(b) for b in step) < mpf(10) ** -25:  # the next would be its square
                return theta
    raise ArithmeticError(f"the likelihood was not maximized in {_STEPS} steps")


class _Refined(Truth):
    shared = False
    limited = False
    every = 101  # as a fit takes seconds; 101 is prime, so that all kinds of samples have turns

    def parameters(self, sample: list[mpf]) -> Parameters:
        raise TypeError("the maximum is found from an estimate")


class BetaBinomial(_Refined):
    every = 11

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        size, n = self.scheme.size, len(sample)
        if fitted["spread"][0] == 0:
            return {"mean": sample[0], "rho": mpf(0), "spread": mpf(0)}
        k = [int(mp.nint(size * s)) for s in sample]
        mean, rho = (exact(fitted[name])[0] for name in ("mean", "rho"))
        if rho in (0, 1):
            mean = mpf(sum(k)) / (n * size)
        else:
            counts = {v: k.count(v) for v in set(k)}

            def value(m: mpf, r: mpf) -> mpf:
                logs = _log_probabilities(size, m, r)
                return mp.fsum(c * logs[v] for v, c in counts.items())

            mean, rho = climbed(value, [mean, rho])
        return {"mean": mean, "rho": rho, "spread": mpf(k[-1] - k[0]) / size}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["spread"] == 0:
            return (1 + mp.sign(x - p["mean"])) / 2
        size = self.scheme.size
        if x < 0 or x >= 1:
            return mpf(int(x > 0))
        k = min(size, int(mp.floor(size * (x + mpf("1e-12")))))
        return mp.fsum(mp.exp(v) for v in _log_probabilities(size, p["mean"], p["rho"])[: k + 1])


def _log_probabilities(size: int, mean: mpf, rho: mpf) -> list[mpf]:
    p, q = mean * (1 - rho), (1 - mean) * (1 - rho)
    log = lambda v: mp.log(v) if v > 0 else -mp.inf  # noqa: E731
    ups, downs = [mpf(0)], [mpf(0)]
    for i in range(size):
        ups.append(ups[-1] + log(p + i * rho))
        downs.append(downs[-1] + log(q + i * rho))
    total = mp.fsum(mp.log(1 - rho + i * rho) for i in range(size))
    return [
        mp.log(mp.binomial(size, k)) + ups[k] + downs[size - k] - total for k in range(size + 1)
    ]


class _Scaled(_Refined):
    """A family that is fitted to the scores less their mean, in units of their spread."""

    def moments(self, sample: list[mpf]) -> tuple[mpf, mpf, list[mpf]]:
        n = len(sample)
        mean = mp.fsum(sample) / n
        spread = mp.sqrt(mp.fsum((s - mean) ** 2 for s in sample) / n)
        return mean, spread, [(s - mean) / spread for s in sample] if spread > 0 else []


class Mixture(_Scaled):
    names = ("weight", "mean_1", "sd_1", "mean_2", "sd_2")

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        center, spread, u = self.moments(sample)
        w, m1, s1, m2, s2 = (exact(fitted[name])[0] for name in self.names)
        if sample[0] == sample[-1]:
            center, spread = sample[0], mpf(0)
        if spread == 0 or (m1 == m2 and s1 == s2):
            found = (w, center, spread, center, spread)
            return dict(zip(self.names, found, strict=True))
        n = len(u)

        def value(w: mpf, m1: mpf, s1: mpf, m2: mpf, s2: mpf) -> mpf:
            total = -n * mp.log(2 * mp.pi) / 2
            for v in u:
                first = w / s1 * mp.exp(-(((v - m1) / s1) ** 2) / 2)
                total += mp.log(first + (1 - w) / s2 * mp.exp(-(((v - m2) / s2) ** 2) / 2))
            return total - mp.fsum(s**-2 + 2 * mp.log(s) for s in (s1, s2)) / n

        start = [w, (m1 - center) / spread, s1 / spread, (m2 - center) / spread, s2 / spread]
        w, m1, s1, m2, s2 = climbed(value, start)
        found = (w, center + spread * m1, spread * s1, center + spread * m2, spread * s2)
        return dict(zip(self.names, found, strict=True))

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["sd_1"] == 0:
            return (1 + mp.sign(x - p["mean_1"])) / 2
        first, second = (phi((x - p[f"mean_{k}"]) / p[f"sd_{k}"]) for k in (1, 2))
        return p["weight"] * first + (1 - p["weight"]) * second


class JohnsonSu(_Scaled):
    names = ("location", "scale", "skew", "tail")

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        center, spread, u = self.moments(sample)
        ours = [exact(fitted[name])[0] for name in self.names]
        if sample[0] == sample[-1]:
            return dict(zip(self.names, (sample[0], mpf(0), *ours[2:]), strict=True))
        start = [(ours[0] - center) / spread, ours[1] / spread, ours[2], ours[3]]
        free = [0, 1] + [j for j in (2, 3) if ours[j] != 0]  # the others are at a limit

        def value(*moved: mpf) -> mpf:
            full = list(start)
            for j, v in zip(free, moved, strict=True):
                full[j] = v
            location, scale, skew, tail = full
            total = penalty = mpf(0)
            for score in u:
                v = (score - location) / scale
                b2 = scale**2 * ((1 - skew * v) ** 2 + tail * v**2)
                total -= johnson_z(v, skew, tail) ** 2 / 2 + mp.log(b2) / 2
                penalty += 1 / b2 + mp.log(b2)
            return total - penalty / len(u) ** 2

        for j, v in zip(free, climbed(value, [start[j] for j in free]), strict=True):
            start[j] = v
        found = (center + spread * start[0], spread * start[1], start[2], start[3])
        return dict(zip(self.names, found, strict=True))

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["scale"] == 0:
            return (1 + mp.sign(x - p["location"])) / 2
        v = (x - p["location"]) / p["scale"]
        with mp.workdps(_DIGITS_OF_DIFFERENCES):
            return phi(johnson_z(v, p["skew"], p["tail"]))


def johnson_z(v: mpf, skew: mpf, tail: mpf) -> mpf:
    """Return z(v), infinite beyond the end of a lognormal distribution."""
    if tail == 0:
        if skew == 0:
            return v
        rest = 1 - skew * v
        return -mp.log(rest) / skew if rest > 0 else mp.sign(v) * mp.inf
    t, root = mp.sqrt(skew**2 + tail), mp.sqrt(tail)
    return (mp.asinh((t * t * v - skew) / root) + mp.asinh(skew / root)) / t


class ZeroInflated(_Refined):
    every = 11

    def __init__(self, scheme: Any) -> None:
        from validation.campaign.truth import truth_of

        super().__init__(scheme)
        self.inner = truth_of(scheme.component)

    def is_defined(self) -> bool:
        return self.inner is not None

    def near(self, sample: list[mpf], fitted: dict[str, Array]) -> Parameters:
        at = mpf(self.scheme.at)
        others = [s for s in sample if s != at]
        inner = self.inner.near(others or [at], _of_family(fitted))
        share = mpf(len(sample) - len(others)) / len(sample)
        return {"share": share, **{"family_" + name: value for name, value in inner.items()}}

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        return self._with(x, p["share"], self.inner.cdf(x, _of_family(p)))

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        inner, share = self.inner.at_argument(x, _of_family(fitted)), exact(fitted["share"])[0]
        return [self._with(mpf(v), share, y) for v, y in zip(x.tolist(), inner, strict=True)]

    def _with(self, x: mpf, share: mpf, y: mpf) -> mpf:
        return share * int(x >= self.scheme.at) + (1 - share) * y


def _of_family(values: dict[str, Any]) -> dict[str, Any]:
    return {k.removeprefix("family_"): v for k, v in values.items() if k.startswith("family_")}


class Logspline(_Refined):
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
        for _ in range(_STEPS):
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
        raise ArithmeticError(f"the likelihood was not maximized in {_STEPS} steps")

    def at_argument(self, x: Array, fitted: dict[str, Array]) -> list[mpf]:
        p = {name: exact(values) for name, values in fitted.items()}
        p["slope"] = p["slope"][0]
        return [self.cdf(mpf(v), p) for v in x.tolist()]

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        t = p["knots"]
        if len(t) == 1:
            return (1 + mp.sign(x - t[0])) / 2
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
