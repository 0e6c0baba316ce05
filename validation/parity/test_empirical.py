"""Plotting positions and straight lines have the bits of R's ppoints and approxfun."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical
from validation.parity.strategies import KINDS

POSITIONS = (None, "hazen", "weibull", "blom", 0.0, 1.0, 0.3, 0.44, 1 / 3, 0.9)
SIZES = (2, 3, 7, 10, 11, 50, 110)


def rows(kind: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Samples with a score missing in some, and scores at, between and beyond theirs."""
    sample = np.array([KINDS[kind](rng, n) for _ in range(4)])
    low, high = sample.min(axis=1), sample.max(axis=1)
    share = rng.random((4, 12)) * 1.2 - 0.1
    between = low[:, np.newaxis] + share * (high - low)[:, np.newaxis]
    ends = np.broadcast_to([-np.inf, np.inf, np.nan], (4, 3))
    if n > 2:
        sample[1::2, rng.integers(n)] = np.nan
    return np.column_stack([sample[:, :20], between, ends]), sample


@pytest.mark.parametrize("interpolation", [None, "linear"])
@pytest.mark.parametrize("convention", ["weak", "strict", "mid"])
def test_y_has_rs_bits(convention: str, interpolation: str | None, r: RSession) -> None:
    rng = np.random.default_rng(1978)
    kinds = itertools.cycle(KINDS)
    for position, n in itertools.product(POSITIONS, SIZES):
        kind = next(kinds)
        scheme = Empirical(convention, position, interpolation)  # type: ignore[arg-type]
        x, sample = rows(kind, n, rng)
        # One topic has a score missing: its n is another.
        assert_array_equal(scheme.fit(sample)(x), r.standardize(scheme, x, sample))


@pytest.mark.parametrize("a", [0.0, 3 / 8, 0.5, 1.0, 0.3, 0.44, 1 / 3, 0.9])
def test_positions_of_the_scores_are_ppoints(a: float, r: RSession) -> None:
    for n in range(2, 200):
        scores = np.arange(n) / 7
        expected = r.call("ppoints", np.array([float(n)]), np.array([a]))
        assert_array_equal(Empirical("weak", a).fit(scores)(scores), expected)


def test_r_refuses_what_python_refuses(r: RSession) -> None:
    one = np.array([[0.1, np.nan]])
    with pytest.raises(r.error, match="position 1 needs at least 2 reference scores"):
        r.standardize(Empirical(position=1), one, one)
