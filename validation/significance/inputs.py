"""Random samples for the tests: scores as they are met, and as they are feared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from cdfscore.stats.numerics.types import Array

Generator = np.random.Generator
SIZES = (2, 3, 4, 5, 7, 10, 12, 20, 30, 49, 50, 60, 100)
SMALL = (2, 3, 4, 5, 6)


def _scores(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.beta(0.8, 2.0, shape)


def _decimals(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.beta(0.8, 2.0, shape).round(4)


def _grid(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.binomial(10, 0.3, shape) / 10


def _few_levels(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.integers(0, 3, shape) / 4


def _far_from_zero(rng: Generator, shape: tuple[int, ...]) -> Array:
    return 1000 + rng.normal(size=shape)


def _heavy_tails(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.standard_t(1.5, shape)


def _tiny(rng: Generator, shape: tuple[int, ...]) -> Array:
    return 1e-9 * rng.normal(size=shape)


KINDS: tuple[Callable[[Generator, tuple[int, ...]], Array], ...] = (
    _scores,
    _decimals,
    _grid,
    _few_levels,
    _far_from_zero,
    _heavy_tails,
    _tiny,
)


@dataclass(frozen=True)
class Batch:
    """Pairs of samples, one pair per row, and what they are."""

    kind: str
    x: Array
    y: Array


def batches(
    seed: int, count: int, *, small: bool, largest: int = 100, rows: int = 20
) -> Iterator[Batch]:
    """Yield `count` pairs of samples in batches; `small` ones can be enumerated."""
    rng = np.random.default_rng(seed)
    sizes = SMALL if small else [size for size in SIZES if size <= largest]
    for number in range(-(-count // rows)):
        kind = KINDS[number % len(KINDS)]
        n = int(rng.choice(sizes))
        shape = (min(rows, count - number * rows), n)
        x, y = kind(rng, shape), kind(rng, shape)
        relation = rng.integers(6)
        if relation == 0:  # far apart: p values near 0
            y = y - 3 * np.abs(x).max() * rng.random()
        elif relation == 1:  # alike, as two runs of one system are
            y = x + 0.01 * (y - y.mean())
        elif relation == 2:  # many equal scores
            y = np.where(rng.random(shape) < 0.5, x, y)
        elif relation == 3 and not small:  # missing scores
            x[rng.random(shape) < 0.1] = np.nan
            y[rng.random(shape) < 0.1] = np.nan
        if number % 10 == 9:
            y[0] = x[0]  # identical systems
            quarter = 2.0 ** np.round(np.log2(np.nanmax(np.abs(x), initial=1e-9)) - 2)
            y[-1] = x[-1] - quarter  # a constant difference, mostly exact
        yield Batch(kind.__name__.strip("_"), x, y)


def matrices(seed: int, count: int, *, small: bool, largest: int = 24) -> Iterator[Batch]:
    """Yield score matrices (topics, systems), in x; y is not used."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        systems = int(rng.integers(2, 4 if small else 30))
        topics = int(rng.integers(2, 5 if small else min(largest, 24) + 1))
        x = kind(rng, (topics, systems))
        x = x + x.std() * rng.choice([0.0, 0.1, 10.0]) * rng.normal(size=systems)
        if kind in (_decimals, _grid, _few_levels):
            x = x.round(2)  # or sums of three decimals would be equal except for rounding
        if number % 50 == 49:
            x = np.repeat(x[:, :1], systems, axis=1)  # identical systems
        yield Batch(kind.__name__.strip("_"), x, x)
