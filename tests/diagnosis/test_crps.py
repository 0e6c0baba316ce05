"""CRPS beside its formulas at 50 digits, its definition, and the finite sum of the ecdf."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.diagnosis.crps import crps
from cdfscore.diagnosis.left_out import left_out
from cdfscore.diagnosis.quadrature import integrals
from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.types import Array
from cdfscore.schemes import Empirical, Normal, Scheme
from cdfscore.schemes.registry import parse_scheme

SCORES = np.array([0.02, 0.1, 0.13, 0.2, 0.31, 0.35, 0.6, 0.82])
Formula = Callable[..., mp.mpf]


def _normal(y: mp.mpf, mean: mp.mpf, sd: mp.mpf) -> mp.mpf:
    """Gneiting and Raftery (2007), Eq. 21 and the text below; crps_norm of scoringRules."""
    z = (y - mean) / sd
    return sd * (z * (2 * mp.ncdf(z) - 1) + 2 * mp.npdf(z) - 1 / mp.sqrt(mp.pi))


def _unit_uniform(y: mp.mpf) -> mp.mpf:
    inside = min(max(y, mp.mpf(0)), mp.mpf(1))
    return abs(y - inside) + inside**2 - inside + mp.mpf(1) / 3


def _minmax(y: mp.mpf, low: mp.mpf, high: mp.mpf) -> mp.mpf:
    return (high - low) * _unit_uniform((y - low) / (high - low))


def _exponential(y: mp.mpf, low: mp.mpf, mean: mp.mpf) -> mp.mpf:
    z = (y - low) / mean
    reached = 1 - mp.exp(-z) if z > 0 else mp.mpf(0)
    return mean * (abs(z) - 2 * reached + mp.mpf(1) / 2)


def _beta(y: mp.mpf, a: mp.mpf, b: mp.mpf) -> mp.mpf:
    """crps_beta of scoringRules."""
    f, f1 = (mp.betainc(k, b, 0, y, regularized=True) for k in (a, a + 1))
    last = 2 * mp.beta(2 * a, 2 * b) / (a * mp.beta(a, b) ** 2)
    return y * (2 * f - 1) + a / (a + b) * (1 - 2 * f1 - last)


def _gamma(y: mp.mpf, shape: mp.mpf, scale: mp.mpf) -> mp.mpf:
    """crps_gamma of scoringRules."""
    f, f1 = (mp.gammainc(k, 0, y / scale, regularized=True) for k in (shape, shape + 1))
    return y * (2 * f - 1) - shape * scale * (2 * f1 - 1) - scale / mp.beta(mp.mpf(1) / 2, shape)


FORMULAS: dict[str, Formula] = {
    "normal": _normal,
    "minmax": _minmax,
    "exponential": _exponential,
    "beta": _beta,
    "gamma": _gamma,
}


@pytest.mark.parametrize("name", FORMULAS)
def test_closed_forms_at_50_digits(name: str) -> None:
    others = np.array([np.delete(SCORES, i) for i in range(len(SCORES))])
    fitted = parse_scheme(name).fit(others)
    found = crps(fitted, SCORES, SCORES)
    with mp.workdps(50):
        for i, y in enumerate(SCORES):
            # The first two are those of the formula; the ends of the scores may follow.
            first = list(fitted.parameters.values())[:2]
            numbers = [mp.mpf(float(values[i, 0])) for values in first]
            expected = FORMULAS[name](mp.mpf(float(y)), *numbers)
            assert abs(found[i] / expected - 1) < 1e-9, (name, i)


@given(st.lists(st.integers(0, 20), min_size=3, max_size=12))
def test_the_empirical_distribution_is_the_finite_sum(numbers: list[int]) -> None:
    """mean |X - y| - mean |X - X'| / 2; Gneiting and Raftery (2007), Eq. 21."""
    if len(set(numbers)) < 2:
        return
    sample = np.array(sorted(numbers), dtype=float)
    total = Fraction(0)
    for i, y in enumerate(numbers):
        others = numbers[:i] + numbers[i + 1 :]
        m = len(others)
        apart = sum(abs(a - b) for a in others for b in others)
        total += Fraction(sum(abs(a - y) for a in others), m) - Fraction(apart, 2 * m * m)
    for convention in ("weak", "strict", "mid"):
        found = left_out(Empirical(convention), sample, Resolution(1.0, "found")).crps
        assert found == pytest.approx(float(total / len(numbers)), rel=1e-13, abs=1e-15)


