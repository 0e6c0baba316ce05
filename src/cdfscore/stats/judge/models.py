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
from cdfscore.stats.judge.tests import two_way

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


def cells(
    info: Any, frame: pd.DataFrame, term: Term, terms: Sequence[Term], names: Mapping[str, str]
) -> Array:
    """Return the weights of the coefficients in the mean of each cell of a term."""
    import pandas as pd

    used = dict.fromkeys(names[name] for each in terms for name in each)
    levels, found = {name: list(frame[name].cat.categories) for name in used}, []
    for cell in itertools.product(*(levels[names[name]] for name in term)):
        fixed = {names[name]: [level] for name, level in zip(term, cell, strict=True)}
        own = {**levels, **fixed}.values()
        grid = pd.DataFrame(list(itertools.product(*own)), columns=list(used))
        for name in used:
            grid[name] = pd.Categorical(grid[name], levels[name])
        found.append(np.asarray(build_design_matrices([info], grid)[0]).mean(axis=0))
    return np.array(found)


def anova(
    scores: Array,
    levels: Levels,
    terms: Sequence[Term],
    kind: str,
    means: Sequence[Term],
    alpha: float,
) -> Numbers:
    """Return the table of a type of sums of squares, and the marginal means of terms.

    The names are those of the numbers, after the term and ": " for means.
    """
    shared = scores[~np.isnan(scores)][0]  # as what all scores share costs digits
    frame, names = long_frame(scores - shared, levels)
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
        "table: mean square": squares / df,
    }
    for term in means:
        rows = cells(fit.model.data.orig_exog.design_info, frame, term, terms, names)
        i, j = np.triu_indices(len(rows), 1)
        of_means, of_pairs = fit.t_test(rows), fit.t_test(rows[i] - rows[j])
        t = np.ravel(of_pairs.tvalue)
        p = distributions.range_upper(np.abs(t) * math.sqrt(2), len(rows), float(fit.df_resid))
        numbers = {"t": t, "p value of t": of_pairs.pvalue, "p by tukey": p}
        for name, of, more in (("mean", of_means, shared), ("difference", of_pairs, 0.0)):
            low, high = of.conf_int(alpha).T + more
            numbers |= {name: of.effect + more, f"stderr of {name}": of.sd}
            numbers |= {f"{name}: conf low": low, f"{name}: conf high": high}
            numbers[f"{name}: df"] = np.full(len(low), fit.df_resid)
        found |= {f"{':'.join(term)}: {name}": np.ravel(own) for name, own in numbers.items()}
    return found


# --- Generalizability: components of variance, and the reliability of means over topics ---


def study(
    scores: Array,
    topics: Sequence[float] = (),
    reliabilities: Sequence[float] = (),
    confidence: float | None = None,
) -> Numbers:
    """Return the numbers of a G-study, and of a D-study if it has a confidence."""
    n, k = int((~np.isnan(scores)).any(axis=1).sum()), scores.shape[1]
    levels = {"system": [*map(str, range(k))]}
    table = anova(scores, levels, [("system",), ("topic",)], "II", [], alpha=0.05)
    df = np.asarray(table["degrees of freedom"])
    squares = np.asarray(table["sum of squares"]) / df
    counts = np.count_nonzero(~np.isnan(scores)) - np.array([n, k])
    variance = np.append(np.maximum(df[:2] * (squares[:2] - squares[2]) / counts, 0), squares[2])
    found: dict[str, Any] = {
        "degrees of freedom": df,
        "mean square": squares,
        "variance": variance,
        "proportion": variance / variance.sum(),
    }
    if confidence is None:
        return found
    sizes, wanted = np.array(topics), np.array(reliabilities)
    upper = (1 - confidence) / 2
    tails = np.array([upper, 1 - upper])
    f, of_topics = (stats.f.isf(tails, df[0], other) for other in (df[2], df[1]))
    known = stats.chi2.isf(tails, df[0]) / df[0]
    s, t, e = squares / squares[2]
    of_scores = (s - known * e) * s + (known - f) * f * e**2
    ends = {
        "relative": (s / e / f - 1) / n,
        "absolute": of_scores / (known * (k - 1) * e + of_topics * t) / s * k / n,
    }
    for kind, error in (("relative", variance[2]), ("absolute", variance[1:].sum())):
        own = np.where(s > f * e, ends[kind], 0.0) * np.where(np.isnan(scores).any(), np.nan, 1.0)
        ratios = np.append(variance[0] / error, own)
        with np.errstate(divide="ignore"):
            needed = wanted / ((1 - wanted) * ratios[[0, 2, 1], np.newaxis])
        needed = np.ceil(needed * (1 - 1e-12))
        for name, ratio, enough in zip(("", "_low", "_high"), ratios, needed, strict=True):
            found[f"{kind}{name}"] = 1 - 1 / (1 + sizes * ratio)
            found[f"topics for {kind}{name}"] = enough
    return found


