"""The fitted cdf of a topic, with the empirical cdf and the band around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import PlotError, did_you_mean
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array, IntArray
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, wrapped
from cdfscore.plots.of_schemes import in_units, raw_label, spelling_of
from cdfscore.plots.styles import BLACK, GREY, VERMILION
from cdfscore.plots.words import scheme_label
from cdfscore.schemes.empirical import Empirical, dkw_band
from cdfscore.standardization import policies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.standardization.matrix import ScoreMatrix
    from cdfscore.standardization.standardized import Standardized

_STEPS = 400
_LEVEL = 0.95
# Distances below this are rounding.
_SAME = 1e-9
_WIDTH, _HEIGHT = 3.8, 3.1


def plot_dkw(result: Standardized, ax: Axes | None = None, *, topic: str | None = None) -> Axes:
    """Draw the fitted cdf of a topic, with the empirical cdf and its band of level 0.95.

    The band is that of Dvoretzky, Kiefer and Wolfowitz (`cdfscore.dkw_band`). If the scores are
    independent, a fitted cdf that leaves the band is rejected. A wrong family may stay within the
    band, because it is fitted to the same scores; `cdfscore.diagnose` tests the fit. The distance
    is the largest difference of the two cdfs, the Kolmogorov-Smirnov statistic.

    Parameters
    ----------
    result
        Scores that are standardized by a cdf, with the reference scores that it was fitted to.
    ax
        The axes to draw on; those of a new figure if not given.
    topic
        The topic; the one with the largest distance if not given, as the title says.

    Raises
    ------
    PlotError
        For a scheme that is no cdf, reference scores that are not known, and a topic without a fit.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_dkw
    >>> scores = datasets.load_cranfield("ap")
    >>> plot_dkw(Standardizer("normal").standardize(scores), topic="17").get_ylabel()
    'cdf of topic 17'
    """
    sample = _reference(result)
    rows = _rows(result, sample)
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
    reverse = ", reversed" if name in policies.reversed_topics(
        result.factors.lower_is_better, result.factors.topics
    ) else ""  # fmt: skip
    with drawn_on(ax, size(result, topic=topic)) as axes:
        band, line = f"{_LEVEL:.0%} DKW band", f"empirical, {counted(len(own), 'system')}"
        axes.fill_between(
            steps, low, high, step="post", label=band, facecolor="0.87", edgecolor="0.6", lw=0.5
        )
        axes.step(steps, Empirical().fit(own)(steps), where="post", label=line, color=BLACK, lw=1.0)
        y = _fitted(result, rows[[row]], x[np.newaxis])[0]
        line = wrapped(f"fitted, {scheme_label(spelling_of(result))}", 2.0, SMALL)
        axes.plot(x, y, label=line, color=VERMILION, lw=1.4, linestyle=(0, (5, 1.5)))
        axes.axhline(0, color=GREY, linewidth=0.3, zorder=0)
        axes.legend(fontsize=SMALL, frameon=False, loc="best")
        finish(
            axes,
            title=wrapped(_title(result, sample, row, topic, distances), _WIDTH - 0.7),
            xlabel=wrapped(raw_label(result) + reverse, _WIDTH - 0.6),
            ylabel=_of_topic(name),
        )
        axes.set_xlim(x[0], x[-1])
        axes.set_ylim(-0.03, 1.03)
    return axes


def size(result: Standardized, *, topic: str | None = None) -> Size:
    """Return the width and height of the figure in inches."""
    return _WIDTH, _HEIGHT


def _of_topic(name: str) -> str:
    """Return the label of the axis; only the title has a name of more than one line."""
    label = wrapped(f"cdf of topic {name}", _HEIGHT - 0.7)
    return "cdf of the topic" if "\n" in label else label


def _title(
    result: Standardized, sample: ScoreMatrix, row: int, topic: str | None, distances: Array
) -> str:
    """Return which topic it is, and how far its two cdfs are from each other."""
    name, topics = sample.topics[row], len(sample.topics)
    which = in_units(result, "topic").capitalize() + f" {name}"
    if topic is None and topics > 1:
        same = distances[row] < _SAME  # as of E-std
        which += f", {'one' if same else 'where the fit is worst'} of {topics:,} "
        which += in_units(result, "topics")
    if distances[row] < _SAME:
        return f"{which}\nthe fitted cdf is the empirical cdf, by construction"
    return f"{which}\nlargest difference of the two cdfs: {distances[row]:.3f}"


def _reference(result: Standardized) -> ScoreMatrix:
    """Return the reference scores of the topics that have a fit, after the policies."""
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


def _rows(result: Standardized, sample: ScoreMatrix) -> IntArray:
    """Return the place among the factors of each topic of the sample."""
    places = {topic: row for row, topic in enumerate(result.factors.topics)}
    return np.array([places[topic] for topic in sample.topics], dtype=np.int64)


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
