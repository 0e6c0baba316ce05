"""Tests of fixed effects, with degrees of freedom by Satterthwaite's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cdfscore.models.mixed.likelihood import Point
from cdfscore.models.mixed.sums import Sums, means_of_topics
from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array, BoolArray

# Columns (slots, m) of scores to others.
_Linear = Callable[[Array], Array]
# Degrees of freedom that differ by less than this, relative to their size, are equal.
_EQUAL = 1e-8
# A variance this small, relative to the residual variance, is rounding error.
_ROUNDING = 1e-20


@dataclass(frozen=True, eq=False)
class FixedEffects:
    """Coefficients (p,) of fixed effects, their covariance (p, p), and its precision.

    `by_variances` (k, p, p) are the derivatives of the covariance by the variances that are not
    0. `of_variances` (k, k) is the covariance of their estimates: 2 times the inverse Hessian of
    minus twice the log-likelihood. `residual` is the residual variance. All are in the unit of
    `parts`, and the intercept is without their centre. With fixed topics, `over_topics` has the
    variances of all combinations with the intercept.
    """

    coefficients: Array
    covariance: Array
    by_variances: Array
    of_variances: Array
    residual: float
    parts: Parts
    over_topics: OverTopics | None = None

    @classmethod
    def of(cls, best: Point, sums: Sums) -> FixedEffects:
        """Return the fixed effects at the maximum likelihood of sums.

        A variance of 0 is at the end of its range, and is treated as known.
        """
        free = best.variances > 0
        # Variances may differ by many orders of magnitude.
        size = best.variances[free]
        hessian = best.hessian[np.ix_(free, free)] * np.outer(size, size)
        inverse = np.linalg.inv(hessian) * np.outer(size, size)
        scale, square = sums.scale, sums.scale * sums.scale
        return cls(
            sums.least_squares + scale * best.coefficients,
            square * best.covariance,
            square * best.covariance_by_variances[free],
            np.asarray(2 * inverse, dtype=np.float64),
            square * float(best.variances[-1]),
            sums.parts,
        )

    @classmethod
    def within(cls, best: Point, sums: Sums, x: Array, blocks: Sequence[Array]) -> FixedEffects:
        """Return the fixed effects with fixed topics, of `best` within topics.

        x (slots, p) are the columns without the intercept, and `blocks` those of random terms. The
        intercept is the mean over topics of the scores without the effects of the columns. See
        `OverTopics` for variances of combinations with it.
        """
        own = cls.of(best, sums)
        over_topics = OverTopics.of(best, sums, x, blocks, own.coefficients)
        only_columns = ((0, 0), (1, 0), (1, 0))
        return cls(
            np.append(over_topics.intercept, own.coefficients),
            np.pad(own.covariance, only_columns[1:]),
            np.pad(own.by_variances, only_columns),
            own.of_variances,
            own.residual,
            own.parts,
            over_topics,
        )

    def estimates(self, rows: Array) -> tuple[Array, Array, Array, Array]:
        """Return linear combinations (m,) by rows (m, p), standard errors, df, and t of each.

        df = 2 V^2 / var(V), of the estimated variance V of a combination; var(V) is by the delta
        method (Giesbrecht and Burns, 1985, Biometrics 41). With fixed topics, combinations with
        the intercept have those of `OverTopics`. A combination that does not vary, apart
        from rounding errors, has the standard error 0 and NaN degrees of freedom. An example is the
        mean of topics if a scheme gives all topics the same mean.
        """
        value, stderr, df = self._in_unit(rows)
        of_mean = rows[:, 0] * self.parts.centre
        t = np.divide(value + of_mean, stderr, out=np.full_like(stderr, np.nan), where=stderr > 0)
        return self.parts.numbers(value + of_mean), self.parts.numbers(stderr), df, t

    def _in_unit(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return the same in the unit of the parts, without their centre and without t."""
        variances = np.vecdot(rows @ self.covariance, rows)
        gradients = np.vecdot(rows @ self.by_variances, rows).T
        of_variances = np.vecdot(gradients @ self.of_variances, gradients)
        unknown = np.full_like(variances, np.nan)
        df = np.divide(2 * variances**2, of_variances, out=unknown, where=of_variances > 0)
        means = rows[:, 0] != 0
        if self.over_topics is not None and means.any():
            variances[means], df[means] = self.over_topics.variances(rows[means])
        constant = variances <= _ROUNDING * self.residual
        variances[constant], df[constant] = 0.0, np.nan
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
        estimates, stderr, df = self._in_unit(vectors.T @ rows)
        f = float(np.mean((estimates / stderr) ** 2))
        if np.ptp(df) <= _EQUAL * df.max():
            return f, float(df.mean())
        if df.min() <= 2:
            return f, 2.0
        expected = float(np.sum(df / (df - 2)))
        return f, 2 * expected / (expected - len(df))


