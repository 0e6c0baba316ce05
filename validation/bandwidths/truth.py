"""The rules for distribution functions in mpmath, from their definitions, at 50 digits."""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp, mpf

DIGITS = 50


def altman_leger(scores: Sequence[float]) -> mpf:
    """(V2 / (4 B3 n))^(1/3), a pair or triple of scores at a time."""
    x, n = [mpf(v) for v in scores], len(scores)
    a = _sd(x) * mpf(n) ** (-mpf(3) / 10)
    d2 = sum(mp.npdf((u - v) / a) for i, u in enumerate(x) for j, v in enumerate(x) if i != j)
    d2 /= n * (n - 1) * a
    slopes = [sum(_derivative(1, (u - v) / a) for v in x) / (n * a**2) for u in x]
    d3 = sum(s**2 for s in slopes) / n
    v2 = 2 / (2 * mp.sqrt(mp.pi)) * d2  # 2 integral of u phi(u) Phi(u), times D2
    return mp.cbrt(v2 / (4 * (d3 / 4) * n))


def polansky_baker(scores: Sequence[float]) -> mpf:
    """Two stages from the normal psi_6, with derivatives of phi by Hermite polynomials."""
    x, n = [mpf(v) for v in scores], len(scores)
    psi = -mpf(15) / (16 * mp.sqrt(mp.pi) * _sd(x) ** 7)
    for r in (4, 2):
        g = (-2 * _derivative(r, mpf(0)) / (psi * n)) ** (mpf(1) / (r + 3))
        psi = sum(_derivative(r, (u - v) / g) for u in x for v in x) / (n**2 * g ** (r + 1))
    return mp.cbrt(-1 / (mp.sqrt(mp.pi) * psi * n))


def criterion(scores: Sequence[float], h: mpf) -> mpf:
    """CV(h) of Bowman, Hall and Prvan: its definition, integrated numerically."""
    x = [mpf(v) for v in scores]
    ends = [min(x) - 16 * h, max(x) + 16 * h]
    total = mpf(0)
    for i, own in enumerate(x):
        others = x[:i] + x[i + 1 :]

        def below(t: mpf, others: list[mpf] = others) -> mpf:
            return sum(mp.ncdf((t - v) / h) for v in others) / len(others)

        def above(t: mpf, others: list[mpf] = others) -> mpf:
            return sum(mp.ncdf((v - t) / h) for v in others) / len(others)

        left, right = sorted({*x, ends[0], own}), sorted({*x, ends[1], own})
        total += mp.quad(lambda t: below(t) ** 2, [t for t in left if t <= own])
        total += mp.quad(lambda t: above(t) ** 2, [t for t in right if t >= own])
    return total / len(x)


def slope(scores: Sequence[float], h: mpf) -> mpf:
    """The derivative of CV in h, in closed form."""
    x, n = [mpf(v) for v in scores], len(scores)
    d = [abs(u - v) for i, u in enumerate(x) for v in x[:i]]
    one = sum(2 * mp.npdf(v / h) for v in d)
    two = sum(2 * mp.sqrt(2) * mp.npdf(v / (mp.sqrt(2) * h)) for v in d)
    ends = 1 / ((n - 1) * mp.sqrt(mp.pi))
    return 2 * one / (n * (n - 1)) - (n - 2) * two / (mpf(n) * (n - 1) ** 2) - ends


def bowman_hall_prvan(scores: Sequence[float], near: float) -> mpf:
    """The zero of the slope nearest to a number."""
    start = (near * (1 - mpf(2) ** -20), near * (1 + mpf(2) ** -20))
    return mp.findroot(lambda h: slope(scores, h), start)


def _derivative(order: int, u: mpf) -> mpf:
    """The derivative of phi: (-1)^r He_r(u) phi(u)."""
    hermite = mpf(2) ** (-mpf(order) / 2) * mp.hermite(order, u / mp.sqrt(2))
    return (-1) ** order * hermite * mp.npdf(u)


def _sd(x: list[mpf]) -> mpf:
    mean = sum(x) / len(x)
    return mp.sqrt(sum((v - mean) ** 2 for v in x) / (len(x) - 1))
