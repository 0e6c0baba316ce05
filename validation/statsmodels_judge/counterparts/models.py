"""Linear models: analysis of variance, its effect sizes and differences, variance components."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from mpmath import mp, mpf
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.oneway import (
    _fstat2effectsize,
    anova_oneway,
    confint_effectsize_oneway,
)

from cdfscore.models import anova, g_study
from cdfscore.numerics.types import Array
from validation.campaign.truth.base import exact
from validation.statsmodels_judge import data
from validation.statsmodels_judge.counterpart import Counterpart, Given, Numbers
from validation.statsmodels_judge.counterparts.adjustment import _truth as adjusted_truth
from validation.statsmodels_judge.counterparts.means import moments
from validation.statsmodels_judge.counterparts.ranges import (
    RAW,
    as_frame,
    in_long_form,
    unequal_groups,
)
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.distributions import (
    f_upper,
    noncentral_f_lower,
    root,
    t_interval,
    t_p_value,
)
from validation.statsmodels_judge.least_squares import Fit, coefficients, fitted, sums_of_squares

FORMULAS = (
    "score ~ topic + a + b",
    "score ~ topic + a * b",
    "score ~ a * b",
    "score ~ topic * a + b",
)


def components(systems: int) -> pd.DataFrame:
    """Return the levels of two factors, which are crossed, for each system."""
    names = [f"s{i:03}" for i in range(systems)]
    return pd.DataFrame(
        {
            "system": names,
            "a": [f"a{i % 2}" for i in range(systems)],
            "b": [f"b{i // 2 % 3}" for i in range(systems)],
        }
    )


def _experiments(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield scores of 12 systems of 2 x 3 components, some missing, and every type."""
    rng = np.random.default_rng([source.seed, 4])
    for number in range(source.count):
        topics = int(rng.integers(2, 7))
        scores = rng.beta(0.8, 2.0, (topics, 12)) + 0.3 * rng.random((topics, 1))
        if number % 4:
            scores = scores.round(1)
        if number % 2:
            missing = rng.random(scores.shape) < 0.1
            missing[:, :6] = False  # so that no combination is without a score
            scores[missing] = np.nan
        formula = FORMULAS[number % len(FORMULAS)]
        for kind in ("I", "II", "III"):
            yield formula, {"scores": scores, "formula": formula, "type": kind}


def _table_by_us(scores: Array, formula: str, type: Any) -> Numbers:
    table = anova(
        as_frame(scores), formula, components(12), schemes=[RAW], sums_of_squares=type
    ).table
    return {
        "sum_of_squares": table["sum_of_squares"].to_numpy(),
        "sum_of_squares_terms": table["mean_square"].iloc[-1],
        "parameter": table["df"].to_numpy(),
        "statistic": table["statistic"].to_numpy()[:-1],
        "p_value": table["p_value"].to_numpy()[:-1],
    }


def _terms(names: Sequence[str]) -> list[frozenset[str]]:
    return [frozenset(n.replace("C(", "").replace(", Sum)", "").split(":")) for n in names]


def _table_by_statsmodels(scores: Array, formula: str, type: str) -> Numbers:
    coded = formula.split("~")[1]
    for name in ("topic", "a", "b"):
        coded = " ".join(f"C({w}, Sum)" if w == name else w for w in coded.split())
    long = in_long_form(scores).merge(components(12), on="system")
    table = anova_lm(smf.ols(f"score ~ {coded}", long).fit(), typ=len(type))
    ours = anova(as_frame(scores), formula, components(12), schemes=[RAW]).table["term"]
    theirs = _terms(table.index)
    order = [theirs.index(each) for each in _terms([*ours[:-1], "Residual"])]
    table = table.iloc[order]
    return {
        "sum_of_squares": table["sum_sq"].to_numpy(),
        "parameter": table["df"].to_numpy(),
        "statistic": table["F"].to_numpy()[:-1],
        "p_value": table["PR(>F)"].to_numpy()[:-1],
    }


def _table_truth(scores: Array, formula: str, type: str) -> Numbers:
    squares, df = sums_of_squares(scores, formula, type)
    error = squares[-1] / df[-1]
    f = [s / k / error for s, k in zip(squares[:-1], df[:-1], strict=True)]
    return {
        "sum_of_squares": squares,
        "parameter": [mpf(k) for k in df],
        "statistic": f,
        "p_value": [f_upper(x, mpf(k), mpf(df[-1])) for x, k in zip(f, df[:-1], strict=True)],
    }


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


def _blocks(source: Source) -> Iterator[tuple[str, Given]]:
    rng = np.random.default_rng([source.seed, 5])
    for number, (name, scores) in enumerate(data.score_matrices(source)):
        if scores.shape[0] > 2 and scores.shape[1] > 2:
            cut = scores[:8, :6].copy()
            if number % 2:
                cut[rng.random(cut.shape) < 0.1] = np.nan
            if np.isfinite(cut[0]).all() and np.isfinite(cut[:, 0]).all():
                residuals = cut - np.nanmean(cut, axis=0)
                residuals = residuals - np.nanmean(residuals, axis=1, keepdims=True)
                if np.nansum(residuals**2) > 1e-16 * np.nansum(cut**2):
                    yield name, {"scores": cut}


