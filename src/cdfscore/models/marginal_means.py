"""Marginal means of a term, and all differences of two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.absorbed import Absorbed
from cdfscore.models.crossed import Factor, columns_of
from cdfscore.models.design import Design
from cdfscore.models.formula import TOPIC, Term, name_of
from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array, IntArray


@dataclass(frozen=True, eq=False)
class Means:
    """Marginal means of the cells of a term: `labels`, `effects` (m,), `covariance` (m, m).

    The effects are the means without `constant` and the centre of the scores, in the unit of
    `parts`. The
    covariance is theirs, with `df` degrees of freedom of its scale.
    """

    labels: tuple[tuple[str, ...], ...]
    effects: Array
    constant: float
    covariance: Array
    df: int
    parts: Parts

    @property
    def estimates(self) -> Array:
        """The means (m,)."""
        return self.parts.numbers(self.parts.centre + self.constant + self.effects)

    @property
    def stderr(self) -> Array:
        """Standard errors (m,)."""
        return self.parts.numbers(np.sqrt(self.covariance.diagonal()))

    def differences(self) -> tuple[IntArray, IntArray, Array, Array, Array]:
        """Return all pairs as first and second (k,), differences, standard errors, and t."""
        first, second = (each.astype(np.int64) for each in np.triu_indices(len(self.labels), 1))
        variances = self.covariance.diagonal()
        of_both = variances[first] + variances[second] - 2 * self.covariance[first, second]
        difference, stderr = self.effects[first] - self.effects[second], np.sqrt(of_both)
        numbers = self.parts.numbers
        return first, second, numbers(difference), numbers(stderr), difference / stderr


def marginal_means(design: Design, factors: Mapping[str, Factor], term: Term) -> Means:
    """Return the means of the cells of a term, over equal weights of all else.

    Each is the mean of the fitted scores over all topics and over all combinations of levels of
    the other factors, whether a system has them or not (Searle, Speed and Milliken, 1980). In
    sum contrasts the coefficients of all other terms add up to 0 over these.

    Raises `ModelError` for a term with topic, one that is not in the model, and if columns are
    aliased, so that some fitted score is not defined.
    """
    if TOPIC in term or not set(design.terms) & {term}:
        fitting = [name_of(each) for each in design.terms if TOPIC not in each]
        raise ModelError(
            f"there are no marginal means of {name_of(term)}; expected a term of the formula "
            f"without topic: {', '.join(fitting)}"
        )
    full = design.absorbed(design.terms)
    outside = design.outside(design.terms)
    inverse, rank = full.inverse(outside)
    if rank < len(outside) or full.rank < full.own.size:
        raise ModelError(
            f"there are no marginal means of {name_of(term)}, because some combination of levels "
            "has no score and no fitted score; omit an interaction"
        )
    levels = [factors[name].levels for name in term]
    cells = list(product(*(range(len(own)) for own in levels)))
    of_cells = {
        name: replace(factors[name], codes=np.array(codes))
        for name, codes in zip(term, zip(*cells, strict=True), strict=True)
    }
    own, outer = _functionals(design, of_cells, term, full)
    columns = outer[:, outside]
    spread, across = full.spread.mean(axis=0) / len(full.spread), full.across.mean(axis=0)
    left = columns - own @ across[:, outside]
    coefficients = inverse @ full.xy[outside]
    residual, df = full.residual(outside)
    return Means(
        tuple(tuple(names[i] for names, i in zip(levels, cell, strict=True)) for cell in cells),
        own @ full.own.mean(axis=0) + left @ coefficients,
        # Those of topics have the mean 0.
        0.0 if design.inside(design.terms) else float(full.constants[0]),
        residual / df * (own @ spread @ own.T + left @ inverse @ left.T),
        df,
        design.parts,
    )


def _functionals(
    design: Design, of_cells: Mapping[str, Factor], term: Term, full: Absorbed
) -> tuple[Array, Array]:
    """Return the rows of each cell: of columns within topics (m, q), and of the others (m, p)."""
    inside = design.inside(design.terms)
    cells = len(next(iter(of_cells.values())).codes)
    own, outer = np.zeros((cells, full.own.shape[1])), np.zeros((cells, design.columns.shape[1]))
    if () not in inside:
        own[:, 0] = 1.0  # the mean of all scores
    for place in [(), *design.places]:
        if not set(place) <= set(term):
            continue
        row = columns_of(place, of_cells) if place else np.ones((cells, 1))
        if place in inside:
            own[:, inside[place]] = row
        elif place:
            outer[:, design.places[place]] = row
    return own, outer
