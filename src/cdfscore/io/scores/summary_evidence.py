"""Evidence that a row of scores is a summary of the others, and not like one by chance.

Chance is judged by the other rows that are nearest to the summary: they show how near a row of
such scores comes to it in each column.
"""

from __future__ import annotations

import math

import numpy as np

from cdfscore.io.scores.printed import error_of_sums
from cdfscore.numerics.types import Array, BoolArray

# Rows nearest to the summary that are looked at, and the most columns; more say no more.
_NEAREST = 8
_COLUMNS = 32
# A chance as large as this is no evidence.
_LARGE = 0.1
# Summaries times roundings that are tried.
_TRIED = 9
# The finest grid 1/q that is known from scores of few decimals, and the scores looked at.
_FINEST = 1000
_SCORES = 1000
# So many rows in a column tell no more of its grid than all columns do.
_MANY = 20
# Of two other rows any mean is halfway, as 1/7 is between 0 and 2/7: the least chance there.
_LEAST_OF_TWO = 0.05
# Scores of all digits that are as near as this to k / q are k / q.
_ROUNDING = 1e-12


def chance_of(scores: Array, row: int, margin: Array, what: str, agrees: BoolArray) -> float:
    """Return how likely a row is to agree by chance with the summary of the others.

    It is the number of such rows that are expected, at most, in a matrix of other scores;
    `margin` is how far the row may be from the summary in each column, and `agrees` (columns,)
    tells where it is no farther; the numbers of other columns may be mistakes.

    The chance of a column is margin / distance of the nearest rows from the summary, and no less
    than that of a score k / q on the grid that all scores are on. The scores of a topic go
    together, so that the distance is also that of differences from each column before it, and of
    sums: a column that follows from another is no evidence. The product of the chances, times the
    number of rows that are nearest, of summaries that are tried and of ways to choose the columns
    of mistakes, is that of the row.
    """
    mistakes = int(np.count_nonzero(~np.isnan(scores[row]) & ~agrees))
    ways = _log_ways(int(np.count_nonzero(agrees)) + mistakes, mistakes)
    columns = np.flatnonzero(agrees)[:_COLUMNS]
    summary, margin = scores[row, columns], margin[columns]
    if len(columns) > 1 and np.ptp(summary) <= margin.min():
        return 1.0  # one score everywhere, such as the 1 of the best system after minmax
    others = np.delete(scores[:, columns], row, axis=0)
    others = others[~np.isnan(others).all(axis=1)]
    if len(others) < 2:
        return 1.0
    missing = np.isnan(others)
    # A row above all others is on a scale of its own, on which they would be as large.
    above = what == "sum" and not (others >= summary).any()
    away = others * len(others) - summary if above else others - summary
    sizes = np.where(missing, 0.0, np.abs(away)).sum(axis=0) / (~missing).sum(axis=0)
    relative = np.where(missing, 0.0, np.abs(away) / np.where(sizes > 0, sizes, 1.0))
    joint = relative.sum(axis=1) / (~missing).sum(axis=1)
    away[missing] = 0.0  # a missing score could be the summary
    nearest = away[np.argsort(joint, kind="stable")[:_NEAREST]]
    tied = ~missing & (np.abs(away) <= margin)
    # A score that others have, in any column, is no surprise.
    had = np.abs(_spaced(others)[:, np.newaxis] - summary) <= margin
    alone = np.maximum(tied.mean(axis=0), had.mean(axis=0))
    alone = np.maximum(alone, _chances(nearest, margin))
    # With these chances, or larger ones, there is no evidence.
    most = math.log(_LARGE * (len(others) + 1) / _TRIED) - ways
    if np.log(alone).sum() > most:
        return 1.0
    on_one_grid = others if what == "mean" else scores[:, columns]
    start, unit = _grid(on_one_grid)
    steps = np.full(len(columns), unit)
    if len(others) <= _MANY:  # a column may have its own, as the recall of one topic
        steps = np.array([max(unit, _grid(column)[1]) for column in on_one_grid.T])
    # Means of n whole multiples of a unit are multiples of unit / n. A sum is one of the unit, and
    # so is what may be a geometric mean by chance.
    if what == "mean":
        steps /= len(others)
    alone = np.maximum(alone, _chances(nearest, np.maximum(margin, steps / 2)))
    alone = np.maximum(alone, _least(others, summary, margin, what))
    chances = _of_columns(nearest, margin, steps, alone, most)
    if np.log(chances).sum() > most:
        return 1.0
    if len(chances) > 1 and _have_one_sum(others):
        chances[np.argmin(chances)] = 1.0  # the last column follows from the others
    rows = 1.0 if above else float(len(nearest))
    if unit and not _on_grid(summary - start, unit).all():
        rows /= len(others) + 1  # all other rows are on a grid, and this one is not
    return float(_TRIED * rows * np.exp(ways + np.log(chances).sum()))


