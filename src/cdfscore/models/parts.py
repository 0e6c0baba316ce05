"""Scores as one number for each topic and the rest, in a unit that is a power of two."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np

from cdfscore.numerics.types import Array, BoolArray

# Numbers are rounding errors if their squares add up to those of this number of ulp of the scores.
_ULP = 4


@dataclass(frozen=True, eq=False)
class Parts:
    """Scores 2^exponent (centre + of_topics + within) of the topics that have any.

    `within` (topics, slots) has the mean 0 on each topic, and is 0 where a score is missing;
    `of_topics` (topics,) has the mean 0. `present` tells where scores are. No digit of differences
    within a topic depends on the topic, as each score is first compared with another one of its
    topic, and such a difference is exact wherever a double has it. `rounding` is a sum of squares
    that rounded scores can have by chance: that of 4 ulp of the largest of their topic.
    """

    within: Array
    of_topics: Array
    present: BoolArray
    centre: float
    exponent: int
    rounding: float

    @classmethod
    def of(cls, scores: Array) -> Parts:
        """Return the parts of finite scores (topics, slots), NaN where missing."""
        present = ~np.isnan(scores)
        some = present.any(axis=1)
        scores, present = scores[some], present[some]
        _, exponent = np.frexp(np.abs(scores[present]).max(initial=0.0))
        own = np.where(present, np.ldexp(scores, -int(exponent)), 0.0)
        first = own[np.arange(len(own)), present.argmax(axis=1)]
        within = np.where(present, own - first[:, np.newaxis], 0.0)
        sizes = present.sum(axis=1)
        means = within.sum(axis=1) / sizes
        within = np.where(present, within - means[:, np.newaxis], 0.0)
        of_topics = (first - first[:1]) + means
        mean = fsum(of_topics) / max(len(own), 1)
        return cls(
            within,
            of_topics - mean,
            present,
            float(first[:1].sum()) + mean,
            int(exponent),
            _ULP**2 * float(sizes @ np.square(np.spacing(np.abs(own).max(axis=1, initial=0.0)))),
        )

    def of_all(self) -> tuple[Array, Array, float]:
        """Return scores without their mean, their sums (slots,), and the mean less `centre`.

        The sums over topics are exact before they are rounded: if no score is missing, numbers of
        topics do not change any difference of two sums.
        """
        n = self.present.sum()
        sizes = self.present.sum(axis=1)
        first = fsum(sizes * self.of_topics) / n
        of_topics = self.of_topics - first
        sums = np.array([fsum(of_topics[own]) for own in self.present.T])
        second = fsum(sums) / n
        values = self.within + np.where(self.present, (of_topics - second)[:, np.newaxis], 0.0)
        sums = self.within.sum(axis=0) + (sums - second * self.present.sum(axis=0))
        return values, sums, first + second

    def squares(self, values: Array) -> Array:
        """Return sums of squares in the unit of the scores: 0 or infinite beyond the doubles."""
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(values, 2 * self.exponent)

    def numbers(self, values: Array) -> Array:
        """Return numbers in the unit of the scores."""
        with np.errstate(under="ignore"):
            return np.ldexp(values, self.exponent)


def doubly_centred(scores: Array) -> Array:
    """Return complete scores (topics, slots) without the means of topics and of slots.

    Differences of differences of two topics and two slots come first: they have no effects of
    either, however large these are.
    """
    left = scores - scores[:, :1]
    left = left - left[:1]
    left = left - left.mean(axis=0)
    return np.asarray(left - left.mean(axis=1, keepdims=True))


def beyond_doubles(scheme: str, squares: Array) -> list[str]:
    """Return a note if a sum of squares is no double; the last is that of residuals, above 0."""
    if np.isfinite(squares).all() and squares[-1] >= np.finfo(np.float64).tiny:
        return []
    return [
        f"{scheme}: the squares of the scores are beyond the range of doubles, so sums of squares "
        "and variances are shown as 0 or inf, or with few digits; tests do not depend on the unit"
    ]
