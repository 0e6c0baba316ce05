"""Distances in units in the last place: a table of known ones."""

import math

import numpy as np
import pytest

from cdfscore.stats.numerics.tolerance import Tolerance, ulp_distance

SMALLEST = 5e-324
LARGEST = 1.7976931348623157e308


@pytest.mark.clause("scheme.11", "tolerance.1")
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


def test_where_long_doubles_are_doubles_neighbours_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows and on Apple's processors."""
    monkeypatch.setattr(np, "longdouble", np.float64)
    assert float(ulp_distance(1.0, math.nextafter(1.0, 2.0))) == 1
    assert float(ulp_distance(-SMALLEST, SMALLEST)) == 2


def test_arrays_are_broadcast_and_left_alone() -> None:
    a = np.array([[1.0], [2.0]])
    b = np.array([1.0, 2.0, np.nan])
    assert ulp_distance(a, b).tolist() == [[0, 2**52, np.inf], [2**52, 0, np.inf]]
    assert a.tolist() == [[1.0], [2.0]]


EPS = 2.0**-52
WHY = "two solvers"


@pytest.mark.clause("scheme.11", "tolerance.2")
@pytest.mark.parametrize(
    ("floor", "y", "r", "terms", "distance"),
    [
        (0.0, 1.0, 1 + 3 * EPS, None, 3),
        (0.0, 1e-300, 2e-300, None, 2**52),  # relative, as there is no floor
        (1.0, 1e-9, 1e-9 + 8 * EPS, None, 8),  # in units of the floor
        (1.0, 0.0, -5e-324, None, 0),
        (1.0, 2.0, 2 + 4 * EPS, None, 2),  # above the floor, in ulp of the number
        (0.0, 1e-17, 2e-17, 1.0, 1e-17 / EPS),  # terms of 1 cancelled
        (0.0, 0.75, 0.75 + EPS, 1.0, 2),  # terms of 1 did not
        (1.0, 1e-17, 2e-17, 4.0, 1e-17 / (4 * EPS)),  # the larger of the two
        (1.0, math.nan, 0.5, None, math.inf),
        (1.0, math.nan, math.nan, None, 0),
    ],
)
def test_distances_under_a_tolerance(
    floor: float, y: float, r: float, terms: float | None, distance: float
) -> None:
    of = None if terms is None else np.array([terms])
    found = Tolerance(8, WHY, floor=floor).distance(np.array([y]), np.array([r]), of)
    assert found[0] == pytest.approx(distance, rel=1e-12)


@pytest.mark.clause("tolerance.3")
@pytest.mark.parametrize(
    ("tolerance", "counted", "expected"),
    [
        (Tolerance(0, WHY), False, (0, 0)),
        (Tolerance(8, WHY, floor=1.0), False, (17, 1)),
        (Tolerance(11, WHY, floor=1e-292, real=8), False, (23, 1e-292)),
        (Tolerance(8, WHY, floor=1.0), True, (2, 0)),
    ],
)
def test_tolerances_of_means(
    tolerance: Tolerance, counted: bool, expected: tuple[float, float]
) -> None:
    found = tolerance.of_means(counted=counted)
    assert (found.ulp, found.floor) == expected
    assert found.real is None


@pytest.mark.clause("tolerance.2")
@pytest.mark.parametrize(("distance", "ulp"), [(1e-12, 4500), (2e-12, 9000), (1e-15, 4.5)])
def test_an_absolute_tolerance(distance: float, ulp: float) -> None:
    found = Tolerance.absolute(distance, WHY)
    assert (found.ulp, found.floor, found.reason) == (ulp, 1, WHY)
    assert found.ulp * EPS == pytest.approx(distance, rel=0.02)
