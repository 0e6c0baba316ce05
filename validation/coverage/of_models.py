"""Analyses of variance, mixed models, and studies of generalizability, on simulated designs.

All results of `anova` are about the topics at hand, so that topics are fixed effects there. Those
of mixed models are about the topics that they are drawn from: each data set has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from cdfscore.models.anova import noncentrality_interval
from cdfscore.models.contrasts import TUKEY, adjusted
from cdfscore.models.crossed import Factor, factor_of
from cdfscore.models.design import Design
from cdfscore.models.generalizability import d_study, study_of
from cdfscore.models.marginal_means import marginal_means
from cdfscore.models.mixed.fit import Fit
from cdfscore.models.result import checks_of
from cdfscore.models.sums_of_squares import sums_of
from cdfscore.numerics import student_t
from cdfscore.numerics.types import Array
from cdfscore.significance.null.f_distribution import upper_tail
from validation.coverage import mixed_models
from validation.coverage.cells import (
    SEED,
    Cell,
    covered,
    ends,
    generators,
    proportion,
    standardized,
)

TRIALS, MIXED, DESIGNED, PROFILES, STUDIES = 1_000, 600, 400, 600, 4_000
LEVEL, ALPHA = 0.95, 0.05
DATA = ("normal", "ties", "by normal", "by empirical")
TERM = ("part",)
TOPIC = ("topic",)
WITHIN = ("topic", "part")
#: Systems of each level of a component.
EVEN, UNEVEN = (2, 2, 2), (6, 1, 1)


def component(sizes: Sequence[int]) -> Factor:
    """Return a component of so many systems of each level."""
    return factor_of("part", [f"level {i}" for i, size in enumerate(sizes) for _ in range(size)])


def scores_of(
    rng: np.random.Generator, topics: int, sizes: Sequence[int], sds: Sequence[float], data: str
) -> Array:
    """Return scores (topics, systems) with normal effects of topics, of topic:part, and residuals.

    `sds` are their standard deviations. No system differs from another. "ties" rounds to multiples
    of 1/2; "by normal" and "by empirical" standardize the scores.
    """
    factor = component(sizes)
    of_topics = sds[0] * rng.normal(size=(topics, 1))
    of_cells = sds[1] * rng.normal(size=(topics, len(sizes)))[:, factor.codes]
    y = of_topics + of_cells + sds[2] * rng.normal(size=(topics, sum(sizes)))
    if data == "ties":
        return np.asarray(np.round(2 * y) / 2)
    if data.startswith("by "):
        return standardized(y, data.removeprefix("by "))
    return np.asarray(y)


def center(data: str, systems: int) -> float:
    """Return the true mean of every system: the scores are symmetric about their center."""
    if data == "by empirical":
        return (systems + 1) / (2 * systems)
    return 0.5 if data == "by normal" else 0.0


def told(sizes: Sequence[int], topics: int, data: str) -> str:
    """Say what a design is."""
    return f"{topics} topics, levels of {', '.join(map(str, sizes))} systems, {data}"


def of_anova() -> Iterator[Cell]:
    """Marginal means and their differences, and checks of the assumptions.

    Without effects of topics, the means over these topics are those over all.
    """
    for sizes, topics, data in product((EVEN, UNEVEN), (5, 25), DATA):
        factors = {"part": component(sizes)}
        design = told(sizes, topics, data)
        means, differences, t = [], [], []
        p: dict[str, list[float]] = {}
        for rng in generators(f"anova {sizes} {topics}", TRIALS):
            y = scores_of(rng, topics, sizes, (0, 0, 1), data)
            own = Design.of(y, factors, [TOPIC, TERM])
            found = marginal_means(own, factors, TERM)
            difference, stderr = found.differences()[2:4]
            t.append(difference / stderr)
            means.append(interval(found.estimates, found.stderr, found.df))
            differences.append(interval(difference, stderr, found.df))
            for check in checks_of(own, factors):
                if check.df is not None:
                    p.setdefault(check.name, []).append(check.p_value)
        truth = center(data, sum(sizes))
        low, high = ends(means)
        for place in range(2 if sizes == UNEVEN else 1):
            own_design = f"{design}, level {place + 1}"
            ends_of = low[:, place], high[:, place]
            yield covered("anova, marginal mean", own_design, LEVEL, *ends_of, truth)
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
        move = effect * np.repeat([-1.0, 0.0, 1.0], 2)
        lam = topics * float(move @ move)
        low, high = [], []
        for rng in generators(f"effect {topics} {effect}", TRIALS):
            y = scores_of(rng, topics, EVEN, (1, 0, 1), "normal") + move
            own = Design.of(y, {"part": component(EVEN)}, [TOPIC, TERM])
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


#: Topics, systems of each level, standard deviations of topic, topic:part and residuals, and data.
MIXED_DESIGNS = (
    (10, EVEN, (1, 0.7, 1), "normal"),
    (10, UNEVEN, (1, 0.7, 1), "normal"),
    (30, UNEVEN, (1, 0.7, 1), "ties"),
    (30, EVEN, (1, 0.7, 1), "by normal"),
    (30, UNEVEN, (1, 0.7, 1), "by empirical"),
)


#: Topics and data of the designs with p values by Tukey: each df has an integral of its own.
WITH_TUKEY = {(10, "normal"), (30, "by normal")}


def of_mixed() -> Iterator[Cell]:
    """Intercept, marginal means, differences, F, and Tukey's p values."""
    for topics, sizes, sds, data in MIXED_DESIGNS:
        factor = component(sizes)
        design = told(sizes, topics, data)
        found: dict[str, list[tuple[Array, Array]]] = {"means": [], "differences": []}
        intercepts, p, t, df_of_t = [], [], [], []
        for rng in generators(f"mixed {topics} {sizes} {sds}", MIXED):
            y = scores_of(rng, topics, sizes, sds, data)
            fit = Fit.of(y, {"part": factor}, [TERM], [TOPIC, WITHIN], "REML")
            labels, rows = fit.cells(TERM)
            first, second = np.triu_indices(len(labels), 1)
            found["means"].append(interval(*fit.fixed.estimates(rows)[:3]))
            estimate, stderr, df = fit.fixed.estimates(rows[first] - rows[second])[:3]
            found["differences"].append(interval(estimate, stderr, df))
            if (topics, data) in WITH_TUKEY:
                t.append(estimate / stderr)
                df_of_t.append(df)
            intercepts.append(interval(*fit.fixed.estimates(np.eye(1, rows.shape[1]))[:3]))
            f, error = fit.fixed.f_test(fit.tested(TERM))
            p.append(upper_tail(np.array(f), len(labels) - 1, error).item())
        truth = center(data, sum(sizes))
        low, high = ends(intercepts)
        yield covered(
            "mixed model, coverage of intercept", design, LEVEL, low[:, 0], high[:, 0], truth
        )
        low, high = ends(found["means"])
        for place in (0, 1):
            yield covered(
                "mixed model, coverage of mean",
                f"{design}, level {place + 1}",
                LEVEL,
                low[:, place],
                high[:, place],
                truth,
            )
        low, high = ends(found["differences"])
        for place, pair in ((0, "1 - 2"), (2, "2 - 3")):
            yield covered(
                "mixed model, coverage of difference",
                f"{design}, levels {pair}",
                LEVEL,
                low[:, place],
                high[:, place],
                0.0,
            )
        yield proportion("mixed model, level of F", design, ALPHA, np.array(p) <= ALPHA)
        if t:
            each = tukey(np.abs(t).ravel(), np.ravel(df_of_t), len(sizes)).reshape(-1, 3)
            hits = each.min(axis=1) <= ALPHA
            yield proportion("mixed model, level by tukey", design, ALPHA, hits)


