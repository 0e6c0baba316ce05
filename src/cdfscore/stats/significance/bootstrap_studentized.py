"""Studentized bootstrap test of paired scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cdfscore.stats.numerics.moments import mean, mean_and_sd
from cdfscore.stats.numerics.student_t import tail_of
from cdfscore.stats.numerics.tails import p_value
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import bootstrap, contract
from cdfscore.stats.significance._means import is_constant, reason_of_constant
from cdfscore.stats.significance.resampling import COUNTED, least_p_value, rounding, toward

# Statistics of resamples held at a time.
_BLOCK = 1 << 20
_EPS = np.finfo(np.float64).eps


def _least_p(sizes: contract.Sizes, settings: Mapping[str, Any]) -> float:
    """Return the p value that only infinite statistics reach: those of n times the same topic."""
    n = sizes.n
    if not bootstrap.enumerable(n):
        return least_p_value(settings["B"])
    return contract.both_tails(float(n) ** -n, settings)


@contract.paired(
    source="Efron and Tibshirani (1993), 12.5 and 16.4; Sakai (2006)",
    label="studentized bootstrap test",
    tolerances={"p_value": COUNTED},
    drawn=bootstrap.drawn,
    least_p=_least_p,
    in_unit=contract.DIFFERENCE,
    level=contract.Level(skewed={5: 0.062, 8: 0.065, 10: 0.072}),
    shifts="topics",
    null="the mean difference is `null_value`",
    assumes="many topics; differences may be skewed",
    choose_for="skewed differences of many topics, with an interval",
)
def bootstrap_studentized(
    x: Array,
    y: Array,
    *,
    alternative: contract.Alternative = "two-sided",
    null_value: float = 0.0,
    conf_level: float = 0.95,
    B: int = 10_000,
    seed: contract.Seed = 0,
) -> contract.Rows:
    """Test by the studentized bootstrap whether the mean difference is `null_value`.

    t = (mean(d) - null_value) / (sd(d) / sqrt(n)) with d = x - y. Its null distribution is that
    of t* = (mean(d*) - mean(d)) / (sd(d*) / sqrt(n)), d* being n differences drawn with
    replacement. The p value is the proportion of resamples whose t* is at least as extreme as t.
    All n^n resamples are used if n <= 7; otherwise p = (b + 1) / (B + 1) for b of B random
    resamples. Even with all resamples p is approximate, because the bootstrap distribution only
    estimates the null distribution.

    Specified in bootstrap_studentized.1 to bootstrap_studentized.4.

    Parameters
    ----------
    x, y, alternative, null_value
        As for `paired_t`.
    conf_level
        The level of the bootstrap-t interval, from mean(d) - q(1 - tail) stderr to
        mean(d) - q(tail) stderr with quantiles q of t*.
    B, seed
        As for `bootstrap_shift`.

    Returns
    -------
    TestResult
        A value for each sample: statistic t, estimate mean(d), stderr sd(d) / sqrt(n);
        p_value_stderr the Monte Carlo standard error of the p value, 0 where all resamples are
        enumerated.

    Raises
    ------
    SignificanceError
        For a single pair of samples with fewer than 2 pairs or constant differences, which
        have no t. In a batch such a row is NaN, and `reason` explains why.

    Notes
    -----
    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, equation 12.22 for
    the interval and section 16.4 for the test; Sakai (2006), Evaluating evaluation metrics
    based on the bootstrap. With few topics, resamples of equal differences, whose t* is infinite,
    are so common that an end of the interval can be infinite.

    Examples
    --------
    >>> from cdfscore.stats.significance import bootstrap_studentized
    >>> x = [0.51, 0.32, 0.83, 0.44, 0.25, 0.66, 0.17]
    >>> y = [0.42, 0.31, 0.50, 0.22, 0.28, 0.60, 0.12]
    >>> bootstrap_studentized(x, y, conf_level=0.8)
    statistic   2.17708
    p_value     0.110685
    estimate    0.104286
    stderr      0.0479015
    conf_low    0.0486628
    conf_high   0.201074
    method      bootstrap, studentized, all 7^7
    n           7
    null_value  0
    alternative two-sided
    conf_level  0.8
    """
    assert isinstance(seed, int)  # the contract draws the number from a generator
    n = x.shape[1]
    difference, apart = bootstrap.differences(x, y, 0.0)
    above = bootstrap.differences(x, y, null_value)[0] if null_value else difference
    estimate = mean(difference)[:, 0]
    centre, sd = mean_and_sd(apart)
    constant = is_constant(sd[:, 0] / np.sqrt(n), np.abs(estimate))
    centred = apart - centre
    size = rounding(centred)
    stderr = np.where(constant, np.nan, sd[:, 0] / np.sqrt(n))
    t = mean(above)[:, 0] / stderr
    # What rounding can change in a t* that is equal to t: in its mean, and in its sum of squares.
    # The factor n is for resamples that vary less than the sample does. Above a t of some 10^6 no
    # t* is near: those of resamples that vary less still are infinite.
    relative = np.minimum(n * _EPS * (1 + t * t / (n - 1)), 1e-3 / n)
    ties = size / stderr + n * relative * np.abs(t)
    bound = toward(t, alternative) - ties
    drawn = bootstrap.resamples(n, B, seed)
    tail = tail_of(conf_level, alternative)
    extreme = np.empty(len(difference))
    # Quantiles of t*, of which the upper one makes the lower end.
    lower, upper = np.full((2, len(difference)), [[-np.inf], [np.inf]])
    step = max(1, _BLOCK // len(drawn.counts))
    for start in range(0, len(difference), step):
        block = slice(start, start + step)
        drawn_t = _t(centred[block], size[block, np.newaxis], drawn.counts)
        reached = toward(drawn_t, alternative) >= bound[block, np.newaxis]
        extreme[block] = reached @ drawn.weights
        if alternative != "less":
            upper[block] = bootstrap.quantile(drawn_t, drawn, 1 - tail)
        if alternative != "greater":
            lower[block] = bootstrap.quantile(drawn_t, drawn, tail)
    p, p_stderr = p_value(extreme, drawn.total, drawn.exact)
    # Where a quantile ties with t the end is the null value, as p has it.
    low, high = (
        np.where(np.abs(q - t) <= ties, null_value, estimate - q * stderr) for q in (upper, lower)
    )
    none = np.where(constant, np.nan, 1.0)
    return contract.Rows(
        statistic=t,
        p_value=p * none,
        estimate=estimate,
        stderr=stderr,
        conf_low=low * none,
        conf_high=high * none,
        p_value_stderr=p_stderr * none,
        method=f"bootstrap, studentized, {drawn.method}",
        reason=reason_of_constant(constant, estimate),
    )


def _t(centred: Array, size: Array, counts: Array) -> Array:
    """Return t* (rows, resamples) of resamples of differences about their mean (rows, n)."""
    n = counts.shape[1]
    # t* has no unit: division by a power of 2 keeps the squares within the range of a double.
    exponent = np.frexp(np.abs(centred).max(axis=1, keepdims=True))[1]
    centred, size = np.ldexp(centred, -exponent), np.ldexp(size, -exponent)
    total = bootstrap.sums(centred, counts)
    squares = bootstrap.sums(centred * centred, counts)
    deviations = squares - total * total / n  # the sum of (d* - mean(d*))^2
    # Where their sum, from squares, cancels, the deviations are added one by one.
    rows, places = np.nonzero((deviations <= squares / 1024) & (squares > 0))
    step = max(1, _BLOCK // n)
    for start in range(0, len(rows), step):
        row, k = rows[start : start + step], places[start : start + step]
        apart = centred[row] - (total[row, k] / n)[:, np.newaxis]
        deviations[row, k] = np.add.accumulate(counts[k] * (apart * apart), axis=1)[:, -1]
    # Differences that only rounding tells apart are equal.
    equal = np.nonzero(deviations <= size * size)
    deviations *= n / (n - 1)
    t = np.divide(total, np.sqrt(deviations, out=deviations), out=squares)
    at = total[equal]
    t[equal] = np.where(np.abs(at) <= size[equal[0], 0], 0.0, np.copysign(np.inf, at))
    return np.asarray(t)
