"""Cautions on tests that reject too many true null hypotheses with few topics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdfscore.comparison.attainable import Limits
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.contract import ChosenTest, Sizes
from cdfscore.significance.contract.level import CHECKED, NOMINAL
from cdfscore.significance.registry import significance_tests


def level_cautions(limits: Limits, matrix: Array, n: IntArray) -> list[str]:
    """Return a caution if the test rejected too often in simulations with so few topics.

    `matrix` has the scores (topics, systems), and `n` the number of scores in each p value. The
    caution recommends a test that keeps its level only if that test can reject here.
    """
    test = limits.chosen.test
    ties = _have_ties(matrix)
    above, held_from = test.level.above(ties=ties), test.level.held_from(ties=ties)
    if not above or not len(n):
        return []
    least = int(n.min())
    if held_from is not None and least >= held_from:
        return []
    at = max((size for size in above if size <= least), default=min(above))
    where = "at any number of topics" if held_from is None else f"below {held_from} topics"
    instead = ""
    if test.level.instead:
        instead = f"; {test.level.instead} keeps the level"
        if not can_reject_instead(limits, least):
            instead = f"; more topics are needed, because {test.level.instead}, which keeps the "
            instead += "level, cannot reject with so few"
    kinds = "with or without ties" if ties else "without ties"
    return [
        f"{test.name} rejects too many true null hypotheses {where}: "
        f"{'up to ' * ties}{100 * above[at]:.1f} % at the level {100 * NOMINAL:g} % with {at} "
        f"topics, in simulations of scores {kinds}; here there are {least} topics{instead}"
    ]


def can_reject_instead(limits: Limits, topics: int) -> bool:
    """Tell whether the test that keeps its level can reject with so many topics."""
    instead = significance_tests.load(limits.chosen.test.level.instead)
    other = replace(limits, chosen=instead.chosen({}))
    if instead.draws:
        other = other.with_resamples(other.resamples_needed())
    return other.can_reject(Sizes.of_topics(topics, limits.systems))


def level_notes(chosen: ChosenTest, n: IntArray) -> list[str]:
    """Return a note if there are fewer topics than in the simulations."""
    least = int(n.min()) if len(n) else CHECKED[0]
    if least >= CHECKED[0]:
        return []
    return [
        f"the type I error of {chosen.test.name} was simulated for {CHECKED[0]} topics or more, "
        f"and here there are {least}"
    ]


def _have_ties(matrix: Array) -> bool:
    """Tell whether two systems have the same score on a topic; missing ones are not equal."""
    ordered = np.sort(matrix, axis=1)
    return bool((ordered[:, 1:] == ordered[:, :-1]).any())
