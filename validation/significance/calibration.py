"""Type I error and coverage by simulation: is a p value of 0.05 met one time in twenty?

Under the null hypothesis the p values of a test are at most a with probability a, for every a
that they can take. So the proportion of p values up to alpha is compared with the largest of them,
which is alpha for a test whose p values are continuous; and intervals must cover the truth in
a proportion of conf_level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special, stats

from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.numerics.types import Array, BoolArray
from cdfscore.stats.significance.contract import (
    AllSystems,
    OneSample,
    PairsTogether,
    Pooled,
    TestResult,
    Unpaired,
    significance_tests,
)

ALPHAS = (0.01, 0.05, 0.1)
CONF_LEVEL = 0.9
#: The chance that a correct test falls outside of its bounds.
ERROR = 1e-5
SEED = 20260


@dataclass(frozen=True)
class Rate:
    """A proportion that was counted, the one expected, and the bounds around it."""

    test: str
    what: str
    trials: int
    found: float
    expected: float
    low: float
    high: float

    @property
    def inside(self) -> bool:
        return self.low <= self.found <= self.high

    def __str__(self) -> str:
        bounds = f"{self.low:.4f} to {self.high:.4f}"
        return f"{self.test}, {self.what}: {self.found:.4f}, expected {self.expected:.4f}, {bounds}"


def rate(test: str, what: str, hits: BoolArray, expected: float) -> Rate:
    trials = len(hits)
    low, high = stats.binom.interval(1 - ERROR, trials, expected)
    return Rate(test, what, trials, float(hits.mean()), expected, low / trials, high / trials)


@dataclass(frozen=True)
class Design:
    """How the null hypothesis of a test is simulated."""

    topics: int = 30
    systems: int = 4
    settings: tuple[tuple[str, Any], ...] = ()
    #: The difference between the systems, and what the interval is of.
    shift: float = 0.0
    truth: float = 0.0
    #: Whether the two systems find the same topics hard.
    related: bool = True
    #: Whether the interval covers more often than it says, as one of a count must.
    conservative: bool = False


# Of resamples there are such that alpha (B + 1) is whole. Approximations need many topics.
_RESAMPLED = (("B", 199),)
DESIGNS = {
    "bootstrap_shift": Design(topics=300, settings=_RESAMPLED),
    "bootstrap_studentized": Design(topics=300, settings=_RESAMPLED),
    # At one of its bounds, so far from the other that only this one matters.
    "equivalence_t": Design(settings=(("margin", 1.0),), shift=1.0, truth=1.0),
    "friedman": Design(topics=100),
    "kendall": Design(related=False),
    "max_t": Design(topics=20, settings=_RESAMPLED),
    "max_t_baseline": Design(topics=20, settings=_RESAMPLED),
    "nemenyi": Design(topics=100),
    "pearson": Design(related=False),
    "permutation": Design(settings=_RESAMPLED),
    "permutation_unpaired": Design(settings=_RESAMPLED, related=False),
    "randomized_tukey_hsd": Design(topics=20, settings=_RESAMPLED),
    "sign": Design(truth=0.5, conservative=True),
    "spearman": Design(related=False),
    "variance_ratio": Design(truth=1.0),
}


def rates(name: str, trials: int, topics: int | None = None) -> Iterator[Rate]:
    """Yield the proportions of a test: errors of the first kind at each alpha, and coverage.

    `topics` is of how many the trials are, where not of those of the design.
    """
    test = significance_tests.load(name)
    design = DESIGNS.get(name, Design())
    if topics is not None:
        design = replace(design, topics=topics)
    settings = dict(design.settings)
    if "conf_level" in test.defaults:
        settings["conf_level"] = CONF_LEVEL
    rng = np.random.default_rng([SEED, sum(map(ord, name))])
    p, covered = _simulated(test, design, settings, rng, trials)
    for alpha in ALPHAS:
        reached = p[p <= alpha]
        expected = float(reached.max()) if len(reached) else 0.0
        yield rate(name, f"p <= {alpha}", p <= alpha, expected)
    if covered is not None:
        found = rate(name, f"{CONF_LEVEL:.0%} interval", covered, CONF_LEVEL)
        yield replace(found, high=1.0) if design.conservative else found


def _simulated(
    test: Any, design: Design, settings: dict[str, Any], rng: np.random.Generator, trials: int
) -> tuple[Array, BoolArray | None]:
    """Return the p values of the trials, and which intervals cover; a family's smallest p."""
    if isinstance(test, PairsTogether):
        each = list(_families(test, design.topics, design.systems, settings, rng, trials))
        if isinstance(test, Pooled):  # each p value is of its pair alone
            return np.array([result.p_value[0] for result in each]), None
        return _minimum_and_coverage(each)
    if isinstance(test, AllSystems):
        shape = (trials, design.topics, design.systems)
        scores = rng.normal(size=shape) + rng.normal(size=(*shape[:2], 1))
        return test(scores, **settings).p_value, None
    related = design.related and not isinstance(test, Unpaired)
    effect = related * rng.normal(size=(trials, design.topics))
    x = rng.normal(size=effect.shape) + effect + design.shift
    y = rng.normal(size=effect.shape) + effect
    samples = (x - y,) if isinstance(test, OneSample) else (x, y)
    if not test.draws:
        found = test(*samples, **settings)
        return found.p_value, _covered(found.conf_low, found.conf_high, design.truth)
    # Trials that share their resamples would not be independent of each other.
    each = [test(*(s[trial] for s in samples), **settings, seed=trial) for trial in range(trials)]
    p, low, high = (
        np.array([getattr(one, name) for one in each])
        for name in ("p_value", "conf_low", "conf_high")
    )
    return p, _covered(low, high, design.truth)


