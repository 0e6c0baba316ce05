"""Least squares on factors of systems, with the topics and their interactions absorbed.

The design of topics x systems has two kinds of columns. Z (systems, p) are columns of the systems,
repeated on every topic. W (systems, q) are columns of each topic, which are 0 on all other topics:
the intercept, for the factor topic, and the columns of the factors that interact with topic. By the
theorem of Frisch, Waugh and Lovell (1933, 1963), the coefficients of Z can be estimated from the
residuals of the scores and of Z given W, topic by topic. Only sums of products of these residuals
are needed. With D_t = diag(d_ts), where d_ts is 1 if topic t has a score of system s, they are:

    X'X = sum_t Z' D_t Z - Z' D_t W (W' D_t W)^-1 W' D_t Z

The dense design of 500 systems on 250 topics has 125,000 x 749 numbers, 750 MB; this has 500 x 500.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray

# A column depends on others if their residual is this small a part of its square.
_ALIASED = 1e-10


@dataclass(frozen=True, eq=False)
class Centred:
    """Scores (topics, systems), columns (systems, p) and coefficients on W, without means.

    Scores are 0 where missing. `own` (t, q) and `across` (t, q, p) are the coefficients of scores
    and columns on W, `within` (systems, q); t is 1 if all scores are one group.
    """

    scores: Array
    present: BoolArray
    columns: Array
    within: Array
    own: Array
    across: Array

    def left(self, columns: IntArray, coefficients: Array) -> Array:
        """Return the scores less their fitted values, 0 where missing."""
        on_within = self.own - self.across[:, :, columns] @ coefficients
        fitted = on_within @ self.within.T + self.columns[:, columns] @ coefficients
        return np.where(self.present, self.scores - fitted, 0.0)


@dataclass(frozen=True, eq=False)
class Absorbed:
    """Least squares without the columns W of each of t groups: topics, or all scores as one.

    `xx` (p, p) and `xy` (p,) are the sums of products of the residuals of columns and scores given
    W. `n` is the number of scores, and `rank` the rank of all W. `sizes` (p,) are the squares of
    the columns without W removed. `own` (t, q) and `across` (t, q, p) are the coefficients of
    scores and columns on W, and `spread` (t, q, q) is the inverse of W'W. `centred` has the data
    for residuals.
    """

    xx: Array
    xy: Array
    n: int
    rank: int
    sizes: Array
    own: Array
    across: Array
    spread: Array
    centred: Centred

    def added(self, columns: IntArray, given: IntArray) -> tuple[float, int]:
        """Return the sum of squares of columns given others, and its degrees of freedom."""
        xx, xy = self.xx[np.ix_(columns, columns)], self.xy[columns]
        if len(given):
            across = self.xx[np.ix_(given, columns)]
            inverse, _ = _inverse(self.xx[np.ix_(given, given)], self.sizes[given])
            solved = inverse @ across
            xx, xy = xx - across.T @ solved, xy - solved.T @ self.xy[given]
        inverse, rank = _inverse(xx, self.sizes[columns])
        return float(xy @ inverse @ xy), rank

    def residual(self, columns: IntArray) -> tuple[float, int]:
        """Return the residual sum of squares given W and columns, and its degrees of freedom.

        It is computed from the residuals. The total sum of squares minus the explained one would be
        rounding error if the residuals are small.
        """
        left, df = self.residuals(columns)
        return float(np.vdot(left, left)), df

    def residuals(self, columns: IntArray) -> tuple[Array, int]:
        """Return the residuals of the scores given W and columns, and their degrees of freedom."""
        inverse, rank = self.inverse(columns)
        left = self.centred.left(columns, inverse @ self.xy[columns])
        return left, self.n - self.rank - rank

    def inverse(self, columns: IntArray) -> tuple[Array, int]:
        """Return the inverse of xx on some columns, of least length where aliased; the rank."""
        return _inverse(self.xx[np.ix_(columns, columns)], self.sizes[columns])


def absorb(scores: Array, columns: Array, within: Array, *, topics: bool) -> Absorbed:
    """Absorb columns `within` (systems, q) of each topic, or of all scores as one group.

    Scores are (topics, systems), NaN where missing, and `columns` (systems, p) those of systems.
    The first column within is the intercept. Topics without a score are left out.
    """
    scores = scores[~np.isnan(scores).all(axis=1)]
    present = ~np.isnan(scores)
    weights = present.astype(np.float64)
    # Scores without their mean, so that squares keep the digits of the differences.
    means = np.nansum(scores, axis=1) / weights.sum(axis=1)
    if not topics:
        means = np.full(len(scores), np.nansum(scores) / weights.sum())
    values = np.where(present, scores - means[:, np.newaxis], 0.0)
    centred_scores = values
    if not topics:
        values, weights = (each.sum(axis=0)[np.newaxis] for each in (values, weights))
        means = means[:1]
    z = columns - columns.mean(axis=0)  # which W has; without it no digits are lost
    q, p = within.shape[1], columns.shape[1]
    pairs = within[:, :, np.newaxis] * within[:, np.newaxis, :]
    ww = (weights @ pairs.reshape(-1, q * q)).reshape(-1, q, q)
    crossed = within[:, :, np.newaxis] * z[:, np.newaxis, :]
    wz = (weights @ crossed.reshape(len(z), q * p)).reshape(len(weights), q, p)
    wy = values @ within
    spread, ranks = _inverses(ww)
    across = spread @ wz
    own = (spread @ wy[:, :, np.newaxis])[:, :, 0]
    totals = weights.sum(axis=0)
    products = z.T @ (totals[:, np.newaxis] * z)
    across_means = across.copy()
    across_means[:, 0] += columns.mean(axis=0)
    own_means = own.copy()
    own_means[:, 0] += means
    return Absorbed(
        products - np.tensordot(wz, across, ([0, 1], [0, 1])),
        z.T @ values.sum(axis=0) - np.tensordot(wz, own, ([0, 1], [0, 1])),
        int(present.sum()),
        int(ranks.sum()),
        products.diagonal().copy(),
        own_means,
        across_means,
        spread,
        Centred(centred_scores, present, z, within, own, across),
    )


def _inverses(a: Array) -> tuple[Array, IntArray]:
    """Return the inverses of symmetric matrices (t, q, q), of least length, and their ranks."""
    values, vectors = np.linalg.eigh(a)
    kept = values > _ALIASED * np.maximum(values[:, -1:], 1.0)
    scaled = vectors * np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)[:, np.newaxis]
    return scaled @ vectors.transpose(0, 2, 1), np.count_nonzero(kept, axis=1)


def _inverse(a: Array, sizes: Array) -> tuple[Array, int]:
    """Return the inverse of a symmetric matrix, of least length where aliased, and the rank.

    `sizes` are the squares of the columns before others were taken out of them.
    """
    if not len(a):
        return a, 0
    scale = np.sqrt(np.where(sizes > 0, sizes, 1.0))
    values, vectors = np.linalg.eigh(a / np.outer(scale, scale))
    kept = values > _ALIASED
    vectors = vectors[:, kept] / scale[:, np.newaxis]
    return (vectors / values[kept]) @ vectors.T, int(kept.sum())
