"""Ranks of rows, and concordant and discordant pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.compiled import in_blocks
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


# --- Counts of concordant and discordant pairs, which are integers ---

# Items at a time, and items of which all pairs are compared, as single bytes.
_BLOCK, _BYTES = 1 << 16, 256
# Bits of the count in a number that has a rank above it.
_COUNT = 32


@dataclass(frozen=True)
class Counts:
    """Numbers of items above each, by y, ties by -x; and of the discordant pairs of a row."""

    above_x: IntArray
    above_y: IntArray
    concordant: IntArray
    discordant: IntArray

    def excess(self) -> IntArray:
        """Return C - D of each row: concordant less discordant pairs."""
        return np.asarray(self.concordant.sum(axis=-1) - self.discordant)

    def exchanged(self) -> Counts:
        """Return the counts of y and x, in the order of x: as many are above an item in both."""
        n = self.above_x.shape[-1]
        order = np.argsort(n * self.above_x + (n - 1 - self.above_y), axis=-1)
        counted = (self.above_y, self.above_x, self.concordant)
        x, y, both = (np.take_along_axis(each, order, axis=-1) for each in counted)
        return Counts(x, y, both, self.discordant)


def counts(x: Array, y: Array) -> Counts:
    """Count for rows x and y, of shape (rows, n)."""
    (order_x, ranked_x), (order_y, above_y) = _ranked(x), _ranked(y)
    rows, n = ranked_x.shape
    above_x, concordant = np.empty_like(ranked_x), np.empty_like(ranked_x)
    discordant, place = np.empty(rows, dtype=np.int64), np.arange(n)

    def fill(block: slice) -> None:
        in_x = np.empty_like(ranked_x[block])
        np.put_along_axis(in_x, order_x[block], ranked_x[block], axis=-1)
        in_x = np.take_along_axis(in_x, order_y[block], axis=-1)
        keys = np.sort(n * above_y[block] + (n - 1 - in_x), axis=-1)
        in_x = n * above_y[block] + (n - 1) - keys
        starts = np.ones(keys.shape, dtype=np.bool_)
        np.not_equal(keys[:, 1:], keys[:, :-1], out=starts[:, 1:])
        # How many that tie in both are before each, which are no untied pairs of x or of y.
        tied = place - np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
        # Of those that tie in x or in y the worse in the other is first, so that no tie counts.
        order = np.argsort(n * in_x + (n - 1 - place), axis=-1)
        above_x[block], concordant[block] = in_x, _smaller_before(order)
        untied = (in_x + above_y[block] + tied - concordant[block]).sum(axis=-1)
        discordant[block] = untied - n * (n - 1) // 2

    in_blocks(fill, rows, n, _BLOCK)
    return Counts(above_x, above_y, concordant, discordant)


def _ranked(values: Array) -> tuple[IntArray, IntArray]:
    """Return the order of each row, greatest first, and the number of values above each rank."""
    order = np.argsort(-values, axis=-1)
    falling = np.take_along_axis(values, order, axis=-1)
    is_first = np.ones(values.shape, dtype=np.bool_)
    is_first[:, 1:] = falling[:, 1:] != falling[:, :-1]
    starts = np.where(is_first, np.arange(values.shape[-1]), 0)
    return order, np.maximum.accumulate(starts, axis=-1)


def _smaller_before(orders: IntArray) -> IntArray:
    """Count for each of 0 ... n - 1, at its own place, how many smaller ones a row has before it.

    The upper half counts the lower numbers before it, and so on in both: n log n steps.
    """
    rows, n = orders.shape
    halvings = max(0, (n - 1).bit_length() - (_BYTES - 1).bit_length())
    size = max(1, -(-n >> halvings))
    numbers = np.empty((rows, size << halvings), dtype=np.int64)
    numbers[:, :n], numbers[:, n:] = orders, np.arange(n, size << halvings)
    numbers <<= _COUNT
    for halving in reversed(range(halvings)):
        half = size << halving
        upper = numbers.reshape(-1, 2 * half) >= half << _COUNT
        place = np.nonzero(upper)[1].reshape(-1, half)
        parts = numbers.reshape(-1, 2 * half)
        above = parts[upper].reshape(-1, half) + (place - np.arange(half) - (half << _COUNT))
        numbers = np.stack([parts[~upper].reshape(-1, half), above], axis=1)
    parts = numbers.reshape(-1, size)
    own = parts >> _COUNT
    number = np.ascontiguousarray(own.T.astype(np.uint8))
    before = np.zeros_like(number)
    for row in range(size - 1):
        before[row + 1 :] += number[row] < number[row + 1 :]
    found = np.empty_like(parts)
    np.put_along_axis(found, own, (parts & ((1 << _COUNT) - 1)) + before.T, axis=-1)
    return found.reshape(rows, -1)[:, :n]
