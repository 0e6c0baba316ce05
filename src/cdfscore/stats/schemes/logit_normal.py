"""Logit-normal distribution."""

from dataclasses import dataclass
from typing import get_args

import numpy as np
from scipy.special import expit, ndtri

from cdfscore.errors import SchemeError, check_one_of
from cdfscore.stats.numerics.moments import mean_and_sd
from cdfscore.stats.numerics.normal_cdf import normal_cdf
from cdfscore.stats.numerics.tolerance import Tolerance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes._rows import (
    Ends,
    OnDomain,
    extremes,
    inside,
    limit_where_constant,
    logit,
    quantile_where_constant,
    z_scores,
)
from cdfscore.stats.schemes.base import Parameters, refuse_rows


@dataclass(frozen=True)
class LogitNormal(OnDomain):
    """Normal distribution of the logits of the scores of a topic, between 0 and 1.

    y = Phi((logit(x) - mu) / sigma), logit(x) = log(x / (1 - x)), with the mean mu and the
    standard deviation sigma of the logits of the n reference scores; Johnson (1949), the
    system S_B, with the ends 0 and 1. sigma has the denominator n - 1, as in N-std; the maximum
    likelihood estimate has n. Scores have shape (..., n); y has no unit and lies in [0, 1].

    The logits of 0 and 1 are infinite; `ends` is as of `Beta`.

    Constant topic: y is 0 left of the common score, 1/2 at it and 1 right of it, also if that
    score is 0 or 1. mu is given as 0 and sigma as 1, and they are not used.

    Raises `SchemeError` for another policy, and `FitError` for a topic with fewer than two
    reference scores; with scores outside [0, 1]; with a score of 0 or 1 (``ends="raise"``); or
    with different scores that have equal logits in doubles.

    Specified in logit_normal.1 and logit_normal.2.

    Examples
    --------
    >>> LogitNormal().fit([0.1, 0.2, 0.4])([0.0, 0.2, 1.0]).round(3).tolist()
    [0.0, 0.475, 1.0]
    """

    ends: Ends = "raise"

    formula = "y = Phi((logit(x) - mu) / sigma)"
    source = "Johnson (1949), S_B; Smithson and Verkuilen (2006), p. 55, for 0 and 1"
    minimum_scores = 2
    domain = (0.0, 1.0)
    free_parameters = 2
    tolerance = Tolerance(
        16, "two formulas for the logit, which differ in the last digits", floor=1.0
    )

    def __post_init__(self) -> None:
        check_one_of(f"{self.name}: ends", self.ends, get_args(Ends), SchemeError)

    def estimate(self, scores: Array) -> Parameters:
        low, high = extremes(scores)
        spread = low < high
        within = inside(self.name, scores, self.ends, "where the logit is infinite")
        moved = np.where(spread | np.isnan(scores), within, 0.5)
        mu, sigma = mean_and_sd(logit(moved))
        refuse_rows(
            (spread & (sigma == 0))[..., 0],
            "the reference scores differ so little that their logits are equal",
        )
        sigma = np.where(spread, sigma, 1.0)
        return {"mu": mu, "sigma": sigma, "min": low, "max": high}

    def evaluate(self, x: Array, mu: Array, sigma: Array, min: Array, max: Array) -> Array:
        y = normal_cdf(z_scores(logit(x), mu, sigma))
        return limit_where_constant(y, x, np.equal(min, max), min)

    def inverse(self, p: Array, mu: Array, sigma: Array, min: Array, max: Array) -> Array:
        return quantile_where_constant(expit(mu + sigma * ndtri(p)), p, np.equal(min, max), min)
