"""Figures of experiments: correlations, power and errors, reference sizes, halves of topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.plots import canvas
from cdfscore.plots.words import scheme_label
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import nrd0

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

#: The correlations of an experiment, by the names of its tables.
STATISTICS = {
    "tau": r"Kendall's $\tau_b$",
    "tauAP": r"$\tau_{\mathrm{ap},b}$",
    "r": "Pearson's r",
}
#: Other statistics of two samples of topics, likewise.
DISTANCES = {"drmse": "dRMSE", "swap_rate": "Swap rate"}
_POINTS = 160
_DECIMALS = 9  # correlations that agree to these are the same except for rounding
# Heights as parts of the panel's: of the marks of means, of a line of the legend in it.
_RUG, _NOTE = 0.07, 0.1


@canvas.panel(lambda result, statistic="tau": (3.4, 2.5 + 0.13 * len(result.columns)))
def plot_densities(result: pd.DataFrame, ax: Axes, *, statistic: str = "tau") -> None:
    """Draw the distribution of a statistic over the trials, a line and a mark per scheme.

    Parameters
    ----------
    result
        The table ``tau``, ``tauAP`` or ``r`` of `Within`, `Between` or `Halves`, or ``drmse`` or
        ``swap_rate`` of the last two: a row per trial and a column per scheme.
    statistic
        The name of the table.

    Notes
    -----
    See `draw_densities`.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Between, run_trials, standardized
    >>> scores = datasets.load_cranfield("ap")
    >>> experiment = Between(standardized(scores, {"E-std": "empirical"}), seed=1)
    >>> tables = experiment.tables(run_trials(experiment, 20))
    >>> plot_densities(tables["tau"]).get_title()
    '20 trials'
    """
    draw_densities(ax, result, canvas.styles(result.columns))
    labels = set(map(canvas.plain, result.columns))
    xlabel = (STATISTICS | DISTANCES).get(statistic, canvas.plain(statistic))
    canvas.finish(ax, title=f"{len(result):,} trials", xlabel=xlabel, ylabel="Density")
    canvas.legend_below(ax, [line for line in ax.lines if line.get_label() in labels])


def draw_densities(axes: Axes, frame: pd.DataFrame, looks: Mapping[str, canvas.Style]) -> None:
    """Draw the schemes of a frame that has one row per trial, each in its look.

    A Gaussian kernel density of R's default bandwidth, 0.9 min(sd, IQR / 1.34) n^(-1/5)
    (Silverman 1986, eq. 3.31), over the range of the values and 3 bandwidths beyond, as R's
    ``density``. Rugs mark the means. Where all values are equal there is no density, and a
    vertical line stands at the value. Undefined trials, NaN, are omitted, and a legend in the
    panel states their number.
    """
    from matplotlib.lines import Line2D

    values = {s: frame[s].to_numpy(dtype=np.float64, na_value=np.nan) for s in looks}
    undefined = {s: n for s, v in values.items() if (n := int(np.isnan(v).sum()))}
    # The legend of the undefined is above all lines.
    share = 1 - min((len(undefined) + 1) * _NOTE, 0.7) if undefined else 1.0
    labelled = {
        s: {k: v for k, v in style.items() if k != "marker"} | {"label": canvas.plain(s)}
        for s, style in looks.items()
    }
    for scheme, look in labelled.items():
        defined = values[scheme][~np.isnan(values[scheme])]
        if not len(defined):
            continue
        if np.ptp(defined.round(_DECIMALS)) > 0:
            axes.plot(*density(defined), linewidth=1.0, **look)
        else:
            axes.axvline(defined[0], ymax=share, linewidth=1.0, **look)
        rug = look | {"linestyle": "solid", "label": f"{look['label']}, mean", "linewidth": 1.2}
        axes.plot([defined.mean()] * 2, [0, _RUG], transform=axes.get_xaxis_transform(), **rug)
    axes.set_ylim(0, axes.get_ylim()[1] / share)
    if undefined:
        axes.legend(
            [Line2D([], [], linewidth=1.0, **labelled[s]) for s in undefined],
            [f"{labelled[s]['label']}: {n:,} undefined" for s, n in undefined.items()],
            title=f"of {len(frame):,} trials", loc="upper center", fontsize=canvas.SMALL - 1,
            title_fontsize=canvas.SMALL - 1, labelspacing=0.25, frameon=False,
        )  # fmt: skip


def density(values: Array) -> tuple[Array, Array]:
    """Return x and the kernel density at x of values that differ by more than rounding."""
    from scipy.stats import gaussian_kde

    rounded = values.round(_DECIMALS)  # else the last digit could be all of the IQR
    bandwidth = float(nrd0(rounded, np.sort(rounded))[0])
    kernel = gaussian_kde(values, bw_method=bandwidth / float(np.std(values, ddof=1)))
    x = np.linspace(values.min() - 3 * bandwidth, values.max() + 3 * bandwidth, _POINTS)
    return x, kernel(x)


#: The column of significance levels.
ALPHA = "alpha"
#: The rates of an experiment, by the names of its tables.
RATES = {"power": "Power", "type1": "Type I error rate"}


@canvas.panel(lambda result, rate="power": (3.4, 2.4 + 0.13 * (len(result.columns) - 1)))
def plot_rates(result: pd.DataFrame, ax: Axes, *, rate: str = "power") -> None:
    """Draw the proportion of tests with p <= alpha for each significance level and scheme.

    Type I errors are on a logarithmic axis, with a gray diagonal where they are expected.

    Parameters
    ----------
    result
        The table ``power`` or ``type1`` of `Within` or `Between`: a row per level, a column
        ``alpha``, and a column per scheme.
    rate
        The name of the table.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Within, run_trials, standardized
    >>> experiment = Within(standardized(datasets.load_cranfield("ap"), {"E-std": "empirical"}))
    >>> plot_rates(experiment.tables(run_trials(experiment, 5))["power"]).get_ylabel()
    'Power'
    """
    looks = canvas.styles(column for column in result.columns if column != ALPHA)
    draw_rates(ax, result, looks, expected=rate == "type1")
    canvas.finish(
        ax, xlabel=r"Significance level $\alpha$", ylabel=RATES.get(rate, canvas.plain(rate))
    )
    canvas.legend_below(ax, ax.lines[-len(looks) :])


def draw_rates(
    axes: Axes, frame: pd.DataFrame, looks: Mapping[str, canvas.Style], *, expected: bool
) -> None:
    """Draw the schemes of a frame that has one row per significance level, each in its look.

    alpha is on a logarithmic axis. With `expected`, the rates are those of true null
    hypotheses: their axis is logarithmic too, and a gray diagonal, rate = alpha, shows the expected
    rates. A rate of 0 cannot be drawn on this axis; its line leaves the panel downwards.
    """
    ordered = frame.sort_values(ALPHA)
    alpha = ordered[ALPHA].to_numpy(dtype=np.float64)
    axes.set_xscale("log")
    # There is no room for more beside each other, nor on the wide axis of a single level.
    _label_ticks(axes.xaxis, fives=1 < alpha[-1] / alpha[0] < 101)
    if expected:
        axes.set_yscale("log", nonpositive="clip")
        _label_ticks(axes.yaxis, fives=True)
        diagonal = axes.plot(
            alpha, alpha, color="0.7", linewidth=2.5, label=r"rate = $\alpha$", zorder=1
        )
        axes.legend(handles=diagonal, fontsize=canvas.SMALL, frameon=False)
    # Lines that lie on each other are told apart by markers at different levels.
    stride = len(looks) if len(alpha) > 2 * len(looks) else 1
    for i, (scheme, style) in enumerate(looks.items()):
        rates = ordered[scheme].to_numpy(dtype=np.float64, na_value=np.nan)
        look = {**style, "markevery": (i % stride, stride), "label": canvas.plain(scheme)}
        axes.plot(alpha, rates, linewidth=0.9, markersize=2.6, zorder=2, **look)


def _label_ticks(axis: Axis, *, fives: bool) -> None:
    """Label a logarithmic axis with 0.001, 0.01, ..., not powers of ten; also 0.005, ... or not."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 5.0) if fives else (1.0,)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_formatter(NullFormatter())


