"""Scores simulated without cdfscore, as from topics of each family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from cdfscore.stats.numerics.types import Array

Draw = Callable[[np.random.Generator, tuple[int, int]], Array]


@dataclass(frozen=True)
class Law:
    """A family as the diagnosis spells it, a setting of it in words, and how it is drawn."""

    scheme: str
    setting: str
    draw: Draw
    #: Scores are rounded to this, as measures are written.
    resolution: float = 1e-4

    def scores(self, rng: np.random.Generator, topics: int, systems: int) -> Array:
        size = 1 / self.resolution
        return np.round(self.draw(rng, (topics, systems)) * size) / size


def _zero_inflated(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.where(rng.random(shape) < 0.15, 0.0, rng.beta(2.0, 4.0, shape))


def _two_normals(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    first = rng.random(shape) < 0.6
    return np.where(first, rng.normal(0.2, 0.05, shape), rng.normal(0.5, 0.1, shape))


def _beta_binomial(a: float, b: float) -> Draw:
    return lambda rng, shape: rng.binomial(10, rng.beta(a, b, shape)) / 10


def _truncated(mean: float, sd: float) -> Draw:
    law = stats.truncnorm(-mean / sd, (1 - mean) / sd, mean, sd)
    return lambda rng, shape: law.rvs(shape, random_state=rng)


def _kumaraswamy(a: float, b: float) -> Draw:
    return lambda rng, shape: (1 - rng.random(shape) ** (1 / b)) ** (1 / a)


def _logit_normal(mean: float, sd: float) -> Draw:
    return lambda rng, shape: special.expit(rng.normal(mean, sd, shape))


def _johnson(gamma: float, delta: float) -> Draw:
    law = stats.johnsonsu(gamma, delta, 0.3, 0.08)
    return lambda rng, shape: law.rvs(shape, random_state=rng)


LAWS = [
    Law("normal", "mean 0.4, sd 0.1", lambda rng, shape: rng.normal(0.4, 0.1, shape)),
    Law("normal", "mean 0.5, sd 0.15", lambda rng, shape: rng.normal(0.5, 0.15, shape)),
    Law("beta", "shapes 1.5 and 4", lambda rng, shape: rng.beta(1.5, 4.0, shape)),
    Law("beta", "shapes 5 and 9", lambda rng, shape: rng.beta(5.0, 9.0, shape)),
    Law("gamma", "shape 2, scale 0.08", lambda rng, shape: rng.gamma(2.0, 0.08, shape)),
    Law("gamma", "shape 5, scale 0.05", lambda rng, shape: rng.gamma(5.0, 0.05, shape)),
    Law("truncated_normal", "mean 0.2, sd 0.25", _truncated(0.2, 0.25)),
    Law("truncated_normal", "mean 0.6, sd 0.4", _truncated(0.6, 0.4)),
    Law("logit_normal", "logit: mean -1.5, sd 0.8", _logit_normal(-1.5, 0.8)),
    Law("logit_normal", "logit: mean 0, sd 1.5", _logit_normal(0.0, 1.5)),
    Law("kumaraswamy", "shapes 1.5 and 4", _kumaraswamy(1.5, 4.0)),
    Law("kumaraswamy", "shapes 3 and 2", _kumaraswamy(3.0, 2.0)),
    Law(
        "exponential",
        "from 0.02, mean 0.12 above it",
        lambda rng, shape: 0.02 + rng.exponential(0.12, shape),
    ),
    Law("johnson_su", "gamma -1, delta 1.2", _johnson(-1.0, 1.2)),
    Law("mixture:starts=2", "0.6 N(0.2, 0.05) + 0.4 N(0.5, 0.1)", _two_normals),
    Law("zero_inflated", "0.15 zeros, beta of shapes 2 and 4", _zero_inflated),
    Law("beta_binomial", "of 10, shapes 2 and 3", _beta_binomial(2.0, 3.0), 0.1),
    Law("beta_binomial", "of 10, shapes 1 and 4", _beta_binomial(1.0, 4.0), 0.1),
]
#: The families, each of which is tried on the scores of all; two starts are enough for mixture.
FAMILIES = list(dict.fromkeys(law.scheme for law in LAWS))
