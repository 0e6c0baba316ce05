"""Standardization of a block of topics, by the code that standardizes a whole matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from cdfscore.errors import ConstantTopicError, FitError
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.standardization.matrix import ScoreMatrix
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies.unfitted import fit_where_possible
from cdfscore.standardization.standardizer import Standardizer


@dataclass(frozen=True, eq=False)
class Block:
    """Standardized scores of the topics that no policy leaves out, and what the policies did.

    `kept` tells which topics of `given` these are. `used` are their scores before the scheme.
    """

    given: ScoreMatrix
    kept: BoolArray
    y: Array
    denominators: IntArray | None = None
    constant_topics: list[str] = field(default_factory=list)
    #: As `Standardized.constant_around`.
    constant_around: Array = field(default_factory=lambda: np.empty((0, 4)))
    unfitted_topics: Mapping[str, str] = field(default_factory=dict)
    dropped_topics: list[str] = field(default_factory=list)
    #: The largest number of reference scores of a topic.
    n: int = 0
    #: As `Standardized.censored`.
    censored: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def topics(self) -> list[str]:
        """The topics that are kept."""
        return [t for t, kept in zip(self.given.topics, self.kept.tolist(), strict=True) if kept]


def standardized_block(how: Standardizer, given: ScoreMatrix) -> Block:
    """Standardize the topics of a block; topics do not depend on one another.

    Where a policy leaves out all topics of the block, nothing is kept, and there is no error: other
    blocks may have others. Under ``constant="raise"`` constant topics get their limits, and it is
    the caller who raises, with the number in all blocks. So does it for missing scores.
    Raises what `Standardizer.standardize` raises otherwise.
    """
    own = _of_block(how, given)
    if own.missing == "drop_topic":
        absent = np.isnan(given.values).any(axis=1)
        if absent.all():
            return replace(_nothing(given), dropped_topics=list(given.topics))
    try:
        factors = own.fit_matrix(given, described=False, source="scores")
    except ConstantTopicError:  # raw scores that are equal, under drop_topic
        gaps = np.isnan(given.values).any(axis=1) & (own.missing == "drop_topic")
        by_gap = {
            gap: [
                t for t, own_gap in zip(given.topics, gaps.tolist(), strict=True) if own_gap == gap
            ]
            for gap in (False, True)
        }
        return replace(_nothing(given), constant_topics=by_gap[False], dropped_topics=by_gap[True])
    except FitError:
        if own.unfitted == "raise":
            raise
        return _unfitted(own, given)
    remains = factors.unfitted_topics if own.unfitted == "nan" else ()
    if own.constant == "drop_topic" and not remains and factors.fitted.constant.all():
        return replace(
            _nothing(given),
            constant_topics=factors.constant_topics,
            unfitted_topics=factors.unfitted_topics,
            dropped_topics=list(factors.dropped),
        )
    found = factors.standardize_matrix(given, given)
    kept = np.ones(len(given.topics), dtype=np.bool_)
    if len(found.used.topics) < len(given.topics):
        there = set(found.used.topics)
        kept = np.fromiter((topic in there for topic in given.topics), np.bool_, len(kept))
    return Block(
        given,
        kept,
        found.frame.to_numpy(),
        found.denominators,
        found.constant_topics,
        found.constant_around,
        found.unfitted_topics,
        found.dropped_topics,
        0 if factors.n is None else int(factors.n.max()),
        found.censored,
    )


def _nothing(given: ScoreMatrix) -> Block:
    none = np.zeros(len(given.topics), dtype=np.bool_)
    return Block(given, none, np.empty((0, len(given.systems))))


def _of_block(how: Standardizer, given: ScoreMatrix) -> Standardizer:
    """Return the standardizer with the labels of the block alone, on which lower is better."""
    lower = how.lower_is_better
    if lower is not True and lower:
        lower = tuple(direction.reversed_topics(lower, given.topics))
    return Standardizer(
        how.scheme,
        "limit" if how.constant == "raise" else how.constant,
        how.missing,
        how.unfitted,
        lower_is_better=lower,
        reflect_at=how.reflect_at if lower else 0.0,
    )


def _unfitted(how: Standardizer, given: ScoreMatrix) -> Block:
    """Return a block of which no topic can be fitted; raises `FitError` if the error was another.

    Under ``unfitted="nan"`` its topics have no standardized scores.
    """
    used = direction.settled(given, "scores", how.missing, how.lower_is_better, how.reflect_at)
    fitted, _, reasons = fit_where_possible(how.scheme, used.values)
    if len(reasons) < len(used.topics):
        raise FitError(f"{fitted!r} is of some topics only")  # pragma: no cover
    there = set(used.topics) if how.unfitted == "nan" else set()
    kept = np.array([topic in there for topic in given.topics])
    dropped = set(given.topics).difference(used.topics)
    return Block(
        given,
        kept,
        np.full((int(kept.sum()), len(given.systems)), np.nan),
        unfitted_topics={used.topics[row]: reasons[row] for row in sorted(reasons)},
        dropped_topics=[topic for topic in given.topics if topic in dropped],
    )
