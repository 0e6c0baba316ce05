"""The critical-difference diagram: every system and every group is in it, where it belongs."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from cdfscore import Comparison, Standardizer, compare, read_scores
from cdfscore.common.text import printable
from cdfscore.errors import SignificanceError
from cdfscore.plots import plot_critical_difference
from cdfscore.plots.canvas import encode_figure
from cdfscore.plots.kinds import kind_of, panels

RNG = np.random.default_rng(3)
SCORES = pd.DataFrame(
    np.clip(np.array([0.7, 0.5, 0.46, 0.3, 0.3]) + RNG.normal(0, 0.1, (20, 5)), 0, 1),
    columns=["QL", "BM25", "cost$ of $x", "LSA", "_tie"],
)
SCORES["_tie"] = SCORES["LSA"]


def leaders(axes: Axes) -> list[float]:
    """Return where the line of each system leaves the axis."""
    return [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "None"]


def bars(axes: Axes) -> list[list[float]]:
    return [list(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def critical(axes: Axes) -> list[float]:
    """Return the ends of the critical difference; none if it is not drawn."""
    return [x for line in axes.lines if line.get_marker() == "|" for x in line.get_xdata()]


@pytest.mark.clause("plot_critical_difference.1")
def test_every_system_is_named_and_leads_to_its_mean() -> None:
    axes = plot_critical_difference(compare(SCORES, "paired_t"))
    means = SCORES.mean().sort_values(ascending=False, kind="stable")
    named = [("QL", "BM25", r"cost\$ of \$x", "LSA", " _tie"), means]
    assert texts(axes)[:5] == [f"{name} {mean:.4f}" for name, mean in zip(*named, strict=True)]
    np.testing.assert_allclose(leaders(axes), means)
    sides = [text.get_horizontalalignment() for text in axes.texts[:5]]
    assert sides == ["left"] * 3 + ["right"] * 2
    assert len({text.xy[1] for text in axes.texts[:5]}) == 3


@pytest.mark.clause("plot_critical_difference.1")
def test_a_bar_for_each_group_with_a_point_for_each_of_its_systems() -> None:
    found = compare(SCORES, "paired_t")
    groups = [group for group in found.groups() if len(group) > 1]
    assert groups == [["BM25", "cost$ of $x"], ["LSA", "_tie"]]
    axes = plot_critical_difference(found)
    expected = [sorted(found.means["raw"][group]) for group in groups]
    assert bars(axes) == expected
    names = [text.xy[1] for text in axes.texts[:5]]
    assert min(names) > len(groups)


@pytest.mark.clause("plot_critical_difference.1")
@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_the_critical_difference_of_demsar(shared_data: Path, alpha: float) -> None:
    """His printed ones of 4 classifiers on 14 data sets; the bar is on the scale of the axis."""
    found = compare(
        read_scores(shared_data / "leaderboards" / "demsar2006_auc.csv"), "nemenyi", alpha=alpha
    )
    axes = plot_critical_difference(found)
    high, low = critical(axes)
    assert high - low == pytest.approx({0.05: 1.25, 0.1: 1.12}[alpha], abs=0.005)
    assert texts(axes)[-1] == f"critical difference {high - low:.4g}"
    assert f"alpha {alpha:g}, 14 tasks" in axes.get_title()
    np.testing.assert_allclose(leaders(axes), sorted(found.mean_ranks["raw"]))  # type: ignore[index]
    left, right = axes.get_xlim()  # 1, the best rank, is at the right
    assert left > high
    assert low > right


@pytest.mark.parametrize(
    ("test", "says"),
    [
        ("paired_t", "pairs are tested separately, with Holm's correction: no critical difference"),
        ("max_t", "no critical difference common to all pairs"),
    ],
)
def test_tests_without_a_critical_difference_say_so(test: str, says: str) -> None:
    axes = plot_critical_difference(compare(SCORES, test))
    assert critical(axes) == []
    assert texts(axes)[-1] == says


def test_axes_of_ranks_and_of_reversed_scores_say_so() -> None:
    def label(found: Comparison) -> str:
        return plot_critical_difference(found).get_xlabel()

    assert label(compare(SCORES, "tukey_hsd")) == "Mean score (higher is better)"
    assert label(compare(SCORES, "conover")) == "Mean rank within topics (1 is the best)"
    lower = Standardizer("raw", lower_is_better=True)
    found = compare(SCORES, "tukey_hsd", scheme=lower)
    assert label(found) == "Mean score, negated on every topic (higher is better)"
    assert leaders(plot_critical_difference(found))[0] == pytest.approx(-SCORES["LSA"].mean())


@pytest.mark.clause("plot_critical_difference.1")
def test_of_more_than_30_systems_the_best_are_drawn_with_their_groups() -> None:
    wide = pd.DataFrame(RNG.uniform(size=(40, 45)) + np.arange(45) / 30)
    wide.columns = wide.columns.map("s{}".format)
    found = compare(wide, "wilcoxon_signed_rank")
    axes = plot_critical_difference(found)
    assert axes.get_title().startswith("The 30 best of 45 systems\n")
    best = found.best_first("raw").iloc[:30]
    np.testing.assert_allclose(leaders(axes), best)
    drawn = [{*best.index[np.isin(best, own)]} for own in bars(axes)]
    assert len(drawn) > 1
    for group in drawn:
        assert any(group <= {*own} for own in found.groups())
        assert not any(group < other for other in drawn)


def test_of_more_groups_than_lines_have_room_fewer_systems_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = compare(SCORES, "paired_t")
    best = list(found.best_first("raw").index)
    pairs = [best[:2]] * 40
    for groups, systems, drawn in ((pairs, 5, 40), ([*pairs, best[3:]], 4, 1)):
        monkeypatch.setattr(Comparison, "groups", lambda *_, own=groups: own)
        axes = plot_critical_difference(found)
        assert (len(leaders(axes)), len(bars(axes))) == (systems, drawn)
        assert axes.get_title().startswith(f"The {systems} best of 5") == (systems < 5)


def test_baselines_and_one_sided_tests_have_no_diagram() -> None:
    for found in (
        compare(SCORES, "paired_t", baselines="QL"),
        compare(SCORES, "paired_t:alternative=less"),
    ):
        with pytest.raises(SignificanceError, match="letters and diagrams"):
            plot_critical_difference(found)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("label", ["a\x1bb", "a\x00b", "a\nb", "a\x0cb", "a\u2028b", "--><b>"])
def test_control_characters_are_escaped(label: str) -> None:
    found = compare(SCORES[["QL", "LSA"]].rename(columns={"QL": label}), "paired_t")
    axes = plot_critical_difference(found)
    assert texts(axes)[0].startswith(f"{printable(label)} 0.")
    figure = panels(kind_of("critical_difference"), [(found, {})])
    ElementTree.fromstring(encode_figure(figure, Path("a.svg")))
    assert encode_figure(figure, Path("a.pdf")).startswith(b"%PDF")
