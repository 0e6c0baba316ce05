"""Tables with a row or a column for each system: their labels, columns, cells and places."""

import gzip
import io
import json
import math
import shlex
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore import Standardizer, as_scores, read_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.dataframes import measure_of, notes_of
from cdfscore.scores.how import How
from cdfscore.scores.labels import role_of
from cdfscore.scores.reading import line_of_missing, text_layout

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


def test_standard_input(monkeypatch: pytest.MonkeyPatch, read: Callable) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN.encode())))
    pd.testing.assert_frame_equal(read_scores("-"), read(PLAIN))


@pytest.mark.clause("read_scores.3")
@pytest.mark.parametrize("cell", ["", " ", "NA", " NA ", "NaN", "nan", '""', '"NA"'])
def test_missing_scores(read: Callable, cell: str) -> None:
    scores = read(f"topic,a,b\n301,{cell},1\n302,1,{cell}\n")
    np.testing.assert_array_equal(scores.to_numpy(), [[np.nan, 1], [1, np.nan]])


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


def test_a_label_longer_than_csv_takes_is_refused(read: Callable) -> None:
    with pytest.raises(ScoresError, match="field larger than field limit"):
        read(f"topic,a\n{'x' * 200_000},0.5\n302,0.5\n")


@pytest.mark.clause("matrix.3")
@pytest.mark.parametrize("header", ["id", "name", "Entry", "Participant", "number", "x", "id name"])
def test_words_under_a_header_that_says_nothing_are_asked_about(
    read: Callable, header: str
) -> None:
    """They may be topics or systems, and both are read once the user says which."""
    for text in ("{},a,b\nk1,0.5,0.25\nk2,0.7,1\n", "{},a,b,c\nk1,0.5,0.25,x\nk2,0.7,1,y\n"):
        with pytest.raises(ScoresError, match="topics or systems; say systems_as_rows=") as caught:
            read(text.format(header))
        assert f"the header {header!r} of the row labels does not say" in str(caught.value)
        assert "systems_as_rows=True if they are systems" in str(caught.value)
        assert read(text.format(header), systems_as_rows=True).shape == (2, 2)
    text = f"{header},a,b\nk1,0.5,0.25\nk2,0.7,1\n"
    for options in ({"topic_column": header}, {"systems_as_rows": False}):
        assert read(text, **options).index.tolist() == ["k1", "k2"]


def test_topic_column_by_name(read: Callable) -> None:
    scores = read("a,id,b\n0.5,7,0.25\n0.75,8,1\n", topic_column="id")
    assert scores.index.tolist() == ["7", "8"]
    assert scores.columns.tolist() == ["a", "b"]
    assert scores.to_numpy().tolist() == [[0.5, 0.25], [0.75, 1.0]]


def test_no_topic_column(read: Callable) -> None:
    scores = read("short,long\n3,10\n5,20\n", topic_column=False)
    assert scores.index.tolist() == [1, 2]
    assert scores.index.name == "topic"
    assert scores.to_numpy().tolist() == [[3, 10], [5, 20]]


@pytest.mark.clause("matrix.3")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("system,301,302\nbm25,0.1,0.2\nlsa,0.3,0.4\n", None),
        ("run,301,302\nbm25,0.1,0.2\nlsa,0.3,0.4\n", None),
        (",301,302\nbm25,0.1,0.2\nlsa,0.3,0.4\n", None),
        ("anything,301,302\nbm25,0.1,0.2\nlsa,0.3,0.4\n", None),
        ("301,302,by\n0.1,0.2,bm25\n0.3,0.4,lsa\n", "by"),
        ("301,302\nbm25,0.1,0.2\nlsa,0.3,0.4\n", None),
    ],
)
def test_systems_as_rows(read: Callable, text: str, name: str | None) -> None:
    scores = read(text, systems_as_rows=True, topic_column=name)
    assert scores.index.tolist() == ["301", "302"]
    assert scores.columns.tolist() == ["bm25", "lsa"]
    assert scores.index.name == "topic"
    assert scores.to_numpy().tolist() == [[0.1, 0.3], [0.2, 0.4]]


@pytest.mark.parametrize(
    "header",
    [
        *("TopicID", "topicid", "topic_num", "topicnum", "Topic No.", "Topic #", "queryid"),
        *("QueryID", "Query No", "Query text", "qno", "Benchmark Name", "benchmark_id"),
        *("corpus name", "Test set", "index", "None", "level_0", "rowname", "rownames"),
        *("row.names", "...1", "Unnamed: 0"),
    ],
)
def test_a_header_of_topics_is_known_in_any_spelling(read: Callable, header: str) -> None:
    scores = read(f"{header},a,b\nk1,0.5,0.25\nk2,0.75,0.5\n")
    assert scores.index.tolist() == ["k1", "k2"]
    assert read(f"{header},a\n7,0.5\n9,0.25\n").index.tolist() == ["7", "9"]


