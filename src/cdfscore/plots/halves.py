"""Random halves of the topics: dRMSE, false positives and rank correlation, a bar per scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.plots.canvas import (
    SMALL,
    TEXT,
    finish,
    new_figure,
    plain,
    settle,
    text_width,
    wrapped,
)
from cdfscore.plots.styles import GREY, styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: What a bar is: the statistic, its number in the summary, and the ends of its line.
_PANELS = {
    "dRMSE, mean": ("drmse", "mean", "percentile_2.5", "percentile_97.5"),
    "false positives (%), 97.5th percentile": (
        *("false_positives", "percentile_97.5", "percentile_97.5_low", "percentile_97.5_high"),
    ),
    "Kendall's tau_b, mean": ("tau", "mean", "percentile_2.5", "percentile_97.5"),
}


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
    >>> figure.axes[0].get_xlabel()
    'dRMSE, mean'
    """
    summary = tables["summary"].set_index(["statistic", "scheme"])
    looks = styles(summary.loc["drmse"].index)
    names, places = [plain(name) for name in looks], range(len(looks))
    width, height = 6.0 + text_width(names), 1.5 + 0.25 * len(looks)
    figure = new_figure(width, height)
    panels = figure.subplots(1, len(_PANELS), squeeze=False, sharey=True)[0]
    for axes, (heading, (statistic, *ends)) in zip(panels, _PANELS.items(), strict=True):
        rates = statistic == "false_positives"
        scale = 100 if rates else 1
        bars = scale * summary.loc[statistic].loc[list(looks)]
        top, low, high = (bars[name] for name in ends)
        axes.barh(places, top, 0.7, color=[look["color"] for look in looks.values()], alpha=0.6)
        axes.hlines(places, low, high, color="black", linewidth=1)
        if rates:
            axes.plot(bars["mean"], places, "o", color="black", markersize=3.5)
        if "collections" in tables:
            observed = tables["collections"].set_index(["statistic", "scheme"])["observed"]
            own = scale * observed.loc[statistic].loc[list(looks)]
            axes.plot(own, places, "D", color="white", markeredgecolor="black", markersize=4)
        finish(axes, xlabel=wrapped(heading, 1.9))
    panels[0].set_yticks(places, names)
    panels[0].invert_yaxis()
    marks = ["lines: 95% of partitions, or 95% interval of the percentile", "points: mean"]
    marks += ["diamonds: the two collections"] * ("collections" in tables)
    figure.supxlabel(wrapped("; ".join(marks), width - 0.4, SMALL), fontsize=SMALL, color=GREY)
    number = f"{len(tables['drmse']):,} random partitions of the topics"
    figure.suptitle(f"{wrapped(title, width - 0.4)}\n{number}", fontsize=TEXT + 1)
    return settle(figure)
