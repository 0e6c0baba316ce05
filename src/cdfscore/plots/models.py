"""Figures of linear and mixed models, and of plans for further topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.anova import Anova
from cdfscore.models.goals import Plan
from cdfscore.models.mixed import MixedModel
from cdfscore.plots.canvas import (
    BLACK,
    GREY,
    SMALL,
    VERMILION,
    Size,
    finish,
    legend_below,
    name_of,
    panel,
    plain,
    styles,
    text_width,
    wrapped,
)
from cdfscore.plots.scores import label_of
from cdfscore.plots.words import scheme_label
from cdfscore.stats.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Width of the panel and of what is beside the names, and height of a line, in inches.
_WIDTH, _MARGIN, _LINE = 3.0, 0.4, 0.15


def _size_of_effect_sizes(result: Anova) -> Size:
    names = text_width(map(plain, dict.fromkeys(result.table["term"])))
    legend = _LINE * 1.5 * len(result.schemes) if len(result.schemes) > 1 else 0.0
    terms = result.table.dropna(subset="statistic")["term"].nunique()
    height = max(0.4, _LINE * terms * (len(result.schemes) + 1))
    return _MARGIN + names + _WIDTH, 0.9 + height + legend


@panel(_size_of_effect_sizes)
def plot_effect_sizes(result: Anova, ax: Axes) -> None:
    """Draw partial omega^2 of each term, with the interval of the proportion of variance.

    The schemes are side by side.
    """
    table = result.table.dropna(subset="statistic")
    terms = list(dict.fromkeys(table["term"]))
    looks = styles(result.schemes)
    places = np.arange(len(terms))
    for i, (scheme, look) in enumerate(looks.items()):
        rows = table[table["scheme"] == scheme]
        y = places + (i - (len(looks) - 1) / 2) / (len(looks) + 1)
        ax.hlines(y, rows["effect_low"], rows["effect_high"], color=look["color"], lw=1.0)
        label = wrapped(scheme_label(scheme), _WIDTH, SMALL)
        ax.plot(rows["partial_omega_squared"], y, **look | {"linestyle": ""}, ms=3.5, label=label)
    ax.set_yticks(places, list(map(plain, terms)))
    ax.invert_yaxis()
    level = f"{100 * (1 - result.alpha):.12g}%"
    title = f"Type {result.sums_of_squares} sums of squares, {level} intervals"
    finish(ax, title=wrapped(title, _WIDTH), xlabel="Partial omega squared")
    if len(looks) > 1:
        legend_below(ax)


# Levels that are drawn of one factor, the best.
_MOST = 30
# Height of the panel, and width of a level, of the axis and of the legend, in inches.
_MEANS_HEIGHT, _LEVEL, _AXIS, _LEGEND = 2.4, 0.32, 0.9, 1.6
# Length of the label of a level on the axis, in inches.
_LABEL = 1.8


def _places(result: Anova, term: str, scheme: str) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return the means of a scheme, and the levels of the first factor with their labels."""
    means = result.means(term)
    own = means[means["scheme"] == scheme]
    levels = [str(level) for level in dict.fromkeys(own[factors_drawn(term)[0]])]
    return own, levels, [wrapped(level, _LABEL, SMALL) for level in levels]


def _width_and_angle(levels: list[str]) -> tuple[float, int]:
    """Return the width of the panel, and the angle of the labels of these levels."""
    is_slanted = max(map(len, levels)) * len(levels) > 24
    return max(1.6, _LEVEL * len(levels)), 90 * is_slanted


def _size_of_marginal_means(result: Anova, *, term: str, scheme: str) -> Size:
    own, levels, labels = _places(result, term, scheme)
    if len(factors_drawn(term)) == 1:
        names = text_width(map(name_of, own[term].astype(str)))
        return _MARGIN + names + _WIDTH, 1.3 + _LINE * max(3, min(len(levels), _MOST))
    width, angle = _width_and_angle(levels)
    second = factors_drawn(term)[1]
    lines = [
        line
        for level in dict.fromkeys(own[second])
        for line in wrapped(str(level), _LEGEND, SMALL).splitlines()
    ]
    legend = 0.6 + text_width([*lines, plain(second)])
    height = max(_MEANS_HEIGHT, 0.6 + 0.14 * len(lines))
    below = text_width("\n".join(labels).splitlines()) if angle else 0.0
    return _AXIS + width + legend, height + below


