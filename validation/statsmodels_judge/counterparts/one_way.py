"""One-way analysis of variance: its effect sizes and their intervals."""

from __future__ import annotations

import numpy as np
from mpmath import mp, mpf
from statsmodels.stats.oneway import (
    _fstat2effectsize,
    anova_oneway,
    confint_effectsize_oneway,
)

from cdfscore.models import anova
from cdfscore.stats.numerics.types import Array
from validation.campaign.truth.base import exact
from validation.statsmodels_judge.counterpart import Counterpart, Numbers
from validation.statsmodels_judge.counterparts.means import moments
from validation.statsmodels_judge.counterparts.ranges import (
    RAW,
    as_frame,
    unequal_groups,
)
from validation.statsmodels_judge.distributions import (
    f_upper,
    noncentral_f_lower,
    root,
)


def _one_way_by_us(scores: Array) -> Numbers:
    row = anova(as_frame(scores), "score ~ system", schemes=[RAW]).table.iloc[0]
    columns = ("statistic", "p_value", "partial_eta_squared", "partial_omega_squared")
    return {name: row[name] for name in (*columns, "effect_low", "effect_high")}


def _one_way_by_statsmodels(scores: Array) -> Numbers:
    groups = [column[~np.isnan(column)] for column in scores.T]
    found = anova_oneway(groups, use_var="equal", welch_correction=False)
    df = found.df_num, found.df_denom
    sizes = _fstat2effectsize(found.statistic, df)
    low, high = confint_effectsize_oneway(found.statistic, df).eta2
    return {
        "statistic": found.statistic,
        "p_value": found.pvalue,
        "partial_eta_squared": sizes.eta2,
        "partial_omega_squared": sizes.omega2,
        "effect_low": low,
        "effect_high": high,
    }


def _one_way_truth(scores: Array) -> Numbers:
    groups = [exact(column) for column in scores.T]
    each = [moments(group) for group in groups]
    n = sum(map(len, groups))
    mean = mp.fsum(map(mp.fsum, groups)) / n
    df1, df2 = mpf(len(groups) - 1), mpf(n - len(groups))
    between = mp.fsum(len(g) * (m - mean) ** 2 for g, (m, _) in zip(groups, each, strict=True))
    within = mp.fsum((len(g) - 1) * v for g, (_, v) in zip(groups, each, strict=True))
    f = between / df1 / (within / df2)
    effect = df1 * (f - 1)
    near = _one_way_by_us(scores)

    def end(name: str, p: mpf) -> mpf:
        if 1 - f_upper(f, df1, df2) <= p:
            return mpf(0)
        proportion = mpf(float(near[name]))
        start = n * proportion / (1 - proportion)
        found = root(lambda c: noncentral_f_lower(f, df1, df2, c) - p, start)
        return found / (found + n)

    return {
        "statistic": f,
        "p_value": f_upper(f, df1, df2),
        "partial_eta_squared": between / (between + within),
        "partial_omega_squared": effect / (effect + n),
        "effect_low": lambda _: end("effect_low", 1 - mpf("0.025")),
        "effect_high": lambda _: end("effect_high", mpf("0.025")),
    }


COUNTERPARTS = (
    Counterpart(
        "anova, one way",
        "anova_oneway, confint_effectsize_oneway",
        unequal_groups,
        _one_way_by_us,
        _one_way_by_statsmodels,
        "one_way",
        _one_way_truth,
        covers=("anova",),
        slow=2,
    ),
)
