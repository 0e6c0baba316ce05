"""Systems of two collections on one scale: means, Welch's test beside SciPy, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from cdfscore import Standardizer, datasets
from cdfscore.comparison.adjustment import adjust
from cdfscore.comparison.two_collections import two_collections
from cdfscore.errors import ScoresError

SCORES = datasets.load_cranfield("ap").iloc[:, :20]
FACTORS = Standardizer("normal").fit(SCORES)
FIRST, SECOND = SCORES.iloc[:100, :15], SCORES.iloc[100:, 5:]


@pytest.mark.clause("two_collections.1", "two_collections.2")
def test_numbers_are_those_of_scipy() -> None:
    a, b = FACTORS.standardize(FIRST), FACTORS.standardize(SECOND)
    found = two_collections(a, b)
    table = found.table.set_index("system")
    assert found.in_both == 10
    assert set(table.index) == set(SCORES.columns)
    both = list(FIRST.columns[5:])
    theirs = scipy.stats.ttest_ind(a.scores[both], b.scores[both], equal_var=False)
    np.testing.assert_allclose(table.loc[both, "p_value"], theirs.pvalue, rtol=1e-12)
    np.testing.assert_allclose(table.loc[both, "conf_low"], theirs.confidence_interval().low)
    np.testing.assert_allclose(table.loc[both, "p_adjusted"], adjust(theirs.pvalue, "holm"))
    tau = scipy.stats.kendalltau(table.loc[both, "mean_a"], table.loc[both, "mean_b"])
    assert found.tau_b == pytest.approx(tau.statistic)
    one = FIRST.columns[0]
    assert table.loc[one, "topics_b"] == 0
    assert table["p_value"].isna()[one]
    assert table.loc[one, "mean_a"] == a.means["mean"][one]
    best = table[["mean_a", "mean_b"]].max(axis=1)
    assert (best.diff().dropna() <= 0).all()


def test_intervals_have_the_level_that_is_asked_for() -> None:
    a, b = FACTORS.standardize(FIRST), FACTORS.standardize(SECOND)
    table = two_collections(a, b, conf_level=0.8).table.set_index("system")
    both = list(FIRST.columns[5:])
    theirs = scipy.stats.ttest_ind(a.scores[both], b.scores[both], equal_var=False)
    low, high = theirs.confidence_interval(0.8)
    np.testing.assert_allclose(table.loc[both, "conf_low"], low)
    np.testing.assert_allclose(table.loc[both, "conf_high"], high)


@pytest.mark.filterwarnings("ignore::cdfscore.errors.CdfscoreWarning")
def test_notes_that_both_have_are_told_once() -> None:
    first, second = FIRST.copy(), SECOND.copy()
    first.iloc[3, 2] = second.iloc[3, 2] = np.nan
    factors = Standardizer("normal", missing="omit").fit(SCORES)
    a, b = factors.standardize(first), factors.standardize(second)
    omitted = "1 missing score is omitted"
    assert omitted in a.notes
    assert omitted in b.notes
    found = two_collections(a, b).notes
    assert not any(omitted in note for note in found)
    assert any(note.startswith("of the other collection: 100 topics (1, 2") for note in found)


@pytest.mark.clause("two_collections.1")
def test_topics_in_both_are_no_two_samples() -> None:
    found = two_collections(FACTORS.standardize(FIRST), FACTORS.standardize(SCORES.iloc[99:, 5:]))
    assert found.table["p_value"].isna().all()
    assert "topic 100 is in both collections" in found.notes[-1]


@pytest.mark.clause("two_collections.2")
def test_no_system_in_both() -> None:
    years = FACTORS.standardize(SCORES.iloc[:, :8]), FACTORS.standardize(SCORES.iloc[:, 8:])
    found = two_collections(*years)
    assert found.in_both == 0
    assert np.isnan(found.tau_b)
    assert len(found.table) == 20


@pytest.mark.clause("two_collections.1")
def test_the_same_matrix_is_refused() -> None:
    with pytest.raises(ScoresError, match="both collections have the same 100 topics and 15"):
        two_collections(FACTORS.standardize(FIRST), FACTORS.standardize(FIRST))


@pytest.mark.filterwarnings("ignore::cdfscore.errors.CdfscoreWarning")
def test_a_system_without_a_score_in_one_has_no_rank_and_the_others_no_tau() -> None:
    first, factors = FIRST.copy(), Standardizer("normal", missing="omit").fit(SCORES)
    first.iloc[:, 7] = np.nan
    found = two_collections(factors.standardize(first), factors.standardize(SECOND))
    row = found.table.set_index("system").loc[FIRST.columns[7]]
    assert (row["topics_a"], found.in_both) == (0, 10)
    assert np.isnan([row["mean_a"], row["p_value"], found.tau_b]).all()
