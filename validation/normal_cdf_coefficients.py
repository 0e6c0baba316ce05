"""Compute the polynomial of `cdfscore.stats.numerics.normal_cdf` at 50 digits.

Run ``python validation/normal_cdf_coefficients.py`` to print the coefficients. With the
Mills ratio m(t) = Phi(-t) / phi(t), the function (t + 1) m(t) / sqrt(2 pi) is smooth and
nearly flat in v = (t - 6) / (t + 6) for t in [0.67, 39]; it is interpolated at 23 Chebyshev
nodes, where the coefficients of its Chebyshev series fall below 1e-17 of the first.
"""

from __future__ import annotations

from mpmath import mp, mpf

_DEGREE = 22
_SMALLEST = mpf("0.67")  # just below the quartile
_LARGEST = mpf(39)  # Phi(-39) is below the smallest double


def scaled_mills_ratio(v: mpf) -> mpf:
    t = 6 * (1 + v) / (1 - v)
    return (t + 1) * mp.exp(t * t / 2) * mp.ncdf(-t)


def coefficients() -> list[float]:
    with mp.workdps(50):
        low, high = ((t - 6) / (t + 6) for t in (_SMALLEST, _LARGEST))
        count = _DEGREE + 1
        nodes = [
            (low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (j + mpf(0.5)) / count)
            for j in range(count)
        ]
        powers = mp.matrix([[node**k for k in range(count)] for node in nodes])
        values = mp.matrix([scaled_mills_ratio(node) for node in nodes])
        return [float(c) for c in mp.lu_solve(powers, values)]


if __name__ == "__main__":
    print("\n".join(f"    {c!r}," for c in coefficients()))
