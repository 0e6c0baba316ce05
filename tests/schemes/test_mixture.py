"""A mixture of two normals: the penalized likelihood, its maxima, and refusals."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Distribution, JohnsonSu, Mixture, mixture

AP = load_cranfield("ap").to_numpy()[:8]
NAMES = ["weight", "mean_1", "sd_1", "mean_2", "sd_2"]


def penalized(sample: Array, parameters: Array) -> float:
    """The penalized log-likelihood as Chen, Tan and Zhang write it, in the scores' own unit."""
    w, m1, s1, m2, s2 = parameters
    n, square = len(sample), np.var(sample)
    density = sum(
        v * np.exp(-0.5 * ((sample - m) / s) ** 2) / s / math.sqrt(2 * math.pi)
        for v, m, s in ((w, m1, s1), (1 - w, m2, s2))
    )
    penalty = sum(square / s**2 + math.log(s**2 / square) for s in (s1, s2))
    return float(np.log(density).sum() - penalty / n)


def one_step_of_em(sample: Array, parameters: Array) -> list[float]:
    """One step of EM with the penalized variances, which at a maximum leads to where it began."""
    w, m1, s1, m2, s2 = parameters
    first = w * np.exp(-0.5 * ((sample - m1) / s1) ** 2) / s1
    second = (1 - w) * np.exp(-0.5 * ((sample - m2) / s2) ** 2) / s2
    share = first / (first + second)
    moved = [share.mean()]
    for r in (share, 1 - share):
        mean = np.sum(r * sample) / r.sum()
        variance = 2 * np.var(sample) / len(sample) + np.sum(r * (sample - mean) ** 2)
        moved += [mean, math.sqrt(variance / (2 / len(sample) + r.sum()))]
    return moved


def parameters(scheme: Mixture, sample: Array) -> Array:
    fitted = scheme.fit(sample).parameters
    return np.array([fitted[name][0] for name in NAMES])


@pytest.mark.clause("mixture.2")
@given(st.integers(0, 2**32 - 1), st.integers(5, 60))
def test_no_step_gains_likelihood(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    sample = np.where(rng.random(n) < 0.4, rng.normal(0.2, 0.05, n), rng.normal(0.6, 0.2, n))
    found = parameters(Mixture(), sample)
    highest = penalized(sample, found)
    for length in (1e-5, 1e-3, 1e-1):
        for _ in range(20):
            moved = found * (1 + length * rng.normal(size=5) * min(1.0, (1 - found[0]) / found[0]))
            if 0 < moved[0] < 1:
                assert penalized(sample, moved) <= highest + 1e-9
    np.testing.assert_allclose(one_step_of_em(sample, found), found, rtol=1e-9, atol=1e-9)


def test_a_flat_maximum_is_reached() -> None:
    x = "0 6 0 14 36 13 9 8 2 22 2 6 21 11 11 3 8 11 6 2"
    sample = np.array(x.split(), dtype=np.float64) / 10
    found = parameters(Mixture(), sample)
    np.testing.assert_allclose(one_step_of_em(sample, found), found, rtol=1e-9, atol=1e-9)


def test_the_value_of_a_start_is_the_penalized_likelihood() -> None:
    """Less the constant n log(2 pi) / 2."""
    sample = np.random.default_rng(5).exponential(size=9)
    x = np.sort((sample - sample.mean()) / sample.std())
    value = mixture._e_step(x, np.array([0.3, -0.5, 0.4, 0.6**2, 1.2**2]), np.empty(9))
    expected = penalized(x, np.array([0.3, -0.5, 0.6, 0.4, 1.2])) + 4.5 * math.log(2 * math.pi)
    assert value == pytest.approx(expected, rel=1e-13)


def test_rows_where_no_start_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first has a maximum, and a start above it; the second has two equal components."""
    climbs = iter([(-3.0, True), (-1.0, False), (-np.inf, False), (-np.inf, False)])

    def climb(x: Array, r: Array, theta: Array) -> tuple[float, bool]:
        theta[:] = [0.2, -1.0, 0.7, 0.4, 0.9]
        return next(climbs)

    monkeypatch.setattr(mixture, "_climb", climb)
    rows = inspect.unwrap(mixture.maximize)
    z = np.array([[-1.5, -1.0, -0.2, 0.1, 0.3, 0.6, 1.7]] * 2)
    found, short = rows(z, np.array([7, 7]), np.zeros((2, 2)))
    assert found.tolist() == [[0.2, -1.0, 0.7, 0.4, 0.9], [0.5, 0.0, 0.0, 1.0, 1.0]]
    assert short.tolist() == [pytest.approx(2.0), 0.0]


@pytest.mark.clause("mixture.3")
def test_seed_and_starts_choose_among_maxima() -> None:
    row = load_cranfield("ap").to_numpy()[52]
    few, many = (
        [penalized(row, parameters(Mixture(starts=starts, seed=seed), row)) for seed in range(4)]
        for starts in (10, 200)
    )
    assert max(few) > min(few) + 1e-3  # by the seed
    assert min(many) > min(few) + 1e-3  # by the starts
    none = penalized(row, parameters(Mixture(starts=0), row))
    assert none == penalized(row, parameters(Mixture(starts=0, seed=1), row))


@pytest.mark.clause("mixture.2")
def test_ties_do_not_shrink_a_component_to_a_point() -> None:
    """The plain likelihood would grow without bound on six equal scores."""
    sample = np.array([0.0] * 6 + [0.7, 0.75, 0.8, 0.85, 0.9])
    w, mean, sd, _, _ = parameters(Mixture(), sample)
    # By hand: shares of 6 and no spread leave the penalty, (2 s^2 / n) / (2 / n + 6).
    assert (w, mean) == pytest.approx((6 / 11, 0.0), abs=1e-3)
    assert sd == pytest.approx(math.sqrt(2 * np.var(sample) / 11 / (2 / 11 + 6)), rel=1e-3)


def test_quantiles_are_exact() -> None:
    fitted = Mixture().fit(AP)
    p = np.tile(np.concatenate([[1e-12, 1 - 1e-12], np.arange(1, 20) / 20]), (len(AP), 1))
    x = fitted.quantile(p)
    assert (fitted(x) >= p).all()
    assert (fitted(np.nextafter(x, -np.inf)) < p).all()


@pytest.mark.clause("mixture.1")
def test_y_against_mpmath() -> None:
    fitted = Mixture().fit(AP)
    y = fitted(AP[:, :10])
    with mp.workdps(40):
        for row in range(len(AP)):
            w, m1, s1, m2, s2 = (mpf(float(fitted.parameters[name][row, 0])) for name in NAMES)
            for x, got in zip(AP[row, :10], y[row], strict=True):
                z1, z2 = (mpf(float((x - float(m)) / float(s))) for m, s in ((m1, s1), (m2, s2)))
                true = w * mp.ncdf(z1) + (1 - w) * mp.ncdf(z2)
                assert abs(mpf(float(got)) - true) <= 4 * math.ulp(float(true))


@pytest.mark.parametrize("scheme", [Mixture(), JohnsonSu()])
def test_a_spread_that_underflows_is_refused(scheme: Distribution) -> None:
    lost, good = [0.0] * 11 + [5e-324], np.linspace(0.1, 0.9, 12) ** 2
    with pytest.raises(FitError, match=r"^the .* so little that their standard deviation is 0 in"):
        scheme.fit(lost)
    with pytest.raises(FitError, match=r"^row 1: ") as refused:
        scheme.fit([good, lost, good * 0])
    assert list(refused.value.rows) == [1]
