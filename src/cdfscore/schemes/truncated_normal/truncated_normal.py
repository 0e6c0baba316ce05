"""Normal distribution restricted to an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.numbers import finite_number, shown
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import extremes, quantile_with_limit, with_limit
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.base import MAXIMA, Distribution, Parameters


@dataclass(frozen=True)
class TruncatedNormal(Distribution):
    """Normal distribution of the scores of a topic, restricted to an interval.

    y = (Phi((x - mu) / sigma) - Phi((low - mu) / sigma)) / (Phi((high - mu) / sigma) -
    Phi((low - mu) / sigma)), with the maximum likelihood estimates of mu and sigma over the n
    reference scores; `low` and `high` are in the unit of the score. Cohen (1950); for the
    parameters below, with one end, del Castillo (1994).

    The density is proportional to exp(slope z - curvature z^2 / 2), z = (x - location) / scale,
    where location and scale are mean and standard deviation (with n) of the reference scores. The
    log-likelihood is concave in slope and curvature, and at its maximum z has the mean 0 and the
    mean square 1. Then mu = location + scale slope / curvature, and sigma = scale /
    sqrt(curvature). If the curvature would be 0 or less, mu and sigma do not exist: the likelihood
    increases as sigma goes to infinity with mu / sigma^2 fixed. The fit is then the limit, an
    exponential or uniform distribution on [low, high], with curvature 0. Scores have shape
    (..., n); slope, curvature and y have no unit, and y lies in [0, 1].

    Slope and curvature are within 1e-14 of the maximum. y is computed from integrals of the
    density, which are accurate also if mu is far away or sigma is large: it is within 4e-15 of F
    at the parameters, and within 70 ulp for y down to 1e-10.

    Constant topic: y is 0 left of the common score, 1/2 at it and 1 right of it, also if that
    score is an end. Slope and curvature are given as 0 and are not used.

    Raises `SchemeError` unless `low` and `high` are finite and low < high, and `FitError` for
    a topic with fewer than two reference scores; with scores outside [low, high]; or with a
    spread that is as small as the rounding error of an end.

    Specified in truncated_normal.1 to truncated_normal.3.

    Examples
    --------
    >>> TruncatedNormal().fit([0.1, 0.2, 0.4])([0.0, 0.2, 1.0]).round(3).tolist()
    [0.0, 0.423, 1.0]
    """

    low: float = 0.0
    high: float = 1.0

    formula = "y = (Phi(z) - Phi(z_low)) / (Phi(z_high) - Phi(z_low)), z = (x - mu) / sigma"
    source = "Cohen (1950); del Castillo (1994)"
    minimum_scores = 2
    free_parameters = 2
    seconds_in_r = 0.01
    tolerance = Tolerance(128, MAXIMA, floor=1.0)

    def __post_init__(self) -> None:
        low, high = finite_number(self.low), finite_number(self.high)
        if low is None or high is None or not low < high:
            raise SchemeError(
                f"truncated_normal: low={shown(self.low)},high={shown(self.high)} is not accepted; "
                "expected finite numbers with low < high"
            )

    @property
    def domain(self) -> tuple[float, float]:
        return float(self.low), float(self.high)

    def estimate(self, scores: Array) -> Parameters:
        from cdfscore.schemes.truncated_normal.likelihood import truncated_normal_parameters

        low, high = extremes(scores)
        spread = low < high
        found = truncated_normal_parameters(scores.reshape(-1, scores.shape[-1]), *self.domain)
        location, scale, slope, curvature = (found[:, i].reshape(low.shape) for i in range(4))
        refuse_rows(
            (spread & np.isnan(location + scale + slope + curvature))[..., 0],
            f"the reference scores differ so little from one another or from an end of "
            f"[{self.low:g}, {self.high:g}] that their spread is within rounding errors",
        )
        return {
            "location": np.where(spread, location, low),
            "scale": np.where(spread, scale, 1.0),
            "slope": np.where(spread, slope, 0.0),
            "curvature": np.where(spread, curvature, 0.0),
            "min": low,
            "max": high,
        }

    def evaluate(self, x: Array, min: Array, max: Array, **parameters: Array) -> Array:
        from cdfscore.schemes.truncated_normal.likelihood import truncated_normal_cdf

        y = truncated_normal_cdf(_rows(x, min), _table(parameters), *self.domain)
        return with_limit(y.reshape(x.shape), x, min, max)

    def inverse(self, p: Array, min: Array, max: Array, **parameters: Array) -> Array:
        """Return the x with F(x) = p, by Halley's method."""
        from cdfscore.schemes.truncated_normal.likelihood import truncated_normal_quantile

        q = truncated_normal_quantile(_rows(p, min), _table(parameters), *self.domain)
        return quantile_with_limit(q.reshape(p.shape), p, min, max)

    def support(self, min: Array, max: Array, **parameters: Array) -> tuple[Array, Array]:
        spread = min < max
        return np.where(spread, self.domain[0], min), np.where(spread, self.domain[1], max)

    def constant(self, min: Array, max: Array, **parameters: Array) -> BoolArray:
        return np.equal(min, max)

    def parameter_names(self) -> list[str]:
        return [*_NAMES, "min", "max"]


_NAMES = ("location", "scale", "slope", "curvature")


def _rows(values: Array, topics: Array) -> Array:
    """Lay values out with one topic per row, also if there are none."""
    return values.reshape(topics.size, values.shape[-1])


def _table(parameters: Parameters) -> Array:
    return np.stack([parameters[name].reshape(-1) for name in _NAMES], axis=-1)
