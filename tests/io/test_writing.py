"""What `write_scores` accepts, whatever the type of its numbers, and what it refuses."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import as_scores, read_scores, write_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.writing import encode_scores

TOPICS = ["301", "302"]
ENDINGS = [".csv", ".tsv", ".parquet"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_missing_and_mixed_numbers_come_back(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([7, None], dtype="Int64"),
            "short": np.array([0.1, math.nan], dtype=np.float32),
            "exact": [Fraction(1, 4), None],
            "text": ["1e-5", "-0.0"],
        },
        index=TOPICS,
    )
    write_scores(frame, tmp_path / f"s{ending}")
    back = read_scores(tmp_path / f"s{ending}")
    short = float(np.float32(0.1))
    assert back.loc["301"].tolist() == [7.0, short, 0.25, 1e-5]
    assert back.loc["302"].isna().tolist() == [True, True, True, False]
    assert math.copysign(1, back.loc["302", "text"]) == -1


BAD = {
    "topic twice": (pd.DataFrame({"a": [0.1, 0.2]}, ["1", "1"]), "topic '1' appears twice"),
    "system twice": (pd.DataFrame([[1, 2]], ["1"], ["a", "a"]), "system 'a' appears twice"),
    "no topic": (pd.DataFrame({"a": [0.1, 0.2]}, ["1", None]), "row 2: the topic has no name"),
    "no system": (pd.DataFrame([[1, 2]], ["1"], ["a", None]), "column 2: the system has no name"),
    "bool": (pd.DataFrame({"a": [True, False]}, TOPICS), "system 'a' holds bool; expected num"),
    "words": (pd.DataFrame({"a": [0.1, "x"]}, TOPICS), "topic '302', system 'a': 'x' is not a n"),
    "no columns": (pd.DataFrame(index=TOPICS), "shape (2, 0); expected topics x systems"),
    "no rows": (pd.DataFrame({"a": []}), "shape (0, 1); expected topics x systems"),
    "array": (np.zeros((2, 2)), "is an ndarray; expected its labels too, by as_scores(array, "),
    "series": (pd.Series([0.1, 0.2]), "is a Series; expected a data frame, topics x systems"),
    "nothing": (None, "is None; expected a data frame, topics x systems"),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", BAD)
def test_what_is_no_score_matrix_is_not_written(tmp_path: Path, name: str, ending: str) -> None:
    scores, fragment = BAD[name]
    with pytest.raises(ScoresError) as caught:
        write_scores(scores, tmp_path / f"s{ending}")  # type: ignore[arg-type]
    assert fragment in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.clause("write_scores.1")
def test_standardized_scores_may_be_infinite(tmp_path: Path) -> None:
    scores = as_scores(pd.DataFrame({"a": [0.1, 0.2]}, TOPICS)) * math.inf
    assert encode_scores(scores, Path("s.csv")) == b"topic,a\n301,inf\n302,inf\n"
    write_scores(scores, tmp_path / "s.csv")
    with pytest.raises(ScoresError, match="'inf' is not finite"):
        read_scores(tmp_path / "s.csv")
