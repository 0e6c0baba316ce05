"""Student's t distribution, central and noncentral."""

import numpy as np
from scipy import special

from cdfscore.stats.numerics.types import Array, BoolArray

# --- Student's t distribution, in relative accuracy in both tails ---

#: R's t.test takes data for constant if their standard error is below this proportion of the mean.
_CONSTANT = 10 * np.finfo(np.float64).eps


def tail_of(conf_level: float, alternative: str) -> float:
    """Return the probability beyond an end of the interval: half of the rest if two-sided."""
    return (1 - conf_level) / (2 if alternative == "two-sided" else 1)


def is_constant(stderr: Array, largest_mean: Array) -> BoolArray:
    """Tell where R's t.test stops: "data are essentially constant"; or where stderr is 0."""
    return np.asarray((stderr < _CONSTANT * largest_mean) | (stderr == 0))


def p_value(t: Array, df: Array | float, alternative: str) -> Array:
    """Return the p value of t, each tail separately so that no small one is lost in 1 - p."""
    if alternative == "less":
        return np.asarray(special.stdtr(df, t))
    if alternative == "greater":
        return np.asarray(special.stdtr(df, -t))
    return np.asarray(2 * special.stdtr(df, -np.abs(t)))


def interval(
    estimate: Array, stderr: Array, df: Array | float, alternative: str, conf_level: float
) -> tuple[Array, Array]:
    """Return the confidence interval of an estimate; one end is infinite if one-sided."""
    tail = tail_of(conf_level, alternative)
    # From the lower tail: 1 - tail has no digits to lose where tail is tiny.
    margin = -special.stdtrit(df, tail) * stderr
    infinite = np.full_like(estimate, np.inf)
    low = -infinite if alternative == "less" else estimate - margin
    high = infinite if alternative == "greater" else estimate + margin
    return low, high


# --- Noncentral t distribution: its lower tail, and the noncentrality for a given tail ---
#
# ``scipy.special.nctdtrinc`` leaves 1e-6 in the noncentrality. ``nctdtr`` is NaN or wrong for many
# t and noncentralities of opposite signs and for some tiny probabilities, and leaves 1e-7 past a
# noncentrality of 1,000: there the probability is added up.

_MOST_STEPS = 60
#: A secant step of this size, for a noncentrality of 1, is followed by one of rounding alone.
_LAST_STEP = 1e-9
#: The same past `_FAR`, where the start is so rough that the step before the last one was large.
_LAST_FAR_STEP = 1e-12
#: How far the normal score of the probability at an end may be from that of the tail.
_MISS = 1e-9

#: nctdtr has too few digits of less than this, of a t below 0 and a noncentrality above 0 (where
#: it subtracts from 1) and of others.
_SMALL_OPPOSITE, _SMALL = 1e-4, 1e-50
#: A term below exp of this is below the smallest number; exp of that is below its rounding.
_NOTHING, _NEGLIGIBLE = -800.0, -50.0
_COARSE = 1000
#: Past this noncentrality nctdtr leaves 1e-7.
_FAR = 1e3
#: Larger noncentralities are squared as this one is.
_ROOT = 1e150
_SCORES = np.linspace(-39, 39, 313)
_WEIGHTS = np.exp(-(_SCORES**2) / 2) / np.exp(-(_SCORES**2) / 2).sum()


def lower_tail(t: Array, df: float, noncentrality: Array) -> Array:
    """Return P(T <= t), within 1e-9 of itself for df to 1e5, down to 1e-290."""
    far = np.abs(noncentrality) > _FAR
    # The time of nctdtr grows with the noncentrality: to seconds.
    p = special.nctdtr(df, np.where(far, np.nan, noncentrality), t)
    opposite = (t < 0) & (noncentrality > 0)
    right = (p >= np.where(opposite, _SMALL_OPPOSITE, _SMALL)) & (p <= 1)
    wrong = ~right | far
    if not wrong.any():
        return np.asarray(p)
    result, t, noncentrality = (
        np.array(np.broadcast_to(a, p.shape), dtype=np.float64) for a in (p, t, noncentrality)
    )
    with np.errstate(over="ignore", under="ignore"):
        result[wrong] = _added_up(t[wrong], df, noncentrality[wrong])
    return result


