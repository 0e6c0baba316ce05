"""Kumaraswamy distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import extremes, quantile_with_limit, with_limit
from cdfscore.schemes._refusals import no_maximum, refuse_rows, too_little_spread
from cdfscore.schemes._unit_interval import Ends, check_ends, inside
from cdfscore.schemes.base import MAXIMA, Distribution, Parameters


@dataclass(frozen=True)
class Kumaraswamy(Distribution):
    """Kumaraswamy distribution of the scores of a topic, between 0 and 1.

    y = 1 - (1 - x^a)^b, Kumaraswamy (1980), with the shapes of maximum likelihood over the n
    reference scores: b = -1 / mean(log(1 - x_i^a)) for each a, and the slope of the likelihood is
    0 at a, Jones (2009), section 3. Such an a exists unless all scores are equal. It is not
    proven to be unique, but is unique in the samples of the tests. Scores have shape (..., n); y
    has no unit and lies in [0, 1].

    The likelihood has no maximum if a score is exactly 0 or 1. ``ends="raise"`` raises a fit
    error for such a topic. ``ends="shrink"`` replaces the reference scores of every topic by
    (x_i (n - 1) + 1/2) / n, Smithson and Verkuilen (2006), p. 55. The scores x to standardize are
    not changed.

    a is within 1e-14 of the maximum, and y within 4 ulp of F at the shapes.

    Constant topic: y is 0 left of the common score, 1/2 at it and 1 right of it, also if that
    score is 0 or 1. The shapes are given as 1 and are not used.

    Raises `SchemeError` for another policy, and `FitError` for a topic with fewer than two
    reference scores; with scores outside [0, 1]; with a score of 0 or 1 (``ends="raise"``); or
    with so little spread that b overflows (about 0.2% around a score of 0.3).

    Specified in kumaraswamy.1 and kumaraswamy.2.

    Examples
    --------
    >>> Kumaraswamy().fit([0.1, 0.2, 0.4])([0.0, 0.2, 1.0]).round(3).tolist()
    [0.0, 0.429, 1.0]
    """

    ends: Ends = "raise"

    formula = "y = 1 - (1 - x^a)^b"
    source = "Kumaraswamy (1980); Jones (2009), section 3"
    minimum_scores = 2
    domain = (0.0, 1.0)
    free_parameters = 2
    tolerance = Tolerance(128, MAXIMA, floor=1.0)

    def __post_init__(self) -> None:
        check_ends(self.name, self.ends)

    def estimate(self, scores: Array) -> Parameters:
        from cdfscore.schemes.kumaraswamy.likelihood import kumaraswamy_shapes

        low, high = extremes(scores)
        spread = low < high
        moved = inside(self.name, scores, self.ends, no_maximum(self.name))
        shapes = kumaraswamy_shapes(moved.reshape(-1, scores.shape[-1]))
        a, b = (shapes[:, i].reshape(low.shape) for i in (0, 1))
        refuse_rows(
            (spread & ~np.isfinite(a + b))[..., 0],
            too_little_spread(
                "the shape b of the Kumaraswamy distribution is too large for a double"
            ),
        )
        a, b = (np.where(spread, shape, 1.0) for shape in (a, b))
        return {"a": a, "b": b, "min": low, "max": high}

    def evaluate(self, x: Array, a: Array, b: Array, min: Array, max: Array) -> Array:
        from cdfscore.schemes.kumaraswamy.likelihood import kumaraswamy_cdf

        return with_limit(kumaraswamy_cdf(x, a, b), x, min, max)

    def inverse(self, p: Array, a: Array, b: Array, min: Array, max: Array) -> Array:
        """Return (1 - (1 - p)^(1 / b))^(1 / a)."""
        with np.errstate(divide="ignore"):
            rest = np.log1p(-p) / b
            # The logarithm of 1 - exp(rest), in the form that loses no digits.
            power = np.where(rest > -0.7, np.log(-np.expm1(rest)), np.log1p(-np.exp(rest)))
        return quantile_with_limit(np.exp(power / a), p, min, max)

    def support(self, a: Array, b: Array, min: Array, max: Array) -> tuple[Array, Array]:
        spread = min < max
        return np.where(spread, 0.0, min), np.where(spread, 1.0, max)

    def constant(self, a: Array, b: Array, min: Array, max: Array) -> BoolArray:
        return np.equal(min, max)
