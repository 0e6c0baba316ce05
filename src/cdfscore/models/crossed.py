"""Columns of the factors of systems, in sum contrasts.

With sum contrasts a type III test is of the unweighted means of the cells of a term.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from cdfscore.models.formula import Term
from cdfscore.numerics.types import Array, IntArray


@dataclass(frozen=True, eq=False)
class Factor:
    """A factor: its levels in order, and the code (n,) of the level of each observation.

    `lacks` tells which observation has no level, "" if all have one.
    """

    name: str
    levels: tuple[str, ...]
    codes: IntArray
    lacks: str = ""

    @property
    def contrasts(self) -> Array:
        """Sum contrasts (levels, levels - 1), as R's ``contr.sum``: the last level is -1."""
        k = len(self.levels)
        return np.vstack([np.eye(k - 1), -np.ones((1, k - 1))])


def factor_of(name: str, labels: Sequence[str]) -> Factor:
    """Return a factor whose levels are the labels of observations, in their order."""
    levels = {level: code for code, level in enumerate(dict.fromkeys(labels))}
    return Factor(name, tuple(levels), np.array([levels[label] for label in labels]))


def columns_of(term: Term, factors: Mapping[str, Factor]) -> Array:
    """Return the columns of a term, (n, (a - 1)(b - 1)...), for n observations."""
    parts = [factors[name].contrasts[factors[name].codes] for name in term]
    return reduce(_row_products, parts)


def columns_of_all(
    terms: Sequence[Term], factors: Mapping[str, Factor], n: int
) -> tuple[Array, dict[Term, slice]]:
    """Return the columns of all terms beside each other, and where those of each are."""
    parts = [columns_of(term, factors) for term in terms]
    ends = np.cumsum([0, *(part.shape[1] for part in parts)]).tolist()
    places = map(slice, ends, ends[1:])
    return np.hstack([np.empty((n, 0)), *parts]), dict(zip(terms, places, strict=True))


def _row_products(a: Array, b: Array) -> Array:
    """Return all products of a column of a and one of b, those of a running fastest as in R."""
    products: Array = (b[:, :, np.newaxis] * a[:, np.newaxis, :]).reshape(len(a), -1)
    return products
