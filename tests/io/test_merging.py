"""Several files as one matrix: topics by their labels, systems side by side."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, read_scores, write_scores
from cdfscore.errors import ScoresError
from cdfscore.io.scores.memory import measure_of, notes_of

TREC = "map\t1\t0.2000\nmap\t2\t0.4000\nmap\tall\t0.3000\n"


@given(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True),
    st.integers(1, 4),
    st.integers(0, 2**31),
)
def test_a_matrix_in_pieces_is_put_together(systems: list[str], pieces: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    topics = [f"q{i}" for i in range(5)]
    scores = pd.DataFrame(rng.random((5, len(systems))), topics, systems)
    cuts = np.array_split(np.arange(len(systems)), min(pieces, len(systems)))
    kept = {"keep_topics": topics, "keep_systems": systems}
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, columns in enumerate(cuts):
            piece = scores.iloc[rng.permutation(5) if number else range(5), columns]
            ending = rng.choice(["csv", "tsv", "parquet"])
            paths.append(Path(folder) / f"{number}.{ending}")
            write_scores(piece.rename_axis("topic"), paths[-1])
        found = read_scores(paths, **kept)  # type: ignore[arg-type]
    assert (list(found.index), list(found.columns)) == (topics, systems)
    assert (found.to_numpy() == scores.to_numpy()).all()


def test_topics_that_a_file_lacks_are_missing_and_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("topic,a\n1,0.5\n2,0.25\n")
    (tmp_path / "b.csv").write_text("topic,b\n2,0.5\n3,0.75\n4,0.125\n")
    scores = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert scores.index.tolist() == ["1", "2", "3", "4"]
    assert scores.isna().to_numpy().tolist() == [
        [False, True], [False, False], [True, False], [True, False]
    ]  # fmt: skip
    first, second = notes_of(scores)
    assert "a.csv: 2 topics (3, 4) of the other files are absent" in first
    assert "b.csv: topic 1 of the other files is absent" in second
    notes = Standardizer("raw", missing="omit").standardize(scores).notes
    assert notes[:2] == [first, second]
    assert "3 missing scores are omitted" in notes


def test_a_mapping_names_systems(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / f"{name}.eval").write_text(TREC)
    (tmp_path / "wide.csv").write_text("topic,other\n2,0.5\n1,0.25\n")
    scores = read_scores(
        {
            "BM25": tmp_path / "x.eval",
            "neural": tmp_path / "y.eval",
            "third": str(tmp_path / "wide.csv"),
        },
        measure="map",
    )
    assert scores.to_dict("list") == {
        "BM25": [0.2, 0.4],
        "neural": [0.2, 0.4],
        "third": [0.25, 0.5],
    }
    assert measure_of(scores) == "map"
    assert any(
        "wide.csv: no measure is named, and scores are taken as those of map" in n
        for n in notes_of(scores)
    )
    assert not any("no system is named" in note for note in notes_of(scores))


def test_topics_without_labels_are_matched_by_position(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n0.5\n0.25\n")
    (tmp_path / "b.csv").write_text("b\n0.75\n0.125\n")
    scores = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert isinstance(scores.index, pd.RangeIndex)
    assert scores.to_dict("list") == {"a": [0.5, 0.25], "b": [0.75, 0.125]}


def test_a_summary_of_the_whole_is_found(tmp_path: Path) -> None:
    """The mean of systems in another file."""
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.random((20, 4)), [f"q{i}" for i in range(20)], list("abcd"))
    write_scores(scores.rename_axis("topic"), tmp_path / "a.csv")
    write_scores(scores.mean(axis=1).to_frame("e").rename_axis("topic"), tmp_path / "b.csv")
    with pytest.raises(ScoresError, match="system 'e' has the mean of the scores of all other"):
        read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    kept = read_scores([tmp_path / "a.csv", tmp_path / "b.csv"], drop_systems=["e", "a"])
    assert kept.shape == (20, 3)


def test_no_file_is_refused() -> None:
    for nothing in ([], {}):
        with pytest.raises(ScoresError, match="there is no file of scores"):
            read_scores(nothing)
