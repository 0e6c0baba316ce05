"""Every twin against its Python file on every real score matrix."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.catalogue import schemes
from cdfscore.r.session import RSession
from cdfscore.tolerances import tolerance_of
from validation.parity.matrices import Matrix
from validation.parity.record import Record
from validation.parity.variants import variants


@pytest.mark.parametrize("spelling", variants())
def test_python_is_as_near_to_r_as_the_table_says(
    spelling: str, matrices: list[Matrix], r: RSession, record: Record
) -> None:
    scheme = schemes.parse(spelling)
    tolerance = tolerance_of(scheme)
    allowed = tolerance.ulp if tolerance.real is None else tolerance.real
    for matrix in matrices:
        y = scheme.fit(matrix.scores)(matrix.scores)
        by_r = r.standardize(scheme, matrix.scores, matrix.scores)
        distance = tolerance.distance(y, by_r)
        topic, system = np.unravel_index(distance.argmax(), distance.shape)
        worst = float(distance[topic, system])
        place = f"{matrix.name} topic {matrix.topics[topic]} system {matrix.systems[system]}"
        record.add("real matrices", spelling, worst, allowed, place)
        assert worst <= allowed, (
            f"{place}: y = {float(y[topic, system])!r}, in R {float(by_r[topic, system])!r}"
        )
