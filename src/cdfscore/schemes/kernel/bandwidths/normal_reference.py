"""Rules of thumb that are right for normal scores: R's ``bw.nrd0`` and ``bw.nrd``."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.moments import count, mean_and_sd
from cdfscore.numerics.types import Array
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.kernel.bandwidths.rows import interquartile_range, power


def nrd0(scores: Array, ordered: Array) -> Array:
    """Return 0.9 min(sd, IQR / 1.34) n^(-1/5), as R's ``bw.nrd0``; shape (..., 1).

    Silverman (1986), Eq. 3.31. `scores` in their own order give the sd in R's last digit;
    `ordered` are the same, sorted. As in R, the sd is taken where the interquartile range is
    0. On a constant sample it is 0, where R goes on to |x_1| or 1, neither of which is a spread.
    """
    sd = mean_and_sd(scores)[1]
    spread = np.minimum(sd, interquartile_range(ordered) / 1.34)
    spread = np.where(spread > 0, spread, sd)
    return 0.9 * spread * power(count(scores), -0.2)


def nrd(scores: Array, ordered: Array) -> Array:
    """Return 1.06 min(sd, IQR / 1.34) n^(-1/5), as R's ``bw.nrd``; shape (..., 1).

    The normal reference rule of Scott (1992), section 6.2. On a constant sample it is 0.

    Raises `FitError` for a row with an interquartile range of 0 that is not constant, where R's
    result is 0.
    """
    sd, iqr = mean_and_sd(scores)[1], interquartile_range(ordered)
    refuse_rows(
        ((iqr == 0) & (sd > 0))[..., 0],
        "bandwidth rule nrd: the interquartile range is 0 and the scores are not constant; "
        "nrd0 uses the standard deviation instead",
    )
    return 1.06 * np.minimum(sd, iqr / 1.34) * power(count(scores), -0.2)
