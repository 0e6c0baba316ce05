"""Significance tests on a score matrix: results with labels and effect sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cdfscore.comparison.pairs import Family
from cdfscore.costs import check_cost
from cdfscore.effect_size.contract import effect_sizes
from cdfscore.errors import ScoresError
from cdfscore.io.text import counted, listed
from cdfscore.numerics.multiples import tied
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.significance.contract import (
    AllSystems,
    ChosenTest,
    OneSample,
    PairsTogether,
    Ranks,
    Sizes,
    TestResult,
    TwoSamples,
)
from cdfscore.spelling import argument
from cdfscore.standardization.standardized import Standardized

# Number of scores whose effect sizes are computed at a time; bounds the memory.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Differences:
    """The results of a test, what each is about, and the effect sizes.

    `about` is the family, or the systems one by one. `effects` has effect_size, effect_low and
    effect_high, all NaN if no effect size is asked for.
    """

    about: Family | tuple[str, ...]
    result: TestResult
    effects: dict[str, Array]
    #: The scores (topics, systems) as they were compared.
    matrix: Array

    @property
    def labels(self) -> list[str]:
        """What each result is about, as text."""
        return self.about.labels if isinstance(self.about, Family) else list(self.about)


def differences(
    standardized: Standardized, chosen: ChosenTest, family: Family | None, effect: str
) -> Differences:
    """Test each system, each pair of `family`, or all systems at once, depending on the test.

    `family` is that of all pairs if not given. `effect` names the effect size of pairs; "" is
    none. Topics on which no system has a score, as by the policy nan, are left out. Raises
    `SignificanceError` if the test is undefined for the scores, and `ScoresError` for an infinite
    score, and for a missing one on another topic under a test of all systems.
    """
    test, y = chosen.test, standardized.frame
    matrix = matrix_of(standardized, y.to_numpy())
    refuse_infinite(standardized)
    if isinstance(test, PairsTogether | AllSystems):
        _refuse_gaps(test.name, standardized)
    if isinstance(test, TwoSamples | PairsTogether):
        family = Family.of(list(y.columns)) if family is None else family
        sizes = sizes_of_ties(standardized, chosen, effect)
        if sizes is not None:
            sizes = matrix_of(standardized, sizes)
        return differences_of_pairs(matrix, sizes, chosen, family, effect)
    if isinstance(test, OneSample):
        result = test(np.ascontiguousarray(matrix.T), **chosen.given)
        return Differences(tuple(y.columns), result, _none(matrix.shape[1]), matrix)
    assert isinstance(test, AllSystems)
    family = Family.of_all(list(y.columns))
    return Differences(family, test(matrix[np.newaxis], **chosen.given), _none(1), matrix)


def differences_of_pairs(
    matrix: Array, sizes: Array | None, chosen: ChosenTest, family: Family, effect: str
) -> Differences:
    """Test each pair of columns of a matrix (topics, systems), by a test of pairs.

    Scores tie by the sizes of `Standardized.tie_sizes`, if given.
    """
    assert isinstance(chosen.test, TwoSamples | PairsTogether)
    own = matrix if sizes is None else tied(matrix, sizes)
    scores = len(family) * len(own)
    least = chosen.test.least_p(Sizes.of_topics(*own.shape), chosen.settings)
    # Where there are fewer outcomes than B, they are enumerated.
    drawn = min(chosen.settings["B"], 1 / (least or 1)) if "B" in chosen.settings else 0
    check_cost(
        f"{len(family):,} tests by {chosen.test.name} on {counted(len(own), 'topic')}",
        f"expected fewer systems, a baseline{', or a smaller B' * (drawn > 0)}",
        score_of_a_pair=scores,
        score_of_a_resampled_pair=scores * drawn,
    )
    result = chosen.test.over_pairs(own, family.first, family.second, **chosen.given)
    if ties_notes(matrix, own) and chosen.test.ranks == "topics":
        method = np.char.add(np.char.rstrip(result.method), "; ties at rounding errors")
        result = replace(result, method=np.where(result.method == "", "", method))
    return Differences(family, result, _effects(own, family, chosen, effect), own)


def _effects(matrix: Array, family: Family, chosen: ChosenTest, effect: str) -> dict[str, Array]:
    if not effect:
        return _none(len(family))
    systems, size = np.ascontiguousarray(matrix.T), effect_sizes.load(effect)
    step = max(1, _BLOCK // max(1, len(matrix)))
    blocks = [slice(start, start + step) for start in range(0, len(family), step)]
    found = [
        size(systems[family.first[b]], systems[family.second[b]], conf_level=chosen.conf_level)
        for b in blocks
    ]
    return {
        "effect_size": np.concatenate([each.estimate for each in found]),
        "effect_low": np.concatenate([each.conf_low for each in found]),
        "effect_high": np.concatenate([each.conf_high for each in found]),
    }


def refuse_infinite(standardized: Standardized) -> None:
    """Raise `ScoresError` for an infinite standardized score."""
    cell = _first(standardized, np.isinf(standardized.frame.to_numpy()))
    if cell:
        scheme = standardized.factors.fitted.scheme
        raise ScoresError(
            f"{cell}: the score by {scheme} is infinite; expected another policy for constant "
            f"topics, such as {argument('constant', 'nan', 'drop_topic')}"
        )


def matrix_of(standardized: Standardized, values: Array) -> Array:
    """Return the values of the topics on which a system has a standardized score."""
    return np.asarray(values[~np.isnan(standardized.frame.to_numpy()).all(axis=1)])


def sizes_of_ties(standardized: Standardized, chosen: ChosenTest, effect: str) -> Array | None:
    """Return the sizes by which scores tie, None where all are compared as they are.

    They tie if the test, or the effect size, ranks scores of different topics.
    """
    if ranks_of(chosen, effect) != "topics" or standardized.tie_sizes is None:
        return None
    return standardized.tie_sizes[0]


def ties_far_from_zero(standardized: Standardized, chosen: ChosenTest, effect: str) -> list[str]:
    """Return a caution if rounding errors may break ties of ranked differences."""
    if ranks_of(chosen, effect) != "differences" or standardized.tie_sizes is None:
        return []
    sizes, far = standardized.tie_sizes
    y = standardized.frame.to_numpy()
    told = ((tied(y, np.where(far, sizes, 0.0)) != y) & np.isfinite(y) & far).any(axis=1)
    topics = [topic for topic, one in zip(standardized.used.topics, told, strict=True) if one]
    if not topics:
        return []
    return [
        "rounding errors may break ties of differences, which are ranked: on "
        f"{counted(len(topics), 'topic')} ({listed(topics)}) the scores are far from 0 and close "
        "together; subtract a number from all scores of such a topic, and of its reference"
    ]


def ranks_of(chosen: ChosenTest, effect: str) -> Ranks:
    """Return what the test or the effect size ranks: "topics" if one does so, or "differences"."""
    both = [chosen.test.ranks, effect_sizes.load(effect).ranks if effect else ""]
    return "topics" if "topics" in both else "differences" if "differences" in both else ""


def ties_notes(before: Array, after: Array) -> list[str]:
    """Return a note if scores were tied."""
    changed = int((np.isfinite(before) & (before != after)).sum())
    if not changed:
        return []
    counts = "is equal to another but for rounding errors, and counts"
    count = "are equal to others but for rounding errors, and count"
    what = counted(changed, "standardized score")
    return [f"{what} {counts if changed == 1 else count} as tied"]


def _refuse_gaps(test: str, standardized: Standardized) -> None:
    missing = np.isnan(standardized.frame.to_numpy())
    cell = _first(standardized, missing & ~missing.all(axis=1, keepdims=True))
    if cell:
        raise ScoresError(
            f"{cell}: {test} needs every score, and this one is missing; expected a complete "
            f"matrix, for example by {argument('missing', 'drop_topic')}"
        )


def _first(standardized: Standardized, where: BoolArray) -> str:
    """Name the first such cell, "" if there is none."""
    if not where.any():
        return ""
    row, column = map(int, np.argwhere(where)[0])
    system = standardized.frame.columns[column]
    return f"topic {standardized.used.topics[row]!r}, system {system!r}"


def _none(count: int) -> dict[str, Array]:
    return dict.fromkeys(("effect_size", "effect_low", "effect_high"), np.full(count, np.nan))
