"""Columns of leaderboards that may be no tasks are asked about, and tasks are not."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import as_scores, read_scores
from cdfscore.errors import ScoresError
from cdfscore.scores import cautions
from cdfscore.scores.cautions import Rows, no_scores

NO_TASKS = ["RTFx", "Model size (B)"]


def asr(shared_data: Path) -> pd.DataFrame:
    """The English leaderboard of speech recognizers, with its tasks alone: models x tasks."""
    path = shared_data / "leaderboards" / "asr_english.csv"
    return read_scores(path, drop_topics=NO_TASKS).T.rename_axis(index="model")


def may_be_no_tasks(labels: list[str], columns: np.ndarray) -> dict[str, str]:
    return no_scores(Rows("topic", labels, columns, of_board=True))


def found_in(board: pd.DataFrame) -> dict[str, str]:
    return may_be_no_tasks(list(board.columns), board.to_numpy(np.float64).T)


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize(
    ("header", "word"),
    [
        ("Embedding Dimensions", "dimensions"),
        ("dim", "dim"),
        ("GFLOPs", "gflops"),
        ("#Params (M)", "params"),
        ("modelSize", "size"),
        ("time(s)", "time"),
        ("Training time [h]", "time"),
        ("AMI WER_std", "std"),
        ("AMI WER (sd)", "sd"),
        ("AMI WER ±", "±"),
        ("± of AMI", "±"),
        ("AMI WER +/-", "+/-"),
    ],
)
def test_a_column_is_no_task_by_its_name(shared_data: Path, header: str, word: str) -> None:
    board = asr(shared_data)
    board[header] = board["LS Clean WER"] + 0.25
    assert found_in(board) == {header: f"by its name, {word}"}


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize(
    "header", ["car_price", "taxi_time", "House Cost", "Ames size", "bike_rank", "Flight Hours (h)"]
)
def test_a_task_may_end_in_such_a_word_unless_its_numbers_say_so(
    shared_data: Path, header: str
) -> None:
    board = asr(shared_data)
    board[header] = board["LS Clean WER"] + 0.25
    assert found_in(board) == {}
    board[header] = 140.0 + 3.1 * np.arange(len(board))
    assert list(found_in(board)) == [header]
    board[header] = np.arange(len(board)) + 12.0
    assert found_in(board)[header].startswith("by its name, ")
    accuracies = 1 - board / 100
    accuracies[header] = board["LS Clean WER"] / 100
    assert found_in(accuracies) == {}
    accuracies[header] = 1.5 + np.arange(len(board)) / 7
    assert list(found_in(accuracies)) == [header]
    errors = 40 * board
    errors[header] = errors.max(axis=1) + 12.5
    assert found_in(errors) == {}


@pytest.mark.parametrize(
    "header",
    [
        *("sd", "ci_fleurs", "SE", "Var", "Dimensional", "Tokenization", "Timed", "Epochal"),
        *("TimeQA", "Dim Reasoning", "Year Questions (s)", "date_understanding", "SpeedDating"),
    ],
)
def test_other_names_are_those_of_tasks(shared_data: Path, header: str) -> None:
    board = asr(shared_data)
    board[header] = board["LS Clean WER"]
    assert found_in(board) == {}


@pytest.mark.clause("leaderboard.1")
def test_the_clause_lists_the_words() -> None:
    page = Path(__file__).parents[2] / "docs/specification/score_matrix.md"
    clause = page.read_text(encoding="utf-8").partition("### leaderboard.1")[2]
    rows = re.findall(r"^\| (.+?) \| (?!role)", clause.partition("###")[0], flags=re.MULTILINE)
    assert [frozenset(row.split(", ")) for row in rows] == [
        *(cautions._NO_SCORES, cautions._COUNTS, cautions._EXTREMES, cautions._DESCRIBING)
    ]


def test_a_language_may_be_called_sd(shared_data: Path) -> None:
    board = asr(shared_data)
    board["AMI WER sd"] = board["AMI WER"] + 1.25
    assert found_in(board) == {}
    board["AMI WER sd"] = board["AMI WER"] / 8
    assert found_in(board) == {"AMI WER sd": "by its name, sd"}


@pytest.mark.clause("leaderboard.1")
@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ([384, 768, 1024, 4096], "about "),
        ([1201.5, 3312.25, 988.75], "about "),
        ([110e6, 335e6, 7.1e9], "about "),
        ([512], "about 512, and most others are at most "),
        ([128], "about 128, and most others are at most "),
    ],
)
def test_a_column_is_no_task_by_its_numbers(
    shared_data: Path, numbers: list[float], reason: str
) -> None:
    board = asr(shared_data)
    board["x"] = np.resize(numbers, len(board))
    found = found_in(board)
    assert list(found) == ["x"]
    assert found["x"].startswith(reason)
    percent = board.assign(x=board["x"] / 1.0).drop(columns="x") / 100
    assert list(found_in(percent.assign(x=np.resize(numbers, len(board))))) == ["x"]


def test_a_column_without_a_score_is_no_task(shared_data: Path, tmp_path: Path) -> None:
    """Such as one for remarks that nobody has made."""
    board = asr(shared_data).assign(Notes=np.nan)
    assert found_in(board) == {"Notes": "no score"}
    path = tmp_path / "s.csv"
    board.to_csv(path)
    with pytest.raises(ScoresError, match=r"the column 'Notes' \(no score\) may not be a task;"):
        read_scores(path)
    assert "Notes" not in read_scores(path, drop_topics=["Notes"]).index
    assert read_scores(path, keep_topics=["Notes"]).loc["Notes"].isna().all()


def parts(values: np.ndarray, rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Return random parts of a matrix and of its transpose."""
    found = []
    for own in (values, values.T):
        for _ in range(count):
            rows = rng.permutation(len(own))[: rng.choice([3, 4, 5, 6, 8, 12, 20, 40])]
            columns = rng.permutation(own.shape[1])[: rng.choice([2, 3, 4, 5, 8, 12, 30])]
            found.append(own[np.ix_(rows, columns)])
    return found


@pytest.mark.long
def test_no_part_of_a_real_matrix_has_a_column_that_is_no_task(
    shared_data: Path, shared_matrices: dict[Path, pd.DataFrame], long: bool
) -> None:
    rng = np.random.default_rng(1)
    alarms, tried = [], 0
    boards = sorted(shared_data.rglob("asr_*.csv"))
    asked = {path: read_scores(path, drop_topics=NO_TASKS) for path in boards}
    for path, scores in {**shared_matrices, **asked}.items():
        values = scores.to_numpy()
        for own in (values, values.T, *parts(values, rng, 300 if long else 20)):
            tried += 1
            found = may_be_no_tasks([f"t{i}" for i in range(len(own))], own)
            # Of a third of the scores that are missing, a part may have none in a column.
            alarms += [(path.name, own.shape, why) for why in found.values() if why != "no score"]
    assert alarms == []
    assert tried > (20_000 if long else 2000)


def test_columns_near_the_largest_double_are_compared() -> None:
    """The median of two such numbers is no sum of them."""
    frame = pd.DataFrame({"system": ["a", "b"], "r0": [0.0, 0.5], "r1": [8.99e307, 1.7e308]})
    found = as_scores(frame, keep_topics=["r1"])
    assert found.loc["r1"].tolist() == [8.99e307, 1.7e308]
    frame["r2"], frame["r3"] = [0.25, 0.75], [0.5, 0.125]
    with pytest.raises(ScoresError, match=r"the column 'r1' \(about 1.299e\+308, and most others"):
        as_scores(frame)
