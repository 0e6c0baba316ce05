"""Sums of squares of types I, II and III."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from cdfscore.errors import ModelError, SpecificationError
from cdfscore.models.absorbed import Absorbed, absorb
from cdfscore.models.formula import TOPIC, Factor, Term, columns_of_all, name_of
from cdfscore.models.parts import Parts
from cdfscore.numerics.types import Array, IntArray
from cdfscore.spelling import argument

#: Type of the sums of squares: which other terms are given in the test of a term.
SumsType = Literal["I", "II", "III"]
# Products of coefficients on topics and on systems: so many take about 3 GB.
_MOST = 1e8


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


@dataclass(frozen=True)
class Sums:
    """Sum of squares and degrees of freedom of each term, and of the residuals."""

    terms: dict[Term, tuple[float, int]]
    residual: tuple[float, int]
    n: int


def sums_of(design: Design, kind: SumsType) -> Sums:
    """Return the sums of squares of a type.

    Each is the sum of squares of a term given other terms. Type I: given the terms before it. Type
    II: given the terms that do not contain it (Langsrud, 2003). Type III: given all other terms;
    the columns are sum contrasts, and the test compares unweighted means of cells.

    Raises `ModelError` for a model without residuals, for a model that takes too much memory, for
    type III if columns are aliased, and for a redundant term; `SpecificationError` if a term is
    redundant because its levels follow from the levels of another term.
    """
    check_type(kind)
    _check_size(design)
    full = design.absorbed(design.terms)
    residual = full.residual(design.columns_of(design.terms))
    if residual[1] < 1:
        raise _saturated(design)
    found = {}
    for place, term in enumerate(design.terms):
        if kind == "III":
            found[term] = _third(design, full, term)
            continue
        others = list(design.terms[:place])
        if kind == "II":
            others = [t for t in design.terms if not set(term) <= set(t)]
        found[term] = _added(design, term, others)
    for term, (_, df) in found.items():
        if not df:
            _check_not_nested(design)
            raise ModelError(
                f"the term {name_of(term)} is redundant: its levels are those of other terms; omit "
                "it"
            )
    return Sums(found, residual, full.n)


def _check_size(design: Design) -> None:
    """Raise `ModelError` for interactions with topic that leave no residuals, or no memory."""
    topics, systems = design.scores.shape
    own = sum(
        design.columns[:, design.places[inside]].shape[1] if inside else 1
        for inside in design.inside(design.terms)
    )
    if own >= systems:
        raise _saturated(design)
    if (topics + systems) * own**2 > _MOST:
        raise ModelError(
            f"the interactions with topic have {own:,} coefficients on each of {topics:,} topics, "
            "which take too much memory; expected factors of fewer levels"
        )


def _saturated(design: Design) -> ModelError:
    """Return the error of a model without residuals; raises that of nested terms, if there are."""
    _check_not_nested(design)
    scores = int(np.isfinite(design.scores).sum())
    return ModelError(
        f"the model has as many coefficients as scores, {scores:,}, so it has no residuals; "
        "expected fewer terms"
    )


def check_type(kind: str) -> SumsType:
    """Return a type as plain text, which R takes; raise `ModelError` for an unknown one."""
    known: tuple[SumsType, ...] = get_args(SumsType)
    for each in known:
        if isinstance(kind, str) and kind == each:
            return each
    raise ModelError(
        f"{argument('sums_of_squares', kind)} is not accepted; expected {', '.join(known)}"
    )


def _added(design: Design, term: Term, others: Sequence[Term]) -> tuple[float, int]:
    """Return the sum of squares of a term given others, by its columns or by the residuals."""
    given = design.columns_of(others)
    without = design.absorbed(others)
    if TOPIC not in term:
        return without.added(design.columns_of([term]), given)
    before, df_before = without.residuals(given)
    after, df_after = design.absorbed([*others, term]).residuals(given)
    # This is the difference of two residual sums of squares, because `after` is orthogonal to the
    # removed columns. The difference itself would be rounding error for a small term.
    explained = before - after
    return float(np.vdot(explained, explained)), df_before - df_after


def _third(design: Design, full: Absorbed, term: Term) -> tuple[float, int]:
    """Return the sum of squares of type III: that of the hypothesis that its contrasts are 0."""
    inside, outside = design.inside(design.terms), design.outside(design.terms)
    inverse, rank = full.inverse(outside)
    aliased = len(outside) - rank + len(full.spread) * full.spread.shape[1] - full.rank
    if aliased:
        _check_not_nested(design)
        raise ModelError(
            f"there are no sums of squares of type III, because {aliased} of the contrasts follow "
            "from the others: some combination of levels has no score; use "
            f"{argument('sums_of_squares', 'II')}, or omit an interaction"
        )
    own = tuple(name for name in term if name != TOPIC)
    if own not in inside:
        columns = design.columns_of([term])
        return full.added(columns, np.setdiff1d(outside, columns))
    # Coefficients (t, k) of the term on each topic, which those outside were taken out of.
    places = inside[own]
    across = full.across[:, places][:, :, outside]
    estimates = full.own[:, places] - across @ (inverse @ full.xy[outside])
    spread = full.spread[:, places, places]
    topics, k = estimates.shape
    if TOPIC not in term:  # their mean over topics is 0
        mean = estimates.mean(axis=0)
        across = across.mean(axis=0)
        covariance = spread.sum(axis=0) / topics**2 + across @ inverse @ across.T
        return float(mean @ np.linalg.solve(covariance, mean)), k
    if not own:
        estimates = estimates + full.constants[:, np.newaxis]
    return _of_differences(estimates, spread, across, inverse), (topics - 1) * k


def _check_not_nested(design: Design) -> None:
    """Raise `SpecificationError` for a term whose levels follow from those of another.

    For example, the university of a system follows from its group if each group is at one
    university.
    """
    present = ~np.isnan(design.scores).all(axis=0)
    terms = [term for term in design.terms if TOPIC not in term]
    # The levels of a factor are told by its own columns, which marginality has in every model.
    levels = {
        term: np.hstack([design.columns[present, design.places[(name,)]] for name in term])
        for term in terms
    }
    counts = {term: _count(own) for term, own in levels.items()}
    for term in terms:
        for other in terms:
            if set(term) <= set(other) or counts[term] > counts[other]:
                continue
            if _count(np.hstack([levels[term], levels[other]])) == counts[other]:
                raise SpecificationError(
                    f"the levels of {name_of(term)} follow from those of {name_of(other)}, so "
                    f"{name_of(term)} is redundant; expected a formula without one of them"
                )


def _count(rows: Array) -> int:
    """Return the number of different rows."""
    return len(np.unique(rows, axis=0))


def _of_differences(estimates: Array, spread: Array, across: Array, inverse: Array) -> float:
    """Return the square of the hypothesis that coefficients (t, k) are the same on all topics.

    It is the least of (b - m)' V^-1 (b - m) over common coefficients m, their generalized mean. The
    covariance V of all t k coefficients is S + A C A': S has `spread` (t, k, k) on its diagonal, A
    (t, k, p) is `across` and C (p, p) `inverse`. By Woodbury's identity V^-1 is

        S^-1 - S^-1 A C (I + A' S^-1 A C)^-1 A' S^-1,

    in which no matrix is larger than k or p.
    """
    precision = np.linalg.inv(spread)
    weighted = precision @ across
    products = np.tensordot(across, weighted, ([0, 1], [0, 1]))
    inner = inverse @ np.linalg.inv(np.eye(len(inverse)) + products @ inverse)

    def solved(b: Array) -> Array:
        """Return V^-1 b of columns b (t, k, c)."""
        return precision @ b - weighted @ (inner @ np.tensordot(weighted, b, ([0, 1], [0, 1])))

    ones = np.broadcast_to(np.eye(estimates.shape[1]), spread.shape)
    # The common part of all topics is removed first, because it would cost digits.
    b = (estimates - estimates.mean(axis=0))[:, :, np.newaxis]
    common = np.linalg.solve(solved(ones).sum(axis=0), solved(b).sum(axis=0))
    b = b - common
    return float(np.vdot(b, solved(b)))
