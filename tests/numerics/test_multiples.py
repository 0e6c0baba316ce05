"""Resolution of scores: which scores are whole multiples, and exact differences of them."""

import math
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.r.session import SHARED, RSession
from cdfscore.stats.numerics.multiples import denominators, shifted_differences
from cdfscore.stats.numerics.types import Array


def denominator(*scores: float) -> float:
    return float(denominators(np.array([scores]))[0])


@pytest.mark.clause("ties_at.1", "means.3")
@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.0, 3.0, -7.0), 1),
        ((0.3, 0.7), 10),
        ((0.5, 0.25), 4),
        ((0.1234, 0.5), 10**4),
        ((71.25, 0.1), 20),
        ((1 / 3, 1 / 7), 21),
        ((109 / 110, 0.3333), 110_000),
        ((1 / 1999, 0.5), 3998),
        ((0.123456789012,), 10**12),
        ((1e12,), 1),
    ],
)
def test_the_least_common_multiple_of_the_sizes(scores: tuple[float, ...], expected: int) -> None:
    assert denominator(*scores) == expected


@pytest.mark.clause("ties_at.1")
@pytest.mark.parametrize(
    "scores",
    [
        (0.1 + 0.2,),
        (0.3, np.nextafter(0.3, 1)),
        (math.pi,),
        (1 / 2003,),
        (0.1234567890123,),
        (2e12,),
        (np.inf, 0.5),
        (1 / 1999, 1 / 1997, 1 / 1993, 1 / 1987),
        (0.123456789012, 1.5),
    ],
)
def test_others_have_none(scores: tuple[float, ...]) -> None:
    assert math.isnan(denominator(*scores))


def test_a_row_does_not_depend_on_others() -> None:
    rng = np.random.default_rng(3)
    rows = np.round(rng.random((6, 30)), 4)
    rows[1] = rng.random(30)
    rows[2] = rng.integers(0, 111, 30) / 110
    rows[3, 20] = 1 / 3  # beyond the scores that are looked at first
    rows[4, 29] = 0.1 + 0.2
    rows[5] = rng.integers(0, 9, 30)
    found = denominators(rows)
    np.testing.assert_equal(found, [10_000, np.nan, 110, 30_000, np.nan, 1])
    np.testing.assert_equal(found, [denominator(*row) for row in rows])


@pytest.mark.clause("ties_at.1")
@given(st.integers(1, 2000) | st.sampled_from([10**k for k in range(4, 13)]), st.data())
def test_differences_are_correctly_rounded(q: int, data: st.DataObject) -> None:
    counts = st.lists(st.integers(-q, q), min_size=1, max_size=6)
    a = data.draw(counts)
    b = data.draw(st.lists(st.integers(-q, q), min_size=len(a), max_size=len(a)))
    shift = data.draw(st.integers(-q, q))
    x, y = (np.array([[k / q for k in each]]) for each in (a, b))
    difference, found = shifted_differences(x, y, shift / q)
    assert q % found[0] == 0
    assert difference[0].tolist() == [
        float(Fraction(i - j - shift, q)) for i, j in zip(a, b, strict=True)
    ]


def test_r_finds_the_same_resolution(rinterface: ModuleType) -> None:
    in_r = RSession().function_of(SHARED, "denominator")
    rng = np.random.default_rng(8)
    cases: list[Array] = [np.array([0.1 + 0.2]), np.array([1e12, 0.5]), np.array([1e12])]
    for _ in range(300):
        q = rng.choice([1, 7, 20, 110, 997, 2000, 2001, 10**4, 10**7, 10**12, 10**13], 2)
        x = rng.integers(0, 10**13, 5) % (q[0] + 1) / q[0]
        x[-1] = rng.integers(0, 10**13) % (q[1] + 1) / q[1]
        if rng.random() < 0.3:  # in the last place
            x[2] = np.nextafter(x[2], rng.integers(0, 2))
        cases.append(x * rng.choice([1, -1, 100]))
    ours = [denominator(*x) for x in cases]
    theirs = [float(in_r(RSession().vector(x))[0]) for x in cases]
    np.testing.assert_equal(ours, theirs)
    assert 50 < np.isnan(ours).sum() < 250
