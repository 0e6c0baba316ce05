"""Figures of scores and of what is fitted to them: topics, systems, cdfs, their fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.common.text import capitalized, counted, in_units, kept
from cdfscore.diagnosis import Diagnosis
from cdfscore.diagnosis.criteria import BAND, normal_end
from cdfscore.errors import FactorsError, PlotError, did_you_mean
from cdfscore.plots.canvas import (
    BLACK,
    BLUE,
    GREY,
    HIGHER,
    SMALL,
    VERMILION,
    Size,
    finish,
    legend_below,
    limits,
    name_of,
    name_places,
    panel,
    span,
    styles,
    text_width,
    wrapped,
)
from cdfscore.plots.words import measure_label, scheme_label, score_label
from cdfscore.scores.dataframes import measure_of
from cdfscore.standardization import policies
from cdfscore.standardization.standardized import Factors, Standardized
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.schemes.empirical import Empirical, dkw_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of a row or column, and of all at least and at most, in inches.
_CELL, _LEAST, _ALL = 0.125, 1.0, 5.6
# Room for the axes, the title and the bar of colors, in inches.
_AROUND = (1.5, 1.2)


def _size_of_scores(result: Standardized) -> Size:
    wide, high = _sides(result)
    of_topics, of_systems = (
        text_width(map(name_of, each)) for each in (result.used.topics, result.used.systems)
    )
    return _AROUND[0] + wide + of_systems, _AROUND[1] + high + of_topics


def _sides(result: Standardized) -> tuple[float, float]:
    wide, high = (min(max(_LEAST, _CELL * count), _ALL) for count in result.used.values.shape)
    return wide, high


@panel(_size_of_scores)
def plot_scores(result: Standardized, ax: Axes) -> None:
    """The score matrix as a heat map: rows are systems, columns are topics.

    The system with the highest mean of these scores is at the top. By every scheme, topics are
    ordered by their mean raw score, with the easiest at the right. If lower is better, raw scores
    are reversed first. Missing scores are crosses. Infinite scores have the color of the largest
    or lowest finite score. Of more than 70 systems or topics, one in two or more is named.
    """
    scores = result.frame.to_numpy()
    rows, columns = by_mean(scores.T)[::-1], by_mean(result.used.values)
    drawn = scores.T[np.ix_(rows, columns)]
    systems = [name_of(result.used.systems[i]) for i in rows]
    topics = [name_of(result.used.topics[i]) for i in columns]
    missing = int(np.isnan(scores).sum())
    finite = drawn[np.isfinite(drawn)]
    # Infinite scores as the largest or the lowest of the others.
    image_of = np.clip(drawn, *(finite.min(), finite.max()) if len(finite) else (np.nan, np.nan))
    image = ax.imshow(
        np.ma.masked_invalid(image_of), cmap="cividis", aspect="auto", interpolation="nearest",
        rasterized=True,
    )  # fmt: skip
    row, column = np.nonzero(np.isnan(drawn))
    for marker, color, points in (("s", "white", 3.5), ("x", BLACK, 2.5)):  # seen on every color
        ax.plot(
            column, row, marker, color=color, markersize=points, markeredgewidth=0.6,
            rasterized=True,
        )  # fmt: skip
    side = ax.inset_axes((1.03, 0.0, 0.04, 1.0))
    bar = ax.figure.colorbar(image, cax=side)
    bar.outline.set_linewidth(0.5)
    finish(side, ylabel=wrapped(label_of(result), _size_of_scores(result)[1] - 0.8))
    wide, high = _sides(result)
    of_topics, of_systems = (
        name_places(ax.xaxis, topics, wide),
        name_places(ax.yaxis, systems, high),
    )
    title = f"{counted(len(systems), 'system')} on {counted(len(topics), 'topic')}"
    if missing:
        title += f"\n{counted(missing, 'missing score')} (crosses)"
    finish(
        ax,
        title=wrapped(title, wide + 0.6),
        xlabel=wrapped(f"Topics by mean raw score{of_topics}", wide + 0.6),
        ylabel=wrapped(f"Systems, best first{of_systems}", high + 0.6),
    )
    ax.tick_params(axis="x", labelrotation=90)


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
def plot_per_topic(result: Standardized, ax: Axes) -> None:
    """The distribution of the scores of each topic.

    Each of 40 topics or fewer is drawn as in the bottom row of Figure 1 of Urbano, Lima and
    Hanjalic (2019): a thin line from the lowest to the highest score, a thick line between the
    quartiles, a gap at the median, and a point at the mean. More topics are drawn as bands, with
    lines for the median and the mean.

    By every scheme, topics are ordered by their mean raw score, so figures by several schemes can
    be compared topic by topic. If lower is better, raw scores are reversed first.
    """
    labels, scores = _ordered(result)
    width, _ = _size_of_per_topic(result)
    low, lower, median, upper, high = np.nanquantile(scores, _LEVELS, axis=1)
    x, mean = np.arange(len(scores)), np.nanmean(scores, axis=1)
    if len(labels) <= _BOXES:
        drawn = "line: range; box: quartiles; gap: median; dot: mean"
        ax.vlines(x, low, high, linewidth=0.8, color="0.6")
        ax.vlines(x, lower, upper, linewidth=4.0, color=BLUE)
        ax.plot(x, median, "_", markersize=4, markeredgewidth=1.2, color="white")
        ax.plot(x, mean, "o", markersize=2.0, color=BLACK)
        ax.set_xticks(range(len(labels)), labels, rotation=90)
    else:
        drawn = "light: all scores; dark: between the quartiles"
        ax.fill_between(x, low, high, color="0.85", linewidth=0)
        ax.fill_between(x, lower, upper, color=BLUE, alpha=0.35, linewidth=0)
        ax.plot(x, median, color=BLACK, linewidth=0.8, label="median")
        ax.plot(x, mean, "--", color=VERMILION, linewidth=1.2, label="mean")
        ax.legend(fontsize=SMALL, frameon=False, ncols=2)
        ax.set_xticks([])
    systems = counted(scores.shape[1], "system")
    finish(
        ax,
        title=wrapped(f"Scores of {systems} by topic\n{drawn}", width - 0.6),
        xlabel=f"{counted(len(labels), 'topic')}, by mean raw score",
        ylabel=wrapped(label_of(result), _TOPICS_HEIGHT - 0.6),
    )
    ax.set_xlim(-1, len(labels))
    ax.set_ylim(limits(scores))


def _ordered(result: Standardized) -> tuple[Sequence[str], Array]:
    y = result.frame.to_numpy()
    finite = np.where(np.isfinite(y), y, np.nan)  # infinite ones of constant topics have no place
    order = [i for i in by_mean(result.used.values) if np.isfinite(y[i]).any()]
    return [name_of(result.used.topics[i]) for i in order], finite[order]


# The more lines, the lighter each.
_LIGHTEST, _DARKEST, _LINES = 0.06, 0.7, 30
# Scores of which each is a point of its own; of more, points are smaller, and then fainter.
_POINTS, _SOLID, _FAINTEST = 2000, 10_000, 0.05
# Topics, at most, with lines that a legend names.
_FEW = 10
_LINES_SIZE = 3.6, 3.1
# Inches of a line of a legend.
_ENTRY = 0.16


def _size_of_lines(result: Factors | Standardized) -> Size:
    factors = result if isinstance(result, Factors) else result.factors
    labels = list(map(name_of, factors.topics)) if len(factors.topics) <= _FEW else []
    width, height = _LINES_SIZE
    return max(width, text_width(labels) + 0.8), height + _ENTRY * len(labels)


@panel(_size_of_lines)
def plot_standardized(result: Standardized, ax: Axes) -> None:
    """Standardized scores against raw scores, with a line for each topic; of 10 or fewer, named.

    Parameters
    ----------
    result
        Standardized scores.
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
    topics = [result.used.topics[i] for i in own]
    _draw_lines(ax, np.take_along_axis(x, order, 1), np.take_along_axis(y, order, 1), topics)
    looks = styles(topics).values() if len(topics) <= _FEW else ()
    ax.scatter(
        x.ravel(), y.ravel(), s=4.0 if x.size <= _POINTS else 0.7,
        color=np.repeat([look["color"] for look in looks], x.shape[1]) if looks else BLACK,
        alpha=min(1.0, max(_FAINTEST, _SOLID / x.size)), linewidths=0, rasterized=True,
        zorder=2,
    )  # fmt: skip
    finish(
        ax,
        title=wrapped(f"{sizes}, a line per topic", _LINES_SIZE[0] - 0.5),
        xlabel=wrapped(raw_label(result), _LINES_SIZE[0] - 0.6),
        ylabel=wrapped(label_of(result), _LINES_SIZE[1] - 0.6),
    )
    ax.set_xlim(limits(x))
    ax.set_ylim(limits(y))
    if len(topics) <= _FEW:
        legend_below(ax)


