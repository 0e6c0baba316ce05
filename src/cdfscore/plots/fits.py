"""Figures of fitted distributions: their cdfs, and how the scores lie in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.common.text import counted
from cdfscore.diagnosis import Diagnosis
from cdfscore.diagnosis.criteria import BAND, normal_end
from cdfscore.errors import FactorsError, PlotError, did_you_mean
from cdfscore.plots.canvas import (
    BLACK,
    BLUE,
    GREY,
    SMALL,
    VERMILION,
    chosen_scheme,
    drawn_on,
    finish,
    limits,
    panel,
    span,
    wrapped,
)
from cdfscore.plots.scores import draw_lines, in_own_units, label_of, raw_label
from cdfscore.plots.words import scheme_label
from cdfscore.standardization import policies
from cdfscore.standardization.standardized import Factors, Standardized
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.schemes.empirical import Empirical, dkw_band

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from cdfscore.standardization.matrix import ScoreMatrix

_STEPS = 400
# From this number of topics on, quartiles are drawn.
_MANY = 10
_QUARTILES = (0.25, 0.5, 0.75)
_SIZE_OF_MAPPING = 3.6, 3.1


@panel(_SIZE_OF_MAPPING)
def plot_mapping(result: Factors, ax: Axes | None = None) -> Axes:
    """The function y = F_t(x) of each topic t: standardized against raw scores.

    With 10 topics or more, a thick line is the median of the topics at each x, and a band shows
    the quartiles. If lower is better on some topics only, only the topics on which higher is better
    are drawn, because the others have another range.

    Parameters
    ----------
    result
        A scheme that is fitted to topics.

    Raises
    ------
    FactorsError
        If the factors do not say the range of their reference scores.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_mapping
    >>> factors = Standardizer("empirical").fit(datasets.load_cranfield("ap"), measure="AP")
    >>> plot_mapping(factors).get_ylabel()
    'Average precision, standardized by E-std'
    """
    lower = policies.reversed_topics(result.lower_is_better, result.topics)
    some = bool(lower) and len(lower) < len(result.topics)
    x, y = _curves(result, set(lower), some)
    with drawn_on(ax, _SIZE_OF_MAPPING) as axes:
        draw_lines(axes, np.broadcast_to(x, y.shape), y)
        title = counted(len(y), "topic") + (", where higher is better" if some else "")
        if len(y) >= _MANY:
            low, median, high = np.nanquantile(y, _QUARTILES, axis=0)
            axes.fill_between(x, low, high, color=BLUE, alpha=0.3, linewidth=0)
            axes.plot(x, median, color=BLUE, linewidth=1.8)
            title += "\nthick line: median of topics; band: quartiles"
        finish(
            axes,
            title=wrapped(title, _SIZE_OF_MAPPING[0] - 0.5),
            xlabel=wrapped(raw_label(result), _SIZE_OF_MAPPING[0] - 0.6),
            ylabel=wrapped(label_of(result), _SIZE_OF_MAPPING[1] - 0.6),
        )
        axes.set_xlim(limits(x))
        axes.set_ylim(limits(y))
    return axes


def _curves(result: Factors, lower: set[str], some: bool) -> tuple[Array, Array]:
    """Return x, and a row of F_t(x) for each topic if all are finite; a jump of z is infinite."""
    if result.scale is None:
        raise FactorsError(
            "the factors do not contain the range of their reference scores, which the figure "
            "'mapping' needs; plot scores that are standardized by these factors"
        )
    left_out = lower if some else set()
    rows = [i for i, topic in enumerate(result.topics) if topic not in left_out]
    low, high = result.scale.low, result.scale.high
    if not low < high:  # of one constant topic, whose line would be a point
        low, high = span(np.array([low, high]))
    x = np.linspace(low, high, _STEPS + 1)
    of_fit = policies.reflected(result.reflect_at, x) if lower and not some else x
    fitted = result.fitted.take(np.array(rows))
    every = np.broadcast_to(of_fit, (len(rows), len(x)))
    y = policies.evaluate(result.constant, fitted, every)
    return x, y[np.isfinite(y).all(axis=1)]


_LEVEL = 0.95
# Distances below this are rounding.
_SAME = 1e-9
_CDF_SIZE = 3.8, 3.1


@panel(_CDF_SIZE)
def plot_dkw(result: Standardized, ax: Axes | None = None, *, topic: str | None = None) -> Axes:
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

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_dkw
    >>> scores = datasets.load_cranfield("ap")
    >>> plot_dkw(Standardizer("normal").standardize(scores), topic="17").get_ylabel()
    'cdf of topic 17'
    """
    sample = _reference(result)
    places = {topic: row for row, topic in enumerate(result.factors.topics)}
    rows: IntArray = np.array([places[topic] for topic in sample.topics], dtype=np.int64)
    distances = _distances(result, sample, rows)
    # The cdf of a constant topic is the policy's, and no fit.
    constant = np.isin(sample.topics, result.factors.constant_topics)
    row = _chosen(sample.topics, topic, np.where(constant, -1.0, distances))
    own = sample.values[row][np.isfinite(sample.values[row])]
    ends = own.min(), own.max()
    margin = 0.05 * (ends[1] - ends[0]) or 0.5
    x = np.linspace(ends[0] - margin, ends[1] + margin, _STEPS + 1)
    steps = np.unique([x[0], *own, x[-1]])
    low, high = dkw_band(own, steps, _LEVEL)
    name = sample.topics[row]
    ylabel = wrapped(f"cdf of topic {name}", _CDF_SIZE[1] - 0.7)
    reverse = ", reversed" if name in policies.reversed_topics(
        result.factors.lower_is_better, result.factors.topics
    ) else ""  # fmt: skip
    with drawn_on(ax, _CDF_SIZE) as axes:
        band, line = f"{_LEVEL:.0%} DKW band", f"empirical, {counted(len(own), 'system')}"
        axes.fill_between(
            steps, low, high, step="post", label=band, facecolor="0.87", edgecolor="0.6", lw=0.5
        )
        axes.step(steps, Empirical().fit(own)(steps), where="post", label=line, color=BLACK, lw=1.0)
        y = _fitted(result, rows[[row]], x[np.newaxis])[0]
        line = wrapped(f"fitted, {scheme_label(str(result.factors.fitted.scheme))}", 2.0, SMALL)
        axes.plot(x, y, label=line, color=VERMILION, lw=1.4, linestyle=(0, (5, 1.5)))
        axes.axhline(0, color=GREY, linewidth=0.3, zorder=0)
        axes.legend(fontsize=SMALL, frameon=False, loc="best")
        finish(
            axes,
            title=wrapped(
                _title_of_topic(result, sample, row, topic, distances), _CDF_SIZE[0] - 0.7
            ),
            xlabel=wrapped(raw_label(result) + reverse, _CDF_SIZE[0] - 0.6),
            ylabel="cdf of the topic" if "\n" in ylabel else ylabel,
        )
        axes.set_xlim(x[0], x[-1])
        axes.set_ylim(-0.03, 1.03)
    return axes


