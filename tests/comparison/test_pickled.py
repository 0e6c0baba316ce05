"""What `compare` and `sensitivity` find can be pickled, for other processes and for later."""

import copy
import pickle

import pandas as pd
import pytest

from cdfscore import Comparison, Sensitivity, Standardizer, compare, datasets, sensitivity
from cdfscore.report.comparison import caption
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import (
    Alternative,
    PairsTogether,
    Rows,
    TwoSamples,
    paired,
    significance_tests,
)

OF_PAIRS = [
    str(significance_tests.load(name).chosen_example())
    for name in significance_tests.names()
    if isinstance(significance_tests.load(name), TwoSamples | PairsTogether)
]
WITH_SETTINGS = (
    "paired_t:alternative=less,null_value=0.01,conf_level=0.9",
    "permutation:B=99,seed=3",
    "max_t:B=99,seed=4",
    "equivalence_t:margin=0.15,centre=0.05",
    "tukey_hsd:conf_level=0.8",
)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    # Of 20 topics or fewer all 2^n flips would be enumerated, whatever B is.
    return datasets.load_cranfield("ap").iloc[:21, :4]


def same(one: Comparison, other: Comparison) -> None:
    pd.testing.assert_frame_equal(one.table, other.table, check_exact=True)
    pd.testing.assert_frame_equal(one.means, other.means, check_exact=True)
    assert caption(one) == caption(other)
    assert repr(one) == repr(other)
    assert (one.notes, one.systems, one.schemes) == (other.notes, other.systems, other.schemes)
    assert (one.chosen.settings, one.chosen.given) == (other.chosen.settings, other.chosen.given)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("test", [*OF_PAIRS, *WITH_SETTINGS])
def test_every_comparison_comes_back(scores: pd.DataFrame, test: str) -> None:
    fast = "B" in significance_tests.load(test.partition(":")[0]).defaults and ":" not in test
    found = compare(
        scores,
        f"{test}:B=99" if fast else test,
        scheme=["raw", "empirical"],
        baselines=scores.columns[0] if test in ("dunnett", "max_t_baseline") else (),
    )
    loaded = pickle.loads(pickle.dumps(found))
    same(loaded, found)
    # The test is the one of this process, not a copy, so that it is still told apart by its type.
    assert loaded.chosen.test is found.chosen.test
    assert loaded.simultaneous == found.simultaneous


@paired(source="the test")
def mean_difference(x: Array, y: Array, *, alternative: Alternative = "two-sided") -> Rows:
    """Test nothing."""
    return Rows(statistic=(x - y).mean(axis=1), p_value=1.0)


def test_a_test_of_the_user_s_own_comes_back(scores: pd.DataFrame) -> None:
    for test in (mean_difference, mean_difference.chosen({"alternative": "less"})):
        found = compare(scores, test, effect="")
        loaded = pickle.loads(pickle.dumps(found))
        same(loaded, found)
        assert loaded.chosen.test is mean_difference


def test_copies_are_the_same(scores: pd.DataFrame) -> None:
    found = compare(scores, "tukey_hsd:conf_level=0.9", scheme="uniform")
    for copied in (copy.copy(found), copy.deepcopy(found)):
        same(copied, found)
        assert copied.letters() == found.letters()


def test_a_sensitivity_comes_back(scores: pd.DataFrame) -> None:
    schemes = [Standardizer(scheme, unfitted="drop_topic") for scheme in ("raw", "gamma", "z")]
    for test in ("paired_t", "permutation:B=99,seed=3"):
        found = sensitivity(scores, schemes, test=test)
        loaded: Sensitivity = pickle.loads(pickle.dumps(found))
        for table in ("systems", "agreement", "moves", "conclusions"):
            one, other = getattr(loaded, table), getattr(found, table)
            pd.testing.assert_frame_equal(one, other, check_exact=True)
        same(loaded.comparison, found.comparison)
        assert loaded.comparison.letters() == found.comparison.letters()
        assert (loaded.notes, repr(loaded)) == (found.notes, repr(found))
