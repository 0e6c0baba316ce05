"""docs/levels.md, from the record of the type I error rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore.comparison.pairs import adjustment_of
from cdfscore.stats.significance.contract import (
    CHECKED,
    MOST,
    NOMINAL,
    AllSystems,
    PairsTogether,
    SignificanceTest,
    significance_tests,
)
from validation import pages
from validation.significance.levels import (
    ALPHAS,
    FAMILIES,
    FEWER,
    FEWER_RESAMPLES,
    RESAMPLES,
    SYSTEMS,
    TOGETHER,
    TRIALS,
    Cell,
)

PAGE = Path(__file__).parents[2] / "docs" / "levels.md"
#: Paired tests of a mean difference, of a pair by itself.
PAIRED_MEANS = (
    "bootstrap_shift",
    "bootstrap_studentized",
    "equivalence_t",
    "paired_t",
    "permutation",
)
#: Standard errors by which a rate has to pass the most that is held.
ERRORS = 3


def is_held(cell: Cell, alpha: float = NOMINAL) -> bool:
    """Tell whether a rate is at most `MOST` of the level, but for its Monte Carlo error.

    `MOST` is for a level of `NOMINAL`, and in proportion for another.
    """
    return cell.rate(alpha) - ERRORS * cell.error(alpha) <= most(alpha)


def most(alpha: float) -> float:
    """Return the rate that counts as held at a level."""
    return alpha * MOST / NOMINAL


def simulated_as(test: SignificanceTest[Any]) -> str:
    """Say what a simulated data set is, and of what one rejection counts."""
    if isinstance(test, AllSystems):
        return f"{SYSTEMS} systems"
    if not isinstance(test, PairsTogether):
        return {"one sample": "one sample", "paired": "one pair"}.get(test.samples, "two samples")
    if test.one_baseline:
        return f"{SYSTEMS - 1} with a baseline"
    pairs = f"all {SYSTEMS * (SYSTEMS - 1) // 2} pairs of {SYSTEMS}"
    correction = adjustment_of(test.chosen_example(), None)
    return pairs if correction == "none" else f"{pairs}, {correction.capitalize()}"


def text(cells: Sequence[Cell]) -> str:
    """Return the page of recorded cells."""
    found = {(cell.test, cell.kind, cell.n): cell for cell in cells}
    tests = [name for name in significance_tests.names() if (name, "untied", CHECKED[0]) in found]
    return pages.rendered(
        "significance/levels.md.jinja",
        page_claims(found, tests),
        found=found,
        tests=tests,
        simulated={name: simulated_as(significance_tests.load(name)) for name in tests},
        is_held=is_held,
        most_at=most,
        alphas=ALPHAS,
        checked=CHECKED,
        nominal=NOMINAL,
        errors=ERRORS,
        trials=TRIALS,
        families=FAMILIES,
        fewer=FEWER,
        resamples=RESAMPLES,
        fewer_resamples=FEWER_RESAMPLES,
        together=TOGETHER,
        systems=SYSTEMS,
        error=error_of(TRIALS),
        error_of_families=error_of(FAMILIES),
        error_of=error_of,
    )


def error_of(trials: int) -> float:
    """Return the Monte Carlo standard error of a rate of `NOMINAL`."""
    return float(np.sqrt(NOMINAL * (1 - NOMINAL) / trials))


def page_claims(
    found: Mapping[tuple[str, str, int], Cell], tests: Sequence[str]
) -> dict[str, bool]:
    """Return what the page says in words, and whether it is so."""
    above = {key[:2] for key, cell in found.items() if not is_held(cell)}
    paired_skewed = [found["paired_t", "skewed", n].rate() for n in CHECKED]
    return {
        "Only `bootstrap_shift` rejects too often on normal scores and on scores with ties": {
            test for test, kind in above if kind != "skewed"
        }
        == {"bootstrap_shift"},
        "With 8 or 10 topics, no paired test of the mean keeps its level for skewed": all(
            (test, "skewed", n) in found and not is_held(found[test, "skewed", n])
            for test in PAIRED_MEANS
            for n in (8, 10)
        ),
        "`paired_t` rejects more, the fewer topics there are": sorted(paired_skewed, reverse=True)
        == paired_skewed
        and paired_skewed[-1] > MOST,
        "two tests reject too often: `bootstrap_shift`, and `spearman` for 5 pairs with ties": {
            (test, n)
            for (test, kind, n), cell in found.items()
            if kind != "skewed" and test != "bootstrap_shift" and not is_held(cell, 0.01)
        }
        == {("spearman", 5)},
        "`variance_ratio` is for normal scores only": ("variance_ratio", "skewed") in above,
    }
