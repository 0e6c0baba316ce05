"""AP correlation: rank correlation with most weight at the top of a ranking."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import CdfscoreError
from cdfscore.numerics.concordance import Counts
from cdfscore.numerics.types import Array, IntArray
from cdfscore.rank_correlation.pairs import Pairs, constant


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
    >>> from cdfscore.rank_correlation import tau, tau_ap
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

    Parameters
    ----------
    x
        True values of n systems, shape (..., n), without ties.
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
        For a tie in x, which it names; for values that are not numbers, a NaN or an infinity,
        unequal n, or n below 2.

    Notes
    -----
    Source: Urbano and Marrero (2017), The treatment of ties in AP correlation, ICTIR 2017;
    ``tauAP_a`` of the R package ircor. Each system of a tied group is equally likely at
    each rank of the group, and two of them are concordant in half of the orders. So the pairs
    within the group cancel out. With p systems above the group, each of its ranks i adds
    (2 C - p) / (i - 1), where C is the mean over the group of the concordant systems above it.

    Examples
    --------
    >>> from cdfscore.rank_correlation import tau_ap, tau_ap_a
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

    Parameters
    ----------
    x, y
        Values of n systems, shape (..., n); leading dimensions broadcast.
    decreasing
        Whether the greatest value is at the top, as of scores; False where the smallest is,
        as of ranks.

    Returns
    -------
    float or array of shape (...)
        In [-1, 1], and NaN for a pair in a batch for which it is undefined. Symmetric.

    Raises
    ------
    CdfscoreError
        For values that are not numbers, a NaN or an infinity, unequal n, or n below 2; also for
        a single pair for which it is undefined, because all of x or all of y is tied.

    Notes
    -----
    Source: Urbano and Marrero (2017), The treatment of ties in AP correlation, ICTIR 2017;
    ``tauAP_b`` of the R package ircor. In each coefficient, a pair that is tied in its
    ranking is omitted, and a pair that is tied only in the other ranking counts as discordant.

    Examples
    --------
    >>> from cdfscore.rank_correlation import tau_ap_b
    >>> float(tau_ap_b([0.9, 0.5, 0.4, 0.1], [0.8, 0.2, 0.2, 0.1]))
    0.8333333333333333
    """
    return tau_ap_b_of(_pairs("tau_ap_b", x, y, decreasing))


def tau_ap_b_of(pairs: Pairs) -> Array | np.float64:
    """Return `tau_ap_b` of pairs that are checked; the greatest value is at the top."""
    defined = ~(constant(pairs.x) | constant(pairs.y))
    halves = [_agreement(counted) for counted in (pairs.counts, pairs.exchanged)]
    return pairs.result_where(
        defined, (halves[0] + halves[1]) / 2, "at least two different values in x, and in y"
    )


def _pairs(coefficient: str, x: ArrayLike, y: ArrayLike, decreasing: bool) -> Pairs:
    """Return checked pairs, negated if the smallest value is at the top."""
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
    mean: Array = terms.sum(axis=-1) / (n - 1)
    return mean


def _agreement(counted: Counts) -> Array:
    """Return the coefficient of tau_ap_b by the ranks in y; 0 if all of y is tied."""
    above = counted.above_y[:, 1:]  # the first is at the top, with none above it
    concordant = _group_means(counted.concordant, counted.above_y)[:, 1:]
    below_top = above > 0
    terms = (2 * concordant - above) / np.where(below_top, above, 1)
    mean: Array = terms.sum(axis=-1) / np.maximum(below_top.sum(axis=-1), 1)
    return mean


def _group_means(values: IntArray, above: IntArray) -> Array:
    """Average `values` over each group of ties in the order of y, at each of its places."""
    n = values.shape[-1]
    sums = np.zeros((len(values), n + 1), dtype=np.int64)
    np.cumsum(values, axis=-1, out=sums[:, 1:])
    is_last = np.ones(values.shape, dtype=np.bool_)
    is_last[:, :-1] = above[:, 1:] != above[:, :-1]
    ends = np.where(is_last, np.arange(1, n + 1), n)
    end = np.minimum.accumulate(ends[:, ::-1], axis=-1)[:, ::-1]
    total = np.take_along_axis(sums, end, axis=-1) - np.take_along_axis(sums, above, axis=-1)
    means: Array = total / (end - above)
    return means