def experiment_figure(tables: Mapping[str, pd.DataFrame], title: str) -> Figure:
    """Draw the tables of `Within`, without raw scores, whose correlation is 1, or `Between`."""
    rates = {name: words for name, words in RATES.items() if name in tables}
    levels = tables[next(iter(rates))]
    looks = canvas.styles(column for column in levels.columns if column != ALPHA)
    between = len(rates) > 1
    drawn = looks if between else {s: look for s, look in looks.items() if s != "raw"}
    rows = [STATISTICS, *([DISTANCES] if between else []), rates]
    figure = canvas.new_figure(7.0, 2.5 * len(rows))
    for row, part in zip(rows, figure.subfigures(len(rows), 1, squeeze=False)[:, 0], strict=True):
        panels = part.subplots(1, len(row), squeeze=False)[0]
        for axes, (name, words) in zip(panels, row.items(), strict=True):
            if name in rates:
                draw_rates(axes, tables[name], looks, expected=name == "type1")
                canvas.finish(axes, xlabel=r"Significance level $\alpha$", ylabel=words)
            else:
                draw_densities(axes, tables[name], drawn)
                canvas.finish(axes, xlabel=words, ylabel="Density")
    of_what = "between two samples of topics" if between else "with the ranking by raw scores"
    what = "statistics" if between else "correlations"
    trials = f"{len(tables['tau']):,} trials, {what} {of_what}"
    figure.suptitle(f"{canvas.plain(title)}\n{trials}", fontsize=canvas.TEXT + 1)
    canvas.legend_of_schemes(figure, looks)
    return canvas.settle(figure)


