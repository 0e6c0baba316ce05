"""Analysis of variance of systems with components, by each scheme."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd
from scipy import special

from cdfscore.common.cautions import warn_of
from cdfscore.common.text import each_in_units, written
from cdfscore.comparison.pairs import joined
from cdfscore.errors import ModelError, SpecificationError, check_one_of
from cdfscore.models.formula import (
    SYSTEM,
    TOPIC,
    Absorbed,
    Factor,
    Formula,
    Parts,
    Term,
    absorb,
    beyond_doubles,
    check_factors,
    columns_of,
    columns_of_all,
    factors_of,
    finite_values,
    labels_of,
    name_of,
    of_fixed_topics,
    one_thread,
    parse_formula,
    standardized_by,
    term_of,
)
from cdfscore.scores.dataframes import IntoFrame, both_as_pandas
from cdfscore.showing import Shown, figures
from cdfscore.standardization.standardized import ExtraTopics, Standardized
from cdfscore.standardization.standardizer import How
from cdfscore.stats.adjustment import METHODS, adjust
from cdfscore.stats.numerics.numbers import between_0_and_1
from cdfscore.stats.numerics.student_t import interval, p_value
from cdfscore.stats.numerics.tails import upper_tail
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.schemes.base import scheme_label
from cdfscore.stats.significance import studentized_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# --- Sums of squares of types I, II and III ---

#: Type of the sums of squares: which other terms are given in the test of a term.
SumsType = Literal["I", "II", "III"]
# Products of coefficients on topics and on systems: so many take about 3 GB.
_MOST = 1e8


@dataclass(frozen=True, eq=False)
class Design:
    """Scores (topics, systems), and the columns of the terms of systems, each at its `places`."""

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
        """Return the places within topics of each term with topic, () for topic itself."""
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
class SumsOfSquares:
    """Sum of squares and degrees of freedom of each term, and of the residuals."""

    terms: dict[Term, tuple[float, int]]
    residual: tuple[float, int]
    n: int


def sums_of(design: Design, kind: SumsType) -> SumsOfSquares:
    """Return the sums of squares of a type, anova.2; `ModelError` where they are not defined."""
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
    return SumsOfSquares(found, residual, full.n)


def _check_size(design: Design) -> None:
    """Raise `ModelError` for interactions with topic that leave no residuals, or no memory."""
    topics, systems = design.scores.shape
    own = max((place.stop for place in design.inside(design.terms).values()), default=0)
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
    return check_one_of("sums_of_squares", kind, known, ModelError)


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
            "from the others: some combination of levels has no score; use sums_of_squares='II', "
            "or omit an interaction"
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
    """Raise `SpecificationError` for a term whose levels follow from those of another."""
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
    return len(np.unique(rows, axis=0))


def _of_differences(estimates: Array, spread: Array, across: Array, inverse: Array) -> float:
    """Return the square of the hypothesis that coefficients (t, k) are the same on all topics.

    It is the least of (b - m)' V^-1 (b - m) over common coefficients m. By Woodbury's identity, the
    inverse of V = S + A C A' is S^-1 - S^-1 A C (I + A' S^-1 A C)^-1 A' S^-1, for `spread`,
    `across` and `inverse`; no matrix is larger than k or p.
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


# --- Result of an analysis of variance: its table, marginal means, and their differences ---

#: Correction for all differences of a term at once, by the studentized range.
TUKEY = "tukey"


def check_adjustment(adjustment: str) -> None:
    """Raise `ModelError` for an unknown correction."""
    check_one_of("adjustment", adjustment, (TUKEY, *METHODS), ModelError)


def adjusted(t: Array, p: Array, df: Array, means: int, adjustment: str) -> Array:
    """Return adjusted p values of differences of a number of means, with t, p and df (m,)."""
    if adjustment != TUKEY:
        return adjust(p, adjustment)
    # Each number of degrees of freedom has a distribution of its own; 9 digits of it are enough.
    levels, places = np.unique([float(f"{each:.9g}") for each in df], return_inverse=True)
    found = np.empty(len(t))
    for place, own in enumerate(levels):
        of_level = places == place
        q = np.abs(t[of_level]) * np.sqrt(2)
        found[of_level] = studentized_range.upper_tail(q, means, own)
    return found


