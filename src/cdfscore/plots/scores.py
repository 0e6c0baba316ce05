"""Figures of scores: the matrix, each topic, raw against standardized, profiles of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.common.text import counted
from cdfscore.plots.canvas import (
    BLACK,
    BLUE,
    GREY,
    SMALL,
    VERMILION,
    Size,
    drawn_on,
    finish,
    in_units,
    legend_below,
    limits,
    name_of,
    panel,
    styles,
    text_width,
    wrapped,
)
from cdfscore.plots.words import score_label
from cdfscore.scores.dataframes import measure_of, units_of
from cdfscore.standardization.standardized import Factors, Standardized
from cdfscore.stats.numerics.types import Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Topics, and systems, that have a name each.
_LABELLED = 45
# Of a row or column with a name, and of all of those without, in inches.
_CELL, _ALL = 0.125, 2.9
# Room for the axes and the bar of colors, in inches.
_AROUND = (1.5, 1.0)


def _size_of_scores(result: Standardized) -> Size:
    topics, systems = result.used.topics, result.used.systems
    wide, high = _side(topics), _side(systems)
    of_systems = text_width(map(name_of, systems)) if len(systems) <= _LABELLED else 0.0
    of_topics = text_width(map(name_of, topics)) if len(topics) <= _LABELLED else 0.0
    return _AROUND[0] + wide + of_systems, _AROUND[1] + high + of_topics


@panel(_size_of_scores)
def plot_scores(result: Standardized, ax: Axes | None = None) -> Axes:
    """The score matrix as a heat map: rows are systems, columns are topics.

    The system with the highest mean of these scores is at the top. By every scheme, topics are
    ordered by their mean raw score, with the easiest at the right. If lower is better, raw scores
    are reversed first. Missing scores are crosses. Infinite scores have the color of the largest
    or lowest finite score. Up to 45 systems, and up to 45 topics, are named.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_scores
    >>> scores = datasets.load_cranfield("ap").iloc[:, :3]
    >>> plot_scores(Standardizer("raw").standardize(scores)).get_xlabel()
    '225 topics, by mean raw score'
    """
    scores = result.frame.to_numpy()
    rows, columns = by_mean(scores.T), by_mean(result.used.values)
    drawn = scores.T[np.ix_(rows, columns)]
    systems = [name_of(result.used.systems[i]) for i in rows]
    topics = [name_of(result.used.topics[i]) for i in columns]
    missing = int(np.isnan(scores).sum())
    with drawn_on(ax, _size_of_scores(result)) as axes:
        _draw_cells(axes, drawn, wrapped(label_of(result), _size_of_scores(result)[1] - 0.8))
        axes.set_yticks(*_ticks(systems))
        axes.set_xticks(*_ticks(topics), rotation=90)
        finish(
            axes,
            title=f"{counted(missing, 'missing score')} (crosses)" if missing else "",
            xlabel=in_own_units(result, f"{counted(len(topics), 'topic')}, by mean raw score"),
            ylabel=in_own_units(result, f"{counted(len(systems), 'system')}, by mean"),
        )
    return axes


def _side(labels: Sequence[str]) -> float:
    return max(1.0, _CELL * len(labels)) if len(labels) <= _LABELLED else _ALL


def _ticks(labels: Sequence[str]) -> tuple[list[int], list[str]]:
    return (list(range(len(labels))), list(labels)) if len(labels) <= _LABELLED else ([], [])


def _draw_cells(axes: Axes, drawn: Array, label: str) -> None:
    """Draw the cells, a cross for each without a score, and the bar of colors at the right."""
    finite = drawn[np.isfinite(drawn)]
    if len(finite):  # infinite scores as the largest or the lowest of the others
        image_of = np.clip(drawn, finite.min(), finite.max())
    else:
        image_of = np.full_like(drawn, np.nan)
    image = axes.imshow(
        np.ma.masked_invalid(image_of), cmap="cividis", aspect="auto", origin="lower",
        interpolation="nearest", rasterized=True,
    )  # fmt: skip
    row, column = np.nonzero(np.isnan(drawn))
    for marker, color, points in (("s", "white", 3.5), ("x", BLACK, 2.5)):  # seen on every color
        axes.plot(
            column, row, marker, color=color, markersize=points, markeredgewidth=0.6,
            rasterized=True,
        )  # fmt: skip
    side = axes.inset_axes((1.03, 0.0, 0.04, 1.0))
    bar = axes.figure.colorbar(image, cax=side)
    bar.outline.set_linewidth(0.5)
    finish(side, ylabel=label)


_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
# Topics that have a box and a label each.
_BOXES = 40
_BANDS_WIDTH, _TOPICS_HEIGHT = 4.2, 3.1
# Of a topic with its box, and of the axis of scores, in inches.
_TOPIC, _AXIS = 0.15, 0.8


def _size_of_per_topic(result: Standardized) -> Size:
    labels, _ = _ordered(result)
    if len(labels) > _BOXES:
        return _BANDS_WIDTH, _TOPICS_HEIGHT
    return max(2.6, _AXIS + _TOPIC * len(labels)), _TOPICS_HEIGHT + text_width(labels)


@panel(_size_of_per_topic)
def plot_per_topic(result: Standardized, ax: Axes | None = None) -> Axes:
    """The distribution of the scores of each topic.

    Each of 40 topics or fewer is drawn as in the bottom row of Figure 1 of Urbano, Lima and
    Hanjalic (2019): a thin line from the lowest to the highest score, a thick line between the
    quartiles, a gap at the median, and a point at the mean. More topics are drawn as bands, with
    lines for the median and the mean.

    By every scheme, topics are ordered by their mean raw score, so figures by several schemes can
    be compared topic by topic. If lower is better, raw scores are reversed first.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_per_topic
    >>> scores = datasets.load_cranfield("ap")
    >>> plot_per_topic(Standardizer("empirical").standardize(scores)).get_xlabel()
    '225 topics, by mean raw score'
    """
    labels, scores = _ordered(result)
    few = len(labels) <= _BOXES
    width, height = _size_of_per_topic(result)
    with drawn_on(ax, (width, height)) as axes:
        if few:
            _boxes(axes, scores)
            axes.set_xticks(range(len(labels)), labels, rotation=90)
        else:
            _bands(axes, scores)
            axes.set_xticks([])
        systems = counted(scores.shape[1], "system")
        drawn = (
            "line: all scores; box: quartiles; gap: median; dot: mean"
            if few
            else "light: all scores; dark: between the quartiles"
        )
        finish(
            axes,
            title=wrapped(
                in_own_units(result, f"Scores of {systems} by topic\n{drawn}"), width - 0.6
            ),
            xlabel=in_own_units(result, f"{counted(len(labels), 'topic')}, by mean raw score"),
            ylabel=wrapped(label_of(result), _TOPICS_HEIGHT - 0.6),
        )
        axes.set_xlim(-1, len(labels))
        axes.set_ylim(limits(scores))
    return axes


def _ordered(result: Standardized) -> tuple[Sequence[str], Array]:
    """Return the topics that have a score, by mean raw score, and their standardized scores."""
    y = result.frame.to_numpy()
    finite = np.where(np.isfinite(y), y, np.nan)  # infinite ones of constant topics have no place
    order = [i for i in by_mean(result.used.values) if np.isfinite(y[i]).any()]
    return [name_of(result.used.topics[i]) for i in order], finite[order]


def _boxes(axes: Axes, scores: Array) -> None:
    low, lower, median, upper, high = np.nanquantile(scores, _LEVELS, axis=1)
    x = np.arange(len(scores))
    axes.vlines(x, low, high, linewidth=0.8, color="0.6")
    axes.vlines(x, lower, upper, linewidth=4.0, color=BLUE)
    axes.plot(x, median, "_", markersize=4, markeredgewidth=1.2, color="white")
    axes.plot(x, np.nanmean(scores, axis=1), "o", markersize=2.0, color=BLACK)


def _bands(axes: Axes, scores: Array) -> None:
    low, lower, median, upper, high = np.nanquantile(scores, _LEVELS, axis=1)
    x = np.arange(len(scores))
    axes.fill_between(x, low, high, color="0.85", linewidth=0)
    axes.fill_between(x, lower, upper, color=BLUE, alpha=0.35, linewidth=0)
    axes.plot(x, median, color=BLACK, linewidth=0.8, label="median")
    mean = np.nanmean(scores, axis=1)
    axes.plot(x, mean, "--", color=VERMILION, linewidth=1.2, label="mean")
    axes.legend(fontsize=SMALL, frameon=False, ncols=2)


# The more lines, the lighter each.
_LIGHTEST, _DARKEST, _LINES = 0.06, 0.7, 30
# Scores of which each is a point of its own; of more, points are smaller, and then fainter.
_POINTS, _SOLID, _FAINTEST = 2000, 10_000, 0.05
_LINES_SIZE = 3.6, 3.1


@panel(_LINES_SIZE)
def plot_standardized(result: Standardized, ax: Axes | None = None) -> Axes:
    """Standardized scores against raw scores, with a line for each topic.

    Parameters
    ----------
    result
        Standardized scores.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_standardized
    >>> scores = datasets.load_cranfield("ap").iloc[:20]
    >>> plot_standardized(Standardizer("normal").standardize(scores)).get_title()
    '20 topics x 67 systems, a line per topic'
    """
    y = result.frame.to_numpy()
    rows = {topic: row for row, topic in enumerate(result.given.topics)}
    # Topics that only the factors have, and that the policy takes as 0, were given no score.
    own = [i for i, topic in enumerate(result.used.topics) if topic in rows]
    x = result.given.values[[rows[result.used.topics[i]] for i in own]]
    y = y[own]
    order = np.argsort(x, axis=1, kind="stable")  # missing scores are last, and draw nothing
    drawn = int((np.isfinite(x) & np.isfinite(y)).any(axis=1).sum())
    sizes = f"{counted(drawn, 'topic')} x {counted(y.shape[1], 'system')}"
    with drawn_on(ax, _LINES_SIZE) as axes:
        draw_lines(axes, np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1))
        axes.scatter(
            x.ravel(), y.ravel(), s=4.0 if x.size <= _POINTS else 0.7, color=BLACK,
            alpha=min(1.0, max(_FAINTEST, _SOLID / x.size)), linewidths=0, rasterized=True,
            zorder=2,
        )  # fmt: skip
        finish(
            axes,
            title=wrapped(in_own_units(result, f"{sizes}, a line per topic"), _LINES_SIZE[0] - 0.5),
            xlabel=wrapped(raw_label(result), _LINES_SIZE[0] - 0.6),
            ylabel=wrapped(label_of(result), _LINES_SIZE[1] - 0.6),
        )
        axes.set_xlim(limits(x))
        axes.set_ylim(limits(y))
    return axes


def draw_lines(axes: Axes, x: Array, y: Array) -> None:
    """Draw a line for each row of x and y, both (topics, points); all are one object."""
    from matplotlib.collections import LineCollection

    lines = [each[np.isfinite(each).all(axis=1)] for each in np.stack([x, y], axis=2)]
    alpha = min(_DARKEST, max(_LIGHTEST, _LINES / max(len(lines), 1)))
    axes.add_collection(
        LineCollection(lines, colors=GREY, linewidths=0.5, alpha=alpha, rasterized=True)
    )


# Systems with a line of their own; the others are gray.
_BEST = 6
_LEVEL = 0.95
_PROFILE_WIDTH, _PROFILE_HEIGHT, _ENTRY = 3.8, 3.1, 0.16


def _size_of_performance_profile(result: Standardized) -> Size:
    systems = result.used.systems
    height = _PROFILE_HEIGHT + _ENTRY * (1 + min(_BEST, len(systems)))
    return max(_PROFILE_WIDTH, text_width(map(name_of, systems)) + 0.8), height


@panel(_size_of_performance_profile)
def plot_performance_profile(result: Standardized, ax: Axes | None = None) -> Axes:
    """The share of topics on which each system scores t or more, for every t.

    This is 1 minus the cdf of its scores. The six systems with the highest means have lines of
    their own; the others are gray. The band around the line of the best system is the 95 %
    percentile interval of the bootstrap over topics, at each t separately.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.

    Notes
    -----
    Source: Dolan and More (2002), Benchmarking optimization software with performance profiles,
    Mathematical Programming 91, 201-213; with bootstrap bands as in Agarwal et al. (2021), Deep
    reinforcement learning at the edge of the statistical precipice. Of topics that are drawn with
    replacement, the number with t or more is binomial; so no resample is drawn.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_performance_profile
    >>> scores = datasets.load_cranfield("ap").iloc[:, :3]
    >>> plot_performance_profile(Standardizer("raw").standardize(scores)).get_ylabel()
    'Share of topics with t or more'
    """
    scores = result.frame.to_numpy().T
    order = by_mean(scores)[::-1]
    finite = scores[np.isfinite(scores)]
    ends = np.array([finite.min(), finite.max()]) if len(finite) else np.array([0.0, 1.0])
    with drawn_on(ax, _size_of_performance_profile(result)) as axes:
        names = [name_of(result.used.systems[i]) for i in order[:_BEST]]
        looks = styles(names)
        for i in order[_BEST:]:
            axes.step(*_shares(scores[i], ends), where="pre", color="0.8", linewidth=0.5, zorder=1)
        for place, (i, name) in enumerate(zip(order, names, strict=False)):
            t, share = _shares(scores[i], ends)
            look = {key: looks[name][key] for key in ("color", "linestyle")}
            if place == 0:
                low, high = _band(share, int(np.isfinite(scores[i]).sum()))
                axes.fill_between(
                    t, low, high, step="pre", color=look["color"], alpha=0.15, linewidth=0,
                    label=f"{_LEVEL:.0%} band of the best, by bootstrap",
                )  # fmt: skip
            axes.step(t, share, where="pre", linewidth=1.2, label=name, **look)
        finish(
            axes,
            title=in_own_units(result, f"The {len(names)} best of {len(scores)} systems by mean"),
            xlabel=wrapped(f"t: {label_of(result)}", _PROFILE_WIDTH - 0.6),
            ylabel=in_own_units(result, "Share of topics with t or more"),
        )
        axes.set_xlim(limits(ends))
        axes.set_ylim(-0.02, 1.02)
        legend_below(axes)
    return axes


def _shares(scores: Array, ends: Array) -> tuple[Array, Array]:
    """Return the scores of a system, between the ends of all, and the share at or above each."""
    own = np.sort(scores[~np.isnan(scores)])
    t = np.unique([*own, *ends])
    return t, (len(own) - np.searchsorted(own, t, side="left")) / max(1, len(own))


def _band(share: Array, n: int) -> tuple[Array, Array]:
    """Return the ends of the band of each share of n topics."""
    from scipy.stats import binom

    tail, n = (1 - _LEVEL) / 2, max(1, n)
    low, high = (np.asarray(binom.ppf(q, n, share)) / n for q in (tail, 1 - tail))
    return low, high


_SIZE_OF_TOPIC_VARIANCE = 3.8, 3.5


@panel(_SIZE_OF_TOPIC_VARIANCE)
def plot_topic_variance(result: Standardized, ax: Axes | None = None) -> Axes:
    """The share of the topics in the variance between systems.

    The line is the cumulative share in the sum of the variances between systems. Topics are ordered
    by their variance over systems, the largest first. If all topics had the same
    variance, the line would be straight. A line that rises fast says that few topics decide the
    means. Beside standardized scores, the raw scores are drawn.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_topic_variance
    >>> scores = datasets.load_cranfield("ap")
    >>> print(plot_topic_variance(Standardizer("empirical").standardize(scores)).get_title())
    Half of the variance between systems
    lies in 36 of 225 topics by raw scores
    """
    own, raw = _cumulated(result.frame.to_numpy()), _cumulated(result.used.values)
    is_raw = str(result.factors.fitted.scheme) == "raw"
    half = min(int(np.searchsorted(raw, 0.5)) + 1, len(raw))
    with drawn_on(ax, _SIZE_OF_TOPIC_VARIANCE) as axes:
        for y, label, color, dashes in (
            (raw, f"raw: {raw_label(result)}", VERMILION, (0, (5, 1.5))),
            *([] if is_raw else [(own, label_of(result), BLUE, "solid")]),
        ):
            x = np.arange(len(y) + 1) / max(1, len(y))
            label = wrapped(label, _SIZE_OF_TOPIC_VARIANCE[0] - 1.0)
            axes.plot(x, np.append(0.0, y), color=color, linestyle=dashes, lw=1.4, label=label)
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.6, label="equal variances")
        title = "Half of the variance between systems\n"
        title += f"lies in {half} of {len(raw)} topics by raw scores"
        finish(
            axes,
            title=in_own_units(result, title),
            xlabel=in_own_units(result, "Share of topics, the largest variance first"),
            ylabel="Share of the sum of variances",
        )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.01)
        legend_below(axes)
    return axes


def _cumulated(scores: Array) -> Array:
    masked = np.ma.masked_invalid(scores)
    variances = np.sort(np.asarray(masked.var(axis=1).filled(0.0)))[::-1]
    total = float(variances.sum())
    shares: Array = np.cumsum(variances) / total if total > 0 else np.linspace(0, 1, len(variances))
    return shares


def raw_label(result: Factors | Standardized) -> str:
    """Return the label of an axis of raw scores, such as "Average precision"."""
    return score_label("raw", _measure(result))


def label_of(result: Factors | Standardized) -> str:
    """Return the label of an axis of standardized scores; see `score_label`.

    If raw scores are reversed because lower is better, the label states it.
    """
    factors = result if isinstance(result, Factors) else result.factors
    scheme = str(factors.fitted.scheme)
    label = score_label(scheme, _measure(result))
    return f"{label}, {factors.reversal}" if factors.reversal and scheme == "raw" else label


def _measure(result: Factors | Standardized) -> str | None:
    if isinstance(result, Factors):
        return result.measure
    return measure_of(result.given.frame) or result.factors.measure


def by_mean(scores: Array) -> IntArray:
    """Return the rows, ordered by their means of finite scores; rows without one come first."""
    means = np.ma.masked_invalid(scores).mean(axis=1).filled(-np.inf)
    return np.argsort(means, kind="stable")


def in_own_units(result: Standardized, text: str) -> str:
    """Return a text of systems and topics in the words of the scores; see `in_units`."""
    return in_units(units_of(result.given.frame), text)
