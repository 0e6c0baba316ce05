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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

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

    The scores are the least squares residuals on X, divided by their root mean square `scale`;
    `least_squares` (p,) are the coefficients of the given scores.

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

    @classmethod
    def of(
        cls, scores: Array, x: Array, blocks: Sequence[Array], *, within_topics: bool = False
    ) -> Sums:
        """Return the sums of scores (topics, slots), NaN where missing.

        `x` (slots, p) has independent columns in slots with scores. The first is the intercept;
        within topics there is none. Each of `blocks` (slots, k) is the indicator of the levels of a
        random term.
        """
        scores = scores[~np.isnan(scores).all(axis=1)]
        present = ~np.isnan(scores)
        n = int(present.sum())
        own = np.zeros((len(scores), x.shape[1]))
        mean = np.full(len(scores), np.nansum(scores) / n)
        if within_topics:
            n -= len(scores)
            own, mean = means_of_topics(present, x), np.nanmean(scores, axis=1)
        centred = np.where(present, scores - mean[:, np.newaxis], 0.0)
        products = products_of(present, x, own)
        fitted = np.linalg.solve(products, x.T @ centred.sum(axis=0))
        left = np.where(present, centred - x @ fitted + (own @ fitted)[:, np.newaxis], 0.0)
        scale = float(np.sqrt(np.vdot(left, left) / n))
        if not within_topics:
            fitted[0] += mean[0]
        y = left / (scale or 1.0)
        patterns, of_topic, topics = np.unique(
            present, axis=0, return_inverse=True, return_counts=True
        )
        order = np.argsort(of_topic.ravel(), kind="stable")
        rows = np.split(y[order], np.cumsum(topics)[:-1])
        z = np.hstack(list(blocks))
        centre = _without_mean if within_topics else _as_it_is
        groups = [_group(*each, x, z, centre) for each in zip(patterns, rows, strict=True)]
        zz, of_x, of_y, within = (np.stack([own[i] for own in groups]) for i in (0, 1, 2, 4))
        most = max(len(own[3]) for own in groups)
        spread = np.stack([np.pad(own[3], ((0, most - len(own[3])), (0, 0))) for own in groups])
        starts = tuple(accumulate((block.shape[1] for block in blocks[:-1]), initial=0))
        return cls(topics, n, zz, of_x, of_y, spread, within.sum(axis=0), starts, scale, fitted)

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


def _as_it_is(columns: Array) -> Array:
    return columns


def _without_mean(columns: Array) -> Array:
    centred: Array = columns - columns.mean(axis=0)
    return centred


def _group(
    present: BoolArray, y: Array, x: Array, z: Array, centre: Callable[[Array], Array]
) -> tuple[Array, ...]:
    """Return the sums of topics with scores y (topics, slots) in the slots that are present."""
    x, z, y = centre(x[present]), centre(z[present]), y[:, present]
    zz = z.T @ z
    # By scalar products of columns, because columns may be dependent; the shortest solution.
    on_z = np.linalg.pinv(zz, rcond=_ZERO, hermitian=True) @ z.T
    of_x, of_y = on_z @ x, y @ on_z.T
    x_left, y_left = x - z @ of_x, y - of_y @ z.T
    across = x_left.T @ y_left.sum(axis=0)
    within = np.block(
        [
            [len(y) * (x_left.T @ x_left), across[:, np.newaxis]],
            [across[np.newaxis], np.vdot(y_left, y_left)],
        ]
    )
    mean = of_y.mean(axis=0)
    # R'R are the sums of squares and products; there are none of one topic.
    rows = np.asarray(np.linalg.qr(of_y - mean, mode="r"), dtype=np.float64)
    return zz, of_x, mean, rows if len(y) > 1 else rows[:0], within
