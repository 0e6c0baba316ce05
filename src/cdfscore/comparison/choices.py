"""Checks of the arguments of `compare`: test, correction, effect size, level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cdfscore.comparison.adjustment import check_method
from cdfscore.effect_size.contract import effect_sizes
from cdfscore.errors import SignificanceError
from cdfscore.numerics.numbers import between_0_and_1
from cdfscore.significance.contract import (
    AllSystems,
    ChosenTest,
    OneSample,
    PairsTogether,
    SignificanceTest,
    Simultaneous,
    TwoSamples,
    parse_test,
    significance_tests,
)
from cdfscore.standardization.standardizer import How, name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Test = str | ChosenTest | SignificanceTest[Any]


def chosen_test(test: Test | None) -> ChosenTest:
    """Return a test with its settings; raises `SignificanceError` if `test` is not one."""
    if test is None:
        raise SignificanceError(
            "no test is given; expected test='paired_t' for two systems, test='max_t' for several "
            f"systems, or another test: {_names()}"
        )
    if isinstance(test, str):
        test = parse_test(test)
    elif isinstance(test, SignificanceTest):
        test = test.chosen({})
    if not isinstance(test, ChosenTest):
        raise SignificanceError(
            f"test={test!r} is not accepted; expected a significance test such as paired_t, or its "
            f"spelling such as 'paired_t'; the tests are {_names()}"
        )
    return test


def _names() -> str:
    """Return the names of the tests that `compare` runs."""
    names = significance_tests.names()
    return ", ".join(name for name in names if in_compare(significance_tests.load(name)))


def check_of_pairs(chosen: ChosenTest) -> None:
    """Raise `SignificanceError` unless the test compares pairs of systems."""
    if not isinstance(chosen.test, TwoSamples | PairsTogether):
        raise SignificanceError(
            f"{chosen.test.name} is a test of {chosen.test.samples}; expected one that compares "
            "pairs of systems, such as paired_t or tukey_hsd"
        )


def check_of_collections(chosen: ChosenTest) -> None:
    """Raise `SignificanceError` unless the test is of samples on different topics."""
    tests = map(significance_tests.load, significance_tests.names())
    names = [each.name for each in tests if each.samples == "unpaired"]
    if chosen.test.name not in names:
        raise SignificanceError(
            f"{chosen.test.name} cannot compare systems on different topics; expected an unpaired "
            f"test: {', '.join(names)}"
        )


def in_compare(test: SignificanceTest[Any]) -> bool:
    """Tell whether `compare` runs a test: all but those of the scores of one system."""
    return not isinstance(test, OneSample)


def check_of_systems(chosen: ChosenTest) -> None:
    """Raise `SignificanceError` for a test of the scores of one system."""
    name = chosen.test.name
    if not in_compare(chosen.test):
        raise SignificanceError(
            f"{name} tests the scores of one system against a value; expected a test of two "
            "systems or more, such as paired_t, or a call of "
            f"cdfscore.significance.{name} with the scores of the system"
        )


def check_options_of_pairs(
    chosen: ChosenTest, baselines: Sequence[str], effect: str | None
) -> None:
    """Raise `SignificanceError` for baselines and effect sizes that do not go with the test.

    A test that is not of pairs has none, and one against a baseline needs one.
    """
    test = chosen.test
    if not isinstance(test, TwoSamples | PairsTogether) and (baselines or effect):
        raise SignificanceError(
            f"{test.name} does not compare pairs of systems; expected no baseline and no effect "
            "size, or a test of pairs such as paired_t"
        )
    if needs_baseline(test) and len(baselines) != 1:
        given = f"{' and '.join(baselines)} are given" if baselines else "none is given"
        raise SignificanceError(
            f"{test.name} compares systems with one baseline, and {given}; expected "
            "baselines='NAME' once, with the name of a system"
        )


def needs_baseline(test: SignificanceTest[Any]) -> bool:
    """Tell whether a test is of systems against one baseline."""
    return isinstance(test, PairsTogether) and test.one_baseline


def check_different(schemes: Sequence[How]) -> None:
    """Raise `SignificanceError` for no scheme, and for one that is given twice."""
    if not schemes:
        raise SignificanceError("no scheme is given; expected one or more, such as 'raw'")
    names = [name_of(how) for how in schemes]
    for name in names:
        if names.count(name) > 1:
            raise SignificanceError(
                f"the scheme {name} is given twice; expected each scheme once, even with different "
                "policies"
            )


def conclusive_test(test: Test) -> ChosenTest:
    """Return a test that tells which pairs are significant; raises `SignificanceError`."""
    chosen = chosen_test(test)
    check_of_pairs(chosen)
    if needs_baseline(chosen.test):
        raise SignificanceError(
            f"{chosen.test.name} compares systems with one baseline only; expected a test of all "
            "pairs, such as paired_t or max_t"
        )
    check_symmetric(chosen, "conclusions")
    return chosen


def adjustment_of(chosen: ChosenTest, adjust: str | None) -> str:
    """Return the correction; default: holm, none for one p value or a simultaneous test."""
    simultaneous = isinstance(chosen.test, Simultaneous)
    alone = isinstance(chosen.test, AllSystems)
    if adjust is None:
        return "none" if simultaneous or alone else "holm"
    check_method(adjust)
    if alone and adjust != "none":
        raise SignificanceError(
            f"adjust={adjust!r} corrects several p values, and {chosen.test.name} gives only one; "
            "expected adjust='none', or no correction"
        )
    if simultaneous and adjust != "none":
        raise SignificanceError(
            f"adjust={adjust!r} would correct {chosen.test.name} a second time, because its p "
            "values hold for the whole family; expected adjust='none', or no correction"
        )
    return adjust


def effect_of(chosen: ChosenTest, effect: str | None) -> str:
    """Return the name of an effect size; the default is that of the test."""
    if effect:
        effect_sizes.load(effect)
    return chosen.test.effect if effect is None else effect


def check_alpha(alpha: float) -> float:
    """Return the level as a float; raise `SignificanceError` if it is not between 0 and 1."""
    return between_0_and_1("alpha", alpha, SignificanceError)


def check_symmetric(chosen: ChosenTest, use: str) -> None:
    """Raise `SignificanceError` unless the test is a two-sided test of a difference.

    `use` names the purpose, such as "letters and diagrams".
    """
    shows, settings = chosen.test.shows, chosen.settings
    if shows != "difference":
        raise SignificanceError(
            f"{use} need a test of a difference, and a small p value of {chosen} shows {shows}; "
            "expected a test such as paired_t or max_t"
        )
    if settings.get("alternative", "two-sided") != "two-sided" or settings.get("null_value", 0):
        raise SignificanceError(
            f"{use} need a two-sided test of no difference, and {chosen} is not; expected the "
            "settings alternative=two-sided and null_value=0"
        )


def check_letters(chosen: ChosenTest, baselines: Sequence[str]) -> None:
    """Raise `SignificanceError` if a comparison has no letters and no diagram.

    They need the differences of all pairs, each tested two-sided.
    """
    check_of_pairs(chosen)
    use = "letters and diagrams"
    if baselines:
        raise SignificanceError(
            f"{use} need all pairs, but only pairs with the baselines {', '.join(baselines)} are "
            "compared; expected no baselines"
        )
    check_symmetric(chosen, use)
