"""Densities of a correlation over the trials of an experiment, a line per scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, plain
from cdfscore.plots.styles import Style, legend_below, styles
from cdfscore.schemes.bandwidths import nrd0

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: The correlations of an experiment, by the names of its tables.
STATISTICS = {
    "tau": r"Kendall's $\tau_b$",
    "tauAP": r"$\tau_{\mathrm{ap},b}$",
    "r": "Pearson's r",
}
#: Other statistics of two samples of topics, likewise.
DISTANCES = {"drmse": "dRMSE", "swap_rate": "Swap rate"}
_POINTS = 160
_DECIMALS = 9  # correlations that agree to these are the same except for rounding
# Heights as parts of the panel's: of the marks of means, of a line of the legend in it.
_RUG, _NOTE = 0.07, 0.1


def plot_densities(result: pd.DataFrame, ax: Axes | None = None, *, statistic: str = "tau") -> Axes:
    """Draw the distribution of a statistic over the trials, a line and a mark per scheme.

    Parameters
    ----------
    result
        The table ``tau``, ``tauAP`` or ``r`` of `Within`, `Between` or `Halves`, or ``drmse`` or
        ``swap_rate`` of the last two: a row per trial and a column per scheme.
    ax
        The axes to draw on; those of a new figure if not given.
    statistic
        The name of the table.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Notes
    -----
    See `draw_densities`.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Between, run_trials, standardized
    >>> from cdfscore.plots import plot_densities
    >>> scores = datasets.load_cranfield("ap")
    >>> experiment = Between(standardized(scores, {"E-std": "empirical"}), seed=1)
    >>> tables = experiment.tables(run_trials(experiment, 20))
    >>> plot_densities(tables["tau"]).get_title()
    '20 trials'
    """
    with drawn_on(ax, size(result, statistic=statistic)) as axes:
        draw_densities(axes, result, styles(result.columns))
        note, labels = axes.get_legend(), set(map(plain, result.columns))
        xlabel = (STATISTICS | DISTANCES).get(statistic, plain(statistic))
        finish(axes, title=f"{len(result):,} trials", xlabel=xlabel, ylabel="Density")
        if note is not None:
            axes.add_artist(note)
        legend_below(axes, [line for line in axes.lines if line.get_label() in labels])
    return axes


def size(result: pd.DataFrame, *, statistic: str = "tau") -> Size:
    """Return the width and height of the figure in inches."""
    return 3.4, 2.5 + 0.13 * len(result.columns)


def draw_densities(axes: Axes, frame: pd.DataFrame, looks: Mapping[str, Style]) -> None:
    """Draw the schemes of a frame that has one row per trial, each in its look.

    A Gaussian kernel density of R's default bandwidth, 0.9 min(sd, IQR / 1.34) n^(-1/5)
    (Silverman 1986, eq. 3.31), over the range of the values and 3 bandwidths beyond, as R's
    ``density``. Rugs mark the means. Where all values are equal there is no density, and a
    vertical line stands at the value. Undefined trials, NaN, are omitted, and a legend in the
    panel states their number.
    """
    values = {s: frame[s].to_numpy(dtype=np.float64, na_value=np.nan) for s in looks}
    undefined = {s: n for s, v in values.items() if (n := int(np.isnan(v).sum()))}
    # The legend of the undefined is above all lines.
    share = 1 - min((len(undefined) + 1) * _NOTE, 0.7) if undefined else 1.0
    labelled = {
        s: {k: v for k, v in style.items() if k != "marker"} | {"label": plain(s)}
        for s, style in looks.items()
    }
    for scheme, look in labelled.items():
        defined = values[scheme][~np.isnan(values[scheme])]
        if len(defined):
            _draw_scheme(axes, defined, look, share)
    axes.set_ylim(0, axes.get_ylim()[1] / share)
    if undefined:
        _draw_notes(axes, [(labelled[s], n) for s, n in undefined.items()], len(frame))


def density(values: Array) -> tuple[Array, Array]:
    """Return x and the kernel density at x of values that differ by more than rounding."""
    from scipy.stats import gaussian_kde

    rounded = values.round(_DECIMALS)  # else the last digit could be all of the IQR
    bandwidth = float(nrd0(rounded, np.sort(rounded))[0])
    kernel = gaussian_kde(values, bw_method=bandwidth / float(np.std(values, ddof=1)))
    x = np.linspace(values.min() - 3 * bandwidth, values.max() + 3 * bandwidth, _POINTS)
    return x, kernel(x)


def _draw_scheme(axes: Axes, values: Array, look: Style, share: float) -> None:
    """Draw density and mean; a vertical line takes this proportion of the height."""
    if np.ptp(values.round(_DECIMALS)) > 0:
        axes.plot(*density(values), linewidth=1.0, **look)
    else:
        axes.axvline(values[0], ymax=share, linewidth=1.0, **look)
    rug = look | {"linestyle": "solid", "label": f"{look['label']}, mean", "linewidth": 1.2}
    axes.plot([values.mean()] * 2, [0, _RUG], transform=axes.get_xaxis_transform(), **rug)


def _draw_notes(axes: Axes, undefined: Sequence[tuple[Style, int]], trials: int) -> None:
    from matplotlib.lines import Line2D

    axes.legend(
        [Line2D([], [], linewidth=1.0, **look) for look, _ in undefined],
        [f"{look['label']}: {n:,} undefined" for look, n in undefined],
        title=f"of {trials:,} trials",
        loc="upper center",
        fontsize=SMALL - 1,
        title_fontsize=SMALL - 1,
        labelspacing=0.25,
        frameon=False,
    )
