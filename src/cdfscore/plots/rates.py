"""Rates of rejection by significance level, a line per scheme: power, and type I errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, plain
from cdfscore.plots.styles import Style, legend_below, styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

#: The column of significance levels.
ALPHA = "alpha"
#: The rates of an experiment, by the names of its tables.
RATES = {"power": "Power", "type1": "Type I error rate"}


def plot_rates(result: pd.DataFrame, ax: Axes | None = None, *, rate: str = "power") -> Axes:
    """Draw the proportion of tests with p <= alpha for each significance level and scheme.

    Type I errors are on a logarithmic axis, with a gray diagonal where they are expected.

    Parameters
    ----------
    result
        The table ``power`` or ``type1`` of `Within` or `Between`: a row per level, a column
        ``alpha``, and a column per scheme.
    ax
        The axes to draw on; those of a new figure if not given.
    rate
        The name of the table.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Within, run_trials, standardized
    >>> from cdfscore.plots import plot_rates
    >>> experiment = Within(standardized(datasets.load_cranfield("ap"), {"E-std": "empirical"}))
    >>> plot_rates(experiment.tables(run_trials(experiment, 5))["power"]).get_ylabel()
    'Power'
    """
    looks = styles(column for column in result.columns if column != ALPHA)
    with drawn_on(ax, size(result, rate=rate)) as axes:
        draw_rates(axes, result, looks, expected=rate == "type1")
        finish(axes, xlabel=r"Significance level $\alpha$", ylabel=RATES.get(rate, plain(rate)))
        note = axes.get_legend()
        if note is not None:
            axes.add_artist(note)
        legend_below(axes, axes.lines[-len(looks) :])
    return axes


def size(result: pd.DataFrame, *, rate: str = "power") -> Size:
    """Return the width and height of the figure in inches."""
    return 3.4, 2.4 + 0.13 * (len(result.columns) - 1)


def draw_rates(
    axes: Axes, frame: pd.DataFrame, looks: Mapping[str, Style], *, expected: bool
) -> None:
    """Draw the schemes of a frame that has one row per significance level, each in its look.

    alpha is on a logarithmic axis. With `expected`, the rates are those of true null
    hypotheses: their axis is logarithmic too, and a gray diagonal, rate = alpha, shows the expected
    rates. A rate of 0 cannot be drawn on this axis; its line leaves the panel downwards.
    """
    ordered = frame.sort_values(ALPHA)
    alpha = ordered[ALPHA].to_numpy(dtype=np.float64)
    axes.set_xscale("log")
    # There is no room for more beside each other, nor on the wide axis of a single level.
    _label_ticks(axes.xaxis, fives=1 < alpha[-1] / alpha[0] < 101)
    if expected:
        axes.set_yscale("log", nonpositive="clip")
        _label_ticks(axes.yaxis, fives=True)
        diagonal = axes.plot(
            alpha, alpha, color="0.7", linewidth=2.5, label=r"rate = $\alpha$", zorder=1
        )
        axes.legend(handles=diagonal, fontsize=SMALL, frameon=False)
    # Lines that lie on each other are told apart by markers at different levels.
    stride = len(looks) if len(alpha) > 2 * len(looks) else 1
    for i, (scheme, style) in enumerate(looks.items()):
        rates = ordered[scheme].to_numpy(dtype=np.float64, na_value=np.nan)
        axes.plot(
            alpha,
            rates,
            linewidth=0.9,
            markersize=2.6,
            markevery=(i % stride, stride),
            label=plain(scheme),
            zorder=2,
            **style,
        )


def _label_ticks(axis: Axis, *, fives: bool) -> None:
    """Label a logarithmic axis with 0.001, 0.01, ..., not powers of ten; also 0.005, ... or not."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 5.0) if fives else (1.0,)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_formatter(NullFormatter())
