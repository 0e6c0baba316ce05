"""Figures of pairs are of two-sided tests of a difference, and say what is missing."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, datasets
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.diagnosis import diagnose
from cdfscore.errors import CdfscoreError, PlotError
from cdfscore.plots import plot_dkw, plot_mapping, plot_volcano

AP = datasets.load_cranfield("ap").iloc[:40, :6]


@pytest.mark.clause("plot_volcano.1")
@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("equivalence_t:margin=0.05", "need a test of a difference.*expected a test"),
        ("kendall", "need a test of a difference.*expected a test"),
        ("paired_t:alternative=less", "need a two-sided test.*expected the settings"),
        ("paired_t:null_value=0.1", "need a two-sided test.*expected the settings"),
        ("friedman", "expected a test of pairs, such as nemenyi"),
    ],
)
def test_pairs_that_do_not_differ_are_not_drawn_as_such(test: str, message: str) -> None:
    with pytest.raises(CdfscoreError, match=message):
        plot_volcano(compare(AP, test))


@pytest.mark.parametrize("systems", [12, 67])
def test_the_legend_tells_the_pairs_that_differ_from_those_that_do_not(systems: int) -> None:
    found = compare(datasets.load_cranfield("ap").iloc[:, :systems], "paired_t", alpha=0.01)
    axes = plot_volcano(found)
    legend = axes.get_legend()
    assert legend is not None
    looks = {line.get_label(): (line.get_color(), line.get_marker()) for line in legend.get_lines()}
    for label, own in (("p > 0.01", lambda p: p > 0.01), ("p \u2264 0.01", lambda p: p <= 0.01)):
        (points,) = (
            line for line in axes.lines if (line.get_color(), line.get_marker()) == looks[label]
        )
        p = np.asarray(points.get_ydata(), dtype=float)
        assert len(p) == own(found.table["p_adjusted"]).sum() > 0
        assert own(p).all()


@pytest.mark.clause("plot_volcano.1")
@pytest.mark.parametrize("test", ["wilcoxon_signed_rank", "mann_whitney", "sign"])
def test_a_test_without_a_difference_has_that_of_the_means(test: str) -> None:
    found = compare(AP, test)
    axes = plot_volcano(found)
    x = np.concatenate([np.asarray(line.get_xdata()) for line in axes.lines[:2]])
    means = AP.mean()
    expected = [means[a] - means[b] for a, b in found.table[["system_a", "system_b"]].to_numpy()]
    np.testing.assert_allclose(sorted(x.astype(float)), sorted(expected), atol=1e-15)
    label = "A minus B in mean average precision\n(A is before B in the scores)"
    assert axes.get_xlabel() == label


@pytest.mark.clause("plot_volcano.1")
@pytest.mark.parametrize("test", ["paired_t", "sign", "nemenyi", "dunnett", "welch_t"])
@pytest.mark.parametrize("baseline", [None, "low", "high"])
def test_the_axis_says_which_minus_which(test: str, baseline: str | None) -> None:
    """A point is at the right if A, which the axis names, has the higher mean; also of ranks."""
    if (test, baseline) in {("dunnett", None), ("nemenyi", "low"), ("nemenyi", "high")}:
        return
    two = pd.DataFrame({"low": AP.iloc[:, 0], "high": AP.iloc[:, 0] + 0.1 * AP.iloc[:, 1]})
    axes = plot_volcano(compare(two, test, baselines=baseline or ()))
    told = "B is the baseline" if baseline else "A is before B in the scores"
    assert axes.get_xlabel().endswith(f"({told})")
    x = np.concatenate([line.get_xdata() for line in axes.lines[:2]])
    assert (x > 0).tolist() == [baseline == "low"]


@pytest.mark.clause("plot_volcano.1")
@pytest.mark.parametrize("test", ["welch_t", "mann_whitney"])
def test_of_two_collections_the_axis_is_the_first_minus_the_second(test: str) -> None:
    low, high = AP.iloc[:20] / 2, AP.iloc[20:]
    parts = [Standardizer("raw").standardize(each) for each in (low, high)]
    axes = plot_volcano(compare_collections(*parts, test))
    assert axes.get_xlabel().endswith("(A is of the first collection)")
    x = np.sort(np.concatenate([line.get_xdata() for line in axes.lines[:2]]))
    expected = np.subtract.outer(*(each.frame_of_means["mean"].to_numpy() for each in parts))
    np.testing.assert_allclose(x, np.sort(expected.ravel()), atol=1e-15)


@pytest.mark.clause("plot_volcano.1")
def test_each_pair_has_its_difference_and_its_adjusted_p_value() -> None:
    found = compare(AP, "paired_t", adjust="holm")
    points = np.concatenate([line.get_xydata() for line in plot_volcano(found).lines[:2]])
    rows = found.table[["estimate", "p_adjusted"]].to_numpy()
    np.testing.assert_allclose(sorted(points.tolist()), sorted(rows.tolist()))


@pytest.mark.clause("plot_dkw.1")
def test_a_constant_topic_is_no_topic_with_the_worst_fit() -> None:
    scores = AP.copy()
    scores.iloc[7] = 0.3
    found = Standardizer("empirical").standardize(scores)
    assert scores.index[7] not in plot_dkw(found).get_title()
    without = Standardizer("normal", constant="nan").standardize(scores)
    for topic in (None, scores.index[7]):
        if topic is None:
            assert "-1.000" not in plot_dkw(without).get_title()
        else:
            with pytest.raises(PlotError, match="has no fitted cdf under its policies"):
                plot_dkw(without, topic=str(topic))
    with pytest.raises(PlotError, match="no topic has a fitted cdf"):
        plot_dkw(Standardizer("normal").standardize(scores.iloc[[7]]))


def test_lines_of_a_mapping_fall_where_lower_is_better() -> None:
    x = pd.DataFrame([[1.0, 2.0, 4.0]], index=["t"], columns=list("abc"))
    axes = plot_mapping(Standardizer("normal", lower_is_better=True).fit(x))
    (line,) = axes.lines
    at, y = line.get_data()
    assert (np.diff(y) <= 0).all()
    assert np.interp(7 / 3, at, y) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.clause("plot_pit.1")
def test_a_scheme_that_predicts_no_score_says_so_beside_others() -> None:
    found = diagnose(AP.iloc[:5], ["normal", "beta_binomial:size=3"], bootstrap=0)
    first, second = found.plot().axes
    assert "gray: 95%" in first.get_xlabel().replace("\n", " ")
    assert "no fit for any of 5 topics, so no score is predicted" in second.get_xlabel().replace(
        "\n", " "
    )
