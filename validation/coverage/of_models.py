"""Analyses of variance, mixed models, and studies of generalizability, on simulated designs.

All results of `anova` are about the topics at hand, so that topics are fixed effects there. Those
of mixed models are about the topics that they are drawn from: each data set has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from cdfscore.models.anova import (
    TUKEY,
    Design,
    adjusted,
    checks_of,
    marginal_means,
    noncentrality_interval,
    sums_of,
)
from cdfscore.models.formula import Factor, factor_of
from cdfscore.models.generalizability import d_study, study_of
from cdfscore.models.mixed import MixedFit
from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.tails import upper_tail
from cdfscore.stats.numerics.types import Array
from validation.coverage.cells import (
    Cell,
    covered,
    ends,
    generators,
    proportion,
    ratio,
    standardized,
)

TRIALS, MIXED, BALANCED, STUDIES = 1_000, 2_000, 20_000, 4_000
PROFILES = 2_000
LEVEL, ALPHA = 0.95, 0.05
DATA = ("normal", "ties", "by normal", "by empirical")
TERM, OTHER, TOPIC = ("part",), ("other",), ("topic",)
#: Systems of each level of a component.
EVEN, UNEVEN = (2, 2, 2), (6, 1, 1)
#: Standard deviations of topics, of components on topics, and of residuals.
SDS, ALIKE = (1.0, 0.7, 1.0), (0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Scores:
    """Normal effects of topics, of topic:part and of topic:other, and residuals.

    Levels of part have these `sizes`, and `other` has the level of each system of a second
    component. No system differs from another. `removed` is the part of the mean of a topic that is
    removed, and a part of the scores is `missing` at random. `data` says how they are changed then:
    "ties" rounds to multiples of 1/2, and "by normal" and "by empirical" standardize them.
    """

    topics: int
    sizes: Sequence[int]
    sds: Sequence[float] = SDS
    data: str = "normal"
    removed: float = 0.0
    missing: float = 0.0
    other: Sequence[int] = ()

    def __str__(self) -> str:
        parts = [f"{self.topics} topics, levels of {', '.join(map(str, self.sizes))} systems"]
        parts += ["two components"] * bool(self.other)
        parts += ["equal topics"] * (self.sds[0] == 0 and not self.removed)
        parts += [f"{100 * self.removed:.0f} % of the mean removed"] * bool(self.removed)
        parts += [f"{100 * self.missing:.0f} % missing"] * bool(self.missing)
        return ", ".join([*parts, self.data])

    @property
    def factors(self) -> dict[str, Factor]:
        """The components."""
        codes = np.repeat(np.arange(len(self.sizes)), self.sizes)
        every = {"part": codes} | ({"other": self.other} if self.other else {})
        return {
            name: factor_of(name, [f"level {code}" for code in own]) for name, own in every.items()
        }

    @property
    def center(self) -> float:
        """The true mean of every system: the scores are symmetric about their center."""
        if self.data == "by empirical":
            n = sum(self.sizes)
            return (n + 1) / (2 * n)
        return 0.5 if self.data == "by normal" else 0.0

    def drawn(self, rng: np.random.Generator) -> Array:
        """Return the scores (topics, systems) of one data set; every topic has two or more."""
        shape = self.topics, sum(self.sizes)
        factors = self.factors
        y = self.sds[0] * rng.normal(size=(self.topics, 1))
        of_cells = self.sds[1] * rng.normal(size=(self.topics, len(self.sizes)))
        y = y + of_cells[:, factors["part"].codes] + self.sds[2] * rng.normal(size=shape)
        if self.other:
            of_cells = self.sds[1] * rng.normal(size=(self.topics, len(factors["other"].levels)))
            y += of_cells[:, factors["other"].codes]
        if self.missing:
            absent = rng.random(shape) < self.missing
            absent[(~absent).sum(axis=1) < 2] = False
            y[absent] = np.nan
        y -= self.removed * np.nanmean(y, axis=1, keepdims=True)
        return self.changed(y)

    def changed(self, y: Array) -> Array:
        """Return scores (..., systems) as `data` changes them."""
        if self.data == "ties":
            return np.asarray(np.round(2 * y) / 2)
        if self.data.startswith("by "):
            return standardized(y, self.data.removeprefix("by "))
        return np.asarray(y)

    def fitted(self, rng: np.random.Generator) -> MixedFit:
        """Return the mixed model of one data set, where components vary over topics."""
        factors = self.factors
        terms = [(name,) for name in factors]
        random = [TOPIC, *(("topic", name) for name in factors)]
        return MixedFit.of(self.drawn(rng), factors, terms, random, "REML")


def of_anova() -> Iterator[Cell]:
    """Marginal means and their differences, and checks of the assumptions.

    Without effects of topics, the means over these topics are those over all.
    """
    for sizes, topics, data in product((EVEN, UNEVEN), (5, 25), DATA):
        scores = Scores(topics, sizes, (0, 0, 1), data)
        factors = scores.factors
        design = f"{topics} topics, levels of {', '.join(map(str, sizes))} systems, {data}"
        means, differences, t = [], [], []
        p: dict[str, list[float]] = {}
        for rng in generators(f"anova {sizes} {topics}", TRIALS):
            own = Design.of(scores.drawn(rng), factors, [TOPIC, TERM])
            found = marginal_means(own, factors, TERM)
            difference, stderr = found.differences(*np.triu_indices(len(sizes), 1))[:2]
            t.append(difference / stderr)
            means.append(interval(found.mean, found.stderr, found.df))
            differences.append(interval(difference, stderr, found.df))
            for check in checks_of(own, factors):
                if check.df is not None:
                    p.setdefault(check.name, []).append(check.p_value)
        low, high = ends(means)
        for place in range(2 if sizes == UNEVEN else 1):
            own_design = f"{design}, level {place + 1}"
            ends_of = low[:, place], high[:, place]
            yield covered("anova, marginal mean", own_design, LEVEL, *ends_of, scores.center)
        low, high = ends(differences)
        yield covered("anova, difference", design, LEVEL, low[:, 0], high[:, 0], 0.0)
        smallest = tukey(np.abs(t).max(axis=1), found.df, len(sizes))
        yield proportion("anova, p by tukey", design, ALPHA, smallest <= ALPHA)
        for name, values in p.items():
            yield proportion(f"anova, {name}", design, ALPHA, np.array(values) <= ALPHA)


def tukey(t: Array, df: Array | float, means: int) -> Array:
    """Return p values of the largest of all differences, of all trials."""
    every = np.broadcast_to(np.asarray(df, dtype=np.float64), t.shape)
    return adjusted(t, np.zeros_like(t), every, means, TUKEY)


def interval(estimate: Array, stderr: Array, df: Array | float) -> tuple[Array, Array]:
    return student_t.interval(estimate, stderr, df, "two-sided", LEVEL)


def of_anova_effects() -> Iterator[Cell]:
    """Intervals of partial eta squared, of the noncentrality that the design has."""
    for topics, effect in ((5, 0.5), (25, 0.5), (25, 0.1)):
        scores = Scores(topics, EVEN, (1, 0, 1))
        move = effect * np.repeat([-1.0, 0.0, 1.0], 2)
        lam = topics * float(move @ move)
        low, high = [], []
        for rng in generators(f"effect {topics} {effect}", TRIALS):
            own = Design.of(scores.drawn(rng) + move, scores.factors, [TOPIC, TERM])
            sums = sums_of(own, "III")
            square, df = sums.terms[TERM]
            of_residuals, df_residual = sums.residual
            f = square / df / (of_residuals / df_residual)
            each = np.array(noncentrality_interval(f, df, df_residual, LEVEL))
            a, b = each / (each + sums.n)
            low.append(a)
            high.append(b)
        truth = lam / (lam + 6 * topics)
        design = f"{topics} topics, 3 levels of 2 systems, partial eta squared {truth:.3f}"
        yield covered("anova, partial eta squared", design, LEVEL, low, high, truth)


#: Some have topics with a variance of 0 (half of the mean removed, or standardized).
MIXED_DESIGNS = (
    Scores(10, EVEN),
    Scores(10, UNEVEN),
    Scores(30, UNEVEN, data="ties"),
    Scores(30, EVEN, data="by normal"),
    Scores(30, UNEVEN, data="by normal"),
    Scores(30, UNEVEN, data="by empirical"),
    Scores(30, UNEVEN, data="by normal", missing=0.2),
    Scores(30, UNEVEN, (1, 1, 1)),
    Scores(30, UNEVEN, ALIKE),
    Scores(50, UNEVEN, ALIKE, removed=0.5),
    Scores(30, UNEVEN, ALIKE, removed=0.5),
    Scores(30, EVEN, ALIKE, removed=0.5),
    Scores(10, UNEVEN, ALIKE, removed=1.0),
    Scores(30, UNEVEN, ALIKE, removed=0.5, missing=0.2),
    Scores(12, EVEN, ALIKE, removed=0.5, missing=0.3),
    Scores(30, (4, 2, 3), ALIKE, removed=0.5, other=(0, 1, 1, 0, 1, 0, 0, 0, 1)),
    Scores(30, (4, 2, 3), ALIKE, removed=0.5, missing=0.2, other=(0, 1, 1, 0, 1, 0, 0, 0, 1)),
    # Five that nobody had looked at before.
    Scores(25, (5, 2, 1), ALIKE, removed=0.5, missing=0.25),
    Scores(200, (2, 1), ALIKE, removed=0.5),
    Scores(20, EVEN, ALIKE, removed=0.5, other=(0, 1, 0, 1, 0, 1)),
    Scores(20, (5, 2, 1), data="by empirical"),
    Scores(20, UNEVEN, ALIKE, data="ties"),
)
#: The designs with p values by Tukey: each df has an integral of its own.
WITH_TUKEY = (0, 1, 3)


def found_of(scores: Scores, rng: np.random.Generator) -> tuple[Array, Array, Array, float]:
    """Return the means, their differences and the intercept of one data set, and p of F.

    Of each number: the estimate, its standard error, and its degrees of freedom.
    """
    fit = scores.fitted(rng)
    rows = fit.cells(TERM)[1]
    first, second = np.triu_indices(len(rows), 1)
    every = np.vstack([rows, rows[first] - rows[second], np.eye(1, rows.shape[1])])
    f, error = fit.fixed.f_test(fit.tested(TERM))
    p = upper_tail(np.array(f), len(rows) - 1, error).item()
    return *fit.fixed.estimates(every)[:3], p


def of_mixed() -> Iterator[Cell]:
    """Intercept, marginal means, differences, F, and Tukey's p values."""
    for scores in MIXED_DESIGNS:
        design, levels = str(scores), len(scores.sizes)
        fits = [found_of(scores, rng) for rng in generators(f"mixed {design}", MIXED)]
        estimate, stderr, df = (np.array([own[i] for own in fits]) for i in range(3))
        pairs = slice(levels, -1)
        truth = np.full(estimate.shape[1], scores.center)
        truth[pairs] = 0.0
        low, high = interval(estimate, stderr, df)
        # A mean that the scheme fixes has no interval, and is right.
        fixed = (stderr == 0) & (np.abs(estimate - truth) < 1e-12)
        low, high = np.where(fixed, estimate, low), np.where(fixed, estimate, high)
        at = {f"mean, level {place + 1}": place for place in range(levels)}
        at |= {"difference, levels 1 - 2": levels, "intercept": -1}
        at |= {f"difference, levels {levels - 1} - {levels}": estimate.shape[1] - 2}
        for name, place in at.items():
            what, *level = name.split(", ")
            told = ", ".join([design, *level])
            ends_of = low[:, place], high[:, place], truth[place]
            yield covered(f"mixed model, coverage of {what}", told, LEVEL, *ends_of)
            if place in (0, -1) and not fixed[:, place].all():
                both = np.square([stderr[:, place], estimate[:, place] - truth[place]]).T
                yield ratio(f"mixed model, variance of {what} / true variance", told, 1.0, both)
        yield proportion(
            "mixed model, level of F", design, ALPHA, np.array([own[3] for own in fits]) <= ALPHA
        )
        if MIXED_DESIGNS.index(scores) in WITH_TUKEY:
            t = np.abs(estimate[:, pairs] / stderr[:, pairs])
            each = tukey(t.ravel(), df[:, pairs].ravel(), levels).reshape(t.shape)
            hits = each.min(axis=1) <= ALPHA
            yield proportion("mixed model, level by tukey", design, ALPHA, hits)


