"""Ranks of rows, and concordant and discordant pairs."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cdfscore.stats.numerics.compiled import is_compiled, njit
from cdfscore.stats.numerics.types import Array, IntArray

# --- Midranks of rows: tied values have the mean of their ranks ---


def sorted_midranks(ordered: Array) -> tuple[Array, Array]:
    """Return the midranks of rows in ascending order, and the size of each value's tie."""
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
    """Return the midranks of rows (rows, n), and for each row the sum of t^3 - t over its ties."""
    order = np.argsort(values, axis=1)
    in_order, ties = sorted_midranks(np.take_along_axis(values, order, axis=1))
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, in_order, axis=1)
    return ranks, tie_sum(ties)


def tie_sum(ties: Array) -> Array:
    """Return the sum of t^3 - t over the ties of each row, from the t of each value."""
    # Each of the t values of a tie adds t^2 - 1.
    return np.asarray(np.vecdot(ties, ties) - ties.shape[1])


# --- Counts of concordant and discordant pairs, in n log n steps ---
#
# Items are added to a Fenwick tree over the ranks of x, from the best in y to the worst, one group
# of ties at a time. For each item, the tree gives the number of items above it in y that are above
# it in x too. The counts are integers, so that nothing is rounded before the division.

Ranked: TypeAlias = tuple[IntArray, IntArray]

# Pairs of items that are compared in the time that another function takes for a score.
_PAIRS = 4


@dataclass(frozen=True)
class Counts:
    """Numbers of items above each, in the order of y: in x, in y, and in y but below in x."""

    above_x: IntArray
    above_y: IntArray
    concordant: IntArray
    discordant: IntArray

    def excess(self) -> IntArray:
        """Return C - D of each row: concordant less discordant pairs."""
        difference: IntArray = (self.concordant - self.discordant).sum(axis=-1)
        return difference


def counts(x: Ranked, y: Ranked) -> Counts:
    """Count for rows x and y, of shape (rows, n), that are `ranked`."""
    (order_x, ranked_x), (order_y, above_y) = x, y
    above_x = np.empty_like(ranked_x)
    np.put_along_axis(above_x, order_x, ranked_x, axis=-1)
    above_x = np.take_along_axis(above_x, order_y, axis=-1)
    many = is_compiled(above_x.size * above_x.shape[-1] // _PAIRS)
    concordant, discordant = (_in_a_tree if many else _all_pairs)(above_x, above_y)
    return Counts(above_x, above_y, concordant, discordant)


def ranked(values: Array) -> Ranked:
    """Return the order of each row, greatest first, and the number of values above each rank."""
    order = np.argsort(-values, axis=-1)
    falling = np.take_along_axis(values, order, axis=-1)
    is_first = np.ones(values.shape, dtype=np.bool_)
    is_first[:, 1:] = falling[:, 1:] != falling[:, :-1]
    starts = np.where(is_first, np.arange(values.shape[-1]), 0)
    return order, np.maximum.accumulate(starts, axis=-1)


def _all_pairs(above_x: IntArray, above_y: IntArray) -> tuple[IntArray, IntArray]:
    concordant, discordant = np.empty_like(above_x), np.empty_like(above_x)
    for row, (x, y) in enumerate(zip(above_x, above_y, strict=True)):
        above = y < y[:, np.newaxis]
        concordant[row] = np.count_nonzero(above & (x < x[:, np.newaxis]), axis=1)
        discordant[row] = np.count_nonzero(above & (x > x[:, np.newaxis]), axis=1)
    return concordant, discordant


@njit()
def _in_a_tree(above_x: IntArray, above_y: IntArray) -> tuple[IntArray, IntArray]:
    rows, n = above_x.shape
    concordant = np.empty((rows, n), dtype=np.int64)
    discordant = np.empty((rows, n), dtype=np.int64)
    tree = np.empty(n + 1, dtype=np.int64)
    for row in range(rows):
        tree[:] = 0
        start = 0
        while start < n:
            end = start
            while end < n and above_y[row, end] == start:
                rank = above_x[row, end]
                greater = 0
                node = rank
                while node > 0:
                    greater += tree[node]
                    node -= node & -node
                greater_or_tied = 0
                node = rank + 1
                while node > 0:
                    greater_or_tied += tree[node]
                    node -= node & -node
                concordant[row, end] = greater
                discordant[row, end] = start - greater_or_tied
                end += 1
            for at in range(start, end):
                node = above_x[row, at] + 1
                while node <= n:
                    tree[node] += 1
                    node += node & -node
            start = end
    return concordant, discordant
