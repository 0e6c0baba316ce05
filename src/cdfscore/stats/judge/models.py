"""Counterparts of linear and mixed models, of goals for topics, and of rank correlation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import statsmodels.formula.api as smf
from patsy import build_design_matrices
from scipy import special, stats
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.power import FTestPower
from statsmodels.tools import eval_measures

from cdfscore.stats.judge import Array, Counterpart, Numbers, distributions
from cdfscore.stats.judge.tests import residual

if TYPE_CHECKING:
    import pandas as pd

#: Levels of each system, by the name of the factor; "topic" is not among them.
Levels = Mapping[str, Sequence[str]]
Term = Sequence[str]


# --- Linear models ---


def long_frame(scores: Array, levels: Levels) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a row for each score that is there, and the names of the factors in formulas."""
    import pandas as pd

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
    import pandas as pd

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


# --- Mixed models: MixedLM, continued by Newton's method to the maximum ---

# `MixedLM` stops when the likelihood hardly changes: its variances have 3 or 4 digits, and are the
# start here. The likelihood is that of y with the covariance V = sum v_k Z_k Z_k' + v I, topic by
# topic (Lindstrom and Bates 1988), and degrees of freedom are Satterthwaite's.

_STEPS = 100


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The likelihood at variances, with its slopes and second derivatives by them."""

    value: float
    slopes: Array
    curvature: Array
    coefficients: Array
    #: The covariance of the coefficients, and its derivatives by the variances.
    covariance: Array
    change: Array


def likelihood(
    variances: Array, topics: Sequence[tuple[Array, Array, list[Array]]], *, reml: bool
) -> Likelihood:
    """Return the likelihood of topics: scores, columns of X, and products Z Z' of each term."""
    k, p, n = len(variances), topics[0][1].shape[1], sum(len(y) for y, _, _ in topics)
    xx, xy, by_terms = np.zeros((p, p)), np.zeros(p), np.zeros((k, p, p))
    total: Any = 0.0
    by_pairs, traces = np.zeros((k, k, p, p)), np.zeros(k)
    of_pairs: Array = np.zeros((k, k))
    logarithm = 0.0
    inverses = []
    for y, x, products in topics:
        inverse = np.linalg.inv(np.tensordot(variances, np.array(products), 1))
        inverses.append(inverse)
        logarithm -= float(np.linalg.slogdet(inverse)[1])
        wx = inverse @ x
        xx += x.T @ wx
        xy += wx.T @ y
        left = [inverse @ own for own in products]
        of_pairs += [[np.sum(a * b.T) for b in left] for a in left]
        for i, own in enumerate(products):
            by_terms[i] += wx.T @ own @ wx
            traces[i] += np.trace(left[i])
            for j, second in enumerate(left):
                by_pairs[i, j] += wx.T @ own @ second @ wx
    covariance: Array = np.asarray(np.linalg.inv(xx), dtype=np.float64)
    coefficients = covariance @ xy
    squares, quadratic = np.zeros(k), np.zeros((k, k))
    across = np.zeros((k, p))
    for (y, x, products), inverse in zip(topics, inverses, strict=True):
        r = inverse @ (y - x @ coefficients)
        total += r @ (y - x @ coefficients)
        u = np.array([own @ r for own in products])
        squares += u @ r
        quadratic += u @ inverse @ u.T
        across += u @ inverse @ x
    quadratic -= across @ covariance @ across.T
    change = covariance @ by_terms @ covariance
    degrees = n
    if reml:
        degrees -= p
        logarithm += float(np.linalg.slogdet(xx)[1])
        own = covariance @ by_terms
        traces = traces - np.trace(own, axis1=1, axis2=2)
        of_pairs = (
            of_pairs
            - 2 * np.einsum("ab,ijba->ij", covariance, by_pairs)
            + np.einsum("iab,jba->ij", own, own)
        )
    value = -(degrees * np.log(2 * np.pi) + logarithm + total) / 2
    slopes, curvature = (squares - traces) / 2, quadratic - of_pairs / 2
    return Likelihood(value, slopes, curvature, coefficients, covariance, change)


def greatest(
    start: Array, topics: Sequence[tuple[Array, Array, list[Array]]], *, reml: bool
) -> tuple[Array, Likelihood]:
    """Return the variances of the greatest likelihood: those that start at 0 stay there."""
    variances, own = start.copy(), np.flatnonzero(start)
    for _ in range(_STEPS):
        found = likelihood(variances, topics, reml=reml)
        # By logarithms of variances, whose steps are relative.
        slopes = variances[own] * found.slopes[own]
        curvature = np.outer(variances[own], variances[own]) * found.curvature[np.ix_(own, own)]
        values, axes = np.linalg.eigh(curvature)
        step = np.clip(axes @ ((axes.T @ slopes) / np.abs(values)), -0.9, 2.0)
        variances[own] *= 1 + step
        if np.abs(step).max() < 1e-13:
            break
    found = likelihood(variances, topics, reml=reml)
    # A variance of 0 is right if the likelihood falls as it grows.
    return np.where((variances == 0) & (found.slopes > 0), np.nan, variances), found


