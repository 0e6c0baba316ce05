"""Every twin against its Python file on random topics."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from cdfscore.catalogue import schemes
from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.tolerances import tolerance_of
from validation.parity.record import Record
from validation.parity.strategies import topics
from validation.parity.variants import variants


@pytest.mark.parametrize("spelling", variants())
@settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(data=st.data())
def test_python_is_as_near_to_r_as_the_table_says(
    spelling: str, data: st.DataObject, r: RSession, record: Record
) -> None:
    scheme = schemes.parse(spelling)
    tolerance = tolerance_of(scheme)
    ordinary = scheme.name == "from_scipy"
    x, scores = data.draw(topics(least=scheme.minimum_scores, ordinary=ordinary))
    y, by_r = scheme.fit(scores)(x), r.standardize(scheme, x, scores)
    distance = tolerance.distance(y, by_r)
    worst = np.unravel_index(distance.argmax(), distance.shape)
    place = f"y = {float(y[worst])!r}, in R {float(by_r[worst])!r}, x = {float(x[worst])!r}"
    record.add("random", spelling, float(distance[worst]), tolerance.ulp, place)
    note(f"{place}; scores {scores[worst[0]].tolist()}")
    assert distance[worst] <= tolerance.ulp


@pytest.mark.parametrize("spelling", variants())
def test_r_refuses_too_few_scores_as_python_does(spelling: str, r: RSession) -> None:
    scheme = schemes.parse(spelling)
    if not scheme.parameter_names():
        return  # nothing is fitted, so that R has no use for the scores
    few = scheme.minimum_scores - 1
    scores = np.full((1, 3), np.nan)
    scores[0, 3 - few :] = 0.25
    with pytest.raises(FitError):
        scheme.fit(scores)
    x = np.array([[0.0, 0.25, 0.5]])
    with suppress(r.error):
        assert np.isnan(r.standardize(scheme, x, scores)).all()
    assert not np.isnan(r.standardize(scheme, x, np.array([[0.2, 0.3, 0.4]]))).any()
