"""Tests on a matrix of scores, before they are a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdfscore import Standardizer, datasets
from cdfscore.comparison.differences import differences
from cdfscore.numerics.types import Array
from cdfscore.significance.contract import Rows, all_systems

SCORES = datasets.load_cranfield("ap").iloc[:10, :4]
MAXIMUM = float(SCORES.to_numpy().max())


@all_systems(source="none")
def largest(scores: Array, *, times: float = 1.0) -> Rows:
    """Return a multiple of the largest score."""
    return Rows(statistic=times * scores.max(axis=(-2, -1)), p_value=1.0)


def test_a_test_of_all_systems_has_the_settings_that_are_given() -> None:
    raw = Standardizer("raw").fit(SCORES).standardize(SCORES)
    for given in ({}, {"times": 3.0}):
        found = differences(raw, largest.chosen(given), None, "")
        assert found.result.statistic.tolist() == [given.get("times", 1.0) * MAXIMUM]
        assert found.labels == ["all systems"]
        assert np.isnan(list(found.effects.values())).all()


def test_differences_are_no_other_ones() -> None:
    raw = Standardizer("raw").fit(SCORES).standardize(SCORES)
    found = differences(raw, largest.chosen({}), None, "")
    assert len({found, found, replace(found)}) == 2
