"""The parametric families of distributions: shapes of maximum likelihood, and their cdfs."""

from __future__ import annotations

from mpmath import mp, mpf

from validation.campaign.truth import maxima
from validation.campaign.truth.base import Parameters, Truth, mean_and_sd, phi, without_spread

# An integral by parts divides a difference by slope or curvature, which may be small.
_DIGITS_OF_PARTS = 300


class _Parametric(Truth):
    """A family with minimum and maximum beside its parameters, for the constant topic."""

    #: Two solvers: the parameters are not R's bits.
    shared = False
    limited = False

    def parameters(self, sample: list[mpf]) -> Parameters:
        ends = {"min": sample[0], "max": sample[-1]}
        return ends if sample[0] == sample[-1] else {**self.maximum(self.moved(sample)), **ends}

    def moved(self, sample: list[mpf]) -> list[mpf]:
        """Return the scores that are fitted: under ends=shrink, moved into (0, 1)."""
        if getattr(self.scheme, "ends", "raise") == "raise":
            return sample
        n = len(sample)
        return [(s * (n - 1) + mpf(1) / 2) / n for s in sample]

    def cdf(self, x: mpf, p: Parameters) -> mpf:
        if p["min"] == p["max"]:
            return without_spread(x, p["min"])
        return self.value(x, **{k: v for k, v in p.items() if k not in ("min", "max")})

    def maximum(self, sample: list[mpf]) -> Parameters:
        """Return the parameters of scores that are not all equal."""
        raise NotImplementedError

    def value(self, x: mpf, **p: mpf) -> mpf:
        """Return F(x)."""
        raise NotImplementedError


class Beta(_Parametric):
    def maximum(self, sample: list[mpf]) -> Parameters:
        if self.scheme.method == "ml":
            found = maxima.beta(sample, mpf(0), mpf(1))
            return {"a": found["a"], "b": found["b"]}
        n, mean = len(sample), mp.fsum(sample) / len(sample)
        variance = mp.fsum((s - mean) ** 2 for s in sample) / n
        size = mean * (1 - mean) / variance - 1
        return {"a": mean * size, "b": (1 - mean) * size}

    def value(self, x: mpf, **p: mpf) -> mpf:
        if not 0 < x < 1:
            return mpf(int(x >= 1))
        return incomplete_beta(p["a"], p["b"], x)


def incomplete_beta(a: mpf, b: mpf, x: mpf) -> mpf:
    """Return I_x(a, b) by a series of positive terms; mpmath's takes minutes for large shapes."""
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    term, total, k = mpf(1), mpf(1), 0
    while term > total * mp.eps:
        term *= x * (a + b + k) / (a + 1 + k)
        total += term
        k += 1
    return total * mp.exp(a * mp.log(x) + b * mp.log1p(-x)) / (a * mp.beta(a, b))


class Gamma(_Parametric):
    def maximum(self, sample: list[mpf]) -> Parameters:
        found = maxima.gamma(sample, mpf(0), mpf(1))
        return {"shape": found["a"], "scale": found["scale"]}

    def value(self, x: mpf, **p: mpf) -> mpf:
        u = x / p["scale"]
        if u <= 0:
            return mpf(0)
        if u > 30 * (p["shape"] + 30):
            return mpf(1)  # the rest is below 1e-300
        return mp.gammainc(p["shape"], 0, u, regularized=True)


class LogitNormal(_Parametric):
    def maximum(self, sample: list[mpf]) -> Parameters:
        logits = sorted(mp.log(s) - mp.log1p(-s) for s in sample)
        return dict(zip(("mu", "sigma"), mean_and_sd(logits), strict=True))

    def value(self, x: mpf, **p: mpf) -> mpf:
        if not 0 < x < 1:
            return mpf(int(x >= 1))
        return phi((mp.log(x) - mp.log1p(-x) - p["mu"]) / p["sigma"])


class Kumaraswamy(_Parametric):
    limited = True

    def maximum(self, sample: list[mpf]) -> Parameters:
        logs = [mp.log(s) for s in sample]
        n = len(logs)

        def best(a: mpf) -> mpf:
            return -n / mp.fsum(log_rest(a * v) for v in logs)

        def slope(log_a: mpf) -> mpf:
            a = mp.exp(log_a)
            odds = mp.fsum(a * v / mp.expm1(-a * v) for v in logs) / n
            return 1 + a * mp.fsum(logs) / n - (best(a) - 1) * odds

        start = mp.log(mp.pi / mp.sqrt(6) / mean_and_sd(sorted(logs))[1])
        a = mp.exp(mp.findroot(slope, (start - mpf("0.1"), start + mpf("0.1")), solver="secant"))
        return {"a": a, "b": best(a)}

    def value(self, x: mpf, **p: mpf) -> mpf:
        if not 0 < x < 1:
            return mpf(int(x >= 1))
        return -mp.expm1(p["b"] * log_rest(p["a"] * mp.log(x)))


