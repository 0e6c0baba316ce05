"""Plug-in bandwidths of Sheather and Jones for the density: R's ``bw.SJ``."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.bandwidths.normal_reference import interquartile_range, power
from cdfscore.numerics.bandwidths.pair_criteria import (
    NO_FOURTH,
    NO_ROOT,
    NO_SIXTH,
    UNDEFINED,
    sheather_jones,
    sheather_jones_direct,
)
from cdfscore.numerics.bandwidths.rows import Rows, rows_of
from cdfscore.numerics.refusals import refuse_rows
from cdfscore.numerics.types import Array, IntArray

_NO_SPREAD = "the interquartile range is 0 and the scores are not constant"
_REASONS = {
    NO_SIXTH: "the sample is too sparse to estimate the third derivative of the density",
    NO_FOURTH: "the sample is too sparse to estimate the second derivative of the density",
    NO_ROOT: "the equation for the bandwidth has no solution",
    UNDEFINED: "the estimated square of the second derivative of the density is negative, as it "
    "may be on a grid",
}


def sj(scores: Array, ordered: Array) -> Array:
    """Return the bandwidth that solves the equation, as R's ``bw.SJ(x)``; shape (..., 1).

    Sheather and Jones (1991), Eq. 12 ("ste", R's default method). It is R's number at R's
    default tolerance, which is up to 0.01 times 1.144 min(sd, IQR / 1.349) n^(-1/5) from the
    exact solution.

    Raises `FitError` for a row that has none: where the interquartile range is 0, or where R
    stops because the sample is too sparse, or warns because the equation is undefined.
    """
    rows, spread = _rows_and_spread("sj", scores, ordered)
    n = rows.n
    pilots = np.stack([1.24 * spread * power(n, -1 / 7), 1.23 * spread * power(n, -1 / 9)], axis=1)
    h, reason = np.zeros(len(n)), np.zeros(len(n), dtype=np.int64)
    largest = 1.144 * spread * power(n, -1 / 5)
    sheather_jones(rows.ordered, n, pilots, largest, h, reason)
    return _found("sj", rows, h, reason)


def sj_dpi(scores: Array, ordered: Array) -> Array:
    """Return the direct plug-in bandwidth, as R's ``bw.SJ(x, method = "dpi")``; (..., 1).

    Sheather and Jones (1991), section 3: two stages, in closed form.

    Raises `FitError` as `sj` does, and where R gives NaN.
    """
    rows, spread = _rows_and_spread("sj_dpi", scores, ordered)
    h, reason = np.zeros(len(rows.n)), np.zeros(len(rows.n), dtype=np.int64)
    pilot = 1.23 * spread * power(rows.n, -1 / 9)
    sheather_jones_direct(rows.ordered, rows.n, pilot, h, reason)
    return _found("sj_dpi", rows, h, reason)


def _rows_and_spread(name: str, scores: Array, ordered: Array) -> tuple[Rows, Array]:
    rows = rows_of(scores, ordered)
    iqr = interquartile_range(rows.ordered)[:, 0]
    refuse_rows(rows.marked(iqr == 0), f"bandwidth rule {name}: {_NO_SPREAD}")
    spread: Array = np.minimum(rows.sd, iqr / 1.349)
    return rows, spread


def _found(name: str, rows: Rows, h: Array, reason: IntArray) -> Array:
    for code, why in _REASONS.items():
        refuse_rows(rows.marked(reason == code), f"bandwidth rule {name}: {why}")
    return rows.bandwidths(h)
