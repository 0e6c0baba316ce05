"""Random halves of the topics: dRMSE, false positives and rank correlation, a bar per scheme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.plots.canvas import SMALL, TEXT, finish, new_figure, plain, settle
from cdfscore.plots.palette import GREY
from cdfscore.plots.styles import styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What a bar is: the statistic, its number in the summary, the ends of its line, and the format.
_PANELS = {
    "dRMSE, mean": ("drmse", "mean", "percentile_2.5", "percentile_97.5", "{:.2f}"),
    "false positives (%), 97.5th percentile": (
        *("false_positives", "percentile_97.5", "percentile_97.5_low", "percentile_97.5_high"),
        "{:.0f}",
    ),
    r"Kendall's $\tau_b$, mean": ("tau", "mean", "percentile_2.5", "percentile_97.5", "{:.2f}"),
}
#: With more schemes there is no room for numbers beside the bars.
_NUMBERED = 3
_LABEL: dict[str, Any] = {"textcoords": "offset points", "fontsize": TEXT}


def halves_figure(tables: Mapping[str, pd.DataFrame], title: str) -> Figure:
    """Draw the tables of `Halves`: a panel for each of three statistics, a bar for each scheme.

    dRMSE and tau_b have bars to the mean over the trials, and lines that contain 95 % of the
    trials. The rate of false positives has bars to its 97.5th percentile, with the 95 % confidence
    interval of the percentile, and points at the mean. These are Figures 5 and 6 of Webber, Moffat
    and Zobel (2008). Of two collections, diamonds show the statistics of the collections as they
    are, as in Figure 7.

    Parameters
    ----------
    tables
        The result of `Halves.tables`.
    title
        The name of the scores, such as ``"TREC 2004 Robust, AP"``.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Halves, run_trials, standardized
    >>> experiment = Halves(standardized(datasets.load_cranfield("ap"), {"N-std": "normal"}))
    >>> figure = halves_figure(experiment.tables(run_trials(experiment, 20)), "Cranfield")
    >>> [axes.get_ylabel() for axes in figure.axes][0]
    'dRMSE, mean'
    """
    summary = tables["summary"].set_index(["statistic", "scheme"])
    looks = styles(summary.loc["drmse"].index)
    figure = new_figure(7.0, 3.2)
    panels = figure.subplots(1, len(_PANELS), squeeze=False)[0]
    for axes, (heading, (statistic, *ends, label)) in zip(panels, _PANELS.items(), strict=True):
        scale = 100 if statistic == "false_positives" else 1
        bars, places = scale * summary.loc[statistic], range(len(looks))
        top, low, high = (bars[name] for name in ends)
        axes.bar(places, top, 0.7, color=[look["color"] for look in looks.values()], alpha=0.6)
        draw_intervals(axes, places, low, high, "")
        if len(looks) <= _NUMBERED:
            draw_values(axes, places, top, label)
            axes.set_xlim(-0.5, len(looks) - 0.1)
        if statistic == "false_positives":
            axes.plot(places, bars["mean"], "o", color="black", markersize=3.5)
        if "collections" in tables:
            observed = tables["collections"].set_index(["statistic", "scheme"])["observed"]
            own = scale * observed.loc[statistic]
            axes.plot(places, own, "D", color="white", markeredgecolor="black", markersize=5)
        axes.set_xticks(places, [plain(name) for name in looks], rotation=30, ha="right")
        finish(axes, ylabel=heading)
    marks = ["lines: 95% of partitions, or 95% interval of the percentile", "points: mean"]
    marks += ["diamonds: the two collections"] * ("collections" in tables)
    figure.supxlabel("; ".join(marks), fontsize=SMALL, color=GREY)
    number = f"{len(tables['drmse']):,} random partitions of the topics"
    figure.suptitle(f"{plain(title)}\n{number}", fontsize=TEXT + 1)
    return settle(figure)


def draw_intervals(
    axes: Axes, places: Iterable[float], low: pd.Series, high: pd.Series, label: str
) -> None:
    """Draw a line from low to high at each place that has both."""
    known = low.notna().to_numpy()
    axes.vlines(
        np.array([*places])[known], low[known], high[known], color="black", linewidth=1, label=label
    )


def draw_values(axes: Axes, places: Iterable[float], tops: pd.Series, label: str) -> None:
    """Write the number of each bar at the right of its top, in the format `label`."""
    for x, y in zip(places, tops, strict=True):
        axes.annotate(label.format(y), (x, y), xytext=(8, 3), **_LABEL)
