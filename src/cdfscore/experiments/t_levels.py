"""Critical values of t^2 as functions of the degrees of freedom, for many levels at once.

p <= alpha if t^2 >= c(df), the square of the upper alpha/2 quantile of the t distribution. log c is
a smooth function of 1/df. A Chebyshev series of degree 32 approximates it to 1e-10 over the range
of a pair of samples, from 1 to 100 degrees of freedom, and more closely elsewhere. First, a table
of cells of (1/df, t^2) is used: for all but a few statistics in a thousand, the cell contains no
critical value, and the table has the number of critical values below it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial import Chebyshev
from scipy import special

from cdfscore.experiments.rejections import TLevels
from cdfscore.numerics.types import Array

#: Beyond these levels, quantiles of the t distribution lose digits.
LEVELS = (1e-12, 0.99)
#: More levels than this do not fit the table.
MOST_LEVELS = 127
_DEGREE = 32
# Coefficients below this are rounding errors.
_NEGLIGIBLE = 1e-13
_ROWS, _CELLS = 64, 4096
# Cells are widened by this much, so that rounding errors move no statistic out of its cell.
_MARGIN = 1e-7


def t_levels(alphas: Sequence[float], fewest: float, most: float) -> TLevels:
    """Prepare the levels `alphas`, within `LEVELS`, for `fewest` to `most` degrees of freedom."""
    tails = np.sort(alphas)[::-1, np.newaxis] / 2
    lowest, highest = 1 / most, 1 / fewest
    if highest > lowest:
        rows, rows_per_unit = _ROWS, _ROWS / (highest - lowest)
        series = [
            Chebyshev.interpolate(_log_critical, _DEGREE, [lowest, highest], (tail,)).coef
            for tail in tails
        ]
    else:
        rows, rows_per_unit = 1, 0.0
        series = [_log_critical(lowest, tail) for tail in tails]
    edges = np.linspace(lowest, highest, rows + 1)
    critical = np.exp(_log_critical(edges, tails))
    scale = float(np.median(critical))
    shares = critical / (critical + scale)
    cells = np.arange(_CELLS + 1) / _CELLS
    passed = np.empty((rows, _CELLS), dtype=np.int8)
    for row in range(rows):  # critical values rise with 1/df
        below = np.searchsorted(shares[:, row + 1] + _MARGIN, cells[:-1], side="right")
        above = np.searchsorted(shares[:, row] - _MARGIN, cells[1:], side="right")
        passed[row] = np.where(below == above, below, -1 - below)
    return TLevels(_trimmed(np.array(series)), lowest, rows_per_unit, scale, passed)


def _trimmed(series: Array) -> Array:
    last = np.flatnonzero((np.abs(series) > _NEGLIGIBLE).any(axis=0)).max(initial=0)
    return np.ascontiguousarray(series[:, : last + 1])


def _log_critical(inverse_df: Array | float, tail: Array) -> Array:
    log_square: Array = 2 * np.log(-special.stdtrit(1 / np.asarray(inverse_df), tail))
    return log_square
