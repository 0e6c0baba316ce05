"""Effect sizes, and the noncentralities that bound them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath import mp, mpf
from statsmodels.stats.effect_size import _noncentrality_t
from statsmodels.stats.meta_analysis import effectsize_smd
from statsmodels.stats.weightstats import DescrStatsW

from cdfscore.stats.effect_size import d_z, hedges_g, rank_biserial
from cdfscore.stats.judge.effects import EFFECTS
from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import exact
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.means import moments
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import noncentral_t_lower, root

_LARGEST_T = 30


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


def _with_small_t(source: Source) -> Iterator[tuple[str, Given]]:
    for name, given in _with_level(source):
        x, y = given["x"], given["y"]
        t = abs(x.mean() - y.mean()) / np.sqrt(x.var() / len(x) + y.var() / len(y))
        if t < _LARGEST_T / 3 and len(x) + len(y) > 4:
            yield name, given


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


def _with_level(source: Source) -> Iterator[tuple[str, Given]]:
    for name, given in _unpaired(source):
        yield name, {**given, "conf_level": 0.95}


def _rank_by_us(x: Array, y: Array, conf_level: float) -> Numbers:
    found = _numbers(rank_biserial(x, y, conf_level=conf_level))
    is_end = np.abs(found["estimate"]) == 1  # where the interval is another one
    return {name: np.where(is_end & (name != "estimate"), np.nan, v) for name, v in found.items()}


def _rank_truth(x: Array, y: Array, conf_level: float) -> Numbers:
    n, m = len(x), len(y)
    signs = [[mpf(int(np.sign(u - v))) for v in y] for u in x]
    by_x = [mp.fsum(row) / m for row in signs]
    by_y = [mp.fsum(row[j] for row in signs) / n for j in range(m)]
    (r, of_x), (_, of_y) = moments(by_x), moments(by_y)
    if abs(r) == 1:
        return {"estimate": r, "conf_low": mp.nan, "conf_high": mp.nan}
    margin = mp.sqrt(2) * mp.erfinv(mpf(conf_level)) * mp.sqrt(of_x / n + of_y / m) / (1 - r**2)
    low, high = (mp.tanh(mp.atanh(r) + each) for each in (-margin, margin))
    return {"estimate": r, "conf_low": low, "conf_high": high}


def _hedges_with_ends_by_us(x: Array, y: Array, conf_level: float) -> Numbers:
    found = _numbers(hedges_g(x[np.newaxis], y[np.newaxis], conf_level=conf_level))
    return {**found, "estimate_terms": np.sqrt(1 / len(x) + 1 / len(y))}


def _hedges_with_ends_truth(x: Array, y: Array, conf_level: float) -> Numbers:
    (mean_x, of_x), (mean_y, of_y) = moments(exact(x)), moments(exact(y))
    n, m = len(x), len(y)
    k, size = n + m - 2, mp.sqrt(mpf(n * m) / (n + m))
    d = (mean_x - mean_y) / mp.sqrt(((n - 1) * of_x + (m - 1) * of_y) / k)
    near, tail = hedges_g(x, y, conf_level=conf_level), (1 - mpf(conf_level)) / 2
    return {
        "estimate": _hedges_truth(x, y)["estimate"],
        **{
            name: lambda _, end=end, p=p: (
                root(lambda c: noncentral_t_lower(d * size, mpf(k), c) - p, mpf(float(end)) * size)
                / size
            )
            for name, end, p in (
                ("conf_low", near.conf_low, 1 - tail),
                ("conf_high", near.conf_high, tail),
            )
        },
    }


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
        "d_z, verify",
        EFFECTS["d_z"].judge("conf_low"),
        _paired,
        _d_z_by_us,
        EFFECTS["d_z"],
        "d_z",
        _d_z_truth,
        covers=("d_z",),
        slow=2,
    ),
    Counterpart(
        "hedges_g, verify",
        EFFECTS["hedges_g"].judge("conf_low"),
        _with_small_t,
        _hedges_with_ends_by_us,
        EFFECTS["hedges_g"],
        "hedges_g",
        _hedges_with_ends_truth,
        covers=("hedges_g",),
        slow=2,
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
        EFFECTS["rank_biserial"].by,
        _with_level,
        _rank_by_us,
        EFFECTS["rank_biserial"],
        "rank_biserial",
        _rank_truth,
    ),
)
