"""Likelihood of a mixed model, with its first and second derivatives by the variances.

The scores y (n,) have mean X b and covariance V = v_0 I + sum_k v_k Z_k Z_k'. With

    P = V^-1 - V^-1 X (X' V^-1 X)^-1 X' V^-1

minus twice the log-likelihood at its best b, and its derivatives, are (Searle, Casella and
McCulloch, 1992, Variance Components, Section 6.6; REML)

    d = (n - p) log(2 pi) + log |V| + log |X' V^-1 X| + y' P y
    d_k = tr(P V_k) - y' P V_k P y
    d_jk = -tr(P V_j P V_k) + 2 y' P V_j P V_k P y

Maximum likelihood has n instead of n - p, no log |X' V^-1 X|, and V^-1 instead of P in the traces.
The computation uses relative variances g_k = v_k / v_0, V = v_0 (I + Z G Z'), and matrices q x q by

    Z' (I + Z G Z')^-1 Z = (I + Z'Z G)^-1 Z'Z

This also holds if a variance is 0, and if columns of Z depend on others.

Random effects are effects of topics, so scores on two topics are independent. A topic has the
columns X (slots, p) of fixed effects and Z (slots, q) of random effects. They are the same on all
topics except for slots without a score. A slot is a system, or a system and a replicate. Topics
with scores in the same slots have the same covariance and form one group: without missing scores
there is one group, and the time does not depend on the number of topics.

X and the scores are divided into their least squares residuals on Z, which are `within` a topic,
and Z times coefficients. Random effects only change the covariance of the second part, so no digits
are lost if their variances are large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal, get_args

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.spelling import argument

#: Restricted maximum likelihood, or maximum likelihood.
Method = Literal["REML", "ML"]
# Eigenvalues of Z'Z, sums of counts, are 0 below this.
_ZERO = 1e-11


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of products of X, Z and scores y, of g groups of topics.

    `topics` (g,) is the number of topics of each group, and `n` the number of all scores. For one
    topic of each group, `zz` (g, q, q) is Z'Z, and `x` (g, q, p) are the coefficients of X on Z.
    `y` (g, q) is the mean of the coefficients of scores over the topics of a group. `spread`
    (g, r, q) has r rows whose sums of squares and products are those of the differences from this
    mean. `within` (p + 1, p + 1) has the sums of squares and products of the residuals of X and,
    last, of scores. `starts` has the first column of each random term in Z.

    The scores are in the unit of `parts`, less their centre and X times `least_squares` (p,), and
    divided by `scale`: the standard deviation of what X and Z leave of them. So the variance of
    residuals is about 1, however large other variances are, and products of residuals are never
    differences of large numbers. `determined` tells that X and Z leave rounding errors only, and
    `constant` that X alone does. `topic` is the column of Z of the effect of topic.

    Sums within topics are of X, Z and scores without their means on each topic. `n` is then smaller
    by the number of topics, which is the number of these means.
    """

    topics: IntArray
    n: int
    zz: Array
    x: Array
    y: Array
    spread: Array
    within: Array
    starts: tuple[int, ...]
    scale: float
    least_squares: Array
    parts: Parts
    determined: bool
    constant: bool
    topic: int

    @classmethod
    def of(
        cls, parts: Parts, x: Array, blocks: Sequence[Array], *, within_topics: bool = False
    ) -> Sums:
        """Return the sums of scores (topics, slots).

        `x` (slots, p) has independent columns in slots with scores. The first is the intercept;
        within topics there is none. Each of `blocks` (slots, k) is the indicator of the levels of a
        random term; that of topic has one column.
        """
        present, z = parts.present, np.hstack(list(blocks))
        starts = tuple(accumulate((block.shape[1] for block in blocks[:-1]), initial=0))
        topic = starts[[block.shape[1] for block in blocks].index(1)]
        patterns, of_topic, topics = np.unique(
            present, axis=0, return_inverse=True, return_counts=True
        )
        members = np.split(np.argsort(of_topic.ravel(), kind="stable"), np.cumsum(topics)[:-1])
        projections = [_Projection.of(own, x, z, within_topics) for own in patterns]
        left, fitted, rank = _least_squares(parts, x, projections, members)
        of_topics = parts.of_topics - means_of_topics(present, x) @ fitted
        square, degrees = float(np.vdot(left, left)), left.size - len(left)
        constant = square + present.sum(axis=1) @ of_topics**2 <= parts.rounding
        free = (
            int(present.sum())
            - rank
            - sum(len(own) * each.rank for own, each in zip(members, projections, strict=True))
        )
        if free > 0:
            on_both = [
                each.left(left[own][:, each.present])
                for own, each in zip(members, projections, strict=True)
            ]
            square, degrees = sum(float(np.vdot(own, own)) for own in on_both), free
        determined = square <= parts.rounding
        scale = 1.0 if determined else float(np.sqrt(square / degrees))
        if within_topics:
            of_topics = np.zeros(len(left))
        groups = [
            each.sums(left[own][:, each.present] / scale, of_topics[own] / scale, topic)
            for own, each in zip(members, projections, strict=True)
        ]
        zz, of_x, of_y, within = (np.stack([own[i] for own in groups]) for i in (0, 1, 2, 4))
        most = max(len(own[3]) for own in groups)
        spread = np.stack([np.pad(own[3], ((0, most - len(own[3])), (0, 0))) for own in groups])
        n = int(present.sum()) - (len(left) if within_topics else 0)
        return cls(
            topics,
            n,
            zz,
            of_x,
            of_y,
            spread,
            within.sum(axis=0),
            starts,
            scale,
            fitted,
            parts,
            determined,
            bool(constant),
            topic,
        )

    @property
    def variance_of_topics(self) -> float:
        """The mean square of the effects of topics."""
        spread, means = self.spread[:, :, self.topic], self.y[:, self.topic]
        return float((np.vdot(spread, spread) + self.topics @ means**2) / self.topics.sum())

    @property
    def owners(self) -> IntArray:
        """The random term of each column of Z."""
        return np.searchsorted(self.starts, np.arange(self.zz.shape[1]), side="right") - 1


