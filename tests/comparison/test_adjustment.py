"""Corrections for many tests: R's p.adjust on any p values, and what is refused."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cdfscore.stats.adjustment as module
from cdfscore.errors import SignificanceError
from cdfscore.r.session import RSession
from cdfscore.stats.adjustment import METHODS, adjust
from cdfscore.stats.numerics.types import Array

TWIN = Path(module.__file__).with_suffix(".R")
# Those where statsmodels and R multiply in another order.
ROUNDED = {"BH": 1e-15, "fdr": 1e-15, "BY": 1e-15}
P_VALUES = st.lists(
    st.floats(0, 1) | st.just(np.nan) | st.sampled_from([0.0, 1.0, 0.05, 1e-300]), max_size=30
)


def _in_r(r: RSession, p: Array, method: str) -> Array:
    return np.array(r.function_of(TWIN, "adjust")(r.vector(p), method))


def _p_values(rng: np.random.Generator) -> Array:
    """Return p values of any size: spread over hundreds of digits, tied, 0, 1 and NaN."""
    p = rng.random(rng.integers(0, 61)) ** rng.choice([1, 5, 20, 400])
    if rng.random() < 0.4:
        p = np.round(p, int(rng.integers(1, 4)))
    p[rng.random(len(p)) < rng.choice([0, 0.2, 0.9])] = np.nan
    p[rng.random(len(p)) < 0.05] = rng.integers(0, 2)
    return p


@pytest.mark.clause("adjust.1", "bonferroni.1", "holm.1", "hochberg.1", "hommel.1", "bh.1", "by.1")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_random_p_values_become_those_of_r(r: RSession, method: str) -> None:
    rng = np.random.default_rng(20)
    for _ in range(400):
        p = _p_values(rng)
        ours, theirs = adjust(p, method), _in_r(r, p, method)
        # 1e-320: where one unit in the last place of a denormal number is a large share.
        np.testing.assert_allclose(ours, theirs, rtol=ROUNDED.get(method, 0), atol=1e-320)


def test_methods_are_those_of_r(r: RSession) -> None:
    assert sorted(METHODS) == sorted(r.rinterface.globalenv.find("p.adjust.methods"))


@pytest.mark.clause("bonferroni.1", "holm.1", "hochberg.1", "hommel.1", "bh.1", "by.1")
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("bonferroni", [0.04, 0.16, 0.12, 0.02]),
        ("holm", [0.03, 0.06, 0.06, 0.02]),
        ("hochberg", [0.03, 0.04, 0.04, 0.02]),
        ("hommel", [0.03, 0.04, 0.04, 0.02]),
        ("BH", [0.02, 0.04, 0.04, 0.02]),
        ("fdr", [0.02, 0.04, 0.04, 0.02]),
        ("BY", [0.02 * 25 / 12, 0.04 * 25 / 12, 0.04 * 25 / 12, 0.02 * 25 / 12]),
        ("none", [0.01, 0.04, 0.03, 0.005]),
    ],
)
def test_by_hand(method: str, expected: list[float]) -> None:
    np.testing.assert_allclose(adjust([0.01, 0.04, 0.03, 0.005], method), expected, rtol=1e-14)


@pytest.mark.clause("adjust.1")
@given(P_VALUES)
def test_order_of_the_methods_and_nan(p: list[float]) -> None:
    found: dict[str, Any] = {method: adjust(p, method) for method in METHODS}
    chain = ("none", "hommel", "hochberg", "holm", "bonferroni")
    for lower, higher in pairwise(chain):
        assert np.all(~(found[lower] > found[higher] * (1 + 1e-14)))
    assert np.all(~(found["BH"] > found["hochberg"] * (1 + 1e-14)))
    assert np.all(~(found["BH"] > found["BY"] * (1 + 1e-14)))
    for values in found.values():
        assert np.array_equal(np.isnan(values), np.isnan(p))
        assert np.all(~(values > 1))


@pytest.mark.parametrize(
    ("p", "method", "fragments"),
    [
        ([0.1], "bonferonni", ["'bonferonni'", "did you mean 'bonferroni'", "holm"]),
        ([0.1], "bh", ["adjust='bh' is not accepted", "BH"]),
        ([0.1], None, ["adjust=None is not accepted", "expected one of holm"]),
        ([0.1, 1.5], "holm", ["p[1] is 1.5", "between 0 and 1"]),
        ([-0.1, np.nan], "none", ["p[0] is -0.1"]),
        ([np.nan, np.inf], "BH", ["p[1] is inf"]),
        ([[0.1, 0.2]], "holm", ["shape (1, 2)", "expected (m,)"]),
        (0.1, "holm", ["shape ()"]),
        (["small"], "holm", ["not an array of numbers"]),
    ],
)
def test_bad_input(p: Any, method: Any, fragments: list[str]) -> None:
    with pytest.raises(SignificanceError) as refused:
        adjust(p, method)
    for fragment in fragments:
        assert fragment in str(refused.value)


def _rejected(p: list[float], method: str, alpha: float) -> set[int]:
    """Return what a procedure rejects, by its steps as the papers have them."""
    m, order = len(p), sorted(range(len(p)), key=p.__getitem__)
    if method == "bonferroni":
        return {i for i in order if m * p[i] <= alpha}
    if method == "holm":  # down from the smallest, to the first that is not rejected
        for step, i in enumerate(order):
            if p[i] > alpha / (m - step):
                return set(order[:step])
        return set(order)
    divisor = {
        "hochberg": lambda step: m - step,
        "BH": lambda step: m / (step + 1),
        "BY": lambda step: m / (step + 1) * sum(1 / k for k in range(1, m + 1)),
    }[method]
    for step in reversed(range(m)):  # up from the largest, to the first that is rejected
        if p[order[step]] <= alpha / divisor(step):
            return set(order[: step + 1])
    return set()


@pytest.mark.clause("adjust.1", "bonferroni.1", "holm.1", "hochberg.1", "bh.1", "by.1")
@pytest.mark.parametrize("method", ["bonferroni", "holm", "hochberg", "BH", "BY"])
def test_a_corrected_p_value_is_at_most_alpha_where_the_procedure_rejects(method: str) -> None:
    rng = np.random.default_rng(5)
    some = 0
    for _ in range(200):
        p = rng.random(int(rng.integers(2, 9))) ** 4
        for alpha in (0.01, 0.05, 0.2, 0.6):
            rejected = _rejected(p.tolist(), method, alpha)
            assert set(np.flatnonzero(adjust(p, method) <= alpha)) == rejected
            some += 0 < len(rejected) < len(p)
    assert some > 100
