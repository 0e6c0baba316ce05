"""What readers of files and frames left out is in the notes of every result, first and once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import (
    Standardizer,
    as_scores,
    compare,
    correlate,
    datasets,
    diagnose,
    read_scores,
    sensitivity,
)
from cdfscore.report.comparison import caption
from cdfscore.scores.dataframes import notes_of
from cdfscore.standardization.leave_one_out import left_out

NO_TASKS = ["RTFx", "Model size (B)"]


@pytest.fixture
def board(shared_data: Path) -> pd.DataFrame:
    path = shared_data / "leaderboards" / "asr_multilingual.csv"
    scores = read_scores(path, drop_topics=NO_TASKS)
    assert len(notes_of(scores)) == 3
    return scores


def test_every_result_begins_with_them_after_its_cautions(board: pd.DataFrame) -> None:
    said = notes_of(board)
    how = Standardizer("normal", lower_is_better=True)
    pair = board.iloc[:, :2]
    for notes in (
        how.standardize(board).notes,
        how.standardize(board.iloc[:, :5], board).notes,
        how.fit(board).standardize(board).notes,
        left_out(board, how).notes,
        compare(board, "max_t", scheme=how).notes,
        compare(how.fit_transform(board), "max_t").notes,
        list(diagnose(board, ["normal"], bootstrap=0, lower_is_better=True).notes),
    ):
        assert notes[:3] == said
        assert len(set(notes)) == len(notes)
    for notes in (
        sensitivity(board, [how, Standardizer("raw", lower_is_better=True)]).notes,
        correlate(board, board, names=("a", "b")).notes,
    ):
        for note in said:
            assert any(note in each for each in notes)
    assert all(note in caption(compare(pair, "sign")) for note in said)


TURNED = "topic,301,302\nbm25,0.2,0.5\nlsa,0.3,0.4\n"


@pytest.mark.parametrize("header", ["topic", "", "Query"])
def test_a_file_that_may_be_turned_is_noted(tmp_path: Path, header: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(TURNED.replace("topic", header))
    (note,) = notes_of(read_scores(path))
    assert "s.csv: rows are topics (bm25, lsa), columns are systems (301, 302), although" in note
    assert "systems_as_rows=True turns it" in note
    assert notes_of(read_scores(path, systems_as_rows=False)) == []
    assert read_scores(path, topic_column=header or None, systems_as_rows=False).shape == (2, 2)


@pytest.mark.parametrize(
    "content",
    [
        TURNED.replace("301,302", "v1,302"),
        TURNED.replace("lsa", "7"),
        "topic,301\nbm25,0.2\nlsa,0.3\n",
        TURNED.replace("topic", "system"),
    ],
)
def test_other_files_are_not_taken_for_turned(tmp_path: Path, content: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(content)
    assert not any("although topics often" in note for note in notes_of(read_scores(path)))


def cranfield() -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:12, :14].rename(columns=str)


def long(scores: pd.DataFrame) -> pd.DataFrame:
    rows = scores.rename_axis("topic").reset_index().melt("topic", var_name="system")
    return rows.rename(columns={"value": "score"})


FORMS: dict[str, Callable[[pd.DataFrame], str]] = {
    "wide": lambda scores: str(scores.to_csv()),
    "turned": lambda scores: str(scores.T.rename_axis("system").to_csv()),
    "long": lambda scores: str(long(scores).to_csv(index=False)),
    "records": lambda scores: str(long(scores).to_json(orient="records")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("topics", "systems", "said"),
    [
        (["3"], [], "topic 3 is left out, as asked"),
        ([], ["{0}"], "system {0} is left out, as asked"),
        (["3"], ["{0}"], "topic 3 and system {0} are left out, as asked"),
        (["5", "3"], ["{1}"], "2 topics (3, 5) and system {1} are left out, as asked"),
        ([], ["{1}", "{0}"], "2 systems ({0}, {1}) are left out, as asked"),
    ],
)
def test_a_note_names_the_file_and_the_labels(
    tmp_path: Path, form: str, topics: list[str], systems: list[str], said: str
) -> None:
    scores = cranfield()
    names = [*scores.columns]
    path = tmp_path / "s.csv"
    path.write_text(FORMS[form](scores))
    dropped = {"drop_topics": topics, "drop_systems": [each.format(*names) for each in systems]}
    read = read_scores(path, **dropped)  # type: ignore[arg-type]
    assert read.shape == (12 - len(topics), 14 - len(systems))
    notes = [note for note in notes_of(read) if "asked" in note]
    assert notes == [f"{path}: {said.format(*names)}"]
    assert Standardizer("normal").standardize(read).notes[0] == notes[0]
    assert notes[0] in caption(compare(read.iloc[:, :2], "sign"))
    assert not any("asked" in note for note in notes_of(read_scores(path)))


@pytest.mark.parametrize("turned", [False, True])
def test_frames_have_the_note_too(turned: bool) -> None:
    scores = cranfield()
    name = scores.columns[1]
    given = scores.T.rename_axis("system") if turned else scores
    found = as_scores(given, drop_topics=["3", "4"], drop_systems=[name])
    assert notes_of(found)[0] == f"scores: 2 topics (3, 4) and system {name} are left out, as asked"
