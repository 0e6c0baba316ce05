"""Random samples of the kinds that a bandwidth rule meets, and those that break one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.stats.numerics.types import Array

Draw = Callable[[np.random.Generator, int], Array]

KINDS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.random(n),
    "skew, in [0, 1]": lambda rng, n: rng.beta(1, 3, n),
    "two modes": lambda rng, n: rng.standard_normal(n) / 3 + rng.choice([-1.5, 1.5], n),
    "four decimals": lambda rng, n: np.round(rng.beta(1, 3, n), 4),
    "P@10": lambda rng, n: rng.binomial(10, rng.beta(1, 2, n)) / 10,
    "grid of twentieths": lambda rng, n: rng.integers(0, 21, n) / 20,
    "half zeros": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, rng.beta(1, 3, n)),
    "clusters": lambda rng, n: rng.integers(0, 4, n) + rng.standard_normal(n) / 50,
    "heavy tails": lambda rng, n: rng.standard_t(1.5, n),
    "outlier": lambda rng, n: np.where(np.arange(n) == n // 2, 1.0, rng.random(n) / 100),
    "offset": lambda rng, n: rng.standard_normal(n) + 10 ** rng.uniform(1, 5),
    "tiny": lambda rng, n: rng.beta(1, 3, n) * 10 ** rng.uniform(-18, -6),
    "huge": lambda rng, n: rng.standard_normal(n) * 10 ** rng.uniform(6, 18),
    "many magnitudes": lambda rng, n: 10 ** rng.uniform(-6, 0, n),
}


def sample(seed: int, number: int, largest: int = 1000) -> tuple[str, Array]:
    """Return the kind and the scores of one sample, which depends on seed and number alone.

    It has 4 to `largest` scores, as many below as above the geometric mean, that are not all
    equal.
    """
    rng = np.random.default_rng([seed, number])
    kind = list(KINDS)[number % len(KINDS)]
    while True:
        n = int(np.exp(rng.uniform(np.log(4), np.log(largest + 1))))
        scores = np.asarray(KINDS[kind](rng, n), dtype=np.float64)
        if np.ptp(scores) > 0:
            return kind, scores
