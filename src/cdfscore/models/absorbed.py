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
from math import fsum

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray

# --- Scores as one number for each topic and the rest, in a unit that is a power of two ---

# Numbers are rounding errors if their squares add up to those of this number of ulp of the scores.
_ULP = 4


@dataclass(frozen=True, eq=False)
class Parts:
    """Scores 2^exponent (centre + of_topics + within) of the topics that have any.

    `within` (topics, slots) has the mean 0 on each topic, and is 0 where a score is missing;
    `of_topics` (topics,) has the mean 0. `present` tells where scores are. No digit of differences
    within a topic depends on the topic, as each score is first compared with another one of its
    topic, and such a difference is exact wherever a double has it. `rounding` is a sum of squares
    that rounded scores can have by chance: that of 4 ulp of the largest of their topic.
    """

    within: Array
    of_topics: Array
    present: BoolArray
    centre: float
    exponent: int
    rounding: float

    @classmethod
    def of(cls, scores: Array) -> Parts:
        """Return the parts of finite scores (topics, slots), NaN where missing."""
        present = ~np.isnan(scores)
        some = present.any(axis=1)
        scores, present = scores[some], present[some]
        _, exponent = np.frexp(np.abs(scores[present]).max(initial=0.0))
        own = np.where(present, np.ldexp(scores, -int(exponent)), 0.0)
        first = own[np.arange(len(own)), present.argmax(axis=1)]
        within = np.where(present, own - first[:, np.newaxis], 0.0)
        sizes = present.sum(axis=1)
        means = within.sum(axis=1) / sizes
        within = np.where(present, within - means[:, np.newaxis], 0.0)
        of_topics = (first - first[:1]) + means
        mean = fsum(of_topics) / max(len(own), 1)
        return cls(
            within,
            of_topics - mean,
            present,
            float(first[:1].sum()) + mean,
            int(exponent),
            _ULP**2 * float(sizes @ np.square(np.spacing(np.abs(own).max(axis=1, initial=0.0)))),
        )

    def of_all(self) -> tuple[Array, Array, float]:
        """Return scores without their mean, their sums (slots,), and the mean less `centre`.

        The sums over topics are exact before they are rounded: if no score is missing, numbers of
        topics do not change any difference of two sums.
        """
        n = self.present.sum()
        sizes = self.present.sum(axis=1)
        first = fsum(sizes * self.of_topics) / n
        of_topics = self.of_topics - first
        sums = np.array([fsum(of_topics[own]) for own in self.present.T])
        second = fsum(sums) / n
        values = self.within + np.where(self.present, (of_topics - second)[:, np.newaxis], 0.0)
        sums = self.within.sum(axis=0) + (sums - second * self.present.sum(axis=0))
        return values, sums, first + second

    def squares(self, values: Array) -> Array:
        """Return sums of squares in the unit of the scores: 0 or infinite beyond the doubles."""
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(values, 2 * self.exponent)

    def numbers(self, values: Array) -> Array:
        """Return numbers in the unit of the scores."""
        with np.errstate(under="ignore"):
            return np.ldexp(values, self.exponent)


def doubly_centred(scores: Array) -> Array:
    """Return complete scores (topics, slots) without the means of topics and of slots.

    Differences of differences of two topics and two slots come first: they have no effects of
    either, however large these are.
    """
    left = scores - scores[:, :1]
    left = left - left[:1]
    left = left - left.mean(axis=0)
    return np.asarray(left - left.mean(axis=1, keepdims=True))


def beyond_doubles(scheme: str, squares: Array) -> list[str]:
    """Return a note if a sum of squares is no double; the last is that of residuals, above 0."""
    if np.isfinite(squares).all() and squares[-1] >= np.finfo(np.float64).tiny:
        return []
    return [
        f"{scheme}: the squares of the scores are beyond the range of doubles, so sums of squares "
        "and variances are shown as 0 or inf, or with few digits; tests do not depend on the unit"
    ]


# --- Least squares on factors of systems, with the topics and their interactions absorbed ---
#
# The design of topics x systems has two kinds of columns. Z (systems, p) are columns of the
# systems, repeated on every topic. W (systems, q) are columns of each topic, which are 0 on all
# other topics: the intercept, for the factor topic, and the columns of the factors that interact
# with topic. By the theorem of Frisch, Waugh and Lovell (1933, 1963), the coefficients of Z can be
# estimated from the residuals of the scores and of Z given W, topic by topic. Only sums of products
# of these residuals are needed. With D_t = diag(d_ts), where d_ts is 1 if topic t has a score of
# system s, they are:
#
#     X'X = sum_t Z' D_t Z - Z' D_t W (W' D_t W)^-1 W' D_t Z
#
# The dense design of 500 systems on 250 topics has 125,000 x 749 numbers, 750 MB; this has 500 x
# 500.

