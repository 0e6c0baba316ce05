"""Raw against standardized ranks: the ranks are those of the means, and the movers are named."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from cdfscore import Standardizer, datasets
from cdfscore.errors import PlotError
from cdfscore.plots import plot_slope
from cdfscore.plots.canvas import BLUE, VERMILION

AP = datasets.load_cranfield("ap")


def lines(axes: Axes) -> set[tuple[float, float]]:
    """Return the ranks at both ends of each line."""
    return {tuple(each.get_ydata()) for each in axes.lines if list(each.get_xdata()) == [0, 1]}  # type: ignore[misc]


def names(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


@pytest.mark.clause("plot_slope.1")
@pytest.mark.parametrize("lower", [False, True])
def test_lines_join_the_ranks_of_the_means(lower: bool) -> None:
    found = Standardizer("normal", lower_is_better=lower).standardize(AP)
    axes = plot_slope(found)
    raw = AP.mean().rank(ascending=lower)
    own = found.means["mean"].rank(ascending=False)
    assert lines(axes) == set(zip(raw, own, strict=True))
    places = (raw - own).abs().sort_values(ascending=False, kind="stable")
    # Ties of the tenth would be more than ten.
    movers = places.index[places > places.iloc[10]]
    assert 0 < len(movers) < 10
    for line in axes.lines:
        ends = list(line.get_ydata())
        if list(line.get_xdata()) == [0, 1] and abs(ends[0] - ends[1]) > places.iloc[10]:
            assert line.get_color() == (BLUE if ends[1] < ends[0] else VERMILION)
            assert (line.get_linestyle() == "-") == (ends[1] < ends[0])
    named = sorted(movers, key=lambda system: own[system])
    assert sorted(names(axes)) == sorted(f"{s}  {raw[s]:g} \u2192 {own[s]:g}" for s in named)
    moved = int((raw != own).sum())
    assert (
        f"{moved} of 67 systems change rank, by up to {places.iloc[0]:g} places" in axes.get_title()
    )
    assert ("negated on every topic" in axes.get_title().replace("\n", " ")) == lower


@pytest.mark.clause("plot_slope.1")
def test_raw_means_are_over_the_scores_that_are_standardized() -> None:
    """A topic that the scheme leaves out for a system would else change its raw rank alone."""
    scores = AP.iloc[:12, :6].copy()
    scores.iloc[:4] = 0.5
    scores.iloc[:4, 0] = 0.5
    scores.iloc[6, 2] = np.nan
    found = Standardizer("normal", constant="nan", missing="omit").standardize(scores)
    raw = scores.iloc[4:].mean().rank(ascending=False)
    own = found.means["mean"].rank(ascending=False)
    assert lines(plot_slope(found)) == set(zip(raw, own, strict=True))


@pytest.mark.clause("plot_slope.1")
def test_all_of_a_few_are_named_and_ties_share_a_rank() -> None:
    scores = AP.iloc[:, :3].assign(twin=AP.iloc[:, 0])
    axes = plot_slope(Standardizer("empirical").standardize(scores))
    assert len(names(axes)) == 4
    assert sum(name.endswith("1.5 \u2192 1.5") for name in names(axes)) in (0, 2)
    assert "no system changes rank" in axes.get_title()


def test_raw_scores_and_a_single_system_are_refused() -> None:
    with pytest.raises(PlotError, match="the scores are raw"):
        plot_slope(Standardizer("raw").standardize(AP))
    scores = pd.DataFrame({"a": [0.1, 0.5], "b": [np.nan, np.nan]})
    found = Standardizer("max", missing="omit").standardize(scores)
    with pytest.raises(PlotError, match="there are 1 systems with a finite mean"):
        plot_slope(found)
