"""Dunnett's test of systems against one baseline, blocked by topic.

The tails of T_i = (Z_i - Z_0) / (sqrt(2) s) are by `studentized_range.mixture`, with w = sqrt(2) t
s. Those of w are integrals over z = -Z_0, or Z_0, by the trapezoidal rule: of phi(z) times the
probability that not all of the others stay below w.
"""

import functools

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from cdfscore.stats.numerics.moments import mean
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance._means import layout
from cdfscore.stats.significance.contract import (
    DIFFERENCE,
    Alternative,
    Indices,
    Rows,
    simultaneous,
)
from cdfscore.stats.significance.studentized_range import (
    LARGEST,
    mixture,
    quantile,
    tail_of_positive,
)

# Half of the step changes no tail by 2e-13 of it, up to 1000 comparisons.
_STEP = 0.125
_BELOW_ONE = np.nextafter(1.0, 0.0)
#: Terms of a sum computed at a time.
_BLOCK = 1 << 18


@simultaneous(
    source="Dunnett (1955, 1964); R: multcomp's glht(aov(score ~ system + topic), mcp('Dunnett'))",
    label="Dunnett's test",
    one_baseline=True,
    in_unit=DIFFERENCE,
    shifts="topics",
    null="each system has the same mean as the baseline, in an additive model with normal errors",
    assumes="normal errors of one variance for all systems, in an additive model",
    choose_for="several systems and one baseline with normal errors, with simultaneous intervals",
)
def dunnett(
    scores: Array,
    first: Indices,
    second: Indices,
    *,
    alternative: Alternative = "two-sided",
    conf_level: float = 0.95,
) -> Rows:
    """Test systems against one baseline simultaneously by Dunnett's test, with topics as blocks.

    t = (m_i - m_0) / sqrt(2 MSE / n) for n topics and k systems, with m_0 the mean of the baseline
    and MSE the mean square of the residuals of `anova_two_way`, on (n - 1) (k - 1) degrees of
    freedom. The p value is P(max abs(T) >= abs(t)), or P(max T >= t) with one side, for T of the
    multivariate t distribution with correlations 1/2 and one T for each compared system.

    Specified in dunnett.1 to dunnett.3.

    Parameters
    ----------
    scores
        Scores of shape (topics, systems), none missing. MSE is that of all systems.
    first, second, alternative
        As for `max_t_baseline`.
    conf_level
        The simultaneous level of the intervals: the probability that all of them cover the true
        mean differences. With a one-sided alternative one end is infinite.

    Returns
    -------
    TestResult
        A value for each pair: statistic t, parameter (n - 1) (k - 1), estimate m_i - m_0, stderr
        sqrt(2 MSE / n), adjusted p values that need no further correction, and simultaneous
        intervals.

    Raises
    ------
    SignificanceError
        For pairs with several second systems, and for a missing score. Fewer than 2 topics, or
        scores that are the sum of a topic effect and a system effect except for rounding, give
        NaN, and `reason` explains why.

    Notes
    -----
    Source: Dunnett (1955), A multiple comparison procedure for comparing several treatments with
    a control, Journal of the American Statistical Association 50, 1096-1121; Dunnett (1964), New
    tables for multiple comparisons with a control, Biometrics 20, 482-491. The design is
    that of complete blocks: the topics are the blocks, and all differences have one variance. Under
    this model the familywise error rate is at most the level, whichever systems differ (strong
    control). `max_t_baseline` assumes neither normal scores nor one variance.

    The distribution is within 1e-12 of the true tail down to 1e-265 (mpmath, 3 to 1,000
    comparisons). ``scipy.stats.dunnett`` tests independent samples, by random points.

    Examples
    --------
    >>> from cdfscore.stats.significance import dunnett
    >>> scores = [[0.5, 0.3, 0.6], [0.4, 0.1, 0.4], [0.9, 0.7, 0.8], [0.3, 0.2, 0.5]]
    >>> result = dunnett(scores, [(0, 1), (2, 1)])  # the second system is the baseline
    >>> result.p_value.round(4)
    array([0.016 , 0.0057])
    >>> result.conf_int.round(3)
    array([[0.049, 0.351],
           [0.099, 0.401]])
    """
    topics, systems = scores.shape
    df = float((topics - 1) * (systems - 1))
    apart, _, mean_square, perfect = layout(scores)
    means = mean(np.ascontiguousarray(apart.T))[:, 0]
    stderr = np.nan if perfect else float(np.sqrt(2 * mean_square / topics))
    estimate = means[first] - means[second]
    t = estimate / stderr
    toward = {"two-sided": np.abs(t), "less": -t, "greater": t}[alternative]
    family, two_sided = len(np.unique(first)), alternative == "two-sided"
    quantile = upper_quantile(1 - conf_level, family, df, two_sided=two_sided)
    margin = quantile * stderr
    none = np.nan if perfect else np.inf
    return Rows(
        statistic=t,
        parameter=df,
        p_value=upper_tail(toward, family, df, two_sided=two_sided),
        estimate=estimate,
        stderr=stderr,
        conf_low=-none if alternative == "less" else estimate - margin,
        conf_high=none if alternative == "greater" else estimate + margin,
        method="Dunnett's test against one baseline, blocked by topic",
        reason="the residuals are 0, except for rounding" if perfect else "",
    )


