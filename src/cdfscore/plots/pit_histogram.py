"""Histogram of the probability integral transform of the scores under a distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cdfscore.diagnosis.histogram import BAND, normal_end
from cdfscore.io.text import counted
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, wrapped
from cdfscore.plots.of_schemes import chosen_scheme
from cdfscore.plots.styles import BLACK, BLUE, GREY
from cdfscore.plots.words import scheme_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from cdfscore.diagnosis import Diagnosis

_WIDTH = 2.9
_ENDS = ("band_low", "band_high")


def plot_pit(result: Diagnosis, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
    """Draw the histogram of the probability integral transform of left-out scores.

    The histogram of a distribution that fits is flat, at the line. Each bin then lies in the gray
    band with probability 95 % if the scores are independent;
    `cdfscore.diagnosis.histogram.sampling_band` states what else changes the bins. A U shape means
    that scores are more spread than predicted, a hump that they are less spread, and a slope that
    they are higher or lower. A scheme that follows the scores, such as empirical, is nearly flat
    in any case and has no band.

    Parameters
    ----------
    result
        A diagnosis.
    ax
        The axes to draw on; those of a new figure if not given.
    scheme
        The scheme; needed if the diagnosis has several.

    Raises
    ------
    PlotError
        For a diagnosis of several schemes without `scheme`, and for one that it does not have.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets, diagnose
    >>> from cdfscore.plots import plot_pit
    >>> found = diagnose(datasets.load_cranfield("ap").iloc[:20], ["normal"], bootstrap=0)
    >>> plot_pit(found).get_title()
    'N-std'
    """
    own = chosen_scheme(result.schemes, scheme, "the diagnosis")
    bins = result.histogram[result.histogram["scheme"] == own]
    with drawn_on(ax, size(result, scheme=scheme)) as axes:
        width = bins["high"] - bins["low"]
        height = bins["proportion"] / bins["expected"]
        axes.bar(bins["low"], height, width, align="edge", color=BLUE, edgecolor="white", lw=0.3)
        axes.axhline(1.0, color=BLACK, linewidth=0.8)
        low, high = (float(bins[end].iloc[0] / bins["expected"].iloc[0]) for end in _ENDS)
        if not math.isnan(low):
            axes.axhspan(low, high, color=GREY, alpha=0.45, linewidth=0, zorder=2)
        finish(
            axes,
            title=wrapped(scheme_label(own), _WIDTH - 0.7),
            xlabel=f"PIT of left-out scores\n{wrapped(_caption(result, bins), _WIDTH, SMALL - 1)}",
            ylabel="proportion / expected",
        )
        axes.xaxis.label.set_fontsize(SMALL - 1)
        axes.set_xlim(0, 1)
    return axes


def size(result: Diagnosis, *, scheme: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    return _WIDTH, 2.7


def _caption(result: Diagnosis, bins: pd.DataFrame) -> str:
    """Return what the gray band is, and how far the end bins of a good fit are from it."""
    if not bins["count"].sum():
        return f"no fit for any of {counted(result.topics, 'topic')}, so no score is predicted"
    scores = f"{round(bins['count'].sum()):,} scores of {counted(result.topics, 'topic')}"
    if bins["band_low"].isna().all():
        return f"{scores}; no band: the fit follows the scores, so bins are nearly flat in any case"
    text = (
        f"{scores}; gray: {BAND:.0%} range of each bin if the fit is right and scores are "
        "independent"
    )
    n = int(result.fits["n"].median())
    higher = normal_end(n, len(bins)) - 1
    if not math.isnan(higher):
        text += f"; with {n} scores the end bins are {higher:.0%} higher if N-std is right"
    return text
