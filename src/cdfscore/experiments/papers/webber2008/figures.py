"""Figures 1 to 7 of Webber, Moffat and Zobel (2008), drawn from the tables of their numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from cdfscore.plots.canvas import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SMALL,
    TEXT,
    Drawing,
    finish,
    new_figure,
    settle,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["drawings"]

_LINES = (
    ("median", "50th percentile (median)", BLUE, "o"),
    ("lowest_95", "95th percentile lowest", GREEN, "s"),
    ("lowest_99", "99th percentile lowest", ORANGE, "^"),
)
_WIDTH = 0.26
_BARS: dict[str, dict[str, Any]] = {
    "raw": {"color": ORANGE},
    "normalized": {"color": GREEN, "hatch": "//"},
    "standardized": {"color": BLUE},
}
_BESIDE: dict[str, Any] = {"textcoords": "offset points", "fontsize": TEXT}
_BOX = {"facecolor": "white", "edgecolor": "none", "pad": 1}


def figure_1(scores: pd.DataFrame) -> Figure:
    """Draw the table "figure1": the matrix of scores, in shades of gray."""
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
    """Draw the table "figure2": means of systems with 95 % confidence intervals, by rank."""
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
    """Draw the tables of Figure 3: distributions of raw and standardized scores, with quartiles."""
    figure = new_figure(6.4, 4.0)
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    top = 100 * shares[["AP", "sAP"]].to_numpy().max()
    for axes, name, color in ((left, "AP", ORANGE), (right, "sAP", BLUE)):
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
        for percentile, x in zip(quartiles["percentile"], quartiles[name], strict=True):
            axes.axvline(x, color="black", linewidth=0.9, linestyle="--")
            axes.annotate(
                f"{percentile}%: {x:.2f}",
                (x, top * (1.0 - 0.0024 * percentile)),
                xytext=(3, 0),
                bbox=_BOX,
                **_BESIDE,
            )
    finish(left, title="AP", xlabel="score of a run on a topic", ylabel="runs (%)")
    finish(right, title="standardized AP", xlabel="score of a run on a topic")
    figure.suptitle(
        "Figure 3: scores of TREC 8 AdHoc runs, with their quartiles", fontsize=TEXT + 1
    )
    return settle(figure)


def figure_4(table: pd.DataFrame) -> Figure:
    """Draw the table "figure4": tau between rankings by a sample of systems and by all systems."""
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


def figure_5(table: pd.DataFrame) -> Figure:
    """Draw the table "figure5": mean dRMSE of halves, with the interval that has 95 % of them."""
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    drawn = _draw_bars(axes, table, "mean", "{:.2f}")
    _draw_intervals(axes, drawn, "percentile_2.5", "percentile_97.5", "95% of partitions")
    return _finished(
        figure,
        f"Figure 5: {table['partitions'].max():,} random halves of topics 351-450,\n"
        "110 TREC 2004 Robust systems",
        "mean dRMSE",
    )


def figure_6(table: pd.DataFrame) -> Figure:
    """Draw the table "figure6": the 97.5th percentile of the rate of false positives in halves."""
    table = table.copy()
    low, high = "percentile_97.5_low", "percentile_97.5_high"
    table[["mean", "percentile_97.5", low, high]] *= 100
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    axes.axhline(5, color=GREY, linestyle=":", linewidth=1, label="level of the test")
    drawn = _draw_bars(axes, table, "percentile_97.5", "{:.0f}")
    _draw_intervals(axes, drawn, low, high, "95% interval of\nthe percentile")
    known = drawn[drawn["mean"].notna()]
    axes.plot(known["x"], known["mean"], "o", color="black", markersize=4, label="mean")
    return _finished(
        figure,
        f"Figure 6: {table['partitions'].max():,} random halves of topics 351-450,\n"
        "110 TREC 2004 Robust systems compared with themselves",
        "false positives (%), 97.5th percentile",
    )


def figure_7(table: pd.DataFrame) -> Figure:
    """Draw the table "figure7": mean dRMSE over pairs of collections."""
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    drawn = _draw_bars(axes, table, "all_pairs", "{:.2f}")
    fewer = drawn[drawn["without_T03.rob"].notna()]
    axes.plot(
        fewer["x"],
        fewer["without_T03.rob"],
        "D",
        color="black",
        markersize=5,
        label="without T03.rob",
    )
    for x, y in zip(fewer["x"], fewer["without_T03.rob"], strict=True):
        axes.annotate(f"{y:.2f}", (x, y), xytext=(-6, 3), ha="right", **_BESIDE)
    return _finished(
        figure,
        "Figure 7: pairs of T7.adh, T8.adh, T03.rob and T04.rob, 110 TREC 2004 Robust systems",
        "mean dRMSE between collections",
    )


def _draw_intervals(axes: Axes, bars: pd.DataFrame, low: str, high: str, label: str) -> None:
    bars = bars.dropna(subset=[low])
    axes.vlines(bars["x"], bars[low], bars[high], color="black", linewidth=1, label=label)


def _draw_bars(axes: Axes, table: pd.DataFrame, column: str, label: str) -> pd.DataFrame:
    """Draw the measures that have a value, and return all their rows, with the position ``x``."""
    known = table["measure"].isin(table.loc[table[column].notna(), "measure"])
    measures, forms = list(table.loc[known, "measure"].unique()), list(_BARS)
    absent = list(table.loc[~known, "measure"].unique())
    drawn = table[known].copy()
    drawn["x"] = [
        measures.index(measure) + (forms.index(form) - 1) * _WIDTH
        for measure, form in zip(drawn["measure"], drawn["form"], strict=True)
    ]
    given = drawn[drawn[column].notna()]
    for form, style in _BARS.items():
        bars = given[given["form"] == form]
        axes.bar(
            bars["x"],
            bars[column],
            0.94 * _WIDTH,
            edgecolor="white",
            linewidth=0.5,
            label=form,
            **style,
        )
    for x, y in zip(given["x"], given[column], strict=True):
        axes.annotate(label.format(y), (x, y), xytext=(8, 3), **_BESIDE)
    for x, needs in drawn.loc[drawn[column].isna(), ["x", "needs"]].itertuples(index=False):
        axes.annotate(
            f"needs {needs}",
            (x, 0),
            xytext=(0, 4),
            rotation=90,
            ha="center",
            color=GREY,
            bbox=_BOX,
            **_BESIDE,
        )
    axes.set_xticks(range(len(measures)), measures)
    axes.set_xlabel(
        f"measure ({' and '.join(absent)}: no scores published)" if absent else "measure"
    )
    return drawn


def _finished(figure: Figure, title: str, ylabel: str) -> Figure:
    (axes,) = figure.axes
    finish(axes, title=title, xlabel=axes.get_xlabel(), ylabel=ylabel)
    axes.legend(frameon=False, fontsize=TEXT, loc="upper left", bbox_to_anchor=(1, 1))
    return settle(figure)


def drawings(frames: Mapping[str, pd.DataFrame]) -> list[Drawing]:
    """Return the drawings of Figures 1 to 7, from the tables of `webber2008.figure_tables`.

    Their method ``files()`` returns an SVG and a PDF file of the figure, by file name.

    Examples
    --------
    >>> import pandas as pd
    >>> names = ["figure1", "figure2", "figure3", "figure3_quartiles", "figure4"]
    >>> names += ["figure5", "figure6", "figure7"]
    >>> [each.name for each in drawings({name: pd.DataFrame() for name in names})]
    ['figure1', 'figure2', 'figure3', 'figure4', 'figure5', 'figure6', 'figure7']
    """
    draw: tuple[Callable[..., Figure], ...] = (
        *(figure_1, figure_2, figure_3, figure_4, figure_5, figure_6, figure_7),
    )
    named = {f"figure{number}": function for number, function in enumerate(draw, start=1)}
    return [
        Drawing(name, function, tuple(frames[own] for own in sorted(frames) if name in own))
        for name, function in named.items()
    ]
