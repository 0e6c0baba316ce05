"""The results of an experiment within or between collections: correlations, power, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.plots.canvas import TEXT, finish, new_figure, plain, settle
from cdfscore.plots.densities import STATISTICS, draw_densities
from cdfscore.plots.legends import legend_of_schemes
from cdfscore.plots.rates import ALPHA, RATES, draw_rates
from cdfscore.plots.styles import styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_RAW = "raw"


def experiment_figure(tables: Mapping[str, pd.DataFrame], title: str) -> Figure:
    """Draw the tables of `Within` or `Between`: densities of correlations, and rates by level.

    The correlations of `Within` compare each ranking with the ranking by raw scores; raw scores
    themselves, with correlation 1 in every trial, are omitted. See `draw_densities` and
    `draw_rates`.

    Parameters
    ----------
    tables
        The result of `Within.tables` or `Between.tables`.
    title
        The name of the scores, such as ``"TREC 2004 Robust, AP"``.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Within, run_trials, standardized
    >>> experiment = Within(standardized(datasets.load_cranfield("ap"), {"E-std": "empirical"}))
    >>> figure = experiment_figure(experiment.tables(run_trials(experiment, 5)), "Cranfield")
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['Density', 'Density', 'Density', 'Power']
    """
    rates = {name: words for name, words in RATES.items() if name in tables}
    levels = tables[next(iter(rates))]
    looks = styles(column for column in levels.columns if column != ALPHA)
    between = len(rates) > 1
    drawn = looks if between else {s: look for s, look in looks.items() if s != _RAW}
    figure = new_figure(7.0, 5.0)
    top, bottom = figure.subfigures(2, 1, squeeze=False)[:, 0]
    panels = top.subplots(1, len(STATISTICS), squeeze=False)[0]
    for axes, (name, words) in zip(panels, STATISTICS.items(), strict=True):
        draw_densities(axes, tables[name], drawn)
        finish(axes, xlabel=words, ylabel="Density")
    panels = bottom.subplots(1, len(rates), squeeze=False)[0]
    for axes, (name, words) in zip(panels, rates.items(), strict=True):
        draw_rates(axes, tables[name], looks, expected=name == "type1")
        finish(axes, xlabel=r"Significance level $\alpha$", ylabel=words)
    of_what = "between two samples of topics" if between else "with the ranking by raw scores"
    trials = f"{len(tables['tau']):,} trials, correlations {of_what}"
    figure.suptitle(f"{plain(title)}\n{trials}", fontsize=TEXT + 1)
    legend_of_schemes(figure, looks)
    return settle(figure)