def _added_up(t: Array, df: float, noncentrality: Array) -> Array:
    """Return P(T <= t), the mean of Phi(t S - c), by the trapezoidal rule over log(S)."""
    far = -_NOTHING / df
    left = -min(far + 0.5, far + np.sqrt(far * far + 8 * far))
    right = (far + np.sqrt(far * far + 8 * far)) / 4
    right = min(right, 1 + np.log1p(4 * far) / 2)
    coarse = np.linspace(left, right, _COARSE)
    gap = coarse[1] - coarse[0]
    step = _step(2 * df)
    whole = step * np.exp(_log_density(_steps(left, right, step), df)).sum()

    def logarithm(u: Array, t: float, shift: float) -> Array:
        return _log_density(u, df) + special.log_ndtr(t * np.exp(u) - shift)

    result = np.full(t.shape, np.nan)
    for row, (point, shift) in enumerate(zip(t.tolist(), noncentrality.tolist(), strict=True)):
        same_sign = point * shift > 0
        square = min(abs(shift), _ROOT) ** 2  # the power of a float raises where it overflows
        if np.isnan(point + shift):
            continue
        if same_sign and square > max(_FAR**2, 2 * df):
            # Here the sum over u has many terms, and a sum over normal scores few: T <= t where
            # S is at least (for a t below 0, at most) (normal score + shift) / t.
            half_square = df / 2 * ((_SCORES + shift) / point) ** 2
            tail = special.gammaincc if point > 0 else special.gammainc
            result[row] = min(1.0, _WEIGHTS @ tail(df / 2, half_square))
            continue
        terms = logarithm(coarse, point, shift)
        near = coarse[terms > max(terms.max() + _NEGLIGIBLE, _NOTHING)]
        if near.size == 0:
            result[row] = 0.0
            continue
        # -(log of the integrand)'' at its peak is at most this
        step = _step(2 * df + (1.5 * square if same_sign else 64))
        u = _steps(near[0] - gap, near[-1] + gap, step)
        result[row] = min(1.0, step * np.exp(logarithm(u, point, shift)).sum() / whole)
    return result


def _log_density(u: Array, df: float) -> Array:
    return df * (u - np.expm1(2 * u) / 2)


def _step(curvature: float) -> float:
    return min(1 / 32, 0.25 / float(np.sqrt(curvature)))


def _steps(low: float, high: float, step: float) -> Array:
    # numpy.arange(low, high, step) rounds the step to the digits of low
    return np.asarray(low + step * np.arange(np.ceil((high - low) / step) + 1))


def noncentrality_interval(t: Array, df: float, conf_level: float) -> tuple[Array, Array]:
    """Return the noncentralities at which t has (1 - conf_level) / 2 on either side, or NaN."""
    tail = tail_of(conf_level, "two-sided")
    # P(T >= t) of noncentrality c is P(T <= -t) of -c: both ends from the lower tail, where
    # small probabilities keep their digits.
    result = np.concatenate([-t, t])
    finite = np.isfinite(result)
    with np.errstate(over="ignore", invalid="ignore"):  # a t near the largest double
        own = result[finite]
        found = _by_secants(own, df, tail)
        miss = special.ndtri(lower_tail(own, df, found)) - special.ndtri(tail)
        for row in np.flatnonzero(~(np.abs(miss) <= _MISS)):  # of a NaN too
            found[row] = _in_a_bracket(float(own[row]), df, tail)
    result[finite], result[~finite] = found, np.nan
    low, high = np.split(result, 2)
    return -low, high


def _start(t: Array, df: float, tail: float) -> tuple[Array, Array]:
    """Return an approximate noncentrality, and its distance from the solution for S = 1."""
    mean_s = 1 - 1 / (4 * df)
    below: float = np.sqrt(2 * special.gammaincinv(df / 2, tail) / df)
    above: float = np.sqrt(2 * special.gammainccinv(df / 2, tail) / df)
    deviation = np.hypot(special.ndtri(tail), t * (np.where(t < 0.0, below, above) - mean_s))
    return t * mean_s + deviation, deviation


def _in_a_bracket(t: float, df: float, tail: float) -> float:
    """Return the solutions that the secants missed, by bracketing methods; or NaN."""
    from scipy import optimize  # takes 0.2 s to import

    aim = special.ndtri(tail)

    def miss(noncentrality: float) -> float:
        # of one method, as a step from one to the other is no root
        p = _added_up(np.array([t]), df, np.array([noncentrality]))[0]
        return float(np.clip(special.ndtri(p) - aim, -40, 40))

    start, deviation = (float(a) for a in _start(np.asarray(t), df, tail))
    low, high, wide = start, start, deviation
    for _ in range(_MOST_STEPS):
        if miss(low) >= 0 >= miss(high):
            break
        low, high, wide = start - wide, start + wide, 2 * wide
    else:
        return np.nan
    found = optimize.brentq(miss, low, high, xtol=1e-14, rtol=1e-15)
    return found if abs(miss(found)) <= _MISS else np.nan


def _by_secants(t: Array, df: float, tail: float) -> Array:
    """Return the noncentralities by secants of the normal scores, some of them wrong or NaN."""
    aim = special.ndtri(tail)
    point, deviation = _start(t, df, tail)
    slope = aim / deviation
    result, rows = point.copy(), np.arange(len(t))
    miss = special.ndtri(lower_tail(t, df, point)) - aim
    for _ in range(_MOST_STEPS):
        step = np.clip(-miss / slope, -1 - np.abs(t), 1 + np.abs(t))
        point = point + step
        result[rows] = point
        last = np.where(np.abs(point) > _FAR, _LAST_FAR_STEP, _LAST_STEP)
        going = np.abs(step) > last * (1 + np.abs(point))
        if not going.any():
            break
        rows, t, point, step = rows[going], t[going], point[going], step[going]
        before, miss = miss[going], special.ndtri(lower_tail(t, df, point)) - aim
        secant = (miss - before) / step
        # The function falls: rounding alone turns a secant upwards, underflow makes it infinite.
        slope = np.where((secant < 0) & np.isfinite(secant), secant, slope[going])
    return result