def _log_ways(n: int, k: int) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _of_columns(nearest: Array, margin: Array, steps: Array, alone: Array, most: float) -> Array:
    """Return the chance of each column, given those before it; `nearest` are distances.

    `alone` are the chances without the others, and no chance is less. Columns are left as they
    are once the sum of the logarithms is above `most`, from where on nothing makes it smaller.
    """
    chances, total = alone.copy(), float(np.log(alone).sum())
    for column in range(1, len(chances)):
        if total > most:
            break
        both = np.maximum(margin[:column] + margin[column], steps[column] / 2)
        before, own = nearest[:, :column], nearest[:, column : column + 1]
        given = max(_chances(own - before, both).max(), _chances(own + before, both).max())
        chances[column] = max(chances[column], given)
        total += math.log(chances[column] / alone[column])
    return chances


def _chances(distances: Array, margin: Array) -> Array:
    """Return how likely each column is within its margin, by the distances of some rows."""
    sizes = np.abs(distances)
    # One may be there because so many columns are compared.
    within = (np.count_nonzero(sizes <= margin, axis=0) - 1) / len(sizes)
    near = margin / sizes.mean(axis=0)
    near = np.where(near < 1, near, 1.0)  # 1 for NaN as well: where all are equal is no evidence
    return np.asarray(np.clip(near, np.maximum(within, 1e-300), 1.0))


def _least(others: Array, summary: Array, margin: Array, what: str) -> Array:
    """Return the least chance of each column: 1 / n if the n scores are symmetric about a summary.

    Then a score that is in the middle, as one of n is, has their mean, whatever the digits; and 0
    has their sum, if they are symmetric about 0. So do quantiles and other scores that depend on
    ranks alone.
    """
    if len(others) == 2:
        return np.full(len(summary), _LEAST_OF_TWO)
    ordered = np.sort(others, axis=0)
    middle = (ordered + ordered[::-1]) / 2
    if what == "geometric mean":
        middle = np.sqrt(ordered * ordered[::-1])
    off = np.abs(middle if what == "sum" else middle - summary)
    apart = off > 4 * margin + 1e-12 * np.abs(ordered).max(axis=0)  # False for NaN: anything
    return np.where(apart.any(axis=0), 0.0, 1 / len(others))


def _have_one_sum(others: Array) -> bool:
    """Tell whether the scores of each row have the same sum, as z scores and ranks have.

    Their digits, and not what all scores share, tell how far the sums may be apart.
    """
    apart = np.abs(others - others.mean(axis=1, keepdims=True)).sum(axis=1).max()
    rounding = error_of_sums("sum", others.T).max()
    return bool(np.ptp(others.sum(axis=1)) <= 1e-9 * apart + rounding)


def _grid(scores: Array) -> tuple[float, float]:
    """Return start and unit, such that all scores are start + k unit at their decimals, or 0, 0."""
    some = np.unique(_spaced(scores))
    decimals = next((d for d in range(13) if (np.round(some, d) == some).all()), None)
    half = _ROUNDING if decimals is None else 0.5 * 10.0**-decimals
    # A grid as fine as the decimals fits everything.
    q = np.arange(1.0, _FINEST + 1)
    q = q[10 * half * q <= 1.0, np.newaxis]
    fits = (np.abs(np.rint(some * q) / q - some) <= half).all(axis=1)
    if fits.any():
        return 0.0, 1 / float(q[np.argmax(fits), 0])
    if decimals is not None:
        return 0.0, 10.0**-decimals
    steps = np.diff(some)
    unit = float(steps[steps > _ROUNDING].min(initial=np.inf))
    regular = np.ptp(some) <= _FINEST * unit and _on_grid(some - some[0], unit).all()
    return (float(some[0]), unit) if regular else (0.0, 0.0)


def _spaced(scores: Array) -> Array:
    """Return some of the scores that are present, from all places."""
    every = scores.reshape(-1)
    some = every[:: max(1, every.size // _SCORES)]
    return np.asarray(some[~np.isnan(some)])


def _on_grid(scores: Array, unit: float) -> BoolArray:
    """Tell which scores are whole multiples of a unit but for rounding."""
    return np.asarray(np.abs(np.rint(scores / unit) * unit - scores) <= _ROUNDING)
