"""Every twin against its Python file on every real score matrix."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.schemes.base import schemes
from validation.parity.compared import by_both
from validation.parity.matrices import Matrix
from validation.parity.record import Record
from validation.parity.strategies import is_solved
from validation.parity.variants import variants

# One topic in this many, unless --long is given; solvers in R take long.
_STEP, _STEP_SOLVED = 5, 45
_FEWER = {"logspline": 100, "mixture": 100}


# Topics that are a trial for the twins: R must climb far where the likelihood is not concave.
_FAR = {
    "johnson_su": [("adhoc/adhoc6_rr.csv", 17)],
    "mixture": [("robust2004/robust2004_ap.csv", 32), ("urbano2019/data/terabyte2006_ap.csv", 9)],
}


@pytest.mark.parametrize(
    ("spelling", "name", "topic"),
    [(spelling, *place) for spelling, places in _FAR.items() for place in places],
)
def test_twins_climb_far(
    spelling: str, name: str, topic: int, matrices: list[Matrix], r: RSession
) -> None:
    scheme = schemes.parse(spelling)
    (matrix,) = (matrix for matrix in matrices if matrix.name == name)
    scores = matrix.scores[[topic]]
    y, by_r = by_both(scheme, scores, scores, r)
    assert scheme.tolerance.distance(y, by_r).max() <= scheme.tolerance.ulp


@pytest.mark.parametrize("spelling", variants())
def test_python_is_as_near_to_r_as_the_table_says(
    spelling: str, matrices: list[Matrix], r: RSession, record: Record, long: bool
) -> None:
    scheme = schemes.parse(spelling)
    tolerance = scheme.tolerance
    allowed = tolerance.ulp if tolerance.real is None else tolerance.real
    few = _FEWER.get(scheme.name, _STEP_SOLVED) if is_solved(scheme) else _STEP
    step = 1 if long else few
    for matrix in matrices:
        scores = matrix.scores[::step]
        y, by_r = by_both(scheme, scores, scores, r)
        distance = tolerance.distance(y, by_r)
        topic, system = np.unravel_index(distance.argmax(), distance.shape)
        worst = float(distance[topic, system])
        place = f"{matrix.name} topic {matrix.topics[topic * step]} system {matrix.systems[system]}"
        record.add("real matrices", spelling, worst, allowed, place)
        assert worst <= allowed, (
            f"{place}: y = {float(y[topic, system])!r}, in R {float(by_r[topic, system])!r}"
        )
