"""Plug-in bandwidths of Sheather and Jones for the density: R's ``bw.SJ``."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.kernel.bandwidths.normal_reference import interquartile_range, power
from cdfscore.schemes.kernel.bandwidths.pair_criteria import sheather_jones, sheather_jones_direct
from cdfscore.schemes.kernel.bandwidths.rows import Rows, rows_of


def sj(scores: Array, ordered: Array) -> Array:
    """Return the bandwidth that solves the equation, as R's ``bw.SJ(x)``; shape (..., 1).

    Sheather and Jones (1991), "ste", R's default method. It is R's number at R's
    default tolerance, which is up to 0.01 times 1.144 min(sd, IQR / 1.349) n^(-1/5) from the
    exact solution.

    Raises `FitError` for a row that has none, as R stops: where the interquartile range is 0
    and the scores vary, or is so far below their range that the estimated derivatives of the
    density are not finite.
    """
    rows, spread = _rows_and_spread("sj", scores, ordered)
    n, h = rows.n, np.empty(len(rows.n))
    pilots = np.stack([1.24 * spread * power(n, -1 / 7), 1.23 * spread * power(n, -1 / 9)], axis=1)
    sheather_jones(rows.ordered, n, pilots, 1.144 * spread * power(n, -1 / 5), h)
    return _found("sj", rows, h)


def sj_dpi(scores: Array, ordered: Array) -> Array:
    """Return the direct plug-in bandwidth, as R's ``bw.SJ(x, method = "dpi")``; (..., 1).

    Sheather and Jones (1991): two stages, in closed form.

    Raises `FitError` as `sj` does.
    """
    rows, spread = _rows_and_spread("sj_dpi", scores, ordered)
    h = np.empty(len(rows.n))
    sheather_jones_direct(rows.ordered, rows.n, 1.23 * spread * power(rows.n, -1 / 9), h)
    return _found("sj_dpi", rows, h)


def _rows_and_spread(name: str, scores: Array, ordered: Array) -> tuple[Rows, Array]:
    rows = rows_of(scores, ordered)
    iqr = interquartile_range(rows.ordered)[:, 0]
    refuse_rows(
        rows.marked(iqr == 0),
        f"bandwidth rule {name}: the interquartile range is 0 and the scores are not constant",
    )
    spread: Array = np.minimum(rows.sd, iqr / 1.349)
    return rows, spread


def _found(name: str, rows: Rows, h: Array) -> Array:
    refuse_rows(
        rows.marked(~(h > 0)),
        f"bandwidth rule {name}: the interquartile range is too far below the range of the scores "
        "to estimate derivatives of the density",
    )
    return rows.bandwidths(h)
