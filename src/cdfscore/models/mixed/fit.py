"""Fit of a mixed model to the scores by one scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.crossed import Factor, columns_of, columns_of_all
from cdfscore.models.formula import Term, name_of
from cdfscore.models.mixed.likelihood import Method, Point, likelihood
from cdfscore.models.mixed.optimum import Likelihood, greatest
from cdfscore.models.mixed.profile import profile_interval
from cdfscore.models.mixed.random_effects import check_distinct, indicators
from cdfscore.models.mixed.satterthwaite import FixedEffects
from cdfscore.models.mixed.sums import Sums
from cdfscore.numerics.types import Array

# A column is a combination of others if so small a part of its square is left without them.
_ALIASED = 1e-10


@dataclass(frozen=True, eq=False)
class Fit:
    """A mixed model at its greatest likelihood.

    `places` has the coefficients of each term of `fixed`; the first is the intercept. `variances`
    are those of the random terms and, last, of the residuals.
    """

    factors: Mapping[str, Factor]
    places: Mapping[Term, slice]
    fixed: FixedEffects
    variances: Array
    best: Point
    likelihood: Likelihood
    scale: float
    topics: int
    scores: int

    @classmethod
    def of(
        cls,
        scores: Array,
        factors: Mapping[str, Factor],
        terms: Sequence[Term],
        random: Sequence[Term],
        method: Method,
    ) -> Fit:
        """Fit fixed `terms` and `random` ones to scores (topics, slots), NaN where missing.

        Raises `ModelError` for terms whose effects or variances cannot be told from those of
        others, for constant scores, and for a likelihood that does not converge.
        """
        columns, own = columns_of_all(terms, factors, scores.shape[1])
        columns = np.hstack([np.ones((len(columns), 1)), columns])
        places = {term: slice(place.start + 1, place.stop + 1) for term, place in own.items()}
        counts = np.count_nonzero(~np.isnan(scores), axis=0)
        _check_columns(columns, counts, places)
        blocks = [indicators(term, factors, scores.shape[1]) for term in random]
        sums = Sums.of(scores, columns, blocks)
        if sums.scale <= 1e-12 * np.nanmax(np.abs(scores)):
            raise ModelError(
                "the scores are constant, except for what the terms determine; expected scores "
                "with residuals"
            )
        check_distinct(sums, random)
        of_scores = partial(likelihood, sums, method=method)
        best = greatest(of_scores, np.full(len(random) + 1, 1 / (len(random) + 1)))
        return cls(
            factors,
            places,
            FixedEffects.of(best, sums.least_squares, sums.scale),
            sums.scale**2 * best.variances,
            best,
            of_scores,
            sums.scale,
            int(sums.topics.sum()),
            sums.n,
        )

    @property
    def log_likelihood(self) -> float:
        """Logarithm of the likelihood, restricted by REML; R's ``logLik`` under ``contr.sum``."""
        return float(-self.best.value / 2)

    def intervals(self, alpha: float) -> Array:
        """Return the intervals (k + 1, 2) of the variances."""
        ends = [
            profile_interval(self.likelihood, self.best, place, alpha)
            for place in range(len(self.variances))
        ]
        return self.scale**2 * np.array(ends)

    def cells(self, term: Term) -> tuple[list[tuple[str, ...]], Array]:
        """Return the labels of the cells of a term, and their rows (m, p) in marginal means.

        In sum contrasts the coefficients of all other terms add up to 0 over equal weights.
        """
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
        """Return the rows (m, p) that are 0 by the hypothesis of a term.

        They are orthonormal contrasts of the cells, on which the degrees of freedom of F depend in
        the fifth digit or so of an unbalanced design; those of such contrasts do not depend on the
        order of levels. R's lmerTest takes others, which depend on the numbers of scores.
        """
        place = self.places[term]
        rows = np.zeros((place.stop - place.start, len(self.fixed.coefficients)))
        parts = [self.factors[name].contrasts for name in reversed(term)]
        rows[:, place] = reduce(np.kron, [np.linalg.qr(part)[1] for part in parts])
        return rows

    def contrasts(self, term: Term) -> list[str]:
        """Return the names of the coefficients of a term: the cells without those of last levels.

        Each is the effect of a level, or of a combination, beside the mean of all.
        """
        levels = [self.factors[name].levels[:-1] for name in reversed(term)]
        return [":".join(reversed(cell)) for cell in product(*levels)]


def _check_columns(columns: Array, counts: Array, places: Mapping[Term, slice]) -> None:
    """Raise `ModelError` for the first term with columns that follow from those before it."""
    products = columns.T @ (counts[:, np.newaxis] * columns)
    size = np.sqrt(products.diagonal())
    products /= np.outer(size, np.where(size > 0, size, 1.0))
    for term, place in places.items():
        own = products[: place.stop, : place.stop]
        if np.linalg.eigvalsh(own)[0] <= _ALIASED:
            raise ModelError(
                f"the effects of {name_of(term)} follow from those of other terms: some "
                "combination of levels has no score, or the levels of two factors are the same; "
                f"leave out {name_of(term)}"
            )