@dataclass(frozen=True, eq=False)
class OverTopics:
    """Variance of means over topics, from how far the part of each topic is from its expectation.

    With fixed topics, a mean l = (l_0, l_1) is linear in the scores of topics, which are
    independent: it is sum_t g_t' y_t. With n_t scores on topic t, T topics, the centre c_t of the
    columns on a topic, their mean c, and within topics the weights W_t, for which W_t 1 = 0,

        g_t = l_0 1 / (T n_t) + W_t X_t (sum_s X_s' W_s X_s)^-1 (l_1 - l_0 c)

    The residuals r_t = y_t - a - X_t b tell how it varies from topic to topic:

        variance = k sum_t u_t^2, u_t = g_t' r_t

    This holds for any covariance of the mean of a topic and the differences within it. The model
    has none: a scheme that is fitted to the scores changes it. k makes the variance unbiased, and
    the degrees of freedom are those of Satterthwaite, both for scores with the covariance
    Z G Z' + I of the model (as Bell and McCaffrey, 2002, Survey Methodology 28, have them). If each
    topic has all scores, they are k = T / (T - 1) and T - 1: the mean has the standard error and
    the t test of T numbers, one for each topic.

    `present` (g, slots) has the patterns of missing scores, and `residuals` the r_t of the topics
    of each. x (slots, p) are the columns without c, which is `centre`, and z (slots, q) those of
    random effects. `relative` (q,) are the variances of these effects, divided by that of the
    residuals. `spread` is (sum_t X_t' W_t X_t)^-1.
    """

    intercept: float
    centre: Array
    present: BoolArray
    residuals: tuple[Array, ...]
    x: Array
    z: Array
    relative: Array
    spread: Array

    @classmethod
    def of(
        cls,
        best: Point,
        sums: Sums,
        x: Array,
        blocks: Sequence[Array],
        coefficients: Array,
    ) -> OverTopics:
        """Return the parts of topics."""
        parts = sums.parts
        means = means_of_topics(parts.present, x)
        centre = means.mean(axis=0)
        x = x - centre
        own = (means - centre) @ coefficients
        of_topics = parts.of_topics - own
        mean = float(of_topics.mean())
        left = parts.within - x @ coefficients + (own + of_topics - mean)[:, np.newaxis]
        patterns, of_topic = np.unique(parts.present, axis=0, return_inverse=True)
        return cls(
            mean - float(centre @ coefficients),
            centre,
            patterns,
            tuple(left[of_topic.ravel() == i][:, own] for i, own in enumerate(patterns)),
            x,
            np.hstack(list(blocks)),
            (best.variances[:-1] / best.variances[-1])[sums.owners],
            best.spread,
        )

    def variances(self, rows: Array) -> tuple[Array, Array]:
        """Return the variances (m,) of combinations by rows (m, p + 1), and their df (m,)."""
        counts = np.array([len(own) for own in self.residuals])
        topics, p = counts.sum(), self.x.shape[1]
        of_mean = rows[:, 0] / topics
        on_slots = self.x @ (self.spread @ (rows[:, 1:] - np.outer(rows[:, 0], self.centre)).T)
        squares = np.zeros(len(rows))
        expected = np.empty((len(counts), len(rows)))
        # Of each pattern, D'g of the columns D = (1, X - c), and the covariance of the scores of a
        # topic, g'y, with the estimates of D. `of_both` is the covariance of these estimates.
        moved, shared = np.empty((2, len(counts), len(rows), p + 1))
        of_both = np.zeros((p + 1, p + 1))
        of_both[1:, 1:] = self.spread
        for i, (own, left) in enumerate(zip(self.present, self.residuals, strict=True)):
            x, weighted, with_covariance = self.x[own], *self._within(own)
            n = len(x)
            g = of_mean / n + weighted(on_slots[own])
            squares += np.square(left @ g).sum(axis=0)
            covered = with_covariance(g)
            expected[i] = np.vecdot(g.T, covered.T)
            moved[i] = np.column_stack([g.sum(axis=0), g.T @ x])
            shared[i, :, 0] = covered.mean(axis=0) / topics
            shared[i, :, 1:] = weighted(covered).T @ x @ self.spread
            mean = with_covariance(np.full((n, 1), 1 / (n * topics)))
            of_both[0, 0] += counts[i] * mean.mean() / topics
            of_both[0, 1:] += counts[i] * (weighted(mean)[:, 0] @ x @ self.spread)
        of_both[1:, 0] = of_both[0, 1:]
        traces, of_squares = np.empty((2, len(rows)))
        for row in range(len(rows)):
            own, across = moved[:, row], moved[:, row] @ shared[:, row].T
            # Covariances of the u of topics of two patterns, and variances of those of one.
            between = own @ of_both @ own.T - across - across.T
            same = between.diagonal() + expected[:, row]
            traces[row] = counts @ same
            of_squares[row] = counts @ (same**2 - between.diagonal() ** 2)
            of_squares[row] += counts @ between**2 @ counts
        return squares * (counts @ expected) / traces, traces**2 / of_squares

    def _within(self, own: BoolArray) -> tuple[_Linear, _Linear]:
        """Return W_t and Z G Z' + I of the topics with scores in these slots, as functions."""
        z = self.z[own]
        z_left = z - z.mean(axis=0)
        inner = np.eye(z.shape[1]) + z_left.T @ z_left * self.relative

        def weighted(columns: Array) -> Array:
            left = columns - columns.mean(axis=0)
            on_z = np.linalg.solve(inner, z_left.T @ left)
            return np.asarray(left - z_left @ (self.relative[:, np.newaxis] * on_z))

        def with_covariance(columns: Array) -> Array:
            return np.asarray(columns + z @ (self.relative[:, np.newaxis] * (z.T @ columns)))

        return weighted, with_covariance
