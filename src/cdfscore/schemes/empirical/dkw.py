"""Confidence band for the distribution of scores around their empirical distribution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from cdfscore.errors import SchemeError
from cdfscore.numerics.moments import count
from cdfscore.numerics.numbers import between_0_and_1
from cdfscore.numerics.types import Array
from cdfscore.schemes.empirical.empirical import Empirical


def dkw_band(scores: ArrayLike, x: ArrayLike, conf_level: float = 0.95) -> tuple[Array, Array]:
    """Return the low and high ends at x of a confidence band of the true cdf around E-std.

    F_n(x) - epsilon and F_n(x) + epsilon, limited to [0, 1], with F_n the empirical distribution
    and epsilon = sqrt(log(2 / (1 - conf_level)) / (2n)); Dvoretzky, Kiefer and Wolfowitz
    (1956), with the constant 2 of Massart (1990), Corollary 1. For any distribution of n
    independent scores, the whole band contains F with probability `conf_level` or more.
    Reference systems are not a random sample of systems: the band shows the precision that a
    random sample of n systems would have.

    `scores` has shape (..., n), one topic per row, NaN where a score is missing, and `x` (...,
    m). Returns the low and the high ends, each of the shape of x and without unit; NaN where
    x is NaN.

    Constant topic: the band is as for other topics, 1 - epsilon to 1 at the common score.

    Raises `SchemeError` for a `conf_level` that is not between 0 and 1, and `FitError` for a
    topic without scores, an infinite score, or an x without one row per topic.

    Examples
    --------
    >>> low, high = dkw_band([0.1, 0.2, 0.2, 0.3], [0.0, 0.2, 0.3], conf_level=0.5)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.3337, 0.5837], [0.4163, 1.0, 1.0])
    """
    fitted = Empirical().fit(scores)
    n = count(fitted.parameters["sample"])
    level = between_0_and_1("dkw_band: conf_level", conf_level, SchemeError)
    epsilon = np.sqrt(math.log(2.0 / (1.0 - level)) / (2 * n))
    y = fitted(x)
    return np.maximum(y - epsilon, 0.0), np.minimum(y + epsilon, 1.0)
