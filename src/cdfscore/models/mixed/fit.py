"""Fit of a mixed model to the scores by one scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product

import numpy as np

from cdfscore.errors import ModelError
from cdfscore.models.crossed import Factor, columns_of, columns_of_all
from cdfscore.models.formula import TOPIC, Term, name_of
from cdfscore.models.mixed.likelihood import Method, Point, likelihood
from cdfscore.models.mixed.optimum import DETERMINED, Likelihood, greatest
from cdfscore.models.mixed.profile import profile_interval
from cdfscore.models.mixed.random_effects import check_distinct, indicators
from cdfscore.models.mixed.satterthwaite import FixedEffects
from cdfscore.models.mixed.sums import Sums, means_of_topics, products_of
from cdfscore.models.names import labels_of
from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array

# A column depends on others if their residual is this small a part of its square.
_ALIASED = 1e-10


@dataclass(frozen=True, eq=False)
class Maximum:
    """The `best` point of a likelihood of scaled scores, and the likelihood itself."""

    sums: Sums
    best: Point
    likelihood: Likelihood

    @classmethod
    def of(cls, sums: Sums, start: Array, method: Method) -> Maximum:
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
class Fit:
    """A mixed model at its maximum likelihood.

    `places` has the coefficients of each term of `fixed`; the first is the intercept. `variances`
    has the variances of the random terms and, last, of the residuals. `whole` is the maximum of the
    likelihood of all scores. If its variance of topic, at the place `topic`, is 0, effects and all
    other variances are from the likelihood of differences `within` topics, as with fixed topics.
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
        method: Method,
    ) -> Fit:
        """Fit fixed `terms` and `random` terms to scores (topics, slots), NaN where missing.

        Raises `ModelError` for terms whose effects or variances cannot be separated from those of
        other terms, for constant scores, and if the likelihood does not converge.
        """
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
        sums = Sums.of(parts, x, blocks)
        if sums.constant:
            raise ModelError(
                "the scores are constant apart from the effects of the terms; expected scores with "
                "residuals"
            )
        if sums.determined:
            raise ModelError(DETERMINED)
        check_distinct(sums, random)
        topic = random.index((TOPIC,))
        start = np.ones(len(random) + 1)
        start[topic] = max(sums.variance_of_topics, 1.0)
        whole = Maximum.of(sums, start, method)
        if whole.best.variances[topic] > 0:
            fixed = FixedEffects.of(whole.best, sums)
            return cls(factors, places, fixed, whole, None, topic)
        _check_columns(products_of(present, columns, means_of_topics(present, columns)), own)
        inside = Sums.of(parts, columns, blocks, within_topics=True)
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
        """Logarithm of the likelihood of random topics, restricted by REML.

        R's ``logLik`` under ``contr.sum``.
        """
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

        They are orthonormal contrasts of the cells. In an unbalanced design, the degrees of freedom
        of F of a term with several degrees of freedom depend on the contrasts, by some percent.
        With orthonormal contrasts they do not depend on the order of levels. R's lmerTest uses
        other contrasts, which depend on the numbers of scores and on the coding of factors.
        """
        place = self.places[term]
        rows = np.zeros((place.stop - place.start, len(self.fixed.coefficients)))
        parts = [self.factors[name].contrasts for name in reversed(term)]
        rows[:, place] = reduce(np.kron, [np.linalg.qr(part)[1] for part in parts])
        return rows

    def contrasts(self, term: Term) -> list[str]:
        """Return the names of the coefficients of a term: the cells without those of last levels.

        Each is the effect of a level, or of a combination, relative to the mean of all. Raises
        `SpecificationError` for two coefficients with the same name.
        """
        levels = [self.factors[name].levels[:-1] for name in reversed(term)]
        return labels_of(term, [cell[::-1] for cell in product(*levels)])


def _check_columns(products: Array, places: Mapping[Term, slice]) -> None:
    """Raise `ModelError` for the first term with columns that follow from those before it.

    `products` (p, p) are the sums of products of all columns.
    """
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
