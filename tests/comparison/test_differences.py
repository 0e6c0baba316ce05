"""Tests on a matrix of scores, before they are a table."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, compare, datasets
from cdfscore.comparison.differences import differences
from cdfscore.numerics.multiples import tied
from cdfscore.numerics.types import Array
from cdfscore.significance.contract import Rows, all_systems

SCORES = datasets.load_cranfield("ap").iloc[:10, :4]
MAXIMUM = float(SCORES.to_numpy().max())


@all_systems(source="none")
def largest(scores: Array, *, times: float = 1.0) -> Rows:
    """Return a multiple of the largest score."""
    return Rows(statistic=times * scores.max(axis=(-2, -1)), p_value=1.0)


def test_a_test_of_all_systems_has_the_settings_that_are_given() -> None:
    raw = Standardizer("raw").fit(SCORES).standardize(SCORES)
    for settings in ({}, {"times": 3.0}):
        found = differences(raw, largest.chosen(settings), None, "")
        assert found.result.statistic.tolist() == [settings.get("times", 1.0) * MAXIMUM]
        assert found.labels == ["all systems"]
        assert np.isnan(list(found.effects.values())).all()


def test_differences_are_no_other_ones() -> None:
    raw = Standardizer("raw").fit(SCORES).standardize(SCORES)
    found = differences(raw, largest.chosen({}), None, "")
    assert len({found, found, replace(found)}) == 2


RANKS_TOPICS = ["mann_whitney", "kolmogorov_smirnov", "kendall", "spearman"]


@pytest.mark.clause("compare.7")
@given(
    seed=st.integers(0, 2**32),
    scheme=st.sampled_from(["normal", "uniform", "z", "kernel", "minmax"]),
    test=st.sampled_from(RANKS_TOPICS),
)
def test_two_systems_have_two_standardized_scores(seed: int, scheme: str, test: str) -> None:
    rng = np.random.default_rng(seed)
    scores = pd.DataFrame(rng.random((12, 2)) * 10.0 ** rng.integers(-3, 4, (12, 1)))
    scores.columns = pd.Index(["a", "b"])
    higher = (scores.rank(axis=1) - 1).set_axis(scores.index)
    found, expected = compare(scores, test, scheme=scheme), compare(higher, test)
    ends = ["statistic", "p_value", "p_adjusted", "effect_size", "effect_low", "effect_high"]
    pd.testing.assert_frame_equal(found.table[ends], expected.table[ends], rtol=1e-12)


@pytest.mark.clause("compare.7")
def test_scores_within_rounding_errors_are_told() -> None:
    scores = datasets.load_cranfield("ap").iloc[:25, :2]
    told = "44 standardized scores are equal to others but for rounding errors, and count as tied"
    assert told in compare(scores, "kendall", scheme="normal").notes
    assert told in compare(scores, "welch_t", scheme="normal", effect="rank_biserial").notes
    for test, scheme in [("kendall", "raw"), ("kendall", "empirical"), ("welch_t", "normal")]:
        assert not any(
            "count as tied" in note for note in compare(scores, test, scheme=scheme).notes
        )


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("test", ["kendall", "spearman", "mann_whitney", "kolmogorov_smirnov"])
def test_distinct_scores_are_not_tied(test: str) -> None:
    scores = datasets.load_cranfield("ap")
    normal = Standardizer("normal", constant="drop_topic")
    pair = scores[["bm25_keepstop", "poor_longest_first"]]
    # Of five reference systems, hundreds of scores are below 1e-13.
    y = normal.standardize(pair, scores.iloc[:, :5]).scores
    y = y.where(y > 2.0**-1000, 0.0)
    assert ((y > 0) & (y < 1e-13)).to_numpy().sum() > 50
    found = compare(pair, test, scheme=normal, reference=scores.iloc[:, :5]).table
    expected = compare(y, test, scheme="raw").table
    assert found["p_value"].item() == pytest.approx(expected["p_value"].item(), rel=1e-9)


@pytest.mark.clause("compare.7")
def test_a_topic_of_another_size_ties_no_others() -> None:
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(rng.random((20, 8)), columns=list("abcdefgh"))
    scores.iloc[0, 2:] = [0.3, 0.3, 0.1 + 0.2, 0.3, 0.3, 0.3]
    pair, reference = scores[["a", "b"]], scores.iloc[:, 2:]
    y = Standardizer("z").standardize(pair, reference).scores
    assert y.abs().to_numpy().max() > 1e15
    found = compare(pair, "kendall", scheme="z", reference=reference).table
    assert found["p_value"].item() == compare(y, "kendall").table["p_value"].item()


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("scheme", ["z", "centered"])
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_a_constant_topic_breaks_no_tie(scheme: str, test: str) -> None:
    # A system at the mean of the others on each topic, and two constant topics.
    rng = np.random.default_rng(8)
    ends = np.round(rng.random((12, 2)), 1)
    x = np.column_stack([ends, ends.mean(axis=1)])
    x = np.array([rng.permutation(row) for row in x])
    scores = pd.DataFrame(np.vstack([x, [[0.3] * 3, [0.1] * 3]]), columns=list("abc"))
    y = Standardizer(scheme).standardize(scores).scores
    expected = compare(y.round(11) + 0.0, test).table["p_value"]
    for order in (slice(None), slice(None, None, -1)):
        found = compare(scores.iloc[order].reset_index(drop=True), test, scheme=scheme).table
        np.testing.assert_allclose(found["p_value"], expected, rtol=1e-12)


@pytest.mark.clause("compare.7")
def test_a_constant_topic_ties_with_others_in_any_order() -> None:
    y = np.array([[0, 0, 0], [-1e-17, 1, -1], [1e-17, 1, -1], [0, 1, -1]])
    sizes = np.repeat([[0.0], [1], [1], [1]], 3, axis=1)
    for order in itertools.permutations(range(4)):
        assert len(np.unique(tied(y[list(order)], sizes[list(order)]))) == 3


@pytest.mark.clause("compare.7")
@pytest.mark.parametrize("offset", [0.0, 2.0**20, -(2.0**28)])
@pytest.mark.parametrize("scheme", ["z", "centered", "normal", "minmax"])
@pytest.mark.parametrize("test", RANKS_TOPICS)
def test_systems_at_the_mean_of_the_reference_tie(test: str, scheme: str, offset: float) -> None:
    # On most topics both systems are at the mean, of references that differ; half are far from 0.
    rng = np.random.default_rng(5)
    widths, k = rng.integers(1, 1000, (12, 1)), np.array([-3, -2, -1, 1, 5])
    centres = (
        rng.integers(1, 1000, (12, 1)) / 1024 + np.where(np.arange(12) % 2, offset, 0)[:, None]
    )
    reference = pd.DataFrame(centres + widths * k / 7e3, columns=list("vwxyz"))
    steps = np.zeros((12, 2))
    steps[:4] = [[1, 0], [-1, 1], [2, -1], [-2, 2]]
    pair = pd.DataFrame(centres + widths * steps / 7e3, columns=["a", "b"])
    found = compare(pair, test, scheme=scheme, reference=reference).table
    if scheme == "centered":
        steps *= widths
    expected = compare(pd.DataFrame(steps, columns=["a", "b"]), test).table
    assert found["p_value"].item() == pytest.approx(expected["p_value"].item(), rel=1e-9)