def upper_tail(t: ArrayLike, comparisons: int, df: float, *, two_sided: bool) -> Array:
    """Return P(max abs(T) > t), or P(max T > t), the shape of t, for 1 <= `df` <= 1e10, or inf."""
    values = np.asarray(t, dtype=np.float64)
    tail = np.select([np.isnan(values), values == np.inf], [np.nan, 0.0], 1.0)
    finite = np.isfinite(values)
    above, below = finite & (values > 0), finite & (values < 0)
    of_w = _two_sided if two_sided else _one_sided
    if above.any():
        tail[above] = tail_of_positive(np.sqrt(2) * values[above], of_w, comparisons, df)
    if not two_sided:
        tail[values == 0] = comparisons / (comparisons + 1)
        if below.any():
            w = -np.sqrt(2) * values[below]
            if np.isinf(df):
                tail[below] = _above_negative(w, comparisons)
            else:  # rises in w to 1, so that the terms are largest where the density of s is
                logs = np.log(w)
                tail[below] = mixture(logs, logs, _above_negative, comparisons, df)
    return np.asarray(np.minimum(tail, 1.0))


@functools.lru_cache(maxsize=16)
def upper_quantile(p: float, comparisons: int, df: float, *, two_sided: bool) -> float:
    """Return the t with `upper_tail` p, for p from 1e-300 up to 1."""

    def tail(t: float) -> Array:
        return upper_tail(t, comparisons, df, two_sided=two_sided)

    if two_sided or p < comparisons / (comparisons + 1) * (1 - 1e-9):
        return quantile(tail, p)
    low = -1.0
    while tail(low) < p:
        low *= 2
    from scipy.optimize import brentq

    return float(brentq(lambda t: tail(t).item() - p, low, 1.0, xtol=1e-15, rtol=1e-15))


def _integral(w: Array, comparisons: int, *, two_sided: bool) -> Array:
    """Return the tail of the largest difference; both halves of two sides are the same."""
    tail = np.zeros(len(w))
    inside = np.flatnonzero(w < LARGEST)
    # For large w the integrand is a normal density about w / 2; for small w, that of z.
    terms = np.arange(round(18.0 / _STEP))
    rows = _BLOCK // len(terms)
    for block in (inside[i : i + rows] for i in range(0, len(inside), rows)):
        start = np.floor((w[block] / 2 - 8.5) / _STEP).astype(np.intp)
        place = start[:, np.newaxis] + terms
        z = place * _STEP
        beyond = special.ndtr(z - w[block, np.newaxis])
        density = np.exp(-(z**2) / 2)
        if two_sided:
            beyond += special.ndtr(-z - w[block, np.newaxis])
            density *= np.select([place > 0, place == 0], [2.0, 1.0], 0.0)
        outside = -np.expm1(comparisons * np.log1p(-np.minimum(beyond, _BELOW_ONE)))
        tail[block] = np.vecdot(density, outside)
    return np.asarray(tail * (_STEP / np.sqrt(2 * np.pi)))


_one_sided, _two_sided = (functools.partial(_integral, two_sided=each) for each in (False, True))


def _above_negative(w: Array, comparisons: int) -> Array:
    """Return P(max(Z_i - Z_0) > -w), for each positive w of a vector."""
    z = np.arange(-9.0, 9.0, _STEP)
    density = np.exp(-(z**2) / 2) * (_STEP / np.sqrt(2 * np.pi))
    above = np.empty(len(w))
    rows = _BLOCK // len(z)
    for block in (slice(i, i + rows) for i in range(0, len(w), rows)):
        all_below = np.exp(comparisons * special.log_ndtr(z - w[block, np.newaxis]))
        above[block] = 1 - all_below @ density
    return above