@dataclass(frozen=True, eq=False)
class Means:
    """Marginal means of the cells of a term, and a function of differences at pairs of places."""

    labels: Sequence[tuple[str, ...]]
    mean: Array
    stderr: Array
    df: Array | int
    differences: Callable[[IntArray, IntArray], tuple[Array, Array, Array | int, Array]]


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(Shown):
    """What the results of linear models have in common: marginal means, and their differences."""

    table: pd.DataFrame
    formula: Formula
    alpha: float

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return list(dict.fromkeys(self.table["scheme"]))

    @abstractmethod
    def _means(self, term: Term, scheme: str) -> Means: ...

    def means(self, term: str) -> pd.DataFrame:
        """Return the marginal means of a fixed term, ``stemmer`` or ``stemmer:model``.

        One row for each scheme and combination of levels: ``scheme``, a column for each factor,
        ``mean``, ``stderr``, ``df``, and the interval ``conf_low``, ``conf_high`` at 1 - alpha.
        Each mean is that of fitted scores, with equal weights for all topics and for all levels of
        the other factors; in a mixed model it is the expected score on a new topic.

        Raises `ModelError` for a term that is not in the model or contains topic, and if a fitted
        score is not defined.
        """
        own = term_of(self.formula, term)
        found = []
        for scheme in self.schemes:
            cells = self._means(own, scheme)
            mean, stderr, df = cells.mean, cells.stderr, cells.df
            low, high = interval(mean, stderr, df, "two-sided", 1 - self.alpha)
            levels = dict(zip(own, zip(*cells.labels, strict=True), strict=True))
            numbers = {"mean": mean, "stderr": stderr, "df": df, "conf_low": low, "conf_high": high}
            found.append(pd.DataFrame({"scheme": scheme, **levels, **numbers}))
        return pd.concat(found, ignore_index=True)

    def contrasts(self, term: str, adjustment: str = TUKEY) -> pd.DataFrame:
        """Return all differences of two marginal means of a fixed term, with tests.

        One row for each scheme and pair: ``scheme``, ``a``, ``b``, ``estimate`` (a minus b),
        ``stderr``, ``df``, ``statistic`` (t), ``p_value``, ``p_adjusted``, and the interval
        ``conf_low``, ``conf_high`` at 1 - alpha, which is not adjusted. The adjustment "tukey" uses
        the studentized range of all means of the term (Tukey-Kramer). The other adjustments are
        those of `adjust`.

        Raises `ModelError` as `means` does, for an unknown adjustment, and if two combinations of
        levels have the same label because levels contain colons.
        """
        check_adjustment(adjustment)
        own = term_of(self.formula, term)
        found = []
        for scheme in self.schemes:
            cells = self._means(own, scheme)
            names = labels_of(own, cells.labels)
            first, second = np.triu_indices(len(names), 1)
            estimate, stderr, df, t = cells.differences(first, second)
            p = p_value(t, df, "two-sided")
            low, high = interval(estimate, stderr, df, "two-sided", 1 - self.alpha)
            tests = {
                "scheme": scheme,
                "a": [names[i] for i in first],
                "b": [names[i] for i in second],
                "estimate": estimate,
                "stderr": stderr,
                "df": df,
                "statistic": t,
                "p_value": p,
                "p_adjusted": adjusted(t, p, np.broadcast_to(df, t.shape), len(names), adjustment),
                "conf_low": low,
                "conf_high": high,
            }
            found.append(pd.DataFrame(tests))
        return pd.concat(found, ignore_index=True)

    def __repr__(self) -> str:
        small = self.table[self.table["p_value"] <= self.alpha]
        found = [
            f"{', '.join(small['term'][small['scheme'] == scheme]) or 'none'} by {scheme}"
            for scheme in self.schemes
        ]
        return f"<{self._told}; p <= {written(self.alpha)}: {'; '.join(found)}>"

    @property
    @abstractmethod
    def _told(self) -> str: ...


