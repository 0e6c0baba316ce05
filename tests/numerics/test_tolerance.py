"""Distances in units in the last place: a table of known ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.numerics.tolerance import ulp_distance

SMALLEST = 5e-324
LARGEST = 1.7976931348623157e308


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        (1.0, 1.0, 0),
        (0.0, -0.0, 0),
        (1.0, 1.0 + 2**-52, 1),
        (1.0, 1.0 - 2**-53, 1),
        (1.0, 2.0, 2**52),
        (-1.0, -1.0 - 2**-52, 1),
        (0.0, SMALLEST, 1),
        (-SMALLEST, SMALLEST, 2),
        (-0.0, SMALLEST, 1),
        (math.inf, LARGEST, 1),
        (math.inf, math.inf, 0),
        (-math.inf, math.inf, 2 * 0x7FF0_0000_0000_0000),
        (math.nan, math.nan, 0),
        (math.nan, 1.0, math.inf),
        (math.inf, math.nan, math.inf),
    ],
)
def test_known_distances(a: float, b: float, distance: float) -> None:
    assert float(ulp_distance(a, b)) == distance
    assert float(ulp_distance(b, a)) == distance
    assert float(ulp_distance(-a, -b)) == distance


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 50))
def test_steps_of_nextafter_are_counted(x: float, steps: int) -> None:
    y = x
    for _ in range(steps):
        y = math.nextafter(y, math.inf)
    if y != math.inf:
        assert float(ulp_distance(x, y)) == steps


def test_arrays_are_broadcast_and_left_alone() -> None:
    a = np.array([[1.0], [2.0]])
    b = np.array([1.0, 2.0, np.nan])
    assert ulp_distance(a, b).tolist() == [[0, 2**52, np.inf], [2**52, 0, np.inf]]
    assert a.tolist() == [[1.0], [2.0]]
