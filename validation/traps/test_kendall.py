"""Trap: when the p-value of Kendall's tau is exact."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cdfscore.stats.numerics.types import Array
from validation.traps.r_functions import RFunctions


def pair(n: int, seed: int) -> tuple[Array, Array]:
    """Two rankings of n without ties, at a moderate tau."""
    rng = np.random.default_rng([n, seed])
    x = rng.permutation(n).astype(float)
    return x, stats.rankdata(x + rng.normal(0, 2 * n, n))


@pytest.mark.parametrize("n", [3, 10, 33, 34, 49, 50, 51, 80])
def test_r_is_exact_below_50(n: int, r: RFunctions) -> None:
    x, y = pair(n, 0)
    assert r.numbers("kendall_numbers", x, y)[2] == (n < 50)
    y[0] = y[1]
    assert r.numbers("kendall_numbers", x, y)[2] == 0


@pytest.mark.parametrize("n", [3, 10, 32, 33, 34, 35, 49, 50])
def test_scipys_auto_is_exact_up_to_33(n: int) -> None:
    chosen = []
    for seed in range(10):
        x, y = pair(n, seed)
        auto, exact = stats.kendalltau(x, y), stats.kendalltau(x, y, method="exact")
        chosen.append(auto.pvalue == exact.pvalue)
        if auto.pvalue != exact.pvalue:
            assert auto.pvalue == stats.kendalltau(x, y, method="asymptotic").pvalue
    assert chosen == [n <= 33] * 10


@pytest.mark.parametrize("discordant", [0, 1, 2])
def test_scipys_auto_is_exact_for_one_discordant_pair_at_any_n(discordant: int) -> None:
    x = np.arange(60.0)
    y = x.copy()
    for i in range(discordant):
        y[[2 * i, 2 * i + 1]] = y[[2 * i + 1, 2 * i]]
    for sign in (1, -1):  # or one concordant pair
        auto = stats.kendalltau(x, sign * y).pvalue
        exact = stats.kendalltau(x, sign * y, method="exact").pvalue
        assert (auto == exact) == (discordant <= 1)


@pytest.mark.parametrize("n", [3, 5, 10, 20, 33, 34, 40, 49])
def test_exact_p_agrees_to_1e14_absolute(n: int, r: RFunctions) -> None:
    for seed in range(30):
        x, y = pair(n, seed)
        exact = stats.kendalltau(x, y, method="exact")
        tau, p, is_exact = r.numbers("kendall_numbers", x, y)
        assert is_exact
        assert exact.statistic == pytest.approx(tau, abs=1e-15)
        assert exact.pvalue == pytest.approx(p, abs=1e-13)


@pytest.mark.parametrize("n", [3, 10, 34, 50, 100, 200])
@pytest.mark.parametrize("ties", [False, True])
def test_asymptotic_p_agrees_to_12_digits(n: int, ties: bool, r: RFunctions) -> None:
    for seed in range(20):
        x, y = pair(n, seed)
        if ties:
            x, y = x // 2, y // 3
        if len(set(y.tolist())) == 1:
            continue  # tau of a constant is no number
        asymptotic = stats.kendalltau(x, y, method="asymptotic")
        by_r = r.numbers("kendall_numbers", x, y, exact=False)
        assert [asymptotic.statistic, asymptotic.pvalue] == pytest.approx(
            by_r[:2], rel=1e-12, abs=0
        )
        continued = r.numbers("kendall_numbers", x, y, exact=False, continuity=True)[1]
        assert by_r[1] == 1 or continued > by_r[1]


def test_between_34_and_49_the_defaults_differ_in_the_second_digit(r: RFunctions) -> None:
    ratios = []
    for seed in range(30):
        x, y = pair(40, seed)
        ratios.append(stats.kendalltau(x, y).pvalue / r.numbers("kendall_numbers", x, y)[1])
    assert 0.005 < max(abs(ratio - 1) for ratio in ratios) < 0.2


def test_rs_exact_p_of_a_high_tau_is_a_difference_of_nearly_equal_numbers(r: RFunctions) -> None:
    x = np.arange(100.0)
    y = x.copy()
    y[:40] = y[:40][::-1]
    exact = stats.kendalltau(x, y, method="exact").pvalue
    by_r = r.numbers("kendall_numbers", x, y, exact=True)[1]
    assert 0 < exact < 1e-20
    assert abs(by_r) < 1e-12
    assert abs(by_r - exact) > exact  # on x86 it is -4e-14
    beyond = r.numbers("kendall_numbers", np.arange(171.0), np.arange(171.0), exact=True)[1]
    assert np.isnan(beyond)
