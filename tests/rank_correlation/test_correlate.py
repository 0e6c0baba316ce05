"""`correlate`: notes on the policies, and the type of an error."""

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, correlate
from cdfscore.errors import MissingScoreError


@pytest.fixture
def scores() -> pd.DataFrame:
    values = np.random.default_rng(3).random((6, 4))
    return pd.DataFrame(values, [f"t{i}" for i in range(6)], list("abcd"))


def test_notes_tell_what_the_policies_changed_in_each_matrix(scores: pd.DataFrame) -> None:
    gappy = scores.copy()
    gappy.iloc[1, 2] = np.nan
    how = Standardizer("normal", missing="drop_topic")
    found = correlate(gappy, scores, scheme=how, names=("old.csv", "new.csv"))
    assert found.attrs["notes"] == ["old.csv: topic t1 is dropped for missing scores"]
    assert correlate(scores, scores, scheme=how).attrs["notes"] == []


def test_an_error_names_the_matrix_and_keeps_its_type(scores: pd.DataFrame) -> None:
    gappy = scores.copy()
    gappy.iloc[1, 2] = np.nan
    message = "^new.csv: reference scores, topic 't1', system 'c'"
    with pytest.raises(MissingScoreError, match=message):
        correlate(scores, gappy, names=("old.csv", "new.csv"))
