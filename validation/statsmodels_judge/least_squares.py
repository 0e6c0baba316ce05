"""Least squares in mpmath: sums of squares of each type, and differences of systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from mpmath import mp, mpf

from cdfscore.models.formula import Term, parse_formula
from cdfscore.stats.numerics.types import Array, IntArray

#: Levels of the factors of a system: see ``components`` in counterparts/tables.py.
_LEVELS: dict[str, tuple[int, Callable[[IntArray], IntArray]]] = {
    "a": (2, lambda s: s % 2),
    "b": (3, lambda s: s // 2 % 3),
}


@dataclass(frozen=True)
class Fit:
    """Coefficients, the inverse of X'X, the residual sum of squares, its df, X and the scores."""

    beta: Any
    inverse: Any
    residual: mpf
    df: int
    x: Any
    y: Any

    @property
    def values(self) -> Any:
        """The fitted scores."""
        return self.x * self.beta

    def left(self, values: Any) -> Any:
        """Return what X leaves of other values."""
        return values - self.x * (self.inverse * (self.x.T * values))


def sums_of_squares(scores: Array, formula: str, kind: str) -> tuple[list[mpf], list[int]]:
    """Return the sums of squares of the terms and of the residuals, and their df."""
    terms = list(parse_formula(formula, ["topic", "system", *_LEVELS]).terms)
    whole = fitted(scores, terms)
    squares, df = [], []
    for place, term in enumerate(terms):
        if kind == "III":
            columns = [columns_of(scores, each) for each in terms if each != term]
            without, with_it = _fit(scores, columns), whole
        elif kind == "II":
            others = [each for each in terms if not set(term) <= set(each)]
            without, with_it = fitted(scores, others), fitted(scores, [*others, term])
        else:
            without, with_it = fitted(scores, terms[:place]), fitted(scores, terms[: place + 1])
        squares.append(without.residual - with_it.residual)
        df.append(without.df - with_it.df)
    return [*squares, whole.residual], [*df, whole.df]


def fitted(scores: Array, terms: Sequence[Term | str]) -> Fit:
    """Fit the terms, each in sum contrasts."""
    named: list[Term] = [(t,) if isinstance(t, str) else t for t in terms]
    return _fit(scores, [columns_of(scores, each) for each in named])


def coefficients(fit: Fit, systems: int) -> list[Any]:
    """Return the weights of the coefficients in the effect of each system, the last factor."""
    contrasts = _sum_contrasts(np.arange(systems), systems)
    start = len(fit.beta) - contrasts.shape[1]
    rows = []
    for row in contrasts:
        weights = mp.zeros(len(fit.beta), 1)
        for place, value in enumerate(row):
            weights[start + place] = mpf(int(value))
        rows.append(weights)
    return rows


def _fit(scores: Array, columns: list[Array]) -> Fit:
    y = scores[~np.isnan(scores)]
    design = np.column_stack([np.ones(len(y)), *columns])
    # Whole numbers, so that the products are exact.
    inverse = mp.matrix((design.T @ design).tolist()) ** -1
    x, values = mp.matrix(design.tolist()), mp.matrix(y.tolist())
    beta = inverse * (x.T * values)
    rest = values - x * beta
    return Fit(beta, inverse, mp.fsum(v**2 for v in rest), len(y) - design.shape[1], x, values)


def columns_of(scores: Array, term: Term) -> Array:
    """Return the columns of a term for the scores that are not missing."""
    topics, systems = np.nonzero(~np.isnan(scores))
    own = []
    for name in term:
        if name in _LEVELS:
            levels, of = _LEVELS[name]
            own.append(_sum_contrasts(of(systems), levels))
        else:
            codes, axis = (topics, 0) if name == "topic" else (systems, 1)
            own.append(_sum_contrasts(codes, scores.shape[axis]))
    products = reduce(lambda a, b: (a[:, :, None] * b[:, None]).reshape(len(a), -1), own)
    return np.asarray(products)


def _sum_contrasts(codes: Any, levels: int) -> Array:
    contrasts = np.vstack([np.eye(levels - 1), -np.ones(levels - 1)])
    return np.asarray(contrasts[codes])
