"""Rankings and tests of held-out systems against the number of reference systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cdfscore.plots.canvas import TEXT, finish, new_figure, plain, settle
from cdfscore.plots.styles import Style, legend_of_schemes, styles

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AGREEMENTS = {
    "largest": "with the largest reference",
    "disjoint": "of two disjoint references",
    "halves": "of two halves of the topics",
}
_RATES = {
    "power_paired": "power, paired t test",
    "power_unpaired": "power, Welch's t test",
    "type1": "type I error, Welch's t test",
}


def reference_size_figure(
    tables: Mapping[str, pd.DataFrame], title: str, *, alpha: float = 0.05
) -> Figure:
    """Draw the tables of `ReferenceSize` against the number of reference systems.

    First panels: the median tau_b over the trials, with a bar from the 5th to the 95th percentile.
    They are: with the ranking by the largest reference, between two references without a common
    system, and between two halves of the topics. The first panel also has the first percentile, as
    dashes, and the mean tau_b between raw scores and the largest possible reference, as dotted
    lines: these are in Figure 4 of Webber, Moffat and Zobel (2008). Other panels: proportion of
    tests with p at most the highest level that does not exceed `alpha`, or the lowest level if all
    do. Without halves of the topics, three of the six panels are drawn.

    Parameters
    ----------
    tables
        The result of `ReferenceSize.tables`.
    title
        The name of the scores, such as ``"TREC 2004 Robust, AP"``. The numbers of trials, of
        held-out systems and of topics are added below it.
    alpha
        The significance level.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import ReferenceSize, refitted, run_trials
    >>> schemes = refitted(datasets.load_cranfield("ap"), {"E-std": "empirical"})
    >>> experiment = ReferenceSize(schemes, (5, 20), seed=1)
    >>> figure = reference_size_figure(experiment.tables(run_trials(experiment, 5)), "Cranfield")
    >>> len(figure.axes)
    6
    """
    labels = list(dict.fromkeys(tables["tau"]["scheme"]))
    looks = styles(labels)
    tau = tables["tau"]
    rates_drawn = {name: words for name, words in _RATES.items() if name in tables}
    rows = 2 if "type1" in tables else 1
    agreements = {each: _AGREEMENTS[each] for each in list(_AGREEMENTS)[: 1 + rows]}
    figure = new_figure(7.0, 0.6 + 2.0 * rows)
    panels = figure.subplots(rows, 3, squeeze=False, sharex=True)
    sizes = list(tables["constant"]["reference_systems"])
    top, bottom = panels.ravel()[: len(agreements)], panels.ravel()[len(agreements) :]
    for axes, (agreement, heading) in zip(top, agreements.items(), strict=True):
        _draw_percentiles(axes, tau[tau["agreement"] == agreement], looks)
        if agreement == "largest":
            _draw_figure_4(axes, tau, looks)
        xlabel = "reference systems" if rows == 1 else ""
        ylabel = r"$\tau_b$" if axes is panels[0, 0] else ""
        finish(axes, title=heading, xlabel=xlabel, ylabel=ylabel)
    for axes, (name, heading) in zip(bottom, rates_drawn.items(), strict=True):
        levels = sorted(tables[name]["alpha"].unique())
        level = max((each for each in levels if each <= alpha), default=levels[0])
        rates = tables[name][tables[name]["alpha"] == level]
        for label, look in looks.items():
            axes.plot(
                rates["reference_systems"], rates[label], linewidth=1.0, markersize=2.6, **look
            )
        if name == "type1":
            axes.axhline(level, color="0.7", linewidth=2.5, zorder=1)
        left = axes is bottom[0]
        ylabel = rf"rate of p $\leq$ {level:g}" if left else ""
        finish(axes, title=heading, xlabel="reference systems", ylabel=ylabel)
    _label_sizes(panels[0, 0], sizes)
    figure.align_ylabels(panels[:, 0])
    legend_of_schemes(figure, looks)
    figure.suptitle(
        f"{plain(title)}\n{_drawn(tables['constant'], halves=rows == 2)}", fontsize=TEXT + 1
    )
    return settle(figure)


def _drawn(constant: pd.DataFrame, *, halves: bool) -> str:
    """Return the numbers of trials, held-out systems and topics as text."""
    trials, held_out, topics = constant[["trials", "held_out", "topics"]].iloc[0]
    drawn = f"{trials:,} trial{'s' * (trials > 1)}, {held_out} systems"
    if halves:
        return f"{drawn} held out, two halves of {topics // 2} topics"
    return f"{drawn} ranked, {topics} topics"


def _draw_percentiles(axes: Axes, table: pd.DataFrame, looks: Mapping[str, Style]) -> None:
    for i, (label, look) in enumerate(looks.items()):
        lines = table[table["scheme"] == label]
        # Bars side by side, on the logarithmic axis.
        x = lines["reference_systems"] * 1.05 ** (i - (len(looks) - 1) / 2)
        axes.vlines(x, lines["p5"], lines["p95"], color=look["color"], linewidth=0.5)
        axes.plot(x, lines["p50"], linewidth=1.0, markersize=2.6, **look)


def _draw_figure_4(axes: Axes, tau: pd.DataFrame, looks: Mapping[str, Style]) -> None:
    """Add the first percentiles, and the lines of raw scores."""
    raw = tau[tau["agreement"] == "raw_largest"].set_index("scheme")["mean"]
    for (label, look), line in zip(looks.items(), list(axes.lines), strict=True):
        lowest = tau[(tau["agreement"] == "largest") & (tau["scheme"] == label)]["p1"]
        axes.plot(line.get_xdata(), lowest, "_", color=look["color"], markersize=3)
        axes.axhline(raw[label], color=look["color"], linestyle=":", linewidth=0.8)


def _label_sizes(axes: Axes, sizes: list[int]) -> None:
    """Label a logarithmic axis with the sizes that are far enough apart."""
    from matplotlib.ticker import NullLocator

    shown: list[int] = []
    for size in sizes:
        if not shown or size >= 1.4 * shown[-1]:
            shown.append(size)
    axes.set_xscale("log")
    axes.set_xticks(shown, [str(size) for size in shown])
    axes.xaxis.set_minor_locator(NullLocator())
