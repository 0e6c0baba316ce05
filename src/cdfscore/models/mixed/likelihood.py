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
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.mixed.sums import Sums
from cdfscore.numerics.types import Array
from cdfscore.spelling import argument

#: Restricted maximum likelihood, or maximum likelihood.
Method = Literal["REML", "ML"]


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
