"""A mixed model of random topics in mpmath: the variances at which the likelihood is largest.

Scores on two topics are independent, so that all sums are over topics. See the formulas of
`cdfscore.models.mixed`: minus twice the logarithm of the likelihood is d, with
derivatives d_k = tr(P V_k) - y' P V_k P y. Newton's method finds where these are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mpmath import mp, mpf

from cdfscore.stats.numerics.types import Array


@dataclass(frozen=True)
class Topic:
    """Scores y of a topic, their fixed effects X, and the covariances V_k of the variances.

    Topics with scores of the same `systems` have the same X and V_k.
    """

    systems: tuple[int, ...]
    y: Any
    x: Any
    v: tuple[Any, ...]


@dataclass(frozen=True)
class Maximum:
    """The best variances, coefficients, their covariance, and the logarithm of the likelihood."""

    variances: list[mpf]
    coefficients: list[mpf]
    covariance: Any
    log_likelihood: mpf


def topics_of(scores: Array, x: Array, effects: Sequence[Array]) -> list[Topic]:
    """Return the topics; `effects` have the columns of each random term, of systems.

    The covariance of the residuals is the last.
    """
    found = []
    for row in scores:
        own = (row == row).nonzero()[0]
        v = [(z[own] @ z[own].T).tolist() for z in effects]
        identity = mp.eye(len(own))
        found.append(
            Topic(
                tuple(own.tolist()),
                mp.matrix(row[own].tolist()),
                mp.matrix(x[own].tolist()),
                (*map(mp.matrix, v), identity),
            )
        )
    return found


def maximum(topics: Sequence[Topic], near: Sequence[float], method: str) -> Maximum:
    """Return the maximum next to variances that doubles have found.

    Raises `ValueError` if Newton's method has not converged.
    """
    found = mp.findroot(
        lambda *variances: _at(topics, variances, method)[0],
        [mpf(v) for v in near],
        tol=mpf(10) ** -60,
    )
    variances = list(found)
    _, value, coefficients, covariance = _at(topics, variances, method)
    return Maximum(variances, list(coefficients), covariance, -value / 2)


def _at(
    topics: Sequence[Topic], variances: Sequence[mpf], method: str
) -> tuple[list[mpf], mpf, Any, Any]:
    """Return gradient and value of d, the coefficients and their covariance."""
    unlike = {each.systems: each for each in topics}
    inverses = {own: mp.inverse(_covariance(each, variances)) for own, each in unlike.items()}
    pairs = [(each, inverses[each.systems]) for each in topics]
    covariance = mp.inverse(_sum(t.x.T * a * t.x for t, a in pairs))
    coefficients = covariance * _sum(t.x.T * a * t.y for t, a in pairs)
    n = sum(len(t.y) for t in topics)
    reml = method == "REML"
    value = (n - (len(coefficients) if reml else 0)) * mp.log(2 * mp.pi)
    gradient = [mpf(0) for _ in variances]
    for t, a in pairs:
        r = a * (t.y - t.x * coefficients)
        value += (r.T * (t.y - t.x * coefficients))[0] - mp.log(mp.det(a))
        ax = a * t.x
        for k, v in enumerate(t.v):
            gradient[k] += _trace(a * v) - (r.T * v * r)[0]
            if reml:
                gradient[k] -= _trace(covariance * (ax.T * v * ax))
    if reml:
        value -= mp.log(mp.det(covariance))
    return gradient, value, coefficients, covariance


def _covariance(topic: Topic, variances: Sequence[mpf]) -> Any:
    return _sum(variance * v for variance, v in zip(variances, topic.v, strict=True))


def _sum(matrices: Any) -> Any:
    first, *others = matrices
    for each in others:
        first = first + each
    return first


def _trace(matrix: Any) -> mpf:
    return mp.fsum(matrix[i, i] for i in range(matrix.rows))
