"""The noncentral t distribution: its lower tail, and the noncentrality that gives a tail.

Own code because ``scipy.special.nctdtrinc`` leaves an error of 1e-6 in the noncentrality (1e-7
in the probability) and needs 11 microseconds a number; ``nctdtr``, on which this rests, is
within 1e-15 of mpmath.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from cdfscore.numerics.types import Array

_MOST_STEPS = 60
#: A secant step of this size, for a noncentrality of 1, is followed by one of rounding alone.
_LAST_STEP = 1e-10


def lower_tail(t: Array, df: float, noncentrality: Array) -> Array:
    """Return P(T <= t), within 1e-15.

    ``nctdtr`` is NaN for some probabilities below that, of a t and a noncentrality of opposite
    sign; they are 0 here.
    """
    p = special.nctdtr(df, noncentrality, t)
    opposite = (t < 0) & (noncentrality > 0)
    return np.where(np.isnan(p) & opposite, 0.0, p)


def noncentrality_interval(t: Array, df: float, conf_level: float) -> tuple[Array, Array]:
    """Return the noncentralities at which t is the upper and the lower (1 - conf_level) / 2 point.

    t is (rows,); NaN where it is NaN or infinite.
    """
    tail = (1 - conf_level) / 2
    # P(T >= t) of noncentrality c is P(T <= -t) of -c: both ends from the lower tail, where
    # small probabilities keep their digits.
    low, high = np.split(_noncentrality(np.concatenate([-t, t]), df, tail), 2)
    return -low, high


def _noncentrality(t: Array, df: float, tail: float) -> Array:
    """Solve P(T <= t) = tail for the noncentrality, by secants of the normal scores.

    The normal score of the probability is nearly linear in the noncentrality.
    """
    result = np.full(t.shape, np.nan)
    rows = np.flatnonzero(np.isfinite(t))
    t = t[rows]
    aim = special.ndtri(tail)
    # T <= t where a normal score is below t S - noncentrality, with S = sqrt(chi^2 / df). The
    # start adds the squares of both deviations, each at its own quantile.
    mean_s = 1 - 1 / (4 * df)
    below: float = np.sqrt(2 * special.gammaincinv(df / 2, tail) / df)
    above: float = np.sqrt(2 * special.gammainccinv(df / 2, tail) / df)
    deviation = np.hypot(aim, t * (np.where(t < 0.0, below, above) - mean_s))
    slope = aim / deviation
    point = t * mean_s + deviation
    miss = special.ndtri(lower_tail(t, df, point)) - aim
    for _ in range(_MOST_STEPS):
        step = np.clip(-miss / slope, -1 - np.abs(t), 1 + np.abs(t))
        point = point + step
        result[rows] = point
        going = np.abs(step) > _LAST_STEP * (1 + np.abs(point))
        if not going.any():
            break
        rows, t, point, step = rows[going], t[going], point[going], step[going]
        before, miss = miss[going], special.ndtri(lower_tail(t, df, point)) - aim
        secant = (miss - before) / step
        # The function falls: rounding alone turns a secant upwards, underflow makes it infinite.
        slope = np.where((secant < 0) & np.isfinite(secant), secant, slope[going])
    return result
