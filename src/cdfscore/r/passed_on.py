"""Bounds for the differences of test results, if the scores of Python and R differ.

Two algorithms for a cdf may differ in the last digits of a score. If the differences of scores
nearly cancel, the mean difference and its t have few correct digits. Then both results are right
for their own scores, but they differ.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.significance.contract import QUANTITIES, ChosenTest, TestResult


def error_of_scores(tolerance: Tolerance, scores: Array) -> float:
    """Return the largest difference between the scores of Python and R within the tolerance."""
    largest = np.nanmax(np.abs(scores), initial=tolerance.floor)
    return float(tolerance.ulp * np.spacing(largest)) if tolerance.ulp else 0.0


def passed_on(
    chosen: ChosenTest, result: TestResult, effects: Mapping[str, Array], error: float
) -> dict[str, Array]:
    """Return a bound for the difference of each number, by its name; 0 without a bound.

    If no score moves by more than e, a mean of n differences moves by at most m = 2 e, and its
    standard error s by at most m / sqrt(n - 1): the standard deviation is a distance from the
    constant vectors, and with a variance of all k systems the bound is sqrt(2 k / (k - 1)) e /
    sqrt(n - 1). So

    - t = d / s moves by at most (m + abs(t) m / sqrt(n - 1)) / s, and q of `tukey_hsd`, which is
      sqrt(2) t, by sqrt(2) times as much;
    - an end of the interval, d -+ c s, by at most m + c m / sqrt(n - 1);
    - a p value of t by at most p (abs(t) + 1) times as much as t: no tail of a t distribution
      falls faster than that of the normal one, at the rate t + 1 / t, or 0.8 at 0;
    - d divided by a standard deviation as t does. It is at least s sqrt(n) / 2 in d_z and d_av
      after a test of pairs, and in d_av and hedges_g after one of two samples.

    To the first order in m / s, and at the same degrees of freedom, which in `welch_t` move too.
    Only for tests whose estimate is a difference of means; for others, such as `sign`, there is no
    bound. P values that count resamples have to be equal.
    """
    size = np.shape(result.p_value)
    bounds = {name: np.zeros(size) for name in (*QUANTITIES, "p_adjusted", *effects)}
    if not error or chosen.test.estimates != "difference":
        return {name: np.atleast_1d(bound) for name, bound in bounds.items()}
    moved = 2 * error
    n = np.fmin(result.n, result.n_y)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        of_stderr = moved / np.sqrt(n - 1)
        t = np.abs(result.statistic)
        of_t = np.sqrt(2) * (moved + t * of_stderr) / result.stderr
        bounds["estimate"] = np.where(np.isnan(result.estimate), 0.0, moved)
        bounds["stderr"] = np.where(np.isnan(result.stderr), 0.0, of_stderr)
        bounds["statistic"] = of_t
        for end in ("conf_low", "conf_high"):
            margin = np.abs(getattr(result, end) - result.estimate)
            bounds[end] = moved + margin / result.stderr * of_stderr
        if not chosen.test.draws:
            bounds["p_value"] = result.p_value * (t + 1) * of_t
        if "effect_size" in effects:
            d = effects["effect_size"]
            unit = result.stderr * np.sqrt(n) / 2
            bounds["effect_size"] = (moved + np.abs(d) * of_stderr * np.sqrt(n)) / unit
    return {name: np.nan_to_num(np.atleast_1d(bound), posinf=0.0) for name, bound in bounds.items()}


def terms_of_bound(bound: Array, allowed: Tolerance) -> Array:
    """Return the size of terms for `Tolerance.distance`, so that all within the bound is allowed.

    That is where the allowed number of ulp of half of them is the bound.
    """
    return bound * 2.0**54 / allowed.ulp if allowed.ulp else np.zeros_like(bound)
