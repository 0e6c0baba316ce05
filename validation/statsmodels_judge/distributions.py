"""Distributions in mpmath, at the precision of the moment: what decides where doubles differ."""

from __future__ import annotations

from collections.abc import Callable

from mpmath import mp, mpf
from scipy import special

#: The precision at which truths are computed.
DIGITS = 50
#: Terms of sums with larger and smaller ones of both signs need more.
_GUARD = 40
_MOST_SECANTS = 12
#: Of the range of three normals or more: points in a unit, a range that it is certain to pass, and
#: a density that is nothing.
_PER_UNIT = 6
_NO_RANGE = mpf("1e-9")
_NOTHING = mpf("1e-90")


def t_upper(t: mpf, df: mpf) -> mpf:
    """Return P(T > t) of Student's t."""
    half = mp.betainc(df / 2, mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
    return half if t >= 0 else 1 - half


def t_p_value(t: mpf, df: mpf, alternative: str) -> mpf:
    """Return the p value of a t."""
    if alternative == "two-sided":
        return 2 * t_upper(abs(t), df)
    return t_upper(t if alternative == "greater" else -t, df)


def t_point(tail: mpf, df: mpf) -> mpf:
    """Return the upper point of Student's t."""
    near = mpf(float(-special.stdtrit(float(df), float(tail))))
    return root(lambda t: t_upper(t, df) - tail, near)


def t_interval(mean: mpf, stderr: mpf, df: mpf, alternative: str, level: float) -> tuple[mpf, mpf]:
    """Return the ends of the interval of a mean."""
    tail = (1 - mpf(level)) / (2 if alternative == "two-sided" else 1)
    margin = t_point(tail, df) * stderr
    low = -mp.inf if alternative == "less" else mean - margin
    return low, mp.inf if alternative == "greater" else mean + margin


def f_upper(f: mpf, df1: mpf, df2: mpf) -> mpf:
    """Return P(F > f)."""
    return mp.betainc(mpf(df2) / 2, mpf(df1) / 2, 0, df2 / (df2 + df1 * f), regularized=True)


def f_point(tail: mpf, df1: mpf, df2: mpf) -> mpf:
    """Return the upper point of F."""
    near = mpf(1 / float(special.fdtri(float(df2), float(df1), float(tail))))
    return root(lambda f: f_upper(f, df1, df2) - tail, near)


def chi2_upper(x: mpf, df: mpf) -> mpf:
    """Return P(X > x) of chi squared."""
    return mp.gammainc(mpf(df) / 2, x / 2, mp.inf, regularized=True)


def binomial_at_most(count: int, trials: int) -> mpf:
    """Return P(S <= count) of a binomial S with probability 1/2."""
    return mp.fsum(mp.binomial(trials, k) for k in range(count + 1)) / mpf(2) ** trials


def noncentral_f_lower(f: mpf, df1: mpf, df2: mpf, noncentrality: mpf) -> mpf:
    """Return P(F' <= f): a Poisson mixture of incomplete beta functions."""
    with mp.workdps(mp.dps + _GUARD):
        x = df1 * f / (df2 + df1 * f)
        return _mixture(noncentrality / 2, mpf(df1) / 2, mpf(df2) / 2, x)


def noncentral_t_lower(t: mpf, df: mpf, noncentrality: mpf) -> mpf:
    """Return P(T' <= t) (Lenth, 1989, Algorithm AS 243)."""
    if t < 0:
        return 1 - noncentral_t_lower(-t, df, -noncentrality)
    with mp.workdps(mp.dps + _GUARD):
        x, half = t * t / (df + t * t), noncentrality**2 / 2
        even = _mixture(half, mpf(1) / 2, df / 2, x)
        weight = noncentrality * mp.exp(-half) / (mp.sqrt(2) * mp.gamma(mpf(3) / 2))
        odd = _series(weight, lambda j: half / (j + mpf(3) / 2), half, mpf(1), df / 2, x)
        return mp.ncdf(-noncentrality) + (even + odd) / 2


def _mixture(rate: mpf, a: mpf, b: mpf, x: mpf) -> mpf:
    return _series(mp.exp(-rate), lambda j: rate / (j + 1), rate, a, b, x)


def _series(weight: mpf, ratio: Callable[[int], mpf], rate: mpf, a: mpf, b: mpf, x: mpf) -> mpf:
    """Return the sum of weight_j I_x(a + j, b), where weight_j+1 = weight_j ratio(j)."""
    beta = mp.betainc(a, b, 0, x, regularized=True)
    step = mp.exp(a * mp.log(x) + b * mp.log1p(-x)) / (a * mp.beta(a, b)) if x > 0 else mpf(0)
    total, j, least = mpf(0), 0, mpf(10) ** -mp.dps
    while j <= rate or abs(weight) > least:
        total += weight * beta
        beta -= step
        step *= x * (a + j + b) / (a + j + 1)
        weight *= ratio(j)
        j += 1
    return total


def root(function: Callable[[mpf], mpf], near: mpf) -> mpf:
    """Return the root next to a number that doubles have found, by secants.

    Raises `ArithmeticError` if they have not converged.
    """
    before, now = near, near * (1 + mpf(10) ** -8) + mpf(10) ** -30
    at_before, at_now = function(before), function(now)
    for _ in range(_MOST_SECANTS):
        if at_now == 0:
            return now
        if at_now == at_before:
            break
        last, step = now - before, at_now * (now - before) / (at_now - at_before)
        before, at_before = now, at_now
        now -= step
        # The next step is about its square. After a long step one goes back, and is nowhere.
        if abs(step) < mpf(10) ** -14 * abs(now) and abs(last) < mpf(10) ** -4 * abs(now):
            return now
        at_now = function(now)
    raise ArithmeticError(
        f"{_MOST_SECANTS} secants from {mp.nstr(near, 6)} end at {mp.nstr(now, 6)}, where the "
        f"value is {mp.nstr(at_now, 3)}; expected a root"
    )


def studentized_range_upper(q: mpf, groups: int, df: float) -> mpf:
    """Return P(Q > q) to 15 digits: trapezoidal sums, whose error falls exponentially."""
    if groups == 2 and not mp.isinf(df):
        return 2 * t_upper(q / mp.sqrt(2), mpf(df))
    with mp.workdps(25):
        points = [mpf(i) / _PER_UNIT for i in range(-12 * _PER_UNIT, 20 * _PER_UNIT)]
        whole = [mp.ncdf(z) for z in points]
        weights = [mp.npdf(z) * c ** (groups - 1) for z, c in zip(points, whole, strict=True)]

        def beyond(w: mpf) -> mpf:
            if w < _NO_RANGE:
                return mpf(1)
            # The largest is z; of the others one is below z - w at least. A difference of
            # powers, taken so that it keeps its digits.
            differences = (
                p * mp.expm1((groups - 1) * mp.log1p(-mp.ncdf(z - w) / c))
                for z, p, c in zip(points, weights, whole, strict=True)
            )
            return -groups * mp.fsum(differences) / _PER_UNIT

        if mp.isinf(df):
            return beyond(mpf(q))
        k = mpf(df)
        # s = e^u. The density of u is about 1 / sqrt(2 k) wide and falls as e^(k u) below 0; of a
        # large q, what counts is where s is small.
        step = min(1 / mp.sqrt(2 * k) / 4, mpf(1) / 32)
        lowest = mp.log1p(q * q / (2 * k)) / 2 + 60 / k + 40 * step
        highest = mp.log1p(100 / k) / 2 + 40 * step
        places = [i * step for i in range(-int(lowest / step), int(highest / step))]
        density = [mp.exp(k * (u - mp.expm1(2 * u) / 2)) for u in places]
        tails = [
            beyond(q * mp.exp(u)) if at > _NOTHING else mpf(0)
            for u, at in zip(places, density, strict=True)
        ]
        return mp.fdot(density, tails) / mp.fsum(density)