def means_of_topics(present: BoolArray, x: Array) -> Array:
    """Return the means (topics, p) of columns of slots over those that are present on a topic."""
    means: Array = (present @ x) / present.sum(axis=1)[:, np.newaxis]
    return means


def products_of(present: BoolArray, x: Array, own: Array) -> Array:
    """Return the sums of products (p, p), over scores, of columns without their `own` means."""
    sizes, counts = present.sum(axis=1), present.sum(axis=0)
    products: Array = x.T @ (counts[:, np.newaxis] * x) - own.T @ (sizes[:, np.newaxis] * own)
    return products


@dataclass(frozen=True, eq=False)
class _Projection:
    """Least squares on Z in the slots that are present on some topics.

    `x` and `z` are the columns in these slots; `own` are the means of x, 0 within topics, and
    `x_within` is x without its means. `on_z` (q, slots) gives coefficients on Z, `x_left` is what Z
    leaves of x, and `rank` is that of Z and a number for each topic.
    """

    present: BoolArray
    own: Array
    x_within: Array
    z: Array
    on_z: Array
    x_left: Array
    rank: int

    @classmethod
    def of(cls, present: BoolArray, x: Array, z: Array, within_topics: bool) -> _Projection:
        x, z = x[present], z[present]
        own = x.mean(axis=0)
        x_within = x - own
        if within_topics:
            own, z = 0 * own, z - z.mean(axis=0)
        # By scalar products of columns, because columns may be dependent; the shortest solution.
        on_z = np.linalg.pinv(z.T @ z, rcond=_ZERO, hermitian=True) @ z.T
        rank = round(float(np.vdot(on_z.T, z))) + within_topics
        return cls(present, own, x_within, z, on_z, x_within - z @ (on_z @ x_within), rank)

    def left(self, y: Array) -> Array:
        """Return what Z leaves of scores (topics, slots)."""
        return y - (y @ self.on_z.T) @ self.z.T

    def sums(self, y: Array, of_topics: Array, topic: int) -> tuple[Array, ...]:
        """Return the sums of topics with scores y (topics, slots) beside a number for each topic.

        This number, and that of each column, is the coefficient on the column of topic.
        """
        of_x, of_y = self.on_z @ self.x_within, y @ self.on_z.T
        y_left = y - of_y @ self.z.T
        of_x[topic] += self.own
        of_y[:, topic] += of_topics
        across = self.x_left.T @ y_left.sum(axis=0)
        within = np.block(
            [
                [len(y) * (self.x_left.T @ self.x_left), across[:, np.newaxis]],
                [across[np.newaxis], np.vdot(y_left, y_left)],
            ]
        )
        mean = of_y.mean(axis=0)
        # R'R are the sums of squares and products; there are none of one topic.
        rows = np.asarray(np.linalg.qr(of_y - mean, mode="r"), dtype=np.float64)
        return self.z.T @ self.z, of_x, mean, rows if len(y) > 1 else rows[:0], within


