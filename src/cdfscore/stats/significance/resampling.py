"""Common parts of resampling tests: random words, ties and ranks."""

import math

import numpy as np
from numpy.typing import NDArray

from cdfscore.common.costs import check_cost
from cdfscore.stats.numerics.multiples import shifted_differences
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array, BoolArray

#: The tolerance of a p value that is a number of outcomes by the number of all.
COUNTED = Tolerance(4, "Python and R count the same outcomes, and divide by their number")
#: The most outcomes that are enumerated instead of drawn.
MOST_ENUMERATED = 1 << 20
#: Words that Philox makes of one value of its counter.
_PER_COUNT = 4


def words(seed: int, start: int, stop: int, per_trial: int) -> NDArray[np.uint64]:
    """Return random words for the trials from start to stop, each at its own place."""
    counts = -(-per_trial // _PER_COUNT)
    made = (stop - start) * counts * _PER_COUNT
    what = f"{stop - start:,} resamples of {per_trial}"
    check_cost(what, "fewer resamples", score_of_a_resample=made)
    stream = np.random.Philox(seed)
    stream.advance(start * counts)
    raw: NDArray[np.uint64] = stream.random_raw((stop - start, counts * _PER_COUNT))
    return raw[:, :per_trial]


#: By how much of the sum of sizes, and of their number, two sums may differ and tie.
_TIED = 2.0**-48
#: The rounding of scores is within `rounding` of the differences unless the sizes of the scores
#: are more than this many times n as large as those of the differences.
_COVERED = 16.0


def differences(x: Array, y: Array, shift: float) -> Array:
    """Return x - y - shift, each within 2 eps of its size, however large what x and y share."""
    y = np.broadcast_to(y, x.shape)
    difference = differences_of_doubles(x, y, shift)
    loose = np.flatnonzero(exceed(size_of(x, shift) + size_of(y, 0.0), difference))
    if loose.size:
        whole, q = shifted_differences(x[loose], y[loose], shift)
        known = ~np.isnan(q)
        difference[loose[known]] = whole[known]
    return np.asarray(difference)


def differences_of_doubles(x: Array, y: Array, shift: float) -> Array:
    """Return x - y - shift, each within 2 eps of its size, of scores that are taken as exact."""
    difference = x - y
    if shift != 0:
        # Knuth's two-sum: x - y is the double and, exactly, the rest that it has lost.
        back = difference - x
        difference = (difference - shift) + ((x - (difference - back)) - (y + back))
    return np.asarray(difference)


def size_of(scores: Array, shift: float) -> Array:
    """Return the sum of the sizes of scores (rows, n), and of a shift from each."""
    return np.asarray(np.abs(scores).sum(axis=1) + scores.shape[1] * abs(shift))


def exceed(size: Array, difference: Array) -> BoolArray:
    """Tell of which rows the rounding of scores of a size may exceed what counts as a tie."""
    n = difference.shape[1]
    return np.asarray(size > _COVERED * n * np.abs(difference).sum(axis=1))


def rounding(*terms: Array) -> Array:
    """Return by how much two sums of these terms (rows, n) may tie: n 2^-48 times their sizes."""
    size = sum(np.abs(term).sum(axis=-1) for term in terms)
    return np.asarray(terms[0].shape[-1] * _TIED * size)


def summable(terms: Array) -> Array:
    """Return terms (rows, n), rounded so that no sum of some of them, or of flipped ones, is."""
    exponent = np.frexp(np.abs(terms).sum(axis=1, keepdims=True))[1] - 52
    return np.asarray(np.ldexp(np.rint(np.ldexp(terms, -exponent)), exponent))


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