@dataclass(frozen=True, eq=False, repr=False)
class Anova(LinearModel):
    """Result of `anova`: the table, and methods for means, contrasts, residuals and checks.

    Attributes
    ----------
    table
        One row for each scheme and term, and one for the residuals: ``scheme``, ``term``, ``df``,
        ``sum_of_squares``, ``mean_square``, ``statistic`` (F), ``p_value``, the effect sizes
        ``partial_eta_squared`` and ``partial_omega_squared``, and the interval ``effect_low``,
        ``effect_high`` of the population value of the effect size.
    formula, sums_of_squares, alpha
        As of `anova`.
    scores
        The number of scores by scheme.
    fitted_to
        The scores that the schemes were fitted to.
    notes
        Sentences on the results, including the cautions.
    cautions
        The notes that were also warnings: on scores that are treated as independent.
    designs, topics
        The design and the topics by scheme, for the methods.
    standardized
        The scores by each scheme, for `cdfscore.verify`.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.models import anova
    >>> ap, parts = datasets.load_cranfield_grid("ap"), datasets.load_cranfield_components()
    >>> found = anova(ap, "score ~ topic + stemmer * model * stoplist", parts)
    >>> found.means("stemmer")[["stemmer", "mean"]].round(3)
      stemmer   mean
    0    none  0.299
    1       s  0.311
    2  porter  0.322
    >>> found.contrasts("stemmer")[["a", "b", "estimate"]].round(3)
          a       b  estimate
    0  none       s    -0.011
    1  none  porter    -0.023
    2     s  porter    -0.011
    """

    sums_of_squares: SumsType
    scores: dict[str, int]
    fitted_to: str
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    designs: Mapping[str, tuple[Design, Mapping[str, Factor]]] = field(default_factory=dict)
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    standardized: tuple[Standardized, ...] = ()

    def residuals(self, scheme: str) -> pd.DataFrame:
        """Return the residual of each score that is not missing, by one of `schemes`.

        One row for each score: ``topic``, ``system``, ``fitted`` (the fitted score) and
        ``residual`` (the score minus the fitted score). Raises `ModelError` for another scheme.
        """
        check_one_of("scheme", scheme, self.schemes, ModelError)
        design, factors = self.designs[scheme]
        rows, columns = np.nonzero(~np.isnan(design.scores))
        left = design.parts.numbers(_residuals(design)[design.parts.present])
        means = design.scores[rows, columns] - left
        topics = np.array(self.topics[scheme], dtype=object)[rows]
        systems = np.array(factors[SYSTEM].levels, dtype=object)[columns]
        return pd.DataFrame({"topic": topics, "system": systems, "fitted": means, "residual": left})

    def checks(self) -> pd.DataFrame:
        """Return checks of the assumptions: independent normal errors with one variance.

        One row for each scheme and check: ``scheme``, ``check`` and ``size``. All checks except
        skewness and excess kurtosis also have ``statistic`` (F), ``df``, ``df_residual`` and
        ``p_value``.

        - "additivity" tests the square of the fitted scores; its size is the proportion of the
          residual sum of squares that the square explains.
        - "equal variances over stemmer" has as its size the largest standard deviation of a level
          divided by the smallest.

        With many scores small deviations are significant, so compare the sizes. A check is omitted
        if the scores do not allow it, such as for a factor with a level of one score, or of two
        scores on each topic.

        Sources: Tukey (1949) and Milliken and Graybill (1970); Brown and Forsythe (1974).
        """
        rows = [
            {"scheme": scheme, **asdict(check)}
            for scheme, (design, factors) in self.designs.items()
            for check in checks_of(design, factors)
        ]
        whole = {"df": "Int64", "df_residual": "Int64"}  # missing where there is no test
        return pd.DataFrame(rows).rename(columns={"name": "check"}).astype(whole)

    def plot_means(self, term: str) -> Figure:
        """Draw the marginal means of a term of one or two factors, with their intervals.

        Without an interaction of the two factors, the lines are parallel. Raises `ModelError` as
        `means` does.
        """
        found: Figure = figures().figure_of_means(self, term)
        return found

    def plot_residuals(self) -> Figure:
        """Draw the residuals of each scheme against fitted scores and normal quantiles."""
        found: Figure = figures().figure_of_residuals(self)
        return found

    def _means(self, term: Term, scheme: str) -> Means:
        return marginal_means(*self.designs[scheme], term)

    @property
    def _told(self) -> str:
        return f"analysis of variance, type {self.sums_of_squares}, {self.formula}"


@dataclass(frozen=True)
class ErrorCheck:
    """A check of the errors: its name, its size, and its F test, if it has one."""

    name: str
    size: float
    statistic: float = np.nan
    df: int | None = None
    df_residual: int | None = None
    p_value: float = np.nan


def _residuals(design: Design) -> Array:
    return design.absorbed(design.terms).residuals(design.columns_of(design.terms))[0]


