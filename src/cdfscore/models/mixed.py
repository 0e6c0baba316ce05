"""Mixed models of systems with components, on random topics, by each scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import accumulate, pairwise, product
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy import special

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import each_in_units
from cdfscore.comparison.pairs import joined
from cdfscore.errors import ModelError, SpecificationError, check_one_of, did_you_mean
from cdfscore.models.anova import RESIDUAL, LinearModel, Means
from cdfscore.models.formula import (
    TOPIC,
    Factor,
    Parts,
    Term,
    beyond_doubles,
    check_factors,
    check_part,
    columns_of,
    columns_of_all,
    factors_of,
    finite_values,
    labels_of,
    name_of,
    names_in,
    of_random_topics,
    one_thread,
    parse_formula,
    standardized_by,
)
from cdfscore.models.replicates import Replicates
from cdfscore.scores.dataframes import IntoFrame, both_as_pandas
from cdfscore.standardization.standardized import ExtraTopics, Standardized
from cdfscore.standardization.standardizer import How
from cdfscore.stats.numerics.numbers import between_0_and_1
from cdfscore.stats.numerics.student_t import interval, p_value
from cdfscore.stats.numerics.tails import upper_tail
from cdfscore.stats.numerics.types import Array, BoolArray, IntArray
from cdfscore.stats.schemes.base import scheme_label

# --- Likelihood of a mixed model, with its first and second derivatives by the variances ---
#
# With P of mixed_model.2 and V = v_0 I + sum_k v_k Z_k Z_k', the derivatives of minus twice the
# log-likelihood d at its best b are (Searle, Casella and McCulloch, 1992, Section 6.6; REML)
#
#     d_k = tr(P V_k) - y' P V_k P y
#     d_jk = -tr(P V_j P V_k) + 2 y' P V_j P V_k P y
#
# Maximum likelihood has V^-1 instead of P in the traces. The computation uses relative variances
# g_k = v_k / v_0, V = v_0 (I + Z G Z'), and matrices q x q by
#
#     Z' (I + Z G Z')^-1 Z = (I + Z'Z G)^-1 Z'Z
#
# This also holds if a variance is 0, and if columns of Z depend on others. Topics with scores in
# the same slots (systems, or systems with replicates) have the same covariance and form one group:
# the time does not depend on the number of topics.
#
# X and the scores are divided into their least squares residuals on Z, which are `within` a topic,
# and Z times coefficients. Random effects only change the covariance of the second part, so no
# digits are lost if their variances are large.

#: Restricted maximum likelihood, or maximum likelihood.
Estimation = Literal["REML", "ML"]
# Eigenvalues of Z'Z, sums of counts, are 0 below this.
_ZERO = 1e-11


@dataclass(frozen=True, eq=False)
class Products:
    """Sums of products of X, Z and scores y, of g groups of topics with scores in the same slots.

    `topics` (g,) is the number of topics of each group. For one topic of each group, `zz` (g, q, q)
    is Z'Z, and `x` (g, q, p) are the coefficients of X on Z; `y` (g, q) is the mean of those of
    scores, and `spread` (g, r, q) has rows with the squares of the differences from it. `within` (p
    + 1, p + 1) has the products of the residuals of X and, last, of scores. `starts` has the first
    column of each random term in Z, and `topic` that of topic.

    Scores are in the unit of `parts`, less their centre and X times `least_squares`, and divided by
    `scale`, so that the variance of residuals is about 1. Sums within topics are of X, Z and scores
    without their means on each topic, and `n` is smaller by their number.
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
    topic: int

    @classmethod
    def of(
        cls, parts: Parts, x: Array, blocks: Sequence[Array], *, within_topics: bool = False
    ) -> Products:
        """Return the sums of scores, given columns x (slots, p) and those of random terms."""
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
        if square + present.sum(axis=1) @ of_topics**2 <= parts.rounding:
            raise ModelError(
                "the scores are constant apart from the effects of the terms; expected scores with "
                "residuals"
            )
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
        if square <= parts.rounding:
            raise ModelError(DETERMINED)
        scale = float(np.sqrt(square / degrees))
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
            topic,
        )

    @property
    def owners(self) -> IntArray:
        """The random term of each column of Z."""
        return np.searchsorted(self.starts, np.arange(self.zz.shape[1]), side="right") - 1


def means_of_topics(present: BoolArray, x: Array) -> Array:
    """Return the means (topics, p) of columns of slots over those that are present on a topic."""
    return np.asarray((present @ x) / present.sum(axis=1)[:, np.newaxis])


def products_of(present: BoolArray, x: Array, own: Array) -> Array:
    """Return the sums of products (p, p), over scores, of columns without their `own` means."""
    sizes, counts = present.sum(axis=1), present.sum(axis=0)
    return np.asarray(x.T @ (counts[:, np.newaxis] * x) - own.T @ (sizes[:, np.newaxis] * own))


@dataclass(frozen=True, eq=False)
class _Projection:
    """Least squares on Z in the slots that are `present`; `own` are means of x, 0 within topics."""

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
        return y - (y @ self.on_z.T) @ self.z.T

    def sums(self, y: Array, of_topics: Array, topic: int) -> tuple[Array, ...]:
        """Return the sums of topics with scores y (topics, slots) beside a number for each."""
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
    """Return scores within topics less those by X, the coefficients, and the rank of X given Z."""
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