# --- Goals: the variances of a pilot (topics, systems), the topics, and what they reach ---


def variances(scores: Array, names: Sequence[str]) -> Array:
    """Return the variances of a pilot by their names."""
    topics, systems = scores.shape
    error = float(two_way(scores)[2])
    scores = scores - scores[0, 0]
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
    n, found, halves = len(x), stats.kendalltau(x, y), []
    rmse, sds = eval_measures.rmse(x, y), [each.std(ddof=1) for each in (x, y)]
    for own, other in (signs, signs[::-1]):
        above, both = ((own > 0).sum(axis=0), ((own > 0) & (other > 0)).sum(axis=0))
        halves.append(np.mean((2 * both / above - 1)[above > 0]))
    return {
        "tau": float((signs[0] * signs[1]).sum() / (n * (n - 1))),
        "tau_b": found.statistic,
        "tau_ap_b": np.mean(halves),
        "pearson": stats.pearsonr(x, y).statistic,
        "rmse": rmse,
        "drmse": rmse / np.mean(sds),
        "drmse_geometric": rmse / math.sqrt(sds[0] * sds[1]),
    }


# --- Mixed models: Newton's method for the likelihood of MixedLM, which stops early ---

# `MixedLM` stops when the likelihood hardly changes: its variances have 3 or 4 digits. The
# likelihood is that of y with the covariance V = sum v_k Z_k Z_k' + v I, topic by topic (Lindstrom
# and Bates 1988), and degrees of freedom are Satterthwaite's. Second derivatives come from first
# ones at variances with a tiny imaginary part (Squire and Trapp 1998), and have all digits. If the
# variance of topics is 0, differences within topics are fitted, as with fixed topics.

_STEPS, _IMAGINARY = 100, 1e-20
#: A variance below this part of that of the residuals is 0, and so is that of an estimate.
_NOTHING, _ROUNDING = 1e-10, 1e-20
#: Parts of the directions of terms that are smaller are 0.
_SAME = 1e-12
#: Scores (n, topics) of the same n systems, columns of X (n, p), and Z Z' of each term (k, n, n),
#: in an orthonormal basis whose first direction is the mean.
Groups = Sequence[tuple[Array, Array, Array]]


def _by_terms(
    y: Array, x: Array, products: list[Array], place: int, shared: float
) -> tuple[Array, Array, Array]:
    """Turn the scores of topics to where a large variance, that of topics first, is of few."""
    n, basis = len(y), np.zeros((len(y), 0))
    for each in (products[place], *products, np.eye(n)):
        axes, sizes, _ = np.linalg.svd(each - basis @ (basis.T @ each))
        basis = np.hstack([basis, axes[:, sizes > _SAME]])

    def turned(columns: Array) -> Array:  # zeros are none but for rounding
        found = basis.T @ columns
        return np.where(np.abs(found) > _SAME, found, 0.0)

    own = basis.T @ (y - y[0]) + turned(np.ones((n, 1))) * (y[0] - shared)
    turned_products = [turned(turned(each).T).T for each in (*products, np.eye(n))]
    return own, turned(x), np.array(turned_products)