def _least_squares(
    parts: Parts, x: Array, projections: Sequence[_Projection], members: Sequence[IntArray]
) -> tuple[Array, Array, int]:
    """Return scores within topics less those by X, the coefficients, and the rank of X given Z.

    What X explains beside Z comes first, and the rest is explained within topics. Columns that do
    not vary within topics have the coefficient 0. All is done twice: first, large effects leave the
    rounding errors of coefficients.
    """
    present = parts.present
    own = means_of_topics(present, x)
    products = products_of(present, x, own)
    given_z = sum(
        (len(topics) * (each.x_left.T @ each.x_left))
        for topics, each in zip(members, projections, strict=True)
    )
    values, vectors = np.linalg.eigh(given_z)
    of_both = values > _ZERO * max(np.trace(products), 1.0)
    beside = (vectors[:, of_both] / values[of_both]) @ vectors[:, of_both].T
    rest = vectors[:, ~of_both]
    inside = rest @ np.linalg.pinv(rest.T @ products @ rest, rcond=_ZERO, hermitian=True) @ rest.T
    left, fitted = parts.within, np.zeros(x.shape[1])
    for _ in range(2):
        across = np.zeros(x.shape[1])
        for topics, each in zip(members, projections, strict=True):
            across += each.x_left.T @ left[topics][:, each.present].sum(axis=0)
        first = beside @ across
        left = _without(left, present, x, own, first)
        second = inside @ (x.T @ left.sum(axis=0))
        left = _without(left, present, x, own, second)
        fitted = fitted + first + second
    return left, fitted, int(of_both.sum())


def _without(values: Array, present: BoolArray, x: Array, own: Array, fitted: Array) -> Array:
    return np.where(present, values - x @ fitted + (own @ fitted)[:, np.newaxis], 0.0)


def check_method(method: str) -> Method:
    """Return a method as plain text, which R takes; raise `ModelError` for an unknown one."""
    known: tuple[Method, ...] = get_args(Method)
    for each in known:
        if isinstance(method, str) and method == each:
            return each
    raise ModelError(f"{argument('method', method)} is not accepted; expected {', '.join(known)}")


@dataclass(frozen=True, eq=False)
class Point:
    """The likelihood at given variances (k + 1,): of random terms and, last, of residuals.

    `value` is minus twice the log-likelihood of the scaled scores, with `gradient` and `hessian` by
    the variances.
    `coefficients` (p,) are the best ones, `spread` (p, p) is (X' V^-1 X)^-1 v_0^-1, and `across`
    (k, p, p) are X' V^-1 V_k V^-1 X v_0^2. `traces` (k,) are the traces of P V_k times v_0,
    `products` (k, k) the traces of P V_j P V_k times v_0^2, and `degrees` is n - p. Maximum
    likelihood has V^-1 instead of P, and n. All are for scaled scores; see `Sums`.
    """

    variances: Array
    value: float
    gradient: Array
    hessian: Array
    coefficients: Array
    spread: Array
    across: Array
    traces: Array
    products: Array
    degrees: int

    @property
    def covariance(self) -> Array:
        """Covariance of the coefficients."""
        covariance: Array = self.variances[-1] * self.spread
        return covariance

    @property
    def covariance_by_variances(self) -> Array:
        """Derivatives (k + 1, p, p) of the covariance of the coefficients by each variance."""
        by_terms = self.spread @ self.across @ self.spread
        relative = self.variances[:-1] / self.variances[-1]
        # The covariance is homogeneous of degree 1 in all variances (Euler).
        by_residual = self.spread - np.tensordot(relative, by_terms, 1)
        return np.concatenate([by_terms, by_residual[np.newaxis]])


