"""Rank correlation coefficients: Kendall's tau, AP correlation and dRMSE."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import CdfscoreError
from cdfscore.stats.numerics.eighty_bits import product_error
from cdfscore.stats.numerics.moments import mean, mean_and_sd
from cdfscore.stats.numerics.ranks import Counts, counts
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.significance.contract import exponents, leading, rows_of

# --- Paired values of systems: checks, and shapes of arguments and results ---


@dataclass(frozen=True)
class Pairs:
    """Rows x and y of equal shape (rows, n), and the leading shape of the arguments."""

    coefficient: str
    x: Array
    y: Array
    shape: tuple[int, ...]

    @classmethod
    def of(cls, coefficient: str, x: ArrayLike, y: ArrayLike) -> Pairs:
        """Check x and y of shape (..., n), whose leading dimensions broadcast."""
        first, second = _as_values(coefficient, "x", x), _as_values(coefficient, "y", y)
        n, m = first.shape[-1], second.shape[-1]
        if n != m:
            raise CdfscoreError(
                f"{coefficient}: x has {n} values and y has {m}; expected one of each per system"
            )
        if n < 2:
            are = "is 1 pair" if n else "are 0 pairs"
            raise CdfscoreError(f"{coefficient}: there {are} of values; expected at least 2")
        shape = leading(coefficient, first, second)
        return cls(coefficient, rows_of(first, shape), rows_of(second, shape), shape)

    @cached_property
    def counts(self) -> Counts:
        """Counts in the order of y; coefficients of the same pairs share them."""
        return counts(self.x, self.y)

    def result(self, values: Array) -> Array | np.float64:
        """Return one value per row in the leading shape, a number for a single pair."""
        return values.reshape(self.shape)[()]

    def result_where(self, defined: BoolArray, values: Array, expected: str) -> Array | np.float64:
        """Return `result` with NaN where undefined; raises `CdfscoreError` for a single pair."""
        if not self.shape and not defined.all():
            raise CdfscoreError(f"{self.coefficient} is undefined: expected {expected}")
        return self.result(np.where(defined, values, np.nan))

    def refuse_ties(self, argument: str, instead: str) -> None:
        """Raise `CdfscoreError` if two values in a row of x, or of y, are equal."""
        values = self.x if argument == "x" else self.y
        order = np.argsort(values, axis=-1, kind="stable")
        ranked = np.take_along_axis(values, order, axis=-1)
        tied = np.argwhere(ranked[:, 1:] == ranked[:, :-1])
        if tied.size:
            row, rank = tied[0]
            dots, pair = "", ""
            if self.shape:
                place = [int(i) for i in np.unravel_index(row, self.shape)]
                dots, pair = "..., ", f" in the pair {place}"
            one, two = (f"{argument}[{dots}{order[row, at]}]" for at in (rank, rank + 1))
            raise CdfscoreError(
                f"{self.coefficient}: {one} and {two} are both {ranked[row, rank]}{pair}; "
                f"expected no ties in {argument}, {instead}"
            )


def constant(values: Array) -> BoolArray:
    """Tell for each row whether all its values are equal."""
    return np.asarray(values.min(axis=-1) == values.max(axis=-1))


def _as_values(coefficient: str, argument: str, values: ArrayLike) -> Array:
    try:
        given = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise CdfscoreError(f"{coefficient}: {argument} is not an array: {error}") from error
    if given.dtype.kind not in "iuf":
        raise CdfscoreError(f"{coefficient}: {argument} holds {given.dtype}; expected numbers")
    numbers = given.astype(np.float64)
    if numbers.ndim == 0:
        raise CdfscoreError(
            f"{coefficient}: {argument} is the single number {numbers}; expected values of shape "
            "(..., n)"
        )
    bad = np.argwhere(~np.isfinite(numbers))
    if bad.size:
        place = tuple(int(i) for i in bad[0])
        raise CdfscoreError(
            f"{coefficient}: {argument}[{', '.join(map(str, place))}] is {numbers[place]}; "
            "expected finite numbers"
        )
    return numbers


# --- Kendall's rank correlation, and the rate of swapped pairs ---


def tau(x: ArrayLike, y: ArrayLike) -> Array | np.float64:
    """Correlate two rankings by Kendall's tau, (C - D) / (n (n - 1) / 2).

    C pairs of systems are concordant (in the same order in x and in y) and D are discordant. A
    pair that is tied in x or y is neither. The divisor is the number of all pairs. With ties, this
    is tau_a. If x has no ties, it is the mean over all orders of the ties in y.

    Specified in tau.1.

    Parameters
    ----------
    x, y
        Values of n systems, shape (..., n); leading dimensions broadcast.

    Returns
    -------
    float or array of shape (...)
        In [-1, 1].

    Raises
    ------
    CdfscoreError
        For values that are not numbers, a NaN or an infinity, unequal n, or n below 2.

    Notes
    -----
    Source: Kendall (1938), A new measure of rank correlation. Counts are integers, and
    only the division rounds.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import tau
    >>> float(tau([0.9, 0.5, 0.4, 0.1], [0.8, 0.2, 0.7, 0.1]))
    0.6666666666666666
    """
    pairs = Pairs.of("tau", x, y)
    n = pairs.x.shape[-1]
    return pairs.result(pairs.counts.excess() / (n * (n - 1) // 2))


def tau_b(x: ArrayLike, y: ArrayLike) -> Array | np.float64:
    """Correlate two rankings with ties by tau_b, (C - D) / sqrt(P_x P_y).

    P_x is the number of pairs of systems that are not tied in x, and P_y the same for y. C and
    D are those of `tau`. Without ties, tau_b is `tau`.

    Specified in tau_b.1.

    Arguments and errors are those of `tau`. The result is in [-1, 1], and NaN for a pair in a batch
    for which it is undefined, because all of x or all of y is tied; for a single pair that is a
    `CdfscoreError`.

    Notes
    -----
    Source: Kendall (1945), The treatment of ties in ranking problems; R:
    ``cor(x, y, method = "kendall")``. The divisor here is the sum of two doubles, and the result is
    the nearest double; R rounds two roots and their product, and differs by an ulp or two for
    about four in ten pairs of rankings. ``scipy.stats.kendalltau`` gives the same numbers with
    p values, one pair per call: it takes 2.1 s for 10,000 pairs of 110 systems, and this
    function 0.1 s.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import tau_b
    >>> float(tau_b([0.9, 0.5, 0.4, 0.1], [0.8, 0.2, 0.2, 0.1]))
    0.9128709291752769
    """
    return tau_b_of(Pairs.of("tau_b", x, y))


def tau_b_of(pairs: Pairs) -> Array | np.float64:
    """Return `tau_b` of pairs that are checked."""
    counted = pairs.counts
    defined = ~(constant(pairs.x) | constant(pairs.y))
    untied = (np.where(defined, n.sum(axis=-1), 1.0) for n in (counted.above_x, counted.above_y))
    values = _over_root(counted.excess(), *untied)
    return pairs.result_where(defined, values, "at least two different values in x, and in y")


def swap_rate(x: ArrayLike, y: ArrayLike) -> Array | np.float64:
    """Return the proportion of pairs of systems that x and y order differently.

    D / (n (n - 1) / 2), with the D discordant pairs of `tau`. A pair that is tied in x or y is not
    swapped, and counts in the divisor. Without ties, the rate is (1 - tau) / 2.

    Specified in swap_rate.1.

    Arguments and errors are those of `tau`. The result is in [0, 1].

    Notes
    -----
    Source: Voorhees and Buckley (2002), The effect of topic set size on retrieval experiment error,
    for means on two disjoint sets of topics. The error rate of Buckley and Voorhees (2000),
    Evaluating evaluation measure stability, sums ``min(|A > B|, |A < B|)`` over the pairs of
    systems, and divides by the sum of ``|A > B| + |A < B| + |A = B|``. Of two sets of
    topics, with the fuzziness 0, it is half of this rate.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import swap_rate
    >>> float(swap_rate([0.9, 0.5, 0.4, 0.1], [0.8, 0.2, 0.7, 0.1]))
    0.16666666666666666
    """
    return swap_rate_of(Pairs.of("swap_rate", x, y))


def swap_rate_of(pairs: Pairs) -> Array | np.float64:
    """Return `swap_rate` of pairs that are checked."""
    n = pairs.x.shape[-1]
    return pairs.result(pairs.counts.discordant / (n * (n - 1) // 2))


def _over_root(numerator: IntArray, x: Array, y: Array) -> Array:
    product = x * y
    root = np.sqrt(product)
    square = root * root
    left = (product - square) - product_error(root, root, square) + product_error(x, y, product)
    rest = left / (2 * root)
    first = numerator / root
    back = first * root
    left = (numerator - back) - product_error(first, root, back) - first * rest
    return np.asarray(first + left / root)


# --- AP correlation: rank correlation with most weight at the top of a ranking ---


def tau_ap(x: ArrayLike, y: ArrayLike, *, decreasing: bool = True) -> Array | np.float64:
    """Correlate an estimated ranking y with a true ranking x by AP correlation, without ties.

    tau_ap = 2 / (n - 1) * sum(C(i) / (i - 1)) - 1 over the ranks i = 2..n in y, where C(i)
    is the number of systems above rank i in y that are above that system in x too.

    Specified in tau_ap.1.

    Parameters
    ----------
    x
        True values of n systems, shape (..., n).
    y
        Their estimated values, shape (..., n); leading dimensions broadcast.
    decreasing
        Whether the greatest value is at the top, as of scores; False where the smallest is,
        as of ranks.

    Returns
    -------
    float or array of shape (...)
        In [-1, 1]. Not symmetric: the ranks are those in y.

    Raises
    ------
    CdfscoreError
        For a tie in x or in y, which it names; for values that are not numbers, a NaN or an
        infinity, unequal n, or n below 2.

    Notes
    -----
    Source: Yilmaz, Aslam and Robertson (2008), A new rank correlation coefficient for
    information retrieval, SIGIR 2008; ``tauAP`` of the R package ircor. The terms are
    summed as (2 C(i) - (i - 1)) / (i - 1), which loses no digits near 0.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import tau, tau_ap
    >>> swapped = [[3, 4, 2, 1], [4, 3, 1, 2]]  # at the top, and at the bottom
    >>> tau([4, 3, 2, 1], swapped).round(4)
    array([0.6667, 0.6667])
    >>> tau_ap([4, 3, 2, 1], swapped).round(4)
    array([0.3333, 0.7778])
    """
    pairs = _pairs("tau_ap", x, y, decreasing)
    pairs.refuse_ties("x", "or tau_ap_b, which allows them")
    pairs.refuse_ties("y", "or tau_ap_a or tau_ap_b, which allow them")
    return pairs.result(_accuracy(pairs.counts))


def tau_ap_a(x: ArrayLike, y: ArrayLike, *, decreasing: bool = True) -> Array | np.float64:
    """Correlate an estimated ranking y, with or without ties, with a true ranking x by tau_ap_a.

    The result is the mean of `tau_ap` over all orders of the systems that are tied in y, in
    closed form. Without ties it is `tau_ap`; if all of y is tied it is 0.

    Specified in tau_ap_a.1.

    Arguments and errors are those of `tau_ap`, but y may have ties. The result is in [-1, 1]. It is
    not symmetric: the ranks are those in y.

    Notes
    -----
    Source: Urbano and Marrero (2017), The treatment of ties in AP correlation, ICTIR 2017;
    ``tauAP_a`` of the R package ircor. Each system of a tied group is equally likely at
    each rank of the group, and two of them are concordant in half of the orders. So the pairs
    within the group cancel out. With p systems above the group, each of its ranks i adds
    (2 C - p) / (i - 1), where C is the mean over the group of the concordant systems above it.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import tau_ap, tau_ap_a
    >>> tau_ap_a([4, 3, 2, 1], [3, 2, 2, 1]).round(4)
    np.float64(0.8333)
    >>> tau_ap([4, 3, 2, 1], [[4, 3, 2, 1], [4, 2, 3, 1]]).mean().round(4)
    np.float64(0.8333)
    """
    pairs = _pairs("tau_ap_a", x, y, decreasing)
    pairs.refuse_ties("x", "or tau_ap_b, which allows them")
    return pairs.result(_accuracy(pairs.counts))


def tau_ap_b(x: ArrayLike, y: ArrayLike, *, decreasing: bool = True) -> Array | np.float64:
    """Correlate two estimated rankings, with or without ties, by tau_ap_b.

    The result is the mean of two coefficients, one by the ranks in y and one by the ranks in
    x. The first is 2 / m * sum(C(s) / p(s)) - 1 over the m systems s that are not tied at the
    top of y. Here p(s) is the number of systems above s in y, and C(s) the number of these
    that are above s in x too. The second is the same with x and y exchanged. Without ties
    the result is the mean of ``tau_ap(x, y)`` and ``tau_ap(y, x)``.

    Specified in tau_ap_b.1.

    Arguments are those of `tau_ap`, and errors those of `tau_b`. The result is in [-1, 1], and NaN
    for a pair in a batch for which it is undefined. It is symmetric.

    Notes
    -----
    Source: Urbano and Marrero (2017), The treatment of ties in AP correlation, ICTIR 2017;
    ``tauAP_b`` of the R package ircor. In each coefficient, a pair that is tied in its
    ranking is omitted, and a pair that is tied only in the other ranking counts as discordant.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import tau_ap_b
    >>> float(tau_ap_b([0.9, 0.5, 0.4, 0.1], [0.8, 0.2, 0.2, 0.1]))
    0.8333333333333333
    """
    return tau_ap_b_of(_pairs("tau_ap_b", x, y, decreasing))


def tau_ap_b_of(pairs: Pairs) -> Array | np.float64:
    """Return `tau_ap_b` of pairs that are checked; the greatest value is at the top."""
    defined = ~(constant(pairs.x) | constant(pairs.y))
    halves = [_agreement(counted) for counted in (pairs.counts, pairs.counts.exchanged())]
    return pairs.result_where(
        defined, (halves[0] + halves[1]) / 2, "at least two different values in x, and in y"
    )


def _pairs(coefficient: str, x: ArrayLike, y: ArrayLike, decreasing: bool) -> Pairs:
    pairs = Pairs.of(coefficient, x, y)
    if not isinstance(decreasing, bool | np.bool_):
        raise CdfscoreError(
            f"{coefficient}: decreasing={decreasing!r} is not accepted; expected True or False"
        )
    return pairs if decreasing else Pairs(coefficient, -pairs.x, -pairs.y, pairs.shape)


def _accuracy(counted: Counts) -> Array:
    """Return tau_ap_a of each row; it is tau_ap if y has no ties."""
    n = counted.above_y.shape[-1]
    concordant = _group_means(counted.concordant, counted.above_y)
    terms = (2 * concordant - counted.above_y)[:, 1:] / np.arange(1, n)
    return np.asarray(terms.sum(axis=-1) / (n - 1))


def _agreement(counted: Counts) -> Array:
    """Return the coefficient of tau_ap_b by the ranks in y; 0 if all of y is tied."""
    above = counted.above_y[:, 1:]  # the first is at the top, with none above it
    concordant = _group_means(counted.concordant, counted.above_y)[:, 1:]
    below_top = above > 0
    terms = (2 * concordant - above) / np.where(below_top, above, 1)
    return np.asarray(terms.sum(axis=-1) / np.maximum(below_top.sum(axis=-1), 1))


def _group_means(values: IntArray, above: IntArray) -> Array:
    n = values.shape[-1]
    sums = np.zeros((len(values), n + 1), dtype=np.int64)
    np.cumsum(values, axis=-1, out=sums[:, 1:])
    is_last = np.ones(values.shape, dtype=np.bool_)
    is_last[:, :-1] = above[:, 1:] != above[:, :-1]
    ends = np.where(is_last, np.arange(1, n + 1), n)
    end = np.minimum.accumulate(ends[:, ::-1], axis=-1)[:, ::-1]
    total = np.take_along_axis(sums, end, axis=-1) - np.take_along_axis(sums, above, axis=-1)
    return np.asarray(total / (end - above))


# --- Root mean squared errors between scores of systems on two collections ---


def rmse(x: ArrayLike, y: ArrayLike) -> Array | np.float64:
    """Return the root mean squared error, sqrt(mean((x - y)^2)).

    Specified in rmse.1.

    Parameters
    ----------
    x, y
        Mean scores of n systems on two collections, shape (..., n); leading dimensions
        broadcast.

    Returns
    -------
    float or array of shape (...)
        At least 0.

    Raises
    ------
    CdfscoreError
        For values that are not numbers, a NaN or an infinity, unequal n, or n below 2.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Eq. 3. Squares are of differences divided by a power
    of two, so that they neither overflow nor underflow.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import rmse
    >>> rmse([0.5, 0.3, 0.1], [0.4, 0.3, 0.3]).round(4)
    np.float64(0.1291)
    """
    pairs = Pairs.of("rmse", x, y)
    return pairs.result(_rmse(pairs))


def drmse(x: ArrayLike, y: ArrayLike) -> Array | np.float64:
    """Return the root mean squared error over the mean of the two standard deviations.

    drmse = 2 rmse(x, y) / (sd(x) + sd(y)).

    Specified in drmse.1.

    Arguments and errors are those of `rmse`. The result is at least 0, and NaN for a pair in a
    batch for which it is undefined, because all of x are equal and all of y too; for a single pair
    that is a `CdfscoreError`.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Eq. 4, with the standard deviations of R's
    ``sd``, which divides by n - 1; this gives the values of their Tables 3 and 5.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import drmse
    >>> drmse([0.5, 0.3, 0.1], [0.4, 0.3, 0.3]).round(4)
    np.float64(1.0018)
    """
    pairs = _in_own_unit(Pairs.of("drmse", x, y))
    x_sd, y_sd = _sds(pairs)
    undefined = constant(pairs.x) & constant(pairs.y)
    return _divided(pairs, x_sd / 2 + y_sd / 2, ~undefined, "x or in y")


def drmse_geometric(x: ArrayLike, y: ArrayLike) -> Array | np.float64:
    """Return the root mean squared error over the geometric mean of the standard deviations.

    drmse_geometric = rmse(x, y) / sqrt(sd(x) sd(y)).

    Specified in drmse_geometric.1.

    Arguments and errors are those of `drmse`, but it is undefined if all of x or all of y are
    equal. The result is at least `drmse`.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Section 5, below Eq. 4: the geometric mean of the two
    standard deviations in place of the arithmetic one, which is at least as large. Standard
    deviations are those of R's ``sd``, which divides by n - 1.

    Examples
    --------
    >>> from cdfscore.stats.rank_correlation import drmse_geometric
    >>> drmse_geometric([0.5, 0.3, 0.1], [0.4, 0.3, 0.3]).round(4)
    np.float64(1.2014)
    """
    pairs = _in_own_unit(Pairs.of("drmse_geometric", x, y))
    x_sd, y_sd = _sds(pairs)
    undefined = constant(pairs.x) | constant(pairs.y)
    # A root each, as the product may be no double.
    return _divided(pairs, np.sqrt(x_sd) * np.sqrt(y_sd), ~undefined, "x and in y")


def _in_own_unit(pairs: Pairs) -> Pairs:
    exponent = exponents((pairs.x, pairs.y))[:, np.newaxis]
    return replace(pairs, x=np.ldexp(pairs.x, -exponent), y=np.ldexp(pairs.y, -exponent))


def _sds(pairs: Pairs) -> tuple[Array, Array]:
    return mean_and_sd(pairs.x)[1][:, 0], mean_and_sd(pairs.y)[1][:, 0]


def _divided(pairs: Pairs, mean_sd: Array, defined: BoolArray, where: str) -> Array | np.float64:
    return pairs.result_where(
        defined,
        _rmse(pairs) / np.where(defined, mean_sd, 1),
        f"at least two different values in {where}",
    )


def _rmse(pairs: Pairs) -> Array:
    # Halved where the difference may be no double, and with a largest one of about 1.
    half = np.where(np.maximum(np.abs(pairs.x), np.abs(pairs.y)) > 2.0**1022, 0.5, 1.0)
    half = half.min(axis=-1, keepdims=True)
    difference = pairs.x * half - pairs.y * half
    _, exponent = np.frexp(np.abs(difference).max(axis=-1, keepdims=True))
    difference = np.ldexp(difference, -exponent)
    with np.errstate(over="ignore"):  # Inf if no double is large enough
        root: Array = np.ldexp(np.sqrt(mean(difference * difference)), exponent) / half
    return root[..., 0]
