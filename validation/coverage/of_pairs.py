"""Intervals of tests and of effect sizes, and families of pairs in which one system differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from cdfscore.comparison.pairs import adjustment_of
from cdfscore.stats.adjustment import adjust
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance.contract import PairsTogether, significance_tests
from validation.coverage.cells import (
    Cell,
    Generator,
    covered,
    ends,
    proportion,
    sampled,
    standardized,
)
from validation.significance.parity import pairs_for

TRIALS, DRAWN, FAMILIES, EXACT = 10_000, 2_000, 500, 2_000
LEVEL = 0.95
SHIFT = 0.5
#: Systems of a matrix whose scores are standardized before two of them are compared.
SYSTEMS = 10
RESAMPLES = 999


def _normal(n: int, shift: float) -> Any:
    """Return a sampler of two systems on the same topics, with half of the variance in common."""

    def sample(rng: Generator) -> Array:
        common = rng.normal(size=(n, 1))
        return (common + rng.normal(size=(n, 2))) / np.sqrt(2) + [shift, 0]

    return sample


def _tied(n: int, systems: int = 2) -> Any:
    """Return a sampler of multiples of 0.1, as of P@10; no system differs from another."""
    return lambda rng: rng.binomial(10, rng.beta(1, 2, (n, 1)), (n, systems)) / 10


def _skewed(n: int, systems: int) -> Any:
    """Return a sampler of scores in (0, 1), on topics that differ in difficulty and in spread."""

    def sample(rng: Generator) -> Array:
        mean, size = rng.uniform(0.1, 0.6, (n, 1)), rng.uniform(3, 20, (n, 1))
        return rng.beta(size * mean, size * (1 - mean), (n, systems))

    return sample


def pairs(n: int, data: str, trials: int, shift: float = SHIFT) -> tuple[Array, Array]:
    """Return two systems on n topics, (trials, n) each; only by "normal" they differ, by a shift.

    "by normal" and "by empirical" are two of `SYSTEMS` systems after standardization.
    """
    if data == "normal":
        both = sampled(f"pairs {n}", trials, _normal(n, shift))
    elif data == "ties":
        both = sampled(f"ties {n}", trials, _tied(n))
    else:
        every = sampled(f"matrix {n}", trials, _skewed(n, SYSTEMS))
        both = standardized(every, data.removeprefix("by "))[..., :2]
    return both[..., 0], both[..., 1]


DATA = ("normal", "ties", "by normal", "by empirical")


def of_paired_tests() -> Iterator[Cell]:
    """Intervals of a difference: bootstraps, of equivalence, and of Hodges and Lehmann."""
    plans: dict[str, tuple[dict[str, Any], tuple[int, ...]]] = {
        "bootstrap_shift": ({}, (5, 10, 20, 50)),
        "bootstrap_studentized": ({}, (5, 10, 20, 50)),
        "equivalence_t": ({"margin": 1.0}, (5, 10, 50)),
        "wilcoxon_signed_rank": ({"conf_int": True}, (6, 10, 20, 50)),
    }
    for name, (settings, sizes) in plans.items():
        test = significance_tests.load(name)
        trials = DRAWN if test.draws else TRIALS
        for data in DATA:
            for n in sizes:
                x, y = pairs(n, data, trials)
                truth = SHIFT if data == "normal" else 0.0
                low, high = _intervals(test, x, y, settings)
                level = test.defaults["conf_level"]
                yield covered(f"{name}, interval", f"{n} topics, {data}", level, low, high, truth)


def _intervals(test: Any, x: Array, y: Array, settings: dict[str, Any]) -> tuple[Array, Array]:
    if not test.draws:
        found = test(x, y, **settings)
        return found.conf_low, found.conf_high
    # Trials that share their resamples would not be independent of each other. A batch of one has
    # no interval where all differences are equal.
    each = [
        test(a[np.newaxis], b[np.newaxis], **settings, B=RESAMPLES, seed=k)
        for k, (a, b) in enumerate(zip(x, y, strict=True))
    ]
    low, high = ends([(one.conf_low, one.conf_high) for one in each])
    return low[:, 0], high[:, 0]


def of_exact_ties() -> Iterator[Cell]:
    """Exact p values of scores with ties, and the interval of signed ranks beside them."""
    for name in ("wilcoxon_signed_rank", "mann_whitney", "spearman", "kendall"):
        test: Any = significance_tests.load(name)
        for n in (6, 9):
            own = sampled(f"exact {n}", EXACT, lambda rng, k=n: _grid(rng, k))
            x, y = own[..., 0], own[..., 1]
            if name == "wilcoxon_signed_rank":
                found = test(x, y, exact=True, conf_int=True)
                ends_of = found.conf_low, found.conf_high
                design = f"{n} topics, ties, exact"
                yield covered(f"{name}, interval", design, LEVEL, *ends_of, 0.0)
            else:
                found = test(x, y, exact=True)
            yield proportion(
                f"{name}, exact p value",
                f"{n} topics, ties",
                0.05,
                found.p_value <= 0.05,
                np.isnan(found.p_value),
            )


def _grid(rng: Generator, n: int) -> Array:
    """Return two independent systems with multiples of 0.1, as of P@10, from 0.2 to 0.8."""
    return np.clip(rng.binomial(10, 0.5, (n, 2)), 2, 8) / 10


#: Two collections: the topics of each.
UNPAIRED = ((5, 5), (5, 20), (20, 20), (10, 50))


def unpaired(n: int, m: int, data: str, trials: int, shift: float) -> tuple[Array, Array]:
    """Return the scores of a system on n topics, and of one on m others, (trials, ...)."""
    parts = []
    for place, size in enumerate((n, m)):
        if data == "normal":
            found = sampled(f"one {place} {size}", trials, lambda rng, k=size: rng.normal(size=k))
            parts.append(found + (shift if place == 0 else 0.0))
        elif data == "ties":
            parts.append(sampled(f"ties {place} {size}", trials, _tied(size, 1))[..., 0])
        else:
            every = sampled(f"matrix {place} {size}", trials, _skewed(size, SYSTEMS))
            parts.append(standardized(every, data.removeprefix("by "))[..., 0])
    return parts[0], parts[1]


def of_unpaired_tests() -> Iterator[Cell]:
    """Intervals of a shift, and of a ratio of variances."""
    for data in DATA:
        for n, m in UNPAIRED:
            x, y = unpaired(n, m, data, TRIALS, SHIFT)
            found = significance_tests.load("mann_whitney")(x, y, conf_int=True)
            design = f"{n} and {m} topics, {data}"
            truth = SHIFT if data == "normal" else 0.0
            yield covered(
                "mann_whitney, interval", design, LEVEL, found.conf_low, found.conf_high, truth
            )
            found = significance_tests.load("variance_ratio")(x, y)
            yield covered(
                "variance_ratio, interval", design, LEVEL, found.conf_low, found.conf_high, 1.0
            )


def of_effect_sizes() -> Iterator[Cell]:
    """Intervals of effect sizes.

    Of normal scores of sd 1, half of whose variance is in common, differences have sd 1 too.
    P(X > Y) - P(X < Y) is 2 Phi(shift / sqrt(2)) - 1 for independent scores; of a difference and
    another one, with their sum, it is 2 Phi(sqrt(2) shift) - 1.
    """
    large = special.ndtri(0.95)  # r is 0.9
    of_pairs = ("rank_biserial_paired", lambda shift: 2 * special.ndtr(shift * 2**0.5) - 1)
    of_two = ("rank_biserial", lambda shift: 2 * special.ndtr(shift / 2**0.5) - 1)
    for (name, truth), shift, larger in (
        (("d_z", float), SHIFT, ""),
        (("d_av", float), SHIFT, ""),
        (of_pairs, SHIFT, ""),
        (of_pairs, large / 2**0.5, ", r = 0.9"),
        (("hedges_g", float), SHIFT, ""),
        (("hedges_g", float), 2.0, ", g = 2"),
        (of_two, SHIFT, ""),
        (of_two, large * 2**0.5, ", r = 0.9"),
    ):
        effect = effect_sizes.load(name)
        for data in ("normal",) if larger else DATA:
            true = truth(shift) if data == "normal" else 0.0
            for sizes in ((5,), (10,), (20,), (50,)) if effect.paired else UNPAIRED:
                both = pairs if effect.paired else unpaired
                x, y = both(*sizes, data, TRIALS, shift)
                found = effect(x, y, conf_level=LEVEL)
                design = f"{' and '.join(map(str, sizes))} topics, {data}{larger}"
                ends_of = found.conf_low, found.conf_high
                yield covered(f"{name}, interval", design, LEVEL, *ends_of, true)


def _matrix(n: int, data: str, trials: int, differs: bool) -> Array:
    """Return scores (trials, n, 4); the last system differs from the others if `differs`."""
    move = np.array([0.0, 0.0, 0.0, 1.0 if differs else 0.0])
    if data == "normal":
        return sampled(f"four {n}", trials, lambda rng: rng.normal(size=(n, 4))) + move
    every = sampled(f"matrix {n}", trials, _skewed(n, SYSTEMS))
    every[..., 3] += (0.2 if differs else 0.0) * (1 - every[..., 3])
    return standardized(every, data.removeprefix("by "))[..., :4]


def of_families() -> Iterator[Cell]:
    """Intervals of all pairs together, and true null hypotheses where one system differs."""
    for name in significance_tests.names():
        test: Any = significance_tests.load(name)
        if not isinstance(test, PairsTogether):
            continue
        first, second = pairs_for(test, 4)
        if test.one_baseline:  # the first system is the baseline
            first, second = np.array([1, 2, 3]), np.array([0, 0, 0])
        correction = adjustment_of(test.chosen_example(), None)
        null = np.isin(first, (0, 1, 2)) & np.isin(second, (0, 1, 2))
        for data in ("normal", "by normal", "by empirical"):
            for n in (8, 21):
                each = []
                for k, scores in enumerate(_matrix(n, data, FAMILIES, differs=True)):
                    drawn = {"B": 199, "seed": k} if test.draws else {}
                    each.append(test.over_pairs(scores, first, second, **drawn))
                p = np.array([adjust(one.p_value, correction)[null].min() for one in each])
                design = f"{n} topics, {data}, one of 4 systems differs"
                yield proportion(f"{name}, p value", design, 0.05, p <= 0.05)
                if not np.isnan(each[0].conf_low).all() and data == "normal":
                    truth = np.array([0.0, 0.0, 0.0, 1.0])
                    true = truth[first] - truth[second]
                    inside = [
                        bool(((one.conf_low <= true) & (true <= one.conf_high)).all())
                        for one in each
                    ]
                    yield proportion(f"{name}, intervals", design, LEVEL, inside)
