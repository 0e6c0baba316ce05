"""Counterparts of linear models, of the numbers of topics for a goal, and of rank correlation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from patsy import build_design_matrices
from scipy import special, stats
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.power import FTestPower
from statsmodels.tools import eval_measures

from cdfscore.stats.judge import distributions
from cdfscore.stats.judge.counterpart import Array, Counterpart, Numbers
from cdfscore.stats.judge.tests import residual

#: Levels of each system, by the name of the factor; "topic" is not among them.
Levels = Mapping[str, Sequence[str]]
Term = Sequence[str]


# --- Linear models ---


def long_frame(scores: Array, levels: Levels) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a row for each score that is there, and the names of the factors in formulas."""
    topics, systems = np.nonzero(~np.isnan(scores))
    names = {"topic": "topic", **{name: f"f{i}" for i, name in enumerate(levels)}}
    data = {"score": scores[topics, systems], "topic": pd.Categorical(topics)}
    for name, own in levels.items():
        order = list(dict.fromkeys(own))
        data[names[name]] = pd.Categorical(np.array(own, dtype=object)[systems], order)
    return pd.DataFrame(data), names


def formula_of(terms: Sequence[Term], names: Mapping[str, str]) -> str:
    """Return a formula of statsmodels, with sums of effects of 0."""
    coded = (":".join(f"C({names[name]}, Sum)" for name in term) for term in terms)
    return f"score ~ {' + '.join(coded)}"


def cells(info: Any, frame: pd.DataFrame, names: Term, used: Term) -> Array:
    """Return the weights of the coefficients in the mean of each cell of a term."""
    levels = {name: list(frame[name].cat.categories) for name in used}
    found = []
    for cell in itertools.product(*(levels[name] for name in names)):
        fixed = dict(zip(names, cell, strict=True))
        own = [[fixed[name]] if name in fixed else levels[name] for name in used]
        grid = pd.DataFrame(list(itertools.product(*own)), columns=list(used))
        for name in used:
            grid[name] = pd.Categorical(grid[name], levels[name])
        found.append(np.asarray(build_design_matrices([info], grid)[0]).mean(axis=0))
    return np.array(found)


def anova(
    scores: Array, levels: Levels, terms: Sequence[Term], kind: str, means: Sequence[Term]
) -> Numbers:
    """Return the table of a type of sums of squares, and the marginal means of terms.

    The names are those of the numbers, after the term and ": " for means.
    """
    frame, names = long_frame(scores, levels)
    fit = smf.ols(formula_of(terms, names), frame).fit()
    table = anova_lm(fit, typ=len(kind))

    def coded(term: Term) -> frozenset[str]:
        return frozenset(names[name] for name in term)

    theirs = [frozenset(n.replace("C(", "").replace(", Sum)", "").split(":")) for n in table.index]
    order = [theirs.index(each) for each in (*map(coded, terms), frozenset({"Residual"}))]
    table = table.iloc[order]
    squares, df, f = (table[name].to_numpy() for name in ("sum_sq", "df", "F"))
    effect = df * (f - 1)
    found = {
        "sum of squares": squares,
        "degrees of freedom": df,
        "F": f,
        "p value of F": table["PR(>F)"].to_numpy(),
        "partial eta squared": np.append(squares[:-1] / (squares[:-1] + squares[-1]), np.nan),
        "partial omega squared": effect / (effect + len(frame)),
    }
    info, used = (
        fit.model.data.orig_exog.design_info,
        list(dict.fromkeys(names[n] for t in terms for n in t)),
    )
    for term in means:
        rows = cells(info, frame, [names[name] for name in term], used)
        i, j = np.triu_indices(len(rows), 1)
        of_means, of_pairs = fit.t_test(rows), fit.t_test(rows[i] - rows[j])
        t = np.ravel(of_pairs.tvalue)
        p = distributions.range_upper(np.abs(t) * math.sqrt(2), len(rows), float(fit.df_resid))
        numbers = {
            "mean": of_means.effect,
            "stderr of mean": of_means.sd,
            "difference": of_pairs.effect,
            "stderr of difference": of_pairs.sd,
            "t": t,
            "p value of t": of_pairs.pvalue,
            "p by tukey": p,
        }
        found |= {f"{':'.join(term)}: {name}": np.ravel(own) for name, own in numbers.items()}
    return found


# --- Goals: the variances of a pilot (topics, systems), the topics, and what they reach ---


def variances(scores: Array, names: Sequence[str]) -> Array:
    """Return the variances of a pilot by their names."""
    topics, systems = scores.shape
    error, _ = residual(scores)
    of_topics = systems * scores.mean(axis=1).var(ddof=1)
    of_systems = topics * scores.mean(axis=0).var(ddof=1)
    known = {
        "scores": scores.var(axis=0, ddof=1).mean(),
        "residual": error,
        "differences": 2 * error,
        "systems": max(0.0, (of_systems - error) / topics),
        "topics": max(0.0, (of_topics - error) / systems),
    }
    return np.array([known[name] for name in names])


def reached(goal: str, topics: float, variance: Array, settings: Mapping[str, Any]) -> float:
    """Return what a number of topics gives: a power, a width or a reliability."""
    if goal == "paired_t":
        t = stats.t.isf(settings["alpha"] / 2, topics - 1)
        c = math.sqrt(topics / variance[0]) * settings["difference"]
        # Both tails, as TTestPower has NaN where one is tiny.
        return sum(distributions.noncentral_t_upper(t, topics - 1, each) for each in (c, -c))
    if goal == "interval":
        df = topics - 1
        expected = math.sqrt(2 * variance[0] / df) * special.poch(df / 2, 0.5)
        return float(2 * stats.t.isf(settings["alpha"] / 2, df) * expected / math.sqrt(topics))
    if goal in ("one_way", "two_way"):
        systems = settings["systems"]
        df1 = systems - 1
        df2 = (systems - (goal == "two_way")) * (topics - 1)
        f = math.sqrt(topics * settings["difference"] ** 2 / (2 * variance[0]) / (df1 + df2))
        # Its df_num is the denominator's, as its documentation says.
        return float(FTestPower().power(f, df2, df1, settings["alpha"], ncc=0))
    if goal == "generalizability":
        return float(variance[0] / (variance[0] + variance[2] / topics))
    return float(variance[0] / (variance[0] + (variance[1] + variance[2]) / topics))


# --- Rank correlation of two vectors of means ---


def correlations(x: Array, y: Array) -> Numbers:
    """Return the coefficients that SciPy and statsmodels have."""
    signs = [np.sign(each[:, np.newaxis] - each) for each in (x, y)]
    n, found = len(x), stats.kendalltau(x, y)
    return {
        "tau": float((signs[0] * signs[1]).sum() / (n * (n - 1))),
        "tau_b": found.statistic,
        "pearson": stats.pearsonr(x, y).statistic,
        "rmse": eval_measures.rmse(x, y),
    }


ANOVA = Counterpart("statsmodels: OLS, anova_lm, t_test", anova)
GOALS = Counterpart("statsmodels: FTestPower; SciPy: stats.t, special.poch", reached)
VARIANCES = Counterpart("NumPy: mean squares of topics, systems and residuals", variances)
CORRELATIONS = Counterpart("SciPy: kendalltau, pearsonr; statsmodels: rmse", correlations)
