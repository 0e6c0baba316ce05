"""Common parts of resampling tests: random words, ties and ranks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array

#: The tolerance of a p value that is a number of outcomes by the number of all.
COUNTED = Tolerance(4, "Python and R count the same outcomes, and divide by their number")
#: The most outcomes that are enumerated instead of drawn.
MOST_ENUMERATED = 1 << 20
#: Words that Philox makes of one value of its counter.
_PER_COUNT = 4


def words(seed: int, start: int, stop: int, per_trial: int) -> NDArray[np.uint64]:
    """Return random words of 64 bits for the trials from start to stop, (trials, per_trial).

    The words of trial k stand at a place of the stream that k alone decides (Philox counts),
    so that the numbers do not depend on how the trials are split into blocks.
    """
    counts = -(-per_trial // _PER_COUNT)
    stream = np.random.Philox(seed)
    stream.advance(start * counts)
    raw: NDArray[np.uint64] = stream.random_raw((stop - start, counts * _PER_COUNT))
    return raw[:, :per_trial]


def rounding(*terms: Array) -> Array:
    """Return the possible rounding error of a sum of these terms (rows, n), in any order.

    n eps times the sum of their sizes. Statistics that are closer than this are ties: 0.3 - 0.1
    and 0.2 - 0.0 are the same difference, though not as doubles.
    """
    size = sum(np.abs(term).sum(axis=-1) for term in terms)
    return np.asarray(terms[0].shape[-1] * np.finfo(np.float64).eps * size)


def toward(statistic: Array, alternative: str) -> Array:
    """Return the statistic with the sign that makes large values favour the alternative."""
    if alternative == "two-sided":
        return np.abs(statistic)
    return -statistic if alternative == "less" else statistic


def order_statistic(level: float, trials: int) -> int:
    """Return the rank, from 1, of the first sorted trial that is not below a proportion `level`."""
    return max(1, math.ceil(level * trials * (1 - 4 * np.finfo(np.float64).eps)))


def least_p_value(trials: int) -> float:
    """Return the smallest p value of random trials: of none that is as extreme."""
    return 1 / (trials + 1)
