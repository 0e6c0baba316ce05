"""Cautions on tests that reject too often with so few topics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdfscore.comparison.attainable import Limits
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.contract import ChosenTest, Sizes
from cdfscore.significance.contract.level import CHECKED, NOMINAL
from cdfscore.significance.registry import significance_tests


def level_cautions(limits: Limits, matrix: Array, n: IntArray) -> list[str]:
    """Say if simulations of the test rejected too often with as few topics as it has here.

    `matrix` has the scores (topics, systems), and `n` the number of scores in each p value. The
    test that holds its level is named as one to take only if it can reject here.
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
        instead = f"; {test.level.instead} holds it"
        if not can_reject_instead(limits, least):
            instead = f"; more topics are needed, since {test.level.instead}, which holds it, "
            instead += "cannot reject with so few"
    kinds = "with ties or without" if ties else "without ties"
    return [
        f"{test.name} held no level of {100 * NOMINAL:g} % {where} in simulations of scores "
        f"{kinds}: it rejected {'up to ' * ties}{100 * above[at]:.1f} % of true null hypotheses "
        f"with {at}, and here there are {least}{instead}"
    ]


def can_reject_instead(limits: Limits, topics: int) -> bool:
    """Tell whether the test that holds its level can reject with so many topics."""
    instead = significance_tests.load(limits.chosen.test.level.instead)
    other = replace(limits, chosen=instead.chosen({}))
    if instead.draws:
        other = other.with_resamples(other.resamples_needed())
    return other.can_reject(Sizes.of_topics(topics, limits.systems))


def level_notes(chosen: ChosenTest, n: IntArray) -> list[str]:
    """Say if there are fewer topics than were simulated."""
    least = int(n.min()) if len(n) else CHECKED[0]
    if least >= CHECKED[0]:
        return []
    return [
        f"the level of {chosen.test.name} was checked by simulation for {CHECKED[0]} topics or "
        f"more, and here there are {least}"
    ]


def _have_ties(matrix: Array) -> bool:
    """Tell whether two systems have the same score on a topic; missing ones are not equal."""
    ordered = np.sort(matrix, axis=1)
    return bool((ordered[:, 1:] == ordered[:, :-1]).any())
