"""Midranks of rows: tied values have the mean of their ranks."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array


def sorted_midranks(ordered: Array) -> tuple[Array, Array]:
    """Return the midranks of rows in ascending order, and the size of each value's tie.

    Shape (rows, n) to two of (rows, n); a value counts as tied with itself. `scipy.stats.rankdata`
    returns no numbers of ties, which would have to be counted in a second pass.
    """
    n = ordered.shape[1]
    place = np.arange(n)
    starts = np.ones(ordered.shape, dtype=np.bool_)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts[:, 1:])
    if starts.all():
        ranks = np.broadcast_to(place + 1.0, ordered.shape)
        return ranks, np.ones(ordered.shape)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    ends = np.ones(ordered.shape, dtype=np.bool_)
    ends[:, :-1] = starts[:, 1:]
    last = np.minimum.accumulate(np.where(ends, place, n)[:, ::-1], axis=1)[:, ::-1]
    return 0.5 * (first + last) + 1.0, last - first + 1.0


def midranks(values: Array) -> tuple[Array, Array]:
    """Return the midranks of rows, and for each row the sum of t^3 - t over its ties.

    Shape (rows, n) to (rows, n) and (rows,); t is the number of values in a tie.
    """
    order = np.argsort(values, axis=1)
    in_order, ties = sorted_midranks(np.take_along_axis(values, order, axis=1))
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, in_order, axis=1)
    return ranks, tie_sum(ties)


def tie_sum(ties: Array) -> Array:
    """Return the sum of t^3 - t over the ties of each row, from the t of each value."""
    # Each of the t values of a tie adds t^2 - 1.
    return np.asarray(np.vecdot(ties, ties) - ties.shape[1])
