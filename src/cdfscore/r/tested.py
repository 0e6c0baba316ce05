"""Verification of a significance test in R: its options, numbers and tolerances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cdfscore.comparison.choices import (
    Test,
    adjustment_of,
    check_alpha,
    check_options_of_pairs,
    chosen_test,
    effect_of,
)
from cdfscore.comparison.differences import Differences
from cdfscore.comparison.pairs import baseline_names
from cdfscore.errors import SignificanceError
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array
from cdfscore.r.analysis import TestAnalysis
from cdfscore.r.distances import Quantity
from cdfscore.r.passed_on import passed_on
from cdfscore.significance.contract.result import QUANTITIES, terms_of_end
from cdfscore.spelling import option


def analysis_of_test(
    test: Test | None,
    baselines: str | Sequence[str] | None,
    adjust: str | None,
    effect: str | None,
    alpha: float | None,
) -> TestAnalysis | None:
    """Return the test with its options, if one is given; raises `SignificanceError`."""
    if test is None:
        if baselines or adjust is not None or effect is not None or alpha is not None:
            others = ", ".join(map(option, ("baselines", "adjust", "effect")))
            raise SignificanceError(
                f"{others} and {option('alpha')} need a test; expected {option('test')} too"
            )
        return None
    level = 0.05 if alpha is None else check_alpha(alpha)
    chosen = chosen_test(test)
    names = baseline_names(baselines or ())
    check_options_of_pairs(chosen, names, effect)
    correction, size = adjustment_of(chosen, adjust), effect_of(chosen, effect)
    return TestAnalysis(chosen, names, correction, size, level)


def quantities_of(
    found: Differences, tested: TestAnalysis, p_adjusted: Array, error: float
) -> tuple[list[Quantity], list[Array], list[Array]]:
    """Return the numbers of a test of the pairs that R tests, their terms, and their bounds.

    The terms are sizes for `Tolerance.distance`. The bounds are those of `passed_on`, for scores
    that differ by at most `error`.
    """
    numbers = {name: np.atleast_1d(getattr(found.result, name)) for name in QUANTITIES}
    # Python may have other numbers, but R has none if it stops.
    without = np.isnan(numbers["p_value"])
    numbers = {name: np.where(without, np.nan, values) for name, values in numbers.items()}
    numbers["p_adjusted"] = p_adjusted
    for name, values in found.effects.items():
        numbers[name] = np.where(without, np.nan, values)
    quantities = [
        Quantity(name.replace("_", " "), [""], found.labels, values[np.newaxis])
        for name, values in numbers.items()
    ]
    terms = [np.atleast_1d(found.result.terms(name))[np.newaxis] for name in QUANTITIES]
    # A test says how large the terms of its statistic are; what they allow is capped too.
    place = QUANTITIES.index("statistic")
    most = np.fmax(np.abs(numbers["statistic"]), 1.0)
    ulp = max(tested.tolerances["statistic"].ulp, 1.0)
    with np.errstate(over="ignore"):  # no cap at all
        terms[place] = np.fmin(terms[place], most * Tolerance.MOST / ulp)
    # An error of p below its floor is multiplied as p is, by Bonferroni's correction with m.
    p = numbers["p_value"]
    factor = np.divide(p_adjusted, p, out=np.full_like(p, len(p)), where=p > 0)
    of_adjusted = (tested.tolerances["p_value"].floor * factor)[np.newaxis]
    nothing = np.zeros_like(of_adjusted)
    size = found.effects["effect_size"]
    of_effects = [
        terms_of_end(found.effects[end], size)[np.newaxis] for end in ("effect_low", "effect_high")
    ]
    terms += [of_adjusted, nothing, *of_effects]
    bounded = passed_on(tested.chosen, found.result, found.effects, error)
    bounded["p_adjusted"] = bounded["p_value"] * factor
    bounds = [bounded[name][np.newaxis] for name in numbers]
    if tested.sample is None:
        return quantities, terms, bounds
    places = tested.sample.places
    labels = [found.labels[place] for place in places]
    sampled = [replace(each, systems=labels, values=each.values[:, places]) for each in quantities]
    return sampled, [size[:, places] for size in terms], [each[:, places] for each in bounds]