def _draw_lines(axes: Axes, x: Array, y: Array, topics: Sequence[str]) -> None:
    """Draw a line for each row of x and y, both (topics, points); few have names."""
    from matplotlib.collections import LineCollection

    lines = [each[np.isfinite(each).all(axis=1)] for each in np.stack([x, y], axis=2)]
    if len(topics) <= _FEW:
        looks = styles(map(name_of, topics))
        for line, (topic, look) in zip(lines, looks.items(), strict=True):
            if len(line):
                axes.plot(*line.T, **look | {"marker": ""}, label=topic, linewidth=1.0, zorder=1)
        return
    alpha = min(_DARKEST, max(_LIGHTEST, _LINES / max(len(lines), 1)))
    axes.add_collection(
        LineCollection(lines, colors=GREY, linewidths=0.5, alpha=alpha, rasterized=True)
    )


# Systems with a line of their own; the others are gray.
_BEST = 6
_LEVEL = 0.95
_PROFILE_WIDTH, _PROFILE_HEIGHT = 3.8, 3.1


@panel(
    lambda result: (
        max(_PROFILE_WIDTH, text_width(map(name_of, result.used.systems)) + 0.8),
        _PROFILE_HEIGHT + _ENTRY * (1 + min(_BEST, len(result.used.systems))),
    )
)
def plot_performance_profile(result: Standardized, ax: Axes) -> None:
    """The share of topics on which each system scores t or more, for every t.

    This is 1 minus the cdf of its scores. The six systems with the highest means have lines of
    their own; the others are gray. The band around the line of the best system is the 95 %
    percentile interval of the bootstrap over topics, at each t separately.

    Notes
    -----
    Source: Dolan and More (2002), Benchmarking optimization software with performance profiles,
    Mathematical Programming 91, 201-213; with bootstrap bands as in Agarwal et al. (2021), Deep
    reinforcement learning at the edge of the statistical precipice. Of topics that are drawn with
    replacement, the number with t or more is binomial; so no resample is drawn.
    """
    from scipy.stats import binom

    scores = result.frame.to_numpy().T
    order = by_mean(scores)[::-1]
    finite = scores[np.isfinite(scores)]
    ends = np.array([finite.min(), finite.max()]) if len(finite) else np.array([0.0, 1.0])
    names = [name_of(result.used.systems[i]) for i in order[:_BEST]]
    title = f"{len(names)} systems, best mean first"
    if len(scores) > _BEST:
        title = f"The {_BEST} best of {len(scores)} systems by mean"
    looks = styles(names)
    for i in order[_BEST:]:
        ax.step(*_shares(scores[i], ends), where="pre", color="0.8", linewidth=0.5, zorder=1)
    for place, (i, name) in enumerate(zip(order, names, strict=False)):
        t, share = _shares(scores[i], ends)
        look = {key: looks[name][key] for key in ("color", "linestyle")}
        if place == 0:
            n, tail = max(1, int(np.isfinite(scores[i]).sum())), (1 - _LEVEL) / 2
            low, high = (np.asarray(binom.ppf(q, n, share)) / n for q in (tail, 1 - tail))
            ax.fill_between(
                t, low, high, step="pre", color=look["color"], alpha=0.15, linewidth=0,
                label=f"{_LEVEL:.0%} band of the best, by bootstrap",
            )  # fmt: skip
        ax.step(t, share, where="pre", linewidth=1.2, label=name, **look)
    finish(
        ax,
        title=title,
        xlabel=wrapped(f"t: {label_of(result)}", _PROFILE_WIDTH - 0.6),
        ylabel="Share of topics with t or more",
    )
    ax.set_xlim(limits(ends))
    ax.set_ylim(-0.02, 1.02)
    legend_below(ax)


