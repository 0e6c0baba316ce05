"""Every twin against its Python file on random topics."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.base import Scheme, schemes
from validation.parity.compared import by_both
from validation.parity.record import Record
from validation.parity.strategies import is_solved, topics
from validation.parity.variants import variants

SOLVED = [spelling for spelling in variants() if is_solved(schemes.parse(spelling))]
# Topics at a time. `make validate` has 100,000 inputs of each scheme.
ROWS = (2, 6)
# What hypothesis draws.
drawn = partial(
    settings,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.parametrize("spelling", [s for s in variants() if s not in SOLVED])
@drawn(max_examples=40)
@given(data=st.data())
def test_python_is_as_near_to_r_as_the_table_says(
    spelling: str, data: st.DataObject, r: RSession, record: Record
) -> None:
    scheme = schemes.parse(spelling)
    compare(scheme, *data.draw(topics(least=scheme.minimum_scores, rows=ROWS)), r, record)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spelling", SOLVED)
@drawn(max_examples=10)
@given(data=st.data())
def test_solvers_find_what_those_of_r_find(
    spelling: str, data: st.DataObject, r: RSession, record: Record
) -> None:
    scheme = schemes.parse(spelling)
    strategy = topics(least=scheme.minimum_scores, ordinary=True, rows=ROWS)
    compare(scheme, *data.draw(strategy), r, record)


def compare(scheme: Scheme, x: Array, scores: Array, r: RSession, record: Record) -> None:
    tolerance = scheme.tolerance
    y, by_r = by_both(scheme, x, scores, r)
    distance = tolerance.distance(y, by_r)
    worst = np.unravel_index(distance.argmax(), distance.shape)
    place = f"y = {float(y[worst])!r}, in R {float(by_r[worst])!r}, x = {float(x[worst])!r}"
    record.add("random", str(scheme), float(distance[worst]), tolerance.ulp, place)
    note(f"{place}; scores {scores[worst[0]].tolist()}")
    assert distance[worst] <= tolerance.ulp


@pytest.mark.parametrize("spelling", variants())
def test_r_refuses_too_few_scores_as_python_does(spelling: str, r: RSession) -> None:
    scheme = schemes.parse(spelling)
    if not scheme.parameter_names():
        return  # nothing is fitted, so that R has no use for the scores
    few = scheme.minimum_scores - 1
    scores = np.full((1, few + 3), np.nan)
    scores[0, 3:] = 0.25
    with pytest.raises(FitError):
        scheme.fit(scores)
    x = np.resize([0.0, 0.25, 0.5], (1, few + 3))
    with suppress(r.error):
        assert np.isnan(r.standardize(scheme, x, scores)).all()
    enough = np.resize([0.2, 0.3, 0.6, 0.1, 0.4], (1, max(3, scheme.minimum_scores)))
    assert not np.isnan(r.standardize(scheme, np.resize(x, enough.shape), enough)).any()