# A column depends on others if their residual is this small a part of its square.
_ALIASED = 1e-10


@dataclass(frozen=True, eq=False)
class Absorbed:
    """Least squares without the columns W of each of t groups: topics, or all scores as one.

    `xx` (p, p) and `xy` (p,) are the sums of products of the residuals of columns and scores given
    W. `n` is the number of scores, and `rank` the rank of all W. `sizes` (p,) are the squares of
    the columns without W removed. `own` (t, q) and `across` (t, q, p) are the coefficients of
    scores and columns on W, without a number (t,) for each group, `constants`, that all its scores
    have in addition. `means` (p,) are those of columns, and `spread` (t, q, q) is the inverse of
    W'W. All scores are in the
    unit of `parts`, and without their centre.

    `values` (topics, systems) are the scores without the mean of their group, 0 where missing;
    `columns` (systems, p) are Z without means, and `within` (systems, q) are the columns of W.
    """

    xx: Array
    xy: Array
    n: int
    rank: int
    sizes: Array
    own: Array
    constants: Array
    across: Array
    means: Array
    spread: Array
    parts: Parts
    values: Array
    columns: Array
    within: Array

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
        """Return the residuals of the scores given W and columns, and their degrees of freedom.

        They are projected twice: first, large effects leave the rounding errors of coefficients.
        """
        inverse, rank = self.inverse(columns)
        left = self.values
        for _ in range(2):
            left = self._left(left, columns, inverse)
        return left, self.n - self.rank - rank

    def _left(self, values: Array, columns: IntArray, inverse: Array) -> Array:
        """Return scores (topics, systems) less their fitted values, 0 where missing."""
        sums = values.sum(axis=0)
        wy = values @ self.within if len(self.spread) > 1 else (sums @ self.within)[np.newaxis]
        across = self.across[:, :, columns].copy()
        across[:, 0] -= self.means[columns]
        own = (self.spread @ wy[:, :, np.newaxis])[:, :, 0]
        xy = self.columns[:, columns].T @ sums - np.tensordot(across, wy, ([0, 1], [0, 1]))
        coefficients = inverse @ xy
        fitted = (own - across @ coefficients) @ self.within.T
        fitted = fitted + self.columns[:, columns] @ coefficients
        return np.where(self.parts.present, values - fitted, 0.0)

    def inverse(self, columns: IntArray) -> tuple[Array, int]:
        """Return the inverse of xx on some columns, of least length where aliased; the rank."""
        return _inverse(self.xx[np.ix_(columns, columns)], self.sizes[columns])


def absorb(parts: Parts, columns: Array, within: Array, *, topics: bool) -> Absorbed:
    """Absorb columns `within` (systems, q) of each topic, or of all scores as one group.

    `columns` (systems, p) are those of systems. The first column within is the intercept.
    """
    weights = parts.present.astype(np.float64)
    if topics:
        values, means = parts.within, parts.of_topics
        sums = values.sum(axis=0)
        wy = values @ within
    else:
        values, sums, mean = parts.of_all()
        means, wy = np.array([mean]), (sums @ within)[np.newaxis]
        weights = weights.sum(axis=0)[np.newaxis]
    of_columns = columns.mean(axis=0)
    z = columns - of_columns  # which W has; without it no digits are lost
    q, p = within.shape[1], columns.shape[1]
    pairs = within[:, :, np.newaxis] * within[:, np.newaxis, :]
    ww = (weights @ pairs.reshape(-1, q * q)).reshape(-1, q, q)
    crossed = within[:, :, np.newaxis] * z[:, np.newaxis, :]
    wz = (weights @ crossed.reshape(len(z), q * p)).reshape(len(weights), q, p)
    spread, ranks = _inverses(ww)
    across = spread @ wz
    own = (spread @ wy[:, :, np.newaxis])[:, :, 0]
    totals = weights.sum(axis=0)
    products = z.T @ (totals[:, np.newaxis] * z)
    xy = z.T @ sums - np.tensordot(wz, own, ([0, 1], [0, 1]))
    across[:, 0] += of_columns
    return Absorbed(
        products - np.tensordot(wz, spread @ wz, ([0, 1], [0, 1])),
        xy,
        int(parts.present.sum()),
        int(ranks.sum()),
        products.diagonal().copy(),
        own,
        means,
        across,
        of_columns,
        spread,
        parts,
        values,
        z,
        within,
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
