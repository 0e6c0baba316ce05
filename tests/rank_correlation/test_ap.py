"""AP correlation, by its definition and by enumeration of the orders of ties."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from cdfscore.errors import CdfscoreError
from cdfscore.stats.rank_correlation import tau_ap, tau_ap_a, tau_ap_b

# Rankings of ten systems and the same rounded, as the R package ircor prints coefficients of them.
X = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
Y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]


def by_definition(x: list[float], order: tuple[int, ...]) -> Fraction:
    """tau_ap of a ranking given as the systems from the first to the last."""
    shares = [
        Fraction(sum(x[above] > x[system] for above in order[:i]), i)
        for i, system in enumerate(order)
        if i
    ]
    return 2 * sum(shares) / (len(order) - 1) - 1


def orders(y: list[float]) -> list[tuple[int, ...]]:
    """Every ranking that y stands for: each group of ties in each order."""
    groups = [[i for i, v in enumerate(y) if v == value] for value in sorted(set(y), reverse=True)]
    return [sum(order, ()) for order in product(*map(permutations, groups))]


@pytest.mark.clause("tau_ap_a.1")
def test_tau_ap_a_is_the_mean_over_all_orders_of_ties() -> None:
    random = np.random.default_rng(1)
    for _ in range(150):
        n = int(random.integers(2, 7))
        x, y = random.permutation(n).tolist(), random.integers(0, 3, n).tolist()
        found = [by_definition(x, order) for order in orders(y)]
        assert tau_ap_a(x, y) == pytest.approx(float(sum(found) / len(found)), abs=2e-16, rel=1e-15)


@pytest.mark.clause("tau_ap.1")
def test_tau_ap_by_definition(pairs) -> None:
    for x, _ in pairs(50, 2, ties_in_x=False):
        y = np.random.default_rng(len(x)).permutation(len(x))
        expected = float(by_definition(x.tolist(), tuple(np.argsort(-y).tolist())))
        assert tau_ap(x, y) == pytest.approx(expected, abs=2e-16, rel=1e-15)


@pytest.mark.clause("tau_ap.1", "tau_ap_a.1", "tau_ap_b.1")
@pytest.mark.one_in(6)
@pytest.mark.parametrize("decreasing", [True, False])
@pytest.mark.parametrize("name", ["tau_ap", "tau_ap_a", "tau_ap_b"])
def test_r_gives_the_same(pairs, in_r, name, decreasing) -> None:
    coefficient = {"tau_ap": tau_ap, "tau_ap_a": tau_ap_a, "tau_ap_b": tau_ap_b}[name]
    longest = 5 if name == "tau_ap_a" else 25  # R enumerates the orders of ties
    compared = 0
    for x, y in pairs(200, 3, longest=longest, ties_in_x=name == "tau_ap_b"):
        if name == "tau_ap":
            y = y + np.arange(len(y)) * 1e-6
        if name == "tau_ap_b" and not (np.ptp(x) and np.ptp(y)):
            continue
        if name != "tau_ap" or len(set(y)) == len(y):
            expected = in_r("ap", name, x, y, decreasing)
            assert abs(coefficient(x, y, decreasing=decreasing) - expected) < 1e-15
            compared += 1
    assert compared > 152


@pytest.mark.clause("tau_ap.1", "tau_ap_a.1", "tau_ap_b.1")
def test_published_examples() -> None:
    """The documentation of ircor: no ties, ties in y, ties in both, and ranks."""
    y, x = np.round(Y, 1), np.round(X, 1)
    assert tau_ap(X, Y) == pytest.approx(0.3928571, abs=5e-8)
    assert tau_ap_a(X, Y) == tau_ap(X, Y)
    assert tau_ap_a(X, y) == pytest.approx(0.39903, abs=5e-6)
    assert tau_ap_b(X, y) == pytest.approx(0.3317019, abs=5e-8)
    assert tau_ap_b(x, y) == pytest.approx(0.339418, abs=5e-7)
    assert tau_ap_b(-x, -y, decreasing=False) == tau_ap_b(x, y)
    assert tau_ap_b(x, y, decreasing=False) != tau_ap_b(x, y)


@pytest.mark.clause("tau_ap_a.1", "tau_ap_b.1")
def test_without_ties_the_variants_are_tau_ap(pairs) -> None:
    for x, y in pairs(300, 4):
        if len(set(x)) == len(set(y)) == len(x):
            assert tau_ap_a(x, y) == tau_ap(x, y)
            assert tau_ap_b(x, y) == (tau_ap(x, y) + tau_ap(y, x)) / 2


@pytest.mark.clause("tau_ap.1", "tau_ap_a.1")
@pytest.mark.parametrize(
    ("coefficient", "x", "y", "fragment"),
    [
        (tau_ap, [1, 2, 2], [1, 2, 3], "tau_ap: x[1] and x[2] are both 2.0; expected no ties in x"),
        (
            tau_ap,
            [1, 2, 3],
            [[1, 2, 3], [7, 1, 7]],
            "y[..., 0] and y[..., 2] are both 7.0 in the pair [1]",
        ),
        (tau_ap, [1, 2, 3], [7, 1, 7], "tau_ap_a or tau_ap_b"),
        (tau_ap_a, [0.0, -0.0, 3], [1, 2, 3], "tau_ap_a: x[0] and x[1] are both 0.0"),
    ],
)
def test_ties_are_refused(coefficient, x, y, fragment) -> None:
    with pytest.raises(CdfscoreError) as caught:
        coefficient(x, y)
    assert fragment in str(caught.value)


@pytest.mark.parametrize("coefficient", [tau_ap, tau_ap_a, tau_ap_b])
def test_decreasing_is_true_or_false(coefficient) -> None:
    with pytest.raises(CdfscoreError, match="decreasing='yes' is not accepted; expected True or"):
        coefficient([1, 2], [1, 2], decreasing="yes")