def _shares(scores: Array, ends: Array) -> tuple[Array, Array]:
    """Return the scores of a system, between the ends of all, and the share at or above each."""
    own = np.sort(scores[~np.isnan(scores)])
    t = np.unique([*own, *ends])
    return t, (len(own) - np.searchsorted(own, t, side="left")) / max(1, len(own))


_SIZE_OF_TOPIC_VARIANCE = 3.8, 3.5
# Differences below this are rounding.
_SAME = 1e-9


@panel(_SIZE_OF_TOPIC_VARIANCE)
def plot_topic_variance(result: Standardized, ax: Axes) -> None:
    """The share of the topics in the variance between systems.

    The line is the cumulative share in the sum of the variances between systems. Topics are ordered
    by their variance over systems, the largest first. If all topics had the same
    variance, the line would be straight. A line that rises fast says that few topics decide the
    means. Beside standardized scores, the raw scores are drawn.
    """
    own, raw = _cumulated(result.frame.to_numpy()), _cumulated(result.used.values)
    scheme, measure, told = str(result.factors.fitted.scheme), _measure(result), []
    for y, name, color, dashes in (
        (raw, "raw", VERMILION, (0, (5, 1.5))),
        *([] if scheme == "raw" else [(own, scheme, BLUE, "solid")]),
    ):
        half = min(int(np.searchsorted(y, 0.5 - _SAME)) + 1, len(y))
        told.append(f"in {half} of {counted(len(y), 'topic')} by {scheme_label(name)}")
        label = score_label(name, measure) + (", raw" if name == "raw" else "")
        x = np.arange(len(y) + 1) / max(1, len(y))
        label = wrapped(label, _SIZE_OF_TOPIC_VARIANCE[0] - 1.0)
        ax.plot(x, np.append(0.0, y), color=color, linestyle=dashes, lw=1.4, label=label)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.6, label="equal variances")
    title = "Half of the variance between systems lies\n" + ",\nand ".join(told)
    finish(
        ax,
        title=wrapped(title, _SIZE_OF_TOPIC_VARIANCE[0] - 0.6),
        xlabel="Share of topics, the largest variance first",
        ylabel="Share of the sum of variances",
    )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.01)
    legend_below(ax)