def of_balanced() -> Iterator[Cell]:
    """F of balanced designs, on many data sets: that of the mixed model is that of sums of squares.

    The error is the interaction with topics, pooled with the residuals if it is smaller than they.
    """
    for topics, data in product((10, 30), DATA):
        rng = next(generators(f"balanced {topics}", 1))
        shape = BALANCED, topics, 3
        y = SDS[0] * rng.normal(size=(BALANCED, topics, 1, 1)) + SDS[2] * rng.normal(
            size=(*shape, 2)
        )
        y = (y + SDS[1] * rng.normal(size=(*shape, 1))).reshape(BALANCED, topics, 6)
        y = Scores(topics, EVEN, data=data).changed(y).reshape(*shape, 2)
        cells, levels = y.mean(axis=3), y.mean(axis=(1, 3))
        effects = 2 * topics * levels.var(axis=1, ddof=1)
        left = cells - cells.mean(axis=2, keepdims=True) - levels[:, np.newaxis]
        left += levels.mean(axis=1)[:, np.newaxis, np.newaxis]
        squares = np.array(
            [2 * np.square(left).sum(axis=(1, 2)), 2 * y.var(axis=3).sum(axis=(1, 2))]
        )
        df = np.array([[2 * (topics - 1)], [3 * topics]])
        of_both = np.where(squares[0] / df[0] > squares[1] / df[1], [[1], [0]], 1)
        error = (of_both * df).sum(axis=0)
        p = upper_tail(effects / ((of_both * squares).sum(axis=0) / error), 2, error)
        design = str(Scores(topics, EVEN, data=data))
        yield proportion("mixed model, level of F by sums of squares", design, ALPHA, p <= ALPHA)


