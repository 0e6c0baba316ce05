"""Panels of rates of rejection by significance level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.papers.urbano2019.figures.results import ALPHA, check_alphas
from cdfscore.plots.canvas import SMALL, plain
from cdfscore.plots.styles import Style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis


@dataclass(frozen=True)
class Rates:
    """Row of panels: the proportion of tests with p <= alpha, one line per scheme.

    alpha is on a logarithmic axis. With `expected`, the rates are those of true null
    hypotheses: their axis is logarithmic too, and a grey diagonal, rate = alpha, is where
    they are expected. A rate of 0 has no place there, and its line leaves the panel downwards.
    """

    statistic: str
    ylabel: str
    expected: bool = False
    xlabel: str = r"significance level $\alpha$"

    def schemes(self, where: str, frame: pd.DataFrame) -> list[str]:
        """Return the columns to draw; raise `FigureError` unless there are levels as well."""
        check_alphas(where, frame)
        return [column for column in frame.columns if column != ALPHA]

    def draw(self, axes: Axes, frame: pd.DataFrame, styles: Mapping[str, Style]) -> None:
        """Draw the schemes of a frame that has one row per significance level."""
        ordered = frame.sort_values(ALPHA)
        alpha = ordered[ALPHA].to_numpy(dtype=np.float64)
        axes.set_xscale("log")
        # There is no room for more beside each other, nor on the wide axis of a single level.
        _label_ticks(axes.xaxis, fives=1 < alpha[-1] / alpha[0] < 101)
        if self.expected:
            axes.set_yscale("log", nonpositive="clip")
            _label_ticks(axes.yaxis, fives=True)
            diagonal = axes.plot(
                alpha, alpha, color="0.7", linewidth=2.5, label=r"rate = $\alpha$", zorder=1
            )
            axes.legend(handles=diagonal, fontsize=SMALL, frameon=False)
        # Lines that lie on each other are told apart by markers at different levels.
        stride = len(styles) if len(alpha) > 2 * len(styles) else 1
        for i, (scheme, style) in enumerate(styles.items()):
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
