"""Figure 4: tau by the number of standardizing systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.plots.canvas import TEXT, finish, new_figure, settle
from cdfscore.plots.palette import BLUE, GREEN, GREY, ORANGE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_LINES = (
    ("median", "50th percentile (median)", BLUE, "o"),
    ("lowest_95", "95th percentile lowest", GREEN, "s"),
    ("lowest_99", "99th percentile lowest", ORANGE, "^"),
)


def figure_4(table: pd.DataFrame) -> Figure:
    """Draw Figure 4: Kendall's tau between rankings by a sample of systems and by all systems.

    Parameters
    ----------
    table
        The table "figure4" of `figure_tables`: one row per size of the sample.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> taus = {"median": [0.8, 0.9], "lowest_95": [0.7, 0.85], "lowest_99": [0.6, 0.8]}
    >>> others = {"raw_and_standardized": 0.92, "between": 0.74, "constant_policy": "limit"}
    >>> sizes = {"collection": "T03.rob", "systems": 78, "size": [2, 5], "samples": 2000}
    >>> figure_4(pd.DataFrame({**sizes, **taus, **others})).axes[0].get_xlabel()
    'standardizing systems in the sample'
    """
    figure = new_figure(7.2, 4.2)
    axes = figure.subplots()
    first = table.iloc[0]
    for column, label, color, marker in _LINES:
        axes.plot(
            table["size"], table[column], marker=marker, markersize=4, color=color, label=label
        )
    for column, label, style in (
        ("raw_and_standardized", "AP and standardized AP on T03.rob", "--"),
        ("between", "AP on T03.rob and on T04.rob", ":"),
    ):
        axes.axhline(first[column], color=GREY, linestyle=style, label=label)
    axes.set_xscale("log")
    ticks = [2, 5, 10, 20, 50]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    finish(
        axes,
        title=f"Figure 4: {first['samples']:,} samples a size of the {first['systems']} TREC 2003 "
        "Robust systems, 110 TREC 2004 Robust systems\n"
        f"ranked on {first['collection']}; constant topics: {first['constant_policy']}",
        xlabel="standardizing systems in the sample",
        ylabel="Kendall's tau with the ranking by all",
    )
    axes.legend(frameon=False, fontsize=TEXT, loc="lower right", bbox_to_anchor=(1, 0.08))
    return settle(figure)
