"""Several files as one matrix: topics by their labels, systems side by side."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, as_scores, read_scores, write_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.dataframes import measure_of, notes_of, remember
from tests import a_tenth

TREC = "map\t1\t0.2000\nmap\t2\t0.4000\nmap\tall\t0.3000\n"


@pytest.mark.clause("read_scores.5")
@a_tenth
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


@pytest.mark.clause("read_scores.5")
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


@pytest.mark.clause("read_scores.5")
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


def test_alike_notes_are_one(tmp_path: Path) -> None:
    for name in "abcdef":
        more = "map\t3\t0.3000\n" if name < "d" else ""
        (tmp_path / f"{name}.eval").write_text(more + TREC.partition("map\tall")[0])
    scores = read_scores(sorted(tmp_path.iterdir()))
    named, absent = notes_of(scores)
    assert named == (
        "6 files: no system is named, and the names are taken from the files: a, b, c, d, e, ..."
    )
    d, e, f = (str(tmp_path / f"{name}.eval") for name in "def")
    assert absent.startswith(f"{d}, {e} and {f}: topic 3 of the other files is absent")


def test_what_parquet_files_remember_is_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    scores = pd.DataFrame(rng.random((20, 2)), [f"q{i}" for i in range(20)], ["a", "avg"])
    scores = as_scores(scores.rename_axis("topic"), keep_systems=["avg"])
    remember(scores, measure="ndcg")
    write_scores(scores, tmp_path / "a.parquet")
    other = scores[["a"]].set_axis(["b"], axis=1)
    write_scores(other, tmp_path / "b.csv")
    write_scores(other, tmp_path / "c.parquet")
    alone = read_scores(tmp_path / "a.parquet")
    assert measure_of(alone) == "ndcg"
    both = read_scores([tmp_path / "a.parquet", tmp_path / "b.csv"])
    assert both.columns.tolist() == ["a", "avg", "b"]
    assert measure_of(both) == "ndcg"
    assert [note for note in notes_of(both) if "named" in note] == [
        f"{tmp_path / 'b.csv'}: no measure is named, and scores are taken as those of ndcg"
    ]
    assert read_scores(tmp_path / "a.parquet", measure="ndcg").equals(alone)
    with pytest.raises(ScoresError, match=r"a.parquet has scores of ndcg and measure=... of map"):
        read_scores(tmp_path / "a.parquet", measure="map")
    lines = "".join(f"map\t{topic}\t0.5\n" for topic in scores.index)
    (tmp_path / "d.eval").write_text(lines)
    with pytest.raises(ScoresError, match=r"scores of ndcg and .*d.eval of map"):
        read_scores([tmp_path / "a.parquet", tmp_path / "d.eval"])


def test_a_system_that_is_renamed_may_be_left_out(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.eval").write_text(f"{TREC}runid\tall\t{name}\n")
    files = {"x": tmp_path / "a.eval", "y": tmp_path / "b.eval"}
    assert read_scores(files, drop_systems=["x"]).columns.tolist() == ["y"]
    assert read_scores(files, drop_systems=["a"]).columns.tolist() == ["y"]
    (tmp_path / "c.eval").write_text(TREC)
    with pytest.raises(ScoresError, match="all scores are left out"):
        read_scores(tmp_path / "c.eval", drop_systems=["c"])
