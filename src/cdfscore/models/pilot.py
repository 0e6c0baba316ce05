"""Variances estimated from pilot data: of scores, of residuals, and of differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.generalizability import GStudy, study_of
from cdfscore.models.parts import Parts, doubly_centred
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument

# Squares of scores below 2^-400 or above 2^400 are near the ends of the doubles.
_EXTREME = 400


@dataclass(frozen=True, eq=False)
class Pilot:
    """Score matrices (topics, systems) of pilot data, and the variances estimated from them.

    For n topics and m systems:

    - `scores` is the variance of the scores of a system, V_E1 of a one-way analysis of variance:
      sum_ts (x_ts - mean_s)^2 / (m (n - 1)).
    - `residual` is the residual variance of topics and systems, V_E2 of a two-way one:
      sum_ts (x_ts - mean_t - mean_s + mean)^2 / ((m - 1) (n - 1)).
    - `differences` is the mean, over all pairs of systems, of the variance of the differences of
      their scores; it is 2 `residual`. `of_pairs` has the variance of each pair.

    Of several matrices each variance is pooled: sum_c (n_c - 1) var_c / sum_c (n_c - 1).

    `in_unit` is the pilot of the scores divided by 2^`exponent`. It is None, and the exponent 0,
    unless squares of the scores may not be doubles.

    Source: Sakai (2016), Topic set size design, Information Retrieval Journal 19, for V_E1 and
    pooling; Sakai (2014), EVIA, for two-way analysis of variance. For pairs he uses 2 V_E1, which
    is larger, because it also contains the variance between topics, which cancels in differences of
    pairs.

    Examples
    --------
    >>> pilot = Pilot.of([np.array([[0.1, 0.3], [0.2, 0.6], [0.6, 0.7]])])
    >>> round(pilot.scores, 4), round(pilot.residual, 4), round(pilot.differences, 4)
    (0.0567, 0.0117, 0.0233)
    """

    matrices: tuple[Array, ...]
    scores: float
    residual: float
    differences: float
    of_pairs: Array
    exponent: int = 0
    in_unit: Pilot | None = None

    @classmethod
    def of(cls, matrices: Sequence[Array]) -> Pilot:
        """Estimate the variances.

        Raises `ModelError` for fewer than two topics or systems, for missing and infinite scores,
        and for differences between systems that are the same on all topics.
        """
        for place, values in enumerate(matrices):
            _check(values, "the pilot" if len(matrices) == 1 else f"pilot {place + 1}")
        largest = max(float(np.abs(values).max()) for values in matrices)
        _, exponent = (int(each) for each in np.frexp(largest))
        if abs(exponent) <= _EXTREME:
            return cls._of(matrices)
        own = cls._of([np.ldexp(values, -exponent) for values in matrices])
        with np.errstate(over="ignore", under="ignore"):
            of_scores, residual, differences = np.ldexp(
                [own.scores, own.residual, own.differences], 2 * exponent
            ).tolist()
            pairs = np.ldexp(own.of_pairs, 2 * exponent)
        return cls(tuple(matrices), of_scores, residual, differences, pairs, exponent, own)

    @classmethod
    def _of(cls, matrices: Sequence[Array]) -> Pilot:
        weights = np.array([len(values) - 1 for values in matrices])
        weights = weights / weights.sum()
        scores = [float(np.var(values - values[:1], axis=0, ddof=1).mean()) for values in matrices]
        left = [doubly_centred(values) for values in matrices]
        residuals = [
            float(np.vdot(own, own)) / ((len(own) - 1) * (own.shape[1] - 1)) for own in left
        ]
        residual = float(weights @ residuals)
        return cls(
            tuple(matrices),
            float(weights @ scores),
            residual,
            2 * residual,
            np.concatenate([_of_pairs(np.cov(own, rowvar=False)) for own in left]),
        )

    @cached_property
    def study(self) -> GStudy | None:
        """The components of variance of the matrix; None if there are several matrices."""
        return study_of(self.matrices[0], []) if len(self.matrices) == 1 else None

    @property
    def systems(self) -> int | None:
        """The number of systems, None if it differs between matrices."""
        found = {values.shape[1] for values in self.matrices}
        return found.pop() if len(found) == 1 else None

    @property
    def told(self) -> str:
        """The sizes, for a sentence."""
        sizes = [f"{values.shape[1]} systems, {len(values)} topics" for values in self.matrices]
        return sizes[0] if len(sizes) == 1 else f"{len(sizes)} pilots: {'; '.join(sizes)}"

    def centred(self, *, within_topics: bool) -> Array:
        """Return the scores of the only matrix without the mean of each system.

        Within topics, they are also without the score of the first system, which no difference of
        two systems has. They are multiplied by sqrt(n / (n - 1)), so that their variance with the
        divisor n equals the estimated variance, with the divisor n - 1.
        """
        (values,) = self.matrices
        n = len(values)
        if within_topics:
            values = values - values[:, :1]
        values = values - values[:1]
        centred: Array = (values - values.mean(axis=0)) * np.sqrt(n / (n - 1))
        return centred


def _of_pairs(covariance: Array) -> Array:
    i, j = np.triu_indices(len(covariance), 1)
    own = covariance.diagonal()
    found: Array = np.maximum(own[i] + own[j] - 2 * covariance[i, j], 0.0)
    return found


def _check(values: Array, name: str) -> None:
    topics, systems = values.shape
    if topics < 2 or systems < 2:
        raise ModelError(
            f"{name} has {systems} systems on {topics} topics; expected at least two of each, to "
            "estimate a variance"
        )
    missing = int(np.isnan(values).sum())
    if missing:
        raise ModelError(
            f"{name} lacks {missing} of {values.size} scores; expected a score of every system on "
            f"every topic, for example by {argument('missing', 'zero', 'drop_topic')}"
        )
    if np.isinf(values).any():
        raise ModelError(
            f"{name} has infinite scores; expected finite scores, for example by another policy "
            "for constant topics"
        )
    parts = Parts.of(values)
    residuals = doubly_centred(np.ldexp(values, -parts.exponent))
    if np.vdot(residuals, residuals) <= parts.rounding:
        raise ModelError(
            f"{name} has the same differences between systems on all topics, so they have no "
            "variance; expected scores that differ between topics and systems"
        )