def check_method(method: str) -> Estimation:
    """Return a method as plain text, which R takes; raise `ModelError` for an unknown one."""
    known: tuple[Estimation, ...] = get_args(Estimation)
    return check_one_of("method", method, known, ModelError)


@dataclass(frozen=True, eq=False)
class Point:
    """Minus twice the log-likelihood, its `gradient` and `hessian`, at variances, residuals last.

    `spread` (p, p) is (X' V^-1 X)^-1 / v_0, and `across` (k, p, p) are X' V^-1 V_k V^-1 X v_0^2.
    `traces` (k,) are those of P V_k v_0, `products` (k, k) those of P V_j P V_k v_0^2, and
    `degrees` is n - p; maximum likelihood has V^-1 instead of P, and n.
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
    def covariance_by_variances(self) -> Array:
        """Derivatives (k + 1, p, p) of the covariance of the coefficients by each variance."""
        by_terms = self.spread @ self.across @ self.spread
        relative = self.variances[:-1] / self.variances[-1]
        # The covariance is homogeneous of degree 1 in all variances (Euler).
        by_residual = self.spread - np.tensordot(relative, by_terms, 1)
        return np.concatenate([by_terms, by_residual[np.newaxis]])


def likelihood(sums: Products, variances: Array, method: Estimation) -> Point:
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


def _inner(sums: Products, relative: Array) -> tuple[Array, float]:
    """Return Z'AZ, of A = (I + Z G Z')^-1 on one topic of each group, and the sum of log |A^-1|.

    The effect of topic is added last, so that no digits are lost if its variance is large: A = B -
    B 1 1'B g / (1 + g 1'B 1), with A = B for g = 0.
    """
    others = relative.copy()
    others[sums.topic] = 0.0
    inner = np.eye(len(others)) + sums.zz * others
    b = np.linalg.solve(inner, sums.zz)
    # A row of a larger variance has more digits than the equal column.
    b = np.where(others[:, np.newaxis] >= others, b, b.transpose(0, 2, 1))
    # Columns of a term add up to that of topic, as in Z; those of the largest variance have most
    # digits. Within topics, that of topic is 0.
    largest = max(pairwise([*sums.starts, len(others)]), key=lambda ends: others[ends[0]])
    if not others[largest[0]] or not sums.zz[:, sums.topic].any():
        largest = (sums.topic, sums.topic + 1)
    g, column = relative[sums.topic], b[:, :, slice(*largest)].sum(axis=2)
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
    """Return gradient and Hessian by the variances, from those by g = v_k / v_0 and l = log v_0."""
    gradient = np.append(by_g, by_l[0] - relative @ by_g) / residual
    crossed = by_gl - by_gg @ relative - by_g
    last = by_l[1] - by_l[0] + relative @ (2 * by_g - 2 * by_gl + by_gg @ relative)
    hessian = np.block([[by_gg, crossed[:, np.newaxis]], [crossed[np.newaxis], last]])
    return gradient, hessian / residual**2


def _by_terms(values: Array, sums: Products) -> Array:
    """Return the sums (k, ...) over the columns of each term of values of columns (q, ...)."""
    return np.asarray(np.add.reduceat(values, sums.starts))


# --- Fit of a mixed model to the scores by one scheme ---

# Columns (slots, m) of scores to others.
_Linear = Callable[[Array], Array]
# Degrees of freedom that differ by less than this, relative to their size, are equal.
_EQUAL = 1e-8
# A variance this small, relative to the residual variance, is rounding error.
_ROUNDING = 1e-20

_STEPS = 100
# Of the logarithm of an end; Newton's method squares the last step.
_CLOSE = 1e-6
# A part of an estimate that is rejected only if 0 is.
_SMALL = 1e-3
# The longest step of the logarithm of an end.
_LONGEST = 2.0

# A column depends on others if their residual is this small a part of its square.
_ALIASED = 1e-10
# 1 minus the squared correlation of two covariances that are the same, apart from rounding errors.
_ALIKE = 1e-9
#: The likelihood at variances.
Likelihood = Callable[[Array], Point]

#: The refusal of scores that leave no residuals.
DETERMINED = (
    "the residuals are 0, except for rounding errors, so no variance can be estimated; expected "
    "scores that the terms do not determine"
)
_STEPS_TO_OPTIMUM = 200
# Relative length of the last step. Newton's method squares it, so only rounding errors remain.
_CLOSE_TO_OPTIMUM = 1e-6
# Variances are variances of scaled scores. A variance below the first number is compared with this
# number, and residuals with a variance below the second are rounding errors.
_SMALL_STEP, _ROUNDING_OF_OPTIMUM = 1e-8, 1e-11
# The largest factor by which one step changes a variance: up, or down to above 0.
_FACTOR = 10.0
# A smaller difference of two values of the likelihood is rounding error.
_NOISE = 1e-8


def parse_random(terms: Sequence[str], factors: Mapping[str, Factor]) -> tuple[Term, ...]:
    """Parse random terms such as ``topic`` and ``topic:stemmer``, in their order."""
    listed = isinstance(terms, Iterable) and not isinstance(terms, str)
    if not listed or not all(isinstance(term, str) for term in terms):
        raise SpecificationError(
            f"random={terms!r} is not accepted; expected a list such as ['topic']"
        )
    known = (TOPIC, *factors)
    found = []
    for text in terms:
        names = names_in(text)
        if "" in names:
            raise SpecificationError(
                f"random={text!r} lacks a name; expected topic, or a term such as "
                f"{TOPIC}:{next(iter(factors))}"
            )
        for name in names:
            if name not in known:
                check_part(name, text, known)
                parts = [part.strip() for part in text.split(",")]
                each = f", and each term by itself, random={parts!r}"
                raise SpecificationError(
                    f"random={text!r} names {name!r}, which is not a "
                    f"factor{did_you_mean(name, known)}; expected some of {', '.join(known)}, "
                    f"joined by :{each if len(parts) > 1 else ''}"
                )
        if TOPIC not in names:
            raise SpecificationError(
                f"random={text!r} does not contain topic; expected topic, or a term such as "
                f"{TOPIC}:{text}, whose effects on two topics are independent (g_study has random "
                "systems)"
            )
        found.append((TOPIC, *dict.fromkeys(name for name in names if name != TOPIC)))
    if (TOPIC,) not in found:
        raise SpecificationError(
            f"the random terms {', '.join(map(name_of, found)) or '(none)'} lack topic; expected "
            "topic among them, because the scores on a topic share its difficulty"
        )
    twice = next((t for i, t in enumerate(found) if set(t) in map(set, found[:i])), None)
    if twice is not None:
        raise SpecificationError(
            f"the random term {name_of(twice)} is given twice; expected it once"
        )
    return tuple(found)


def indicators(term: Term, factors: Mapping[str, Factor], slots: int) -> Array:
    """Return the columns (slots, levels) of a random term within a topic."""
    own = [factors[name].codes for name in term if name != TOPIC]
    levels = np.stack([np.zeros(slots, np.int64), *own], axis=1)
    _, codes = np.unique(levels, axis=0, return_inverse=True)
    codes = codes.ravel()
    return np.eye(codes.max() + 1)[codes]


def check_distinct(sums: Products, terms: Sequence[Term]) -> None:
    """Raise `ModelError` for random terms whose variances cannot be separated."""
    point = likelihood(sums, np.append(np.zeros(len(terms)), 1.0), "REML")
    own = np.hstack([point.products, point.traces[:, np.newaxis]])
    information = np.vstack([own, np.append(point.traces, point.degrees)])
    size = np.sqrt(information.diagonal())
    names = [*map(name_of, terms), RESIDUAL]
    nothing = [name for name, own in zip(names, size, strict=True) if own**2 <= _ALIKE * sums.n]
    if nothing:
        raise ModelError(
            f"the variance of {nothing[0]} cannot be estimated, because the fixed effects explain "
            "all of it; expected two topics or more, and another formula"
        )
    correlations = information / np.outer(size, size)
    last = len(names) - 1
    for k, name in enumerate(names[:-1]):
        given = [last, *range(k)]
        own = correlations[np.ix_(given, given)]
        across = correlations[given, k]
        if 1 - across @ np.linalg.solve(own, across) > _ALIKE:
            continue
        same = next((j for j in given if 1 - correlations[j, k] ** 2 <= _ALIKE), None)
        if same == last:
            raise ModelError(
                f"{name} has one score for each of its levels, so its variance is that of the "
                "residuals; omit it from the random terms, or give replicates: several scores of a "
                "system on a topic, identified by replicate='COLUMN'"
            )
        others = name_of(terms[same]) if same is not None else "other terms and residuals together"
        raise ModelError(
            f"the variance of {name} cannot be separated from that of {others}, because their "
            "levels are the same on each topic; omit one of them from the random terms"
        )


@dataclass(frozen=True, eq=False)
class Maximum:
    """The `best` point of a likelihood of scaled scores, and the likelihood itself."""

    sums: Products
    best: Point
    likelihood: Likelihood

    @classmethod
    def of(cls, sums: Products, start: Array, method: Estimation) -> Maximum:
        """Maximize from variances `start`; raises `ModelError` if it does not converge."""
        of_scores = partial(likelihood, sums, method=method)
        return cls(sums, greatest(of_scores, start), of_scores)

    @property
    def variances(self) -> Array:
        """Variances of the random terms and, last, of the residuals, on the scale of scores."""
        return self._squares(self.best.variances)

    @property
    def sds(self) -> Array:
        """Their roots."""
        return self.sums.parts.numbers(self.sums.scale * np.sqrt(self.best.variances))

    def interval(self, place: int, alpha: float) -> Array:
        """Return the two ends of the interval of the variance at a place."""
        ends = profile_interval(self.likelihood, self.best, place, alpha)
        return self._squares(np.array(ends))

    def _squares(self, variances: Array) -> Array:
        # Not by **, which calls pow of C: in two units its last bits may differ.
        return self.sums.parts.squares(self.sums.scale * self.sums.scale * variances)


@dataclass(frozen=True, eq=False)
class MixedFit:
    """A mixed model at its maximum likelihood, with the `places` of the coefficients of each term.

    If the `whole` maximum has no variance of topic, all but it is from differences `within` topics.
    """

    factors: Mapping[str, Factor]
    places: Mapping[Term, slice]
    fixed: FixedEffects
    whole: Maximum
    within: Maximum | None
    topic: int

    @classmethod
    def of(
        cls,
        scores: Array,
        factors: Mapping[str, Factor],
        terms: Sequence[Term],
        random: Sequence[Term],
        method: Estimation,
    ) -> MixedFit:
        """Fit fixed `terms` and `random` terms to scores (topics, slots), NaN where missing."""
        slots = scores.shape[1]
        columns, own = columns_of_all(terms, factors, slots)
        x = np.hstack([np.ones((slots, 1)), columns])
        places = {term: slice(place.start + 1, place.stop + 1) for term, place in own.items()}
        parts = Parts.of(scores)
        present = parts.present
        if len(present) < 2:
            raise ModelError("the scores are on one topic; expected two topics or more")
        _check_columns(products_of(present, x, np.zeros((len(present), x.shape[1]))), places)
        blocks = [indicators(term, factors, slots) for term in random]
        sums = Products.of(parts, x, blocks)
        check_distinct(sums, random)
        topic = random.index((TOPIC,))
        # The mean square of the effects of topics.
        spread, means = sums.spread[:, :, sums.topic], sums.y[:, sums.topic]
        square = float((np.vdot(spread, spread) + sums.topics @ means**2) / sums.topics.sum())
        start = np.ones(len(random) + 1)
        start[topic] = max(square, 1.0)
        whole = Maximum.of(sums, start, method)
        if whole.best.variances[topic] > 0:
            fixed = FixedEffects.of(whole.best, sums)
            return cls(factors, places, fixed, whole, None, topic)
        _check_columns(products_of(present, columns, means_of_topics(present, columns)), own)
        inside = Products.of(parts, columns, blocks, within_topics=True)
        # These sums have no effects that all scores of a topic share: their variance is 0.
        start = np.where(np.arange(len(random) + 1) == topic, 0.0, 1.0)
        within = Maximum.of(inside, start, method)
        fixed = FixedEffects.within(within.best, inside, columns, blocks)
        return cls(factors, places, fixed, whole, within, topic)

    @property
    def variances(self) -> Array:
        """Variances of the random terms and, last, of the residuals."""
        return (self.within or self.whole).variances

    @property
    def sds(self) -> Array:
        """Standard deviations of the random terms and, last, of the residuals."""
        return (self.within or self.whole).sds

    @property
    def proportions(self) -> Array:
        """Parts of the sum of the variances."""
        own = (self.within or self.whole).best.variances
        return np.asarray(own / own.sum())

    @property
    def topics(self) -> int:
        """Number of topics with scores."""
        return int(self.whole.sums.topics.sum())

    @property
    def scores(self) -> int:
        """Number of scores."""
        return self.whole.sums.n

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood of random topics: R's ``logLik`` under ``contr.sum``."""
        sums, best = self.whole.sums, self.whole.best
        unit = np.log(sums.scale) + sums.parts.exponent * np.log(2)
        return float(-best.value / 2 - best.degrees * unit)

    def intervals(self, alpha: float) -> Array:
        """Return the intervals (k + 1, 2) of the variances."""
        ends = [
            (self.whole if place == self.topic else self.within or self.whole).interval(
                place, alpha
            )
            for place in range(len(self.variances))
        ]
        return np.array(ends)

    def cells(self, term: Term) -> tuple[list[tuple[str, ...]], Array]:
        """Return the labels of the cells of a term, and their rows (m, p) in marginal means."""
        levels = [self.factors[name].levels for name in term]
        codes = np.array(list(product(*(range(len(own)) for own in levels)))).T
        of_cells = {
            name: Factor(name, own, each)
            for name, own, each in zip(term, levels, codes, strict=True)
        }
        rows = np.zeros((codes.shape[1], len(self.fixed.coefficients)))
        rows[:, 0] = 1.0
        for other, place in self.places.items():
            if set(other) <= set(term):
                rows[:, place] = columns_of(other, of_cells)
        return list(product(*levels)), rows

    def tested(self, term: Term) -> Array:
        """Return the rows (m, p) that are 0 by the hypothesis of a term: orthonormal contrasts."""
        place = self.places[term]
        rows = np.zeros((place.stop - place.start, len(self.fixed.coefficients)))
        parts = [self.factors[name].contrasts for name in reversed(term)]
        rows[:, place] = reduce(np.kron, [np.linalg.qr(part)[1] for part in parts])
        return rows

    def contrasts(self, term: Term) -> list[str]:
        """Return the names of the coefficients of a term: cells without those of last levels."""
        levels = [self.factors[name].levels[:-1] for name in reversed(term)]
        return labels_of(term, [cell[::-1] for cell in product(*levels)])


