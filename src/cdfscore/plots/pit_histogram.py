"""Histograms of the probability integral transform, one panel per scheme."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from cdfscore.diagnosis.histogram import BAND, normal_end
from cdfscore.plots.canvas import SMALL, finish, new_figure, plain, settle
from cdfscore.plots.palette import BLUE, GREY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cdfscore.diagnosis import Diagnosis

_BAND = ("band_low", "band_high")
_COLUMNS = 3
# Number of characters in a title that fit a panel.
_WIDTH = 30


def plot_pit_histograms(diagnosis: Diagnosis) -> Figure:
    """Draw histograms of the probability integral transform of left-out scores.

    The histogram of a distribution that fits is flat, at the line, and 95 % of bins lie in the
    grey band, each by itself, if scores are independent; see
    `cdfscore.diagnosis.histogram.sampling_band` for what moves it. A U shape means that scores
    are more spread than predicted, a hump that they are less spread, and a slope that they are
    higher or lower.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    columns = min(_COLUMNS, len(diagnosis.schemes))
    rows = math.ceil(len(diagnosis.schemes) / columns)
    figure = new_figure(2.2 * columns, 1.8 * rows)
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    for axes in panels[len(diagnosis.schemes) :]:
        axes.set_axis_off()
    for axes, scheme in zip(panels, diagnosis.schemes, strict=False):
        bins = diagnosis.histogram[diagnosis.histogram["scheme"] == scheme]
        width = bins["high"] - bins["low"]
        height = bins["proportion"] / bins["expected"]
        axes.bar(bins["low"], height, width, align="edge", color=BLUE)
        axes.axhline(1.0, color=GREY, linewidth=0.8)
        band = [float(bins[end].iloc[0] / bins["expected"].iloc[0]) for end in _BAND]
        if not math.isnan(band[0]):
            axes.axhspan(*band, color=GREY, alpha=0.35, linewidth=0, zorder=2)
        finish(axes, title=textwrap.fill(plain(scheme.replace(",", ", ")), _WIDTH))
        axes.title.set_fontsize(SMALL)
        axes.set_xlim(0, 1)
    for axes in panels[: len(diagnosis.schemes)][-columns:]:
        axes.set_xlabel("F of the score left out", fontsize=7)
    for axes in panels[::columns]:
        axes.set_ylabel("proportion / expected", fontsize=7)
    figure.supxlabel(_caption(diagnosis), fontsize=6)
    return settle(figure)


def _caption(diagnosis: Diagnosis) -> str:
    """Return what the band is, and by how much fits to few scores leave it."""
    n = int(diagnosis.fits["n"].median())
    bins = int(diagnosis.histogram["bin"].max())
    text = f"grey: {BAND:.0%} of each bin by itself, if all fits and scores are independent"
    higher = normal_end(n, bins) - 1
    if not math.isnan(higher):
        text += f"; with {n} scores the end bins of a right normal lie {higher:.0%} higher"
    return f"{text}\nno band: flat by construction, as the fit follows the scores"
