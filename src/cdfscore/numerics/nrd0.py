"""R's default bandwidth."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.moments import count, mean_and_sd
from cdfscore.numerics.quantile_r import quantile_of_sorted
from cdfscore.numerics.types import Array


def nrd0(scores: Array, ordered: Array) -> Array:
    """Return 0.9 min(sd, IQR / 1.34) n^(-1/5), as R's ``bw.nrd0``; shape (..., 1).

    `scores` in their own order give the sd in R's last digit; `ordered` are the same,
    sorted. As in R, the sd is taken where the interquartile range is 0. On a constant
    sample it is 0, where R goes on to |x_1| or 1, neither of which is a spread.
    """
    n = count(scores)
    sd = mean_and_sd(scores)[1]
    quartiles = quantile_of_sorted(ordered, n, np.array([0.25, 0.75]), 7)
    iqr = np.diff(quartiles, axis=-1)
    spread = np.minimum(sd, iqr / 1.34)
    spread = np.where(spread > 0, spread, sd)
    # NumPy's power is off in the last digit for one n in 17; Python's is the C library's, as R's.
    power = np.array([size**-0.2 for size in n.ravel().tolist()]).reshape(n.shape)
    bandwidth: Array = 0.9 * spread * power
    return bandwidth
