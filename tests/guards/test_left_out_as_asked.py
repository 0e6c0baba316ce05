"""Labels that the user leaves out are in the notes, with the file that had them."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, as_scores, compare, datasets, read_scores
from cdfscore.report.comparison import caption
from cdfscore.scores.dataframes import notes_of


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
