"""Plans from pilots that say little: few topics, pairs that differ, answers that fail."""

import warnings

import pandas as pd
import pytest

from cdfscore import CdfscoreWarning
from cdfscore.models import plan

GOAL = "paired_t:difference=0.05"
FEW = "with a pilot of 24 topics the variance is uncertain"


def test_few_topics_are_warned_of(robust: pd.DataFrame) -> None:
    with pytest.warns(CdfscoreWarning, match=FEW):
        found = plan(robust.iloc[:24], GOAL)
    assert any("at least 25 topics are advised" in note for note in found.notes)
    assert "at least 25 topics are advised" in found.to_markdown()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*have the same scores")  # two are copies
        for enough in (plan(robust.iloc[:25], GOAL), plan(robust.iloc[:13], GOAL, others=[robust])):
            assert not any("advised" in note for note in enough.notes)
