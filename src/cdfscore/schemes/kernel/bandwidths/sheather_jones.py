"""Plug-in bandwidths of Sheather and Jones for the density: R's ``bw.SJ``."""

from __future__ import annotations

import math

import numpy as np

from cdfscore.numerics.compiled import compiled
from cdfscore.numerics.types import Array
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.kernel.bandwidths.pair_criteria import (
    ROOT_PI,
    excess,
    pair_counts,
    phi4,
    phi6,
    zero,
)
from cdfscore.schemes.kernel.bandwidths.rows import (
    Rows,
    interquartile_range,
    power,
    rows_of,
    upper_end,
)


def sj(scores: Array, ordered: Array) -> Array:
    """Return the solution of h = (2 sqrt(pi) n S(gamma(h)))^(-1/5), as R's ``bw.SJ(x)``; (..., 1).

    Sheather and Jones (1991), "ste", R's default method. It is R's number at R's
    default tolerance, which is up to 0.01 times 1.144 min(sd, IQR / 1.349) n^(-1/5) from the
    exact solution.

    Raises `FitError` for a row without a solution, where R stops too: the interquartile range is 0
    and the scores are not constant, or it is so far below the range of the scores that the
    estimated derivatives of the density are not finite.
    """
    rows, spread = _rows_and_spread("sj", scores, ordered)
    n, h = rows.n, np.empty(len(rows.n))
    pilots = np.stack([1.24 * spread * power(n, -1 / 7), 1.23 * spread * power(n, -1 / 9)], axis=1)
    solve_equation(rows.ordered, n, pilots, upper_end(spread, n), h)
    return _found("sj", rows, h)


def sj_dpi(scores: Array, ordered: Array) -> Array:
    """Return (2 sqrt(pi) n S(g))^(-1/5), as R's ``bw.SJ(x, method = "dpi")``; shape (..., 1).

    Sheather and Jones (1991): the direct plug-in bandwidth, two stages, in closed form.

    Raises `FitError` as `sj` does.
    """
    rows, spread = _rows_and_spread("sj_dpi", scores, ordered)
    h = np.empty(len(rows.n))
    plug_in(rows.ordered, rows.n, 1.23 * spread * power(rows.n, -1 / 9), h)
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


@compiled
def solve_equation(ordered, n, pilots, largest, h):
    """Fill h with the solution of the equation of each row, NaN where R stops.

    `pilots` (rows, 2) are R's a and b.
    """
    for row in range(len(n)):
        distances, counts = pair_counts(ordered[row, : n[row]])
        sixth = -phi6(pilots[row, 1], n[row], distances, counts)
        ratio = phi4(pilots[row, 0], n[row], distances, counts) / sixth
        scale = 1.357 * math.pow(ratio, 1.0 / 7.0)
        h[row] = math.nan
        if math.isfinite(sixth) and sixth > 0.0 and math.isfinite(scale):
            h[row] = _solve(largest[row], scale, n[row], distances, counts)


@compiled
def plug_in(ordered, n, pilot, h):
    """Fill h with the direct plug-in bandwidth of each row, NaN where R stops.

    `pilot` (rows,) is R's b.
    """
    for row in range(len(n)):
        distances, counts = pair_counts(ordered[row, : n[row]])
        sixth = -phi6(pilot[row], n[row], distances, counts)
        h[row] = math.nan
        if math.isfinite(sixth) and sixth > 0.0:
            width = math.pow(2.394 / (n[row] * sixth), 1.0 / 7.0)
            fourth = phi4(width, n[row], distances, counts)
            h[row] = math.pow(1.0 / (2.0 * ROOT_PI * n[row]) / fourth, 1.0 / 5.0)


@compiled
def _solve(largest, scale, n, distances, counts):
    """Bracket the zero of the excess as ``bw.SJ`` does, and find it; NaN where there is none."""
    low, high = 0.1 * largest, largest
    for attempt in range(1, 101):
        at_low = excess(low, scale, n, distances, counts)
        at_high = excess(high, scale, n, distances, counts)
        product = at_low * at_high
        if math.isnan(product):
            break
        if product <= 0.0:
            return zero(low, high, at_low, at_high, 0.1 * low, scale, n, distances, counts)
        if attempt % 2:
            high *= 1.2
        else:
            low /= 1.2
    return math.nan
