"""Design of a linear model: scores, and the columns of its terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cdfscore.models.absorbed import Absorbed, absorb
from cdfscore.models.crossed import Factor, columns_of_all
from cdfscore.models.formula import TOPIC, Term
from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array, IntArray


@dataclass(frozen=True, eq=False)
class Design:
    """Scores (topics, systems), and the columns of all terms of a formula.

    `columns` (systems, p) has the columns of each term of factors of systems at its `places`. Terms
    with topic are columns within each topic, and are absorbed.
    """

    scores: Array
    columns: Array
    places: Mapping[Term, slice]
    terms: tuple[Term, ...]

    @classmethod
    def of(cls, scores: Array, factors: Mapping[str, Factor], terms: Sequence[Term]) -> Design:
        """Return the design of terms; each factor has a level for every system."""
        of_systems = [term for term in terms if TOPIC not in term]
        columns, places = columns_of_all(of_systems, factors, scores.shape[1])
        return cls(scores, columns, places, tuple(terms))

    @cached_property
    def parts(self) -> Parts:
        """The scores as one number for each topic and the rest."""
        return Parts.of(self.scores)

    def columns_of(self, terms: Sequence[Term]) -> IntArray:
        """Return the positions of the columns of the terms that have no topic."""
        every = np.arange(self.columns.shape[1])
        return np.concatenate(
            [every[:0], *(every[self.places[t]] for t in terms if TOPIC not in t)]
        )

    def inside(self, terms: Sequence[Term]) -> dict[Term, slice]:
        """Return the terms that interact with topic, and where their columns within topics are.

        () is the intercept of each topic, of the term topic itself.
        """
        found: dict[Term, slice] = {}
        place = 0
        for term in terms:
            if TOPIC in term:
                own = tuple(name for name in term if name != TOPIC)
                size = self.columns[:, self.places[own]].shape[1] if own else 1
                found[own] = slice(place, place + size)
                place += size
        return found

    def outside(self, terms: Sequence[Term]) -> IntArray:
        """Return the positions of columns that no column within topics has."""
        inside = self.inside(terms)
        return self.columns_of([term for term in terms if term not in inside])

    def absorbed(self, terms: Sequence[Term]) -> Absorbed:
        """Absorb the terms with topic among these, or the mean of all scores if there is none."""
        inside = self.inside(terms)
        ones = np.ones((self.scores.shape[1], 1))
        within = [self.columns[:, self.places[own]] if own else ones for own in inside]
        return absorb(self.parts, self.columns, np.hstack(within or [ones]), topics=bool(within))
