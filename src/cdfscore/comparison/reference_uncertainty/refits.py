"""Scores that are standardized anew by resampled reference systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cdfscore.errors import FitError, ScoresError, SignificanceError
from cdfscore.io.text import counted
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes.base import Fitted
from cdfscore.spelling import argument, option
from cdfscore.standardization.factors import Factors
from cdfscore.standardization.policies import constant as constant_topics
from cdfscore.standardization.policies import direction
from cdfscore.standardization.policies.unfitted import fit_all, fit_where_possible
from cdfscore.standardization.standardized import Standardized

#: The fewest reference systems that are resampled, beside those that stay.
FEWEST_SYSTEMS = 3
# Scores, reference scores and differences of the resamples that are standardized at a time.
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

    A resample is of the reference systems, on all topics at once; the scores stay as they are.
    `places` (m,) has the place of each system among the reference systems, -1 if it is none of
    them. `namesakes` are the systems whose name is there with other scores, and `renamed` those
    whose scores are there under another name: they are taken as none of the reference systems.
    """

    factors: Factors
    scores: Array
    reference: Array
    topics: tuple[str, ...]
    places: IntArray
    namesakes: tuple[str, ...]
    renamed: tuple[str, ...]

    @classmethod
    def of(cls, found: Standardized) -> Refits:
        """Match the topics of scores and reference; those without factors are left out.

        Raises `SignificanceError` for factors without the scores that they were fitted to.
        """
        factors = found.factors
        if found.reference is None:
            raise SignificanceError(
                f"{factors!r} do not have the scores of the reference systems, which are "
                f"resampled; expected a scheme, and the reference scores by {option('reference')}"
            )
        fitted_to = direction.settled(
            found.reference,
            "reference scores",
            factors.missing,
            factors.lower_is_better,
            factors.reflect_at,
        )
        known = set(factors.topics)
        rows = [row for row, topic in enumerate(found.used.topics) if topic in known]
        topics = tuple(found.used.topics[row] for row in rows)
        row_of = {topic: row for row, topic in enumerate(fitted_to.topics)}
        scores = found.used.values[rows]
        reference = fitted_to.values[[row_of[topic] for topic in topics]]
        columns = {system: place for place, system in enumerate(fitted_to.systems)}
        places = [columns.get(system, -1) for system in found.used.systems]
        same = [
            place >= 0 and np.array_equal(scores[:, i], reference[:, place], equal_nan=True)
            for i, place in enumerate(places)
        ]
        known_scores = {column.tobytes() for column in reference.T + 0.0}  # -0.0 is 0.0
        namesakes, renamed = list[str](), list[str]()
        for system, column, place, is_it in zip(
            found.used.systems, scores.T + 0.0, places, same, strict=True
        ):
            if not is_it and column.tobytes() in known_scores:
                renamed.append(system)
            elif not is_it and place >= 0:
                namesakes.append(system)
        own = np.where(same, places, -1)
        return cls(factors, scores, reference, topics, own, tuple(namesakes), tuple(renamed))

    @property
    def systems(self) -> int:
        """The number of reference systems."""
        return int(self.reference.shape[1])

    def resampled(self, *members: IntArray) -> IntArray:
        """Return the number of reference systems beside members, the compared systems by place.

        Those of a mean, or of a difference, that are reference systems themselves stay in the
        reference, as they were in it, and the others are resampled. Raises `SignificanceError` for
        fewer than three others.
        """
        found = self.systems - sum((self.places[each] >= 0).astype(np.int64) for each in members)
        least = int(np.min(found))
        if self.factors.fitted.parameters and least < FEWEST_SYSTEMS:
            beside = " beside the compared ones" * bool((self.places >= 0).any())
            raise SignificanceError(
                f"there {'is' if least == 1 else 'are'} {counted(least, 'reference system')} to "
                f"resample{beside}; expected {FEWEST_SYSTEMS} or more, in the scores or by "
                f"{option('reference')}"
            )
        return np.asarray(found)

    def stay(self, counts: Array) -> BoolArray:
        """Tell which compared systems each resample (resamples, n) has in the reference once.

        Of the draws that have it once the others are a resample of the other systems. It is true
        for systems that are no reference systems.
        """
        return np.asarray((self.places < 0) | (counts[:, self.places] == 1))

    def batches(self, counts: Array, pairs: int) -> Iterator[Refitted]:
        """Standardize by resamples (resamples, n), the count of each reference system in each.

        So many differences of `pairs` are then taken.
        """
        n = self.systems
        step = max(1, _BLOCK // max(self.scores.size, self.reference.size, pairs))
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
            fitted, kept = self._fit_all(rows), np.arange(len(rows))
        else:
            fitted, kept, _ = fit_where_possible(scheme, rows)
        constant = np.zeros(len(rows), dtype=np.bool_)
        constant[kept] = fitted.constant
        if self.factors.constant == "raise" and constant.any():
            raise constant_topics.refused(
                f"{self._place(int(constant.argmax()))}: the resampled scores are all equal"
            )
        own = constant_topics.evaluate(self.factors.constant, fitted, x[kept])
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

    def _fit_all(self, rows: Array) -> Fitted:
        try:
            return fit_all(self.factors.fitted.scheme, rows, self._place)
        except FitError as error:
            raise FitError(
                f"{error}; expected {argument('unfitted', 'nan')}, which leaves such topics out of "
                "the resample"
            ) from error

    def _place(self, row: int) -> str:
        topic = self.topics[row % len(self.topics)]
        lower = direction.of_scores(self.factors.lower_is_better, self.factors.reflect_at, topic)
        return f"topic {topic!r}{lower}, fitted to a resample of the {self.systems} systems"
