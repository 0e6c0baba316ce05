"""Logspline distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cdfscore.errors import SchemeError
from cdfscore.numerics.moments import count
from cdfscore.numerics.numbers import finite_number
from cdfscore.numerics.tolerance import Tolerance
from cdfscore.numerics.types import Array, BoolArray
from cdfscore.schemes._extremes import extremes, limit_where_constant, quantile_where_constant
from cdfscore.schemes._refusals import refuse_rows
from cdfscore.schemes.base import MAXIMA, Distribution, Parameters
from cdfscore.schemes.settings import setting_error

# Outside of these limits, the square of the range or its inverse may overflow.
_LEAST_RANGE, _LARGEST_RANGE = 1e-100, 1e100


@dataclass(frozen=True)
class Logspline(Distribution):
    """Logspline distribution: the log density is a natural cubic spline with selected knots.

    y = F(x), where log F'(x) is a cubic between the knots, with two continuous derivatives, and
    linear in both tails. Its k - 1 free coefficients maximize the likelihood of the n reference
    scores (Kooperberg and Stone 1991). The knots are chosen as by Stone, Hansen, Kooperberg and
    Truong (1997) and the R package logspline:

    1. The first 2.5 n^(1/5) + 1 knots are at quantiles.
    2. Scores with a large Rao statistic are added as knots, as long as the likelihood gains about
       1/2 per knot and k is at most 4 n^(1/5) + 2.
    3. The knot with the smallest Wald statistic is deleted, repeatedly, until three are left.
    4. Of all these fits, the one with the smallest -2 log L + `penalty` (k - 1) is used. The
       penalty None means log n, as in BIC.

    `low` and `high` are the ends of the scores, in the unit of the score, where F is 0 and 1, or
    None. Scores have shape (..., n); y has no unit and lies in [0, 1], with a relative error of
    about 1e-14 at the parameters found.

    This is own code, because no Python library has this distribution, and because the R package,
    whose search it follows, computes statistics and likelihoods from cubes of scores in double
    precision. If scores are close together or tied, these have few correct digits or none: the
    package chooses other knots if 0.5 is added to all scores, and its fits are not maxima. For
    smooth densities, 976 of 1,000 samples get the same knots, and y differs by at most 2e-6, since
    R stops Newton's method at 1e-4 of the log-likelihood; here each fit converges. With ties at
    the smallest score, or with `high` alone, the package does not place its first knots at the
    intended quantiles; here they are there. If its first fit fails, the package tries other knots
    or another method; here the topic cannot be fitted.

    Constant topic: there is no maximum likelihood fit. y is 0 left of the common score, 1/2
    at it and 1 right of it, the limit as the spread goes to 0.

    Raises `SchemeError` if the penalty is not a number from 0 on or the ends are not numbers in
    order, and `FitError` for a topic with fewer than ten reference scores, as in the R package;
    with exactly two different scores; with a score outside `low` and `high`; with a range below
    1e-100 or above 1e100; or if no maximum of the likelihood is found, because tied scores make
    it unbounded, or because an outlier lowers the log density by more than 600.

    Specified in logspline.1 to logspline.3.

    Examples
    --------
    >>> scores = [0.05, 0.1, 0.12, 0.2, 0.24, 0.3, 0.33, 0.4, 0.55, 0.7]
    >>> Logspline(low=0.0, high=1.0).fit(scores)([0.0, 0.2, 0.5, 1.0]).round(4).tolist()
    [0.0, 0.3608, 0.8428, 1.0]
    """

    penalty: float | None = None
    low: float | None = None
    high: float | None = None

    formula = "y = F(x), log F' a natural cubic spline, knots by Rao, Wald and -2 log L + penalty"
    source = "Stone, Hansen, Kooperberg and Truong (1997), Section 3"
    minimum_scores = 10
    seconds_in_r = 0.1
    tolerance = Tolerance.absolute(
        2e-12, f"{MAXIMA}, which are few if many scores are nearly equal"
    )

    def __post_init__(self) -> None:
        if self.penalty is not None:
            penalty = finite_number(self.penalty)
            if penalty is None or penalty < 0:
                raise setting_error(self.name, "penalty", self.penalty, "a number from 0 on")
        for name, end in (("low", self.low), ("high", self.high)):
            if end is not None and finite_number(end) is None:
                raise setting_error(self.name, name, end, "a finite number")
        low, high = self.domain
        if not low < high:
            raise SchemeError(f"logspline: low={low} is not below high={high}")

    @property
    def domain(self) -> tuple[float, float]:
        low = -math.inf if self.low is None else float(self.low)
        return low, math.inf if self.high is None else float(self.high)

    def estimate(self, scores: Array) -> Parameters:
        from cdfscore.schemes.logspline.fit import fit_logsplines

        sample = np.sort(scores, axis=-1).reshape(-1, scores.shape[-1])
        distinct = 1 + np.count_nonzero(np.diff(sample) > 0, axis=-1)
        refuse_rows(
            (distinct == 2).reshape(scores.shape[:-1]),
            f"{self} needs three different reference scores and there are two",
        )
        least, largest = extremes(sample)
        ranges = (largest - least)[:, 0]
        refuse_rows(
            ((ranges > 0) & ~((ranges >= _LEAST_RANGE) & (ranges <= _LARGEST_RANGE))).reshape(
                scores.shape[:-1]
            ),
            lambda row: (
                f"the range of the reference scores is {ranges[row]:.3g}, and {self} needs one "
                f"from {_LEAST_RANGE:g} to {_LARGEST_RANGE:g}"
            ),
        )
        penalty = None if self.penalty is None else float(self.penalty)
        knots, bends, slope, found = fit_logsplines(
            sample, count(sample)[:, 0], *self.domain, penalty
        )
        refuse_rows(
            (~found).reshape(scores.shape[:-1]),
            lambda row: (
                f"no maximum of the likelihood of {self} was found: the reference scores have "
                f"{distinct[row]} different values, and too many are tied or some are outliers"
            ),
        )
        used = max(1, int(np.max(np.count_nonzero(~np.isnan(knots), axis=-1), initial=1)))
        shape = scores.shape[:-1]
        return {
            "knots": knots[:, :used].reshape(*shape, used),
            "bends": bends[:, :used].reshape(*shape, used),
            "slope": slope.reshape(*shape, 1),
        }

    def evaluate(self, x: Array, knots: Array, bends: Array, slope: Array) -> Array:
        y = self._by_row(x, knots, bends, slope, inverse=False)
        return limit_where_constant(y, x, self.constant(knots, bends, slope), knots[..., :1])

    def inverse(self, p: Array, knots: Array, bends: Array, slope: Array) -> Array:
        """Return x with F(x) = p, by Newton's method."""
        q = self._by_row(p, knots, bends, slope, inverse=True)
        return quantile_where_constant(q, p, self.constant(knots, bends, slope), knots[..., :1])

    def support(self, knots: Array, bends: Array, slope: Array) -> tuple[Array, Array]:
        constant, (low, high) = self.constant(knots, bends, slope), self.domain
        return np.where(constant, knots[..., :1], low), np.where(constant, knots[..., :1], high)

    def constant(self, knots: Array, bends: Array, slope: Array) -> BoolArray:
        return np.equal(count(knots), 1)

    def _by_row(
        self, values: Array, knots: Array, bends: Array, slope: Array, *, inverse: bool
    ) -> Array:
        from cdfscore.schemes.logspline.cdf import logspline_rows

        topics = slope.size  # said, not inferred, as there may be no values
        x, t, b, s = (a.reshape(topics, a.shape[-1]) for a in (values, knots, bends, slope))
        return logspline_rows(x, t, b, s, *self.domain, inverse).reshape(values.shape)
