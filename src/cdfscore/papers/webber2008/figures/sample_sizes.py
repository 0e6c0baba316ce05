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
        The table "figure4" of `figure_tables`: one row per collection and size of the sample.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> taus = {"median": [0.8, 0.9], "lowest_95": [0.7, 0.85], "lowest_99": [0.6, 0.8]}
    >>> others = {"raw_and_standardized": 0.91, "between": 0.77, "constant_policy": "limit"}
    >>> sizes = {"collection": "T7.adh", "systems": 103, "size": [2, 5], "samples": 2000}
    >>> figure_4(pd.DataFrame({**sizes, **taus, **others})).axes[0].get_title()
    'T7.adh: samples of its 103 systems'
    """
    names = list(table["collection"].unique())
    figure = new_figure(7.2, 4.2)
    panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, names, strict=True):
        lines = table[table["collection"] == name]
        for column, label, color, marker in _LINES:
            axes.plot(
                lines["size"], lines[column], marker=marker, markersize=4, color=color, label=label
            )
        for column, label, style in (
            ("raw_and_standardized", "AP and standardized AP", "--"),
            ("between", "AP on T7.adh and on T8.adh", ":"),
        ):
            axes.axhline(lines[column].iloc[0], color=GREY, linestyle=style, label=label)
        axes.set_xscale("log")
        ticks = [2, 5, 10, 20, 50, 100]
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        finish(
            axes,
            title=f"{name}: samples of its {lines['systems'].iloc[0]} systems",
            xlabel="standardizing systems in the sample",
            ylabel="Kendall's tau with the ranking by all" if axes is panels[0] else "",
        )
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=TEXT
    )
    samples, constant = table[["samples", "constant_policy"]].iloc[0]
    figure.suptitle(
        f"Figure 4: {samples:,} samples a size, 110 TREC 2004 Robust systems ranked; "
        f"constant topics: {constant}\n"
        "(the paper samples the 78 TREC 2003 Robust systems; their runs are not public)",
        fontsize=TEXT + 1,
    )
    return settle(figure)
