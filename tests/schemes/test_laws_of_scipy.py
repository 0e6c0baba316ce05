"""Each law of `from_scipy` beside its density at 30 digits: SciPy's density and cdf, and slopes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import stats

from cdfscore.stats.schemes import FromScipy
from cdfscore.stats.schemes.base import Fitted
from cdfscore.stats.schemes.from_scipy import LAWS

Density = Callable[..., Any]


def _phi(u: mpf) -> mpf:
    return mp.exp(-(u**2) / 2) / mp.sqrt(2 * mp.pi)


def _t(u: mpf, df: mpf) -> mpf:
    return (
        mp.gamma((df + 1) / 2)
        / mp.gamma(df / 2)
        / mp.sqrt(df * mp.pi)
        * (1 + u**2 / df) ** (-(df + 1) / 2)
    )


# Density at location 0 and scale 1, and shapes to try it with.
DENSITIES: dict[str, tuple[Density, list[tuple[float, ...]]]] = {
    "norm": (_phi, [()]),
    "laplace": (lambda u: mp.exp(-abs(u)) / 2, [()]),
    "expon": (lambda u: mp.exp(-u), [()]),
    "uniform": (lambda u: mpf(1), [()]),
    "halfnorm": (lambda u: 2 * _phi(u), [()]),
    "logistic": (lambda u: mp.sech(u / 2) ** 2 / 4, [()]),
    "hypsecant": (lambda u: mp.sech(u) / mp.pi, [()]),
    "gumbel_r": (lambda u: mp.exp(-u - mp.exp(-u)), [()]),
    "gumbel_l": (lambda u: mp.exp(u - mp.exp(u)), [()]),
    "moyal": (lambda u: mp.exp(-(u + mp.exp(-u)) / 2) / mp.sqrt(2 * mp.pi), [()]),
    "rayleigh": (lambda u: u * mp.exp(-(u**2) / 2), [()]),
    "maxwell": (lambda u: 2 * u**2 * _phi(u), [()]),
    "semicircular": (lambda u: 2 / mp.pi * mp.sqrt(1 - u**2), [()]),
    "cosine": (lambda u: (1 + mp.cos(u)) / (2 * mp.pi), [()]),
    "anglit": (lambda u: mp.cos(2 * u), [()]),
    "halflogistic": (lambda u: mp.sech(u / 2) ** 2 / 2, [()]),
    "cauchy": (lambda u: _t(u, mpf(1)), [()]),
    "t": (_t, [(1.5,), (7,), (1e6,)]),
    "skewnorm": (lambda u, a: 2 * _phi(u) * mp.ncdf(a * u), [(-3,), (0.1,), (-1e6,), (1e6,)]),
    "genlogistic": (
        lambda u, c: c * mp.exp(-u) * (1 + mp.exp(-u)) ** (-c - 1),
        [(1e-6,), (0.01,), (0.3,), (1e6,)],
    ),
    "exponnorm": (
        lambda u, k: mp.exp(1 / (2 * k**2) - u / k) * mp.ncdf(u - 1 / k) / k,
        [(1e-3,), (0.05,), (1.5,), (1e6,)],
    ),
    "loggamma": (
        lambda u, c: mp.exp(c * u - mp.exp(u)) / mp.gamma(c),
        [(1e-6,), (0.01,), (0.5,), (1e6,)],
    ),
    "gompertz": (lambda u, c: c * mp.exp(u - c * mp.expm1(u)), [(1e-20,), (0.5,), (1e6,)]),
    "lognorm": (lambda u, s: _phi(mp.log(u) / s) / (u * s), [(0.1,), (1.5,)]),
    "loglaplace": (lambda u, c: c / 2 * mp.exp(-c * abs(mp.log(u))) / u, [(0.5,), (3,)]),
    "fisk": (lambda u, c: c * u ** (c - 1) / (1 + u**c) ** 2, [(0.5,), (8,)]),
    "weibull_min": (lambda u, c: c * u ** (c - 1) * mp.exp(-(u**c)), [(0.6,), (8,)]),
    "invweibull": (lambda u, c: c * u ** (-c - 1) * mp.exp(-(u**-c)), [(0.6,), (8,)]),
    "gamma": (lambda u, a: u ** (a - 1) * mp.exp(-u) / mp.gamma(a), [(0.4,), (50,)]),
    "invgamma": (lambda u, a: u ** (-a - 1) * mp.exp(-1 / u) / mp.gamma(a), [(0.7,), (20,)]),
    "chi2": (
        lambda u, k: u ** (k / 2 - 1) * mp.exp(-u / 2) / 2 ** (k / 2) / mp.gamma(k / 2),
        [(0.8,), (30,)],
    ),
    "chi": (
        lambda u, k: u ** (k - 1) * mp.exp(-(u**2) / 2) / 2 ** (k / 2 - 1) / mp.gamma(k / 2),
        [(0.8,), (30,)],
    ),
    "nakagami": (
        lambda u, n: 2 * n**n / mp.gamma(n) * u ** (2 * n - 1) * mp.exp(-n * u**2),
        [(0.6,), (20,)],
    ),
    "f": (
        lambda u, m, n: (
            (m / n) ** (m / 2)
            * u ** (m / 2 - 1)
            * (1 + m / n * u) ** (-(m + n) / 2)
            / mp.beta(m / 2, n / 2)
        ),
        [(2, 10), (5, 3)],
    ),
    "invgauss": (
        lambda u, m: mp.exp(-((u - m) ** 2) / (2 * u * m**2)) / mp.sqrt(2 * mp.pi * u**3),
        [(0.3,), (4,)],
    ),
    "pareto": (lambda u, b: b / u ** (b + 1), [(0.7,), (12,)]),
    "levy": (lambda u: mp.exp(-1 / (2 * u)) / mp.sqrt(2 * mp.pi * u**3), [()]),
    "beta": (
        lambda u, a, b: u ** (a - 1) * (1 - u) ** (b - 1) / mp.beta(a, b),
        [(0.7, 2), (9, 30)],
    ),
    "betaprime": (
        lambda u, a, b: u ** (a - 1) * (1 + u) ** (-a - b) / mp.beta(a, b),
        [(0.7, 2), (9, 30)],
    ),
    "powerlaw": (lambda u, a: a * u ** (a - 1), [(0.4,), (7,)]),
    "johnsonsb": (
        lambda u, a, b: b / (u * (1 - u)) * _phi(a + b * mp.log(u / (1 - u))),
        [(-1, 0.7), (2, 3)],
    ),
}
CASES = [(name, shapes) for name, (_, tried) in DENSITIES.items() for shapes in tried]
# At these ends of their ranges, large terms cancel in doubles.
CANCELS = {("loggamma", (1e6,)), ("exponnorm", (1e-3,)), ("genlogistic", (1e-6,))}
LEVELS = (1e-6, 0.03, 0.4, 0.8, 0.999)


def held(dist: str, shapes: tuple[float, ...]) -> Fitted:
    """Return the scheme with location 0, scale 1 and these shapes."""
    scheme = FromScipy(dist, 0.0, 1.0, *map(float, shapes))
    values = dict(zip(scheme.parameter_names(), [1.0, *shapes, 0.0, 1.0], strict=True))
    return scheme.restore({name: [[value]] for name, value in values.items()})


def kinks(dist: str, a: float, b: float) -> list[mpf]:
    """Return the middle of an interval, and where a density has a corner in it."""
    corner = {"laplace": 0.0, "loglaplace": 1.0}.get(dist, (a + b) / 2)
    return [mpf(corner)] if a < corner < b else []


def quantiles(dist: str, shapes: tuple[float, ...]) -> np.ndarray:
    return held(dist, shapes).quantile([LEVELS])[0]


def test_every_law_is_tried() -> None:
    assert DENSITIES.keys() == LAWS.keys()


@pytest.mark.one_in(4)
@pytest.mark.clause("from_scipy.1")
@pytest.mark.parametrize(("dist", "shapes"), CASES)
def test_density_and_cdf_are_those_of_the_law(dist: str, shapes: tuple[float, ...]) -> None:
    """The increase of the cdf is the integral of the density, and logpdf is its logarithm."""
    law, exact = getattr(stats, dist), [mpf(v) for v in shapes]
    x = quantiles(dist, shapes)
    y = held(dist, shapes)(x[np.newaxis])
    low = float(law.support(*shapes)[0])
    density = DENSITIES[dist][0]
    with mp.workdps(25):
        logs = [float(mp.log(density(mpf(v), *exact))) for v in x.tolist()]
        parts = [
            float(mp.quad(lambda u: density(u, *exact), [mpf(a), *kinks(dist, a, b), mpf(b)]))
            for a, b in zip(x[1:-1].tolist(), x[2:].tolist(), strict=True)
        ]
    limit = 1e-8 if (dist, shapes) in CANCELS else 1e-11
    np.testing.assert_allclose(law.logpdf(x, *shapes), logs, rtol=1e-12, atol=limit)
    np.testing.assert_allclose(np.diff(y[0])[1:], parts, rtol=1e-9, atol=1e-13)
    assert low <= x[0]
    np.testing.assert_allclose(y[0], LEVELS, rtol=1e-7)


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize(
    ("dist", "shapes"), [case for case in CASES if LAWS[case[0]].slopes is not None]
)
def test_slopes_are_derivatives_of_the_log_density(dist: str, shapes: tuple[float, ...]) -> None:
    """Of t: u itself, its logarithm, or minus it. All are log-concave, but Student's t."""
    row, density = LAWS[dist], DENSITIES[dist][0]
    x = quantiles(dist, shapes)
    if row.sign:
        x = row.sign * np.log(x)
    powers = [v for kind, v in zip(row.shapes, shapes, strict=True) if kind == "b"]
    given = [v for kind, v in zip(row.shapes, shapes, strict=True) if kind == "a"]
    b = powers[0] if powers else 1.0
    arrays = [np.full((1, 1), v) for v in [*given, *row.given]]
    assert row.slopes is not None
    found = [part[0] for part in row.slopes(b * x[np.newaxis], *arrays)]

    def log_density(t: mpf, *shapes: mpf) -> mpf:
        if not row.sign:
            return mp.log(density(t, *shapes))
        return mp.log(density(mp.exp(row.sign * t), *shapes)) + row.sign * t

    exact = [mpf(v) for v in shapes]
    with mp.workdps(40):
        for order in (1, 2):
            expected = [
                float(mp.diff(lambda t: log_density(t, *exact), mpf(v), order)) / b**order
                for v in x.tolist()
            ]
            np.testing.assert_allclose(found[order - 1], expected, rtol=1e-8, atol=1e-10)
        if len(found) > 2 and not row.given:
            expected = [
                float(mp.diff(lambda a, v=v: log_density(mpf(v), a), exact[0])) for v in x.tolist()
            ]
            limit = 1e-6 if (dist, shapes) in CANCELS else 1e-9
            np.testing.assert_allclose(found[2], expected, rtol=limit, atol=1e-10)
    assert row.heavy or (found[1] <= 0).all()


@pytest.mark.clause("from_scipy.3")
@pytest.mark.parametrize("dist", [name for name, row in LAWS.items() if row.slopes])
def test_all_densities_but_t_are_log_concave(dist: str) -> None:
    row = LAWS[dist]
    if row.heavy:
        return
    assert row.slopes is not None
    low, high = getattr(stats, dist).support(*[1.0] * getattr(stats, dist).numargs)
    low, high = (-30.0, 30.0) if row.sign else (max(low, -30.0), min(high, 30.0))
    u = np.linspace(low, high, 403)[1:-1]
    numbers = row.shapes.count("a")
    places = np.log(np.array([0.01, 0.2, 1, 7, 1e3])) if numbers == 2 else row.grid()
    shapes = (
        [np.exp(places)[:, np.newaxis]] * 2 if numbers == 2 else [row.shape(places)[:, np.newaxis]]
    )
    with np.errstate(all="ignore"):
        second = row.slopes(u, *shapes[:numbers])[1]
    assert (
        second[np.isfinite(second)]
        <= 1e-9 * np.abs(second).max(where=np.isfinite(second), initial=1)
    ).all()
