"""Every test of the catalogue beside its twin; the campaign does the same on more inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.significance.contract import (
    PairsTogether,
    SignificanceTest,
    TwoSamples,
    significance_tests,
)
from tests.significance.in_r import rows_in_r
from validation.significance.inputs import Batch
from validation.significance.parity import Outcome, beside_r, lay_beside, variants

NAMES = significance_tests.names()
LOADED = [significance_tests.load(name) for name in NAMES]
DETERMINISTIC = [t.name for t in LOADED if isinstance(t, TwoSamples) and not t.draws]


@pytest.fixture(scope="module")
def session(rinterface: Any) -> RSession:
    return RSession()


# tests/significance/test_systems_together.py has tukey_hsd on more matrices than there is time for.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "tukey_hsd"])
def test_random_samples(name: str, session: RSession) -> None:
    test: SignificanceTest[Any] = significance_tests.load(name)
    # Two pairs or more of each kind. A matrix has many; R takes 0.1 s for the integrals of one.
    count = 60 if not isinstance(test, PairsTogether) else 20 if name != "dunnett" else 6
    for chosen in variants(test):
        outcome = beside_r(session, chosen, seed=4, count=count, rows=6)
        assert outcome.inputs >= count
        assert outcome.failures(test) == []


@pytest.mark.parametrize("name", DETERMINISTIC)
@pytest.mark.parametrize("measure", ["ap", "p10"])
def test_real_pairs(name: str, measure: str, session: RSession, shared_data: Path) -> None:
    test: TwoSamples[Any] = significance_tests.load(name)
    frame = pd.read_csv(shared_data / "robust2004" / f"robust2004_{measure}.csv").set_index("topic")
    scores = frame.to_numpy(np.float64)
    first, second = (indices[::23] for indices in np.triu_indices(scores.shape[1], 1))
    ours = test.over_pairs(scores, first, second, **test.example)
    systems = np.ascontiguousarray(scores.T)
    theirs = rows_in_r(session, test, test.settings(test.example), systems[first], systems[second])
    for quantity, by_r in theirs.numbers.items():
        tolerance = test.tolerances[quantity]
        ours_of = np.asarray(getattr(ours, quantity))
        distance = tolerance.distance(ours_of, by_r, ours.terms(quantity))
        worst = int(distance.argmax())
        assert distance[worst] <= tolerance.ulp, (
            f"{quantity}: {getattr(ours, quantity)[worst]!r}, R {by_r[worst]!r}, "
            f"{frame.columns[first[worst]]} - {frame.columns[second[worst]]}"
        )


def test_a_failed_search_of_wilcox_test_is_counted(session: RSession) -> None:
    x, y = np.array([[0.0, 0.5, 0.5]]), np.full((1, 2), -0.6666648829576866)
    chosen = significance_tests.load("mann_whitney").chosen({"conf_int": True})
    theirs = rows_in_r(session, chosen.test, chosen.settings, x, y)
    outcome = Outcome()
    ours = chosen.test(x, y, **chosen.given)
    lay_beside(outcome, chosen.test, ours, theirs, "", Batch("few_levels", x, y))
    assert (outcome.without_root, outcome.unlike) == (1, [])
    theirs.stopped[0] = "another error"
    lay_beside(outcome, chosen.test, ours, theirs, "", Batch("few_levels", x, y))
    assert len(outcome.unlike) == 1
