"""Sums of products of a mixed model, which are sufficient for its likelihood.

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
from itertools import accumulate

import numpy as np

from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array, BoolArray, IntArray

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
