"""Intervals of means: two overlap if and only if the two systems do not differ."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from cdfscore import Comparison, compare, datasets
from cdfscore.errors import PlotError
from cdfscore.plots import plot_means
from cdfscore.plots.kinds import kind_of, panels
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import Indices, Rows, simultaneous

AP = datasets.load_cranfield("ap").iloc[:, :20]


def intervals(axes: Axes) -> dict[float, tuple[float, float]]:
    """Return the ends of the interval of each system by its place, from the top."""
    found = {}
    for drawn in axes.collections:
        assert isinstance(drawn, LineCollection)
        for path in drawn.get_paths():
            (low, y), (high, _) = np.asarray(path.vertices)
            found[float(y)] = (float(low), float(high))
    return dict(sorted(found.items()))


def differ(found: Comparison, scheme: str) -> set[frozenset[str]]:
    rows = found.table[(found.table["scheme"] == scheme)]
    rows = rows[rows["p_adjusted"] <= found.alpha]
    return set(map(frozenset, zip(rows["system_a"], rows["system_b"], strict=True)))


@pytest.mark.one_in(3)
@pytest.mark.clause("plot_means.1")
@pytest.mark.parametrize("test", ["tukey_hsd", "nemenyi", "tukey_hsd:conf_level=0.5"])
@pytest.mark.parametrize("alpha", [0.2, 0.001])
def test_intervals_overlap_where_systems_do_not_differ(test: str, alpha: float) -> None:
    found = compare(AP, test, scheme=["raw", "empirical"], alpha=alpha)
    for scheme in found.schemes:
        ends = list(intervals(plot_means(found, scheme=scheme)).values())
        ordered = found.best_first(scheme)
        np.testing.assert_allclose(np.mean(ends, axis=1), ordered)
        apart = {
            frozenset({a, b})
            for (a, one), (b, other) in combinations(zip(ordered.index, ends, strict=True), 2)
            if min(one[1], other[1]) < max(one[0], other[0])
        }
        assert apart == differ(found, scheme)
        assert 0 < len(apart) < 190


def test_systems_that_do_not_differ_from_the_best_are_told_and_marked() -> None:
    found = compare(AP, "tukey_hsd")
    axes = plot_means(found)
    best = found.best_first("raw").index[0]
    alike = 19 - sum(best in pair for pair in differ(found, "raw"))
    assert axes.get_title().splitlines()[0] == f"{alike} of 19 not shown to differ from the best"
    filled = [each for each in axes.lines if each.get_markerfacecolor() != "white"]
    (points,) = (each for each in filled if each.get_marker() == "o")
    assert len(points.get_xdata()) == alike + 1


def test_a_best_system_that_differs_from_all_is_told() -> None:
    scores = AP.iloc[:, :3].assign(winner=1.0)
    title = plot_means(compare(scores, "tukey_hsd")).get_title()
    assert "the best of 4 systems differs significantly from all others" in " ".join(title.split())


@pytest.mark.clause("plot_means.1")
@pytest.mark.parametrize("test", ["paired_t", "conover", "max_t"])
def test_another_test_has_no_such_intervals(test: str) -> None:
    with pytest.raises(PlotError, match="expected a comparison by nemenyi or tukey_hsd, or the fi"):
        plot_means(compare(AP.iloc[:, :4], test))


def test_a_test_of_your_own_may_have_such_intervals() -> None:
    @simultaneous(source="own", critical_difference=lambda found, systems, alpha: 0.125 * systems)
    def far_apart(scores: Array, first: Indices, second: Indices) -> Rows:
        """Reject where means are half a unit apart, by 4 systems."""
        estimate = scores.mean(axis=0)[first] - scores.mean(axis=0)[second]
        p = np.where(np.abs(estimate) >= 0.5, 0.01, 0.9)
        return Rows(statistic=estimate, p_value=p, estimate=estimate)

    scores = pd.DataFrame(np.outer([1.0, 1.0, 1.0], [0.1, 0.3, 0.5, 0.8]), columns=list("abcd"))
    found = compare(scores, far_apart)
    assert found.critical_differences == {"raw": 0.5}
    assert "1 of 3 not shown to differ from the best" in plot_means(found).get_title()


def test_a_test_that_is_undefined_is_refused() -> None:
    perfect = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]})
    message = "no pair of systems has a p value by tukey_hsd: the resid"
    with pytest.raises(PlotError, match=message):
        plot_means(compare(perfect, "tukey_hsd"))
    with pytest.raises(PlotError, match=message):
        panels(kind_of("means"), [(compare(perfect, "tukey_hsd"), {})])
