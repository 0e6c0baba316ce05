"""Figures 5 to 7: measures in their forms, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cdfscore.plots.canvas import TEXT, finish, new_figure, settle
from cdfscore.plots.palette import BLUE, GREEN, GREY, ORANGE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 0.26
_BARS: dict[str, dict[str, Any]] = {
    "raw": {"color": ORANGE},
    "normalized": {"color": GREEN, "hatch": "//"},
    "standardized": {"color": BLUE},
}
_BESIDE: dict[str, Any] = {"textcoords": "offset points", "fontsize": TEXT}


def figure_5(table: pd.DataFrame) -> Figure:
    """Draw Figure 5: mean dRMSE of random halves, with the interval that contains 95 % of them.

    Parameters
    ----------
    table
        The table "figure5" of `figure_tables`: one row per measure and form. A row without a
        value names the missing data in ``needs``.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> bars = {"measure": "P@10", "form": ["raw", "standardized"], "needs": ""}
    >>> errors = {"mean": [0.8, 0.6], "percentile_2.5": [0.4, 0.4], "percentile_97.5": [1.6, 0.7]}
    >>> figure_5(pd.DataFrame({**bars, "partitions": 1000, **errors})).axes[0].get_ylabel()
    'mean dRMSE'
    """
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
    """Draw Figure 6: the 97.5th percentile of the rate of false positives in random halves.

    The lines are 95 % confidence intervals of the percentile, and the points are mean rates.

    Parameters
    ----------
    table
        The table "figure6" of `figure_tables`, with rates from 0 to 1: one row per measure and
        form. A row without a value names the missing data in ``needs``.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> bars = {"measure": "P@10", "form": ["raw", "standardized"], "needs": ""}
    >>> ends = {"percentile_97.5_low": [0.3, 0.1], "percentile_97.5_high": [0.5, 0.2]}
    >>> rates = {"mean": [0.05, 0.05], "percentile_97.5": [0.4, 0.15], **ends}
    >>> figure_6(pd.DataFrame({**bars, "partitions": 2000, **rates})).axes[0].get_ylabel()
    'false positives (%), 97.5th percentile'
    """
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
    """Draw Figure 7: mean dRMSE over pairs of collections.

    The bars are means over all pairs, and the marks are means over the pairs without T03.rob.

    Parameters
    ----------
    table
        The table "figure7" of `figure_tables`: one row per measure and form. A row without a
        value names the missing data in ``needs``.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import pandas as pd
    >>> bars = {"measure": "P@10", "form": ["raw", "standardized"], "needs": ""}
    >>> errors = {"all_pairs": [0.6, float("nan")], "without_T03.rob": [0.55, 0.61]}
    >>> figure_7(pd.DataFrame({**bars, **errors})).axes[0].get_ylabel()
    'mean dRMSE between collections'
    """
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
    """Draw the measures that have a value, and return all their rows, with the position ``x``.

    For a form without a value, a text names the missing data.
    """
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
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
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
