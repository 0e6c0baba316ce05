"""R's random numbers, bit for bit: ``set.seed``, ``runif`` and ``sample`` without replacement."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import CdfscoreError
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import sampling as r_sampling

SampleKind = Literal["Rejection", "Rounding"]

#: R's whole numbers; -2^31 is its NA.
LARGEST_SEED = 2**31 - 1
#: The largest n of R's ``sample.int``.
_LARGEST_N = 4_500_000_000_000_000
#: Above this, R draws again who was drawn before, unless more than half are drawn.
_MOST_ALWAYS_LAID_OUT = 10_000_000
#: All n in a row are 16 GB.
_MOST_LAID_OUT = 2**31 - 1


class RRandomError(CdfscoreError):
    """Error for a seed, kind, number or size for which there are no random numbers."""


class RRandom:
    """R's default generator after ``set.seed(seed)``, a Mersenne Twister.

    Each call goes on in the stream where the last one stopped, as in R. Equal to R 4.2 bit for
    bit. R scrambles the seed s by 51 steps s <- (69069 s + 1) mod 2^32; the 624 steps after them
    are the state of the twister. A random number is a word of the twister over 2^32, and
    1.1641532185403984e-10 in place of 0.

    Parameters
    ----------
    seed
        A whole number from -(2^31 - 1) to 2^31 - 1.
    sample_kind
        Method by which `sample` makes whole numbers. "Rejection" is R's default since 3.6.0
        (2019): random bits, again until they are below n. "Rounding" is R's default before:
        floor(n u), by which some numbers are likelier than others; for results of that time.

    Raises
    ------
    RRandomError
        If the seed is not a whole number of R, or the kind is unknown.

    Examples
    --------
    In R: ``set.seed(501); sample(1:99, 5); runif(2); sample(1:4)``.

    >>> r = RRandom(501)
    >>> r.sample(99, 5).tolist()
    [88, 70, 99, 36, 94]
    >>> r.runif(2).tolist()
    [0.9627911306452006, 0.19910990120843053]
    >>> r.sample(4).tolist()
    [4, 1, 2, 3]

    In R: ``set.seed(1, sample.kind = "Rounding"); sample(c("a", "b", "c", "d"), 2)``.

    >>> topics = np.array(["a", "b", "c", "d"])
    >>> topics[RRandom(1, sample_kind="Rounding").sample(4, 2) - 1].tolist()
    ['b', 'd']
    """

    def __init__(self, seed: int, *, sample_kind: SampleKind = "Rejection") -> None:
        self._rejection = _is_rejection(sample_kind)
        self._state = np.empty(625, dtype=np.uint32)
        r_sampling.restart(self._state, _seed("seed", seed))

    def runif(self, n: int) -> Array:
        """Return R's ``runif(n)``: the next n numbers above 0 and below 1, (n,)."""
        out = np.empty(_whole("n", n, 0, None))
        r_sampling.uniforms(self._state, out)
        return out

    def sample(self, n: int, size: int | None = None) -> IntArray:
        """Return R's ``sample(1:n, size)``: numbers from 1 to n in the order drawn, (size,).

        Without replacement; without a size, all n in random order. Raises `RRandomError` for an
        n below 1 or above 4.5e15, a size below 0 or above n, and, because all n would be laid
        out in memory, a size above n / 2 of an n above 2^31 - 1.
        """
        n, size, bits, hashed = _plan(n, n if size is None else size)
        out = np.empty(size, dtype=np.int64)
        r_sampling.draw(self._state, n, bits, self._rejection, hashed, out)
        return out


def samples(
    seeds: ArrayLike, n: int, size: int, *, sample_kind: SampleKind = "Rejection"
) -> IntArray:
    """Return a sample for each seed, (seeds, size): whole numbers from 1 to n.

    Row k is ``RRandom(seeds[k], sample_kind=sample_kind).sample(n, size)``; 10,000 seeds with
    100 of 149 each take 0.04 s.

    Parameters
    ----------
    seeds
        Seeds as of `RRandom`, in one dimension.
    n
        The numbers are drawn from 1 to n, without replacement.
    size
        How many numbers are drawn for each seed.
    sample_kind
        As of `RRandom`.

    Raises
    ------
    RRandomError
        For seeds, a kind, an n or a size that `RRandom` or `RRandom.sample` does not accept.

    Examples
    --------
    In R: ``t(sapply(501:503, function(seed) { set.seed(seed); sample(1:99, 5) }))``.

    >>> samples([501, 502, 503], 99, 5)
    array([[88, 70, 99, 36, 94],
           [70, 68, 83, 30, 69],
           [ 6, 81, 19, 84, 68]])
    """
    rejection, checked = _is_rejection(sample_kind), _seeds(seeds)
    n, size, bits, hashed = _plan(n, size)
    out = np.empty((len(checked), size), dtype=np.int64)
    r_sampling.draw_rows(checked, n, bits, rejection, hashed, out)
    return out


def _plan(n: Any, size: Any) -> tuple[int, int, int, bool]:
    """Return n, size, the bits of n - 1, and whether repeated numbers are drawn again."""
    n = _whole("n", n, 1, _LARGEST_N)
    size = _whole("size", size, 0, n)
    hashed = n > _MOST_ALWAYS_LAID_OUT and size <= n / 2
    if n > _MOST_LAID_OUT and not hashed:
        raise RRandomError(
            f"size={size} of n={n} would lay out all n in memory; expected a size of at most "
            f"n / 2, or an n of at most {_MOST_LAID_OUT}"
        )
    # By the logarithm as in R, which from 2^49 on misses a bit for the first n above a power of 2.
    return n, size, math.ceil(math.log2(n)), hashed


def _is_rejection(sample_kind: Any) -> bool:
    if sample_kind not in get_args(SampleKind):
        raise RRandomError(
            f"sample_kind={sample_kind!r} is not known; expected 'Rejection' or 'Rounding'"
        )
    return bool(sample_kind == "Rejection")


def _seed(name: str, value: Any) -> int:
    return _whole(name, value, -LARGEST_SEED, LARGEST_SEED)


def _seeds(seeds: ArrayLike) -> IntArray:
    array = np.asarray(seeds)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise RRandomError(
            f"seeds of shape {array.shape} and type {array.dtype} are not accepted; expected "
            "whole numbers in one dimension"
        )
    for place in np.flatnonzero((array < -LARGEST_SEED) | (array > LARGEST_SEED)):
        _seed(f"seeds[{place}]", array[place])
    return array.astype(np.int64)


def _whole(name: str, value: Any, least: int, most: int | None) -> int:
    return whole_number_from(name, value, least, most, RRandomError)