def _cumulated(scores: Array) -> Array:
    masked = np.ma.masked_invalid(scores)
    variances = np.sort(np.asarray(masked.var(axis=1).filled(0.0)))[::-1]
    total = float(variances.sum())
    shares: Array = np.cumsum(variances) / total if total > 0 else np.linspace(0, 1, len(variances))
    return shares


def raw_label(result: Factors | Standardized) -> str:
    """Return the label of an axis of scores as given: "Average precision (higher is better)"."""
    factors = result if isinstance(result, Factors) else result.factors
    lower = len(factors.reversed_topics)
    way = HIGHER.replace("higher", "lower") if lower else HIGHER
    label = score_label("raw", _measure(result))
    return label if 0 < lower < len(factors.topics) else f"{label} {way}"


def label_of(result: Factors | Standardized) -> str:
    """Return the label of an axis of standardized scores; see `score_label`."""
    factors = result if isinstance(result, Factors) else result.factors
    scheme = str(factors.fitted.scheme)
    label = score_label(scheme, _measure(result))
    if factors.reversal and scheme == "raw":
        label += f", {factors.reversal}"
    return f"{label} {HIGHER}"


def _measure(result: Factors | Standardized) -> str | None:
    if isinstance(result, Factors):
        return result.measure
    return measure_of(result.given.frame) or result.factors.measure


