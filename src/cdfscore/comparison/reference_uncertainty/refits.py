"""Scores that are standardized anew by resampled reference systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdfscore.errors import ScoresError, SignificanceError
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import option
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies.unfitted import fit_all, fit_where_possible
from cdfscore.standardization.standardized import Standardized

#: The fewest reference systems that are resampled.
FEWEST_SYSTEMS = 3
# Scores, and reference scores, of the resamples that are standardized at a time.
_BLOCK = 1 << 18
_FINITE = "a policy for constant topics that is finite, or more reference systems"


class Refitted(NamedTuple):
    """Scores by the factors of some resamples, and what their policies met."""

    y: Array  # (resamples, topics, systems)
    constant: IntArray  # (resamples,): topics on which the resampled scores are all equal
    unfitted: IntArray  # (resamples,): topics that the scheme cannot be fitted to


@dataclass(frozen=True, eq=False)
class Refits:
    """Scores (topics, m) and reference scores (topics, n), after the policies, and the scheme.

    The scores stay as they are: a resample is of the reference systems alone, on all topics at
    once, also where the scores are of the same systems.
    """

    factors: Factors
    scores: Array
    reference: Array
    topics: tuple[str, ...]

    @classmethod
    def of(cls, found: Standardized) -> Refits:
        """Match the topics of scores and reference; those without factors are left out.

        Raises `SignificanceError` for factors without the scores that they were fitted to, and
        for fewer than three reference systems.
        """
        factors = found.factors
        if found.reference is None:
            raise SignificanceError(
                f"{factors!r} do not have the scores of the reference systems, which are "
                f"resampled; expected a scheme, and these scores by {option('reference')}"
            )
        fitted_to = direction.settled(
            found.reference,
            "reference scores",
            factors.missing,
            factors.lower_is_better,
            factors.reflect_at,
        )
        systems = len(fitted_to.systems)
        if factors.fitted.parameters and systems < FEWEST_SYSTEMS:
            have = "is" if systems == 1 else "are"
            raise SignificanceError(
                f"there {have} {counted(systems, 'reference system')} to resample; expected "
                f"{FEWEST_SYSTEMS} or more, in the scores or by {option('reference')}"
            )
        known = set(factors.topics)
        rows = [row for row, topic in enumerate(found.used.topics) if topic in known]
        topics = tuple(found.used.topics[row] for row in rows)
        places = {topic: row for row, topic in enumerate(fitted_to.topics)}
        own = [places[topic] for topic in topics]
        return cls(factors, found.used.values[rows], fitted_to.values[own], topics)

    @property
    def systems(self) -> int:
        """The number of reference systems."""
        return int(self.reference.shape[1])

    def batches(self, counts: Array) -> Iterator[Refitted]:
        """Standardize by resamples (resamples, n), the count of each reference system in each."""
        n = self.systems
        step = max(1, _BLOCK // max(self.scores.size, self.reference.size))
        for start in range(0, len(counts), step):
            own = counts[start : start + step].astype(np.intp)
            drawn = np.repeat(np.tile(np.arange(n), len(own)), own.ravel())
            yield self._refitted(drawn.reshape(len(own), n))

    def _refitted(self, drawn: IntArray) -> Refitted:
        scheme = self.factors.fitted.scheme
        shape = (len(drawn), *self.scores.shape)
        # A row for each resample and topic: schemes and policies take batches of rows.
        rows = self.reference[:, drawn].swapaxes(0, 1).reshape(-1, drawn.shape[1])
        x = np.broadcast_to(self.scores, shape).reshape(-1, shape[2])
        if self.factors.unfitted == "raise":
            fitted, kept = fit_all(scheme, rows, self._place), np.arange(len(rows))
        else:
            fitted, kept, _ = fit_where_possible(scheme, rows)
        constant = np.zeros(len(rows), dtype=np.bool_)
        constant[kept] = fitted.constant
        if self.factors.constant == "raise" and constant.any():
            raise constant_topics.refused(
                f"{self._place(int(constant.argmax()))}: the resampled scores are all equal"
            )
        own, _ = constant_topics.evaluate(self.factors.constant, fitted, x[kept])
        if np.isinf(own).any():
            row, column = np.argwhere(np.isinf(own))[0]
            raise ScoresError(
                f"{self._place(int(kept[row]))}: a score of {x[kept[row], column]} becomes "
                f"{own[row, column]} by {scheme}, and a mean of it has no standard error; expected "
                f"{_FINITE}"
            )
        y = np.full(x.shape, np.nan)
        y[kept] = own
        unfitted = np.ones(len(rows), dtype=np.bool_)
        unfitted[kept] = False
        return Refitted(
            y.reshape(shape),
            np.count_nonzero(constant.reshape(shape[:2]), axis=1),
            np.count_nonzero(unfitted.reshape(shape[:2]), axis=1),
        )

    def _place(self, row: int) -> str:
        topic = self.topics[row % len(self.topics)]
        lower = direction.of_scores(self.factors.lower_is_better, self.factors.reflect_at, topic)
        return f"topic {topic!r}{lower}, fitted to a resample of the {self.systems} systems"