def _families(
    test: Any,
    topics: int,
    systems: int,
    settings: dict[str, Any],
    rng: np.random.Generator,
    trials: int,
) -> Iterator[TestResult]:
    pairs = [(i, 0) for i in range(1, systems)] if test.one_baseline else None
    for trial in range(trials):
        scores = rng.normal(size=(topics, systems)) + rng.normal(size=(topics, 1))
        seed = {"seed": trial} if test.draws else {}
        yield test(scores, pairs, **settings, **seed)


def _minimum_and_coverage(found: list[TestResult]) -> tuple[Array, BoolArray | None]:
    p = np.array([result.p_value.min() for result in found])
    if np.isnan(found[0].conf_low).any():
        return p, None
    covered = [bool(((r.conf_low <= 0) & (r.conf_high >= 0)).all()) for r in found]
    return p, np.array(covered)


def _covered(low: Array, high: Array, truth: float) -> BoolArray | None:
    if np.isnan(low).all():
        return None
    inside: BoolArray = (low <= truth) & (truth <= high)
    return inside


@dataclass(frozen=True)
class EffectDesign:
    """Normal scores of a known effect size; `exact` where the interval is so for them."""

    shift: float
    related: bool
    truth: float
    exact: bool


_SHIFT = 0.5
# Two systems of sd 1: differences have sd 1 where half of the variance is the topics', and
# P(X > Y) - P(X < Y) is 2 Phi(shift / sqrt(2)) - 1; of two differences, with their sum.
EFFECTS = {
    "d_av": EffectDesign(_SHIFT, True, _SHIFT, False),
    "d_z": EffectDesign(_SHIFT, True, _SHIFT, True),
    "hedges_g": EffectDesign(_SHIFT, False, _SHIFT, True),
    "rank_biserial": EffectDesign(_SHIFT, False, 2 * special.ndtr(_SHIFT / 2**0.5) - 1, False),
    "rank_biserial_paired": EffectDesign(
        _SHIFT, True, 2 * special.ndtr(_SHIFT * 2**0.5) - 1, False
    ),
}


def effect_rate(name: str, trials: int, topics: int = 60) -> Rate:
    """Return how often the interval of an effect size covers it."""
    design = EFFECTS[name]
    rng = np.random.default_rng([SEED, sum(map(ord, name))])
    common = np.sqrt(0.5) * design.related * rng.normal(size=(trials, topics))
    own = np.sqrt(0.5 if design.related else 1.0)
    x = common + own * rng.normal(size=common.shape) + design.shift
    y = common + own * rng.normal(size=common.shape)
    found = effect_sizes.load(name)(x, y, conf_level=CONF_LEVEL)
    truth = design.truth
    covered = _covered(found.conf_low, found.conf_high, truth)
    assert covered is not None
    found_rate = rate(name, f"{CONF_LEVEL:.0%} interval", covered, CONF_LEVEL)
    if design.exact:
        return found_rate
    # An approximation for many topics: two hundredths either side are as near as it is.
    return replace(found_rate, low=found_rate.low - 0.02, high=found_rate.high + 0.02)