def of_variances() -> Iterator[Cell]:
    """Profile intervals of the variances of a mixed model."""
    names = ("topic", "topic:part", "residual")
    for topics, sizes in ((10, EVEN), (30, EVEN), (100, EVEN), (10, UNEVEN), (30, UNEVEN)):
        scores = Scores(topics, sizes)
        every = generators(f"mixed {topics} {sizes} {SDS}", PROFILES)
        intervals = np.array([scores.fitted(rng).intervals(ALPHA) for rng in every])
        for place, name in enumerate(names):
            low, high = intervals[:, place].T
            quantity = f"mixed model, variance of {name}"
            yield covered(quantity, str(scores), LEVEL, low, high, SDS[place] ** 2)


def of_generalizability() -> Iterator[Cell]:
    """Intervals of E rho^2, of Phi, and of the numbers of topics for 0.9.

    Systems and topics are both drawn; the true coefficients are those of the variances.
    """
    for systems, topics, sds in (
        (5, 10, (0.5, 1.0, 1.0)),
        (10, 25, (0.5, 1.0, 1.0)),
        (30, 50, (0.5, 1.0, 1.0)),
        (10, 25, (0.2, 1.0, 1.0)),
        (10, 25, (0.5, 0.3, 1.0)),
        (50, 10, (1.0, 2.0, 1.0)),
    ):
        tables = []
        for rng in generators(f"study {systems} {topics} {sds}", STUDIES):
            y = sds[0] * rng.normal(size=(1, systems)) + sds[1] * rng.normal(size=(topics, 1))
            found = d_study(
                study_of(y + sds[2] * rng.normal(size=(topics, systems)), []),
                reliabilities=(0.9,),
                confidence=LEVEL,
            )
            tables.append(
                np.concatenate(
                    [
                        found.reliability.to_numpy(np.float64)[0, 1:],
                        found.topics_needed.to_numpy(np.float64)[0, 1:],
                    ]
                )
            )
        ends_of = np.array(tables).T
        variance = np.square(sds)
        errors = {"relative": variance[2], "absolute": variance[1] + variance[2]}
        design = f"{systems} systems, {topics} topics, sds {', '.join(map(str, sds))}"
        for place, (kind, error) in enumerate(errors.items()):
            ratio = variance[0] / error
            truth = topics * ratio / (1 + topics * ratio)
            name = {"relative": "E rho^2", "absolute": "Phi"}[kind]
            low, high = ends_of[3 * place + 1 : 3 * place + 3]
            yield covered(f"d_study, {name}", design, LEVEL, low, high, truth)
            low, high = ends_of[6 + 3 * place + 1 : 6 + 3 * place + 3]
            needed = np.ceil(9 / ratio)
            yield covered(f"d_study, topics for {name}", design, LEVEL, low, high, needed)
