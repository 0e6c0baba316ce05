"""A significance test on a score matrix, whatever it compares: results with their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.families import Family
from cdfscore.inference.contract import AllSystems, ChosenTest, OneSample, Simultaneous, TwoSamples
from cdfscore.inference.result import TestResult

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Differences:
    """The results of a test, each with the label of what it is of."""

    labels: list[str]
    result: TestResult


def differences(y: pd.DataFrame, chosen: ChosenTest, baselines: tuple[str, ...]) -> Differences:
    """Test each system, each pair of a family, or all systems at once, as the test does.

    Raises `SignificanceError` where the test cannot be made of the scores.
    """
    test, matrix = chosen.test, y.to_numpy()
    if isinstance(test, TwoSamples | Simultaneous):
        family = Family.of(list(y.columns), baselines)
        result = test.over_pairs(matrix, family.first, family.second, **chosen.given)
        return Differences(family.labels, result)
    if isinstance(test, OneSample):
        return Differences(list(y.columns), test(np.ascontiguousarray(matrix.T), **chosen.given))
    assert isinstance(test, AllSystems)
    return Differences(["all systems"], test(matrix[np.newaxis], **chosen.given))
