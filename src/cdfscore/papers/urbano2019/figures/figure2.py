"""Figure 2: comparisons of systems within a collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.papers.urbano2019.figures.grid import Densities, Rates, draw_grid

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

#: The scheme that the others are correlated with. Its correlation with itself is 1.
_RAW = frozenset({"raw"})
_ROWS = (
    Densities("tau", r"$\tau$, raw and standardized", without=_RAW),
    Densities("tauAP", r"$\tau_{\mathrm{ap}}$, raw and standardized", without=_RAW),
    Rates("power", "power"),
)


def figure_2(results: Mapping[str, Mapping[str, pd.DataFrame]], title: str) -> Figure:
    r"""Draw the comparisons within collections, one column per data set.

    The figure is like Figure 2 of Urbano, Lima and Hanjalic (2019):

    - First row: densities over the trials of Kendall's :math:`\tau` between the rankings of systems
      by raw and by standardized scores. A lower value means that the scheme differs more from raw
      scores. Rugs mark the means.
    - Second row: :math:`\tau_{ap}`.
    - Third row: power of paired t tests by significance level (higher is better).

    The column ``raw`` is omitted from the first two rows, because its correlation with itself is 1.
    `Densities` and `Rates` describe the panels.

    Parameters
    ----------
    results
        By data set, the title of its column: the frames "tau" and "tauAP" with one row per
        trial and one column per scheme, NaN where undefined, and "power" with a column
        ``alpha`` and one column per scheme. The columns are the schemes, the same in all
        frames; raw may be absent from the first two.
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
    >>> tau = pd.DataFrame({"raw": [1.0, 1.0, 1.0], "mine": [0.91, 0.93, 0.94]})
    >>> power = pd.DataFrame({"alpha": [0.01, 0.05], "raw": [0.5, 0.6], "mine": [0.6, 0.7]})
    >>> figure = figure_2({"robust2004_ap": {"tau": tau, "tauAP": tau, "power": power}}, "3 trials")
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['density', 'density', 'power']
    """
    return draw_grid(results, _ROWS, title)