@panel(_size_of_marginal_means)
def plot_marginal_means(result: Anova, ax: Axes, *, term: str, scheme: str = "") -> None:
    """Draw the marginal means of a term with their intervals.

    For a term of one factor, the levels are on the vertical axis, the largest mean at the top; of
    more than 30 levels, the 30 with the largest means are drawn.

    For a term of two factors, the levels of the first factor are on the axis, and each level of
    the second factor has a line. Without an interaction the lines are parallel. See `Anova.means`.

    Parameters
    ----------
    term
        A term of one factor, or of two, ``stemmer:model``.

    Raises
    ------
    ModelError
        For a term of three factors or more, and as `Anova.means` does.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import anova
    >>> scores = datasets.load_cranfield_grid("ap").iloc[:10]
    >>> components = datasets.load_cranfield_components()
    >>> found = anova(scores, "score ~ topic + stemmer", components)
    >>> plot_marginal_means(found, term="stemmer").get_ylabel()
    'stemmer'
    """
    own, places, labels = _places(result, term, scheme)
    names = factors_drawn(term)
    scores = wrapped(f"Marginal mean, {100 * (1 - result.alpha):.12g}% intervals", _WIDTH)
    if len(names) == 1:
        title, of = scheme_label(scheme), result.standardized[result.schemes.index(scheme)]
        if len(own) > _MOST:
            title += f"\nthe {_MOST} largest of {len(own):,} means"
        own = own.sort_values("mean", ascending=False, kind="stable").iloc[:_MOST]
        y = np.arange(len(own))
        ax.hlines(y, own["conf_low"], own["conf_high"], color=BLACK, linewidth=0.8)
        ax.plot(own["mean"], y, "o", color=BLACK, markersize=3)
        ax.set_yticks(y, [name_of(str(level)) for level in own[term]])
        ax.set_ylim(len(own) - 0.4, -0.6)
        scores = wrapped(f"{scores}\n{label_of(of)}", _WIDTH)
        finish(ax, title=wrapped(title, _WIDTH), xlabel=scores, ylabel=plain(term))
        return
    width, angle = _width_and_angle(places)
    levels = own[names[1]]
    drawn = styles(dict.fromkeys(levels))
    for number, (level, style) in enumerate(drawn.items()):
        rows, label = own[levels == level], wrapped(str(level), _LEGEND, SMALL)
        shift = (number - (len(drawn) - 1) / 2) * 0.5 / len(drawn)
        x = np.array([places.index(each) for each in rows[names[0]]]) + shift
        ax.vlines(x, rows["conf_low"], rows["conf_high"], color=style["color"], linewidth=0.8)
        ax.plot(x, rows["mean"], markersize=3, linewidth=0.8, label=label, **style)
    ax.set_xticks(range(len(places)), labels)
    finish(
        ax,
        title=wrapped(scheme_label(scheme), width),
        xlabel=plain(names[0]),
        ylabel=scores,
    )
    ax.tick_params(axis="x", labelrotation=angle)
    ax.margins(x=0.08)
    ax.legend(
        title=plain(names[1]), loc="center left", bbox_to_anchor=(1.02, 0.5),
        fontsize=SMALL, title_fontsize=SMALL, frameon=False,
    )  # fmt: skip


def factors_drawn(term: str) -> list[str]:
    """Return the factors of a term; raises `ModelError` for three or more."""
    names = term.split(":")
    if len(names) > 2:
        raise ModelError(
            f"{term} has {len(names)} factors, and a figure of means shows one or two; expected a "
            "term with one or two of these factors"
        )
    return names


# More points than this are drawn as an image, so that the file stays small.
_MANY = 3000
# Groups of as many scores, by their fitted scores, of which the spread is drawn.
_GROUPS = 20
_POINTS_SIZE = 2.8, 2.4


