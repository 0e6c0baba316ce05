"""Trial k of a scheme: one reference sample, and the scores to read through it.

A trial depends on the seed, the scheme and k alone. The kinds take turns by k.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme
from validation.parity.strategies import INSIDE, KINDS, MEASURES, Draw, is_solved

SCORES_READ = 24
_SHARES = (0.05, 0.15, 0.8)  # of the fewest scores, of two, and of any number
_LARGEST, _SMALLEST = np.finfo(np.float64).max, 5e-324

# Beside the kinds of validation.parity: what breaks R's arithmetic, or nearly breaks ours.
ADVERSARIAL: dict[str, Draw] = {
    "subnormal": lambda rng, n: _SMALLEST * rng.integers(0, 2 ** rng.integers(1, 52), n),
    "around 1e300": lambda rng, n: 10.0 ** rng.uniform(295, 305) * (rng.random(n) - 0.3),
    "around 1e-300": lambda rng, n: 10.0 ** rng.uniform(-305, -295) * (rng.random(n) - 0.3),
    "spread of a few ulp": lambda rng, n: 1 + 2.0**-52 * rng.integers(0, 9, n),
    "heavy ties": lambda rng, n: rng.choice(rng.random(3), n),
    "all magnitudes": lambda rng, n: rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-300, 300, n),
}
ALL_KINDS = {**KINDS, **ADVERSARIAL}


@dataclass(frozen=True)
class Trial:
    """A sample with its gaps, and scores to read; `number` is k."""

    number: int
    kind: str
    sample: Array
    x: Array

    @property
    def present(self) -> Array:
        return np.sort(self.sample[~np.isnan(self.sample)])


def trial(seed: int, scheme: Scheme, number: int) -> Trial:
    """Make trial `number`; a fit by maximum likelihood takes ordinary samples of 12 or more."""
    rng = np.random.default_rng([seed, zlib.crc32(str(scheme).encode()), number])
    iterative = is_solved(scheme)
    kinds = ALL_KINDS
    if iterative:
        kinds = MEASURES if np.isinf(scheme.domain).all() else INSIDE
    kind = list(kinds)[number % len(kinds)]
    least = 12 if iterative else scheme.minimum_scores
    most = 64 if iterative or scheme.name == "kernel" else 200  # at 50 digits they take long
    n = [least, max(least, 2), int(least * (most / least) ** rng.random())][
        rng.choice(3, p=_SHARES)
    ]
    sample = kinds[kind](rng, n)
    x = np.clip(rng.choice(_points(rng, sample), SCORES_READ), -_LARGEST, _LARGEST)
    if rng.random() < 0.25:  # gaps, where systems miss
        sample = np.insert(sample, rng.integers(0, n + 1, 3), np.nan)
    return Trial(number, kind, sample, x)


def _points(rng: np.random.Generator, sample: Array) -> Array:
    """Scores on, beside and between those of the sample, far in both tails, and tiny or huge."""
    s = np.unique(sample)
    low, high = s[0], s[-1]
    unit = max(abs(low), abs(high)) or 1.0
    mean = unit * np.mean(sample / unit)
    sd = unit * np.std(sample / unit) or unit * 1e-16
    width = min(high - low, _LARGEST) or unit
    with np.errstate(over="ignore"):
        return np.concatenate(
            [
                rng.choice(sample, 6),
                np.nextafter(rng.choice(s, 3), -np.inf),
                np.nextafter(rng.choice(s, 3), np.inf),
                low + width * rng.random(6),
                [low - width * rng.random(), high + width * rng.random()],
                mean + sd * rng.uniform(-45, 45, 12),  # Phi is subnormal from -37.5 to -38.5
                mean + sd * rng.uniform(-39, -37, 3),
                low - sd * rng.uniform(0, 40, 6),
                mean + sd * rng.choice([-1, 1], 4) * 10.0 ** rng.uniform(-20, 4, 4),
                low + width * 10.0 ** rng.uniform(-300, 2, 4),
                rng.choice([-1, 1], 4) * 10.0 ** rng.uniform(-300, 300, 4),
                _SMALLEST * rng.integers(-(2**51), 2**51, 2),
                [0.0, -0.0, -_SMALLEST, np.nan],
            ]
        )
