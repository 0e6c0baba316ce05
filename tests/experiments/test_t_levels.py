"""Critical values beside R's ``qt``, and cells that never tell what is not so."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial.chebyshev import chebval
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from cdfscore.experiments import ALPHAS
from cdfscore.experiments.rates import MOST_LEVELS, TLevels, _cell, _compared, t_levels
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.compiled import compiled
from cdfscore.stats.numerics.types import Array, IntArray

MANY = tuple(np.linspace(0.0005, 0.995, MOST_LEVELS).tolist())
LEVELS = {"published": ALPHAS, "one": (0.05,), "three": (1e-6, 0.05, 0.99), "many": MANY}
# From one less than the smaller sample to two less than both; equal for paired tests.
RANGES = [(1, 2), (1, 100), (2, 100), (4, 1000), (36, 74), (49, 98), (1, 1), (2, 2), (49, 49)]
every_range = pytest.mark.parametrize("ends", RANGES, ids=str)
every_levels = pytest.mark.parametrize("alphas", LEVELS.values(), ids=LEVELS)


def critical_values(levels: TLevels, df: Array) -> Array:
    """Read the series: squares of t, a row a level in falling order."""
    per_unit = levels.rows_per_unit / len(levels.passed)
    log_squares: Array = chebval(2 * (1 / df - levels.lowest) * per_unit - 1, levels.series.T)
    return np.exp(log_squares)


@compiled
def passed(levels: TLevels, square: Array, inverse_df: Array) -> IntArray:
    """Look each t^2 up; -1 is undecided."""
    found = np.empty(len(square), dtype=np.int64)
    for k in range(len(square)):
        cell = _cell(levels, square[k], 1.0, inverse_df[k], True)
        found[k] = levels.passed.ravel()[cell]
        if found[k] < 0:
            found[k] = _compared(levels, square[k], 1.0, inverse_df[k], True, -1 - found[k])
    return found


def p_values(square: Array, df: Array) -> Array:
    p: Array = 2 * special.stdtr(df, -np.sqrt(square))
    return p


def between(ends: tuple[float, float]) -> Array:
    return 1 / np.linspace(1 / ends[1], 1 / ends[0], 203)


@pytest.fixture(scope="module")
def r(rinterface) -> RSession:
    return RSession()


@every_range
@every_levels
def test_critical_values_are_those_of_qt(r, alphas, ends) -> None:
    levels = t_levels(alphas, *ends)
    df = between(ends) if ends[0] < ends[1] else np.array([float(ends[0])])
    falling = sorted(alphas, reverse=True)
    for alpha, found in zip(falling, critical_values(levels, df), strict=True):
        expected = r.call("qt", np.full(df.shape, alpha / 2), df) ** 2
        assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.one_in(3)
@every_range
@every_levels
@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_p_values(alphas, ends, seed) -> None:
    """Whatever t^2 and df are, at the edges of cells and beside them too."""
    levels = t_levels(alphas, *ends)
    rows, cells = levels.passed.shape
    rng = np.random.default_rng(seed)
    share = rng.integers(0, cells, 20_000) / cells
    inverse_df = np.linspace(1 / ends[1], 1 / ends[0], rows + 1)[rng.integers(0, rows + 1, 20_000)]
    share[10_000:] = rng.random(10_000)
    inverse_df[5_000:15_000] = rng.uniform(1 / ends[1], 1 / ends[0], 10_000)
    square = levels.scale * share / (1 - share)
    square[::3] = np.nextafter(square[::3], rng.choice([0, np.inf], len(square[::3])))
    found = passed(levels, square, inverse_df)
    decided = found >= 0
    p = p_values(square, 1 / inverse_df)
    expected = (p[:, np.newaxis] <= np.array(alphas)).sum(axis=1)
    assert_array_equal(found[decided], expected[decided])
    assert (found[~decided] == -1).all()
    nearest = np.abs(np.log(square[~decided] / critical_values(levels, 1 / inverse_df[~decided])))
    assert (nearest.min(axis=0) <= 2e-8).all()


@pytest.mark.clause("trial_rates.1")
@every_range
@every_levels
def test_near_a_critical_value(alphas, ends) -> None:
    """Within 5e-9 is left undecided, and beyond 2e-8 is decided on the right side."""
    levels = t_levels(alphas, *ends)
    df = between(ends)
    for level, alpha in enumerate(sorted(alphas, reverse=True)):
        critical = special.stdtrit(df, alpha / 2) ** 2
        for beside in (0, 1e-15, -1e-15, 5e-9, -5e-9):
            assert (passed(levels, critical * (1 + beside), 1 / df) == -1).all()
        assert (passed(levels, critical * (1 - 2e-8), 1 / df) == level).all()
        assert (passed(levels, critical * (1 + 2e-8), 1 / df) == level + 1).all()
