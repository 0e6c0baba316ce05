"""Cautions on the assumptions of a linear model: independence, and equal effects on all topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from cdfscore.io.text import listed
from cdfscore.models.components import SYSTEM
from cdfscore.models.crossed import Factor
from cdfscore.models.formula import TOPIC, Term, name_of
from cdfscore.numerics.types import IntArray


def of_fixed_topics(terms: Sequence[Term], factors: Mapping[str, Factor]) -> list[str]:
    """Return the cautions on an analysis of variance, in which topics are fixed."""
    found = _of_systems(terms, factors)
    if TOPIC not in _names(terms):
        found.append(
            "topic is not in the formula, so the scores on a topic are treated as independent, "
            "although they share its difficulty"
        )
    return found


def of_random_topics(
    terms: Sequence[Term], random: Sequence[Term], factors: Mapping[str, Factor]
) -> list[str]:
    """Return the cautions on a mixed model: on systems, and on interactions that are left out."""
    with_topic = [set(term) - {TOPIC} for term in random]
    slots = len(factors[SYSTEM].codes)
    same = [
        name_of(term)
        for term in terms
        if set(term) not in with_topic and len(np.unique(_cells(term, factors))) < slots
    ]
    found = _of_systems(terms, factors)
    if same:
        effects = "effect" if len(same) == 1 else "effects"
        verb = "is" if len(same) == 1 else "are"
        found.append(
            f"the {effects} of {listed(same)} {verb} assumed to be the same on all topics, because "
            f"topic:{same[0]} is not a random term"
        )
    systems = factors[SYSTEM].codes
    groups = [_cells(sorted(own), factors) for own in with_topic if own]
    if len(np.unique(systems)) < slots and not any(_alike(own, systems) for own in groups):
        found.append(
            "several scores of a system on a topic are treated as independent, because "
            "topic:system is not a random term"
        )
    return found


def _of_systems(terms: Sequence[Term], factors: Mapping[str, Factor]) -> list[str]:
    """Return a caution where systems have the same levels of all factors of the terms."""
    names = [name for name in _names(terms) if name != TOPIC]
    if not names:
        return []
    systems = factors[SYSTEM]
    both = np.unique(np.stack([_cells(names, factors), systems.codes]), axis=1)
    cells, first, count = np.unique(both[0], return_index=True, return_counts=True)
    if len(cells) == both.shape[1]:
        return []
    place = first[int(np.argmax(count > 1))]
    one, other = (systems.levels[code] for code in both[1, place : place + 2])
    return [
        f"systems such as {one!r} and {other!r} have the same {listed(names)}: their differences "
        "on all topics are in the residuals, so tests are about these systems, not about other "
        "systems with these levels"
    ]


def _names(terms: Iterable[Term]) -> list[str]:
    return list(dict.fromkeys(name for term in terms for name in term))


def _cells(names: Sequence[str], factors: Mapping[str, Factor]) -> IntArray:
    """Return the number of the combination of levels of each slot."""
    levels = np.stack([factors[name].codes for name in names])
    _, codes = np.unique(levels, axis=1, return_inverse=True)
    return np.asarray(codes.ravel())


def _alike(one: IntArray, other: IntArray) -> bool:
    """Tell whether two factors have the same groups."""
    both = len(np.unique(np.stack([one, other]), axis=1).T)
    return both == len(np.unique(one)) == len(np.unique(other))
