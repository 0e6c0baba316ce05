"""The p value against the difference of ranks: points of pairs, and their medians."""

from statistics import median

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from cdfscore import compare, datasets
from cdfscore.plots import plot_rank_gap
from cdfscore.plots.comparison import _finding

AP = datasets.load_cranfield("ap").iloc[:, :20]


def points(axes: Axes) -> list[tuple[float, float]]:
    found = [line.get_xydata() for line in axes.lines if line.get_marker() in ("o", "D")]
    return [(float(x), float(y)) for x, y in np.concatenate(found)]


def medians(axes: Axes) -> dict[float, float]:
    (line,) = (each for each in axes.lines if each.get_label() == "median p value")
    return {float(x): float(y) for x, y in np.asarray(line.get_xydata())}


@pytest.mark.long
@pytest.mark.clause("plot_rank_gap.1")
def test_a_point_for_each_pair_and_the_median_of_each_gap() -> None:
    found = compare(AP, "paired_t")
    axes = plot_rank_gap(found)
    rank = AP.mean().rank(ascending=False)
    expected = [
        (abs(rank[a] - rank[b]), max(p, 1e-16))
        for a, b, p in found.table[["system_a", "system_b", "p_adjusted"]].itertuples(index=False)
    ]
    assert sorted(points(axes)) == sorted(expected)
    own = {gap: median(p for x, p in expected if x == gap) for gap in range(1, 20)}
    assert medians(axes) == own
    (alpha,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert set(alpha.get_ydata()) == {0.05}
    first = min(g for g in own if all(own[k] <= 0.05 for k in own if k >= g))
    title = " ".join(axes.get_title().split())
    assert f"from {first} ranks apart, half or more pairs differ significantly" in title


@pytest.mark.parametrize("systems", [12, 67])
def test_the_legend_tells_the_pairs_that_differ_from_those_that_do_not(systems: int) -> None:
    found = compare(datasets.load_cranfield("ap").iloc[:, :systems], "paired_t", alpha=0.01)
    axes = plot_rank_gap(found)
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


@pytest.mark.clause("plot_rank_gap.1")
def test_half_ranks_of_ties_count_as_the_next() -> None:
    scores = pd.DataFrame({"a": [0.5, 0.7, 0.6], "b": [0.7, 0.5, 0.6], "c": [0.1, 0.1, 0.2]})
    axes = plot_rank_gap(compare(scores, "paired_t"))
    assert sorted(x for x, _ in points(axes)) == [0, 1.5, 1.5]
    assert set(medians(axes)) == {0, 2}


def test_pairs_that_never_differ_are_told() -> None:
    axes = plot_rank_gap(compare(AP.iloc[:3], "sign"))
    assert axes.get_title().splitlines()[1] == "no significant difference found"
    assert axes.get_ylabel() == "p value after Holm's correction"
    assert plot_rank_gap(compare(AP, "tukey_hsd")).get_ylabel() == "p value"


@pytest.mark.parametrize(
    ("differ", "told"),
    [
        ("01 01 0", "at the largest difference of ranks, fewer than half differ significantly"),
        ("00 01 1", "from 2 ranks apart, half or more pairs differ significantly"),
        ("01 01 1", "from 1 rank apart, half or more pairs differ significantly"),
        ("11 00 1", "from 3 ranks apart, half or more pairs differ significantly"),
        ("00 00 0", "no significant difference found"),
    ],
)
def test_the_title_is_of_the_largest_differences_on(differ: str, told: str) -> None:
    """Two pairs are 1 rank apart, two are 2 and one is 3."""
    values = np.array([letter == "1" for letter in differ.replace(" ", "")])
    assert _finding(np.array([1.0, 1.0, 2.0, 1.5, 3.0]), values) == told
