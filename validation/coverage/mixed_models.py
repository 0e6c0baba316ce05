"""Standard errors, intervals and levels of mixed models, on simulated scores.

Each design is a function of a number of data sets and a seed. It returns, for each marginal mean,
for the intercept and for the tests, what is nominal and what the data sets have. No design has
differences between levels, and all scores are symmetric around one number: it is every true mean.

``python -m validation.coverage.mixed_models`` prints the table (10 minutes for 4,000 data sets).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import special

from cdfscore.models.crossed import Factor
from cdfscore.models.formula import Term
from cdfscore.models.mixed.fit import Fit
from cdfscore.models.one_thread import one_thread
from cdfscore.numerics.student_t import interval, p_value
from cdfscore.numerics.types import Array
from cdfscore.significance.null.f_distribution import upper_tail

ALPHA = 0.05
KIND, SIZE = "kind", "size"


class Outcome(NamedTuple):
    """A quantity, its nominal value, the value in data sets, and its Monte Carlo error."""

    quantity: str
    nominal: float
    simulated: float
    stderr: float


@dataclass(frozen=True)
class Design:
    """Scores y = topic + kind on topic + size on topic + residual, as a scheme may change them.

    `kinds` and `sizes` have the level of each system. `sd` are the standard deviations of topics,
    kinds on topics, sizes on topics and residuals. A part of the scores is `missing` at random.
    `removed` is the part of the mean of a topic that is removed; after this, scores are
    `standardized`, if asked, by the normal distribution that fits those of their topic.
    """

    topics: int
    kinds: Sequence[int]
    sizes: Sequence[int] = ()
    sd: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)
    missing: float = 0.0
    removed: float = 0.5
    standardized: bool = False

    @property
    def factors(self) -> dict[str, Factor]:
        """The factors of systems."""
        own = {KIND: self.kinds} | ({SIZE: self.sizes} if self.sizes else {})
        return {
            name: Factor(name, tuple(map(str, sorted(set(codes)))), np.array(codes))
            for name, codes in own.items()
        }

    def drawn(self, rng: np.random.Generator) -> Array:
        """Return the scores of one data set, NaN where missing; every topic has two or more."""
        n = len(self.kinds)
        y = self.sd[0] * rng.normal(size=(self.topics, 1)) + self.sd[3] * rng.normal(
            size=(self.topics, n)
        )
        for sd, codes in ((self.sd[1], self.kinds), (self.sd[2], self.sizes)):
            if codes:
                y += sd * rng.normal(size=(self.topics, max(codes) + 1))[:, np.array(codes)]
        absent = rng.random(y.shape) < self.missing
        absent[(~absent).sum(axis=1) < 2] = False
        y[absent] = np.nan
        y -= self.removed * np.nanmean(y, axis=1, keepdims=True)
        if not self.standardized:
            return y
        z = (y - np.nanmean(y, axis=1, keepdims=True)) / np.nanstd(y, axis=1, ddof=1, keepdims=True)
        return np.asarray(special.ndtr(z) - 0.5)


@one_thread
def simulated(design: Design, trials: int, seed: int) -> list[Outcome]:
    """Return the outcomes of a design over data sets; data set k depends on the seed and k only."""
    factors = design.factors
    terms: list[Term] = [(name,) for name in factors]
    random: list[Term] = [("topic",), *(("topic", name) for name in factors)]
    found = [
        _one(Fit.of(design.drawn(np.random.default_rng([seed, k])), factors, terms, random, "REML"))
        for k in range(trials)
    ]
    names = [*(f"mean of {KIND} {level}" for level in factors[KIND].levels), "intercept"]
    estimate, stderr, covered = (np.array([own[i] for own in found]) for i in range(3))
    outcomes = []
    for name, own, error, inside in zip(names, estimate.T, stderr.T, covered.T, strict=True):
        outcomes.append(_ratio(f"{name}: standard error / sd", own, error))
        outcomes.append(_part(f"{name}: coverage", 1 - ALPHA, inside))
    for name, place in ((f"F of {KIND}: level", 3), (f"t of {KIND} 0 - 1: level", 4)):
        outcomes.append(_part(name, ALPHA, np.array([own[place] for own in found]) <= ALPHA))
    return outcomes


def _one(fit: Fit) -> tuple[Array, Array, Array, float, float]:
    """Return means and intercept, their standard errors, what is covered, and p of F and of t."""
    _, rows = fit.cells((KIND,))
    both = np.vstack([rows, np.eye(rows.shape[1])[:1]])
    estimate, stderr, df, _ = fit.fixed.estimates(both)
    low, high = interval(estimate, stderr, df, "two-sided", 1 - ALPHA)
    # A mean that the scheme fixes has no interval: it is right if it is that of all scores.
    fixed = (stderr == 0) & (np.abs(estimate) < 1e-12)
    tested = fit.tested((KIND,))
    f, error = fit.fixed.f_test(tested)
    p_of_f = upper_tail(np.array(f), len(tested), error).item()
    _, _, own, t = fit.fixed.estimates(rows[:1] - rows[1:2])
    p_of_t = p_value(t, own, "two-sided").item()
    return estimate, stderr, fixed | ((low <= 0) & (high >= 0)), p_of_f, p_of_t


def _ratio(name: str, estimates: Array, stderr: Array) -> Outcome:
    """Return the root of the mean of squares of standard errors, relative to that of errors."""
    a, b = stderr**2, estimates**2
    if not a.any():
        return Outcome(name, 1.0, 1.0 if np.abs(estimates).max() < 1e-12 else 0.0, 0.0)
    ratio = np.sqrt(a.mean() / b.mean())
    spread = np.std(a / a.mean() - b / b.mean(), ddof=1) / np.sqrt(len(a))
    return Outcome(name, 1.0, float(ratio), float(ratio * spread / 2))


def _part(name: str, nominal: float, true: Array) -> Outcome:
    error = np.sqrt(nominal * (1 - nominal) / len(true))
    return Outcome(name, nominal, float(true.mean()), float(error))


_UNEVEN, _EVEN = (0,) * 6 + (1, 2), (0, 0, 1, 1, 2, 2)
_CROSSED = (0, 0, 0, 0, 1, 1, 2, 2, 2), (0, 1, 1, 0, 1, 0, 0, 0, 1)
#: The designs, by what is said of each: functions of a number of data sets and a seed.
DESIGNS: dict[str, Callable[[int, int], list[Outcome]]] = {
    name: partial(simulated, design)
    for name, design in {
        "50 topics, 6, 1 and 1 systems, half of the mean removed": Design(50, _UNEVEN),
        "30 topics, 6, 1 and 1 systems, half of the mean removed": Design(30, _UNEVEN),
        "30 topics, 2, 2 and 2 systems, half of the mean removed": Design(30, _EVEN),
        "10 topics, 6, 1 and 1 systems, all of the mean removed": Design(10, _UNEVEN, removed=1.0),
        "30 topics, 6, 1 and 1 systems, 20 % missing": Design(30, _UNEVEN, missing=0.2),
        "12 topics, 2, 2 and 2 systems, 30 % missing": Design(12, _EVEN, missing=0.3),
        "30 topics, 6, 1 and 1 systems, N-std": Design(30, _UNEVEN, standardized=True),
        "30 topics, 2, 2 and 2 systems, N-std": Design(30, _EVEN, standardized=True),
        "30 topics, 6, 1 and 1 systems, N-std, 20 % missing": Design(
            30, _UNEVEN, missing=0.2, standardized=True
        ),
        "30 topics, two interactions, half of the mean removed": Design(
            30, *_CROSSED, sd=(0.0, 0.7, 0.7, 1.0)
        ),
        "30 topics, two interactions, 20 % missing": Design(
            30, *_CROSSED, sd=(0.0, 0.7, 0.7, 1.0), missing=0.2
        ),
        "30 topics, 6, 1 and 1 systems, as they are, topics of sd 0": Design(
            30, _UNEVEN, removed=0.0
        ),
        "30 topics, 6, 1 and 1 systems, as they are, topics of sd 1": Design(
            30, _UNEVEN, sd=(1.0, 1.0, 0.0, 1.0), removed=0.0
        ),
    }.items()
}


if __name__ == "__main__":
    data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    for told, of_design in DESIGNS.items():
        sys.stdout.write(f"{told}\n")
        for row in of_design(data_sets, 41):
            away = abs(row.simulated - row.nominal) > 3 * row.stderr
            sys.stdout.write(
                f"  {row.quantity:40} {row.nominal:5.3f} {row.simulated:6.4f} "
                f"+- {row.stderr:.4f}{' *' if away else ''}\n"
            )
        sys.stdout.flush()
