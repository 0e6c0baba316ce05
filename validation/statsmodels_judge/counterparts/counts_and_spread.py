"""Signs, ranks of two levels, variances, and the correlation of two systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath import mp, mpf
from scipy import special
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.diagnostic import het_goldfeldquandt

from cdfscore.stats.judge.tests import TESTS, WORDS
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import friedman, pearson, sign, variance_ratio
from cdfscore.stats.significance.contract import Alternative
from validation.campaign.truth.base import exact
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.means import moments, numbers_of
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import (
    binomial_at_most,
    chi2_upper,
    f_upper,
    root,
    t_p_value,
)


def _signs(source: Source) -> Iterator[tuple[str, Given]]:
    for number, (name, x, y) in enumerate(data.pairs(source)):
        if (x != y).any():
            level = 0.95 if number % 2 else 0.8
            for alternative in WORDS:
                yield name, {"x": x, "y": y, "alternative": alternative, "conf_level": level}


def _sign_by_us(x: Array, y: Array, alternative: Alternative, conf_level: float) -> Numbers:
    found = sign(x[np.newaxis], y[np.newaxis], alternative=alternative, conf_level=conf_level)
    return numbers_of(found)


def _sign_by_statsmodels(**given: Any) -> Numbers:
    found: Numbers = TESTS["sign"](**given, null_value=0.0, ties_at="resolution")
    return found


def _sign_truth(x: Array, y: Array, alternative: str, conf_level: float) -> Numbers:
    above, below = int((x > y).sum()), int((x < y).sum())
    trials = above + below
    if alternative == "two-sided":
        p = min(mpf(1), 2 * binomial_at_most(min(above, below), trials))
    else:
        p = binomial_at_most(above if alternative == "less" else below, trials)
    tail = (1 - mpf(conf_level)) / (2 if alternative == "two-sided" else 1)
    low, high = mpf(0), mpf(1)
    near = mpf(above) / trials
    if alternative != "less" and above:
        low = _beta_quantile(tail, above, below + 1)
    if alternative != "greater" and below:
        high = 1 - _beta_quantile(tail, below, above + 1)
    return {
        "statistic": mpf(above),
        "parameter": mpf(trials),
        "estimate": near,
        "p_value": p,
        "conf_low": low,
        "conf_high": high,
    }


def _beta_quantile(p: mpf, a: int, b: int) -> mpf:
    near = mpf(float(special.betaincinv(a, b, float(p))))
    return root(lambda u: mp.betainc(a, b, 0, u, regularized=True) - p, near)


def _two_levels(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield matrices of which system finds more than the median, as Cochran's test has them."""
    for name, scores in data.score_matrices(source):
        above = (scores > np.median(scores)).astype(np.float64)
        if (above != above[:, :1]).any():
            yield name, {"scores": above}


def _friedman_by_us(scores: Array) -> Numbers:
    return numbers_of(friedman(scores[np.newaxis]))


def _cochran(scores: Array) -> Numbers:
    found = cochrans_q(scores)
    return {"statistic": found.statistic, "parameter": found.df, "p_value": found.pvalue}


def _cochran_truth(scores: Array) -> Numbers:
    systems = scores.shape[1]
    by_topic = [mpf(v) for v in scores.sum(axis=1)]
    by_system = [mpf(v) for v in scores.sum(axis=0)]
    total = mp.fsum(by_topic)
    q = (systems - 1) * (systems * mp.fsum(v**2 for v in by_system) - total**2)
    q /= systems * total - mp.fsum(v**2 for v in by_topic)
    return {"statistic": q, "parameter": mpf(systems - 1), "p_value": chi2_upper(q, systems - 1)}


def _samples(source: Source) -> Iterator[tuple[str, Given]]:
    for name, x, y in data.unequal(source):
        if x.std() > 0 and y.std() > 0:
            for alternative in WORDS:
                yield name, {"x": x, "y": y, "alternative": alternative}


