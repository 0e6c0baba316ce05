"""Divisions of pooled scores into two groups: random ones, or all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.types import Array
from cdfscore.significance.resampling.common import MOST_ENUMERATED, words
from cdfscore.significance.resampling.draws import Draws, Sizes

# Scores that are divided at a time.
_BLOCK = 1 << 18


def enumerable(n: int, m: int) -> bool:
    """Tell whether the divisions into n and m are few enough to be enumerated."""
    return math.comb(n + m, n) <= MOST_ENUMERATED


def described(n: int, m: int, B: int, seed: int) -> str:
    """Describe the divisions that `divisions` yields."""
    if enumerable(n, m):
        return f"all {math.comb(n + m, n)} divisions into {n} and {m}"
    return f"shuffles, B = {B}, seed {seed}"


def trials(n: int, m: int, B: int) -> int:
    """Return the number of divisions that `divisions` yields."""
    return math.comb(n + m, n) if enumerable(n, m) else B


def divisions(n: int, m: int, B: int, seed: int) -> Iterator[Array]:
    """Yield blocks of divisions, (trials, n + m): 1 in the first group (of n), 0 in the second.

    All of them where `enumerable`, else B drawn ones, each from random words of its own.
    """
    step = max(1, _BLOCK // (n + m))
    chosen = _all(n, m, step) if enumerable(n, m) else _drawn(n, m, B, seed, step)
    for members in chosen:
        groups = np.zeros((len(members), n + m))
        np.put_along_axis(groups, members, 1.0, axis=1)
        yield groups


def drawn(sizes: Sizes, B: int, seed: int) -> Draws | None:
    """Return the random divisions into two sizes: 1 in the first group, 0 in the second."""
    n, m = sizes
    if enumerable(n, m):
        return None
    return Draws(B, n + m, 1, lambda: divisions(n, m, B, seed))


def _all(n: int, m: int, step: int) -> Iterator[NDArray[np.intp]]:
    every = combinations(range(n + m), n)
    while block := list(islice(every, step)):
        flat = np.fromiter(chain.from_iterable(block), dtype=np.intp, count=n * len(block))
        yield flat.reshape(-1, n)


def _drawn(n: int, m: int, B: int, seed: int, step: int) -> Iterator[NDArray[np.intp]]:
    # The places of the n smallest of n + m random words are a random subset, each as likely
    # as another but for words of 64 bits that are equal.
    for start in range(0, B, step):
        keys = words(seed, start, min(start + step, B), n + m)
        yield np.argpartition(keys, n - 1, axis=1)[:, :n]
