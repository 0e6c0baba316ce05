"""Grid of schemes: how many pairs of systems each two of them decide otherwise."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots.canvas import SMALL, finish, new_figure, plain, settle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cdfscore.comparison.sensitivity import Sensitivity

# Number of characters in a line of a label.
_WIDTH = 16
_OTHERWISE = ["gained", "lost", "reversed"]


def plot_sensitivity(result: Sensitivity) -> Figure:
    """Draw the number of pairs of systems that two schemes decide otherwise, for each two.

    A pair is decided otherwise if it differs by one scheme only, or by both with the means in
    the opposite order. On the diagonal is the number of pairs that differ by the scheme itself.

    Raises `MissingDependencyError` if matplotlib is not installed.
    """
    found = result.comparison
    schemes = list(found.schemes)
    place = {scheme: i for i, scheme in enumerate(schemes)}
    counts = np.zeros((len(schemes), len(schemes)), dtype=np.int64)
    differ = np.zeros(len(schemes), dtype=np.int64)
    table = result.conclusions
    a, b = ([place[scheme] for scheme in table[name]] for name in ("scheme_a", "scheme_b"))
    counts[a, b] = counts[b, a] = table[_OTHERWISE].sum(axis=1)
    differ[a], differ[b] = table["significant_a"], table["significant_b"]
    pairs = int(table["pairs"].iloc[0])
    side = 1.6 + 0.8 * len(schemes)
    figure = new_figure(side, side)
    axes = figure.subplots()
    shown = np.ma.masked_array(counts / pairs, mask=np.eye(len(schemes), dtype=bool))
    axes.imshow(shown, cmap="Greys", vmin=0, vmax=max(0.5, float(shown.max())))
    for i, j in np.ndindex(counts.shape):
        number, italic = (differ[i], "italic") if i == j else (counts[i, j], "normal")
        dark = i != j and shown[i, j] > 0.3
        axes.text(
            j,
            i,
            f"{number:,}",
            ha="center",
            va="center",
            fontsize=SMALL,
            fontstyle=italic,
            color="white" if dark else "black",
        )
    finish(
        axes,
        title=(
            f"Of {pairs:,} pairs, those decided otherwise\n(in italics: those that differ)\n"
            f"{found.test}, {found.adjust}, {found.alpha:g}, {found.topics} topics"
        ),
    )
    labels = [textwrap.fill(plain(re.sub("[:,]", r"\g<0> ", scheme)), _WIDTH) for scheme in schemes]
    axes.set_xticks(range(len(schemes)), labels, rotation=90)
    axes.set_yticks(range(len(schemes)), labels)
    return settle(figure)
