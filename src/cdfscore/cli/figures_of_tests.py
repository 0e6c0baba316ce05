"""Figures of tests in ``cdfscore plot``: one test, a grid of tests, or a comparison of schemes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cdfscore.cli.fitted_to import standardized
from cdfscore.errors import PlotError

if TYPE_CHECKING:
    import pandas as pd

    from cdfscore.cli.running import Begin
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.plots.kinds import Kind
    from cdfscore.significance.contract import ChosenTest
    from cdfscore.standardization.factors import ExtraTopics
    from cdfscore.standardization.standardized import Standardized
    from cdfscore.standardization.standardizer import How


@dataclass(frozen=True)
class Asked:
    """The tests that were asked for, with the correction and the level."""

    tests: Sequence[ChosenTest]
    adjust: str | None
    alpha: float


def is_of_tests(kind: Kind) -> bool:
    """Tell whether a figure shows tests and takes their options."""
    from cdfscore.comparison.comparison import Comparison
    from cdfscore.comparison.conclusion_grid import ConclusionGrid
    from cdfscore.comparison.sensitivity import Sensitivity

    return kind.of in (Comparison, ConclusionGrid, Sensitivity)


def tests_of(kind: Kind, given: list[str] | None, schemes: Sequence[str]) -> list[ChosenTest]:
    """Return the tests of a figure, paired_t if none is given.

    Raises `PlotError` for several tests if the figure shows one, and for one scheme if the figure
    compares schemes.
    """
    from cdfscore.comparison.choices import chosen_test
    from cdfscore.comparison.conclusion_grid import ConclusionGrid
    from cdfscore.comparison.sensitivity import Sensitivity

    tests = given or ["paired_t"]
    if len(tests) > 1 and kind.of is not ConclusionGrid:
        raise PlotError(
            f"{' '.join(f'--test {each}' for each in tests)} is not accepted: the figure "
            f"{kind.name} shows one test; expected one, or the figure 'sensitivity'"
        )
    if kind.of is Sensitivity and len(schemes) < 2:
        raise PlotError(
            f"one scheme is given, and the figure {kind.name} compares schemes; expected --scheme "
            "twice or more"
        )
    return [chosen_test(each) for each in tests]


def drawn_tests(
    kind: Kind,
    matrix: pd.DataFrame,
    ways: Sequence[How],
    fitted_on: pd.DataFrame | None,
    extra: ExtraTopics,
    asked: Asked,
    begin: Begin,
) -> tuple[list[tuple[Any, dict[str, Any]]], list[str]]:
    """Return the results to draw, each with keywords for the plotting function, and the notes.

    `begin` begins a progress bar for the fits.
    """
    from cdfscore.comparison.conclusion_grid import ConclusionGrid
    from cdfscore.comparison.sensitivity import Sensitivity, sensitivity

    if kind.of is Sensitivity:
        by_schemes = sensitivity(
            matrix, ways, test=asked.tests[0], adjust=asked.adjust, alpha=asked.alpha,
            reference=fitted_on, extra_topics=extra,
        )  # fmt: skip
        return [(by_schemes, {})], by_schemes.notes
    found = standardized(matrix, ways, fitted_on, extra, begin)
    results = [_compared(found, each, asked) for each in asked.tests]
    if kind.of is ConclusionGrid:
        grid = ConclusionGrid(results)
        return [(grid, {})], grid.notes
    (result,) = results
    return [(result, {"scheme": each}) for each in result.schemes], result.notes


def _compared(found: Sequence[Standardized], test: ChosenTest, asked: Asked) -> Comparison:
    from cdfscore.comparison.choices import adjustment_of, check_of_systems
    from cdfscore.comparison.comparison import compared

    check_of_systems(test)
    # No figure shows an effect size, and effect sizes take longer than the tests.
    return compared(found, test, (), adjustment_of(test, asked.adjust), "", asked.alpha)
