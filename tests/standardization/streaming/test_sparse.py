"""Rows of few systems on each topic, of many in all: blocks are bounded by cells, not by rows."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, read_scores
from cdfscore.errors import ScoresError
from cdfscore.standardization.policies import ScoreMatrix
from cdfscore.standardization.streaming import LongScores, Tally, standardize_parquet
from cdfscore.stats.numerics.types import Array, BoolArray
from tests import a_tenth
from tests.standardization.streaming.subjects import written


def sparse(topics: int, systems: int, own: int) -> pd.DataFrame:
    """Return rows of `own` systems on each topic, sorted by topic; each system has a score."""
    topic = np.repeat(np.arange(topics), own)
    system = (topic * own + np.tile(np.arange(own), topics)) % systems
    score = np.random.default_rng(1).random(len(topic))
    names = [f"s{number}" for number in system]
    return pd.DataFrame({"topic": topic.astype(str), "system": names, "score": score})


@a_tenth
@given(
    st.integers(1, 40), st.integers(3, 60), st.integers(1, 3), st.integers(1, 500), st.booleans()
)
def test_cells_of_a_block_are_bounded(
    tmp_path_factory: pytest.TempPathFactory,
    topics: int,
    systems: int,
    own: int,
    block: int,
    shuffled: bool,
) -> None:
    folder = tmp_path_factory.mktemp("sparse")
    rows = sparse(topics, systems, own)
    rows = rows.sample(frac=1, random_state=2) if shuffled else rows
    source = written(rows.reset_index(drop=True), folder / "x.parquet", 7)
    sizes: list[tuple[int, int]] = []
    add = Tally.add

    def spied(tally: Tally, part: ScoreMatrix) -> tuple[BoolArray, Array] | None:
        sizes.append(part.values.shape)
        return add(tally, part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tally, "add", spied)
        patch.setattr("cdfscore.standardization.streaming.ROWS", 5)
        how = Standardizer("minmax", missing="omit", constant="half")
        standardize_parquet(source, folder / "y.parquet", how, block=block)
    assert sum(number for number, _ in sizes) == topics
    assert all(number == 1 or number * width <= block for number, width in sizes)


@pytest.mark.parametrize("order", ["by topic", "in any order"])
def test_too_sparse_scores_are_refused_as_in_memory(order: str, tmp_path: Path) -> None:
    rows = sparse(6000, 6000, 1)
    if order == "in any order":
        rows = pd.concat([rows, pd.DataFrame({"topic": "0", "system": ["s9"], "score": 0.5})])
    source = written(rows.reset_index(drop=True), tmp_path / "x.parquet")
    with pytest.raises(ScoresError) as expected:
        read_scores(source)
    with pytest.raises(ScoresError) as found:
        standardize_parquet(
            *(source, tmp_path / "y.parquet", Standardizer("minmax", missing="omit"))
        )
    assert str(found.value) == str(expected.value)
    assert "a score for 1 % or more of all pairs of a topic and a system" in str(found.value)
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


@pytest.mark.parametrize("order", ["by topic", "in any order"])
def test_a_column_that_is_no_topic_is_not_read_to_its_end(
    order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows have one topic, or two: a score that is there twice is found before all are read."""
    most = 0
    matrix = LongScores._matrix

    def spied(self: LongScores, topics: list[str]) -> ScoreMatrix:
        nonlocal most
        most = max(most, len(self._own))
        return matrix(self, topics)

    monkeypatch.setattr(LongScores, "_matrix", spied)
    monkeypatch.setattr("cdfscore.standardization.streaming.ROWS", 10)
    rows = pd.DataFrame({"topic": "web", "system": [f"s{i % 8}" for i in range(400)], "score": 0.5})
    rows["score"] += np.arange(400) / 1000
    if order == "in any order":
        rows.loc[[0, 399], "topic"] = "news"
    source = written(rows, tmp_path / "x.parquet")
    how = Standardizer("minmax", missing="omit")
    with pytest.raises(
        ScoresError, match=r"row 1?\d, .*: this score was given before, in row [12]"
    ):
        standardize_parquet(source, tmp_path / "y.parquet", how)
    assert 0 < most <= 20