def _check_columns(products: Array, places: Mapping[Term, slice]) -> None:
    """Raise `ModelError` for the first term with columns that follow from those before it."""
    size = np.sqrt(products.diagonal())
    products = products / np.outer(*2 * [np.where(size > 0, size, 1.0)])
    for term, place in places.items():
        own = products[: place.stop, : place.stop]
        if np.linalg.eigvalsh(own)[0] <= _ALIASED:
            raise ModelError(
                f"the effects of {name_of(term)} follow from those of other terms: some "
                "combination of levels has no score, or the levels of two factors are the same; "
                f"omit {name_of(term)}"
            )


def profile_interval(
    likelihood: Likelihood, best: Point, place: int, alpha: float
) -> tuple[float, float]:
    """Return the interval of the variance at a place, as mixed_model.4 defines it."""
    quantile = float(special.chdtri(1, alpha))
    estimate = float(best.variances[place])
    if estimate == 0:
        return 0.0, _end(likelihood, best, place, quantile, quantile / best.gradient[place])
    # About the distance of an end on the scale of logarithms, where the curve is near a parabola.
    curvature = best.hessian[place, place] * estimate**2
    far = np.exp(np.sqrt(2 * quantile / max(curvature, quantile / 2)))
    high = _end(likelihood, best, place, quantile, estimate * far)
    if place < len(best.variances) - 1:
        # Without effects that are large, other variances would have to make up for them: digits of
        # the likelihood are lost. But then a smaller variance is rejected too.
        small = [estimate * _SMALL, 0.0]
        lost = (
            greatest(likelihood, _moved(best, place, each), place).value - best.value
            for each in small
        )
        if all(each <= quantile for each in lost):
            return 0.0, high
    return _end(likelihood, best, place, quantile, estimate / far), high