def log_rest(u: mpf) -> mpf:
    """Return log(1 - exp(u)) for u < 0."""
    return mp.log(-mp.expm1(u)) if u > -1 else mp.log1p(-mp.exp(u))


class TruncatedNormal(_Parametric):
    def maximum(self, sample: list[mpf]) -> Parameters:
        n, location = len(sample), mp.fsum(sample) / len(sample)
        scale = mp.sqrt(mp.fsum((s - location) ** 2 for s in sample) / n)
        ends = self.ends(location, scale)
        slope, curvature = 1 / ends[0] + 1 / ends[1], mpf(0)
        for _ in range(60):  # an exponential distribution with the mean 0
            first, second = moments(ends, slope, curvature, 2)
            step = first / (second - first**2)
            slope -= step
            if abs(step) < mpf(10) ** -40:
                break
        if second > 1:
            slope, curvature = normal_maximum(ends)
        return {"location": location, "scale": scale, "slope": slope, "curvature": curvature}

    def ends(self, location: mpf, scale: mpf) -> tuple[mpf, mpf]:
        return tuple((mpf(end) - location) / scale for end in self.scheme.domain)

    def value(self, x: mpf, **p: mpf) -> mpf:
        left, right = self.ends(p["location"], p["scale"])
        z = min(right, max(left, (x - p["location"]) / p["scale"]))
        below, total = (
            integrals((left, end), p["slope"], p["curvature"], 0)[0] for end in (z, right)
        )
        return below / total


def integrals(ends: tuple[mpf, mpf], slope: mpf, curvature: mpf, most: int) -> list[mpf]:
    """Integrate z^k exp(slope z - curvature z^2 / 2) for k from 0 to `most`, by parts."""
    left, right = ends
    if slope == curvature == 0:
        return [(right ** (k + 1) - left ** (k + 1)) / (k + 1) for k in range(most + 1)]
    with mp.workdps(_DIGITS_OF_PARTS):
        ends_of = [
            right**k * mp.exp(slope * right - curvature * right**2 / 2)
            - left**k * mp.exp(slope * left - curvature * left**2 / 2)
            for k in range(most + 1)
        ]
        found = [ends_of[0] / slope if curvature == 0 else _normal_integral(ends, slope, curvature)]
        for k in range(most):
            if curvature == 0:
                found.append((ends_of[k + 1] - (k + 1) * found[k]) / slope)
            else:
                before = k * found[k - 1] if k else mpf(0)
                found.append((slope * found[k] + before - ends_of[k]) / curvature)
        return found


def _normal_integral(ends: tuple[mpf, mpf], slope: mpf, curvature: mpf) -> mpf:
    root = mp.sqrt(2 * curvature)
    left, right = ((curvature * end - slope) / root for end in ends)
    if left > 0:
        area = mp.erfc(left) - mp.erfc(right)
    elif right < 0:
        area = mp.erfc(-right) - mp.erfc(-left)
    else:
        area = mp.erf(right) - mp.erf(left)
    return mp.sqrt(mp.pi) / root * mp.exp(slope**2 / (2 * curvature)) * area


def moments(ends: tuple[mpf, mpf], slope: mpf, curvature: mpf, most: int) -> list[mpf]:
    """Return the means of z, z^2, ..., z^most."""
    found = integrals(ends, slope, curvature, most)
    return [value / found[0] for value in found[1:]]


def normal_maximum(ends: tuple[mpf, mpf]) -> tuple[mpf, mpf]:
    """Solve for slope and curvature with which z has the mean 0 and the mean square 1.

    By Newton's method; the log-likelihood is concave, its slopes are -mean z and
    (mean z^2 - 1) / 2, and a step that passes its maximum by far is halved.
    """
    slope, curvature = mpf(0), mpf(1)
    for _ in range(200):
        m1, m2, m3, m4 = moments(ends, slope, curvature, 4)
        covariance = mp.matrix(
            [[m2 - m1**2, (m1 * m2 - m3) / 2], [(m1 * m2 - m3) / 2, (m4 - m2**2) / 4]]
        )
        step = mp.lu_solve(covariance, mp.matrix([-m1, (m2 - 1) / 2]))
        promised = -m1 * step[0] + (m2 - 1) / 2 * step[1]
        while True:
            if curvature + step[1] > 0:
                n1, n2 = moments(ends, slope + step[0], curvature + step[1], 2)
                if -n1 * step[0] + (n2 - 1) / 2 * step[1] >= -promised / 2:
                    break
            step /= 2
        slope, curvature = slope + step[0], curvature + step[1]
        if promised < mpf(10) ** -80:  # the next step would be this times its square root
            return slope, curvature
    raise ArithmeticError("the likelihood was not maximized in 200 steps")
