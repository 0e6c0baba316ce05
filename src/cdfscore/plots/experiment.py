"""The results of an experiment within or between collections: correlations, power, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.plots.canvas import TEXT, finish, new_figure, plain, settle
from cdfscore.plots.densities import DISTANCES, STATISTICS, draw_densities
from cdfscore.plots.rates import ALPHA, RATES, draw_rates
from cdfscore.plots.styles import legend_of_schemes, styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_RAW = "raw"


def experiment_figure(tables: Mapping[str, pd.DataFrame], title: str) -> Figure:
    """Draw the tables of `Within` or `Between`: densities of statistics, and rates by level.

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
    rows = [STATISTICS, *([DISTANCES] if between else []), rates]
    figure = new_figure(7.0, 2.5 * len(rows))
    for row, part in zip(rows, figure.subfigures(len(rows), 1, squeeze=False)[:, 0], strict=True):
        panels = part.subplots(1, len(row), squeeze=False)[0]
        for axes, (name, words) in zip(panels, row.items(), strict=True):
            if name in rates:
                draw_rates(axes, tables[name], looks, expected=name == "type1")
                finish(axes, xlabel=r"Significance level $\alpha$", ylabel=words)
            else:
                draw_densities(axes, tables[name], drawn)
                finish(axes, xlabel=words, ylabel="Density")
    of_what = "between two samples of topics" if between else "with the ranking by raw scores"
    what = "statistics" if between else "correlations"
    trials = f"{len(tables['tau']):,} trials, {what} {of_what}"
    figure.suptitle(f"{plain(title)}\n{trials}", fontsize=TEXT + 1)
    legend_of_schemes(figure, looks)
    return settle(figure)
