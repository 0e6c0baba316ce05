"""Leaderboards: systems in rows, columns that are no tasks, labels that are left out."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, as_scores, read_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.dataframes import notes_of

TASKS = "model,t1,t2,t3\nm1,0.11,0.25,0.43\nm2,0.47,0.31,0.12\nm3,0.21,0.96,0.65\n"
NO_TASKS = ["RTFx", "Model size (B)"]


def with_column(header: str, *cells: object) -> str:
    lines = TASKS.splitlines()
    return "".join(f"{a},{b}\n" for a, b in zip(lines, [header, *cells], strict=True))


@pytest.mark.parametrize(
    "header", ["model", "Model", "Models", "system", "run", "Method", "run_id"]
)
def test_a_header_says_that_rows_are_systems(read: Callable, header: str) -> None:
    scores = read(TASKS.replace("model", header))
    assert scores.columns.tolist() == ["m1", "m2", "m3"]
    assert scores.index.tolist() == ["t1", "t2", "t3"]
    (note,) = notes_of(scores)
    assert note.endswith(f"rows are taken as systems, because their header is {header!r}")
    assert notes_of(read(TASKS, systems_as_rows=True)) == []


@pytest.mark.parametrize("header", ["", "Unnamed: 0"])
def test_row_numbers_of_pandas_are_left_out(read: Callable, header: str) -> None:
    lines = [header, "0", "1", "2"]
    numbered = "".join(f"{a},{b}\n" for a, b in zip(lines, TASKS.splitlines(), strict=True))
    with pytest.raises(ScoresError, match="column 'model' would be read as scores, not as labels"):
        read(numbered)
    scores = read(numbered, topic_column="model")
    assert scores.to_numpy().tolist() == read(TASKS).to_numpy().tolist()
    assert "the first column numbers the rows, and is left out" in notes_of(scores)[0]
    if not header:  # other numbers are those of a topic without a name
        with pytest.raises(ScoresError, match="column 1: the topic has no name"):
            read(numbered.replace("\n2,", "\n3,"), topic_column="model")


def test_a_column_of_scores_may_be_called_run(read: Callable) -> None:
    for first in ("0.1", "0.0", "1", "NA"):
        scores = read(f"run,approach\n{first},0.2\n0.3,0.4\n")
        assert scores.columns.tolist() == ["run", "approach"]


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize("cells", [("Open", "MIT", ""), ("7B", "x", "NA"), ("a", "a", "a")])
def test_words_are_left_out(read: Callable, cells: tuple[str, ...]) -> None:
    scores = read(with_column("License", *cells))
    assert scores.index.tolist() == ["t1", "t2", "t3"]
    assert notes_of(scores)[1].endswith(
        "the column 'License' has words and no scores and is left out"
    )


def mean_of_tasks(decimals: int) -> list[float]:
    values = np.array([line.split(",")[1:] for line in TASKS.splitlines()[1:]], float)
    return values.mean(axis=1).round(decimals).tolist()


@pytest.mark.clause("leaderboard.2")
@pytest.mark.parametrize("name", ["Average", "Avg. WER", "mean", "Mean accuracy", "avg"])
@pytest.mark.parametrize("decimals", [2, 3, 4, 16])
def test_an_average_is_left_out(read: Callable, name: str, decimals: int) -> None:
    scores = read(with_column(name, *mean_of_tasks(decimals)))
    assert scores.index.tolist() == ["t1", "t2", "t3"]
    assert (
        f"the column {name!r} is the mean of the other 3 columns, and is left out"
        in (notes_of(scores)[1])
    )
    assert read(with_column(name, *mean_of_tasks(decimals)), keep_topics=[name]).shape == (4, 3)


def test_an_average_is_compared_after_columns_are_left_out(read: Callable) -> None:
    text = with_column("size,Average", *(f"{i},{m}" for i, m in enumerate(mean_of_tasks(4), 1)))
    assert read(text, drop_topics=["size"]).shape == (3, 3)
    with pytest.raises(
        ScoresError, match="is not the mean of the other 4 columns for 3 of 3 systems"
    ):
        read(text, keep_topics=["size"])


def test_rows_that_are_topics_are_asked_about_too(read: Callable) -> None:
    text = "topic,size,rank\nt1,-1,0.5\nt2,3,0.25\n"
    with pytest.raises(ScoresError, match=r"systems 'size' \(by its name, size\) and 'rank'"):
        read(text)
    kept = read(text, keep_systems=["size", "rank"])
    assert kept.columns.tolist() == ["size", "rank"]


def test_frames_are_leaderboards_too(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "leaderboards" / "asr_english.csv"
    frame = pd.read_csv(path)
    with pytest.raises(ScoresError, match=r"scores: the columns 'RTFx' .* may not be tasks"):
        as_scores(frame)
    found = as_scores(frame, drop_topics=NO_TASKS)
    read = read_scores(path, drop_topics=NO_TASKS)
    pd.testing.assert_frame_equal(found, read)
    frame.to_parquet(tmp_path / "s.parquet")
    again = read_scores(tmp_path / "s.parquet", drop_topics=NO_TASKS)
    pd.testing.assert_frame_equal(again, read)
    assert [note.partition(": ")[2] for note in notes_of(again)] == [
        note.partition(": ")[2] for note in notes_of(read)
    ]
    assert as_scores(found).attrs == found.attrs
    said = notes_of(found)
    assert Standardizer("normal").standardize(found).notes[: len(said)] == said


def test_the_average_of_a_real_table_is_known_though_two_rows_are_not_its_mean(
    shared_data: Path,
) -> None:
    for name, shape, drop in (
        ("asr_english", (8, 87), NO_TASKS),
        ("asr_multilingual", (13, 30), NO_TASKS),
        ("demsar2006_auc", (14, 4), []),
    ):
        scores = read_scores(shared_data / "leaderboards" / f"{name}.csv", drop_topics=drop)
        assert scores.shape == shape
        assert scores.notna().all(axis=None)
        averages = [note for note in notes_of(scores) if "is the mean of the other" in note]
        assert len(averages) == bool(drop)
        if name == "asr_english":
            assert (
                "but for 2 of 87 systems (nvidia/canary-180m-flash, "
                "efficient-speech/lite-whisper-large-v3-turbo-acc)" in averages[0]
            )


@pytest.mark.parametrize(
    "cell",
    ["5-shot", "(5-shot)", "0-shot CoT", "01/02/2024", "$1.50", "3.5 billion", "~700M", "7B"],
)
def test_words_may_begin_with_a_number(read: Callable, cell: str) -> None:
    scores = read(with_column("x", cell, "NA", cell))
    assert scores.index.tolist() == ["t1", "t2", "t3"]
    assert "the column 'x' has words and no scores" in notes_of(scores)[-1]