def _end(likelihood: Likelihood, best: Point, place: int, quantile: float, start: float) -> float:
    """Return the end on the side of `start`, by Newton's method within a bracket of the end."""
    outward = 1.0 if start > best.variances[place] else -1.0
    with np.errstate(divide="ignore"):
        inside, outside = float(np.log(best.variances[place])), outward * np.inf
    here, near = float(np.log(start)), best
    for _ in range(_STEPS):
        variance = float(np.exp(here))
        near = greatest(likelihood, _moved(near, place, variance), place)
        lost = max(near.value - best.value, 0.0)
        if lost <= quantile:
            inside = here
        else:
            outside = here
        slope = variance * float(near.gradient[place]) / 2
        step = outward * _LONGEST
        if outward * slope > 0:
            # (root(q) - root(lost)) / (slope / root(lost))
            newton = (np.sqrt(quantile * lost) - lost) / slope
            step = float(np.clip(newton, -_LONGEST, _LONGEST))
        if abs(step) <= _CLOSE:
            return float(np.exp(here + step))
        here += step
        low, high = sorted((inside, outside))
        if not low < here < high:
            here = (inside + outside) / 2
    raise ModelError(
        f"the interval of a variance has not converged after {_STEPS} steps; expected a smaller "
        "alpha, fewer random terms, or more topics"
    )


