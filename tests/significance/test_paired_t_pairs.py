"""paired_t over pairs of systems: the numbers of the plain way."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import paired_t
from cdfscore.stats.significance.contract import QUANTITIES, TestResult
from tests.significance.in_r import assert_as_in_r, rows_in_r


def both_ways(scores: Array, alternative: str = "two-sided") -> tuple[TestResult, TestResult]:
    first, second = np.triu_indices(scores.shape[1], 1)
    systems = scores.T
    return (
        paired_t.over_pairs(scores, first, second, alternative=alternative),
        paired_t(systems[first], systems[second], alternative=alternative),
    )


def assert_same(fast: TestResult, plain: TestResult) -> None:
    assert fast.reason.tolist() == plain.reason.tolist()
    for quantity in QUANTITIES:
        mine, theirs = getattr(fast, quantity), getattr(plain, quantity)
        # p values near the limit of doubles multiply an error of t by t^2
        relative = 1e-11 if quantity == "p_value" else 1e-13
        absolute = 1e-13 * plain.stderr if quantity.startswith("conf") else 0.0
        with np.errstate(invalid="ignore"):
            near = np.abs(mine - theirs) <= relative * np.abs(theirs) + absolute
        assert np.all(near | (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))), quantity


@pytest.mark.clause("paired_t.4")
@pytest.mark.parametrize("measure", ["ap", "p10"])
def test_all_pairs_of_robust_2004(shared_data: Path, rinterface: ModuleType, measure: str) -> None:
    table = pd.read_csv(shared_data / "robust2004" / f"robust2004_{measure}.csv", index_col=0)
    scores = table.to_numpy(dtype=np.float64)
    fast, plain = both_ways(scores)
    assert fast.p_value.shape == (5995,)
    assert_same(fast, plain)
    first, second = (index[::11] for index in np.triu_indices(scores.shape[1], 1))
    some = paired_t.over_pairs(scores, first, second)
    found = rows_in_r(
        RSession(), paired_t, paired_t.settings({}), scores.T[first], scores.T[second]
    )
    counted = np.isfinite(found.numbers["statistic"])
    assert np.array_equal(counted, some.reason == "")
    assert_as_in_r(paired_t, some, found, counted)


def nasty(n: int) -> Array:
    rng = np.random.default_rng(n)
    base = rng.beta(0.7, 1.5, n)
    noise = rng.standard_normal(n)
    return np.stack(
        [
            base,
            base,  # identical
            base + 0.5,  # constant except for rounding
            np.round(base, 1),
            np.round(rng.beta(0.7, 1.5, n), 1),
            np.full(n, 0.1),
            np.full(n, 0.3),
            np.zeros(n),
            base + 1e-12 * noise,
            base + 1e-5 * (noise - noise.mean()),  # a mean difference of rounding alone
            1e8 + noise,
            1e8 + noise[::-1],
            1e-170 * noise,
            3e-170 * noise + 1e-170,
            1e160 * noise,
        ],
        axis=1,
    )


@pytest.mark.clause("paired_t.4")
@pytest.mark.parametrize("n", [2, 3, 8, 9, 50, 249])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_systems_that_are_hard_to_tell_apart(n: int, alternative: str) -> None:
    fast, plain = both_ways(nasty(n), alternative)
    assert {"", "all differences are 0"} < set(fast.reason)
    assert_same(fast, plain)