def by_mean(scores: Array) -> IntArray:
    """Return the rows, ordered by their means of finite scores; rows without one come first."""
    means = np.ma.masked_invalid(scores).mean(axis=1).filled(-np.inf)
    return np.argsort(means, kind="stable")


_STEPS = 400
_QUARTILES = (0.25, 0.5, 0.75)


@panel(_size_of_lines)
def plot_mapping(result: Factors | Standardized, ax: Axes) -> None:
    """The function y = F_t(x) of each topic t: standardized against raw scores.

    The lines of 10 topics or fewer are named. Of more, a thick line is the median at each x, and a
    band shows the quartiles. One line is drawn if all topics have the same, as of raw scores. If
    lower is better on some topics only, only the topics on which higher is better are drawn,
    because the others have another range.

    Parameters
    ----------
    result
        A scheme that is fitted to topics, or scores that are standardized by it.

    Raises
    ------
    FactorsError
        If the factors do not say the range of their reference scores.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> factors = Standardizer("empirical").fit(datasets.load_cranfield("ap"), measure="AP")
    >>> plot_mapping(factors).get_xlabel()
    'Average precision (higher is better)'
    """
    scores, result = result, result if isinstance(result, Factors) else result.factors
    lower = policies.reversed_topics(result.lower_is_better, result.topics)
    some = bool(lower) and len(lower) < len(result.topics)
    if result.scale is None:
        raise FactorsError(
            "the factors do not contain the range of their reference scores, which the figure "
            "'mapping' needs; plot scores that are standardized by these factors"
        )
    rows = [i for i, each in enumerate(result.topics) if not (some and each in lower)]
    low, high = result.scale.low, result.scale.high
    if not low < high:  # of one constant topic, whose line would be a point
        low, high = span(np.array([low, high]))
    x = np.linspace(low, high, _STEPS + 1)
    of_fit = policies.reflected(result.reflect_at, x) if lower and not some else x
    every = np.broadcast_to(of_fit, (len(rows), len(x)))
    y = policies.evaluate(result.constant, result.fitted.take(np.array(rows)), every)
    finite = np.isfinite(y).all(axis=1)  # a jump of z is infinite
    y, topics = y[finite], [result.topics[i] for i in np.array(rows)[finite]]
    title = counted(len(y), "topic") + (", where higher is better" if some else "")
    if same := len(y) > 1 and bool((y == y[0]).all()):  # of raw scores
        y, topics = y[:1], topics[:1]
        title += ", all with the same line"
    _draw_lines(ax, np.broadcast_to(x, y.shape), y, topics)
    if len(y) > _FEW:
        lower_y, median, upper_y = np.nanquantile(y, _QUARTILES, axis=0)
        ax.fill_between(x, lower_y, upper_y, color=BLUE, alpha=0.3, linewidth=0)
        ax.plot(x, median, color=BLUE, linewidth=1.8)
        title += "\nthick line: median of topics; band: quartiles"
    finish(
        ax,
        title=wrapped(title, _LINES_SIZE[0] - 0.5),
        xlabel=wrapped(raw_label(scores), _LINES_SIZE[0] - 0.6),
        ylabel=wrapped(label_of(scores), _LINES_SIZE[1] - 0.6),
    )
    ax.set_xlim(limits(x))
    ax.set_ylim(limits(y))
    if len(y) <= _FEW and not same:
        legend_below(ax)


_CDF_SIZE = 3.8, 3.1


