"""Analysis of variance of systems with components, by each scheme."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import special
from scipy.optimize import brentq

from cdfscore.cautions import warn_of
from cdfscore.comparison.notes import joined
from cdfscore.errors import ModelError
from cdfscore.io.scores.kinds import both_as_pandas
from cdfscore.models.components import factors_of
from cdfscore.models.formula import TOPIC, name_of, parse_formula
from cdfscore.models.given import (
    check_factors,
    finite_values,
    of_fixed_topics,
    one_thread,
    standardized_by,
)
from cdfscore.models.parts import beyond_doubles
from cdfscore.models.result import Anova
from cdfscore.models.sums_of_squares import Design, Sums, SumsType, check_type, sums_of
from cdfscore.numerics.numbers import between_0_and_1
from cdfscore.significance.null.f_distribution import upper_tail
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.standardized import Standardized
from cdfscore.standardization.standardizer import How

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoFrame

# The smallest relative tolerance that brentq accepts.
_RELATIVE = 8.881784197001252e-16
# df1 times F from here on is its noncentrality, but for the denominator.
_LARGE = 1e9

#: The name of the row of residuals.
RESIDUAL = "residual"
# A sum of squares is rounding error if it is this small a part of that of residuals.
_NOTHING = 1e-24


def anova(
    scores: IntoFrame,
    formula: str,
    components: IntoFrame | None = None,
    *,
    schemes: Sequence[How] = ("raw",),
    sums_of_squares: SumsType = "III",
    alpha: float = 0.05,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
) -> Anova:
    """Analyze the variance of scores by topics and components of systems, for each scheme.

    F = (SS / df) / (SS_residual / df_residual) for each term of a linear model. The errors are
    assumed to be independent and normal with one variance; topics and all other factors are fixed.
    The effect sizes of a term are partial, with N scores:

        eta^2 = SS / (SS + SS_residual)
        omega^2 = df (F - 1) / (df (F - 1) + N)

    Their interval is the interval of lambda / (lambda + N), where lambda is the noncentrality of F
    (Steiger, 2004).

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind. Missing scores are omitted under
        ``missing="omit"`` of a `Standardizer`.
    formula
        ``score ~ topic + stemmer * model``: see `parse_formula`. The factors are topic, system,
        and the columns of `components`.
    components
        One row for each system: a column ``system``, and one for each factor, whose levels are
        text.
    schemes
        One or more schemes; "raw" is the scores as they are. A `Standardizer` has policies.
    sums_of_squares
        Type of the sums of squares. "I": of a term given the terms before it in the formula. "II":
        given all terms that do not contain it. "III": given all other terms, so that the test
        compares unweighted means of cells. In a balanced design all types are equal.
    alpha
        1 - alpha is the confidence of all intervals.
    reference, extra_topics
        As for `cdfscore.compare`.

    Raises
    ------
    ModelError
        For a formula or components that do not define a model; for a term whose levels are those of
        other terms; if there are no residuals; and for type III, if no system has some combination
        of levels.
    CdfscoreError
        For input that `compare` refuses.

    Notes
    -----
    Sources: Fisher (1925); Olejnik and Algina (2003), Psychological Methods 8, for omega^2; Ferro
    and Silvello (2016), A general linear mixed models approach to study system component effects,
    for its use. R: ``anova(lm(...))`` and ``car::Anova`` with ``contr.sum``. Topics are absorbed
    (`cdfscore.models.absorbed`): a dense design of 500 systems on 250 topics has 125,000 x 749
    numbers, which `statsmodels.regression.linear_model.OLS` would take. The tests compare both.

    Examples
    --------
    >>> import pandas as pd
    >>> from cdfscore import datasets
    >>> ap = datasets.load_cranfield("ap")[["bm25_k1.2_b0.75", "tfidf", "lsa200", "pl2_c1"]]
    >>> kinds = pd.DataFrame({"system": ap.columns, "kind": ["words", "words", "space", "words"]})
    >>> found = anova(ap, "score ~ topic + kind", kinds)
    >>> found.table[["term", "df", "statistic"]].round(2)
           term   df  statistic
    0     topic  224      44.02
    1      kind    1      83.17
    2  residual  674        NaN
    """
    level = check_settings(sums_of_squares, alpha)
    found = standardized_by(schemes, *both_as_pandas(scores, reference), extra_topics)
    result = anova_of(found, formula, components, sums_of_squares, level)
    warn_of(result.cautions)
    return result


def check_settings(sums_of_squares: str, alpha: float) -> float:
    """Return the level as a float; raise `ModelError` for settings that are not accepted."""
    check_type(sums_of_squares)
    return between_0_and_1("alpha", alpha, ModelError)


@one_thread
def anova_of(
    found: Sequence[Standardized],
    formula: str,
    components: IntoFrame | None,
    sums_of_squares: SumsType,
    level: float,
) -> Anova:
    """Analyze the variance of standardized scores of the same systems, after the checks."""
    import pandas as pd

    systems = found[0].used.systems
    factors = factors_of(components, systems)
    parsed = parse_formula(formula, list(factors))
    check_factors(factors[name] for name in parsed.factors if name != TOPIC)
    cautions = of_fixed_topics(parsed.terms, factors)
    designs, topics, tables, notes = {}, {}, [], list[str]()
    of_scores: dict[str, list[str]] = {}
    for each in found:
        scheme = str(each.factors.fitted.scheme)
        values = finite_values(each, scheme)
        if np.isfinite(values).any(axis=1).sum() == 1:
            cautions.append("all scores are of one topic, so they show nothing about others")
        design = Design.of(values, factors, parsed.terms)
        sums = sums_of(design, sums_of_squares)
        designs[scheme], topics[scheme] = (design, factors), each.used.topics
        tables.append(_table(scheme, sums, design, level))
        notes += beyond_doubles(scheme, tables[-1]["sum_of_squares"].to_numpy())
        of_scores[scheme] = each.notes
        if scheme != "raw" and (TOPIC,) in parsed.terms and each.fitted_to == "these scores":
            notes.append(
                f"{scheme} is fitted to the scores of each topic, so F of topic does not measure "
                "the difficulty of topics"
            )
    if len({design.scores.shape for design, _ in designs.values()}) > 1:
        notes.append("the schemes have different numbers of topics")
    cautions = list(dict.fromkeys(cautions))
    return Anova(
        pd.concat(tables, ignore_index=True),
        parsed,
        sums_of_squares,
        level,
        {s: int(np.isfinite(design.scores).sum()) for s, (design, _) in designs.items()},
        found[0].fitted_to,
        [*cautions, *joined(of_scores), *notes],
        cautions,
        designs,
        topics,
        tuple(found),
    )


def _table(scheme: str, sums: Sums, design: Design, alpha: float) -> pd.DataFrame:
    import pandas as pd

    of_residuals, df_residual = sums.residual
    if of_residuals <= design.parts.rounding:
        raise ModelError(
            f"{scheme}: the residuals are 0, except for rounding errors, so the terms cannot be "
            "tested; expected scores that the terms do not determine"
        )
    squares = np.array([each[0] for each in sums.terms.values()])
    squares[squares <= _NOTHING * of_residuals] = (
        0.0  # as of topic, where a scheme gives all topics one mean
    )
    df = np.array([each[1] for each in sums.terms.values()])
    error = of_residuals / df_residual
    f = squares / df / error
    effect = df * (f - 1)
    p_values = [upper_tail(np.array(x), k, df_residual).item() for x, k in zip(f, df, strict=True)]
    lambdas = np.array(
        [noncentrality_interval(x, k, df_residual, 1 - alpha) for x, k in zip(f, df, strict=True)]
    )
    low, high = (lambdas / (lambdas + sums.n)).T
    none = [np.nan]
    return pd.DataFrame(
        {
            "scheme": scheme,
            "term": [*map(name_of, sums.terms), RESIDUAL],
            "df": [*df, df_residual],
            "sum_of_squares": design.parts.squares(np.array([*squares, of_residuals])),
            "mean_square": design.parts.squares(np.array([*(squares / df), error])),
            "statistic": [*f, *none],
            "p_value": [*p_values, *none],
            "partial_eta_squared": [*(squares / (squares + of_residuals)), *none],
            "partial_omega_squared": [*(effect / (effect + sums.n)), *none],
            "effect_low": [*low, *none],
            "effect_high": [*high, *none],
        }
    )


def noncentrality_interval(
    f: float, df1: float, df2: float, confidence: float
) -> tuple[float, float]:
    """Return the confidence interval of the noncentrality of an observed F.

    The ends solve P(F' <= f) = 1 - a/2 and a/2 for a = 1 - confidence. An end is 0 if there is no
    solution (Steiger, 2004, Psychological Methods 9).

    The ends are those of `scipy.special.ncfdtr`, found by `scipy.optimize.brentq`:
    ``scipy.special.ncfdtrinc`` has errors of 1e-3 in the probability and stops at 10,000.
    ``ncfdtr`` is not defined from a noncentrality of 1e10 on. For such an end, and if df1 f is 1e9
    or more, the numerator is replaced by its noncentrality, because its relative variation is very
    small: the ends are df1 f q / df2, where q are the quantiles of chi squared with df2 degrees of
    freedom. For up to 1e6 scores N, the error of lambda / (lambda + N) is then below 1e-8.

    Examples
    --------
    >>> low, high = noncentrality_interval(10.46, 7, 4235, 0.95)
    >>> print(f"{low:.6f} {high:.6f}")
    38.139122 104.116516
    """
    tail = (1 - confidence) / 2
    return _with_tail(f, df1, df2, 1 - tail), _with_tail(f, df1, df2, tail)


def _with_tail(f: float, df1: float, df2: float, p: float) -> float:
    if df1 * f >= _LARGE:
        return float(df1 * f * (special.chdtri(df2, p) / df2))
    if special.ncfdtr(df1, df2, 0.0, f) <= p:
        return 0.0
    above = 1.0 + df1 * f
    while (tail := special.ncfdtr(df1, df2, above, f)) > p:
        above *= 2
    if math.isnan(tail):  # few degrees of freedom: the end is far above F
        return float(df1 * f * (special.chdtri(df2, p) / df2))

    def miss(noncentrality: float) -> float:
        return float(special.ncfdtr(df1, df2, noncentrality, f)) - p

    found: float = brentq(miss, 0.0, above, xtol=1e-300, rtol=_RELATIVE)
    return found