# Families without a formula here, with steps, corners, ends, point masses and heavy tails.
OTHERS = [
    "uniform",
    "uniform:A=1.5",
    "kernel",
    "kernel:kernel=epanechnikov",
    "kernel:bandwidth=0.001",
    "kernel:boundary=reflection",
    "empirical:interpolation=linear",
    "zero_inflated:family=beta",
    "truncated_normal",
    "from_scipy:dist=cauchy",
]


@pytest.mark.parametrize("name", OTHERS)
def test_the_definition_on_a_fine_grid(name: str) -> None:
    scheme: Scheme = parse_scheme(name)
    scores = np.array([0.0, 0.1, 0.15, 0.2, 0.3, 0.35, 0.6])
    fitted = scheme.fit(scores[[0, 1, 2, 3, 4, 6]][np.newaxis])
    found = crps(fitted, np.array([0.35]), scores)[0]
    # Midpoints, ever wider beyond the scores: their error is below 1e-6 here.
    beyond = np.geomspace(1, 1e7, 400_001) - 1
    ends = np.concatenate([-beyond[:0:-1], np.linspace(0, 1, 400_001), 1 + beyond[1:]])
    middle, width = (ends[1:] + ends[:-1]) / 2, np.diff(ends)
    reached = fitted(middle[np.newaxis])[0]
    expected = (width * (reached - (middle >= 0.35)) ** 2).sum()
    assert found == pytest.approx(expected, abs=2e-6)


def test_steps_on_a_grid_and_steps_that_nobody_declared() -> None:
    scores = np.array([0.0, 0.2, 0.3, 0.7])
    fitted = parse_scheme("beta_binomial:size=10").fit([[0.0, 0.2, 0.3]])
    at = np.arange(-5, 15) / 10
    heights = fitted((at + 0.05)[np.newaxis])[0]
    expected = (0.1 * (heights - (at + 0.05 >= 0.7)) ** 2).sum()
    found = crps(fitted, np.array([0.7]), scores)
    assert found[0] == pytest.approx(expected, rel=1e-8)

    def steps(row: Array, x: Array) -> Array:
        return (x >= 1 / 3) * 2.0 + (x >= np.pi / 4)

    whole = integrals(steps, np.array([0]), np.zeros(1), np.ones(1), rows=1, tolerance=1e-10)
    assert whole[0] == pytest.approx(4 / 3 + 1 - np.pi / 4, abs=1e-9)


def test_it_moves_and_grows_with_the_scores() -> None:
    fitted, far = Normal().fit(SCORES[:-1][np.newaxis]), Normal().fit(7 + 30 * SCORES[:-1])
    found = crps(fitted, SCORES[-1:], SCORES)[0]
    moved = left_out(Normal(), 7 + 30 * SCORES, Resolution(1e-3, "assumed")).crps
    here = left_out(Normal(), SCORES, Resolution(1e-3, "assumed")).crps
    assert moved == pytest.approx(30 * here, rel=1e-9)
    assert found > 0
    assert float(far.parameters["sd"][0]) == pytest.approx(
        30 * float(fitted.parameters["sd"][0, 0])
    )


@pytest.mark.parametrize("factor", [1e300, 1e-300, 1e-310])
@pytest.mark.parametrize("name", ["normal", "uniform", "kernel", "empirical"])
def test_scores_of_any_size(name: str, factor: float) -> None:
    scheme, exact = parse_scheme(name), Resolution(1e-3, "assumed")
    here, there = (
        left_out(scheme, k * SCORES, Resolution(k * exact.width, "assumed")).crps
        for k in (1.0, factor)
    )
    assert there / factor == pytest.approx(here, rel=1e-7)


def test_the_truth_has_the_lowest_mean() -> None:
    rng = np.random.default_rng(3)
    scores = np.unique(rng.normal(0.4, 0.1, 4000))
    rows = len(scores)
    means = {}
    for sd in (0.08, 0.1, 0.12):
        fitted = Normal().restore({"mean": np.full((rows, 1), 0.4), "sd": np.full((rows, 1), sd)})
        means[sd] = crps(fitted, scores, scores).mean()
    assert min(means, key=means.__getitem__) == 0.1


def test_what_never_reaches_1_has_no_crps() -> None:
    sample = np.arange(6) / 10
    found = left_out(Empirical(position="weibull"), sample, Resolution(0.1, "found"))
    assert np.isnan(found.crps)
    assert np.isfinite(found.log_score)
