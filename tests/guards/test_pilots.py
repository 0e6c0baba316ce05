"""Plans from pilots that say little: few topics, pairs that differ, answers that fail."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, read_scores, write_scores
from cdfscore.models import plan
from tests.cli.conftest import Outcome

GOAL = "paired_t:difference=0.05"
FEW = "with a pilot of 24 topics the variance is uncertain"


@pytest.fixture(scope="module")
def robust(shared_data: Path) -> pd.DataFrame:
    return read_scores(shared_data / "robust2004" / "robust2004_ap.csv")


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


def test_the_command_notes_few_topics(
    robust: pd.DataFrame, cdfscore: Callable[..., Outcome], tmp_path: Path
) -> None:
    write_scores(robust.iloc[:24], tmp_path / "s.csv")
    status, _, err = cdfscore("plan", "s.csv", "--goal", GOAL)
    assert status == 0
    assert f"cdfscore: {FEW}, and so is the number of topics" in err


def test_what_many_topics_say_is_near_the_plan_of_49(robust: pd.DataFrame) -> None:
    """The topics of 2004 as pilot: its answer holds on all 249, where the truth is known better."""
    new = plan(robust.iloc[-49:], GOAL, check=500)
    every = plan(robust, GOAL)
    assert (new.topics, every.topics) == (89, 85)
    assert new.check is not None
    assert new.check.value == pytest.approx(new.check.formula, abs=0.06)


def test_the_note_on_pairs_is_true(robust: pd.DataFrame) -> None:
    found = plan(robust, GOAL)
    same, note = found.notes
    assert same.startswith("systems 'sys67' and 'sys69' have the same scores")
    pairs, least, most, high, more, n = re.findall(r"(\d[\d.,]*\d|\d)(?= |,|;|$)(?! %)", note)
    variances = found.pilot.of_pairs
    assert (pairs, n) == ("5,995", str(found.topics))
    assert float(least) == pytest.approx(variances.min(), rel=1e-2)
    assert float(most) == pytest.approx(variances.max(), rel=1e-2)
    assert float(high) == pytest.approx(np.quantile(variances, 0.95), rel=1e-2)
    two = variances[np.abs(variances - np.quantile(variances, 0.95)).argmin()]
    assert int(more) == pytest.approx(found.topics * two / found.pilot.differences, rel=0.03)
