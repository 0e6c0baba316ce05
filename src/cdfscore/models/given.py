"""What a linear model is given: scores by each scheme, and factors, after checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import numpy as np

from cdfscore.cautions import each_once
from cdfscore.comparison.choices import check_different
from cdfscore.errors import ModelError, SpecificationError
from cdfscore.io.text import listed
from cdfscore.models.components import SYSTEM
from cdfscore.models.formula import RESPONSE, TOPIC, Factor, Term, check_names, name_of
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import argument
from cdfscore.standardization.factors import ExtraTopics
from cdfscore.standardization.standardized import Standardized
from cdfscore.standardization.standardizer import How, check_extra_of, standardize

if TYPE_CHECKING:
    import pandas as pd

# Squares of scores below it, or above its inverse, are near the ends of the doubles.
_EXTREME = 1e-150
# What stands beside factors in formulas, and in the tables of terms, variances and means.
_TAKEN = (RESPONSE, "residual", "scheme", "mean", "stderr", "df", "conf_low", "conf_high")
_P = ParamSpec("_P")
_R = TypeVar("_R")


def standardized_by(
    schemes: Sequence[How],
    scores: pd.DataFrame,
    reference: pd.DataFrame | None,
    extra_topics: ExtraTopics,
) -> list[Standardized]:
    """Return the scores by each of one or more schemes; raises `ModelError` for none, or a text."""
    if isinstance(schemes, str) or not schemes:
        raise ModelError(
            f"{argument('schemes', schemes)} is not accepted; expected a list such as ['raw']"
        )
    check_different(schemes)
    check_extra_of(schemes, reference, extra_topics)
    with each_once():
        return [standardize(scores, how, reference, extra_topics) for how in schemes]


def check_factors(factors: Iterable[Factor]) -> None:
    """Raise `SpecificationError` for factors that no model has, and `ModelError` for one system.

    These are a factor with one level, a factor for which some system has no level, a factor with
    the name of another column, and a factor with a colon, a backtick or a backslash in its name.
    """
    for factor in factors:
        check_names([factor.name])
        if factor.name in _TAKEN:
            raise SpecificationError(
                f"a factor is named {factor.name!r}, which is also the name of a column or row of "
                "the results; expected another name"
            )
        if factor.lacks:
            raise SpecificationError(f"{factor.lacks}; expected a level, such as 'none'")
        if len(factor.levels) < 2:
            kind = ModelError if factor.name == SYSTEM else SpecificationError
            raise kind(
                f"the factor {factor.name} has the level {factor.levels[0]!r} for all systems; "
                "expected two levels or more, or a formula without it"
            )


def finite_values(found: Standardized, scheme: str) -> Array:
    """Return the scores, topics x systems; raises `ModelError` for infinite ones."""
    values: Array = found.frame.to_numpy()
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ModelError(
            f"{scheme}: topic {found.used.topics[row]!r}, system {found.used.systems[column]!r} "
            f"has the score {values[row, column]}; expected finite scores, for example by another "
            "policy for constant topics"
        )
    return values


def check_squares(values: Array, scheme: str) -> None:
    """Raise `ModelError` for scores whose squares R cannot add."""
    largest = float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
    if not largest or _EXTREME < largest < 1 / _EXTREME:
        return
    side = "small" if largest < 1 else "large"
    raise ModelError(
        f"{scheme}: the largest score is {largest:g}, and its square is too {side} for R, which "
        f"adds squares as they are; expected a largest score from {_EXTREME:g} to {1 / _EXTREME:g}"
    )


def one_thread(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function, in whose calls BLAS has one thread; it costs 2 ms a call.

    Matrices of systems are too small for several threads, which wait for each other, by spinning,
    after each product. The analysis of variance of 500 systems on 250 topics took 1.9 s of
    processor time with two threads, and takes 0.2 s with one.
    """

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return called


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