def mixed_model(
    scores: Array,
    levels: Levels,
    terms: Sequence[Term],
    random: Sequence[Term],
    method: str,
    at_0: Sequence[Term],
) -> Numbers:
    """Return the numbers of a mixed model; `at_0` are the random terms without a variance."""
    frame, names = long_frame(scores, levels)
    reml, slots = method == "REML", np.nonzero(~np.isnan(scores))[1]
    columns = [
        np.unique(
            np.array([levels[n] for n in term if n != "topic"] or [["all"] * scores.shape[1]]),
            axis=1,
            return_inverse=True,
        )[1].ravel()[slots]
        for term in random
    ]
    inner = {f"v{i}": column for i, column in enumerate(columns)}
    frame = frame.assign(**{name: column.astype(str) for name, column in inner.items()})
    formula = formula_of(terms, names)
    within = {
        name: f"0 + C({name})" for name, term in zip(inner, random, strict=True) if len(term) > 1
    }
    model = smf.mixedlm(formula, frame, groups="topic", re_formula="1", vc_formula=within or None)
    fit = model.fit(reml=reml)
    x, info = np.asarray(model.exog), model.data.orig_exog.design_info
    of_terms = iter(np.ravel(fit.vcomp))
    found_there = [
        0.0 if term in at_0 else next(of_terms) if len(term) > 1 else fit.cov_re.iloc[0, 0]
        for term in random
    ]
    start = np.array([*found_there, fit.scale])
    start = np.where(start > 0, np.maximum(start, 1e-3 * fit.scale), 0.0)
    y, codes = frame["score"].to_numpy(), frame["topic"].cat.codes.to_numpy()
    topics = []
    for topic in np.unique(codes):
        own = codes == topic
        same = [1.0 * (column[own][:, np.newaxis] == column[own]) for column in columns]
        topics.append((y[own], x[own], [*same, np.eye(int(own.sum()))]))
    variances, at = greatest(start, topics, reml=reml)
    known = np.flatnonzero(start)
    of_variances = np.linalg.inv(at.curvature[np.ix_(known, known)])

    def estimates(rows: Array) -> tuple[Array, Array, Array]:
        variance = np.sum(rows @ at.covariance * rows, axis=1)
        change = np.array([np.sum(rows @ own * rows, axis=1) for own in at.change[known]]).T
        df = 2 * variance**2 / np.sum(change @ of_variances * change, axis=1)
        return rows @ at.coefficients, np.sqrt(variance), df

    value, stderr, df = estimates(np.eye(x.shape[1]))
    found: dict[str, Any] = {
        "variance": variances,
        "log-likelihood": [at.value],
        "coefficient": value,
        "stderr of coefficient": stderr,
        "degrees of freedom of t": df,
        "t": value / stderr,
        "p value of t": 2 * stats.t.sf(np.abs(value / stderr), df),
    }
    found |= _tests(terms, names, info, frame, at.covariance, estimates)
    used = list(dict.fromkeys(names[name] for term in terms for name in term))
    for term in terms:
        rows = cells(info, frame, [names[name] for name in term], used)
        i, j = np.triu_indices(len(rows), 1)
        numbers: dict[str, Any] = {}
        for name, own in (("mean", rows), ("difference", rows[i] - rows[j])):
            of = estimates(own)
            numbers |= {name: of[0], f"stderr of {name}": of[1]}
            numbers[f"degrees of freedom of {name}"] = of[2]
        t, df = of[0] / of[1], of[2]
        tukey = [
            distributions.range_upper(np.array([abs(each) * np.sqrt(2)]), len(rows), each_df)[0]
            for each, each_df in zip(t, df, strict=True)
        ]
        numbers |= {"t": t, "p value of t": 2 * stats.t.sf(np.abs(t), df), "p by tukey": tukey}
        found |= {f"{':'.join(term)}: {name}": own for name, own in numbers.items()}
    return found


def _tests(
    terms: Sequence[Term],
    names: Any,
    info: Any,
    frame: Any,
    covariance: Array,
    estimates: Any,
) -> Numbers:
    """Return F of each term by Fai and Cornelius (1996), of orthonormal contrasts of its cells."""
    found: dict[str, list[Any]] = {}
    used = list(dict.fromkeys(names[name] for term in terms for name in term))
    for term in terms:
        place = info.term_name_slices[":".join(f"C({names[each]}, Sum)" for each in term)]
        of_cells = cells(info, frame, [names[name] for name in term], used)
        rows = np.zeros((place.stop - place.start, of_cells.shape[1]))
        rows[:, place] = np.linalg.qr(of_cells[:, place])[1]
        size = len(rows)
        axes = np.linalg.eigh(rows @ covariance @ rows.T)[1]
        value, stderr, df = estimates(axes.T @ rows)
        f = float(np.mean((value / stderr) ** 2))
        expected = float(np.sum(df / (df - 2)))
        error = 2 * expected / (expected - size)
        if np.ptp(df) <= 1e-8 * df.max():
            error = float(df.mean())
        elif df.min() <= 2:
            error = 2.0
        own = {"F": f, "degrees of freedom of F": error, "p value of F": stats.f.sf(f, size, error)}
        for key, number in own.items():
            found.setdefault(key, []).append(number)
    return found


ANOVA = Counterpart("statsmodels: OLS, anova_lm, t_test", anova)
GOALS = Counterpart("statsmodels: FTestPower; SciPy: stats.t, special.poch", reached)
VARIANCES = Counterpart("NumPy: mean squares of topics, systems and residuals", variances)
CORRELATIONS = Counterpart("SciPy: kendalltau, pearsonr; statsmodels: rmse", correlations)
MIXED = Counterpart(
    "statsmodels: MixedLM, continued by Newton's method, as it stops early", mixed_model
)
