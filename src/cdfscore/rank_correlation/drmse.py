"""Root mean squared errors between scores of systems on two collections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.numerics.moments import mean, mean_and_sd
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.rank_correlation.pairs import Pairs, constant
from cdfscore.significance.contract.unit import exponents


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
    >>> from cdfscore.rank_correlation import rmse
    >>> rmse([0.5, 0.3, 0.1], [0.4, 0.3, 0.3]).round(4)
    np.float64(0.1291)
    """
    pairs = Pairs.of("rmse", x, y)
    return pairs.result(_rmse(pairs))


def drmse(x: ArrayLike, y: ArrayLike) -> Array | np.float64:
    """Return the root mean squared error over the mean of the two standard deviations.

    drmse = 2 rmse(x, y) / (sd(x) + sd(y)).

    Specified in drmse.1.

    Parameters
    ----------
    x, y
        Mean scores of n systems on two collections, shape (..., n); leading dimensions
        broadcast.

    Returns
    -------
    float or array of shape (...)
        At least 0, and NaN for a pair in a batch for which it is undefined.

    Raises
    ------
    CdfscoreError
        For values that are not numbers, a NaN or an infinity, unequal n, or n below 2; also for
        a single pair for which it is undefined, because all of x are equal and all of y too.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Eq. 4, with the standard deviations of R's
    ``sd``, which divides by n - 1; this gives the values of their Tables 3 and 5.

    Examples
    --------
    >>> from cdfscore.rank_correlation import drmse
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

    Parameters
    ----------
    x, y
        Mean scores of n systems on two collections, shape (..., n); leading dimensions
        broadcast.

    Returns
    -------
    float or array of shape (...)
        At least `drmse`, and NaN for a pair in a batch for which it is undefined.

    Raises
    ------
    CdfscoreError
        For values that are not numbers, a NaN or an infinity, unequal n, or n below 2; also for
        a single pair for which it is undefined, because all of x are equal or all of y.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Section 5, below Eq. 4: the geometric mean of the two
    standard deviations in place of the arithmetic one, which is at least as large. Standard
    deviations are those of R's ``sd``, which divides by n - 1.

    Examples
    --------
    >>> from cdfscore.rank_correlation import drmse_geometric
    >>> drmse_geometric([0.5, 0.3, 0.1], [0.4, 0.3, 0.3]).round(4)
    np.float64(1.2014)
    """
    pairs = _in_own_unit(Pairs.of("drmse_geometric", x, y))
    x_sd, y_sd = _sds(pairs)
    undefined = constant(pairs.x) | constant(pairs.y)
    # A root each, as the product may be no double.
    return _divided(pairs, np.sqrt(x_sd) * np.sqrt(y_sd), ~undefined, "x and in y")


def _in_own_unit(pairs: Pairs) -> Pairs:
    """Divide each pair of rows far from 1 by a power of 2, which changes no proportion."""
    exponent = exponents((pairs.x, pairs.y))[:, np.newaxis]
    return replace(pairs, x=np.ldexp(pairs.x, -exponent), y=np.ldexp(pairs.y, -exponent))


def _sds(pairs: Pairs) -> tuple[Array, Array]:
    """Return the standard deviations of both collections."""
    return mean_and_sd(pairs.x)[1][:, 0], mean_and_sd(pairs.y)[1][:, 0]


def _divided(pairs: Pairs, mean_sd: Array, defined: BoolArray, where: str) -> Array | np.float64:
    """Return the root mean squared error in mean standard deviations."""
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