def of_topics_without_variance() -> Iterator[Cell]:
    """Means, intercept and tests of the designs of `mixed_models`, most with a variance of 0."""
    for design, simulate in mixed_models.DESIGNS.items():
        for row in simulate(DESIGNED, SEED):
            what, number = row.quantity.split(": ")
            name, _, level = what.partition(" of kind ")
            quantity = f"mixed model, {number} of {name.split()[0]}"
            told = f"{design}, kind {level}" if level else design
            yield Cell(quantity, told, row.nominal, row.simulated, row.stderr, DESIGNED)


def of_variances() -> Iterator[Cell]:
    """Profile intervals of the variances of a mixed model."""
    names = ("topic", "topic:part", "residual")
    sds = (1, 0.7, 1)
    for topics, sizes in ((10, EVEN), (30, EVEN), (100, EVEN), (10, UNEVEN), (30, UNEVEN)):
        found = []
        for rng in generators(f"mixed {topics} {sizes} {sds}", PROFILES):
            y = scores_of(rng, topics, sizes, sds, "normal")
            fit = Fit.of(y, {"part": component(sizes)}, [TERM], [TOPIC, WITHIN], "REML")
            found.append(fit.intervals(ALPHA))
        intervals = np.array(found)
        design = told(sizes, topics, "normal")
        for place, name in enumerate(names):
            low, high = intervals[:, place].T
            yield covered(
                f"mixed model, variance of {name}", design, LEVEL, low, high, sds[place] ** 2
            )


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
