"""Counterparts of effect sizes and of corrections for many tests."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy import special, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.nonparametric import rank_compare_2indep
from statsmodels.stats.weightstats import DescrStatsW

from cdfscore.stats.judge import Array, Counterpart, Numbers, distributions
from cdfscore.stats.judge.tests import differences, in_common, one_sample_t, two_means


def _hochberg(p: Array) -> Array:
    order = np.argsort(p)[::-1]
    found = np.minimum.accumulate(p[order] * np.arange(1, len(p) + 1))
    return np.asarray(np.minimum(found, 1)[np.argsort(order)])


def _hommel(p: Array) -> Array:
    """Return Simes' p of the worst family of each hypothesis, by the size of the family."""
    order, m = np.argsort(p), len(p)
    ordered, found = p[order], p[order].copy()
    for size in range(2, m + 1):
        others = ordered[m - size + 1 :]  # those of the largest, whose ranks are 2 to size
        least = (size * others / np.arange(2, size + 1)).min()
        own = np.minimum(size * ordered, least)
        own[m - size + 1 :] = own[m - size]
        found = np.maximum(found, own)
    return np.asarray(np.minimum(found, 1)[np.argsort(order)])


_STEPS = "NumPy: the steps of the definition"
_FALSE = "SciPy: stats.false_discovery_control"
#: Those of statsmodels are what cdfscore itself calls, but for Holm's.
CORRECTIONS: Mapping[str, Counterpart] = {
    "holm": Counterpart("statsmodels: multipletests", lambda p: multipletests(p, method="holm")[1]),
    "hochberg": Counterpart(_STEPS, _hochberg),
    "hommel": Counterpart(_STEPS, _hommel),
    "bonferroni": Counterpart(_STEPS, lambda p: np.minimum(len(p) * p, 1)),
    "BH": Counterpart(_FALSE, stats.false_discovery_control),
    "fdr": Counterpart(_FALSE, stats.false_discovery_control),
    "BY": Counterpart(_FALSE, lambda p: stats.false_discovery_control(p, method="by")),
}


def adjusted(p: Array, method: str) -> Array:
    """Return corrected p values; NaN stays, and does not count."""
    found, there = p.copy(), ~np.isnan(p)
    if method != "none" and there.sum() > 1:
        found[there] = CORRECTIONS[method](p[there])
    return found


#: Standard errors below this part of the means are rounding errors of scores that are all equal.
_EQUAL = 1e-13


def _by_noncentrality(t: float, df: float, root: float, conf_level: float) -> Numbers:
    tail = (1 - conf_level) / 2
    low, high = (distributions.noncentrality(t, df, each) / root for each in (tail, 1 - tail))
    return {"conf_low": low, "conf_high": high}


def d_z(x: Array, y: Array, conf_level: float) -> Numbers:
    """Return the mean difference in standard deviations of differences."""
    t, root = one_sample_t(x - y, "two-sided", 0.0, conf_level).get("statistic"), math.sqrt(len(x))
    if t is None:
        return {}
    return {"estimate": t / root, **_by_noncentrality(t, len(x) - 1, root, conf_level)}


def d_av(x: Array, y: Array, conf_level: float) -> Numbers:
    """Return the mean difference in standard deviations of scores, and Bonett's interval."""
    (of_x, covariance), (_, of_y) = np.cov(x - in_common(x), y - in_common(y))
    variance, df = (of_x + of_y) / 2, len(x) - 1
    if not math.sqrt(variance / len(x)) > _EQUAL * max(abs(x.mean()), abs(y.mean())):
        return {}
    estimate = DescrStatsW(x - y).mean / math.sqrt(variance)
    fourth = (of_x**2 + of_y**2 + 2 * covariance**2) / variance**2
    of_d = np.var(x - y, ddof=1) / variance
    stderr = math.sqrt(estimate**2 * fourth / (8 * df) + of_d / df)
    margin = stats.norm.isf((1 - conf_level) / 2) * stderr
    return {"estimate": estimate, "conf_low": estimate - margin, "conf_high": estimate + margin}


def hedges_g(x: Array, y: Array, conf_level: float) -> Numbers:
    """Return the difference of means in pooled deviations, with the exact correction."""
    n, m = len(x), len(y)
    k, root = n + m - 2, math.sqrt(n * m / (n + m))
    found = two_means(x, y, "two-sided", 0.0, conf_level, "pooled") if min(n, m) > 1 else {}
    if not found.get("stderr", 0.0) > _EQUAL * max(abs(x.mean()), abs(y.mean())):
        return {}
    t, correction = found["statistic"], special.poch((k - 1) / 2, 0.5) / math.sqrt(k / 2)
    return {"estimate": correction * t / root, **_by_noncentrality(t, k, root, conf_level)}


def rank_biserial(x: Array, y: Array, conf_level: float) -> Numbers:
    """Return P(x > y) - P(x < y), and Fisher's interval of its standard error."""
    found = rank_compare_2indep(x, y)
    estimate, stderr = 2 * found.prob1 - 1, 2 * math.sqrt(found.var_prob)
    return _of_correlation(estimate, stderr, conf_level, min(len(x), len(y)))


def rank_biserial_paired(x: Array, y: Array, conf_level: float) -> Numbers:
    """Return the mean sign of all means of two differences, and Fisher's interval."""
    d = differences(x, y, ranked=True)
    d = d[d != 0]
    k = len(d)
    if not k:
        return {}
    sums = np.sign(d[:, np.newaxis] + d).sum(axis=1)
    signed = stats.rankdata(np.abs(d)) @ np.sign(d)
    stderr = 2 * math.sqrt(sums.var(ddof=1) / k) / (k + 1) if k > 1 else np.nan
    return _of_correlation(2 * signed / (k * (k + 1)), stderr, conf_level, k / 2)


def _of_correlation(r: float, stderr: float, conf_level: float, trials: float) -> Numbers:
    if abs(r) == 1:  # Clopper and Pearson's end of a proportion of 1, as of so many trials
        end = r * (2 * stats.beta.ppf((1 - conf_level) / 2, trials, 1) - 1)
        return {"estimate": r, "conf_low": min(end, r), "conf_high": max(end, r)}
    if not stderr > 0:
        return {"estimate": r}
    margin = stats.norm.isf((1 - conf_level) / 2) * stderr / (1 - r * r)
    low, high = np.tanh(np.arctanh(r) + np.array([-margin, margin]))
    return {"estimate": r, "conf_low": low, "conf_high": high}


_NONCENTRAL = dict.fromkeys(("conf_low", "conf_high"), "NumPy: tails, as nctdtrinc has 5 digits")
EFFECTS: Mapping[str, Counterpart] = {
    "d_z": Counterpart("statsmodels: DescrStatsW", d_z, _NONCENTRAL),
    "d_av": Counterpart("NumPy: cov; SciPy: stats.norm", d_av),
    "hedges_g": Counterpart("statsmodels: ttest_ind; SciPy: special.poch", hedges_g, _NONCENTRAL),
    "rank_biserial": Counterpart("statsmodels: rank_compare_2indep", rank_biserial),
    "rank_biserial_paired": Counterpart("NumPy; SciPy: stats.rankdata", rank_biserial_paired),
}