def likelihood(sums: Sums, variances: Array, method: Method) -> Point:
    """Return the likelihood at variances; the last, the residual variance, must be positive."""
    residual = variances[-1]
    relative = variances[:-1] / residual
    count = sums.topics[:, np.newaxis, np.newaxis]
    m, logarithm = _inner(sums, relative[sums.owners])
    d = m @ sums.x  # Z'AX
    xax = sums.within[:-1, :-1] + np.tensordot(sums.x, count * d, ([0, 1], [0, 1]))
    of_y = sums.topics[:, np.newaxis] * sums.y
    xay = sums.within[:-1, -1] + np.tensordot(d, of_y, ([0, 1], [0, 1]))
    spread = np.asarray(np.linalg.inv(xax), dtype=np.float64)
    coefficients = spread @ xay
    # Rows with the sums of squares and products, over topics, of the coefficients on Z of what X b
    # leaves of scores. The last has their sum, over the root of the number of topics.
    root = np.sqrt(sums.topics)[:, np.newaxis]
    centre = root * (sums.y - sums.x @ coefficients)
    rows = np.concatenate([sums.spread, centre[:, np.newaxis]], axis=1)
    u = rows @ m  # Z'P y
    of_within = np.append(-coefficients, 1.0)
    square = float(of_within @ sums.within @ of_within + np.vdot(rows, u))

    places = [slice(*ends) for ends in pairwise([*sums.starts, m.shape[-1]])]
    across: Array = np.stack(
        [np.tensordot(count * d[:, k], d[:, k], ([0, 1], [0, 1])) for k in places]
    )
    h = _by_terms(((root * u[:, -1])[:, :, np.newaxis] * d).sum(axis=0), sums)
    traces = _by_terms(np.einsum("g,gqq->q", sums.topics, m), sums)
    of_m = np.tensordot(sums.topics, m * m, 1)
    of_pairs = np.stack([_by_terms(of_m[k].sum(axis=0), sums) for k in places])
    degrees = sums.n
    if method == "REML":
        degrees -= len(spread)
        logarithm += float(np.linalg.slogdet(xax)[1])
        of_d = count * (d @ spread)
        both = [(m[:, :, k] @ of_d[:, k] * d).sum(axis=(0, 2)) for k in places]
        own = spread @ across
        of_pairs = of_pairs - 2 * np.stack([_by_terms(each, sums) for each in both])
        of_pairs = of_pairs + np.einsum("jab,kba->jk", own, own)
        traces = traces - np.trace(own, axis1=1, axis2=2)
    square_1 = -_by_terms((u * u).sum(axis=(0, 1)), sums)
    both = [(u[:, :, k] @ m[:, k] * u).sum(axis=(0, 1)) for k in places]
    square_2 = 2 * (np.stack([_by_terms(each, sums) for each in both]) - h @ spread @ h.T)
    value = logarithm + degrees * np.log(2 * np.pi * residual)
    gradient, hessian = _by_variances(
        relative,
        residual,
        traces + square_1 / residual,
        -of_pairs + square_2 / residual,
        -square_1 / residual,
        (degrees - square / residual, square / residual),
    )
    return Point(
        variances,
        value + square / residual,
        gradient,
        hessian,
        coefficients,
        spread,
        across,
        traces,
        of_pairs,
        degrees,
    )


def _inner(sums: Sums, relative: Array) -> tuple[Array, float]:
    """Return Z'AZ, of A = (I + Z G Z')^-1 on one topic of each group, and the sum of log |A^-1|.

    The effect of topic is added last, so that no digits are lost if its variance is large:
    A = B - B 1 1'B g / (1 + g 1'B 1), with A = B for g = 0.
    """
    others = relative.copy()
    others[sums.topic] = 0.0
    inner = np.eye(len(others)) + sums.zz * others
    b = np.linalg.solve(inner, sums.zz)
    # A row of a larger variance has more digits than the equal column.
    b = np.where(others[:, np.newaxis] >= others, b, b.transpose(0, 2, 1))
    g, column = relative[sums.topic], b[:, :, sums.topic].copy()
    own = 1 + g * column[:, sums.topic]
    m = b - g / own[:, np.newaxis, np.newaxis] * (column[:, :, np.newaxis] * column[:, np.newaxis])
    m[:, sums.topic] = m[:, :, sums.topic] = column / own[:, np.newaxis]
    # The signs of numpy's determinants are 1: that of I + Z'Z G is the one of I + Z G Z'.
    return np.asarray(m), float(sums.topics @ (np.linalg.slogdet(inner)[1] + np.log(own)))


def _by_variances(
    relative: Array,
    residual: float,
    by_g: Array,
    by_gg: Array,
    by_gl: Array,
    by_l: tuple[float, float],
) -> tuple[Array, Array]:
    """Return gradient and Hessian by the variances, from those by g and l = log v_0.

    g_k = v_k / v_0. The derivative by v_k is the derivative by g_k divided by v_0. The derivative
    by v_0 is (the derivative by l minus the sum of g_k times the derivatives by g_k) / v_0.
    """
    gradient = np.append(by_g, by_l[0] - relative @ by_g) / residual
    crossed = by_gl - by_gg @ relative - by_g
    last = by_l[1] - by_l[0] + relative @ (2 * by_g - 2 * by_gl + by_gg @ relative)
    hessian = np.block([[by_gg, crossed[:, np.newaxis]], [crossed[np.newaxis], last]])
    return gradient, hessian / residual**2


def _by_terms(values: Array, sums: Sums) -> Array:
    """Return the sums (k, ...) over the columns of each term of values of columns (q, ...)."""
    return np.asarray(np.add.reduceat(values, sums.starts))