def checks_of(design: Design, factors: Mapping[str, Factor]) -> list[ErrorCheck]:
    """Return the checks of the errors, as anova.7 defines them."""
    residuals, present = _residuals(design), design.parts.present
    own = residuals[present]
    unit = own / np.abs(own).max()  # so that fourth powers of small units are not 0
    second = np.mean(unit**2)
    skewness = np.mean(unit**3) / second**1.5
    kurtosis = np.mean(unit**4) / second**2 - 3
    found = [
        ErrorCheck("skewness", float(skewness)),
        ErrorCheck("excess kurtosis", float(kurtosis)),
    ]
    found += _additivity(design, residuals)
    rows, columns = np.nonzero(present)
    for name in dict.fromkeys(name for term in design.terms for name in term):
        groups = rows if name == TOPIC else factors[name].codes[columns]
        found += _equal_variances(name, own, groups)
    return found


def _additivity(design: Design, residuals: Array) -> Iterator[ErrorCheck]:
    """Yield the test of the square of the fitted scores, if the model leaves a part of it."""
    parts = design.parts
    fitted, of_topics = parts.within - residuals, parts.of_topics[:, np.newaxis]
    if () in design.inside(design.terms) and np.vdot(fitted, fitted) <= parts.rounding:
        return  # the means of all cells are equal
    # (a + f)^2 has the test of (2 a + f) f where the model has a number a^2 for each topic.
    squared = (2 * of_topics + fitted) * fitted
    if () not in design.inside(design.terms):
        squared = (of_topics + fitted) ** 2
    squared = np.where(parts.present, squared / (np.abs(squared).max() or 1.0), np.nan)
    of_squared = replace(design, scores=squared).absorbed(design.terms)
    left, df = of_squared.residuals(design.columns_of(design.terms))
    length = np.sum(left**2)
    if length <= 1e-20 * np.sum(of_squared.values**2) or df < 2:  # rounding: all cells have a mean
        return
    explained = np.square(np.sum(left * residuals)) / length
    of_all = np.sum(residuals**2)
    f = explained / ((of_all - explained) / (df - 1))
    p = upper_tail(np.array(f), 1, df - 1).item()
    yield ErrorCheck("additivity", float(explained / of_all), float(f), 1, df - 1, p)


