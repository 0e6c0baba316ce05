"""Figures 1 to 4: scores of the TREC 8 AdHoc systems, and samples of systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.plots.canvas import SMALL, TEXT, finish, new_figure, settle
from cdfscore.plots.palette import BLUE, GREEN, GREY, ORANGE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINES = (
    ("median", "50th percentile (median)", BLUE, "o"),
    ("lowest_95", "95th percentile lowest", GREEN, "s"),
    ("lowest_99", "99th percentile lowest", ORANGE, "^"),
)


def figure_1(scores: pd.DataFrame) -> Figure:
    """Draw Figure 1: the matrix of scores, in shades of gray.

    Parameters
    ----------
    scores
        The table "figure1" of `figure_tables`: a column ``system``, and one column per topic with
        scores from 0 (black) to 1 (white). There is one row per system.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"system": ["a", "b"], "401": [0.1, 0.4], "402": [0.9, 0.6]})
    >>> figure_1(scores).axes[0].get_title()
    'Figure 1: AP of TREC 8 AdHoc runs'
    """
    matrix = scores.set_index("system")
    figure = new_figure(4.6, 7.2)
    axes = figure.subplots()
    image = axes.imshow(
        matrix.to_numpy(), cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="none"
    )
    topics = [i for i, topic in enumerate(matrix.columns) if int(topic) % 10 == 0]
    axes.set_xticks(topics, [str(matrix.columns[i]) for i in topics])
    systems = [0, *range(19, len(matrix), 20)]
    axes.set_yticks(systems, [str(matrix.index[i]) for i in systems])
    finish(
        axes,
        title="Figure 1: AP of TREC 8 AdHoc runs",
        xlabel="topic",
        ylabel="system, in the order of the published file (run1, run2, ...)\n"
        "(the paper orders the systems by name; the file has no names)",
    )
    bar = figure.colorbar(image, ax=axes, fraction=0.05)
    bar.set_label("AP", fontsize=TEXT)
    bar.ax.tick_params(labelsize=SMALL, width=0.5, length=2.5, pad=2)
    return settle(figure)


def figure_2(systems: pd.DataFrame) -> Figure:
    """Draw Figure 2: means of systems with 95 % confidence intervals, by rank.

    Parameters
    ----------
    systems
        The table "figure2" of `figure_tables`: the columns ``rank``, ``mean``, ``conf_low`` and
        ``conf_high``, with one row per system.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> ends = {"conf_low": [0.3, 0.1], "conf_high": [0.5, 0.3]}
    >>> figure_2(pd.DataFrame({"rank": [1, 2], "mean": [0.4, 0.2], **ends})).axes[0].get_title()
    'Figure 2: mean AP of TREC 8 AdHoc systems'
    """
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    axes.vlines(
        systems["rank"], systems["conf_low"], systems["conf_high"], color=BLUE, linewidth=1.2
    )
    axes.plot(systems["rank"], systems["mean"], "o", color="black", markersize=2.2, label="mean")
    axes.plot([], [], color=BLUE, label="95% t interval")
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.set_xlim(0, len(systems) + 1)
    finish(
        axes,
        title="Figure 2: mean AP of TREC 8 AdHoc systems",
        xlabel="system, by rank of mean AP",
        ylabel="mean AP",
    )
    axes.legend(frameon=False, fontsize=TEXT)
    return settle(figure)


def figure_3(shares: pd.DataFrame, quartiles: pd.DataFrame) -> Figure:
    """Draw Figure 3: distributions of raw and standardized scores, with their quartiles.

    Parameters
    ----------
    shares
        The table "figure3" of `figure_tables`: the ends ``from`` and ``to`` of each bin, and the
        proportions ``AP`` and ``sAP`` (standardized AP) of the scores in it.
    quartiles
        The table "figure3_quartiles": the columns ``percentile``, ``AP`` and ``sAP``.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> bins = {"from": [0.0, 0.5], "to": [0.5, 1.0]}
    >>> shares = pd.DataFrame({**bins, "AP": [0.8, 0.2], "sAP": [0.5, 0.5]})
    >>> quartiles = pd.DataFrame({"percentile": [50], "AP": [0.2], "sAP": [0.5]})
    >>> [axes.get_title() for axes in figure_3(shares, quartiles).axes]
    ['AP', 'standardized AP']
    """
    figure = new_figure(6.4, 4.0)
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    top = 100 * shares[["AP", "sAP"]].to_numpy().max()
    _draw_shares(left, shares, "AP", ORANGE)
    _draw_shares(right, shares, "sAP", BLUE)
    _draw_quartiles(left, quartiles["percentile"], quartiles["AP"], top)
    _draw_quartiles(right, quartiles["percentile"], quartiles["sAP"], top)
    finish(left, title="AP", xlabel="score of a run on a topic", ylabel="runs (%)")
    finish(right, title="standardized AP", xlabel="score of a run on a topic")
    figure.suptitle(
        "Figure 3: scores of TREC 8 AdHoc runs, with their quartiles", fontsize=TEXT + 1
    )
    return settle(figure)


def _draw_shares(axes: Axes, shares: pd.DataFrame, name: str, color: str) -> None:
    axes.bar(
        shares["from"],
        100 * shares[name],
        width=shares["to"] - shares["from"],
        align="edge",
        color=color,
        edgecolor="white",
        linewidth=0.5,
    )
    axes.set_xlim(0, 1)


def _draw_quartiles(
    axes: Axes, percentiles: pd.Series[int], values: pd.Series[float], top: float
) -> None:
    for percentile, x in zip(percentiles, values, strict=True):
        axes.axvline(x, color="black", linewidth=0.9, linestyle="--")
        axes.annotate(
            f"{percentile}%: {x:.2f}",
            (x, top * (1.0 - 0.0024 * percentile)),
            xytext=(3, 0),
            textcoords="offset points",
            fontsize=TEXT,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
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