def test_words_in_a_column_that_is_named_are_asked_about(read: Callable) -> None:
    text = "Rank,Name,A,B\n1,k1,0.5,0.25\n2,k2,0.75,0.5\n"
    for cells in (text, text.replace("0.5", "x")):
        with pytest.raises(ScoresError, match="header 'Name' of the row labels does not say"):
            read(cells, topic_column="Name")
    as_topics = read(text, topic_column="Name", systems_as_rows=False, keep_systems=["Rank"])
    assert as_topics.columns.tolist() == ["Rank", "A", "B"]
    given = {"topic_column": "Name", "systems_as_rows": True, "drop_topics": ["Rank"]}
    assert read(text, **given).index.tolist() == ["A", "B"]
    frame = pd.DataFrame({"Rank": [1, 2], "Name": ["k1", "k2"], "A": [0.5, 0.25]})
    with pytest.raises(ScoresError, match="header 'Name' of the row labels does not say"):
        as_scores(frame, topic_column="Name")
    assert read("x,number\n0.5,7\n0.25,9\n", topic_column="number").index.tolist() == ["7", "9"]


@pytest.mark.clause("matrix.3")
@pytest.mark.parametrize(
    ("header", "role"),
    [
        *(("topic_no", "topic"), ("Run Tag", "system"), ("Metric", "measure"), ("values", "score")),
        # What may follow a header of labels follows none of numbers and measures.
        *(("score_no", None), ("value text", None), ("metric name", None), ("topic_no_id", None)),
    ],
)
def test_headers_say_what_a_column_holds(header: str, role: str | None) -> None:
    assert role_of(header) == role


@pytest.mark.parametrize(
    "header", [",0,1,2", "x,0,1,2", "a,b,1,2", "topic,doc,pid", "topic,Q0,d2,1,9,x"]
)
def test_headers_of_tables_are_no_lines_of_runs(read: Callable, header: str) -> None:
    width = header.count(",")
    rows = [[f"{(7 * i + j * j) % 10 / 10}" for j in range(width)] for i in range(3)]
    text = "\n".join([header, *(f"q{i}," + ",".join(row) for i, row in enumerate(rows))])
    given = {} if header.startswith((",", "topic")) else {"topic_column": header[0]}
    assert read(text + "\n", **given).shape == (3, width)


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
    words = "systems" if header in ("system", "run", "run_id") else "models"
    assert note.endswith(f"rows are taken as {words}, because their header is {header!r}")
    assert notes_of(read(TASKS, systems_as_rows=True)) == []


@pytest.mark.parametrize("header", ["", "Unnamed: 0"])
def test_row_numbers_of_pandas_are_left_out(read: Callable, header: str, tmp_path: Path) -> None:
    lines = [header, "0", "1", "2"]
    numbered = "".join(f"{a},{b}\n" for a, b in zip(lines, TASKS.splitlines(), strict=True))
    with pytest.raises(ScoresError, match="column 'model' would be read as scores, not as labels"):
        read(numbered)
    scores = read(numbered, topic_column="model")
    with pytest.raises(ScoresError, match="labels that are left out"):  # R would read them
        text_layout(tmp_path / "s.csv", How(topic_column="model"))
    assert scores.to_numpy().tolist() == read(TASKS).to_numpy().tolist()
    assert "the first column numbers the rows, and is left out" in notes_of(scores)[0]
    if not header:  # other numbers are those of a topic without a name
        with pytest.raises(ScoresError, match="column 1: the task has no name"):
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
        ScoresError, match="is not the mean of the other 4 columns for 3 of 3 models"
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
                "but for 2 of 87 models (nvidia/canary-180m-flash, "
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


WIDE_FILE = "topic,a,b\n301,0.1,0.2\n302,0.3,\n"
SYSTEMS = "system,301,302\na,0.1,0.3\nb,0.2,NA\n"
LONG_FILE = "topic,system,score\n301,a,0.1\n301,b,0.2\n302,a,0.3\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (WIDE_FILE, 3),
        (SYSTEMS, 3),
        ('"topic\nid",a,b\n301,0.1,0.2\n302,0.3,\n', 4),
        (LONG_FILE, None),
        (WIDE_FILE.replace("302,0.3,", "302,0.3,0.4"), None),
        (WIDE_FILE.replace("0.3", "word"), None),
        (b"\x89PNG\r\n", None),
    ],
)
def test_the_line_is_that_of_the_file_or_none(
    tmp_path: Path, content: str | bytes, line: int | None
) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert line_of_missing(path, "302", "b") == line