@panel(_POINTS_SIZE)
def plot_residuals(result: Anova, ax: Axes, *, scheme: str = "") -> None:
    """Draw the residuals against the fitted scores.

    The lines are plus and minus the standard deviation of 20 groups of scores with similar fitted
    scores. If the errors have one variance, the lines are horizontal.
    """
    table = result.residuals(scheme)
    fitted, residual = table["fitted"].to_numpy(), table["residual"].to_numpy()
    _points(ax, fitted, residual)
    order = np.argsort(fitted, kind="stable")
    groups = np.array_split(order, max(1, min(_GROUPS, len(order) // 5)))
    x = [fitted[each].mean() for each in groups]
    spread = np.array([np.sqrt(np.mean(residual[each] ** 2)) for each in groups])
    for sign in (-1, 1):
        ax.plot(x, sign * spread, color=VERMILION, linewidth=1.2)
    ax.axhline(0, color="0.7", linewidth=0.6, zorder=0)
    title = wrapped(f"{scheme_label(scheme)}\nlines: standard deviation", _POINTS_SIZE[0] - 0.6)
    finish(ax, title=title, xlabel="Fitted score", ylabel="Residual")


@panel(_POINTS_SIZE)
def plot_normal_quantiles(result: Anova, ax: Axes, *, scheme: str = "") -> None:
    """Draw the residuals in order, against the quantiles of the normal distribution.

    The normal distribution has mean 0 and the mean square of the residuals as its variance. Normal
    errors lie on the line.
    """
    from scipy import special

    residual = result.residuals(scheme)["residual"].to_numpy()
    n = len(residual)
    sd = np.sqrt(np.mean(residual**2))
    quantiles = sd * special.ndtri((np.arange(n) + 0.5) / n)
    ends = quantiles[[0, -1]]
    ax.plot(ends, ends, color=VERMILION, linewidth=1.2)
    _points(ax, quantiles, np.sort(residual))
    title = wrapped(f"{scheme_label(scheme)}\nline: normal errors", _POINTS_SIZE[0] - 0.6)
    finish(ax, title=title, xlabel="Normal quantile", ylabel="Residual")


def _points(axes: Axes, x: Array, y: Array) -> None:
    axes.plot(
        x, y, ".", color=BLACK, markersize=1.0, alpha=0.4, zorder=1, rasterized=len(x) > _MANY
    )


_SD_WIDTH = 2.6


@panel(
    lambda result: (
        0.3 + _SD_WIDTH + text_width(map(plain, {*result.variances["component"]})),
        1.1 + 0.22 * result.variances["component"].nunique(),
    )
)
def plot_variances(result: MixedModel, ax: Axes, *, scheme: str = "") -> None:
    """Draw the standard deviation of each component, in the unit of the scores.

    Parameters
    ----------
    result
        A mixed model.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import mixed_model
    >>> scores = datasets.load_cranfield_grid("ap").iloc[:10]
    >>> components = datasets.load_cranfield_components()
    >>> found = mixed_model(scores, "score ~ stemmer", components, random=["topic"])
    >>> [text.get_text() for text in plot_variances(found).get_yticklabels()]
    ['topic', 'residual']
    """
    rows = result.variances[result.variances["scheme"] == scheme]
    places = np.arange(len(rows))
    low, high = np.sqrt(rows["conf_low"]), np.sqrt(rows["conf_high"])
    ax.hlines(places, low, high, color=BLACK, linewidth=1.0)
    ax.plot(rows["sd"], places, "o", color=BLACK, markersize=3)
    ax.set_xlim(left=0)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_yticks(places, list(map(plain, rows["component"])))
    intervals = f"{result.method}, {100 * (1 - result.alpha):.12g}% intervals"
    title = wrapped(f"{scheme_label(scheme)}\n{intervals}", _SD_WIDTH)
    finish(ax, title=title, xlabel="Standard deviation")


_SIZE_OF_PLAN = 3.6, 2.8


@panel(_SIZE_OF_PLAN)
def plot_plan(result: Plan, ax: Axes) -> None:
    """Draw the curve of a plan, with the goal and the answer.

    The dashed line is the goal, and the point is the answer. If there is a check by resampling, its
    value has a bar of plus and minus two Monte Carlo standard errors.

    Parameters
    ----------
    result
        A plan.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models.goals import plan
    >>> found = plan(datasets.load_cranfield("ap"), "interval:width=0.05")
    >>> plot_plan(found).get_xlabel()
    'Number of topics'
    """
    quantity = result.goal.quantity
    ax.axhline(result.goal.wanted, color=GREY, linewidth=0.8, linestyle="--", zorder=1)
    ax.plot(result.curve["topics"], result.curve[quantity], color=BLACK, linewidth=1.0)
    ax.plot([result.topics], [result.value], color=BLACK, marker="o", markersize=4)
    if result.check is not None:
        at, value, stderr = result.check.topics, result.check.value, result.check.stderr
        ax.errorbar(
            [at], [value], yerr=2 * stderr, color=VERMILION, marker="s", markersize=3,
            linewidth=1.0, label="resampled",
        )  # fmt: skip
        ax.legend(fontsize=SMALL, frameon=False)
    ax.set_ylim(0, 3 * result.goal.wanted if quantity == "width" else 1.02)
    ax.locator_params(axis="x", nbins=5)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    title = wrapped(result.answer, _SIZE_OF_PLAN[0] - 0.4, SMALL)
    finish(ax, title=title, xlabel="Number of topics", ylabel=quantity.capitalize())
    ax.title.set_fontsize(SMALL)


#: The figure of each result.
FIGURES: dict[type, Callable[..., Axes]] = {
    Anova: plot_effect_sizes,
    MixedModel: plot_variances,
    Plan: plot_plan,
}
