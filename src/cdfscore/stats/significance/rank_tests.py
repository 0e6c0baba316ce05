"""What the tests of ranks share: settings, null distributions, and the Hodges-Lehmann estimate."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import comb, factorial, prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import SignificanceError
from cdfscore.stats.numerics.multiples import denominators, shifted_differences, with_ties
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.numbers import whole_number_from
from cdfscore.stats.numerics.ranks import sorted_midranks
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.significance.contract import Decimals

# --- How finely scores and differences are compared ---

# Decimal digits that a double holds whatever the number.
_DIGITS = 15

#: What ties: what is equal at the resolution of the scores, in all digits, or after rounding.
TiesAt = int | Literal["resolution", "all_digits"]
#: What a method adds for the rows, or for all; "" where all digits are compared, as in R.
Said = NDArray[np.str_] | str

# Scores below 100 then have fewer than 15 digits, where the rounding is that of R.
_MOST = 12


def differences_at(
    test: str,
    x: Array,
    y: Array,
    null_value: float,
    ties_at: TiesAt | Decimals,
    *,
    ranked: bool = False,
) -> tuple[Array, Said]:
    """Return x - y - null_value (rows, n) as compared under `ties_at`, and what `method` adds."""
    rule = _checked(test, ties_at)
    if rule == "resolution":
        difference, q = shifted_differences(x, y, null_value)
        said = _described(q)
        if ranked:
            before, difference = difference, with_ties(difference, q)
            said = np.where((difference != before).any(axis=1), "; ties at 12 digits", said)
        return difference, said
    difference = x - y - null_value
    if rule == "all_digits":
        return difference, ""
    return _rounded(difference, rule), f"; ties at {rule.number} decimals"


def shifted_at(
    test: str, x: Array, y: Array, null_value: float, ties_at: TiesAt | Decimals
) -> tuple[Array, Array, Said]:
    """Return x - null_value and y as compared under `ties_at`, and what `method` adds."""
    rule = _checked(test, ties_at)
    shifted = x - null_value
    if rule == "resolution":
        shifts = np.full((len(x), 1), null_value)
        q = denominators(np.concatenate([x, y, shifts], axis=1))
        by = q[:, np.newaxis]
        exact = (np.rint(x * by) - np.rint(null_value * by)) / by
        return np.where(np.isnan(by), shifted, exact), y, _described(q)
    if rule == "all_digits":
        return shifted, y, ""
    return _rounded(shifted, rule), _rounded(y, rule), f"; ties at {rule.number} decimals"


def _rounded(values: Array, to: Decimals) -> Array:
    """Round to decimals of the scores as they were given."""
    # What is too large for a double has no decimals, and stays as it is.
    found = rounded(np.ldexp(values, to.exponent), to.number)
    return np.where(np.isfinite(found), np.ldexp(found, -to.exponent), values)


def _checked(test: str, ties_at: object) -> Literal["resolution", "all_digits"] | Decimals:
    # An array of words is none.
    if isinstance(ties_at, str):
        if ties_at == "resolution":
            return "resolution"
        if ties_at == "all_digits":
            return "all_digits"
    number, exponent = ties_at, 0
    if isinstance(ties_at, Decimals):
        number, exponent = ties_at.number, ties_at.exponent
    decimals = whole_number_from(
        f"{test}: ties_at",
        number,
        0,
        _MOST,
        SignificanceError,
        also="'resolution' or 'all_digits'",
    )
    return Decimals(decimals, exponent)


def _described(q: Array) -> Said:
    """Say of each row what a difference is a multiple of."""
    return _said(q, lambda q: "" if np.isnan(q) else f"; ties at multiples of 1/{q:.0f}")


def zeros_said(zeros: Array | IntArray, n: int) -> NDArray[np.str_]:
    """Return what `method` adds for each row: how many of n differences the test rests on."""
    return _said(zeros, lambda k: f"; {n - k:.0f} of {n} differences are not 0" if k else "")


def _said(values: Array | IntArray, say: Callable[[Any], str]) -> NDArray[np.str_]:
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([say(each) for each in distinct], dtype=np.str_)[place]


def check_exact(test: str, what: str, numbers: Array | IntArray, most: int) -> None:
    """Raise `SignificanceError` for too many scores of an exact p value."""
    number = int(numbers.max(initial=0))
    if number > most:
        raise SignificanceError(
            f"{test}: exact=True with {number:,} {what} is not accepted; expected {most:,} or "
            "fewer, or exact=False for the approximation"
        )


def rounded(values: Array, decimals: int) -> Array:
    """Round to decimals as R's ``round``: to the nearer double; more than 15 digits are kept."""
    power = 10.0**decimals
    # Zero has the logarithm -inf, and a product that overflows is not asked for.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scaled = values * power
        below, above = np.floor(scaled), np.ceil(scaled)
        low, high = below / power, above / power
        to_low, to_high = values - low, high - values
        down = (to_low < to_high) | ((to_low == to_high) & (below % 2 == 0))
        whole = np.ceil(np.log10(np.abs(values)))
    return np.where(decimals > _DIGITS - whole, values, np.where(down, low, high))


