"""Performance profiles: the share of topics on which a system scores above t, for every t."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.plots.canvas import Size, drawn_on, finish, limits, text_width, wrapped
from cdfscore.plots.of_schemes import by_mean, in_units, label_of
from cdfscore.plots.styles import legend_below, styles
from cdfscore.plots.words import name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.standardization.standardized import Standardized

# Systems with a line of their own; the others are gray.
_NAMED = 6
_LEVEL = 0.95
_WIDTH, _HEIGHT, _LINE = 3.8, 3.1, 0.16


def plot_performance_profile(result: Standardized, ax: Axes | None = None) -> Axes:
    """Draw for each system the share of topics on which it scores t or more, against t.

    This is 1 minus the cdf of its scores. The six systems with the highest means have lines of
    their own; the others are gray. The band around the line of the best system is the 95 %
    percentile interval of the bootstrap over topics, at each t separately.

    Parameters
    ----------
    result
        Standardized scores; those by the scheme raw for raw ones.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

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
    with drawn_on(ax, size(result)) as axes:
        names = [name_of(result.used.systems[i]) for i in order[:_NAMED]]
        looks = styles(names)
        for i in order[_NAMED:]:
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
            title=in_units(result, f"The {len(names)} best of {len(scores)} systems by mean"),
            xlabel=wrapped(f"t: {label_of(result)}", _WIDTH - 0.6),
            ylabel=in_units(result, "Share of topics with t or more"),
        )
        axes.set_xlim(limits(ends))
        axes.set_ylim(-0.02, 1.02)
        legend_below(axes)
    return axes


def size(result: Standardized) -> Size:
    """Return the width and height of the figure in inches."""
    names = text_width([name_of(system) for system in result.used.systems])
    return max(_WIDTH, names + 0.8), _HEIGHT + _LINE * (1 + min(_NAMED, len(result.used.systems)))


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
