"""Figure 3: comparisons of systems between collections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.papers.urbano2019.figures.grid import Densities, Rates, draw_grid

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_ROWS = (
    Densities("tau", r"$\tau$ between collections"),
    Densities("tauAP", r"$\tau_{\mathrm{ap}}$ between collections"),
    Rates("type1", "Type I error rate", expected=True),
    Rates("power", "power"),
)


def figure_3(results: Mapping[str, Mapping[str, pd.DataFrame]], title: str) -> Figure:
    r"""Draw the comparisons between collections, one column per data set.

    The figure is like Figure 3 of Urbano, Lima and Hanjalic (2019):

    - First row: densities over the trials of Kendall's :math:`\tau` between the rankings of systems
      on two disjoint sets of topics (higher is better). Rugs mark the means.
    - Second row: :math:`\tau_{ap}`.
    - Third row: type I error rate of unpaired t tests of each system with itself, by significance
      level (best on the diagonal).
    - Fourth row: power of unpaired t tests between different systems (higher is better).

    `Densities` and `Rates` describe the panels.

    Parameters
    ----------
    results
        By data set, the title of its column: the frames "tau" and "tauAP" with one row per
        trial and one column per scheme, NaN where undefined, "type1" and "power" with a column
        ``alpha`` and one column per scheme. The columns are the schemes, the same in all
        frames.
    title
        Title of the figure, such as ``"10,000 trials"``.

    Raises
    ------
    FigureError
        If there is no data set, if a frame is missing or contains something other than finite
        numbers and NaN, if a level is not in (0, 1], or if frames have different schemes.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> tau = pd.DataFrame({"raw": [0.71, 0.74, 0.78], "mine": [0.75, 0.76, 0.81]})
    >>> rates = pd.DataFrame({"alpha": [0.01, 0.05], "raw": [0.01, 0.05], "mine": [0.01, 0.05]})
    >>> frames = {"tau": tau, "tauAP": tau, "type1": rates, "power": rates}
    >>> len(figure_3({"robust2004_ap": frames, "terabyte2006_ap": frames}, "3 trials").axes)
    8
    """
    return draw_grid(results, _ROWS, title)
