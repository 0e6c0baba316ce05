"""Tests of fixed effects, with degrees of freedom by Satterthwaite's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.models.mixed.likelihood import Point
from cdfscore.models.mixed.sums import Sums, means_of_topics
from cdfscore.numerics.types import Array

# Degrees of freedom that differ by less than this, relative to their size, are equal.
_EQUAL = 1e-8
# A variance this small, relative to the residual variance, is rounding error.
_ROUNDING = 1e-20


@dataclass(frozen=True, eq=False)
class FixedEffects:
    """Coefficients (p,) of fixed effects, their covariance (p, p), and its precision.

    `by_variances` (k, p, p) are the derivatives of the covariance by the variances that are not
    0. `of_variances` (k, k) is the covariance of their estimates: 2 times the inverse Hessian of
    minus twice the log-likelihood. `residual` is the residual variance.
    """

    coefficients: Array
    covariance: Array
    by_variances: Array
    of_variances: Array
    residual: float

    @classmethod
    def of(cls, best: Point, offset: Array, scale: float) -> FixedEffects:
        """Return the fixed effects at the maximum likelihood, of scores scale * y + X offset.

        A variance of 0 is at the end of its range, and is treated as known.
        """
        free = best.variances > 0
        inverse = np.linalg.inv(best.hessian[np.ix_(free, free)])
        return cls(
            offset + scale * best.coefficients,
            scale**2 * best.covariance,
            scale**2 * best.covariance_by_variances[free],
            np.asarray(2 * inverse, dtype=np.float64),
            scale**2 * float(best.variances[-1]),
        )

    @classmethod
    def within(cls, best: Point, sums: Sums, scores: Array, x: Array) -> FixedEffects:
        """Return the fixed effects with fixed topics, of `best` within topics.

        x (slots, p) are the columns without the intercept. The intercept is the mean over topics of
        the scores (topics, slots) without the effects of the columns. Its variance is the variance
        of such a mean, with degrees of freedom by the number of topics.
        """
        own = cls.of(best, sums.least_squares, sums.scale)
        scores = scores[~np.isnan(scores).all(axis=1)]
        centre = means_of_topics(~np.isnan(scores), x)
        of_topics = np.nanmean(scores, axis=1) - centre @ own.coefficients
        spread = float(np.var(of_topics, ddof=1))
        # The mean of topics, and then the effects of columns, to the intercept at 0 of columns.
        moved = np.eye(x.shape[1] + 1)
        moved[0, 1:] = -centre.mean(axis=0)
        by_topics = np.zeros((1, *moved.shape))
        by_topics[0, 0, 0] = 1 / len(scores)
        parts = np.concatenate([np.pad(own.by_variances, ((0, 0), (1, 0), (1, 0))), by_topics])
        of_variances = np.pad(own.of_variances, (0, 1))
        of_variances[-1, -1] = 2 * spread**2 / (len(scores) - 1)
        return cls(
            np.append(of_topics.mean(), own.coefficients),
            moved @ (np.pad(own.covariance, (1, 0)) + spread * by_topics[0]) @ moved.T,
            moved @ parts @ moved.T,
            of_variances,
            own.residual,
        )

    def estimates(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return linear combinations (m,) by rows (m, p), their standard errors, and df (m,).

        df = 2 V^2 / var(V), of the estimated variance V of a combination; var(V) is by the delta
        method (Giesbrecht and Burns, 1985, Biometrics 41). A combination that does not vary, apart
        from rounding errors, has the standard error 0 and NaN degrees of freedom. An example is the
        mean of topics if a scheme gives all topics the same mean.
        """
        variances = np.vecdot(rows @ self.covariance, rows)
        variances = np.where(variances <= _ROUNDING * self.residual, 0.0, variances)
        gradients = np.vecdot(rows @ self.by_variances, rows).T
        of_variances = np.vecdot(gradients @ self.of_variances, gradients)
        unknown = np.full_like(variances, np.nan)
        df = np.divide(2 * variances**2, of_variances, out=unknown, where=variances > 0)
        return rows @ self.coefficients, np.sqrt(variances), df

    def f_test(self, rows: Array) -> tuple[float, float]:
        """Return F of the hypothesis that all m combinations are 0, and its denominator's df.

        F is the mean of the squares of m independent t statistics, for the principal axes of the
        combinations. With their degrees of freedom f_i, the expectation of m F is
        E = sum f_i / (f_i - 2), and df = 2 E / (E - m) gives F the same expectation (Fai and
        Cornelius, 1996, Journal of Statistical Computation and Simulation 54). df is 2 if an f_i is
        2 or less.
        """
        _, vectors = np.linalg.eigh(rows @ self.covariance @ rows.T)
        estimates, stderr, df = self.estimates(vectors.T @ rows)
        f = float(np.mean((estimates / stderr) ** 2))
        if np.ptp(df) <= _EQUAL * df.max():
            return f, float(df.mean())
        if df.min() <= 2:
            return f, 2.0
        expected = float(np.sum(df / (df - 2)))
        return f, 2 * expected / (expected - len(df))
