"""Kernels: the integral of each, summed over the scores of a topic."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from cdfscore.numerics.moments import count
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import PNORM
from cdfscore.schemes.kernel.compact_sums import (
    BIWEIGHT,
    COSINE,
    EPANECHNIKOV,
    RECTANGULAR,
    TRIANGULAR,
    TRIWEIGHT,
    Compact,
    compact_sums,
)
from cdfscore.schemes.kernel.logistic_sums import LARGEST as LOGISTIC_LARGEST
from cdfscore.schemes.kernel.logistic_sums import logistic_sums
from cdfscore.schemes.kernel.normal_sums import LARGEST as NORMAL_LARGEST
from cdfscore.schemes.kernel.normal_sums import normal_sums
from cdfscore.schemes.kernel.window_sums import window_sums

# Up to this many scores compact kernels are added one by one, which is exact to 4 ulp.
MOST_ONE_BY_ONE = 1000

Sums = Callable[[Array, Array, IntArray, Array], Array]


class SmoothingKernel(NamedTuple):
    """Kernel in its usual form, with a standard deviation other than 1.

    Attributes
    ----------
    scale
        What the bandwidth, the standard deviation, is multiplied by to give the scale of the
        usual form.
    sums
        Adds the integral of the usual form; as `normal_sums`.
    reach
        Right of this, the integral rounds to 1.
    tolerance
        How far y may be from R's.
    compact
        The kernel, if it is 1 there, and 0 left of -reach.
    """

    scale: float
    sums: Sums
    reach: float
    tolerance: Tolerance
    compact: Compact | None = None


_MEAN = "the terms of the mean are added in another order"
# Of many scores, `window_sums` is off in the tails.
_COMPACT = Tolerance(
    8,
    "R computes terms by other formulas, and in large sums each error is relative to the largest y",
    floor=1.0,
)


def _compact(kernel: Compact, scale: float) -> SmoothingKernel:
    return SmoothingKernel(scale, partial(_one_by_one_or_by_windows, kernel), 1.0, _COMPACT, kernel)


def _one_by_one_or_by_windows(
    kernel: Compact, x: Array, sample: Array, n: IntArray, scale: Array
) -> Array:
    many = n > MOST_ONE_BY_ONE
    if not many.any():
        return compact_sums(kernel, x, sample, n, scale)
    sums = np.empty(x.shape)
    for rows, add in ((many, window_sums), (~many, compact_sums)):
        sums[rows] = add(kernel, x[rows], sample[rows], n[rows], scale[rows])
    return sums


#: Every kernel by its name. The compact ones are on [-1, 1] in their usual form, so that the
#: scale is 1 over the standard deviation there. "cosine" is R's: (1 + cos(pi u)) / 2.
KERNELS: dict[str, SmoothingKernel] = {
    "gaussian": SmoothingKernel(
        1.0, normal_sums, NORMAL_LARGEST, Tolerance(13, f"{PNORM}; {_MEAN}", floor=1e-292)
    ),
    "epanechnikov": _compact(EPANECHNIKOV, math.sqrt(5)),
    "biweight": _compact(BIWEIGHT, math.sqrt(7)),
    "triweight": _compact(TRIWEIGHT, 3.0),
    "triangular": _compact(TRIANGULAR, math.sqrt(6)),
    "rectangular": _compact(RECTANGULAR, math.sqrt(3)),
    "cosine": _compact(COSINE, 1 / math.sqrt(1 / 3 - 2 / math.pi**2)),
    "logistic": SmoothingKernel(
        math.sqrt(3) / math.pi, logistic_sums, LOGISTIC_LARGEST, Tolerance(8, _MEAN, floor=1e-292)
    ),
}


def summed(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Return sum_i K((x - x_i) / h), K having the standard deviation 1.

    x is (t, m), `sample` (t, n) sorted with NaN last, `bandwidth` (t, 1), where 0 stands for
    the limit; the sums are (t, m). A row depends on its own scores alone.
    """
    found = KERNELS[kernel]
    scale = bandwidth * found.scale
    return found.sums(x, sample, count(sample)[:, 0], scale[:, 0])


def smoothed(kernel: str, x: Array, sample: Array, bandwidth: Array) -> Array:
    """Return (1/n) sum_i K((x - x_i) / h): the sums of `summed`, divided by n."""
    y: Array = summed(kernel, x, sample, bandwidth) / count(sample)
    return y


def reach(kernel: str, bandwidth: Array) -> Array:
    """Return the distance from a score beyond which the kernel holds no probability in doubles."""
    found = KERNELS[kernel]
    distance: Array = bandwidth * found.scale * found.reach
    return distance