def test_a_file_that_is_not_there_has_no_line(tmp_path: Path) -> None:
    assert line_of_missing(tmp_path / "none.csv", "302", "b") is None


WORDS = ["framework", "agent", "alg_name", "estimator", "solver", "policy", "tool", "player"]
WORDS += ["variable", "optimizer", "agent name", "SYS", "Verfahren"]


def scores_of(values: Any, systems: int) -> pd.DataFrame:
    cells = np.array(values, np.float64).reshape(-1, systems)
    topics = pd.Index([f"t{i}" for i in range(len(cells))], name="topic")
    names = [f"{'bm25' if i % 2 else 'lsa'} / k{i}" for i in range(systems)]
    return pd.DataFrame(cells, topics, pd.Index(names))


def long_of(scores: pd.DataFrame, system: str = "tool") -> pd.DataFrame:
    """Return a row for each score, with a system in two columns, and columns of no use."""
    found = scores.rename_axis(columns=system).stack().rename("acc").reset_index()
    found = found.rename(columns={"topic": "game"})
    parts = found[system].str.split(" / ", expand=True)
    own = {"when": "2026-01-02", system: parts[0], "config": parts[1], "seconds": 1.5}
    return found.assign(**own).sample(frac=1, random_state=1)


def wide_of(scores: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each system, whose label is in two columns."""
    found = scores.T.reset_index(names="tool")
    parts = found["tool"].str.split(" / ", expand=True)
    found["tool"] = parts[0]
    found.insert(1, "config", parts[1])
    return found


def text(frame: pd.DataFrame, separator: str = ",", decimal: str = ".") -> bytes:
    return frame.to_csv(index=False, sep=separator, decimal=decimal, na_rep="").encode()


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = frame.astype(object).to_dict(orient="records")
    return [
        {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
        for row in rows
    ]


def excel(frame: pd.DataFrame) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.xlsx"
        with pd.ExcelWriter(path) as book:
            frame.to_excel(book, sheet_name="AP", index=False)
        return path.read_bytes()


#: Ending and content of a table in each form that is read.
FILES: dict[str, tuple[str, Callable[[pd.DataFrame], bytes]]] = {
    "CSV": (".csv", text),
    "CSV of Windows": (".csv", lambda frame: text(frame).replace(b"\n", b"\r\n")),
    "TSV": (".tsv", lambda frame: text(frame, "\t")),
    "CSV by gzip": (".csv.gz", lambda frame: gzip.compress(text(frame))),
    "CSV by zstd": (".csv.zst", lambda frame: zstandard.compress(text(frame))),
    "semicolons": (".csv", lambda frame: text(frame, ";")),
    "decimal commas": (".csv", lambda frame: text(frame, ";", ",")),
    "JSON records": (".json", lambda frame: json.dumps(records(frame)).encode()),
    "JSON lines": (".jsonl", lambda frame: "\n".join(map(json.dumps, records(frame))).encode()),
    "Parquet": (".parquet", lambda frame: frame.to_parquet()),
    "Excel": (".xlsx", excel),
}
LONG = {"topic_column": "game", "system_column": "tool,config", "score_column": "acc"}
WIDE = {"system_column": ["tool", "config"]}


def read_as(form: str, frame: pd.DataFrame, **given: Any) -> pd.DataFrame:
    ending, content = FILES[form]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"s{ending}"
        path.write_bytes(content(frame))
        return read_scores(path, **given)


def assert_same(found: pd.DataFrame, scores: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        found.loc[scores.index, scores.columns], scores, check_exact=True, check_column_type=False
    )
    assert found.shape == scores.shape


@pytest.mark.clause("read_scores.1", "read_scores.6", "read_scores.9")
@given(
    st.integers(2, 4).flatmap(
        lambda systems: st.tuples(
            st.lists(st.floats(-100, 100), min_size=3 * systems, max_size=3 * systems),
            st.just(systems),
        )
    ),
    st.sampled_from([*FILES, "frame", "polars"]),
)
@settings(max_examples=60, deadline=None)
def test_a_table_its_long_form_and_its_records_are_one_matrix(
    drawn: tuple[list[float], int], form: str
) -> None:
    values, systems = drawn
    if form == "Excel":  # openpyxl writes 16 digits
        values = [float(f"{value:.16g}") for value in values]
    scores = scores_of(values, systems)
    for frame, named in ((long_of(scores), LONG), (wide_of(scores), WIDE)):
        if form in FILES:
            found = read_as(form, frame, **named)
        elif form == "polars":
            import polars

            found = as_scores(polars.from_pandas(frame), **named)  # type: ignore[arg-type]
        else:
            found = as_scores(frame, **named)  # type: ignore[arg-type]
        assert_same(found, scores)


@pytest.mark.parametrize("word", WORDS)
def test_any_word_for_the_system(read: Callable, word: str) -> None:
    table = f"dataset,{word},score\nd1,A,0.5\nd1,B,0.6\nd2,A,0.4\nd2,B,0.7\n"
    with pytest.raises(ScoresError) as refused:
        read(table)
    # What the message advises works.
    assert f"say system_column={word!r}" in str(refused.value)
    assert read(table, system_column=word).loc["d2"].tolist() == [0.4, 0.7]
    other = table.replace("dataset", "game").replace("score", "elo")
    with pytest.raises(ScoresError) as refused:
        read(other)
    advice = f"say topic_column='game' and system_column={word!r}"
    assert advice in str(refused.value)
    with pytest.raises(ScoresError) as refused:
        as_scores(pd.read_csv(io.StringIO(other)))
    assert advice in str(refused.value)
    found = read(other, topic_column="game", system_column=word)
    assert found.loc["d1"].tolist() == [0.5, 0.6]
    assert measure_of(found) == "elo"


FOLDS = "dataset,model,fold,score\n" + "".join(
    f"d{t},m{s},{fold},{round(0.1 * t + 0.2 * s + 0.01 * fold, 2)}\n"
    for t in range(3)
    for s in range(2)
    for fold in range(5)
)
SEEDS = "dataset,model,fold,seed,score\nd0,m0,1,1,0.5\nd0,m0,1,2,0.25\nd0,m1,1,1,0.5\n"


@pytest.mark.parametrize(
    ("table", "given", "said"),
    [
        (
            "dataset,model,time,score\nd,A,1,0.5\n",
            {},
            r"also the column 'time'.*replicate=\['time'\]",
        ),
        ("dataset,model,t,score\nd,A,1,0.5\n", {}, "score_column='score' leaves all other columns"),
        (
            "dataset,tool,score\nd,A,1\n",
            {"system_column": "tol"},
            r"no column 'tol' \(did you mean",
        ),
        ("game,tool,score\nd,A,1\nd,A,2\n", {"system_column": "game,tool"}, "as one of topics"),
        ("dataset,tool,x\nd,A,1\n", {"score_column": "y"}, "no column 'y'.*after score_column"),
        (
            "game,tool,x\nd,A,1\n",
            {"score_column": "x"},
            "as one of topics.*topic_column=...: 'game'",
        ),
        ("game,tool,x\nd,A,1\nc,A,1\n", {"system_column": "tool"}, "topic_column=...: 'game', 'x'"),
        ("topic,a,b\n1,2,0.3\n", {"replicate": "a"}, "replicate='a' is for a table with a row for"),
        ("topic,a,b\n1,2,0.3\n", {"replicate": "fold"}, "no column 'fold'"),
        (
            "dataset,model,s,f\nd,A,1,2\n",
            {"score_column": "s", "system_column": "s"},
            "named twice",
        ),
        (FOLDS, {"replicate": []}, r"replicate=\[\] is not accepted; expected the header"),
        (FOLDS, {"replicate": 1}, "replicate=1 is not accepted"),
        (FOLDS, {"score_column": ["a"]}, "score_column=.* is not accepted; expected text"),
        (FOLDS, {}, "also the column 'fold'.*replicate=.*'cdfscore mixed-model --replicate'"),
        (FOLDS, {"score_column": "score"}, "given before, in line 2; expected one, or, if a col"),
        (
            FOLDS + "d0,m0,4,0.5\n",
            {"replicate": "fold"},
            "replicate '4': this score was given before.*another column tells .* name too by",
        ),
        (
            SEEDS,
            {"replicate": "fold"},
            r"column 'seed'.* system, score, replicate and .*say replicate=\['fold', 'seed'\], and",
        ),
        (SEEDS, {"replicate": ["seed", "fold", "s"]}, "no column 's'"),
        (FOLDS + "d0,m0,mean,0.5\n", {"replicate": "fold"}, "has the replicate 'mean'.* a summary"),
        (FOLDS + "all,m0,1,0.5\n", {"replicate": "fold"}, "has the task 'all'.*drop_topics="),
        (FOLDS + "d0,m0,,0.5\n", {"replicate": "fold"}, "line 32: the replicate has no name"),
        ("model,b,x\nA,1,0.5\nA,2,0.4\n", {"systems_as_rows": True}, "'A' appears twice"),
        ("tool,cfg,x\nA,a,1\nA,b,2\n", {"systems_as_rows": True}, "'A' is twice.*tool,cfg$"),
        (
            "tool,cfg,x\nA,a,1\n",
            {"system_column": "tool", "systems_as_rows": False},
            "exclude each",
        ),
        (
            "tool,cfg,x\na / b,,1\na,b,2\n",
            {"system_column": "tool,cfg"},
            "both make the label 'a / b'",
        ),
        (
            "tool,cfg,x\na,b,1\nc\n",
            {"system_column": "tool,cfg"},
            "line 3 has 1 field, and the header",
        ),
        ("a\n1\n1,2\n", {}, "line 3 has 2 fields, and the header has 1; expected 1 in every line$"),
        ("topic,a\n1,2\n", {"sheet": "AP"}, "sheet='AP' is given, and .* is no workbook"),
        (
            "topic,a\n1,2\n",
            {"cells": ["value%%"]},
            "cells='value%%' .*did you mean 'value%'",
        ),
        ("topic,a\n1,2\n", {"cells": "value%"}, "cells='value%' is not accepted; expected a list"),
        ("topic,a\n1,2\n", {"na": "OOM"}, "na='OOM' is not accepted; expected a list"),
        ("map\t1\t0.5\nmap\t2\t0.5\n", {"system_column": "x"}, "no column 'x'"),
        ('{"map": {"1": 0.5}}', {"system_column": "x"}, "system_column='x' is given, and"),
    ],
)
def test_bad_columns(read: Callable, table: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ScoresError, match=f"(?s){said}"):
        read(table, **given)


@pytest.mark.clause("read_scores.7")
@pytest.mark.parametrize("folds", range(2, 12))
def test_the_mean_of_equal_replicates_is_their_score(folds: int) -> None:
    """The sum of some of them, rounded and divided, is another double."""
    scores = np.arange(1, 1000) / 1000
    rows = {"topic": np.repeat(range(999), folds), "system": "a", "score": scores.repeat(folds)}
    frame = pd.DataFrame({**rows, "fold": np.tile(range(folds), 999)})
    assert as_scores(frame, replicate="fold")["a"].tolist() == scores.tolist()


@pytest.mark.clause("read_scores.7")
def test_notes_on_replicates(read: Callable) -> None:
    found = read(FOLDS, replicate="fold")
    assert found.shape == (3, 2)
    assert notes_of(found)[0].endswith(
        "each score is the mean of 5 replicates (fold), with the standard deviation 0.0158 within "
        "a model and task; a test counts tasks and not replicates, which a mixed model has"
    )
    uneven = read(FOLDS.replace("d1,m1,3,0.33", "d1,m1,3,NA"), replicate="fold")
    assert "1 of 6 scores have fewer than 5 replicates, such as model m1 on task d1" in str(
        notes_of(uneven)
    )
    both = FOLDS.replace("fold", "fold,seed").replace(",0,0", ",0,7,0").replace(",1,0", ",1,7,0")
    both = both.replace(",2,0", ",2,7,0").replace(",3,0", ",3,7,0").replace(",4,0", ",4,7,0")
    same = read(both, replicate=["fold", "seed"])
    pd.testing.assert_frame_equal(same, found)
    assert "(fold,seed)" in notes_of(same)[0]


#: A cell, the option that reads it, and its value; None is a missing score.
CELLS = [
    ("64.0 +- 0.4", "value±sd", 64.0),
    ("64.0±0.4", "value±sd", 64.0),
    ("64.3 +/- .4", "value±sd", 64.3),
    (r"$64.0 \pm 0.4$", "value±sd", 64.0),
    (r"64.0$\pm$0.4", "value±sd", 64.0),
    ("-1.5 ± 0.25", "value±sd", -1.5),
    ("**93.0**", "**value**", 93.0),
    ("*93*", "**value**", 93.0),
    ("__0.5__", "**value**", 0.5),
    (r"\textbf{93.0}", "**value**", 93.0),
    (r"\underline{0.5}", "**value**", 0.5),
    ("0.84 (1)", "value(x)", 0.84),
    ("0.84(0.02)", "value(x)", 0.84),
    ("0.84 [0.80, 0.88]", "value(x)", 0.84),
    ("1,014.45", "1,000.5", 1014.45),
    ("12,345,678", "1,000.5", 12345678.0),
    ("64%", "value%", 0.64),
    ("64.3 %", "value%", 0.643),
    (r"64\%", "value%", 0.64),
    ("0.5*", "value*", 0.5),
    ("0.5 †‡", "value*", 0.5),
    ("0.5^{ab}", "value*", 0.5),
    ("93.1↑", "value*", 93.1),
    ("OOM", None, None),
    ("-", None, None),
    ("n/a", None, None),
    ("not run", None, None),
    ("—", None, None),
]
# Not of any form: a value that would be read from them would be another one.
NO_FORM = ["64 ± 1%", "(0.5)", "0.5-0.7", "12,34", "1,0145", "2024-01-02", "0,5", "5e-3%", "±0.5"]


@pytest.mark.clause("read_scores.8")
@pytest.mark.parametrize("form", ["CSV", "JSON records", "Parquet", "frame", "long CSV"])
@pytest.mark.parametrize(("cell", "option", "value"), CELLS)
def test_cells(form: str, cell: str, option: str | None, value: float | None) -> None:
    table = pd.DataFrame({"topic": ["q1", "q2"], "a": [cell, "0.25"], "b": [0.5, 0.75]})
    if form == "JSON records":
        table["a"] = [cell, 0.25]
    if form == "long CSV":
        table = table.melt("topic", var_name="system", value_name="score")

    def read(**given: Any) -> pd.DataFrame:
        if form == "frame":
            return as_scores(table, **given)
        return read_as(
            form.removeprefix("long "), table.astype(object if "J" in form else str), **given
        )

    advised = {"na": [cell]} if option is None else {"cells": [option]}
    with pytest.raises(ScoresError) as refused:
        read()
    ((name, ways),) = advised.items()
    assert f"{name}={ways!r}" in str(refused.value)
    found = read(**advised)
    assert found.loc["q2", "a"] == 0.25
    own = found.loc["q1", "a"]
    assert math.isnan(own) if value is None else own == value
    assert any("1 cell" in note for note in notes_of(found))


@pytest.mark.parametrize("cell", NO_FORM)
def test_cells_of_no_form_are_refused(read: Callable, cell: str) -> None:
    every = ["value±sd", "value(x)", "value*", "**value**", "value%", "1,000.5"]
    with pytest.raises(ScoresError, match="expected a score"):
        read(f'topic,a\nq1,"{cell}"\nq2,0.25\n', cells=every)


@pytest.mark.clause("read_scores.9")
def test_a_sheet_by_name(tmp_path: Path) -> None:
    scores = pd.DataFrame({"topic": [301, 302], "a": [0.1, 0.25], "b": [1e-9, 1 / 3]})
    path = tmp_path / "s.xlsx"
    with pd.ExcelWriter(path) as book:
        scores.to_excel(book, sheet_name="AP", index=False)
        (scores.assign(a=[0.5, 1])).to_excel(book, sheet_name="P", index=False)
    first, second = read_scores(path), read_scores(path, sheet="P")
    assert first["b"].tolist() == [1e-9, 1 / 3]
    assert first.index.tolist() == ["301", "302"]
    assert any("the first of 2 sheets is read, 'AP'" in note for note in notes_of(first))
    assert second["a"].tolist() == [0.5, 1.0]
    rewritten = tmp_path / "all digits.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(rewritten, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"<v>0.1</v>", b"<v>0.30000000000000004</v>"))
    assert read_scores(rewritten).loc["301", "a"] == 0.1 + 0.2
    with pytest.raises(ScoresError, match=r"no sheet 'p'.*'AP', 'P'"):
        read_scores(path, sheet="p")
    import openpyxl

    book = openpyxl.load_workbook(path)
    book["AP"]["B2"] = "#DIV/0!"
    book.save(path)
    with pytest.raises(ScoresError, match="line 2, column 'a': '#DIV/0!' is not a number"):
        read_scores(path)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"xl/workbook.xml": "no"}, "is damaged, and cannot be read as a workbook"),
        ({"a.csv": "topic,a"}, "is an Excel workbook or a zip archive"),
        ({"xl/workbook.xml": "", "big": " " * (1 << 28 | 1)}, "when it is decompressed"),
    ],
)
def test_other_archives_are_refused(tmp_path: Path, content: dict[str, str], said: str) -> None:
    path = tmp_path / "s.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, own in content.items():
            archive.writestr(name, own)
    with pytest.raises(ScoresError, match=said):
        read_scores(path)
    if len(content) == 1:
        whole = path.read_bytes()
        for size in (4, 30, len(whole) - 10):  # as of a download that was cut off
            path.write_bytes(whole[:size])
            with pytest.raises(ScoresError, match="a zip archive whose end is missing or damaged"):
                read_scores(path)


def test_without_openpyxl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.xlsx"
    pd.DataFrame({"topic": ["1"], "a": [1.0]}).to_excel(path, index=False)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(Exception, match=r"pip install 'cdfscore\[excel\]'"):
        read_scores(path)


@pytest.mark.parametrize(
    ("text", "na", "cells", "unmet"),
    [
        ("topic,a,b\n1,0.5,OOM\n2,0.5,1\n", ["OOM"], [], None),
        ("topic,a,b\n1,0.5,-1.0\n2,0.5,1\n", ["-1"], [], None),
        ("topic,a,b\n1,0.5,0.1\n2,0.5,1\n", ["OOM"], [], "na=['OOM'] is given"),
        ("topic,a,b\n1,0.5,OOM\n2,0.5,1\n", ["OOM", "-"], ["value%"], "na=['-'] and cells=['val"),
        ("map\t1\t0.5\nmap\t2\t-1\n", ["-1"], [], None),
        ("map\t1\t0.5\nmap\t2\t0.25\n", ["-1"], ["value*"], "na=['-1'] and cells=['value*'] are"),
        ('{"1": {"map": "50%"}, "2": {"map": 0.25}}', [], ["value%"], None),
        (
            '{"1": {"map": "50%"}, "2": {"map": 0.25}}',
            ["x"],
            ["value%"],
            "na=['x'] is given, and no",
        ),
        ('[{"topic": "1", "a": 0.5, "b": "-"}]', ["-"], [], None),
        ('[{"topic": "1", "a": 0.5, "b": 0.1}]', ["-"], [], "na=['-'] is given, and no cell is so"),
        ("topic,system,score\n1,a,-\n1,b,1\n", ["-"], [], None),
    ],
)
def test_what_no_cell_is_is_said(
    text: str, na: list[str], cells: list[str], unmet: str | None, tmp_path: Path
) -> None:
    (tmp_path / "s.txt").write_text(text)
    (tmp_path / "t.csv").write_text("topic,other\n1,0.5\n2,0.5\n")
    for source in (tmp_path / "s.txt", [tmp_path / "t.csv", tmp_path / "s.txt"]):
        said = " ".join(notes_of(read_scores(source, na=na, cells=cells)))
        assert ("no cell is so" in said) == (unmet is not None)
        assert (unmet or "") in said
    frame = as_scores(pd.DataFrame({"a": [0.5, -1.0]}, ["1", "2"]), na=["-1", "-2", "y"])
    assert notes_of(frame)[-1].endswith("na=['-2'] and na=['y'] are given, and no cell is so")


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (",bm25,,lsa,|topic,c0,c1,c0,c1", "bm25 / c0,bm25 / c1,lsa / c0,lsa / c1"),  # merged cells
        ("topic,bm25,,lsa,|,0,1,0,1", "bm25 / 0,bm25 / 1,lsa / 0,lsa / 1"),
        (";bm25;;lsa;|;c0;c1;c0;c1", "bm25 / c0;bm25 / c1;lsa / c0;lsa / c1"),
        (",bm25,bm25,lsa,lsa|,0,1,0,1|topic,,,,", "bm25 / 0,bm25 / 1,lsa / 0,lsa / 1"),
        ("run,a,a,b,b|seed,0,1,0,1|topic,,,,", "a / 0,a / 1,b / 0,b / 1"),
        (",A,B,C,D|,AP,AP,nDCG,nDCG", "A / AP,B / AP,C / nDCG,D / nDCG"),
        ("Results of 2020,,,,|topic,a,b,c,d", None),
        (",,a,b,c|topic,1,2,3,4", None),
        ("topic,a,b,,|x,1,0,1,0", None),
        ("topic,a,b,c,d|x,OOM,-,OOM,-", None),
    ],
)
def test_names_in_two_lines_or_a_title(
    lines: str, joined: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join([*lines.split("|"), "301,.1,.2,.3,.4", "302,.5,.6,.7,.8", ""])
    Path("s.csv").write_text(text.replace(",", ";").replace(".", ",") if ";" in lines else text)
    with pytest.raises(ScoresError) as refused:
        read_scores("s.csv")
    before, _, command = str(refused.value).rpartition("writes such a file: ")
    assert ("names of columns in two lines" in before) == (joined is not None)
    if joined is not None:
        exec(shlex.split(command)[2])
        assert Path("joined.csv").read_text().partition("\n")[0].endswith(joined)
        found = read_scores("joined.csv")
        assert found.to_numpy().tolist() == [[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]]


@pytest.mark.clause("read_scores.2")
@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("topic;a;b\n1;0,5;1\n2;,25;-1,5e-3\n", [[0.5, 1.0], [0.25, -0.0015]]),
        ("topic;a;b\n1;0.5;1\n2;.25;2\n", [[0.5, 1.0], [0.25, 2.0]]),
        ('"topic";"a";"b"\n"1";0,5;NA\n', [[0.5, math.nan]]),
        ('"topic";"a, b";"b"\n"1";"0,5";\n', [[0.5, math.nan]]),
        ("topic;system;score\n1;a;0,5\n1;b;0,25\n", [[0.5, 0.25]]),
        ("topic;1,5;2\n1;0,5;3\n", [[0.5, 3.0]]),
    ],
)
def test_semicolons(read: Callable, table: str, values: list[list[float]]) -> None:
    np.testing.assert_array_equal(read(table).to_numpy(), values)
    np.testing.assert_array_equal(read(f"\ufeff{table}").to_numpy(), values)


@pytest.mark.clause("read_scores.1")
@pytest.mark.parametrize("lines", [False, True])
def test_json_of_pandas(read: Callable, lines: bool) -> None:
    scores = pd.DataFrame({"topic": ["q1", "q2"], "a": [0.1, None], "b": [1 / 3, 2]})
    content = scores.to_json(orient="records", lines=lines, double_precision=15)
    found = read(content, "s.json")
    assert found.isna().sum().sum() == 1
    assert found.loc["q2", "b"] == 2.0
    with pytest.raises(ScoresError, match="'x' is not a number"):
        read(content.replace("null", '"x"'), "s.json")
    models = scores.rename(columns={"topic": "model"}).to_json(orient="records", lines=lines)
    assert read(models, "s.json").shape == (2, 2)
    with pytest.raises(ScoresError, match=r"record 1: 'a' is \[1, 2\]; expected text, a number"):
        read('[{"a": [1, 2], "b": 1}]', "s.json")
    text = read('[{"topic": 1, "system": "a", "score": "0.25"}]', "s.json")
    assert text.loc["1", "a"] == 0.25
    assert any("text or categories are read as numbers: score" in note for note in notes_of(text))


def test_named_columns_are_of_the_files_that_have_them(tmp_path: Path) -> None:
    long, wide = tmp_path / "l.csv", tmp_path / "w.csv"
    long.write_text("game,tool,acc\nd1,A,0.5\nd2,A,0.25\n")
    wide.write_text("dataset,B,C\nd1,0.75,1\nd2,0.5,0\n")
    given = {"system_column": "tool", "score_column": "acc", "topic_column": "game"}
    found = read_scores([long, wide], **given)  # type: ignore[arg-type]
    assert found.loc["d1"].to_dict() == {"A": 0.5, "B": 0.75, "C": 1.0}
    with pytest.raises(ScoresError, match="no column 'tool'"):
        read_scores(wide, **given)  # type: ignore[arg-type]
    with pytest.raises(ScoresError, match="topic_column='game' is given, and"):
        read_scores([wide, wide], **given)  # type: ignore[arg-type]


def test_labels_of_topics_and_of_an_index(read: Callable) -> None:
    table = "dataset,metric,bm25,lsa\nd1,acc,0.5,0.25\nd1,f1,0.75,1\n"
    found = read(table, topic_column="dataset,metric", systems_as_rows=False)
    assert found.index.tolist() == ["d1 / acc", "d1 / f1"]
    pd.testing.assert_frame_equal(read(table, topic_column=["dataset", "metric"]), found)
    frame = pd.DataFrame(
        {"acc": [0.5, 0.25]},
        pd.MultiIndex.from_tuples([("d1", "A"), ("d2", "A")], names=["d", "m"]),
    )
    found = as_scores(frame, topic_column="d", system_column="m", score_column="acc")
    assert found["A"].tolist() == [0.5, 0.25]
    comma = read('topic,"k1, b",x\nq1,A,0.5\nq1,B,1\n', system_column="k1, b")
    assert comma.columns.tolist() == ["A", "B"]
