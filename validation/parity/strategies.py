"""Reference samples and scores to read, of every kind that breaks arithmetic.

R's own limits are left out: its sd is Inf for a spread above 1e154 and 0 below 1e-162, and
its pnorm is 0 left of -37.52, so that spreads stay between 1e-112 and 1e112 and scores
within one range of the sample, which is at most 35 standard deviations from the mean.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme

Draw = Callable[[np.random.Generator, int], Array]

# Kinds of samples that every scheme must take.
KINDS: dict[str, Draw] = {
    "grid of tenths": lambda rng, n: rng.integers(0, 11, n) / 10,
    "grid of twentieths": lambda rng, n: rng.integers(0, 21, n) / 20,
    "four decimals": lambda rng, n: rng.integers(0, 10**4, n) / 10**4,
    "mostly zeros": lambda rng, n: rng.integers(0, 10**4, n) / 10**4 * (rng.random(n) < 0.2),
    "all bits": lambda rng, n: rng.random(n),
    "both signs": lambda rng, n: rng.standard_normal(n),
    "outlier": lambda rng, n: np.where(np.arange(n) == n // 2, 1.0, rng.random(n) / 1000),
    "constant": lambda rng, n: np.full(n, rng.choice([0.0, 1.0, 0.1 + 0.2, 1 / 3, rng.random()])),
    "tiny relative spread": lambda rng, n: 0.7 * (1 + 1e-12 * rng.random(n)),
    "tiny": lambda rng, n: 1e-100 * rng.random(n),
    "huge": lambda rng, n: 1e100 * (rng.random(n) - 0.3),
    "many magnitudes": lambda rng, n: 10.0 ** rng.uniform(-12, 12, n),
}
# Kinds on which an iterative fit is well conditioned: measures within [0, 1], and inside of it,
# where families of that interval have a likelihood.
MEASURES: dict[str, Draw] = {
    kind: KINDS[kind]
    for kind in ("grid of tenths", "grid of twentieths", "four decimals", "all bits", "constant")
}
INSIDE: dict[str, Draw] = {
    "tenths inside": lambda rng, n: rng.integers(1, 10, n) / 10,
    "four decimals inside": lambda rng, n: rng.integers(1, 10**4, n) / 10**4,
    "like precision": lambda rng, n: rng.beta(1.2, 4.0, n).round(4) * 0.998 + 0.001,
}
ORDINARY = MEASURES | INSIDE

_SCORES_READ = 24


def topics(
    *, least: int = 1, ordinary: bool = False, rows: tuple[int, int] = (4, 8)
) -> st.SearchStrategy[tuple[Array, Array]]:
    """Draw x (t, m) and reference scores (t, n), padded with NaN, at least `least` a row.

    `rows` is of the fewest and the most topics.
    """
    row = st.tuples(
        st.sampled_from(list(ORDINARY if ordinary else KINDS)),
        st.integers(max(least, 12), 200) if ordinary else st.integers(least, 200),
        st.integers(0, 2**32 - 1),
    )
    return st.lists(row, min_size=rows[0], max_size=rows[1]).map(_batch)


def is_solved(scheme: Scheme) -> bool:
    """Tell whether the parameters come from a solver, which takes ordinary samples alone."""
    return scheme.tolerance.floor == 1.0 and scheme.name != "kernel"


def _batch(rows: list[tuple[str, int, int]]) -> tuple[Array, Array]:
    width = max(n for _, n, _ in rows)
    x, scores = np.empty((len(rows), _SCORES_READ)), np.full((len(rows), width), np.nan)
    for i, (kind, n, seed) in enumerate(rows):
        rng = np.random.default_rng(seed)
        sample = (KINDS | INSIDE)[kind](rng, n)
        places = np.sort(rng.permutation(width)[:n])  # NaN stands anywhere, as systems miss
        scores[i, places] = sample
        x[i] = rng.choice(_points(rng, sample), _SCORES_READ)
    return x, scores


def _points(rng: np.random.Generator, sample: Array) -> Array:
    """Points of the sample, their neighbours, points between, outside, and NaN."""
    s = np.unique(sample)
    reach = s[-1] - s[0] or abs(s[0]) or 1.0
    outside = np.array([s[0] - reach * rng.random(3), s[-1] + reach * rng.random(3)])
    between = s[:-1] + np.diff(s) * rng.random(len(s) - 1)
    beside = [np.nextafter(s, -np.inf), np.nextafter(s, np.inf)]
    return np.concatenate([sample, *beside, between, outside.ravel(), sample[:1], [np.nan]])