@panel(_CDF_SIZE)
def plot_dkw(result: Standardized, ax: Axes, *, topic: str | None = None) -> None:
    """The fitted cdf of a topic, and the empirical cdf with its confidence band.

    The band is that of Dvoretzky, Kiefer and Wolfowitz (`cdfscore.dkw_band`). If the scores are
    independent, a fitted cdf that leaves the band is rejected. A wrong family may stay within the
    band, because it is fitted to the same scores; `cdfscore.diagnose` tests the fit. The distance
    is the largest difference of the two cdfs, the Kolmogorov-Smirnov statistic.

    Parameters
    ----------
    result
        Scores that are standardized by a cdf, with the reference scores that it was fitted to.
    topic
        The topic; the one with the largest distance if not given, as the title says.

    Raises
    ------
    PlotError
        For a scheme that is no cdf, reference scores that are not known, and a topic without a fit.
    """
    factors, scheme = result.factors, result.factors.fitted.scheme
    if not scheme.is_cdf:
        raise PlotError(
            f"{scheme} is not a distribution, and the figure 'dkw' shows a cdf; expected a "
            "distribution such as normal, or the figure 'standardized'"
        )
    reference = result.given if result.fitted_to == "these scores" else result.reference
    if reference is None:
        raise PlotError(
            "the factors do not contain the reference scores, which the figure 'dkw' needs; "
            "expected a scheme that is fitted now, or the figure 'mapping'"
        )
    missing = factors.fitted_missing or factors.missing
    lower = factors.lower_is_better, factors.reflect_at
    settled = policies.settled(reference, "reference", missing, *lower)
    places = {topic: row for row, topic in enumerate(factors.topics)}
    sample = settled.take([topic in places for topic in settled.topics])
    rows: IntArray = np.array([places[topic] for topic in sample.topics], dtype=np.int64)
    # Also just before each step of the empirical cdf.
    points = np.concatenate([sample.values, np.nextafter(sample.values, -np.inf)], axis=1)
    differences = np.abs(_fitted(result, rows, points) - Empirical().fit(sample.values)(points))
    distances = np.where(np.isnan(differences), -1.0, differences).max(axis=1)
    # The cdf of a constant topic is the policy's, and no fit.
    constant = np.isin(sample.topics, result.factors.constant_topics)
    apart = np.where(constant, -1.0, distances)  # below 0 without a fit
    row = int(np.argmax(apart)) if topic is None else (*sample.topics, topic).index(topic)
    if row == len(sample.topics):
        raise PlotError(
            f"there is no topic {topic!r} with a fit{did_you_mean(str(topic), sample.topics)}; "
            f"expected one of {len(sample.topics):,} topics, such as {sample.topics[0]!r}"
        )
    if apart[row] < 0:
        which = "no topic has a" if topic is None else f"the topic {topic!r} has no"
        raise PlotError(
            f"{which} fitted cdf under its policies; expected a topic whose scores differ, or the "
            "figure 'scores'"
        )
    own = sample.values[row][np.isfinite(sample.values[row])]
    ends = own.min(), own.max()
    margin = 0.05 * (ends[1] - ends[0]) or 0.5
    x = np.linspace(ends[0] - margin, ends[1] + margin, _STEPS + 1)
    steps = np.unique([x[0], *own, x[-1]])
    low, high = dkw_band(own, steps, _LEVEL)
    name = kept(sample.topics[row])
    of = "" if name.lower().startswith(result.units[1]) else "topic "  # not "Task task 4"
    which = capitalized(f"{of}{name}")
    change = policies.change(*lower, [sample.topics[row]])
    reverse = f", {change.partition(' on ')[0]}" if change else ""
    systems = in_units(result.units, counted(len(own), "system"))
    band, line = f"{_LEVEL:.0%} DKW band", f"empirical, {systems}"
    ax.fill_between(
        steps, low, high, step="post", label=band, facecolor="0.87", edgecolor="0.6", lw=0.5
    )
    ax.step(steps, Empirical().fit(own)(steps), where="post", label=line, color=BLACK, lw=1.0)
    y = _fitted(result, rows[[row]], x[np.newaxis])[0]
    line = wrapped(f"fitted, {scheme_label(str(result.factors.fitted.scheme))}", 2.0, SMALL)
    ax.plot(x, y, label=line, color=VERMILION, lw=1.4, linestyle=(0, (5, 1.5)))
    ax.axhline(0, color=GREY, linewidth=0.3, zorder=0)
    is_same = distances[row] < _SAME  # as of E-std
    if topic is None and (topics := len(sample.topics)) > 1:
        which += f", {'one' if is_same else 'where the fit is worst'} of {topics:,} topics"
    told = f"largest difference of the two cdfs: {distances[row]:.3f}"
    if is_same:
        told = "the fitted cdf is the empirical cdf, by construction"
    finish(
        ax,
        title=wrapped(f"{which}\n{told}", _CDF_SIZE[0] - 0.7),
        xlabel=wrapped(
            f"{score_label('raw', _measure(result))}{reverse} {HIGHER}", _CDF_SIZE[0] - 0.6
        ),
        ylabel="cdf",
    )
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(-0.03, 1.03)
    legend_below(ax)