def _title_of_topic(
    result: Standardized, sample: ScoreMatrix, row: int, topic: str | None, distances: Array
) -> str:
    """Return which topic it is, and how far its two cdfs are from each other."""
    name, topics = sample.topics[row], len(sample.topics)
    which = in_own_units(result, "topic").capitalize() + f" {name}"
    if topic is None and topics > 1:
        same = distances[row] < _SAME  # as of E-std
        which += f", {'one' if same else 'where the fit is worst'} of {topics:,} "
        which += in_own_units(result, "topics")
    if distances[row] < _SAME:
        return f"{which}\nthe fitted cdf is the empirical cdf, by construction"
    return f"{which}\nlargest difference of the two cdfs: {distances[row]:.3f}"


def _reference(result: Standardized) -> ScoreMatrix:
    factors = result.factors
    scheme = factors.fitted.scheme
    if not scheme.is_cdf:
        raise PlotError(
            f"{scheme} is not a distribution, and the figure 'dkw' shows a cdf; expected a "
            "distribution such as normal, or the figure 'standardized'"
        )
    own = result.given if result.fitted_to == "these scores" else result.reference
    if own is None:
        raise PlotError(
            "the factors do not contain the reference scores, which the figure 'dkw' needs; "
            "expected a scheme that is fitted now, or the figure 'mapping'"
        )
    settled = policies.settled(
        own,
        "reference",
        factors.fitted_missing or factors.missing,
        factors.lower_is_better,
        factors.reflect_at,
    )
    has_fit = set(factors.topics)
    return settled.take([topic in has_fit for topic in settled.topics])


