"""Distributions of ranks counted in whole numbers, their tails and quantiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import comb, factorial, prod

import numpy as np

from cdfscore.numerics.ranks import sorted_midranks
from cdfscore.numerics.types import Array, IntArray

# R's qsignrank and qwilcox take a probability for reached that lacks this much.
_FUZZ = 10 * np.finfo(np.float64).eps


def symmetric_tails(below: Array, statistic: Array, alternative: str) -> Array:
    """Return p values from the cdf `below` of a symmetric statistic on 0 ... len(below) - 1."""
    place = statistic.astype(np.int64)
    if alternative == "less":
        return below[place]
    if alternative == "greater":
        return below[len(below) - 1 - place]
    return np.minimum(2 * below[np.minimum(place, len(below) - 1 - place)], 1.0)


def tails(counts: Array | IntArray, twice_mean: int, alternative: str, step: int = 1) -> Array:
    """Return the p value of each value, 0, step, 2 step, ..., that has been counted so often.

    In a two-sided test it is the share of all that are at least as far from the mean: that of one
    tail beyond the value, and of the other beyond its mirror image.
    """
    at_most, at_least = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    total = at_most[-1]
    if alternative == "less":
        return np.asarray(at_most / total)
    if alternative == "greater":
        return np.asarray(at_least / at_least[0])  # not the same sum where counts are rounded
    value = step * np.arange(len(counts))
    low = np.minimum(value, twice_mean - value)
    lower = np.where(low >= 0, at_most[np.maximum(low // step, 0)], 0)
    high = -((low - twice_mean) // step)
    upper = np.where(high < len(counts), at_least[np.minimum(high, len(counts) - 1)], 0)
    return np.where(2 * value == twice_mean, 1.0, np.minimum((lower + upper) / total, 1.0))


def quantile(below: Array, probability: float) -> int:
    """Return the smallest value whose cdf reaches the probability, as R's ``q`` functions."""
    return int(np.searchsorted(below, probability - _FUZZ))


# Missing scores give samples of very many sizes.
@lru_cache(maxsize=256)
def untied_cdf(sizes: tuple[int, ...]) -> Array:
    """Return P(I <= i) for the inversions I of a random order of things, so many of each kind.

    Of two kinds it is the distribution of Mann and Whitney's W without ties, and of kinds of one
    thing each that of Kendall's D. Each number is the true one, correctly rounded.

    The numbers of orders are the coefficients of the Gaussian multinomial: the product of 1 - q^k
    for k = 1 ... n, over those for k = 1 ... t for each kind of t. They are whole numbers of any
    size: the subtractions would lose digits of a double. Only half of them, by symmetry.
    """
    n = sum(sizes)
    top = (n * n - sum(t * t for t in sizes)) // 2
    half = top // 2 + 1
    above = Counter(range(1, n + 1))
    below = Counter(k for t in sizes for k in range(1, t + 1))
    counts = np.zeros(half, dtype=object)
    counts[0] = 1
    for k in (above - below).elements():
        if k < half:
            counts[k:] = counts[k:] - counts[: half - k]
    for k in (below - above).elements():
        # Division by 1 - q^k: sums in steps of k.
        padded = np.zeros(-(-half // k) * k, dtype=object)
        padded[:half] = counts
        counts = np.cumsum(padded.reshape(-1, k), axis=0).ravel()[:half]
    total = factorial(n) // prod(map(factorial, sizes))
    lower = [int(count) for count in np.cumsum(counts)]
    # P(I <= i) = 1 - P(I <= top - i - 1), from whole numbers as well.
    upper = [total - lower[top - i - 1] for i in range(half, top)]
    table = np.array([count / total for count in [*lower, *upper, total][: top + 1]])
    table.flags.writeable = False
    return table


def pairings(
    in_x: Sequence[int],
    in_y: Sequence[int],
    gain: Callable[[int, int, Sequence[int]], int],
) -> IntArray:
    """Return how many pairings of tied scores have each sum of gains, from 0 on.

    The scores of x are grouped in ties of `in_x`, in ascending order, and those of y in ties of
    `in_y`. Group after group of x takes its scores of y; one of group i that takes one of group j
    adds gain(i, j, taken), where `taken` are the numbers of each group of y that groups before
    took. Pairings that have taken the same numbers are counted together. At most 12 scores.
    """
    tables = {(0,) * len(in_y): 1}
    for i, size in enumerate(in_x):
        longer: dict[tuple[int, ...], int] = {}
        for taken, table in tables.items():
            left = tuple(map(int.__sub__, in_y, taken))
            gains = [gain(i, j, taken) for j in range(len(in_y))]
            for chosen, ways in _choices(size, left):
                # The numbers of pairings with sums of 0, 1, ... are the 32-bit digits of a whole
                # number, which a shift moves and a sum adds all at once; 12! has 29 bits.
                moved = ways * table << 32 * sum(map(int.__mul__, chosen, gains))
                after = tuple(map(int.__add__, taken, chosen))
                longer[after] = longer.get(after, 0) + moved
        tables = longer
    (table,) = tables.values()
    digits = -(-table.bit_length() // 32)
    return np.frombuffer(table.to_bytes(4 * digits, "little"), dtype="<u4").astype(np.int64)


@lru_cache(maxsize=1 << 14)
def _choices(size: int, left: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
    """Return how to take `size` things of kinds of which so many are left, and in how many ways."""
    if not left:
        return [((), 1)]
    least, most = max(0, size - sum(left[1:])), min(size, left[0])
    return [
        ((first, *others), comb(left[0], first) * ways)
        for first in range(least, most + 1)
        for others, ways in _choices(size - first, left[1:])
    ]


def patterns(x: Array, y: Array) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], IntArray]]:
    """Give the ties of x and of y, in ascending order, and the rows (rows, n) that have them."""
    n = x.shape[1]
    ties = np.hstack([sorted_midranks(np.sort(each, axis=1))[1] for each in (x, y)])
    distinct, back = np.unique(ties.astype(np.int64), axis=0, return_inverse=True)
    for number, each in enumerate(distinct):
        yield _groups(each[:n]), _groups(each[n:]), np.flatnonzero(back.reshape(-1) == number)


def _groups(ties: IntArray) -> tuple[int, ...]:
    """Return the size of each tie, from that of the tie of each score."""
    sizes = list[int]()
    while (start := sum(sizes)) < len(ties):
        sizes.append(int(ties[start]))
    return tuple(sizes)