#: What a bar is: the statistic, its number in the summary, and the ends of its line.
_PANELS = {
    "dRMSE, mean": ("drmse", "mean", "percentile_2.5", "percentile_97.5"),
    "false positives (%), 97.5th percentile": (
        *("false_positives", "percentile_97.5", "percentile_97.5_low", "percentile_97.5_high"),
    ),
    "Kendall's tau_b, mean": ("tau", "mean", "percentile_2.5", "percentile_97.5"),
}


def halves_figure(tables: Mapping[str, pd.DataFrame], title: str) -> Figure:
    """Draw the tables of `Halves`, as Figures 5 to 7 of Webber, Moffat and Zobel (2008)."""
    summary = tables["summary"].set_index(["statistic", "scheme"])
    looks = canvas.styles(summary.loc["drmse"].index)
    names, places = [canvas.plain(scheme_label(name)) for name in looks], range(len(looks))
    width, height = 6.0 + canvas.text_width(names), 1.5 + 0.25 * len(looks)
    figure = canvas.new_figure(width, height)
    panels = figure.subplots(1, len(_PANELS), squeeze=False, sharey=True)[0]
    for axes, (heading, (statistic, *ends)) in zip(panels, _PANELS.items(), strict=True):
        rates = statistic == "false_positives"
        scale = 100 if rates else 1
        bars = scale * summary.loc[statistic].loc[list(looks)]
        top, low, high = (bars[name] for name in ends)
        axes.barh(places, top, 0.7, color=[look["color"] for look in looks.values()], alpha=0.6)
        axes.hlines(places, low, high, color="black", linewidth=1)
        if rates:
            axes.plot(bars["mean"], places, "o", color="black", markersize=3.5)
        if "collections" in tables:
            observed = tables["collections"].set_index(["statistic", "scheme"])["observed"]
            own = scale * observed.loc[statistic].loc[list(looks)]
            axes.plot(own, places, "D", color="white", markeredgecolor="black", markersize=4)
        canvas.finish(axes, xlabel=canvas.wrapped(heading, 1.9))
    panels[0].set_yticks(places, names)
    panels[0].invert_yaxis()
    marks = ["lines: 95% of partitions, or 95% interval of the percentile", "points: mean"]
    marks += ["diamonds: the two collections"] * ("collections" in tables)
    figure.supxlabel(
        canvas.wrapped("; ".join(marks), width - 0.4, canvas.SMALL),
        fontsize=canvas.SMALL,
        color=canvas.GREY,
    )
    number = f"{len(tables['drmse']):,} random partitions of the topics"
    figure.suptitle(f"{canvas.wrapped(title, width - 0.4)}\n{number}", fontsize=canvas.TEXT + 1)
    return canvas.settle(figure)


