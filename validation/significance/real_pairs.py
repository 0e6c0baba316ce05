"""All 5,995 pairs of the TREC 2004 Robust systems, in Python and in R."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cdfscore import read_scores
from cdfscore.r.session import RSession
from cdfscore.stats.significance.contract import (
    AllSystems,
    PairsTogether,
    SignificanceTest,
    TwoSamples,
    significance_tests,
)
from tests.significance.in_r import matrix_in_r, rows_in_r
from validation.significance.inputs import Batch
from validation.significance.parity import Outcome, lay_beside, pairs_for


def on_real_pairs(session: RSession) -> Iterator[tuple[SignificanceTest[Any], Outcome]]:
    """Yield each deterministic test of several systems, and its distances from R."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("CDFSCORE_DATA", beside))
    scores = read_scores(folder / "robust2004" / "robust2004_ap.csv").to_numpy()
    first, second = np.triu_indices(scores.shape[1], 1)
    systems = np.ascontiguousarray(scores.T)
    x, y = systems[first], systems[second]
    for name in significance_tests.names():
        test: SignificanceTest[Any] = significance_tests.load(name)
        if test.draws:
            continue
        settings, outcome = test.settings(test.example), Outcome()
        if isinstance(test, TwoSamples):
            ours = test.over_pairs(scores, first, second, **test.example)
            theirs = rows_in_r(session, test, settings, x, y)
        elif isinstance(test, PairsTogether):
            pairs = pairs_for(test, scores.shape[1])
            ours = test.over_pairs(scores, *pairs)
            theirs = matrix_in_r(session, test, settings, scores, *pairs)
        elif isinstance(test, AllSystems):
            ours = test(scores[np.newaxis])
            theirs = matrix_in_r(session, test, settings, scores)
        else:
            continue
        lay_beside(outcome, test, ours, theirs, "Robust 2004", Batch("real", x, y))
        yield test, outcome