def _moved(point: Point, place: int, variance: float) -> Array:
    """Return starting variances with a new value at a place, and the others on their tangent."""
    free = point.variances > 0
    free[place] = False
    step = variance - point.variances[place]
    moved = point.variances.copy()
    if free.any():
        across = point.hessian[free, place]
        moved[free] -= step * np.linalg.solve(point.hessian[np.ix_(free, free)], across)
    moved = np.clip(moved, point.variances / 2, 2 * point.variances)
    moved[place] = variance
    return moved


@dataclass(frozen=True, eq=False)
class FixedEffects:
    """Coefficients (p,) of fixed effects, their covariance (p, p), and its precision.

    `by_variances` (k, p, p) are the derivatives of the covariance by the variances that are not 0,
    and `of_variances` (k, k) is the covariance of their estimates. The intercept is without the
    centre of `parts`; with fixed topics, `over_topics` has combinations with it.
    """

    coefficients: Array
    covariance: Array
    by_variances: Array
    of_variances: Array
    residual: float
    parts: Parts
    over_topics: OverTopics | None = None

    @classmethod
    def of(cls, best: Point, sums: Products) -> FixedEffects:
        """Return the fixed effects at the maximum; a variance of 0 is treated as known."""
        free = best.variances > 0
        # Variances may differ by many orders of magnitude.
        size = best.variances[free]
        hessian = best.hessian[np.ix_(free, free)] * np.outer(size, size)
        inverse = np.linalg.inv(hessian) * np.outer(size, size)
        scale, square = sums.scale, sums.scale * sums.scale
        return cls(
            sums.least_squares + scale * best.coefficients,
            square * (best.variances[-1] * best.spread),
            square * best.covariance_by_variances[free],
            np.asarray(2 * inverse, dtype=np.float64),
            square * float(best.variances[-1]),
            sums.parts,
        )

    @classmethod
    def within(cls, best: Point, sums: Products, x: Array, blocks: Sequence[Array]) -> FixedEffects:
        """Return the fixed effects with fixed topics, of columns x (slots, p)."""
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
        """Return linear combinations (m,) by rows (m, p), standard errors, df, and t of each."""
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
        """Return F of the hypothesis that all m combinations are 0, and its denominator's df."""
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
    """Variance of means over topics, from the influences of topics, as mixed_model.5 has it.

    `present` (g, slots) has the patterns of missing scores, and `residuals` those of the topics of
    each. x (slots, p) are the columns without `centre`, z (slots, q) those of random effects with
    variances `relative` to that of the residuals, and `spread` is (sum_t X_t' W_t X_t)^-1.
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
        sums: Products,
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


def greatest(likelihood: Likelihood, start: Array, fixed: int | None = None) -> Point:
    """Return the point of maximum likelihood; one variance may be `fixed` at its start.

    Newton's method works on the variances themselves, which can be exactly 0: the projected method
    of Bertsekas (1982), by the absolute values of the eigenvalues of the Hessian.
    """
    point = likelihood(start)
    for _ in range(_STEPS_TO_OPTIMUM):
        free = (point.variances > 0) | (point.gradient < 0)
        if fixed is not None:
            free[fixed] = False
        step, convex = _step(point, free)
        moved = _towards(point.variances, step)
        length = np.abs(moved - point.variances) / np.maximum(point.variances, _SMALL_STEP)
        if convex and length.max() <= _CLOSE_TO_OPTIMUM:
            # The value is already that of the optimum, and a profile needs only the value.
            return likelihood(moved) if fixed is None else point
        point = _lower(likelihood, point, step)
        if point.variances[-1] < _ROUNDING_OF_OPTIMUM:
            raise ModelError(DETERMINED)
    raise ModelError(
        f"the likelihood has not converged after {_STEPS_TO_OPTIMUM} steps of Newton's method, so "
        "there are no estimates; expected fewer random terms, or more topics"
    )


def _step(point: Point, free: BoolArray) -> tuple[Array, bool]:
    """Return Newton's step on the free variances, and whether the likelihood is convex there."""
    scale = np.maximum(point.variances, 1e-3 * point.variances[-1])[free]
    hessian = scale[:, np.newaxis] * point.hessian[np.ix_(free, free)] * scale
    values, vectors = np.linalg.eigh(hessian)
    size = np.maximum(np.abs(values), 1e-12 * np.abs(values).max(initial=0.0))
    step = np.zeros(len(free))
    step[free] = -scale * (vectors @ ((vectors.T @ (scale * point.gradient[free])) / size))
    return step, bool((values > 0).all())