def _fitted(result: Standardized, rows: IntArray, x: Array) -> Array:
    factors = result.factors
    return policies.evaluate(factors.constant, factors.fitted.take(rows), x)


_ENDS = ("band_low", "band_high")
_SIZE_OF_PIT = 2.9, 2.8


@panel(_SIZE_OF_PIT)
def plot_pit(result: Diagnosis, ax: Axes, *, scheme: str = "") -> None:
    """Histogram of the probability integral transform; it is flat if the scheme fits.

    The histogram of a distribution that fits is flat, at the line. Each bin then lies in the gray
    band with probability 95 % if the scores are independent;
    `cdfscore.diagnosis.criteria.sampling_band` states what else changes the bins. A U shape means
    that scores are more spread than predicted, a hump that they are less spread, and a slope that
    they are higher or lower. A scheme that follows the scores, such as empirical, is nearly flat
    in any case and has no band.

    Parameters
    ----------
    result
        A diagnosis.

    Examples
    --------
    >>> from cdfscore import datasets, diagnose
    >>> found = diagnose(datasets.load_cranfield("ap").iloc[:20], ["normal"], bootstrap=0)
    >>> plot_pit(found).get_title()
    'N-std'
    """
    bins = result.histogram[result.histogram["scheme"] == scheme]
    width = bins["high"] - bins["low"]
    height = bins["proportion"] / bins["expected"]
    ax.bar(bins["low"], height, width, align="edge", color=BLUE, edgecolor="white", lw=0.3)
    ax.axhline(1.0, color=BLACK, linewidth=0.8)
    low, high = (float(bins[end].iloc[0] / bins["expected"].iloc[0]) for end in _ENDS)
    if not math.isnan(low):
        ax.axhspan(low, high, color=GREY, alpha=0.45, linewidth=0, zorder=2)
    topics = counted(result.topics, "topic")
    told = f"{round(bins['count'].sum()):,} scores of {topics}"
    if not bins["count"].sum():
        told = f"no fit for any of {topics}, so no score is predicted"
    elif bins["band_low"].isna().all():
        told += "; no band: the fit follows the scores, so bins are nearly flat in any case"
    else:
        told += f"; gray: {BAND:.0%} range of each bin if the fit is right and scores are "
        told += "independent"
        n = int(result.fits["n"].median())
        higher = normal_end(n, len(bins)) - 1
        if not math.isnan(higher):
            told += f"; with {n} scores the end bins are {higher:.0%} higher if N-std is right"
    caption = wrapped(told, _SIZE_OF_PIT[0] - 0.6, SMALL - 1)
    of = f"PIT of left-out scores, {measure_label(result.measure)}".removesuffix(", score")
    finish(
        ax,
        title=wrapped(scheme_label(scheme), _SIZE_OF_PIT[0] - 0.7),
        xlabel=f"{wrapped(of, _SIZE_OF_PIT[0] - 0.6, SMALL - 1)}\n{caption}",
        ylabel="proportion / expected",
    )
    ax.xaxis.label.set_fontsize(SMALL - 1)
    ax.set_xlim(0, 1)
