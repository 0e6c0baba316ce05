"""The beta-binomial distribution: its likelihood, its limits, and the grid."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import special, stats

from cdfscore.errors import FitError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import BetaBinomial, beta_binomial
from cdfscore.stats.schemes.beta_binomial import cumulative


def log_likelihood(k: Array, size: int, mean: float, rho: float) -> float:
    """Sum logarithms of products, which keep their digits at any rho, as gamma functions do not."""
    steps = np.arange(size) * rho / (1 - rho)
    up, down, both = (np.append(0, np.cumsum(np.log(m + steps))) for m in (mean, 1 - mean, 1))
    n = k.astype(int)
    return float(np.sum(np.log(special.comb(size, n)) + up[n] + down[size - n] - both[size]))


@pytest.mark.clause("beta_binomial.1")
@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
@example(9, 67)
def test_no_step_gains_likelihood(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.3, 2.0, 30.0])
    k = rng.binomial(size, rng.beta(spread, 1.5 * spread, 40)).astype(float)
    fitted = BetaBinomial(size=size).fit(k / size)
    if fitted.constant:
        return
    mean, rho = (float(fitted.parameters[name][0]) for name in ("mean", "rho"))
    if rho == 1:
        assert set(k) == {0, size}
        return
    highest = log_likelihood(k, size, mean, rho)
    for length in (1e-4, 1e-2, 0.3):
        for _ in range(20):
            m = mean + length * rng.normal() * mean * (1 - mean)
            r = abs(rho + length * rng.normal() * max(rho, 0.01) * (1 - rho))
            if 0 < m < 1 and r < 1:
                assert log_likelihood(k, size, m, r) <= highest + 1e-9


@pytest.mark.parametrize("shares", [(20, 5, 2), (8, 5, 7), (1, 2, 1)])
def test_three_shares_have_a_fit_by_hand(shares: tuple[int, int, int]) -> None:
    """P(K = 1) = 2 m (1 - m) (1 - rho), and two parameters meet all shares; 1, 2, 1 is binomial."""
    fitted = BetaBinomial(size=2).fit(np.repeat([0.0, 0.5, 1.0], shares))
    n = sum(shares)
    mean = (shares[1] / 2 + shares[2]) / n
    rho = 1 - shares[1] / n / (2 * mean * (1 - mean))
    assert fitted.parameters["mean"][0] == pytest.approx(mean, rel=1e-14)
    assert fitted.parameters["rho"][0] == pytest.approx(rho, rel=1e-14, abs=1e-15)


def test_the_likelihood_that_tells_maxima_apart() -> None:
    """No scores are known with two, so that it is looked at itself."""
    counts = np.array([3.0, 0.0, 2.0, 5.0, 1.0])
    k = np.repeat(np.arange(5), counts.astype(int))
    above, below = np.cumsum(counts[:0:-1])[::-1], np.cumsum(counts[:-1])[::-1]
    value = beta_binomial._value(above.copy(), below.copy(), 11.0, 7.0, 0.4, 0.3)
    terms = np.log([math.comb(4, i) for i in k]).sum()
    assert value + terms == pytest.approx(log_likelihood(k, 4, 0.4, 0.3), rel=1e-13)


@pytest.mark.clause("beta_binomial.1")
def test_scores_that_vary_less_than_binomial_ones_have_correlation_0() -> None:
    fitted = BetaBinomial().fit([0.4, 0.5, 0.5, 0.5, 0.6])
    assert fitted.parameters["rho"].tolist() == [0.0]
    expected = stats.binom.cdf(np.arange(11), 10, 0.5)
    np.testing.assert_allclose(fitted(np.arange(11) / 10), expected, rtol=1e-14)


def true_cdf(size: int, mean: float, rho: float) -> list[mpf]:
    """Return P(K <= k) for k < size with 60 digits, from 0 upwards."""
    m, r = mpf(mean), mpf(rho)
    p, q = m * (1 - r), (1 - m) * (1 - r)
    term = mp.fprod((q + i * r) / (1 - r + i * r) for i in range(size))
    sums = [term]
    for k in range(1, size):
        term *= mpf(size - k + 1) / k * (p + (k - 1) * r) / (q + (size - k) * r)
        sums.append(sums[-1] + term)
    return sums


@pytest.mark.one_in(3)
@pytest.mark.clause("beta_binomial.1")
@pytest.mark.parametrize("size", [2, 3, 10, 50, 1000])
@pytest.mark.parametrize(
    ("mean", "rho"),
    [
        (0.5, 0.1),
        (0.3, 0.0),
        (1e-6, 0.0),
        (0.999999, 0.0),  # P(K = 0) is 1e-6000 for a size of 1000
        (0.9999, 0.001),
        (0.2, 1e-12),
        (0.7, 0.9),
        (0.5, 1 - 2**-53),
        (0.13404169724716475, 0.40311298644712923),
    ],
)
def test_cdf_against_mpmath(size: int, mean: float, rho: float) -> None:
    y = cumulative(size, np.array([[mean]]), np.array([[rho]]))[0]
    with mp.workdps(60):
        for k, true in enumerate(true_cdf(size, mean, rho)):
            if true > 1e-280:
                assert abs(mpf(float(y[k])) - true) <= 0.51 * math.ulp(float(true))
    assert y[-1] == 1
    assert np.all(np.diff(y) >= 0)


def test_every_row_off_the_grid_is_told() -> None:
    with pytest.raises(FitError) as told:
        BetaBinomial().fit([[0.15, 0.2], [0.1, 0.2], [0.1, 0.33]])
    assert list(told.value.rows) == [0, 2]
    assert "0.33" in told.value.rows[2]