def _towards(variances: Array, step: Array) -> Array:
    """Return the variances after a step, shortened if it is too long or leads below 0."""
    most = np.maximum(variances, _FACTOR * (variances + variances[-1]))
    moved = np.clip(variances + step, 0.0, most)
    moved[-1] = max(moved[-1], variances[-1] / _FACTOR)
    return moved


def _lower(likelihood: Likelihood, point: Point, step: Array) -> Point:
    """Return a point of higher likelihood along the step, halved if needed (Armijo, 1966)."""
    part = 1.0
    while True:
        found = likelihood(_towards(point.variances, part * step))
        expected = float(point.gradient @ (found.variances - point.variances))
        if found.value <= point.value + 1e-4 * expected or abs(expected) <= _NOISE:
            return found
        part /= 2


# --- Result of a mixed model: tests, coefficients, variances, marginal means, differences ---


@dataclass(frozen=True, eq=False, repr=False)
class MixedModel(LinearModel):
    """Result of `mixed_model`: tests, variances and coefficients, and methods for means.

    If the variance of topic is estimated as 0, all results except `log_likelihood` and the interval
    of this variance are for differences within topics: see `mixed_model`.

    Attributes
    ----------
    table
        One row for each scheme and fixed term: ``scheme``, ``term``, ``df``, ``df_error``,
        ``statistic`` (F), ``p_value``.
    variances
        One row for each scheme and random term, and one for the residuals: ``scheme``,
        ``component``, ``variance``, ``sd``, ``proportion`` of the sum of the variances, and the
        interval ``conf_low``, ``conf_high`` of the variance at 1 - alpha.
    coefficients
        One row for each scheme and coefficient of a fixed term, in sum contrasts: ``scheme``,
        ``term``, ``contrast``, ``estimate``, ``stderr``, ``df``, ``statistic`` (t), ``p_value``,
        ``conf_low``, ``conf_high``. The intercept is the mean of all cells, with equal weights.
        The coefficient of a level is its difference from this mean. The coefficient of the last
        level, which has no row, is minus the sum of the others.
    formula, random, method, alpha
        As of `mixed_model`.
    topics, scores
        The numbers of topics and of scores by scheme.
    log_likelihood
        The log-likelihood by scheme. Log-likelihoods of two formulas can be compared if both are by
        "ML" and on the same scores.
    fitted_to, notes, standardized
        As of `Anova`.
    cautions
        The notes that were also warnings: on scores that are treated as independent, on effects
        that are assumed to be the same on all topics, and on variances of 0.
    fits
        The fit by scheme, for the methods.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import mixed_model
    >>> ap, parts = datasets.load_cranfield_grid("ap"), datasets.load_cranfield_components()
    >>> found = mixed_model(ap, "score ~ stemmer", parts, random=["topic", "topic:stemmer"])
    >>> found.means("stemmer")[["stemmer", "mean", "stderr"]].round(3)
      stemmer   mean  stderr
    0    none  0.299   0.017
    1       s  0.311   0.017
    2  porter  0.322   0.017
    """

    variances: pd.DataFrame
    coefficients: pd.DataFrame
    random: tuple[Term, ...]
    method: Estimation
    topics: dict[str, int]
    scores: dict[str, int]
    log_likelihood: dict[str, float]
    fitted_to: str
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    fits: Mapping[str, MixedFit] = field(default_factory=dict)
    standardized: tuple[Standardized, ...] = ()

    def _means(self, term: Term, scheme: str) -> Means:
        fit = self.fits[scheme]
        labels, rows = fit.cells(term)
        mean, stderr, df, _ = fit.fixed.estimates(rows)
        return Means(labels, mean, stderr, df, lambda i, j: fit.fixed.estimates(rows[i] - rows[j]))

    @property
    def _told(self) -> str:
        random = " + ".join(map(name_of, self.random))
        return f"mixed model by {self.method}, {self.formula}, random {random}"


