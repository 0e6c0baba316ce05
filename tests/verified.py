"""Results by the arguments of an analysis, and their verification: what most tests of R do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from cdfscore import compare, diagnose
from cdfscore import correlate as correlation
from cdfscore import verify as verify_result
from cdfscore.comparison.comparison import Tested
from cdfscore.comparison.pairs import (
    adjustment_of,
    baseline_names,
    check_options_of_pairs,
    chosen_test,
    effect_of,
)
from cdfscore.models import anova, mixed_model, plan
from cdfscore.r.verify import Via
from cdfscore.standardization.standardized import Factors
from cdfscore.standardization.standardizer import How, check_extra_of, standardize, standardizer_of
from cdfscore.stats.significance.contract import OneSample


def verify(
    scores: Any,
    scheme: How,
    *,
    reference: Any = None,
    published: str | Path | None = None,
    via: Via = "rpy2",
    **options: Any,
) -> pd.DataFrame:
    """Verify the result of an analysis of scores."""
    result = result_of(scores, scheme, reference=reference, **options)
    by_factors = reference if isinstance(scheme, Factors) else None
    return verify_result(result, reference=by_factors, published=published, via=via)


def result_of(
    scores: Any,
    scheme: How,
    *,
    reference: Any = None,
    extra_topics: Any = "refuse",
    test: Any = None,
    formula: str | None = None,
    random: Sequence[str] | None = None,
    goal: Any = None,
    correlate: Any = None,
    diagnose: bool = False,
    **options: Any,
) -> object:
    """Return the result of one analysis: a test, a model, a plan, or the scores alone."""
    fitted_on = None if isinstance(scheme, Factors) else reference
    how = {"reference": fitted_on, "extra_topics": extra_topics}
    if test is not None and isinstance(chosen_test(test).test, OneSample):
        return of_each_system(standardize(scores, scheme, fitted_on), test, **options)
    if test is not None:
        return compare(scores, test, scheme=scheme, **how, **options)
    if random is not None and formula is not None:
        return mixed_model(scores, formula, random=random, schemes=[scheme], **how, **options)
    if formula is not None:
        return anova(scores, formula, schemes=[scheme], **how, **options)
    if goal is not None:
        return plan(scores, goal, scheme=scheme, **how)
    if correlate is not None:
        return correlation(scores, correlate, scheme=scheme)
    if diagnose:
        return diagnosis_of(scores, scheme)
    check_extra_of((scheme,), reference, extra_topics)
    if isinstance(scheme, Factors):
        return scheme.standardize(scores, extra_topics=extra_topics)
    return standardizer_of(scheme).standardize(scores, reference, extra_topics=extra_topics)


def diagnosis_of(scores: Any, scheme: How) -> object:
    """Return the diagnosis by one scheme with its policies."""
    how = standardizer_of(scheme)
    lower = {"lower_is_better": how.lower_is_better, "reflect_at": how.reflect_at}
    return diagnose(scores, [how.scheme], bootstrap=0, missing=how.missing, **lower)


def of_each_system(
    found: Any,
    test: Any,
    *,
    baselines: str | Sequence[str] = (),
    adjust: str | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
) -> Tested:
    """Return a test of the scores of each system, or any other one, as the command runs it."""
    chosen, names = chosen_test(test), baseline_names(baselines)
    check_options_of_pairs(chosen, names, effect)
    size = effect_of(chosen, effect)
    return Tested.of(found, chosen, names, adjustment_of(chosen, adjust), size, alpha)
