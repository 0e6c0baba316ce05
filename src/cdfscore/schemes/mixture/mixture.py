"""Mixture of two normal distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.inversion import invert
from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.r_random import LARGEST_SEED, RRandom
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes._scaled_rows import scaled_rows
from cdfscore.schemes._z_scores import z_scores
from cdfscore.schemes.base import Distribution, Parameters

_MOST_STARTS = 1000


@dataclass(frozen=True)
class Mixture(Distribution):
    """Mixture of two normal distributions of the scores of a topic.

    y = w Phi((x - mean_1) / sd_1) + (1 - w) Phi((x - mean_2) / sd_2), with mean_1 <= mean_2 and
    w the `weight` of the first. The likelihood is unbounded, because a component can shrink to a
    single score. The log-likelihood is therefore penalized by a_n times the sum over both
    components of s^2 / sd_k^2 + log(sd_k^2 / s^2), with s^2 the mean square about the mean
    of the reference scores and a_n = 1/n; Chen, Tan and Zhang (2008). The EM algorithm then
    has sd_k^2 = (2 s^2 / n + S_k) / (2 / n + n_k), where S_k is the sum of squares about
    mean_k weighted by the proportions of the scores in the component, and n_k their sum.
    Scores have shape (..., n); y has no unit and lies in [0, 1].

    There are several maxima. The EM algorithm starts from the split at the median, and from
    `starts` runs of neighboring scores as one component. R's ``runif`` after ``set.seed(seed)``
    draws these, the same for every topic. EM runs until the likelihood is concave, and Newton's
    method from there to the last digits; a start that stays near a saddle point is abandoned. The
    fit is the highest maximum, or the earliest start if two are within 1e-9. If no maximum is
    higher than that of the normal distribution, both components are this normal distribution.
    With 10 starts, 300 other starts find a higher maximum on 3% of the topics of Robust 2004 for
    AP and on 14% for P@10; with 50 starts, on 2% of either.

    The means are rounded to doubles: if the spread of the scores is 1e-6 of their size, y is
    exact to 1e-10.

    Constant topic: as both sd go to 0, y goes to 0 left of the common score, 1/2 at it and 1
    right of it.

    Raises `SchemeError` if starts or seed is not a whole number in range, and `FitError` for a
    topic with fewer than five reference scores; with scores that differ so little that their
    standard deviation underflows; or if a start with a higher likelihood does not converge to a
    maximum.

    Specified in mixture.1 to mixture.4.

    Examples
    --------
    >>> fitted = Mixture().fit([0.1, 0.12, 0.14, 0.5, 0.6, 0.7, 0.8])
    >>> fitted([0.12, 0.3, 0.65]).round(3).tolist()
    [0.214, 0.424, 0.714]
    """

    starts: int = 10
    seed: int = 0

    formula = "y = w Phi((x - mean_1) / sd_1) + (1 - w) Phi((x - mean_2) / sd_2)"
    source = "Chen, Tan and Zhang (2008), with a_n = 1/n"
    minimum_scores = 5
    free_parameters = 5
    seconds_in_r = 0.2
    tolerance = Tolerance(
        256, "two algorithms maximize the same likelihood from the same starts", floor=1.0
    )

    def __post_init__(self) -> None:
        for name, low, high in (("starts", 0, _MOST_STARTS), ("seed", -LARGEST_SEED, LARGEST_SEED)):
            whole_number_from(f"{self.name}: {name}", getattr(self, name), low, high, SchemeError)

    def estimate(self, scores: Array) -> Parameters:
        from cdfscore.schemes.mixture.likelihood import maximize

        rows, n, mean, scale, varies, z = scaled_rows(scores)
        best = np.array([[0.5, 0.0, 0.0, 0.0, 0.0]]).repeat(len(rows), axis=0)
        short = np.zeros(len(rows))
        best[varies], short[varies] = maximize(z, n[varies, 0], self._starts())
        refuse_rows(
            (short > 0).reshape(scores.shape[:-1]),
            f"the likelihood of {self} was not maximized from all starts",
        )
        weight, means, sds = best[:, :1], best[:, 1:3], np.sqrt(best[:, 3:])
        swap = (means[:, :1] > means[:, 1:]) | (
            (means[:, :1] == means[:, 1:]) & (sds[:, :1] > sds[:, 1:])
        )
        weight = np.where(swap, 1 - weight, weight)
        with np.errstate(invalid="ignore"):  # a scale that overflows; its multiples are refused
            means = mean + scale * np.where(swap, means[:, ::-1], means)
            sds = scale * np.where(swap, sds[:, ::-1], sds)
        shape = (*scores.shape[:-1], 1)
        parts = (weight, means[:, :1], sds[:, :1], means[:, 1:], sds[:, 1:])
        return {
            name: part.reshape(shape)
            for name, part in zip(self.parameter_names(), parts, strict=True)
        }

    def _starts(self) -> Array:
        """Return the split at the median and the random ones."""
        drawn = RRandom(self.seed).runif(2 * self.starts).reshape(-1, 2)
        return np.vstack([[[0.5, 0.0]], drawn])

    def evaluate(
        self, x: Array, weight: Array, mean_1: Array, sd_1: Array, mean_2: Array, sd_2: Array
    ) -> Array:
        first = weight * normal_cdf(z_scores(x, mean_1, sd_1))
        second = (1 - weight) * normal_cdf(z_scores(x, mean_2, sd_2))
        return np.minimum(first + second, 1.0)

    def inverse(
        self, p: Array, weight: Array, mean_1: Array, sd_1: Array, mean_2: Array, sd_2: Array
    ) -> Array:
        """Return x by bracketing: between the quantiles of the two distributions."""
        from scipy.special import ndtri

        z = ndtri(p)
        with np.errstate(invalid="ignore"):
            ends = [np.where(s > 0, m + s * z, m) for m, s in ((mean_1, sd_1), (mean_2, sd_2))]
        margin = 1e-12 * (sd_1 + sd_2) * (1 + np.abs(np.where(np.isfinite(z), z, 0.0)))
        return invert(
            lambda x: self.evaluate(x, weight, mean_1, sd_1, mean_2, sd_2),
            p,
            np.minimum(*ends) - margin,
            np.maximum(*ends) + margin,
        )

    def support(
        self, weight: Array, mean_1: Array, sd_1: Array, mean_2: Array, sd_2: Array
    ) -> tuple[Array, Array]:
        infinity = np.where(sd_1 > 0, np.inf, 0.0)
        return mean_1 - infinity, mean_2 + infinity

    def constant(
        self, weight: Array, mean_1: Array, sd_1: Array, mean_2: Array, sd_2: Array
    ) -> BoolArray:
        return np.equal(sd_1, 0)