_AGREEMENTS = {
    "largest": "with the largest reference",
    "disjoint": "of two disjoint references",
    "halves": "of two halves of the topics",
}
_TESTS = {
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
    """
    from matplotlib.ticker import NullLocator

    tau = tables["tau"]
    looks = canvas.styles(dict.fromkeys(tau["scheme"]))
    rates_drawn = {name: words for name, words in _TESTS.items() if name in tables}
    rows = 2 if "type1" in tables else 1
    agreements = {each: _AGREEMENTS[each] for each in list(_AGREEMENTS)[: 1 + rows]}
    figure = canvas.new_figure(7.0, 0.6 + 2.0 * rows)
    panels = figure.subplots(rows, 3, squeeze=False, sharex=True)
    top, bottom = panels.ravel()[: len(agreements)], panels.ravel()[len(agreements) :]
    for axes, (agreement, heading) in zip(top, agreements.items(), strict=True):
        table = tau[tau["agreement"] == agreement]
        for i, (label, look) in enumerate(looks.items()):
            lines = table[table["scheme"] == label]
            # Bars side by side, on the logarithmic axis.
            x = lines["reference_systems"] * 1.05 ** (i - (len(looks) - 1) / 2)
            axes.vlines(x, lines["p5"], lines["p95"], color=look["color"], linewidth=0.5)
            axes.plot(x, lines["p50"], linewidth=1.0, markersize=2.6, **look)
        if agreement == "largest":
            raw = tau[tau["agreement"] == "raw_largest"].set_index("scheme")["mean"]
            for (label, look), line in zip(looks.items(), list(axes.lines), strict=True):
                lowest = table[table["scheme"] == label]["p1"]
                axes.plot(line.get_xdata(), lowest, "_", color=look["color"], markersize=3)
                axes.axhline(raw[label], color=look["color"], linestyle=":", linewidth=0.8)
        xlabel = "reference systems" if rows == 1 else ""
        ylabel = r"$\tau_b$" if axes is panels[0, 0] else ""
        canvas.finish(axes, title=heading, xlabel=xlabel, ylabel=ylabel)
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
        canvas.finish(axes, title=heading, xlabel="reference systems", ylabel=ylabel)
    shown: list[int] = []
    for size in tables["constant"]["reference_systems"]:
        if not shown or size >= 1.4 * shown[-1]:
            shown.append(size)
    panels[0, 0].set_xscale("log")
    panels[0, 0].set_xticks(shown, list(map(str, shown)))
    panels[0, 0].xaxis.set_minor_locator(NullLocator())
    figure.align_ylabels(panels[:, 0])
    canvas.legend_of_schemes(figure, looks)
    trials, held_out, topics = tables["constant"][["trials", "held_out", "topics"]].iloc[0]
    drawn = f"{trials:,} trial{'s' * (trials > 1)}, {held_out} systems "
    drawn += f"held out, two halves of {topics // 2}" if rows == 2 else f"ranked, {topics}"
    figure.suptitle(f"{canvas.plain(title)}\n{drawn} topics", fontsize=canvas.TEXT + 1)
    return canvas.settle(figure)
