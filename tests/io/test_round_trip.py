"""What is written is read back to the same bits, and numbers are read to the nearest double."""

import math
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cdfscore import as_scores, read_scores, write_scores
from cdfscore.errors import OutputError

PRINTABLE = st.characters(categories=["L", "M", "N", "P", "S"], include_characters=" ")
LABELS = st.text(PRINTABLE, min_size=1, max_size=8).map(str.strip).filter(bool)
SCORES = st.floats(allow_infinity=False)
EXTREMES = [5e-324, -5e-324, 2.225073858507201e-308, 1e308, -1.7976931348623157e308, -0.0, 0.1]


@st.composite
def matrices(draw: st.DrawFn) -> pd.DataFrame:
    topics = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    count = len(topics) * len(systems)
    cells = draw(st.lists(SCORES, min_size=count, max_size=count))
    return matrix(topics, systems, cells)


def matrix(topics: list[str], systems: list[str], cells: list[float]) -> pd.DataFrame:
    values = np.array(cells).reshape(len(topics), len(systems))
    index = pd.Index(topics, name="topic", dtype=str)
    return pd.DataFrame(values, index=index, columns=pd.Index(systems, dtype=str))


def bits(scores: pd.DataFrame) -> list[int]:
    values = np.where(scores.isna(), np.nan, scores.to_numpy())
    return values.ravel().view(np.uint64).tolist()


@pytest.mark.clause("write_scores.1")
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
@settings(max_examples=20)
@given(scores=matrices())
@example(scores=matrix(["051"], list("abcdefg"), EXTREMES))
@example(scores=matrix(['"', ",", ";", "#"], ["topic", "query"], [0.1] * 8))
@example(scores=matrix(["NA", "nan"], ["NA", "é\u0301", "0.5"], [math.nan] * 6))
def test_scores_come_back_to_the_bit(ending: str, scores: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"scores{ending}"
        write_scores(scores, path)
        kept = {"keep_topics": list(scores.index), "keep_systems": list(scores.columns)}
        back = read_scores(path, **kept)
    assert back.index.tolist() == scores.index.tolist()
    assert back.columns.tolist() == scores.columns.tolist()
    assert bits(back) == bits(scores)
    pd.testing.assert_frame_equal(as_scores(back), back)


@pytest.mark.clause("read_scores.2")
@settings(max_examples=100)
@given(digits=st.integers(0, 10**25), exponent=st.integers(-345, 280), negative=st.booleans())
@example(digits=2**53 + 1, exponent=0, negative=False)  # half-way between two doubles
@example(digits=9007199254740993000000001, exponent=-9, negative=False)  # just above half-way
@example(digits=24703282292062327208, exponent=-343, negative=False)  # half the least double
def test_numbers_are_read_to_the_nearest_double(digits: int, exponent: int, negative: bool) -> None:
    text = f"{'-' if negative else ''}{digits}e{exponent}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.csv"
        path.write_text(f"topic,a\n301,{text}\n")
        value = read_scores(path).iloc[0, 0].item()
    exact = Fraction(text)
    distance = abs(Fraction(value) - exact)
    for direction in (-math.inf, math.inf):
        assert distance <= abs(Fraction(math.nextafter(value, direction)) - exact)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"ends in '\.xlsx'; expected \.csv, \.tsv or \.parquet"):
        write_scores(matrix(["1"], ["a"], [1]), tmp_path / "s.xlsx")
    assert list(tmp_path.iterdir()) == []
