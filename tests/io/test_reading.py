"""Good files of every kind that people have."""

import io
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from cdfscore import read_scores
from cdfscore.errors import ScoresError

PLAIN = "topic,bm25,lsa\n301,0.25,0.5\n302,0.75,1\n"
R_QUOTED = PLAIN.replace("bm25", '"bm25"').replace("lsa", '"lsa"').replace("301", '"301"')
LAYOUTS = {
    "plain": PLAIN,
    "TSV": PLAIN.replace(",", "\t"),
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "old Mac": PLAIN.replace("\n", "\r"),
    "BOM": "\ufeff" + PLAIN,
    "BOM and TSV": "\ufeff" + PLAIN.replace(",", "\t"),
    "no newline at the end": PLAIN[:-1],
    "blank lines at the end": PLAIN + "\n\r\n  \n",
    "spaces around fields": PLAIN.replace(",", " , "),
    "R's write.csv": R_QUOTED.replace("topic", '""'),
    "R's write.table": R_QUOTED.replace("topic,", ""),
    "R's write.table by tabs": R_QUOTED.replace("topic,", "").replace(",", "\t"),
    "index column of pandas": PLAIN.replace("topic", ""),
    "its name when read": PLAIN.replace("topic", "Unnamed: 0"),
    "quoted header": PLAIN.replace("topic", '"topic"'),
    "header in capitals": PLAIN.replace("topic", "TOPIC"),
    "other header": PLAIN.replace("topic", "query_id"),
    "exponents": PLAIN.replace("0.25", "2.5e-1").replace("0.5", "+5E-01").replace("0.75", ".75"),
}


@pytest.mark.clause("read_scores.1")
@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts_of_the_same_scores(read: Callable, text: str) -> None:
    scores = read(text)
    expected = pd.DataFrame(
        {"bm25": [0.25, 0.75], "lsa": [0.5, 1.0]}, index=pd.Index(["301", "302"], name="topic")
    )
    pd.testing.assert_frame_equal(scores, expected, check_exact=True)


def test_endings_do_not_decide_between_csv_and_tsv(read: Callable) -> None:
    assert read(PLAIN, "s.tsv").equals(read(PLAIN.replace(",", "\t"), "s.csv"))
    assert read(PLAIN, "scores").equals(read(PLAIN, "s.txt"))


def test_standard_input(monkeypatch: pytest.MonkeyPatch, read: Callable) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN.encode())))
    pd.testing.assert_frame_equal(read_scores("-"), read(PLAIN))


@pytest.mark.clause("matrix.2")
def test_labels_are_text_as_written(read: Callable) -> None:
    scores = read('topic,"a,b","say ""x""",1.0\n051,0,0,0\n51,0,0,0\nq 1 ,0,0,0\n1e2,0,0,0\n')
    assert scores.index.tolist() == ["051", "51", "q 1", "1e2"]
    assert scores.columns.tolist() == ["a,b", 'say "x"', "1.0"]


def test_labels_may_be_words_for_missing(read: Callable) -> None:
    scores = read("topic,NA,nan\nNA,1,2\nNaN,3,4\n")
    assert scores.index.tolist() == ["NA", "NaN"]
    assert scores.columns.tolist() == ["NA", "nan"]


def test_labels_in_several_lines_and_alphabets(read: Callable) -> None:
    scores = read('topic,système,система,系统\n"in two\nlines",0,1,0\nλ,1,0,1\n')
    assert scores.index.tolist() == ["in two\nlines", "λ"]
    assert scores.columns.tolist() == ["système", "система", "系统"]


@pytest.mark.clause("read_scores.3")
@pytest.mark.parametrize("cell", ["", " ", "NA", " NA ", "NaN", "nan", '""', '"NA"'])
def test_missing_scores(read: Callable, cell: str) -> None:
    scores = read(f"topic,a,b\n301,{cell},1\n302,1,{cell}\n")
    np.testing.assert_array_equal(scores.to_numpy(), [[np.nan, 1], [1, np.nan]])


def test_missing_scores_of_the_last_system(read: Callable) -> None:
    scores = read("topic,a,b\n301,1,\n302,2,\n")
    np.testing.assert_array_equal(scores.to_numpy(), [[1, np.nan], [2, np.nan]])


def test_missing_scores_after_row_names_without_a_header(read: Callable) -> None:
    scores = read("a,b\n301,1,NA\n302,2,NA\n")
    assert scores.index.tolist() == ["301", "302"]
    np.testing.assert_array_equal(scores["b"], [np.nan, np.nan])


@pytest.mark.parametrize(
    ("text", "shape"),
    [("topic,a\n301,0.5\n", (1, 1)), ("a\n0.5\n", (1, 1)), ("a\n0.5\n0.7\n", (2, 1))],
)
def test_one_system_or_one_topic(read: Callable, text: str, shape: tuple[int, int]) -> None:
    assert read(text).shape == shape


def test_scores_of_any_size_and_sign(read: Callable) -> None:
    scores = read("topic,a,b,c\n1,-1e6,5e-324,1.7976931348623157e308\n2,-0.0,007,1000000\n")
    assert scores.to_numpy().tolist() == [[-1e6, 5e-324, 1.7976931348623157e308], [0.0, 7, 1e6]]
    assert np.signbit(scores.loc["2", "a"])


def test_parquet(tmp_path, read: Callable) -> None:
    expected = read(PLAIN)
    for name, frame in {
        "index": expected,
        "column": expected.reset_index(),
        "numbers": expected.reset_index().astype({"topic": int}),
        "sorted": expected.reset_index().iloc[[1, 0]].sort_values("topic"),
        "floats": expected.astype("float64"),
    }.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
        pd.testing.assert_frame_equal(read_scores(tmp_path / f"{name}.parquet"), expected)


def test_parquet_with_topics_named_or_last(tmp_path, read: Callable) -> None:
    expected = read(PLAIN)
    expected.to_parquet(tmp_path / "a.parquet")
    expected.reset_index()[["bm25", "lsa", "topic"]].to_parquet(tmp_path / "b.parquet")
    for name in ("a", "b"):
        path = tmp_path / f"{name}.parquet"
        pd.testing.assert_frame_equal(read_scores(path, topic_column="topic"), expected)


def test_very_many_topics(read: Callable) -> None:
    topics, systems = 100_000, 3
    header = "topic," + ",".join(f"s{j}" for j in range(systems))
    cells = [",".join(f"0.{(i * 31 + j * 7) % 1000:03}" for j in range(systems)) for i in range(97)]
    rows = [f"{i},{cells[i % 97]}" for i in range(topics)]
    scores = read("\n".join([header, *rows]))
    assert scores.shape == (topics, systems)
    assert scores.index[-1] == "99999"
    last = 99_999 % 97
    assert scores.loc["99999", "s2"] == ((last * 31 + 2 * 7) % 1000) / 1000


def test_what_is_no_file_is_refused() -> None:
    with pytest.raises(ScoresError, match="the file is an int; expected the name of a file, a li"):
        read_scores(3)  # type: ignore[arg-type]
