"""Kendall's tau and tau_b."""

from fractions import Fraction
from itertools import combinations, permutations, product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from cdfscore.errors import CdfscoreError
from cdfscore.stats.rank_correlation import (
    drmse,
    drmse_geometric,
    rmse,
    swap_rate,
    tau,
    tau_ap,
    tau_ap_a,
    tau_ap_b,
    tau_b,
)

values = st.sampled_from([-2.0, -0.0, 0.0, 0.1 + 0.2, 0.3, 5e-324, 1.5])
some_pairs = st.integers(2, 9).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=values), arrays(np.float64, n, elements=values)
    )
)


def signs(x: np.ndarray) -> list[int]:
    return [(a > b) - (a < b) for a, b in combinations(x.tolist(), 2)]


@pytest.mark.clause("tau.1", "tau_b.1", "swap_rate.1", "correlation.1")
@given(some_pairs)
def test_counting_every_pair(pair) -> None:
    x, y = map(signs, pair)
    difference = sum(a * b for a, b in zip(x, y, strict=True))
    assert tau(*pair) == float(Fraction(difference, len(x)))
    swapped = sum(a * b < 0 for a, b in zip(x, y, strict=True))
    assert swap_rate(*pair) == swap_rate(*pair[::-1]) == float(Fraction(swapped, len(x)))
    untied = sum(map(abs, x)) * sum(map(abs, y))
    if untied:
        with mpmath.workdps(50):
            assert tau_b(*pair) == float(difference / mpmath.sqrt(untied))
        assert tau_b(*pair[::-1]) == tau_b(*pair)
        assert tau_b(pair[0], -pair[1]) == -tau_b(*pair)
    else:
        with pytest.raises(CdfscoreError, match="tau_b is undefined: expected at least two diff"):
            tau_b(*pair)


@pytest.mark.clause("tau.1", "tau_b.1", "swap_rate.1")
@pytest.mark.parametrize("name", ["tau", "tau_b", "swap_rate"])
def test_r_gives_the_same(pairs, in_r, name) -> None:
    """To 2 ulp: R rounds the roots of tau_b."""
    coefficient = {"tau": tau, "tau_b": tau_b, "swap_rate": swap_rate}[name]
    compared = 0
    for x, y in pairs(500, 1):
        if name != "tau_b" or (np.ptp(x) and np.ptp(y)):
            expected = in_r("kendall", name, x, y)
            assert abs(coefficient(x, y) - expected) <= (
                0 if name == "swap_rate" else 2
            ) * np.spacing(abs(expected))
            compared += 1
    assert compared > 330


@pytest.mark.clause("swap_rate.1")
def test_the_error_rate_of_two_sets_of_topics_is_half_of_the_swap_rate(pairs) -> None:
    """Buckley and Voorhees (2000): wins of A, wins of B and ties over the sets of topics."""
    for x, y in pairs(50, 3, longest=9):
        smaller = counted = 0
        for a, b in combinations(range(len(x)), 2):
            of_each_set = [float(np.sign(z[a] - z[b])) for z in (x, y)]
            smaller += min(of_each_set.count(1), of_each_set.count(-1))
            counted += len(of_each_set)
        assert swap_rate(x, y) / 2 == smaller / counted


def test_a_long_ranking() -> None:
    """Of 80,000 systems, whose products of counts are beyond 64 bits; SciPy counts the same."""
    random = np.random.default_rng(3)
    x = random.normal(size=80_000)
    y = np.round(x + random.normal(size=80_000), 3)
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, rel=1e-15)
    assert tau_b(y, y) == 1
    assert tau_b(y, -y) == -1


def test_many_pairs_give_the_nearest_double() -> None:
    """Rankings in one order, which differ in their ties alone: C is P_y, and D is 0."""
    random = np.random.default_rng(5)
    for n in [2, 3, 10, 100, 1000, 30_000, 60_000] * 6:
        x = np.sort(random.integers(0, max(2, n // int(random.integers(1, 9))), n))
        x[-1] = x[0] + 10_000_000
        y = x // int(random.integers(2, 50))
        untied = [
            n * (n - 1) // 2 - sum(t * (t - 1) // 2 for t in np.unique(z, return_counts=True)[1])
            for z in (x, y)
        ]
        with mpmath.workdps(50):
            expected = float(mpmath.sqrt(mpmath.mpf(int(untied[1])) / int(untied[0])))
        assert tau_b(x, y) == expected


@pytest.mark.clause("correlation.1")
@pytest.mark.parametrize(
    ("x", "y", "fragment"),
    [
        ([1, 2], [1, 2, 3], "x has 2 values and y has 3"),
        ([1], [1], "there is 1 pair of values; expected at least 2"),
        ([], [], "expected at least 2"),
        ([[1, 2], [1]], [1, 2], "x is not an array: "),
        (1.0, [1, 2], "x is the single number 1.0"),
        ([1, np.nan, 2], [1, 2, 3], "x[1] is nan; expected finite numbers"),
        ([1, 2], [[1, 2], [3, np.inf]], "y[1, 1] is inf; expected finite numbers"),
        ([1, 2], ["a", "b"], "y holds <U1; expected numbers"),
        ([True, False], [1, 2], "x holds bool; expected numbers"),
        ([1j, 2], [1, 2], "x holds complex128; expected numbers"),
        ([[1, 2]] * 2, [[1, 2]] * 3, "x has shape (2, 2) and y has shape (3, 2)"),
    ],
)
@pytest.mark.parametrize(
    "coefficient",
    [tau, tau_b, swap_rate, tau_ap, tau_ap_a, tau_ap_b, rmse, drmse, drmse_geometric],
)
def test_bad_input(coefficient, x, y, fragment) -> None:
    with pytest.raises(CdfscoreError) as caught:
        coefficient(x, y)
    assert fragment in str(caught.value)
    assert str(caught.value).startswith(f"{coefficient.__name__}: ")


@pytest.mark.clause("tau.1")
def test_tau_is_the_mean_over_all_orders_of_the_ties_in_y() -> None:
    x, y = [3, 1, 4, 2, 5], [2, 1, 2, 2, 1]
    places = {value: [i for i, other in enumerate(y) if other == value] for value in y}
    orders = []
    for tied in product(*map(permutations, places.values())):
        broken = dict(zip(sum(map(tuple, places.values()), ()), sum(tied, ()), strict=True))
        orders.append([10 * y[i] + broken[i] for i in range(5)])
    found = [
        Fraction(sum(map(int, np.multiply(signs(np.array(x)), signs(np.array(each))))), 10)
        for each in orders
    ]
    assert len(found) == 12
    assert tau(x, y) == float(sum(found) / 12)
