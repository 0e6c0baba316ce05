"""Effect sizes, and the noncentralities that bound them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath import mp, mpf
from statsmodels.stats.effect_size import _noncentrality_t
from statsmodels.stats.meta_analysis import effectsize_smd
from statsmodels.stats.nonparametric import rank_compare_2indep
from statsmodels.stats.weightstats import DescrStatsW

from cdfscore.stats.effect_size import d_z, hedges_g, rank_biserial
from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import exact
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.means import moments
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import noncentral_t_lower, root

#: The level from whose interval a standard error is read: a narrow one, which does not reach 1.
_NARROW = 0.1
_LARGEST_T = 30
_DEVIATE = float(mp.sqrt(2) * mp.erfinv(_NARROW))


def _paired(source: Source) -> Iterator[tuple[str, Given]]:
    for name, x, y in data.pairs(source):
        d = x - y
        # A large noncentrality takes 50 digits as many terms as its square.
        if np.abs(d.mean()) * np.sqrt(len(d)) < _LARGEST_T * d.std():
            yield name, {"x": x, "y": y, "conf_level": 0.95}


def _numbers(found: Any) -> Numbers:
    return {
        "estimate": found.estimate,
        "conf_low": found.conf_low,
        "conf_high": found.conf_high,
    }


def _d_z_by_us(x: Array, y: Array, conf_level: float) -> Numbers:
    found = _numbers(d_z(x[np.newaxis], y[np.newaxis], conf_level=conf_level))
    return {**found, "estimate_terms": 1 / np.sqrt(len(x))}


def _d_z_by_statsmodels(x: Array, y: Array, conf_level: float) -> Numbers:
    differences = DescrStatsW(x - y, ddof=1)
    estimate, root_n = differences.mean / differences.std, np.sqrt(len(x))
    low, high = _noncentrality_t(estimate * root_n, len(x) - 1, 1 - conf_level).confint
    return {"estimate": estimate, "conf_low": low / root_n, "conf_high": high / root_n}


def _d_z_truth(x: Array, y: Array, conf_level: float) -> Numbers:
    mean, variance = moments([a - b for a, b in zip(exact(x), exact(y), strict=True)])
    estimate, n = mean / mp.sqrt(variance), len(x)
    # Where to look is what we have found; what is found is checked by its tail.
    near = d_z(x, y, conf_level=conf_level)
    tail = (1 - mpf(conf_level)) / 2
    ends = {
        name: lambda _, end=end, p=p: _noncentrality(estimate * mp.sqrt(n), n, p, end)
        for name, end, p in (
            ("conf_low", near.conf_low, 1 - tail),
            ("conf_high", near.conf_high, tail),
        )
    }
    return {"estimate": estimate, **ends}


def _noncentrality(t: mpf, n: int, p: mpf, end: float) -> mpf:
    near = mpf(float(end)) * mp.sqrt(n)
    return root(lambda c: noncentral_t_lower(t, mpf(n - 1), c) - p, near) / mp.sqrt(n)


def _unpaired(source: Source) -> Iterator[tuple[str, Given]]:
    for name, x, y in data.unequal(source):
        if x.std() > 0 and y.std() > 0:
            yield name, {"x": x, "y": y}


def _hedges_by_us(x: Array, y: Array) -> Numbers:
    found, stderr = hedges_g(x, y), np.sqrt(1 / len(x) + 1 / len(y))
    return {
        "estimate": found.estimate,
        "estimate_terms": stderr,
        "estimate_of_nc": found.estimate,
        "estimate_of_nc_terms": stderr,
    }


def _hedges_by_statsmodels(x: Array, y: Array) -> Numbers:
    n, m = len(x), len(y)
    smd, _ = effectsize_smd(x.mean(), x.std(ddof=1), n, y.mean(), y.std(ddof=1), m)
    k = n + m - 2
    s = np.sqrt(((n - 1) * x.var(ddof=1) + (m - 1) * y.var(ddof=1)) / k)
    size = np.sqrt(n * m / (n + m))
    found = _noncentrality_t((x.mean() - y.mean()) / s * size, k)
    return {"estimate": smd, "estimate_of_nc": found.nc / size}


def _hedges_truth(x: Array, y: Array) -> Numbers:
    (mean_x, of_x), (mean_y, of_y) = moments(exact(x)), moments(exact(y))
    n, m = len(x), len(y)
    k = mpf(n + m - 2)
    d = (mean_x - mean_y) / mp.sqrt(((n - 1) * of_x + (m - 1) * of_y) / k)
    g = mp.gamma(k / 2) / (mp.sqrt(k / 2) * mp.gamma((k - 1) / 2)) * d
    return {"estimate": g, "estimate_of_nc": g}


def _rank_by_us(x: Array, y: Array) -> Numbers:
    found = rank_biserial(x, y, conf_level=_NARROW)
    # The interval is tanh(atanh(r) -+ z e / (1 - r^2)); where r is 1 or -1 it is another one.
    with np.errstate(divide="ignore", invalid="ignore"):
        width = np.arctanh(found.conf_high) - np.arctanh(found.conf_low)
        stderr = width * (1 - found.estimate**2) / (2 * _DEVIATE)
    return {"estimate": found.estimate, "stderr": stderr}


def _rank_by_statsmodels(x: Array, y: Array) -> Numbers:
    found = rank_compare_2indep(x, y)
    return {"estimate": 2 * found.prob1 - 1, "stderr": 2 * np.sqrt(found.var_prob)}


def _rank_truth(x: Array, y: Array) -> Numbers:
    n, m = len(x), len(y)
    signs = [[mpf(int(np.sign(u - v))) for v in y] for u in x]
    by_x = [mp.fsum(row) / m for row in signs]
    by_y = [mp.fsum(row[j] for row in signs) / n for j in range(m)]
    (mean, of_x), (_, of_y) = moments(by_x), moments(by_y)
    return {"estimate": mean, "stderr": mp.sqrt(of_x / n + of_y / m)}


COUNTERPARTS = (
    Counterpart(
        "d_z",
        "DescrStatsW, effect_size._noncentrality_t",
        _paired,
        _d_z_by_us,
        _d_z_by_statsmodels,
        "d_z",
        _d_z_truth,
    ),
    Counterpart(
        "hedges_g",
        "effectsize_smd, effect_size._noncentrality_t",
        _unpaired,
        _hedges_by_us,
        _hedges_by_statsmodels,
        "hedges_g",
        _hedges_truth,
    ),
    Counterpart(
        "rank_biserial",
        "rank_compare_2indep: prob1, var_prob",
        _unpaired,
        _rank_by_us,
        _rank_by_statsmodels,
        "rank_biserial",
        _rank_truth,
    ),
)
