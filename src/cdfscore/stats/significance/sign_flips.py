"""Sign flips of paired differences: random ones, or all 2^n of them."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import Draws, NumbersOfTopics, Sizes, both_tails
from cdfscore.stats.significance.resampling import (
    MOST_ENUMERATED,
    differences,
    least_p_value,
    rounding,
    summable,
    words,
)

# Signs made at a time, and sums of flips that are made of them.
_BLOCK = 1 << 18
_SUMS = 1 << 20
_EPS = np.finfo(np.float64).eps


def enumerable(n: int) -> bool:
    """Tell whether the flips of n differences are few enough to be enumerated."""
    return 1 << n <= MOST_ENUMERATED


def described(n: int, B: int, seed: int) -> str:
    """Describe the flips that `signs` yields."""
    return f"all 2^{n} sign flips" if enumerable(n) else f"sign flips, B = {B}, seed {seed}"


def trials(n: int, B: int) -> int:
    """Return the number of flips that `signs` yields."""
    return 1 << n if enumerable(n) else B


def signs(n: int, B: int, seed: int, rows: int = 1) -> Iterator[Array]:
    """Yield blocks of signs (trials, n), all 2^n or B random ones, for so many rows."""
    total = trials(n, B)
    step = max(1, min(_BLOCK // n, _SUMS // max(1, rows)))
    for start in range(0, total, step):
        stop = min(start + step, total)
        if enumerable(n):
            coins = np.arange(start, stop, dtype="<u8")[:, np.newaxis]
        else:
            coins = words(seed, start, stop, -(-n // 64)).astype("<u8")
        bits = np.unpackbits(coins.view(np.uint8), axis=1, count=n, bitorder="little")
        yield 1.0 - 2.0 * bits.astype(np.float64)


def drawn(sizes: NumbersOfTopics, B: int, seed: int) -> Draws | None:
    """Return the random flips of `sizes[0]` topics: 1 where the sign changes."""
    n = sizes[0]
    if enumerable(n):
        return None
    return Draws(B, n, 1, lambda: (block < 0 for block in signs(n, B, seed)))


def least_p(sizes: Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value of a test by sign flips where all differences have one sign."""
    if not enumerable(sizes.n):
        return least_p_value(settings["B"])
    return both_tails(0.5**sizes.nonzero, settings)


def units(x: Array, y: Array) -> tuple[Array, Array]:
    """Return d = x - y over sqrt(n sum(d^2)), whose sum decides t, and its rounding."""
    difference = differences(x, y, 0.0)
    largest = np.abs(difference).max(axis=1, initial=0, keepdims=True)
    # Division by a power of 2 is exact, and keeps the squares within the range of a double.
    difference = np.ldexp(difference, -np.frexp(largest)[1])
    size = np.sqrt(x.shape[1] * np.vecdot(difference, difference))
    scaled = summable(difference / size[:, np.newaxis])
    return scaled, rounding(scaled)


def t_of(r: float, n: int) -> float:
    """Return the t statistic of the sum r of a row of `units`, infinite for equal differences."""
    rest = 1 - r * r
    if rest <= 4 * n * _EPS:
        return float(np.copysign(np.inf, r))
    return float(r * np.sqrt((n - 1) / rest))


def count_all(difference: Array, at_least: Array) -> Array:
    """Count the flips of each row whose sum is at least a value, by 2^(n/2) searches."""
    half = difference.shape[1] // 2
    left = _sums(difference[:, :half])
    right = np.sort(_sums(difference[:, half:]), axis=1)
    counts = [
        b.size * a.size - np.searchsorted(b, bound - a).sum()
        for a, b, bound in zip(left, right, at_least, strict=True)
    ]
    return np.asarray(counts, dtype=np.float64)


def _sums(difference: Array) -> Array:
    """Return the sums of all flips of each row, (rows, n) to (rows, 2^n)."""
    sums = np.zeros((len(difference), 1))
    for column in difference.T[:, :, np.newaxis]:
        sums = np.concatenate([sums + column, sums - column], axis=1)
    return sums