def likelihood(variances: Array, groups: Groups, *, reml: bool) -> tuple[Any, Any, Any, Any]:
    """Return the likelihood, its slopes by the variances, coefficients, and their covariance."""
    xx, xy, by_terms, traces, value, squares = np.zeros((6, 1))  # numbers or matrices are added
    inverses = []
    for y, x, products in groups:
        of_scores = np.tensordot(variances, products, 1)
        real = np.linalg.inv(of_scores.real)
        inverse = real - 1j * (real @ of_scores.imag @ real)  # as its square is below rounding
        wx, topics = inverse @ x, y.shape[1]
        xx, xy = xx + topics * x.T @ wx, xy + wx.T @ y.sum(axis=1)
        by_terms = by_terms + topics * (wx.T @ products @ wx)
        traces = traces + topics * np.tensordot(products, inverse, 2)
        value = value + topics * np.linalg.slogdet(real)[1]
        inverses.append(inverse)
    covariance: Any = np.linalg.inv(xx)
    coefficients = covariance @ xy
    if reml:
        value = value - np.linalg.slogdet(xx)[1]
        traces = traces - np.tensordot(by_terms, covariance, 2)
    for (y, x, products), inverse in zip(groups, inverses, strict=True):
        left = y - (x @ coefficients)[:, np.newaxis]
        r = inverse @ left
        value = value - np.sum(r * left)
        squares = squares + np.sum(r * (products @ r), axis=(1, 2))
    n = sum(y.size for y, _, _ in groups) - reml * len(coefficients)
    return (value - n * np.log(2 * np.pi)) / 2, (squares - traces) / 2, coefficients, covariance


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where the likelihood is greatest."""

    variances: Array
    value: float
    coefficients: Array
    covariance: Array
    #: Its derivatives by logarithms of variances that are not 0, and the covariance of these.
    change: Array
    of_variances: Any

    @classmethod
    def of(cls, start: Array, groups: Groups, *, reml: bool) -> Maximum:
        """Search by logarithms of variances, whose steps are relative."""
        variances, last = start.copy(), np.inf
        for _ in range(_STEPS):
            own = np.flatnonzero(variances)
            nearby = variances + _IMAGINARY * 1j * np.diag(variances)[own]
            found = [likelihood(each, groups, reml=reml) for each in nearby]
            slopes, by_logs = found[0][1].real, np.array([each[1].imag for each in found])
            curvature = -by_logs[:, own] * variances[own] / _IMAGINARY
            if last < 1e-8:  # the next step would be its square
                break
            values, axes = np.linalg.eigh((curvature + curvature.T) / 2)
            along = axes.T @ (variances[own] * slopes[own]) / np.abs(values)
            step = np.clip(axes @ along, -0.99, 9.0)
            variances[own] *= 1 + step
            variances[variances < _NOTHING * variances[-1]] = 0.0
            last = np.abs(step).max()
        # A variance of 0 is wrong if the likelihood rises as it grows.
        variances = np.where((variances == 0) & (slopes > 0), np.inf, variances)
        value, _, coefficients, covariance = map(np.real, found[0])
        change = np.array([each[3].imag for each in found]) / _IMAGINARY
        return cls(variances, value, coefficients, covariance, change, np.linalg.inv(curvature))


def within_topics(start: Array, groups: Groups, place: int, *, reml: bool) -> tuple[Maximum, Any]:
    """Return the maximum of differences within topics, and a function of combinations of means.

    The variance of topics, at this place, is 0. Variances of combinations of coefficients that are
    means over topics, and their df, are by the influence of each topic (Bell and McCaffrey 2002).
    """
    inside, topics = [], sum(y.shape[1] for y, _, _ in groups)
    for y, x, products in groups:
        inside.append((y[1:], x[1:, 1:], np.delete(products[:, 1:, 1:], place, axis=0)))
    found = Maximum.of(np.delete(start, place), inside, reml=reml)
    variances = np.insert(found.variances, place, 0.0)
    centre = sum(y.shape[1] * x[0, 1:] / x[0, 0] for y, x, _ in groups) / topics
    parts, coefficients, spread = [], np.zeros(1), np.zeros(1)
    for (y, x, products), (_, differences, _) in zip(groups, inside, strict=True):
        covariance, alone = np.tensordot(variances, products, 1), np.eye(len(y))
        by = found.covariance @ differences.T @ np.linalg.solve(covariance[1:, 1:], alone[1:])
        # All coefficients are sums of these combinations of the scores of topics.
        by = np.vstack([alone[0] / (topics * x[0, 0]) - centre @ by, by])
        parts.append((by, covariance))
        coefficients = coefficients + by @ y.sum(axis=1)
        spread = spread + y.shape[1] * by @ covariance @ by.T

    def of_means(row: Array) -> tuple[float, float]:
        u, moved, shared, expected = [], [], [], []
        for (y, x, _), (by, covariance) in zip(groups, parts, strict=True):
            g, count = row @ by, y.shape[1]
            u.extend(g @ (y - (x @ coefficients)[:, np.newaxis]))
            moved += count * [g @ x]
            shared += count * [by @ covariance @ g]
            expected += count * [g @ covariance @ g]
        crossed = np.array(moved) @ np.array(shared).T
        of_u = np.array(moved) @ spread @ np.array(moved).T - crossed - crossed.T
        of_u += np.diag(expected)
        trace = np.trace(of_u)
        return np.sum(np.square(u)) * np.sum(expected) / trace, trace**2 / np.sum(of_u**2)

    # The intercept has no covariance with them that the model states.
    first = ((1, 0), (1, 0))
    fixed = (coefficients, np.pad(found.covariance, first), np.pad(found.change, ((0, 0), *first)))
    return Maximum(variances, found.value, *fixed, found.of_variances), of_means


def mixed_model(
    scores: Array,
    levels: Levels,
    terms: Sequence[Term],
    random: Sequence[Term],
    method: str,
    alpha: float = 0.05,
) -> Numbers:
    """Return the numbers of a mixed model."""
    scores = scores[~np.isnan(scores).all(axis=1)]
    shared = scores[~np.isnan(scores)][0]  # as what all scores share costs digits
    frame, names = long_frame(scores - shared, levels)
    reml, place = method == "REML", list(random).index(("topic",))
    same = [
        frame.groupby([names[name] for name in term], observed=True).ngroup().to_numpy()
        for term in random
    ]
    model = smf.ols(formula_of(terms, names), frame)
    x, info = model.exog, model.data.orig_exog.design_info
    start = np.full(len(random) + 1, np.var(model.endog))
    if not 0 < start[0] ** 2 < np.inf:  # as the likelihood has squares of variances
        return {}
    groups, topics = [], frame["topic"].cat.codes.to_numpy()
    patterns, pattern = np.unique(~np.isnan(scores), axis=0, return_inverse=True)
    for i, present in enumerate(patterns):
        alike = np.flatnonzero(pattern.ravel() == i)
        rows = topics == alike[0]
        products = [1.0 * np.equal.outer(each[rows], each[rows]) for each in same]
        y = scores[alike][:, present].T
        groups.append(_by_terms(y, x[rows], products, place, shared))
    whole = best = Maximum.of(start, groups, reml=reml)
    of_means: Any = None
    if whole.variances[place] == 0:
        best, of_means = within_topics(start, groups, place, reml=reml)

    def estimates(rows: Array) -> tuple[Array, Array, Array]:
        variance = np.sum(rows @ best.covariance * rows, axis=1)
        change = np.sum(rows @ best.change * rows, axis=2).T
        df = 2 * variance**2 / np.sum(change @ best.of_variances * change, axis=1)
        for i in np.flatnonzero(rows[:, 0]) if of_means else ():
            variance[i], df[i] = of_means(rows[i])
        there = variance > _ROUNDING * best.variances[-1]
        stderr = np.sqrt(np.where(there, variance, 0.0))
        value = rows @ best.coefficients + shared * rows[:, 0]
        return value, stderr, np.where(there, df, np.nan)

    def ends(value: Array, stderr: Array, df: Array) -> dict[str, Array]:
        margin = stats.t.isf(alpha / 2, df) * stderr
        return {"conf low": value - margin, "conf high": value + margin}

    value, stderr, df = of_one = estimates(np.eye(x.shape[1]))
    t = value / np.where(stderr > 0, stderr, np.nan)
    found: dict[str, Any] = {
        "variance": best.variances,
        "log-likelihood": [whole.value],
        "coefficient": value,
        "stderr of coefficient": stderr,
        "degrees of freedom of t": df,
        "t": t,
        "p value of t": 2 * stats.t.sf(np.abs(t), df),
        "variances: sd": np.sqrt(best.variances),
        "variances: proportion": best.variances / best.variances.sum(),
        **{f"coefficients: {name}": own for name, own in ends(*of_one).items()},
    }
    tests, dfs = [], []
    for term in terms:
        rows = cells(info, frame, term, terms, names)
        columns = info.term_name_slices[":".join(f"C({names[each]}, Sum)" for each in term)]
        dfs.append(columns.stop - columns.start)
        tests.append(f_test(rows, columns, best.covariance, estimates))
        one, two = np.triu_indices(len(rows), 1)
        numbers: dict[str, Any] = {}
        for name, each in (("mean", rows), ("difference", rows[one] - rows[two])):
            of = estimates(each)
            numbers |= {name: of[0], f"stderr of {name}": of[1]}
            numbers[f"degrees of freedom of {name}"] = of[2]
            numbers |= {f"{name}: {end}": own for end, own in ends(*of).items()}
        t, df = of[0] / of[1], of[2]
        ranges = zip(np.abs(t)[:, np.newaxis] * np.sqrt(2), df, strict=True)
        tukey = [distributions.range_upper(q, len(rows), each)[0] for q, each in ranges]
        numbers |= {"t": t, "p value of t": 2 * stats.t.sf(np.abs(t), df), "p by tukey": tukey}
        found |= {f"{':'.join(term)}: {name}": own for name, own in numbers.items()}
    of_f = ("F", "degrees of freedom of F", "p value of F")
    found["table: df"] = dfs
    return found | dict(zip(of_f, np.transpose(tests), strict=True))


def f_test(of_cells: Array, place: slice, covariance: Array, estimates: Any) -> tuple[float, ...]:
    """Return F of a term by Fai and Cornelius (1996), of orthonormal contrasts of its cells."""
    rows = np.zeros((place.stop - place.start, of_cells.shape[1]))
    rows[:, place] = np.linalg.qr(of_cells[:, place])[1]
    axes = np.linalg.eigh(rows @ covariance @ rows.T)[1]
    value, stderr, df = estimates(axes.T @ rows)
    f = float(np.mean((value / stderr) ** 2))
    expected = float(np.sum(df / (df - 2)))
    error = 2 * expected / (expected - len(df))
    if np.ptp(df) <= 1e-8 * df.max():
        error = float(df.mean())
    elif df.min() <= 2:
        error = 2.0
    return f, error, float(stats.f.sf(f, len(df), error))


ANOVA = Counterpart("statsmodels: OLS, anova_lm, t_test", anova)
GOALS = Counterpart("statsmodels: FTestPower; SciPy: stats.t, special.poch", reached)
STUDY = Counterpart("statsmodels: OLS, anova_lm; SciPy: stats.f", study)
VARIANCES = Counterpart("NumPy: mean squares of topics, systems and residuals", variances)
CORRELATIONS = Counterpart("SciPy: kendalltau, pearsonr; statsmodels: rmse", correlations)
MIXED = Counterpart("NumPy: Newton's method, as MixedLM of statsmodels stops early", mixed_model)