def _equal_variances(name: str, residuals: Array, groups: IntArray) -> Iterator[ErrorCheck]:
    """Yield the test of Brown and Forsythe, unless a group has one residual."""
    _, groups, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    k, n = len(sizes), len(residuals)
    if k < 2 or sizes.min() < 2:
        return
    order = np.lexsort((residuals, groups))
    ordered, first = residuals[order], np.cumsum(sizes) - sizes
    medians = (ordered[first + (sizes - 1) // 2] + ordered[first + sizes // 2]) / 2
    distances = np.abs(residuals - medians[groups])
    means = np.bincount(groups, distances) / sizes
    between = sizes @ (means - distances.mean()) ** 2 / (k - 1)
    inside = np.sum((distances - means[groups]) ** 2) / (n - k)
    centred = residuals - (np.bincount(groups, residuals) / sizes)[groups]
    sds = np.sqrt(np.bincount(groups, centred**2) / (sizes - 1))
    if inside * (n - k) <= 1e-20 * np.sum(distances**2):  # rounding
        return
    f = between / inside
    p = upper_tail(np.array(f), k - 1, n - k).item()
    ratio = sds.max() / sds.min() if sds.min() > 0 else np.inf
    yield ErrorCheck(f"equal variances over {name}", float(ratio), float(f), k - 1, n - k, p)


def marginal_means(design: Design, factors: Mapping[str, Factor], term: Term) -> Means:
    """Return the means of the cells of a term, anova.5; `ModelError` where one is not defined."""
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
    covariance = residual / df * (own @ spread @ own.T + left @ inverse @ left.T)
    effects, squares = own @ full.own.mean(axis=0) + left @ coefficients, covariance.diagonal()
    # Those of topics have the mean 0.
    constant = 0.0 if design.inside(design.terms) else float(full.constants[0])
    numbers = design.parts.numbers

    def differences(first: IntArray, second: IntArray) -> tuple[Array, Array, int, Array]:
        difference = effects[first] - effects[second]
        stderr = np.sqrt(squares[first] + squares[second] - 2 * covariance[first, second])
        return numbers(difference), numbers(stderr), df, difference / stderr

    return Means(
        [tuple(names[i] for names, i in zip(levels, cell, strict=True)) for cell in cells],
        numbers(design.parts.centre + constant + effects),
        numbers(np.sqrt(squares)),
        df,
        differences,
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


# --- Analysis of variance of systems with components, by each scheme ---

# The smallest relative tolerance that brentq accepts.
_RELATIVE = 8.881784197001252e-16
# df1 times F from here on is its noncentrality, but for the denominator.
_LARGE = 1e9

#: The name of the row of residuals.
RESIDUAL = "residual"
# A sum of squares is rounding error if it is this small a part of that of residuals.
_NOTHING = 1e-24


def anova(
    scores: IntoFrame,
    formula: str,
    components: IntoFrame | None = None,
    *,
    schemes: Sequence[How] = ("raw",),
    sums_of_squares: SumsType = "III",
    alpha: float = 0.05,
    reference: IntoFrame | None = None,
    extra_topics: ExtraTopics = "refuse",
) -> Anova:
    """Analyze the variance of scores by topics and components of systems, for each scheme.

    F = (SS / df) / (SS_residual / df_residual) for each term of a linear model. The errors are
    assumed to be independent and normal with one variance; topics and all other factors are fixed.
    The effect sizes of a term are partial, with N scores:

        eta^2 = SS / (SS + SS_residual)
        omega^2 = df (F - 1) / (df (F - 1) + N)

    Their interval is the interval of lambda / (lambda + N), where lambda is the noncentrality of F
    (Steiger, 2004).

    Parameters
    ----------
    scores
        Topics x systems, in a data frame of any kind. Missing scores are omitted under
        ``missing="omit"`` of a `Standardizer`.
    formula
        ``score ~ topic + stemmer * model``: see `parse_formula`. The factors are topic, system,
        and the columns of `components`.
    components
        One row for each system: a column ``system``, and one for each factor, whose levels are
        text.
    schemes
        One or more schemes; "raw" is the scores as they are. A `Standardizer` has policies.
    sums_of_squares
        Type of the sums of squares. "I": of a term given the terms before it in the formula. "II":
        given all terms that do not contain it. "III": given all other terms, so that the test
        compares unweighted means of cells. In a balanced design all types are equal.
    alpha
        1 - alpha is the confidence of all intervals.
    reference, extra_topics
        As for `cdfscore.compare`.

    Raises
    ------
    ModelError
        For a formula or components that do not define a model; for a term whose levels are those of
        other terms; if there are no residuals; and for type III, if no system has some combination
        of levels.
    CdfscoreError
        For input that `compare` refuses.

    Notes
    -----
    Sources: Fisher (1925); Olejnik and Algina (2003), Psychological Methods 8, for omega^2; Ferro
    and Silvello (2016), A general linear mixed models approach to study system component effects,
    for its use. R: ``anova(lm(...))`` and ``car::Anova`` with ``contr.sum``. Topics are absorbed
    (`cdfscore.models.formula`): a dense design of 500 systems on 250 topics has 125,000 x 749
    numbers, which `statsmodels.regression.linear_model.OLS` would take. The tests compare both.

    Examples
    --------
    >>> import pandas as pd
    >>> from cdfscore import datasets
    >>> ap = datasets.load_cranfield("ap")[["bm25_k1.2_b0.75", "tfidf", "lsa200", "pl2_c1"]]
    >>> kinds = pd.DataFrame({"system": ap.columns, "kind": ["words", "words", "space", "words"]})
    >>> found = anova(ap, "score ~ topic + kind", kinds)
    >>> found.table[["term", "df", "statistic"]].round(2)
           term   df  statistic
    0     topic  224      44.02
    1      kind    1      83.17
    2  residual  674        NaN
    """
    check_type(sums_of_squares)
    level = between_0_and_1("alpha", alpha, ModelError)
    found = standardized_by(schemes, *both_as_pandas(scores, reference), extra_topics)
    result = anova_of(found, formula, components, sums_of_squares, level)
    warn_of(result.cautions)
    return result


@one_thread
def anova_of(
    found: Sequence[Standardized],
    formula: str,
    components: IntoFrame | None,
    sums_of_squares: SumsType,
    level: float,
) -> Anova:
    """Analyze the variance of standardized scores of the same systems, after the checks."""
    systems = found[0].used.systems
    factors = factors_of(components, systems)
    parsed = parse_formula(formula, list(factors))
    check_factors(factors[name] for name in parsed.factors if name != TOPIC)
    cautions = of_fixed_topics(parsed.terms, factors)
    designs, topics, tables, notes = {}, {}, [], list[str]()
    of_scores: dict[str, list[str]] = {}
    for each in found:
        scheme = str(each.factors.fitted.scheme)
        label, values = scheme_label(scheme), finite_values(each, scheme)
        if np.isfinite(values).any(axis=1).sum() == 1:
            cautions.append("all scores are of one topic, so they show nothing about others")
        design = Design.of(values, factors, parsed.terms)
        sums = sums_of(design, sums_of_squares)
        designs[scheme], topics[scheme] = (design, factors), each.used.topics
        tables.append(_table(scheme, sums, design, level))
        notes += beyond_doubles(scheme, tables[-1]["sum_of_squares"].to_numpy())
        of_scores[scheme] = each.notes
        if scheme != "raw" and (TOPIC,) in parsed.terms and each.fitted_to == "these scores":
            notes.append(
                f"{label} is fitted to the scores of each topic, so F of topic does "
                "not measure the difficulty of topics"
            )
    units = found[0].units
    if len({design.scores.shape for design, _ in designs.values()}) > 1:
        notes.append("the schemes have different numbers of topics")
    cautions = each_in_units(units, dict.fromkeys(cautions))
    return Anova(
        pd.concat(tables, ignore_index=True),
        parsed,
        level,
        sums_of_squares,
        {s: int(np.isfinite(design.scores).sum()) for s, (design, _) in designs.items()},
        found[0].fitted_to,
        [*cautions, *each_in_units(units, [*joined(of_scores), *notes])],
        cautions,
        designs,
        topics,
        tuple(found),
    )


def _table(scheme: str, sums: SumsOfSquares, design: Design, alpha: float) -> pd.DataFrame:
    of_residuals, df_residual = sums.residual
    if of_residuals <= design.parts.rounding:
        raise ModelError(
            f"{scheme}: the residuals are 0, except for rounding errors, so the terms cannot be "
            "tested; expected scores that the terms do not determine"
        )
    squares = np.array([each[0] for each in sums.terms.values()])
    # As of topic, where a scheme gives all topics one mean.
    squares[squares <= _NOTHING * of_residuals] = 0.0
    df = np.array([each[1] for each in sums.terms.values()])
    error = of_residuals / df_residual
    f = squares / df / error
    effect = df * (f - 1)
    p_values = [upper_tail(np.array(x), k, df_residual).item() for x, k in zip(f, df, strict=True)]
    lambdas = np.array(
        [noncentrality_interval(x, k, df_residual, 1 - alpha) for x, k in zip(f, df, strict=True)]
    )
    low, high = (lambdas / (lambdas + sums.n)).T
    none = [np.nan]
    return pd.DataFrame(
        {
            "scheme": scheme,
            "term": [*map(name_of, sums.terms), RESIDUAL],
            "df": [*df, df_residual],
            "sum_of_squares": design.parts.squares(np.array([*squares, of_residuals])),
            "mean_square": design.parts.squares(np.array([*(squares / df), error])),
            "statistic": [*f, *none],
            "p_value": [*p_values, *none],
            "partial_eta_squared": [*(squares / (squares + of_residuals)), *none],
            "partial_omega_squared": [*(effect / (effect + sums.n)), *none],
            "effect_low": [*low, *none],
            "effect_high": [*high, *none],
        }
    )


def noncentrality_interval(
    f: float, df1: float, df2: float, confidence: float
) -> tuple[float, float]:
    """Return the confidence interval of the noncentrality of an observed F: see anova.4.

    It is found by `brentq`, because ``ncfdtrinc`` has errors of 1e-3 in the probability and stops
    at 10,000. ``ncfdtr`` is not defined from a noncentrality of 1e10 on.
    """
    tail = (1 - confidence) / 2
    return _with_tail(f, df1, df2, 1 - tail), _with_tail(f, df1, df2, tail)


def _with_tail(f: float, df1: float, df2: float, p: float) -> float:
    from scipy.optimize import brentq

    if df1 * f >= _LARGE:
        return float(df1 * f * (special.chdtri(df2, p) / df2))
    if special.ncfdtr(df1, df2, 0.0, f) <= p:
        return 0.0
    above = 1.0 + df1 * f
    while (tail := special.ncfdtr(df1, df2, above, f)) > p:
        above *= 2
    if math.isnan(tail):  # few degrees of freedom: the end is far above F
        return float(df1 * f * (special.chdtri(df2, p) / df2))

    def miss(noncentrality: float) -> float:
        return float(special.ncfdtr(df1, df2, noncentrality, f)) - p

    return brentq(miss, 0.0, above, xtol=1e-300, rtol=_RELATIVE)
