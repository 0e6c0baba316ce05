"""Largest range of system means when scores are shuffled within topics, compiled.

numba's own random numbers have one state per thread and cannot be made to depend on the trial.
Here each trial has a generator of its own, so that its numbers depend on the seed and its
number alone, whatever the blocks and threads: xoshiro256++ of Blackman and Vigna (2021),
Scrambled linear pseudorandom number generators, its state from their splitmix64.
"""

from __future__ import annotations

import itertools
import math
import os
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.significance.resampling.common import MOST_ENUMERATED

# Trials that a thread takes at a time.
_BLOCK = 1 << 9
_U = np.uint64
_GOLDEN = _U(0x9E3779B97F4A7C15)
_LOW_HALF = _U(0xFFFFFFFF)


def enumerable(topics: int, systems: int) -> bool:
    """Tell whether all shuffles within topics are few enough to be enumerated."""
    return topics * math.lgamma(systems + 1) <= math.log(MOST_ENUMERATED) + 1e-9


def all_ranges(scores: Array) -> Array:
    """Return the range of the sums of systems for all (systems!)^topics shuffles."""
    places = np.array(list(itertools.permutations(range(scores.shape[1]))))
    sums = np.zeros((1, scores.shape[1]))
    for topic in scores:
        sums = (sums[:, np.newaxis] + topic[places]).reshape(-1, scores.shape[1])
    return np.asarray(np.ptp(sums, axis=1))


def drawn_ranges(scores: Array, B: int, seed: int, workers: int | None = None) -> Array:
    """Return the range of the sums of systems for B random shuffles of scores (topics, systems).

    By default there is a thread for each processor; the numbers do not depend on how many.
    """
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    scores = np.ascontiguousarray(scores)
    ranges = np.empty(B)
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        blocks = [
            pool.submit(_fill, scores, key, start, ranges[start : start + _BLOCK])
            for start in range(0, B, _BLOCK)
        ]
        for block in blocks:
            block.result()
    return ranges


@numba.njit(cache=True, nogil=True, inline="always")
def _mixed(x: np.uint64) -> np.uint64:
    """Return the output of splitmix64 for a state."""
    x = (x ^ (x >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> _U(27))) * _U(0x94D049BB133111EB)
    return x ^ (x >> _U(31))


@numba.njit(cache=True, nogil=True, inline="always")
def _rotated(x: np.uint64, k: int) -> np.uint64:
    return (x << _U(k)) | (x >> _U(64 - k))


@numba.njit(cache=True, nogil=True)
def _fill(scores: Array, key: np.uint64, start: int, ranges: Array) -> None:
    """Write the ranges of the trials from `start` on."""
    topics, systems = scores.shape
    # What a draw below i must not fall under, so that all i values are equally likely.
    limits = np.zeros(systems + 1, dtype=np.uint64)
    for i in range(1, systems + 1):
        limits[i] = (_U(1) << _U(32)) % _U(i)
    row = np.empty(systems)
    sums = np.empty(systems)
    for trial in range(len(ranges)):
        origin = _mixed(key + _U(start + trial) * _GOLDEN)
        s0 = _mixed(origin + _GOLDEN)
        s1 = _mixed(origin + _U(2) * _GOLDEN)
        s2 = _mixed(origin + _U(3) * _GOLDEN)
        s3 = _mixed(origin + _U(4) * _GOLDEN)
        sums[:] = 0.0
        for topic in range(topics):
            row[:] = scores[topic]
            # Fisher and Yates from the end: the last of `left` scores is one drawn from them.
            for left in range(systems, 0, -1):
                while True:
                    word = _rotated(s0 + s3, 23) + s0
                    moved = s1 << _U(17)
                    s2 ^= s0
                    s3 ^= s1
                    s1 ^= s2
                    s0 ^= s3
                    s2 ^= moved
                    s3 = _rotated(s3, 45)
                    # Lemire (2019), Fast random integer generation in an interval.
                    product = (word >> _U(32)) * _U(left)
                    if (product & _LOW_HALF) >= limits[left]:
                        break
                place = np.int64(product >> _U(32))
                sums[left - 1] += row[place]
                row[place] = row[left - 1]
        ranges[trial] = sums.max() - sums.min()