# --- Mixed models of systems with components, on random topics, by each scheme ---


@one_thread
def mixed_model(
    scores: IntoFrame | Replicates,
    formula: str,
    components: IntoFrame | None = None,
    *,
    random: Sequence[str] = (TOPIC,),
    method: Estimation = "REML",
    schemes: Sequence[How] = ("raw",),
    alpha: float = 0.05,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
) -> MixedModel:
    """Fit a linear model with random topics to scores, for each scheme.

    A score on topic t is y = X b + sum_k Z_k u_tk + e. Here b are fixed effects of components of
    systems, u_tk random effects of the topic with variance v_k, and e residuals with variance v_0;
    all random effects and residuals are independent and normal. Results are about a population of
    topics, and these topics are a sample of it. Results of `anova` are about these topics only.

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind, or several scores of each system on a topic,
        from `as_replicates` or `read_replicates`. Missing scores are omitted under
        ``missing="omit"`` of a `Standardizer`.
    formula
        Fixed effects, ``score ~ stemmer * model``: see `parse_formula`. The factors are system, the
        columns of `components`, and those of replicates.
    components
        As of `anova`.
    random
        Random terms: ``topic``, and terms such as ``topic:stemmer`` for effects that differ from
        topic to topic. ``topic:system`` needs replicates, because with one score of a system on a
        topic it is the residual. The test of a term is about a population of topics if its
        interaction with topic is a random term or is the residual. Otherwise its effect is assumed
        to be the same on all topics.
    method
        "REML", restricted maximum likelihood, or "ML", maximum likelihood, whose variances are too
        small because it does not account for the number of fixed effects. Only log-likelihoods by
        "ML" can be compared between two formulas.
    schemes
        As of `anova`. Replicates of a topic are standardized by one distribution, fitted to all of
        them.
    alpha
        1 - alpha is the confidence of all intervals.
    reference, extra_topics
        As for `cdfscore.compare`.

    Raises
    ------
    ModelError
        For a formula, components or random terms that do not define a model; for a random term
        whose variance cannot be separated from that of another term or of the residuals; for fixed
        effects that follow from others; for scores without residuals, such as constant scores; and
        if the likelihood does not converge.
    CdfscoreError
        For input that `compare` refuses.

    Notes
    -----
    The tests of terms and coefficients are the F and t tests of Wald of type III, with degrees of
    freedom by Satterthwaite's method (Giesbrecht and Burns, 1985; Fai and Cornelius, 1996), as in
    ``summary`` and ``anova`` of R's lmerTest; for a term with several degrees of freedom in an
    unbalanced design, those here differ by some percent and do not depend on the coding of the
    factors. The intervals of variances are profile likelihood intervals; ``confint`` of lme4 has
    them for "ML". If a variance is estimated as 0, a note states it, and the tests treat it as
    known.

    The variance of topic is estimated as 0 for most standardized scores, because the means of
    topics vary less than by chance. The tests, the coefficients and the other variances are then
    computed from the likelihood of differences within topics, as with fixed topics: else the tests
    would reject too often. The intercept and marginal means are means over topics. See clauses
    mixed_model.3 and mixed_model.5 of the specification.

    Sources: Patterson and Thompson (1971), Biometrika 58, for REML; Searle, Casella and McCulloch
    (1992), Variance Components; Ferro and Silvello (2016), A general linear mixed models approach
    to study system component effects, for its use. R: ``lme4::lmer`` and ``nlme::lme``. Why
    ``MixedLM`` of statsmodels is not used: docs/decisions/0025-mixed-models.md.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> ap, parts = datasets.load_cranfield_grid("ap"), datasets.load_cranfield_components()
    >>> found = mixed_model(ap, "score ~ stemmer", parts, random=["topic", "topic:stemmer"])
    >>> found.table[["term", "df", "df_error", "statistic"]].round(2)
          term  df  df_error  statistic
    0  stemmer   2     448.0       9.72
    >>> found.variances[["component", "variance", "proportion"]].round(4)
           component  variance  proportion
    0          topic    0.0587      0.8012
    1  topic:stemmer    0.0025      0.0342
    2       residual    0.0121      0.1646
    """
    check_method(method)
    level = between_0_and_1("alpha", alpha, ModelError)
    replicates = scores if isinstance(scores, Replicates) else None
    frames = both_as_pandas(scores.scores if isinstance(scores, Replicates) else scores, reference)
    found = standardized_by(schemes, *frames, extra_topics)
    factors = _factors(components, found[0].used.systems, replicates)
    parsed = parse_formula(formula, list(factors))
    if TOPIC in parsed.factors:
        raise SpecificationError(
            f"the formula {formula!r} has topic, which is random here; expected fixed effects of "
            f"{', '.join(factors)}, and topic in random=['topic']"
        )
    terms = parse_random(random, factors)
    names = dict.fromkeys(name for term in (*parsed.terms, *terms) for name in term)
    check_factors(factors[name] for name in names if name != TOPIC)
    fits: dict[str, MixedFit] = {}
    tests, variances, coefficients = [], [], []
    cautions = of_random_topics(parsed.terms, terms, factors)
    notes, of_scores = list[str](), dict[str, list[str]]()
    for each in found:
        scheme = str(each.factors.fitted.scheme)
        label, values = scheme_label(scheme), finite_values(each, scheme)
        try:
            fit = MixedFit.of(values, factors, parsed.terms, terms, method)
            intervals = fit.intervals(level)
        except ModelError as error:
            raise ModelError(f"{scheme}: {error}") from error
        fits[scheme] = fit
        of_terms = [fit.fixed.f_test(fit.tested(term)) for term in fit.places]
        dfs = [place.stop - place.start for place in fit.places.values()]
        columns: dict[str, Any] = {
            "scheme": scheme,
            "term": [name_of(term) for term in fit.places],
            "df": dfs,
            "df_error": [error for _, error in of_terms],
            "statistic": [f for f, _ in of_terms],
            "p_value": [
                upper_tail(np.array(f), df, error).item()
                for (f, error), df in zip(of_terms, dfs, strict=True)
            ],
        }
        tests.append(pd.DataFrame(columns))
        columns = {
            "scheme": scheme,
            "component": [*map(name_of, terms), RESIDUAL],
            "variance": fit.variances,
            "sd": fit.sds,
            "proportion": fit.proportions,
            "conf_low": intervals[:, 0],
            "conf_high": intervals[:, 1],
        }
        variances.append(pd.DataFrame(columns))
        notes += beyond_doubles(scheme, variances[-1]["variance"].to_numpy())
        coefficients.append(pd.DataFrame(_coefficients(scheme, fit, level)))
        of_scores[scheme] = each.notes
        if scheme != "raw" and each.fitted_to == "these scores":
            notes.append(
                f"{label} is fitted to the scores of each topic, so the variance of "
                "topic does not measure the difficulty of topics"
            )
        if scheme != "raw" and replicates is not None:
            notes.append(
                f"{label} standardizes all replicates of a topic by one distribution, and counts "
                "each replicate as a reference system"
            )
        if fit.within is not None:
            notes.append(
                f"{label}: the variance of topic is estimated as 0, so effects of topic are "
                "omitted: tests and all other variances are for differences within topics"
            )
        cautions += [
            f"{label}: the variance of {name_of(term)} is estimated as 0, its smallest possible "
            "value; tests are those of the model without it"
            for term, variance in zip(terms, fit.variances[:-1], strict=True)
            if variance == 0 and term != (TOPIC,)
        ]
    units = found[0].units
    if len({fit.topics for fit in fits.values()}) > 1:
        notes.append("the schemes have different numbers of topics")
    cautions = each_in_units(units, cautions)
    warn_of(cautions)
    return MixedModel(
        pd.concat(tests, ignore_index=True),
        parsed,
        level,
        pd.concat(variances, ignore_index=True),
        pd.concat(coefficients, ignore_index=True),
        terms,
        method,
        {scheme: fit.topics for scheme, fit in fits.items()},
        {scheme: fit.scores for scheme, fit in fits.items()},
        {scheme: fit.log_likelihood for scheme, fit in fits.items()},
        found[0].fitted_to,
        [*cautions, *each_in_units(units, [*joined(of_scores), *notes])],
        cautions,
        fits,
        tuple(found),
    )


