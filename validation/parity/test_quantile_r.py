"""Quantiles have the bits of R's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.quantiles import quantile_r
from cdfscore.stats.numerics.types import Array
from validation.parity.strategies import KINDS

SIZES = [*range(1, 33), 49, 50, 64, 97, 100, 129, 1000, 4097]
EXTREMES = [5e-324, -1e-310, 2e-308, 1e-200, -1e200, 1.7e308, -1.7e308, 0.1, np.inf, -np.inf]


def probabilities(n: int, rng: np.random.Generator) -> Array:
    """Probabilities on and beside every place where a quantile turns."""
    k = np.arange(n + 1)[:: max(1, n // 40)]
    on = np.concatenate([k / n, k / max(n - 1, 1), (k - 1) / max(n - 1, 1)])
    near = np.concatenate([on, np.nextafter(on, 0), np.nextafter(on, 1), on * (1 + 1e-15)])
    p = np.concatenate([near, np.arange(101) / 100, np.linspace(0, 1, 8), rng.random(50)])
    return np.clip(p, 0, 1)


def by_r(r: RSession, x: Array, p: Array) -> Array:
    """R's quantile(x, p, na.rm = TRUE, names = FALSE)."""
    yes, no = np.array([1.0]), np.array([0.0])
    return r.call("quantile", x, p, yes, no, np.array([7.0]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
def test_quantiles_have_rs_bits(kind: str, r: RSession) -> None:
    rng = np.random.default_rng(1996)
    for n in SIZES:
        x, p = KINDS[kind](rng, n), probabilities(n, rng)
        assert_array_equal(quantile_r(x, p), by_r(r, x, p), strict=True)


def test_rows_with_missing_scores_have_rs_bits(r: RSession) -> None:
    rng = np.random.default_rng(7)
    x = rng.integers(0, 100, (60, 17)) / 100
    x[rng.random(x.shape) < 0.4] = np.nan
    x[:, 3] = 0.25  # no row is empty
    p = probabilities(17, rng)
    found = quantile_r(x, p)
    for i, row in enumerate(x):
        assert_array_equal(found[i], by_r(r, row, p))


def test_infinite_huge_and_tiny_scores_have_rs_bits(r: RSession) -> None:
    rng = np.random.default_rng(308)
    for n in (1, 2, 3, 4, 7, 12, 20):
        for _ in range(20):
            x, p = rng.choice(EXTREMES, n), probabilities(n, rng)
            assert_array_equal(quantile_r(x, p), by_r(r, x, p))
