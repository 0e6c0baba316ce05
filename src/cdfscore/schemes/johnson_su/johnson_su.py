"""Johnson SU distribution, with the lognormal and the normal as its limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.normal_cdf import normal_cdf
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import quantile_where_constant
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes._scaled_rows import scaled_rows
from cdfscore.schemes.base import Distribution, Parameters


@dataclass(frozen=True)
class JohnsonSu(Distribution):
    """Johnson SU distribution of the scores of a topic: normal after an inverse hyperbolic sine.

    y = Phi(gamma + delta asinh((x - xi) / lambda)); Johnson (1949), system SU. As delta goes
    to infinity, it goes to a lognormal or the normal distribution, whose parameters are
    infinite. Most scores of effectiveness have such fits. The family here therefore includes
    these limits and has four finite parameters: y = Phi(z(u)), u = (x - location) / scale, z(0) = 0
    and the slope of z is 1 / R with R^2 = (1 - skew u)^2 + tail u^2. tail = 0 is a lognormal
    distribution that ends at location + scale / skew, skew = tail = 0 the normal one; else,
    with t^2 = skew^2 + tail, delta = 1 / t, gamma = delta asinh(skew / sqrt(tail)), lambda =
    scale sqrt(tail) / t^2 and xi = location + scale skew / t^2. `location` is the median and
    `scale` the slope of x by z there. Scores have shape (..., n); y has no unit and lies in
    [0, 1].

    The likelihood is unbounded, because the density can increase without limit at a single
    score. The log-likelihood is therefore penalized as in `Mixture`, Chen, Tan and Zhang (2008):
    by 1/n times the mean of s^2 / b_i^2 + log(b_i^2 / s^2), where b_i = scale R(u_i) is the slope
    of x by z at score i, and s^2 the mean square of the scores about their mean. At n = 300 the
    penalty changes the parameters by about 1e-5 of their size.

    The fit is a local maximum, found by Newton's method to the last digits. The search starts at
    the normal distribution, goes uphill to the first lognormal distribution, and, if a larger
    tail increases the likelihood, from there uphill to a maximum. Higher maxima, with a spike at
    scores that many systems have in common, are not searched; there was one on 1 topic of Robust
    2004 for AP and on 12% for P@10. The error of z is at most 5 ulp.

    Symmetric scores can have two maxima that are nearly mirror images, so that a rounding error
    would determine the fit. Such a topic cannot be fitted. The condition is: the skewness is
    within 0.2; skew = 0, with the tail uphill from the normal distribution, is a minimum along
    skew; and the slope by skew there is within 1e-3 n of 0. This happens if the scores form two
    groups with a kurtosis below 15/11, or two groups with a few scores far from both.

    The location is rounded to a double: if the spread of the scores is 1e-6 of their size, y is
    exact to 1e-10.

    Constant topic: as the scale goes to 0, y goes to 0 left of the common score, 1/2 at it
    and 1 right of it.

    Raises `FitError` for a topic with fewer than four reference scores; with scores that differ
    so little that their standard deviation underflows; with two maxima that are nearly mirror
    images; or if Newton's method does not converge.

    Specified in johnson_su.1 to johnson_su.3.

    Examples
    --------
    >>> fitted = JohnsonSu().fit([0.1, 0.12, 0.15, 0.2, 0.3, 0.5])
    >>> fitted([0.1, 0.2, 0.4]).round(3).tolist()
    [0.11, 0.556, 0.879]
    """

    formula = "y = Phi(gamma + delta asinh((x - xi) / lambda))"
    source = "Johnson (1949), system SU, by maximum likelihood"
    minimum_scores = 4
    free_parameters = 4
    seconds_in_r = 6e-3
    tolerance = Tolerance.absolute(
        1e-12, "two algorithms maximize the likelihood, with two formulas for z"
    )

    def estimate(self, scores: Array) -> Parameters:
        from cdfscore.schemes.johnson_su.likelihood import (
            ARRIVED,
            LOST,
            TWO_MAXIMA,
            johnson_x,
            maximize,
        )

        rows, n, center, scale, varies, u = scaled_rows(scores)
        found = np.tile([0.0, 0.0, 0.0, 0.0], (len(rows), 1))
        became = np.full(len(rows), ARRIVED)
        found[varies], became[varies] = maximize(u, n[varies, 0])
        lead = scores.shape[:-1]
        why = {
            TWO_MAXIMA: "has two maxima, one to either side, as the scores are nearly symmetric",
            LOST: "was not maximized",
        }
        refuse_rows(
            (became != ARRIVED).reshape(lead),
            lambda row: f"the likelihood of {self} {why[became[row]]}",
        )
        skew, tail, mean, spread = (found[:, k : k + 1] for k in range(4))
        # From the mean of the scores to the median of the distribution, u = 0 at z = 0.
        median = johnson_x(mean, skew, tail)
        root = np.hypot(1 - skew * median, np.sqrt(tail) * median)
        parts = {
            "location": np.where(varies[:, np.newaxis], center + scale * median, rows[:, :1]),
            "scale": np.where(varies[:, np.newaxis], scale * root * spread, 0.0),
            "skew": (skew * (1 - skew * median) - tail * median) * spread / root,
            "tail": tail * (spread / root) ** 2,
        }
        return {name: part.reshape(*lead, 1) for name, part in parts.items()}

    def evaluate(self, x: Array, location: Array, scale: Array, skew: Array, tail: Array) -> Array:
        from cdfscore.schemes._z_scores import z_scores
        from cdfscore.schemes.johnson_su.likelihood import johnson_z

        return normal_cdf(johnson_z(z_scores(x, location, scale), skew, tail))

    def inverse(self, p: Array, location: Array, scale: Array, skew: Array, tail: Array) -> Array:
        """Return location + scale (sinh(t z) / t - skew (cosh(t z) - 1) / t^2), z = Phi^-1(p)."""
        from scipy.special import ndtri

        from cdfscore.schemes.johnson_su.likelihood import johnson_x

        with np.errstate(invalid="ignore"):
            q = location + scale * johnson_x(ndtri(p), skew, tail)
        return quantile_where_constant(q, p, np.equal(scale, 0), location)

    def support(
        self, location: Array, scale: Array, skew: Array, tail: Array
    ) -> tuple[Array, Array]:
        infinity = np.where(scale > 0, np.inf, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            end = location + scale / skew
        low = np.where((tail == 0) & (skew < 0), end, location - infinity)
        return low, np.where((tail == 0) & (skew > 0), end, location + infinity)

    def constant(self, location: Array, scale: Array, skew: Array, tail: Array) -> BoolArray:
        return np.equal(scale, 0)
