"""Mixed models of systems with components, on random topics, by each scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.comparison.notes import joined
from cdfscore.errors import ModelError, SpecificationError
from cdfscore.io.scores.kinds import both_as_pandas
from cdfscore.models.components import factors_of
from cdfscore.models.formula import TOPIC, Factor, Term, name_of, parse_formula
from cdfscore.models.given import (
    check_factors,
    finite_values,
    of_random_topics,
    one_thread,
    standardized_by,
)
from cdfscore.models.mixed.fit import RESIDUAL, Fit, parse_random
from cdfscore.models.mixed.likelihood import Method, check_method
from cdfscore.models.mixed.replicates import Replicates
from cdfscore.models.mixed.result import MixedModel
from cdfscore.models.parts import beyond_doubles
from cdfscore.numerics.numbers import between_0_and_1
from cdfscore.numerics.student_t import interval, p_value
from cdfscore.numerics.types import Array
from cdfscore.significance.null.f_distribution import upper_tail
from cdfscore.spelling import argument
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.standardizer import How

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame


@one_thread
def mixed_model(
    scores: IntoFrame | Replicates,
    formula: str,
    components: IntoFrame | None = None,
    *,
    random: Sequence[str] = (TOPIC,),
    method: Method = "REML",
    schemes: Sequence[How] = ("raw",),
    alpha: float = 0.05,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
) -> MixedModel:
    """Fit a linear model with random topics to scores, for each scheme.

    A score on topic t is y = X b + sum_k Z_k u_tk + e. Here b are fixed effects of components of
    systems, u_tk random effects of the topic with variance v_k, and e residuals with variance v_0;
    all random effects and residuals are independent and normal. Results are about a population of
    topics, and these topics are a sample of it. Results of `anova` are about these topics only.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind, or several scores of each system on a topic,
        from `as_replicates` or `read_replicates`. Missing scores are omitted under
        ``missing="omit"`` of a `Standardizer`.
    formula
        Fixed effects, ``score ~ stemmer * model``: see `parse_formula`. The factors are system, the
        columns of `components`, and those of replicates.
    components
        As of `anova`.
    random
        Random terms: ``topic``, and terms such as ``topic:stemmer`` for effects that differ from
        topic to topic. ``topic:system`` needs replicates, because with one score of a system on a
        topic it is the residual. The test of a term is about a population of topics if its
        interaction with topic is a random term or is the residual. Otherwise its effect is assumed
        to be the same on all topics.
    method
        "REML", restricted maximum likelihood, or "ML", maximum likelihood, whose variances are too
        small because it does not account for the number of fixed effects. Only log-likelihoods by
        "ML" can be compared between two formulas.
    schemes
        As of `anova`. Replicates of a topic are standardized by one distribution, fitted to all of
        them.
    alpha
        1 - alpha is the confidence of all intervals.
    reference, extra_topics
        As for `cdfscore.compare`.

    Raises
    ------
    ModelError
        For a formula, components or random terms that do not define a model; for a random term
        whose variance cannot be separated from that of another term or of the residuals; for fixed
        effects that follow from others; for scores without residuals, such as constant scores; and
        if the likelihood does not converge.
    CdfscoreError
        For input that `compare` refuses.

    Notes
    -----
    The tests of terms and coefficients are the F and t tests of Wald of type III, with degrees of
    freedom by Satterthwaite's method (Giesbrecht and Burns, 1985; Fai and Cornelius, 1996), as in
    ``summary`` and ``anova`` of R's lmerTest; lme4 has the same t without a p value. In an
    unbalanced design, ``anova`` of lmerTest has other degrees of freedom for a term with several
    degrees of freedom. They differ by some percent and depend on the coding of the factors
    (``contr.treatment``); those here do not, because they use orthonormal contrasts. The intervals
    of variances are profile likelihood intervals; ``confint`` of lme4 has them for "ML". If a
    variance is estimated as 0, a note states it, and the tests treat it as known.

    The variance of topic is estimated as 0 for most standardized scores, because the means of
    topics vary less than by chance. With random topics the other variances would then be too small
    (by a half, for two systems), and the tests would reject too often. Therefore the tests, the
    coefficients and the other variances are computed from the likelihood of differences within
    topics, as with fixed topics. The log-likelihood is that of random topics with variance 0. The
    intercept and marginal means are means over topics: if no score is missing, their intervals are
    those of the t test of one number for each topic. With missing scores they use the influence of
    each topic on the mean (`cdfscore.models.mixed.fit.OverTopics`). If a scheme gives all
    topics the same mean, and levels have even numbers of systems, the standard error of the
    intercept is 0, and there is no test.

    Sources: Patterson and Thompson (1971), Biometrika 58, for REML; Searle, Casella and McCulloch
    (1992), Variance Components; Ferro and Silvello (2016), A general linear mixed models approach
    to study system component effects, for its use. R: ``lme4::lmer`` and ``nlme::lme``. The
    likelihood is that of ``statsmodels.regression.mixed_linear_model.MixedLM``; the tests compare
    the two. It is maximized here by Newton's method with exact derivatives, because ``MixedLM.fit``
    stops early (with an error of 1e-3 in the variance of topics on the bundled grid) and does not
    reach a variance of 0; see docs/decisions/0025-mixed-models.md.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> ap, parts = datasets.load_cranfield_grid("ap"), datasets.load_cranfield_components()
    >>> found = mixed_model(ap, "score ~ stemmer", parts, random=["topic", "topic:stemmer"])
    >>> found.table[["term", "df", "df_error", "statistic"]].round(2)
          term  df  df_error  statistic
    0  stemmer   2     448.0       9.72
    >>> found.variances[["component", "variance", "proportion"]].round(4)
           component  variance  proportion
    0          topic    0.0587      0.8012
    1  topic:stemmer    0.0025      0.0342
    2       residual    0.0121      0.1646
    """
    import pandas as pd

    check_method(method)
    level = between_0_and_1("alpha", alpha, ModelError)
    replicates = scores if isinstance(scores, Replicates) else None
    frames = both_as_pandas(scores.scores if isinstance(scores, Replicates) else scores, reference)
    found = standardized_by(schemes, *frames, extra_topics)
    factors = _factors(components, found[0].used.systems, replicates)
    parsed = parse_formula(formula, list(factors))
    if TOPIC in parsed.factors:
        raise SpecificationError(
            f"the formula {formula!r} has topic, which is random here; expected fixed effects of "
            f"{', '.join(factors)}, and topic in {argument('random', ['topic'])}"
        )
    terms = parse_random(random, factors)
    check_factors(factors[name] for name in [*parsed.factors, *_names(terms)])
    fits: dict[str, Fit] = {}
    tests, variances, coefficients = [], [], []
    cautions = of_random_topics(parsed.terms, terms, factors)
    notes, of_scores = list[str](), dict[str, list[str]]()
    for each in found:
        scheme = str(each.factors.fitted.scheme)
        values = finite_values(each, scheme)
        try:
            fit = Fit.of(values, factors, parsed.terms, terms, method)
            intervals = fit.intervals(level)
        except ModelError as error:
            raise ModelError(f"{scheme}: {error}") from error
        fits[scheme] = fit
        tests.append(pd.DataFrame(_tests(scheme, fit)))
        variances.append(pd.DataFrame(_variances(scheme, fit, terms, intervals)))
        notes += beyond_doubles(scheme, variances[-1]["variance"].to_numpy())
        coefficients.append(pd.DataFrame(_coefficients(scheme, fit, level)))
        of_scores[scheme] = each.notes
        if scheme != "raw" and each.fitted_to == "these scores":
            notes.append(
                f"{scheme} is fitted to the scores of each topic, so the variance of topic does "
                "not measure the difficulty of topics"
            )
        if scheme != "raw" and replicates is not None:
            notes.append(
                f"{scheme} standardizes all replicates of a topic by one distribution, and counts "
                "each replicate as a reference system"
            )
        if fit.within is not None:
            notes.append(
                f"{scheme}: the variance of topic is estimated as 0, so effects of topic are "
                "omitted: tests and all other variances are for differences within topics"
            )
        at_0 = [
            f"{scheme}: the variance of {name_of(term)} is estimated as 0, its smallest possible "
            "value; tests are those of the model without it"
            for term, variance in zip(terms, fit.variances[:-1], strict=True)
            if variance == 0 and term != (TOPIC,)
        ]
        cautions += at_0
    if len({fit.topics for fit in fits.values()}) > 1:
        notes.append("the schemes have different numbers of topics")
    warn_of(cautions)
    return MixedModel(
        pd.concat(tests, ignore_index=True),
        pd.concat(variances, ignore_index=True),
        pd.concat(coefficients, ignore_index=True),
        parsed,
        terms,
        method,
        level,
        {scheme: fit.topics for scheme, fit in fits.items()},
        {scheme: fit.scores for scheme, fit in fits.items()},
        {scheme: fit.log_likelihood for scheme, fit in fits.items()},
        found[0].fitted_to,
        [*cautions, *joined(of_scores), *notes],
        cautions,
        fits,
        tuple(found),
    )


def _factors(
    components: IntoFrame | None, slots: Sequence[str], replicates: Replicates | None
) -> dict[str, Factor]:
    """Return the factors of slots: those of their systems, and of their replicates."""
    if replicates is None:
        return factors_of(components, slots)
    places = {label: place for place, label in enumerate(replicates.scores.columns)}
    order = np.array([places[label] for label in slots])
    systems = [replicates.systems[place] for place in order]
    unique = {system: place for place, system in enumerate(dict.fromkeys(systems))}
    of_slots = np.array([unique[system] for system in systems])
    factors = {
        name: replace(factor, codes=factor.codes[of_slots])
        for name, factor in factors_of(components, list(unique)).items()
    }
    for name, factor in replicates.factors.items():
        if name in factors:
            raise ModelError(
                f"components has a column {name!r}, which is the name of the replicates; expected "
                "another name"
            )
        factors[name] = Factor(name, factor.levels, factor.codes[order])
    return factors


def _names(terms: Sequence[Term]) -> list[str]:
    """Return the factors of random terms, but for topic."""
    return list(dict.fromkeys(name for term in terms for name in term if name != TOPIC))


def _tests(scheme: str, fit: Fit) -> dict[str, Any]:
    """Return the F test of each fixed term."""
    tests = [fit.fixed.f_test(fit.tested(term)) for term in fit.places]
    df = [place.stop - place.start for place in fit.places.values()]
    return {
        "scheme": scheme,
        "term": [name_of(term) for term in fit.places],
        "df": df,
        "df_error": [error for _, error in tests],
        "statistic": [f for f, _ in tests],
        "p_value": [
            upper_tail(np.array(f), k, error).item()
            for (f, error), k in zip(tests, df, strict=True)
        ],
    }


def _variances(scheme: str, fit: Fit, terms: Sequence[Term], intervals: Array) -> dict[str, Any]:
    """Return the variances of random terms and residuals, with their intervals (k + 1, 2)."""
    return {
        "scheme": scheme,
        "component": [*map(name_of, terms), RESIDUAL],
        "variance": fit.variances,
        "sd": fit.sds,
        "proportion": fit.proportions,
        "conf_low": intervals[:, 0],
        "conf_high": intervals[:, 1],
    }


def _coefficients(scheme: str, fit: Fit, alpha: float) -> dict[str, Any]:
    """Return the coefficients of fixed terms, each with its t test and interval."""
    names = {term: fit.contrasts(term) for term in fit.places}
    estimate, stderr, df, t = fit.fixed.estimates(np.eye(len(fit.fixed.coefficients)))
    low, high = interval(estimate, stderr, df, "two-sided", 1 - alpha)
    return {
        "scheme": scheme,
        "term": ["(Intercept)", *(name_of(term) for term, own in names.items() for _ in own)],
        "contrast": ["", *(each for own in names.values() for each in own)],
        "estimate": estimate,
        "stderr": stderr,
        "df": df,
        "statistic": t,
        "p_value": p_value(t, df, "two-sided"),
        "conf_low": low,
        "conf_high": high,
    }