def _differences_by_us(scores: Array) -> Numbers:
    found = anova(as_frame(scores), "score ~ topic + system", schemes=[RAW])
    table = found.contrasts("system", "holm")
    names = ("stderr", "statistic", "p_value", "p_adjusted", "conf_low", "conf_high")
    return {"estimate": table["estimate"].to_numpy(), **{n: table[n].to_numpy() for n in names}}


def _differences_by_statsmodels(scores: Array) -> Numbers:
    fit = smf.ols("score ~ C(topic) + C(system)", in_long_form(scores)).fit()
    table = fit.t_test_pairwise("C(system)", method="holm").result_frame
    # It takes the earlier system from the later one.
    return {
        "estimate": -table["coef"].to_numpy(),
        "stderr": table["std err"].to_numpy(),
        "statistic": -table["t"].to_numpy(),
        "p_value": table["P>|t|"].to_numpy(),
        "p_adjusted": table["pvalue-holm"].to_numpy(),
        "conf_low": -table["Conf. Int. Upp."].to_numpy(),
        "conf_high": -table["Conf. Int. Low"].to_numpy(),
    }


def _differences_truth(scores: Array) -> Numbers:
    fit: Fit = fitted(scores, ["topic", "system"])
    systems = scores.shape[1]
    weights = coefficients(fit, systems)
    error, df = fit.residual / fit.df, mpf(fit.df)
    found: dict[str, list[mpf]] = {
        n: [] for n in ("estimate", "stderr", "statistic", "p_value", "conf_low", "conf_high")
    }
    for i, j in combinations(range(systems), 2):
        w = weights[i] - weights[j]
        estimate = (w.T * fit.beta)[0]
        stderr = mp.sqrt(error * (w.T * fit.inverse * w)[0])
        t = estimate / stderr
        values = (estimate, stderr, t, t_p_value(t, df, "two-sided"))
        ends = t_interval(estimate, stderr, df, "two-sided", 0.95)
        for name, value in zip(found, (*values, *ends), strict=True):
            found[name].append(value)
    p = np.array([float(each) for each in found["p_value"]])
    return {**found, "p_adjusted": adjusted_truth(p, "holm")["p_adjusted"]}


def _crossed(source: Source) -> Iterator[tuple[str, Given]]:
    """Yield matrices whose components of variance are all above 0."""
    rng = np.random.default_rng([source.seed, 6])
    for _ in range(source.count):
        topics, systems = int(rng.integers(5, 12)), int(rng.integers(4, 8))
        scores = rng.normal(size=(topics, 1)) + rng.normal(size=systems)
        scores = scores + 0.7 * rng.normal(size=(topics, systems))
        if (g_study(as_frame(scores)).components["variance"] > 0).all():
            yield f"{systems} systems, {topics} topics", {"scores": scores}


def _components_by_us(scores: Array) -> Numbers:
    found = g_study(as_frame(scores)).components["variance"].to_numpy()
    return dict(zip(("system", "topic", "residual"), found, strict=True))


def _components_by_statsmodels(scores: Array) -> Numbers:
    long = in_long_form(scores)
    fit = MixedLM.from_formula(
        "score ~ 1",
        long,
        groups=np.ones(len(long)),
        vc_formula={"system": "0 + C(system)", "topic": "0 + C(topic)"},
    ).fit()
    system, topic = fit.vcomp
    return {"system": system, "topic": topic, "residual": fit.scale}


def _components_truth(scores: Array) -> Numbers:
    """Return the estimates of REML for a complete design, which are those of mean squares."""
    topics, systems = scores.shape
    squares, df = sums_of_squares(scores, "score ~ topic + system", "I")
    topic, system, residual = (s / k for s, k in zip(squares, df, strict=True))
    return {
        "system": (system - residual) / topics,
        "topic": (topic - residual) / systems,
        "residual": residual,
    }


COUNTERPARTS = (
    Counterpart(
        "anova",
        "anova_lm, types 1, 2, 3",
        _experiments,
        _table_by_us,
        _table_by_statsmodels,
        "components_table",
        _table_truth,
        slow=3,
    ),
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
    Counterpart(
        'Anova.contrasts("system", "holm")',
        't_test_pairwise(method="holm")',
        _blocks,
        _differences_by_us,
        _differences_by_statsmodels,
        "differences",
        _differences_truth,
        covers=("anova",),
        slow=4,
    ),
    Counterpart(
        "g_study",
        "MixedLM of two crossed random effects, by REML",
        _crossed,
        _components_by_us,
        _components_by_statsmodels,
        "variance_components",
        _components_truth,
        slow=10,
    ),
)
