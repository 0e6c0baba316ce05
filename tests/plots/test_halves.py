"""The figure of random halves: every number of the tables is drawn where it belongs."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from cdfscore.experiments.rates import LIMITS
from cdfscore.plots.experiments import halves_figure
from tests.plots.legibility import problems

LABELS = ["raw", "E-std", "cost$ of $x"]


def tables(labels: list[str], *, two: bool) -> dict[str, pd.DataFrame]:
    """Return tables in which no number is there twice."""
    random = np.random.default_rng(3)
    keys = pd.DataFrame([(name, each) for name in LIMITS for each in labels])
    keys.columns = ["statistic", "scheme"]
    ends = ["percentile_2.5", "percentile_50", "mean"]
    ends += ["percentile_97.5_low", "percentile_97.5", "percentile_97.5_high"]
    summary = keys.copy()
    summary[ends] = np.sort(random.uniform(size=(len(keys), len(ends))), axis=1)
    found = {"drmse": pd.DataFrame(np.zeros((1000, len(labels))), columns=labels)}
    found["summary"] = summary.assign(trials=1000)
    if two:
        found["collections"] = keys.assign(observed=random.uniform(size=len(keys)))
    return found


@pytest.mark.parametrize("two", [False, True])
def test_bars_lines_and_points_are_those_of_the_tables(two: bool) -> None:
    given = tables(LABELS, two=two)
    figure = halves_figure(given, "Robust, $AP$")
    assert problems(figure) == []
    summary = given["summary"].set_index(["statistic", "scheme"])
    shown = (("drmse", 1), ("false_positives", 100), ("tau", 1))
    for axes, (statistic, scale) in zip(figure.axes, shown, strict=True):
        lines = scale * summary.loc[statistic].drop(columns="trials")
        rates = statistic == "false_positives"
        top = "percentile_97.5" if rates else "mean"
        assert_allclose([bar.get_width() for bar in axes.patches], lines[top])
        segments = axes.collections[0].get_segments()
        ends = ["percentile_2.5", "percentile_97.5"]
        ends = ["percentile_97.5_low", "percentile_97.5_high"] if rates else ends
        assert_allclose([segment[:, 0] for segment in segments], lines[ends])
        points = {line.get_marker(): line.get_xdata() for line in axes.lines}
        assert points.keys() == {*("o" * rates), *("D" * two)}
        if rates:
            assert_allclose(points["o"], lines["mean"])
        if two:
            own = given["collections"].set_index(["statistic", "scheme"])["observed"]
            assert_allclose(points["D"], scale * own.loc[statistic])
    ticks = figure.axes[0].get_yticklabels()
    assert [tick.get_text().replace(r"\$", "$") for tick in ticks] == ["raw scores", *LABELS[1:]]
    assert figure.axes[0].yaxis_inverted()
    title = "Robust, \\$AP\\$\n1,000 random partitions of the topics"
    assert figure.get_suptitle() == title
    assert ("diamonds" in figure.get_supxlabel()) == two
