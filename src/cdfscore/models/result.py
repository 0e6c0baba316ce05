"""Result of an analysis of variance: its table, marginal means, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.comparison.adjustment import METHODS, adjust
from cdfscore.errors import ModelError
from cdfscore.io.text import written
from cdfscore.models.absorbed import Absorbed
from cdfscore.models.components import SYSTEM
from cdfscore.models.formula import (
    TOPIC,
    Factor,
    Formula,
    Term,
    columns_of,
    labels_of,
    name_of,
    term_of,
)
from cdfscore.models.parts import Parts
from cdfscore.models.sums_of_squares import Design, SumsType
from cdfscore.numerics.student_t import interval, p_value
from cdfscore.numerics.types import Array, IntArray
from cdfscore.showing import Shown, figures
from cdfscore.significance.null import studentized_range
from cdfscore.significance.null.f_distribution import upper_tail
from cdfscore.spelling import check_one_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from cdfscore.standardization.standardized import Standardized

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


@dataclass(frozen=True, eq=False, repr=False)
class Anova(Shown):
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

    table: pd.DataFrame
    formula: Formula
    sums_of_squares: SumsType
    alpha: float
    scores: dict[str, int]
    fitted_to: str
    notes: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    designs: Mapping[str, tuple[Design, Mapping[str, Factor]]] = field(default_factory=dict)
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    standardized: tuple[Standardized, ...] = ()

    @property
    def schemes(self) -> list[str]:
        """The schemes, in the order in which they were given."""
        return list(self.designs)

    def means(self, term: str) -> pd.DataFrame:
        """Return the marginal means of a term, ``stemmer`` or ``stemmer:model``.

        One row for each scheme and combination of levels: ``scheme``, a column for each factor,
        ``mean``, ``stderr``, ``df``, and the interval ``conf_low``, ``conf_high`` at 1 - alpha.
        Each mean is the mean of fitted scores, with equal weights for all topics and for all levels
        of the other factors.

        Raises `ModelError` for a term that is not in the model or contains topic, and if a fitted
        score is not defined.
        """
        import pandas as pd

        own = term_of(self.formula, term)
        found = []
        for scheme, means in self._means(own).items():
            mean, stderr, df = means.estimates, means.stderr, means.df
            low, high = interval(mean, stderr, df, "two-sided", 1 - self.alpha)
            labels = dict(zip(own, zip(*means.labels, strict=True), strict=True))
            numbers = {"mean": mean, "stderr": stderr, "df": df, "conf_low": low, "conf_high": high}
            found.append(pd.DataFrame({"scheme": scheme, **labels, **numbers}))
        return pd.concat(found, ignore_index=True)

    def contrasts(self, term: str, adjustment: str = TUKEY) -> pd.DataFrame:
        """Return all differences of two marginal means of a term, with tests.

        One row for each scheme and pair: ``scheme``, ``a``, ``b``, ``estimate`` (a minus b),
        ``stderr``, ``df``, ``statistic`` (t), ``p_value``, ``p_adjusted``, and the interval
        ``conf_low``, ``conf_high`` at 1 - alpha, which is not adjusted. The adjustment "tukey" uses
        the studentized range of all means of the term (Tukey-Kramer). The other adjustments are
        those of `adjust`.

        Raises `ModelError` as `means` does, for an unknown adjustment, and if two combinations of
        levels have the same label because levels contain colons.
        """
        import pandas as pd

        check_adjustment(adjustment)
        own = term_of(self.formula, term)
        found = []
        for scheme, means in self._means(own).items():
            first, second, estimate, stderr, t = means.differences()
            names, pairs = labels_of(own, means.labels), (first, second)
            tests = tests_of_pairs(
                names, pairs, estimate, stderr, means.df, t, adjustment, self.alpha
            )
            found.append(pd.DataFrame({"scheme": scheme, **tests}))
        return pd.concat(found, ignore_index=True)

    def residuals(self, scheme: str) -> pd.DataFrame:
        """Return the residual of each score that is not missing, by one of `schemes`.

        One row for each score: ``topic``, ``system``, ``fitted`` (the fitted score) and
        ``residual`` (the score minus the fitted score). Raises `ModelError` for another scheme.
        """
        import pandas as pd

        check_one_of("scheme", scheme, self.schemes, ModelError)
        design, factors = self.designs[scheme]
        rows, columns = np.nonzero(~np.isnan(design.scores))
        left = residuals_of(design)
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
        import pandas as pd

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

    def _means(self, term: Term) -> dict[str, Means]:
        return {
            scheme: marginal_means(design, factors, term)
            for scheme, (design, factors) in self.designs.items()
        }

    def __repr__(self) -> str:
        found = []
        for scheme in self.schemes:
            rows = self.table[(self.table["scheme"] == scheme) & (self.table["p_value"].notna())]
            small = rows["term"][rows["p_value"] <= self.alpha]
            found.append(f"{', '.join(small) or 'none'} by {scheme}")
        return (
            f"<analysis of variance, type {self.sums_of_squares}, {self.formula}; "
            f"p <= {written(self.alpha)}: {'; '.join(found)}>"
        )


def tests_of_pairs(
    names: Sequence[str],
    pairs: Sequence[IntArray],
    estimate: Array,
    stderr: Array,
    df: Array | int,
    t: Array,
    adjustment: str,
    alpha: float,
) -> dict[str, Any]:
    """Return the columns of `Anova.contrasts` for all pairs of means, given their places."""
    p = p_value(t, df, "two-sided")
    low, high = interval(estimate, stderr, df, "two-sided", 1 - alpha)
    return {
        **{own: [names[i] for i in places] for own, places in zip("ab", pairs, strict=True)},
        "estimate": estimate,
        "stderr": stderr,
        "df": df,
        "statistic": t,
        "p_value": p,
        "p_adjusted": adjusted(t, p, np.broadcast_to(df, t.shape), len(names), adjustment),
        "conf_low": low,
        "conf_high": high,
    }


@dataclass(frozen=True)
class Check:
    """A check of the errors: its name, its size, and its F test, if it has one."""

    name: str
    size: float
    statistic: float = np.nan
    df: int | None = None
    df_residual: int | None = None
    p_value: float = np.nan


def residuals_of(design: Design) -> Array:
    """Return the residuals of the scores that are present, topic by topic."""
    left = _residuals(design)
    return design.parts.numbers(left[design.parts.present])


def _residuals(design: Design) -> Array:
    """Return the residuals (topics, systems) in the unit of the parts, 0 where missing."""
    return design.absorbed(design.terms).residuals(design.columns_of(design.terms))[0]


def checks_of(design: Design, factors: Mapping[str, Factor]) -> list[Check]:
    """Return the checks of the errors: shape, additivity, and equal variances.

    - Skewness and excess kurtosis of the residuals: 0 for normal errors. They have no test, because
      with 10,000 scores a harmless deviation is significant.
    - Additivity: F of the square of the fitted scores, added to the model (Tukey, 1949; Milliken
      and Graybill, 1970). Its size is its proportion of the residual sum of squares.
    - Equal variances over topics, and over the levels of each factor: F of the distances of
      residuals from the median of their group (Brown and Forsythe, 1974). Its size is the ratio of
      the largest standard deviation of a group to the smallest.
    """
    residuals, present = _residuals(design), design.parts.present
    own = residuals[present]
    unit = own / np.abs(own).max()  # so that fourth powers of small units are not 0
    second = np.mean(unit**2)
    skewness = np.mean(unit**3) / second**1.5
    kurtosis = np.mean(unit**4) / second**2 - 3
    found = [Check("skewness", float(skewness)), Check("excess kurtosis", float(kurtosis))]
    found += _additivity(design, residuals)
    rows, columns = np.nonzero(present)
    for name in dict.fromkeys(name for term in design.terms for name in term):
        groups = rows if name == TOPIC else factors[name].codes[columns]
        found += _equal_variances(name, own, groups)
    return found


def _additivity(design: Design, residuals: Array) -> Iterator[Check]:
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
    yield Check("additivity", float(explained / of_all), float(f), 1, df - 1, p)


def _equal_variances(name: str, residuals: Array, groups: IntArray) -> Iterator[Check]:
    """Yield the test of Brown and Forsythe, unless a group has one residual only.

    There is no test either if all residuals of a group have the same distance from its median, such
    as two residuals.
    """
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
    yield Check(f"equal variances over {name}", float(ratio), float(f), k - 1, n - k, p)


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
