"""Shortcuts over the rows of a batch find what looking at every score finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.numerics.offset import without_common_offset, without_offset
from cdfscore.numerics.types import Array

SEEDS = st.integers(0, 2**32)


def rows(rng: np.random.Generator, n: int) -> Array:
    """Return rows of many sizes, some nearly constant, with zeros in any place."""
    sizes = [0, -102, -101, -100, 99, 100, 101, -1074, 1022, *rng.integers(-1074, 1023, 4)]
    size = rng.choice(sizes, 60 if rng.random() < 0.5 else 1) + np.zeros(60, dtype=np.int64)
    found = rng.choice([1.0, 1.5, -1.0, 1 + 2.0**-10, 1 - 2.0**-11], (60, n))
    found[rng.random((60, n)) < rng.choice([0.0, 0.3, 0.9])] = 0.0
    return np.ldexp(found, size[:, np.newaxis])


@pytest.mark.long
@given(seed=SEEDS)
def test_offsets_of_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rows(rng, int(rng.integers(1, 6))), rows(rng, int(rng.integers(1, 6)))
    of_x, of_y, offset = without_common_offset(x, y)
    alone = without_offset(x)
    for i in range(len(x)):
        with np.errstate(over="ignore"):
            alike, both = (
                np.ptp(each) <= np.abs(each).max() / 1024
                for each in (x[i], np.concatenate([x[i], y[i]]))
            )
        assert offset[i] == (x[i, 0] if both else 0)
        np.testing.assert_array_equal(of_x[i], x[i] - offset[i])
        np.testing.assert_array_equal(of_y[i], y[i] - offset[i])
        np.testing.assert_array_equal(alone[i], x[i] - x[i, 0] if alike else x[i])