def _factors(
    components: IntoFrame | None, slots: Sequence[str], replicates: Replicates | None
) -> dict[str, Factor]:
    if replicates is None:
        return factors_of(components, slots)
    places = {label: place for place, label in enumerate(replicates.scores.columns)}
    order = np.array([places[label] for label in slots])
    systems = [replicates.systems[place] for place in order]
    unique = {system: place for place, system in enumerate(dict.fromkeys(systems))}
    of_slots = np.array([unique[system] for system in systems])
    factors = {
        name: replace(factor, codes=factor.codes[of_slots])
        for name, factor in factors_of(components, list(unique)).items()
    }
    for name, factor in replicates.factors.items():
        if name in factors:
            raise ModelError(
                f"components has a column {name!r}, which is the name of the replicates; expected "
                "another name"
            )
        factors[name] = Factor(name, factor.levels, factor.codes[order])
    return factors


def _coefficients(scheme: str, fit: MixedFit, alpha: float) -> dict[str, Any]:
    names = {term: fit.contrasts(term) for term in fit.places}
    estimate, stderr, df, t = fit.fixed.estimates(np.eye(len(fit.fixed.coefficients)))
    low, high = interval(estimate, stderr, df, "two-sided", 1 - alpha)
    return {
        "scheme": scheme,
        "term": ["(Intercept)", *(name_of(term) for term, own in names.items() for _ in own)],
        "contrast": ["", *(each for own in names.values() for each in own)],
        "estimate": estimate,
        "stderr": stderr,
        "df": df,
        "statistic": t,
        "p_value": p_value(t, df, "two-sided"),
        "conf_low": low,
        "conf_high": high,
    }
