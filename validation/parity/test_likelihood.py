"""mpmath at 50 digits says whether R finds the maximum of the likelihood, and FromScipy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from mpmath import mp, mpf

from cdfscore.r.session import RSession
from cdfscore.stats.schemes.base import schemes
from validation.parity.matrices import Matrix


def weibull_min(sample: list[mpf], x: list[mpf]) -> list[mpf]:
    logs = [mp.log(s) for s in sample]

    def slope(c: mpf) -> mpf:
        powers = [mp.exp(c * v) for v in logs]
        weighted = mp.fsum(p * v for p, v in zip(powers, logs, strict=True))
        return weighted / mp.fsum(powers) - 1 / c - mp.fsum(logs) / len(logs)

    c = mp.findroot(slope, (mpf("0.05"), mpf(50)), solver="anderson")
    scale = (mp.fsum(s**c for s in sample) / len(sample)) ** (1 / c)
    return [1 - mp.exp(-((v / scale) ** c)) for v in x]


def gamma(sample: list[mpf], x: list[mpf]) -> list[mpf]:
    mean = mp.fsum(sample) / len(sample)
    right = mp.log(mean) - mp.fsum(map(mp.log, sample)) / len(sample)
    a = mp.findroot(lambda a: mp.log(a) - mp.digamma(a) - right, 1 / (2 * right))
    return [mp.gammainc(a, 0, v * a / mean, regularized=True) for v in x]


def beta(sample: list[mpf], x: list[mpf]) -> list[mpf]:
    unit, n = [s / mpf("1.02") for s in sample], len(sample)
    left = mp.fsum(map(mp.log, unit)) / n
    right = mp.fsum(mp.log1p(-u) for u in unit) / n
    mean = mp.fsum(unit) / n
    size = mean * (1 - mean) / (mp.fsum((u - mean) ** 2 for u in unit) / n) - 1
    a, b = mp.findroot(
        lambda a, b: [
            mp.digamma(a) - mp.digamma(a + b) - left,
            mp.digamma(b) - mp.digamma(a + b) - right,
        ],
        (mean * size, (1 - mean) * size),
    )
    return [mp.betainc(a, b, 0, v / mpf("1.02"), regularized=True) for v in x]


def logistic(sample: list[mpf], x: list[mpf]) -> list[mpf]:
    n = len(sample)
    mean = mp.fsum(sample) / n
    sd = mp.sqrt(mp.fsum((s - mean) ** 2 for s in sample) / n)

    def slopes(location: mpf, scale: mpf) -> list[mpf]:
        tanh = [mp.tanh((s - location) / scale / 2) for s in sample]
        pulls = [(s - location) / scale * t for s, t in zip(sample, tanh, strict=True)]
        return [mp.fsum(tanh) / n, mp.fsum(pulls) / n - 1]

    location, scale = mp.findroot(slopes, (mean, sd * mp.sqrt(3) / mp.pi))
    return [1 / (1 + mp.exp(-(v - location) / scale)) for v in x]


# floc = -0.01 moves the scores of all but logistic; how far FromScipy may be from the maximum.
MAXIMA: dict[str, tuple[Callable[[list[mpf], list[mpf]], list[mpf]], str, float]] = {
    "from_scipy:dist=gamma,floc=-0.01": (gamma, "0.01", 1e-13),
    "from_scipy:dist=beta,floc=-0.01,fscale=1.02": (beta, "0.01", 1e-11),
    "from_scipy:dist=logistic": (logistic, "0", 1e-12),
    "from_scipy:dist=weibull_min,floc=-0.01": (weibull_min, "0.01", 1e-11),
}


@pytest.mark.parametrize("spelling", MAXIMA)
def test_r_finds_the_maximum_of_the_likelihood(
    spelling: str, matrices: list[Matrix], r: RSession
) -> None:
    """Topic 623 of P@10 is one where SciPy's own weibull_min.fit is off by 0.11."""
    maximize, shift, scipy = MAXIMA[spelling]
    scheme = schemes.parse(spelling)
    for name, row in [("robust2004/robust2004_p10.csv", 172), ("adhoc/adhoc8_ap.csv", 10)]:
        sample = next(matrix.scores[row] for matrix in matrices if matrix.name == name)
        x = np.array([[0.05, 0.3, 0.5, 0.8]])
        with mp.workdps(50):
            moved = float(shift)
            true = maximize([mpf(s + moved) for s in sample], [mpf(v + moved) for v in x[0]])
        expected = [[float(v) for v in true]]
        by_r = r.standardize(scheme, x, sample[np.newaxis])
        np.testing.assert_allclose(by_r, expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(scheme.fit(sample)(x[0]), expected[0], rtol=0, atol=scipy)


@pytest.mark.parametrize(
    ("spelling", "fragment"),
    [
        ("from_scipy:dist=beta,floc=0,fscale=0.3", "lies outside the support"),
        ("from_scipy:dist=expon,floc=0.2", "lies outside the support"),
    ],
)
def test_r_says_what_it_does_not_fit(spelling: str, fragment: str, r: RSession) -> None:
    scores = np.array([[0.1, 0.2, 0.4]])
    with pytest.raises(r.error, match=fragment):
        r.standardize(schemes.parse(spelling), scores, scores)