def _distances(result: Standardized, sample: ScoreMatrix, rows: IntArray) -> Array:
    """Return the largest difference between the fitted and the empirical cdf; shape (topics,)."""
    x = sample.values
    points = np.concatenate([x, np.nextafter(x, -np.inf)], axis=1)  # and just before each step
    differences = np.abs(_fitted(result, rows, points) - Empirical().fit(x)(points))
    largest: Array = np.where(np.isnan(differences), -1.0, differences).max(axis=1)
    return largest


def _fitted(result: Standardized, rows: IntArray, x: Array) -> Array:
    factors = result.factors
    return policies.evaluate(factors.constant, factors.fitted.take(rows), x)


def _chosen(topics: tuple[str, ...], topic: str | None, distances: Array) -> int:
    """Return the place of the topic, or of the one with the largest distance; < 0 is without."""
    if topic is None and distances.max() >= 0:
        return int(np.argmax(distances))
    if topic is None or (topic in topics and distances[topics.index(topic)] < 0):
        which = "no topic" if topic is None else f"the topic {topic!r}"
        raise PlotError(
            f"{which} has {'a' if topic is None else 'no'} fitted cdf under its policies; "
            "expected a topic whose scores differ, or the figure 'scores'"
        )
    if topic not in topics:
        raise PlotError(
            f"there is no topic {topic!r} with a fit{did_you_mean(topic, topics)}; expected one of "
            f"{len(topics):,} topics, such as {topics[0]!r}"
        )
    return topics.index(topic)


_ENDS = ("band_low", "band_high")
_SIZE_OF_PIT = 2.9, 2.7


@panel(_SIZE_OF_PIT)
def plot_pit(result: Diagnosis, ax: Axes | None = None, *, scheme: str | None = None) -> Axes:
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
    >>> from cdfscore.plots import plot_pit
    >>> found = diagnose(datasets.load_cranfield("ap").iloc[:20], ["normal"], bootstrap=0)
    >>> plot_pit(found).get_title()
    'N-std'
    """
    own = chosen_scheme(result.schemes, scheme, "the diagnosis")
    bins = result.histogram[result.histogram["scheme"] == own]
    with drawn_on(ax, _SIZE_OF_PIT) as axes:
        width = bins["high"] - bins["low"]
        height = bins["proportion"] / bins["expected"]
        axes.bar(bins["low"], height, width, align="edge", color=BLUE, edgecolor="white", lw=0.3)
        axes.axhline(1.0, color=BLACK, linewidth=0.8)
        low, high = (float(bins[end].iloc[0] / bins["expected"].iloc[0]) for end in _ENDS)
        if not math.isnan(low):
            axes.axhspan(low, high, color=GREY, alpha=0.45, linewidth=0, zorder=2)
        caption = wrapped(_band_and_ends(result, bins), _SIZE_OF_PIT[0], SMALL - 1)
        finish(
            axes,
            title=wrapped(scheme_label(own), _SIZE_OF_PIT[0] - 0.7),
            xlabel=f"PIT of left-out scores\n{caption}",
            ylabel="proportion / expected",
        )
        axes.xaxis.label.set_fontsize(SMALL - 1)
        axes.set_xlim(0, 1)
    return axes


def _band_and_ends(result: Diagnosis, bins: pd.DataFrame) -> str:
    """Return what the gray band is, and how far the end bins of a good fit are from it."""
    if not bins["count"].sum():
        return f"no fit for any of {counted(result.topics, 'topic')}, so no score is predicted"
    scores = f"{round(bins['count'].sum()):,} scores of {counted(result.topics, 'topic')}"
    if bins["band_low"].isna().all():
        return f"{scores}; no band: the fit follows the scores, so bins are nearly flat in any case"
    text = (
        f"{scores}; gray: {BAND:.0%} range of each bin if the fit is right and scores are "
        "independent"
    )
    n = int(result.fits["n"].median())
    higher = normal_end(n, len(bins)) - 1
    if not math.isnan(higher):
        text += f"; with {n} scores the end bins are {higher:.0%} higher if N-std is right"
    return text
