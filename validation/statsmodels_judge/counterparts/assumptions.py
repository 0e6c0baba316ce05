"""Residuals of a linear model, and checks of what its tests assume of errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import statsmodels.formula.api as smf
from mpmath import mp, mpf
from statsmodels.stats.diagnostic import linear_reset
from statsmodels.stats.oneway import test_scale_oneway as scale_oneway
from statsmodels.stats.stattools import jarque_bera

from cdfscore.models import anova
from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.counterpart import Counterpart, Numbers
from validation.statsmodels_judge.counterparts.components import blocks
from validation.statsmodels_judge.counterparts.ranges import RAW, as_frame, in_long_form
from validation.statsmodels_judge.distributions import f_upper
from validation.statsmodels_judge.least_squares import fitted

#: The checks of equal variances, as `Anova.checks` names them.
_OVER = ("equal variances over topic", "equal variances over system")


def _by_us(scores: Array) -> Numbers:
    found = anova(as_frame(scores), "score ~ topic + system", schemes=[RAW])
    own = found.residuals("raw")
    table = found.checks().set_index("check")
    tests = table.reindex(["additivity", *_OVER])  # NaN of those that the scores do not allow
    statistics, p = tests["statistic"].to_numpy(), tests["p_value"].to_numpy()
    largest = np.nanmax(np.abs(scores))
    return {
        "fitted": own["fitted"].to_numpy(),
        "fitted_terms": largest,
        "residual": own["residual"].to_numpy(),
        "residual_terms": largest,
        "skewness": table.loc["skewness", "size"],
        "skewness_terms": 1.0,
        "kurtosis": table.loc["excess kurtosis", "size"],
        "kurtosis_terms": 3.0,
        "additivity": statistics[0],
        "additivity_terms": 1.0,
        "p_of_additivity": p[0],
        "statistic": statistics[1:],
        "p_value": p[1:],
    }


def _by_statsmodels(scores: Array) -> Numbers:
    long = in_long_form(scores).sort_values(["topic", "system"])
    fit = smf.ols("score ~ C(topic) + C(system)", long).fit()
    added = linear_reset(fit, power=2, use_f=True)
    over = [
        scale_oneway(
            [each.to_numpy() for _, each in fit.resid.groupby(long[name])],
            method="equal",
            center="median",
        )
        for name in ("topic", "system")
    ]
    _, _, skewness, kurtosis = jarque_bera(fit.resid)
    return {
        "fitted": fit.fittedvalues.to_numpy(),
        "residual": fit.resid.to_numpy(),
        "skewness": skewness,
        "kurtosis": kurtosis - 3,
        "additivity": added.fvalue,
        "p_of_additivity": added.pvalue,
        "statistic": [each.statistic for each in over],
        "p_value": [each.pvalue for each in over],
    }


def _truth(scores: Array) -> Numbers:
    fit = fitted(scores, ["topic", "system"])
    means = list(fit.values)
    residuals = list(fit.y - fit.values)
    n = len(residuals)
    second = mp.fsum(r**2 for r in residuals) / n
    more = list(fit.left(mp.matrix([m**2 for m in means])))
    explained = mp.fdot(more, residuals) ** 2 / mp.fdot(more, more)
    rows, columns = np.nonzero(~np.isnan(scores))
    additivity = explained / ((fit.residual - explained) / (fit.df - 1))
    tests = [_brown_forsythe(residuals, groups.tolist()) for groups in (rows, columns)]
    return {
        "fitted": means,
        "residual": residuals,
        "skewness": mp.fsum(r**3 for r in residuals) / n / mp.power(second, mpf(3) / 2),
        "kurtosis": mp.fsum(r**4 for r in residuals) / n / second**2 - 3,
        "additivity": additivity,
        "p_of_additivity": f_upper(additivity, mpf(1), mpf(fit.df - 1)),
        "statistic": [f for f, _, _ in tests],
        "p_value": [f_upper(*each) for each in tests],
    }


def _brown_forsythe(residuals: Sequence[mpf], groups: Sequence[int]) -> tuple[mpf, int, int]:
    """Return F of the distances from the median of the group, and its degrees of freedom."""
    own: dict[int, list[mpf]] = {}
    for value, group in zip(residuals, groups, strict=True):
        own.setdefault(group, []).append(value)
    distances = [[abs(v - _median(values)) for v in values] for values in own.values()]
    means = [mp.fsum(each) / len(each) for each in distances]
    k, n = len(own), len(residuals)
    mean = mp.fsum(map(mp.fsum, distances)) / n
    between = mp.fsum(len(d) * (m - mean) ** 2 for d, m in zip(distances, means, strict=True))
    within = mp.fsum((v - m) ** 2 for d, m in zip(distances, means, strict=True) for v in d)
    return between / (k - 1) / (within / (n - k)), k - 1, n - k


def _median(values: Sequence[mpf]) -> mpf:
    ordered = sorted(values)
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


COUNTERPARTS = (
    Counterpart(
        "Anova.checks",
        'linear_reset(power=2), test_scale_oneway(method="equal"), jarque_bera, OLS: resid',
        blocks,
        _by_us,
        _by_statsmodels,
        "checks",
        _truth,
        covers=("anova", "Anova.checks", "Anova.residuals"),
        slow=2,
    ),
)