# --- Distributions of ranks counted in whole numbers, their tails and quantiles ---

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
    """Return the p value of each value, 0, step, 2 step, ..., that has been counted so often."""
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
    """Return P(I <= i), correctly rounded, of the inversions I of a random order of kinds.

    Two kinds give Mann and Whitney's W, and kinds of one thing each Kendall's D. The numbers of
    orders are the coefficients of the Gaussian multinomial.
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
    """Return how many pairings of tied scores, of 12 at most, have each sum of gains, from 0 on.

    Group after group of x, ties of `in_x`, takes scores of y; one of group i that takes one of
    group j adds gain(i, j, taken), where `taken` are the numbers that groups before took.
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


# --- p values of a standard normal statistic, each tail computed separately ---


def normal_p_value(z: Array, alternative: str) -> Array:
    """Return the p value of z, each tail on its own."""
    if alternative == "less":
        return normal_cdf(z.copy())
    if alternative == "greater":
        return normal_cdf(-z)
    return 2 * normal_cdf(-np.abs(z))


# --- Hodges-Lehmann estimate and its interval, from the differences of two scores ---

# By how much rounding of a level may miss a probability of the exact distribution.
_ROUNDING = 2 * np.finfo(np.float64).eps


def exact_cut(below: Array, tail: float) -> tuple[int, bool]:
    """Return the rank, from 1, of the end that leaves out `tail` at most; True if none does."""
    return max(1, quantile(below, tail)), bool(below[0] > tail + _ROUNDING)


def normal_cut(size: int, sigma: Array, correction: float, z: float) -> tuple[IntArray, BoolArray]:
    """Return the rank, from 1 to `size`, at which the statistic passes z; True if it never does."""
    place = size / 2 - correction - z * sigma
    return np.clip(np.ceil(place), 1, size).astype(np.int64), place < 0


def median_and_interval(
    ordered: Array, cut: IntArray, exact: BoolArray, alternative: str
) -> tuple[Array, Array, Array]:
    """Return the median of ordered differences, and those `cut` places from either end."""
    size = ordered.shape[1]
    low = np.take_along_axis(ordered, cut[:, np.newaxis] - 1, axis=1)[:, 0]
    high = np.take_along_axis(ordered, size - cut[:, np.newaxis], axis=1)[:, 0]
    none = ~exact & (ordered[:, 0] == ordered[:, -1])
    low[none] = high[none] = np.nan
    if alternative == "less":
        low[:] = -np.inf
    if alternative == "greater":
        high[:] = np.inf
    middle = (ordered[:, (size - 1) // 2] + ordered[:, size // 2]) / 2
    return middle, low, high


def labelled(method: NDArray[np.str_], short: BoolArray) -> NDArray[np.str_]:
    """Return the names of methods (rows,), with a remark if an interval misses its level."""
    remark = "; interval: the whole range, conf_level cannot be reached"
    return np.strings.add(method, np.where(short, remark, ""))