def _variance_ratio_by_us(x: Array, y: Array, alternative: Alternative) -> Numbers:
    return numbers_of(variance_ratio(x[np.newaxis], y[np.newaxis], alternative=alternative))


def goldfeld_quandt(x: Array, y: Array, alternative: str) -> Numbers:
    # The test of a constant, whose second part has the larger variance if "increasing".
    word = {"greater": "increasing", "less": "decreasing"}.get(alternative, alternative)
    scores = np.concatenate([y, x])
    found = het_goldfeldquandt(scores, np.ones((len(scores), 1)), split=len(y), alternative=word)
    return {"statistic": found[0], "p_value": found[1]}


def _variance_ratio_by_scipy(**given: Any) -> Numbers:
    found = TESTS["variance_ratio"](**given, null_value=1.0, conf_level=0.95)
    return {name: found[name] for name in ("statistic", "p_value")}


def _variance_ratio_truth(x: Array, y: Array, alternative: str) -> Numbers:
    f = moments(exact(x))[1] / moments(exact(y))[1]
    n, m = mpf(len(x) - 1), mpf(len(y) - 1)
    upper, lower = f_upper(f, n, m), f_upper(1 / f, m, n)
    both = min(2 * min(upper, lower), mpf(1))
    return {
        "statistic": f,
        "p_value": {"greater": upper, "less": lower, "two-sided": both}[alternative],
    }


def _correlated(source: Source) -> Iterator[tuple[str, Given]]:
    for name, x, y in data.pairs(source):
        varied = len(x) > 2 and x.std() > 0 and y.std() > 0
        if varied and abs(np.corrcoef(x, y)[0, 1]) < 1 - 1e-12:
            yield name, {"x": x, "y": y}


def _pearson_by_us(x: Array, y: Array) -> Numbers:
    found = pearson(x[np.newaxis], y[np.newaxis])
    return {**numbers_of(found), "estimate_terms": 1 / np.sqrt(len(x))}


def _pearson_by_scipy(x: Array, y: Array) -> Numbers:
    found = TESTS["pearson"](x, y, alternative="two-sided", conf_level=0.95)
    return {name: found[name] for name in ("estimate", "statistic", "parameter", "p_value")}


def _pearson_truth(x: Array, y: Array) -> Numbers:
    a, b = exact(x), exact(y)
    (mean_a, of_a), (mean_b, of_b) = moments(a), moments(b)
    covariance = mp.fsum((u - mean_a) * (v - mean_b) for u, v in zip(a, b, strict=True))
    r = covariance / (len(a) - 1) / mp.sqrt(of_a * of_b)
    df = mpf(len(a) - 2)
    t = r * mp.sqrt(df / (1 - r**2))
    return {
        "estimate": r,
        "statistic": t,
        "parameter": df,
        "p_value": t_p_value(t, df, "two-sided"),
    }


COUNTERPARTS = (
    Counterpart(
        "sign",
        TESTS["sign"].by,
        _signs,
        _sign_by_us,
        _sign_by_statsmodels,
        "sign_test",
        _sign_truth,
    ),
    Counterpart(
        "friedman",
        "cochrans_q, of scores with two levels",
        _two_levels,
        _friedman_by_us,
        _cochran,
        "friedman",
        _cochran_truth,
    ),
    Counterpart(
        "variance_ratio, verify",
        TESTS["variance_ratio"].judge("p_value"),
        _samples,
        _variance_ratio_by_us,
        _variance_ratio_by_scipy,
        "variance_ratio",
        _variance_ratio_truth,
        covers=("variance_ratio",),
    ),
    Counterpart(
        "variance_ratio",
        "het_goldfeldquandt of a constant",
        _samples,
        _variance_ratio_by_us,
        goldfeld_quandt,
        "variance_ratio",
        _variance_ratio_truth,
    ),
    Counterpart(
        "pearson",
        TESTS["pearson"].by,
        _correlated,
        _pearson_by_us,
        _pearson_by_scipy,
        "pearson",
        _pearson_truth,
    ),
)
