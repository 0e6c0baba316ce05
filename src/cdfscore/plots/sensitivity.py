"""Figures of what depends on the choices: on the scheme, the test and the reference systems."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.common.text import counted, written
from cdfscore.comparison import ranking
from cdfscore.comparison.comparison import Comparison
from cdfscore.comparison.reference_uncertainty import ReferenceUncertainty
from cdfscore.comparison.sensitivity import ConclusionGrid, Sensitivity
from cdfscore.errors import PlotError
from cdfscore.plots import canvas
from cdfscore.plots.words import correction_label, label_of_test, scheme_label, score_label
from cdfscore.scores.dataframes import measure_of
from cdfscore.standardization.standardized import Standardized
from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.student_t import interval
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DISAGREEMENTS = ["gained", "lost", "reversed"]


@canvas.panel(lambda result: _size_of_counts(*[[*map(_of_scheme, result.comparison.schemes)]] * 2))
def plot_schemes(result: Sensitivity, ax: Axes) -> None:
    """The number of pairs of systems on which two schemes disagree, for each two schemes.

    Two schemes disagree on a pair if it differs significantly by one of them only, or by both with
    the means in opposite orders. The diagonal, in italics, has the number of pairs that differ
    significantly by the scheme itself.

    Parameters
    ----------
    result
        The result of `cdfscore.sensitivity`.

    Examples
    --------
    >>> from cdfscore import datasets, sensitivity
    >>> found = sensitivity(datasets.load_cranfield("ap"), ["normal", "empirical"])
    >>> [text.get_text() for text in plot_schemes(found).texts]
    ['1,471', '128', '128', '1,511']
    """
    found = result.comparison
    schemes = list(found.schemes)
    place = {scheme: i for i, scheme in enumerate(schemes)}
    counts = np.zeros((len(schemes), len(schemes)), dtype=np.int64)
    table = result.conclusions
    a, b = ([place[scheme] for scheme in table[name]] for name in ("scheme_a", "scheme_b"))
    counts[a, b] = counts[b, a] = table[_DISAGREEMENTS].sum(axis=1)
    counts[a, a], counts[b, b] = table["significant_a"], table["significant_b"]
    pairs = int(table["pairs"].iloc[0])
    labels = [*map(_of_scheme, schemes)]
    _draw_counts(ax, counts, pairs, labels, labels, pale=np.eye(len(schemes), dtype=bool))
    label = correction_label(found.adjust)
    by = label_of_test(found.chosen) + (f" with {label}" if label else "")
    canvas.finish(
        ax,
        title=canvas.wrapped(
            f"Pairs on which two schemes disagree, of {pairs:,}\n"
            "(in italics: significant pairs of the scheme)\n"
            f"{by}\n{_alpha_and_topics(found)}",
            canvas.WIDTH,
        ),
    )


@canvas.panel(lambda result: _size_of_counts(*_rows_and_columns(result)))
def plot_sensitivity(result: ConclusionGrid, ax: Axes) -> None:
    """The number of pairs of systems that differ significantly, by scheme and by test.

    Darker cells have more such pairs; a cell is black if all pairs differ significantly.

    Parameters
    ----------
    result
        Comparisons of the same systems by the same schemes, each by another test.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> from cdfscore.comparison import ConclusionGrid
    >>> scores = datasets.load_cranfield("ap").iloc[:, :12]
    >>> tests = [compare(scores, each, scheme=["raw", "normal"]) for each in ("paired_t", "sign")]
    >>> axes = plot_sensitivity(ConclusionGrid(tests))
    >>> [text.get_text() for text in axes.texts]
    ['32', '43', '43', '43']
    """
    first, counts = result.comparisons[0], result.counts.to_numpy()
    rows, columns = _rows_and_columns(result)
    least, most = int(counts.min()), int(counts.max())
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    _draw_counts(ax, counts, result.pairs, rows, columns)
    canvas.finish(
        ax,
        title=canvas.wrapped(
            f"Pairs that differ significantly, of {result.pairs:,}\n"
            f"{number} by the choice of scheme and test\n{_alpha_and_topics(first)}",
            canvas.WIDTH,
        ),
    )


def _alpha_and_topics(result: Comparison) -> str:
    return f"alpha {written(result.alpha)}, {counted(result.topics, 'topic')}"


def _rows_and_columns(result: ConclusionGrid) -> tuple[list[str], list[str]]:
    """Return the labels of rows and columns; a test has its correction, as they may differ."""
    tests = [
        f"{label_of_test(each.chosen)}{f', {label}' * bool(label)}"
        for each in result.comparisons
        for label in [correction_label(each.adjust)]
    ]
    broken = [_lines(re.sub(r"[:,](?=\S)", r"\g<0> ", test)) for test in tests]
    return [*map(_of_scheme, result.schemes)], broken


# Number of characters in a line of a label.
_CHARACTERS = 22
# Inches of a cell, of all columns at least, and of the title.
_CELL, _LEAST, _TITLE = (0.75, 0.36), 3.1, 1.0


def _draw_counts(
    axes: Axes, counts: IntArray, whole: int, rows: Sequence[str], columns: Sequence[str],
    *, pale: BoolArray | None = None,
) -> None:  # fmt: skip
    """Draw numbers, (rows, columns), in gray by their part of the whole; `pale` ones in italics."""
    plainly = np.zeros(counts.shape, dtype=np.bool_) if pale is None else pale
    parts = np.ma.masked_array(counts / whole, mask=plainly)
    axes.imshow(parts, cmap="Greys", vmin=0, vmax=1, aspect="auto")
    for i, j in np.ndindex(counts.shape):
        dark = not plainly[i, j] and counts[i, j] > 0.5 * whole
        axes.text(
            j, i, f"{counts[i, j]:,}", ha="center", va="center", fontsize=canvas.SMALL,
            fontstyle="italic" if plainly[i, j] else "normal", color="white" if dark else "black",
        )  # fmt: skip
    axes.set_xticks(range(len(columns)), list(columns), rotation=90 * _turned(columns))
    axes.set_yticks(range(len(rows)), list(rows))


def _size_of_counts(rows: Sequence[str], columns: Sequence[str]) -> canvas.Size:
    width, height = _CELL
    beside, below = (canvas.text_width("\n".join(each).split("\n")) for each in (rows, columns))
    if not _turned(columns):
        below = canvas.LINE * max(label.count("\n") + 1 for label in columns)
    return (
        max(width * len(columns), _LEAST) + beside + 0.4,
        max(height * len(rows), 0.8) + below + _TITLE,
    )


def _turned(columns: Sequence[str]) -> bool:
    """Say whether the labels, and a space between two, are wider than their columns."""
    widest = canvas.text_width("\n".join(columns).split("\n"))
    return widest + 0.1 > max(_CELL[0], _LEAST / len(columns))


def _of_scheme(scheme: str) -> str:
    return _lines(scheme_label(scheme))


def _lines(label: str) -> str:
    return textwrap.fill(canvas.plain(label), _CHARACTERS)


# Systems with a strong line, at most; of so few systems all have names.
_MOVERS, _ALL_NAMED = 10, 20
# Inches: from one ranking to the other, the height, and of a line of names in it.
_BETWEEN, _TALLEST, _ROW, _LINE, _REST = 2.5, 4.2, 0.3, 0.14, 0.9
# From the ranking at the right to the names beside it, of which the other ranking is 1 away.
_TO_NAMES = 0.12


def _size_of_slope(result: Standardized[Any]) -> canvas.Size:
    names, raw, own = _rankings(result)
    labels = [_label(names[i], raw[i], own[i]) for i in _named(raw - own)]
    height = min(_ROW * max(len(names), 6), _TALLEST)
    return _BETWEEN * (1 + _TO_NAMES) + canvas.text_width(labels) + 0.7, height + _REST


@canvas.panel(_size_of_slope)
def plot_slope(result: Standardized[Any], ax: Axes) -> None:
    """The ranks of systems by raw and by standardized means; the largest moves are named.

    Rank 1 is the best, and tied systems have the average of their ranks. The systems that move the
    most places, at most ten, have strong lines (blue and solid for up, red and dashed for down) and
    are named, with both ranks. If there are at most twenty systems, all are named. Raw means are
    over the same topics and scores as the standardized means, reversed if lower is better.

    Parameters
    ----------
    result
        Standardized scores of two systems or more.

    Raises
    ------
    PlotError
        For raw scores, of which nothing is standardized, and for fewer than two systems that have
        a finite mean.
    """
    names, raw, own = _rankings(result)
    places = raw - own
    movers, named = _movers(places), _named(places)
    rest = np.setdiff1d(np.arange(len(names)), movers)
    ax.plot([0, 1], [raw[rest], own[rest]], color="0.75", linewidth=0.6, zorder=1)
    for i in movers:
        up = places[i] > 0
        ax.plot(
            [0, 1], [raw[i], own[i]], color=canvas.BLUE if up else canvas.VERMILION, linewidth=1.4,
            linestyle="-" if up else (0, (4, 1.5)), marker="o", markersize=2.5,
        )  # fmt: skip
    # Places for names: as near to their ranks as a line for each and the order allow. As far down
    # as the names above push, then up as far as there is room, least moved of both.
    order = named[np.argsort(own[named], kind="stable")]
    line = _LINE / min(_ROW * max(len(names), 6), _TALLEST) * len(names)
    lines = line * np.arange(len(order))
    pushed = np.maximum.accumulate(own[order] - lines) + lines
    last = len(names) + 0.5 - line * np.arange(len(order))[::-1]
    at = dict(zip(order, np.minimum(pushed, last), strict=True))
    for i in named:
        y = at[i]
        ax.plot([1, 1 + _TO_NAMES], [own[i], y], color=canvas.GREY, linewidth=0.4, clip_on=False)
        ax.annotate(
            _label(names[i], raw[i], own[i]), (1 + _TO_NAMES, y), xytext=(2, 0),
            textcoords="offset points", va="center", fontsize=canvas.SMALL, annotation_clip=False,
        )  # fmt: skip
    ax.set_xlim(-0.05, 1)
    ax.set_ylim(len(names) + 0.5, 0.5)
    ax.set_xticks([0, 1], ["raw scores", "standardized"])
    ax.locator_params(axis="y", integer=True)
    canvas.rank_ticks(ax.yaxis, len(names))
    moved, most = int((places != 0).sum()), float(np.abs(places).max())
    finding = f"{moved:,} of {len(places):,} systems change rank"
    finding += f", by up to {most:g} {'place' if most == 1 else 'places'}"
    if moved == 0:
        finding = "no system changes rank"
    elif moved > len(movers):
        finding += f"\n(strong: {np.abs(places[movers]).min():g} or more)"
    reversal = f", {result.reversal}" if result.reversal else ""
    scheme, measure = str(result.factors.fitted.scheme), measure_of(result.given.frame)
    title = f"{score_label(scheme, measure, mean=True)}{reversal}\n{finding}"
    canvas.finish(
        ax,
        title=canvas.wrapped(title, canvas.WIDTH),
        ylabel="Rank by mean, 1 is the best",
    )
    ax.spines[["top", "bottom", "right"]].set_visible(False)


def _rankings(result: Standardized[Any]) -> tuple[list[str], Array, Array]:
    scheme = result.factors.fitted.scheme
    if scheme.name == "raw":
        raise PlotError(
            "the scores are raw, and the figure 'slope' compares ranks by raw and by standardized "
            "means; expected scores standardized by a scheme, such as 'empirical'"
        )
    present = ~np.isnan(result.frame.to_numpy())
    means = result.frame_of_means["mean"].to_numpy()
    raw = mean(np.where(present, result.used.values, np.nan).T)[:, 0]
    finite = np.isfinite(means) & np.isfinite(raw)
    if finite.sum() < 2:
        raise PlotError(
            f"there are {int(finite.sum())} systems with a finite mean by {scheme}; expected two "
            "or more to rank"
        )
    names = [str(name) for name in result.frame.columns[finite]]
    return names, ranking.ranks(raw[finite]), ranking.ranks(means[finite])


def _movers(places: Array) -> IntArray:
    """Return the systems that move most, about ten, in their order; all of them move."""
    moved = np.abs(places)
    least = np.sort(moved)[::-1][min(_MOVERS, len(moved)) - 1]
    found = np.flatnonzero((moved >= least) & (moved > 0))
    if len(found) > _MOVERS and (moved > least).any():
        found = np.flatnonzero(moved > least)
    return found


def _named(places: Array) -> IntArray:
    return np.arange(len(places)) if len(places) <= _ALL_NAMED else _movers(places)


def _label(name: str, raw: float, own: float) -> str:
    return f"{canvas.name_of(name)}  {raw:g} \u2192 {own:g}"


_MEANS_WIDTH, _SYSTEM = 2.8, 0.125
# More systems do not fit on one page.
_SYSTEMS = 90


@canvas.panel(
    lambda result: (
        0.3 + _MEANS_WIDTH + canvas.text_width(map(canvas.name_of, {*result.means["system"]})),
        1.3 + _SYSTEM * min(_SYSTEMS, result.means["system"].nunique()),
    )
)
def plot_reference_uncertainty(result: ReferenceUncertainty, ax: Axes, *, scheme: str = "") -> None:
    """Draw the mean of each system, with intervals from the topics alone and from both.

    The largest mean is at the top; of more than 90 systems the best 90 are drawn.

    Parameters
    ----------
    result
        The uncertainty of means from topics and reference systems.

    Examples
    --------
    >>> from cdfscore import compare, datasets
    >>> scores = datasets.load_cranfield("ap").iloc[:20]
    >>> settings = {"scheme": "normal", "reference": scores.iloc[:, 20:35]}
    >>> found = compare(
    ...     scores.iloc[:, :3], "paired_t", **settings, reference_uncertainty=200
    ... )
    >>> plot_reference_uncertainty(found.uncertainty).get_title()
    'Intervals of 95%'
    """
    rows = result.means[result.means["scheme"] == scheme].sort_values("mean", kind="stable")
    title = f"Intervals of {100 * result.conf_level:.12g}%"
    if len(rows) > _SYSTEMS:
        title += f"\nthe {_SYSTEMS} best of {len(rows):,} systems"
        rows = rows.iloc[-_SYSTEMS:]
    places = np.arange(len(rows))
    mean, stderr, n = (rows[name].to_numpy() for name in ("mean", "stderr_topics", "n"))
    ends = interval(mean, stderr, n.astype(np.float64) - 1, "two-sided", result.conf_level)
    both = rows["both_low"], rows["both_high"]
    ax.hlines(places, *both, color=canvas.ORANGE, linewidth=1.0, label="topics and reference")
    ax.hlines(places, *ends, color=canvas.BLUE, linewidth=2.5, label="topics alone")
    ax.plot(mean, places, "o", color=canvas.BLACK, markersize=2.5)
    ax.set_yticks(places, list(map(canvas.name_of, rows["system"])))
    ax.set_ylim(-0.7, len(rows) - 0.3)
    canvas.finish(
        ax,
        title=title,
        xlabel=canvas.wrapped(f"{score_label(scheme, mean=True)} {canvas.HIGHER}", _MEANS_WIDTH),
    )
    canvas.legend_below(ax)
