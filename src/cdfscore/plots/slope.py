"""Ranks of systems by raw and by standardized means, and the systems that move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison import ranking
from cdfscore.errors import PlotError
from cdfscore.io.scores.memory import measure_of
from cdfscore.numerics.moments import mean
from cdfscore.numerics.types import Array, IntArray
from cdfscore.plots.canvas import SMALL, Size, drawn_on, finish, text_width, wrapped
from cdfscore.plots.of_schemes import WIDTH, in_units
from cdfscore.plots.styles import BLUE, GREY, VERMILION
from cdfscore.plots.words import name_of, score_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cdfscore.standardization.standardized import Standardized

# Systems with a strong line, at most; of so few systems all have names.
_MOVERS, _ALL_NAMED = 10, 20
# Inches: from one ranking to the other, the height, and of a line of names in it.
_BETWEEN, _TALLEST, _ROW, _LINE, _REST = 2.5, 4.2, 0.3, 0.14, 0.9
# From the ranking at the right to the names beside it, of which the other ranking is 1 away.
_TO_NAMES = 0.12


def plot_slope(result: Standardized[Any], ax: Axes | None = None) -> Axes:
    """Draw the rank of each system by its raw mean and by its standardized mean, joined by a line.

    Rank 1 is the best, and tied systems have the average of their ranks. The systems that move the
    most places, at most ten, have strong lines (blue and solid for up, red and dashed for down) and
    are named, with both ranks. If there are at most twenty systems, all are named. Raw means are
    over the same topics and scores as the standardized means, reversed if lower is better.

    Parameters
    ----------
    result
        Standardized scores of two systems or more.
    ax
        The axes to draw on; those of a new figure if not given.

    Raises
    ------
    PlotError
        For raw scores, of which nothing is standardized, and for fewer than two systems that have
        a finite mean.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> from cdfscore import Standardizer, datasets
    >>> from cdfscore.plots import plot_slope
    >>> scores = datasets.load_cranfield("ap")
    >>> print(plot_slope(Standardizer("empirical").standardize(scores)).get_title())
    Mean average precision, standardized by E-std
    53 of 67 systems change rank, by up to 11 places
    (strong: 5 or more)
    """
    names, raw, own = _rankings(result)
    places = raw - own
    movers, named = _movers(places), _named(places)
    with drawn_on(ax, size(result)) as axes:
        rest = np.setdiff1d(np.arange(len(names)), movers)
        axes.plot([0, 1], [raw[rest], own[rest]], color="0.75", linewidth=0.6, zorder=1)
        for i in movers:
            up = places[i] > 0
            axes.plot(
                [0, 1], [raw[i], own[i]], color=BLUE if up else VERMILION, linewidth=1.4,
                linestyle="-" if up else (0, (4, 1.5)), marker="o", markersize=2.5,
            )  # fmt: skip
        for i, y in zip(named, _spread(own[named], len(names)), strict=True):
            axes.plot([1, 1 + _TO_NAMES], [own[i], y], color=GREY, linewidth=0.4, clip_on=False)
            axes.annotate(
                _label(names[i], raw[i], own[i]), (1 + _TO_NAMES, y), xytext=(2, 0),
                textcoords="offset points", va="center", fontsize=SMALL, annotation_clip=False,
            )  # fmt: skip
        axes.set_xlim(-0.05, 1)
        axes.set_ylim(len(names) + 0.5, 0.5)
        axes.set_xticks([0, 1], ["raw scores", "standardized"])
        axes.locator_params(axis="y", integer=True)
        finish(axes, title=_title(result, places), ylabel="Rank by mean, 1 is the best")
        axes.spines[["top", "bottom", "right"]].set_visible(False)
    return axes


def size(result: Standardized[Any]) -> Size:
    """Return the width and height of the figure in inches; raises what the figure raises."""
    names, raw, own = _rankings(result)
    labels = [_label(names[i], raw[i], own[i]) for i in _named(raw - own)]
    return _BETWEEN * (1 + _TO_NAMES) + text_width(labels) + 0.7, _height(len(names)) + _REST


def _height(systems: int) -> float:
    return min(_ROW * max(systems, 6), _TALLEST)


def _rankings(result: Standardized[Any]) -> tuple[list[str], Array, Array]:
    """Return the systems that have means, and their ranks by raw and by standardized means."""
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
    """Return the systems that move most, about ten, in their order; all of them move.

    Systems that move by the same number of places are all included, or all omitted.
    """
    moved = np.abs(places)
    least = np.sort(moved)[::-1][min(_MOVERS, len(moved)) - 1]
    found = np.flatnonzero((moved >= least) & (moved > 0))
    if len(found) > _MOVERS and (moved > least).any():
        found = np.flatnonzero(moved > least)
    return found


def _named(places: Array) -> IntArray:
    """Return the systems with names: all if they are few, otherwise those that move most."""
    return np.arange(len(places)) if len(places) <= _ALL_NAMED else _movers(places)


def _spread(y: Array, count: int) -> Array:
    """Return places for names: as near to `y` as a line for each and the order allow."""
    height = _LINE / _height(count) * count
    order = np.argsort(y, kind="stable")
    lines = height * np.arange(len(y))
    # As far down as the names above push, then up as far as there is room, least moved of both.
    pushed = np.maximum.accumulate(y[order] - lines) + lines
    last = count + 0.5 - height * np.arange(len(y))[::-1]
    found = np.empty(len(y))
    found[order] = np.minimum(pushed, last)
    return found


def _label(name: str, raw: float, own: float) -> str:
    return f"{name_of(name)}  {raw:g} \u2192 {own:g}"


def _title(result: Standardized[Any], places: Array) -> str:
    scheme = str(result.factors.fitted.scheme)
    moved, most = int((places != 0).sum()), float(np.abs(places).max())
    finding = f"{moved:,} of {len(places):,} systems change rank"
    finding += f", by up to {most:g} {'place' if most == 1 else 'places'}"
    if moved == 0:
        finding = "no system changes rank"
    elif moved > len(movers := _movers(places)):
        finding += f" (strong: {np.abs(places[movers]).min():g} or more)"
    reversal = f", {result.reversal}" if result.reversal else ""
    scores = score_label(scheme, measure_of(result.given.frame), mean=True)
    return wrapped(in_units(result, f"{scores}{reversal}\n{finding}"), WIDTH)
