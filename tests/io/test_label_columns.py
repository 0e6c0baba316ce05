"""Where the labels of topics and systems are found, named, or said to be absent."""

from collections.abc import Callable

import pandas as pd
import pytest

from cdfscore import as_scores
from cdfscore.errors import ScoresError
from cdfscore.io.scores.labels import heads, heads_labels, role_of

HEADERS = ["topic", "Topics", "QUERY", "qid", "query_id", "topic_id", "topic_number"]


@pytest.mark.parametrize("header", HEADERS)
def test_header_tells_that_whole_numbers_are_topics(read: Callable, header: str) -> None:
    scores = read(f"{header},a\n1,3\n2,4\n")
    assert scores.index.tolist() == ["1", "2"]
    assert scores.columns.tolist() == ["a"]


@pytest.mark.parametrize(
    "column", [["q1", "q2"], ["MB1", "2"], ["301-a", "NA"], ["2004-11-16", "x"]]
)
def test_words_are_topics_without_a_header(read: Callable, column: list[str]) -> None:
    for header, given in (("", {}), ("topic", {}), ("id", {"topic_column": "id"})):
        scores = read(f"{header},a\n{column[0]},0.5\n{column[1]},0.7\n", **given)
        assert scores.index.tolist() == column


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
    for given in ({"topic_column": header}, {"systems_as_rows": False}):
        assert read(text, **given).index.tolist() == ["k1", "k2"]


@pytest.mark.parametrize(
    "column", [["0.5", "0.7"], ["1", "1"], ["0", "1"], ["3", "3"], ["7", ""], ["", ""]]
)
def test_other_numbers_are_scores(read: Callable, column: list[str]) -> None:
    scores = read(f"run1,run2\n{column[0]},0.5\n{column[1]},0.7\n")
    assert scores.index.tolist() == [1, 2]
    assert scores.columns.tolist() == ["run1", "run2"]


def test_topic_column_by_name(read: Callable) -> None:
    scores = read("a,id,b\n0.5,7,0.25\n0.75,8,1\n", topic_column="id")
    assert scores.index.tolist() == ["7", "8"]
    assert scores.columns.tolist() == ["a", "b"]
    assert scores.to_numpy().tolist() == [[0.5, 0.25], [0.75, 1.0]]


def test_topic_column_without_a_header_by_name(read: Callable) -> None:
    assert read("a,\n0.5,7\n", topic_column="").index.tolist() == ["7"]


def test_named_topic_column_leaves_others_as_systems(read: Callable) -> None:
    scores = read("id,topic,query\n301,0.5,0.7\n", topic_column="id")
    assert scores.columns.tolist() == ["topic", "query"]


def test_header_of_topics_leaves_others_as_systems(read: Callable) -> None:
    assert read("topic,query\n301,0.5\n").columns.tolist() == ["query"]


def test_no_topic_column(read: Callable) -> None:
    scores = read("short,long\n3,10\n5,20\n", topic_column=False)
    assert scores.index.tolist() == [1, 2]
    assert scores.index.name == "topic"
    assert scores.to_numpy().tolist() == [[3, 10], [5, 20]]


def test_systems_may_be_numbers_beside_named_topics(read: Callable) -> None:
    for text, name in (("topic,0.1,0.2\n301,1,2\n", None), ("id,1,2\nx,1,2\n", "id")):
        assert read(text, topic_column=name).shape == (1, 2)


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


def test_systems_as_rows_may_be_numbers(read: Callable) -> None:
    scores = read("system,t1,t2\n1,0.1,0.2\n2,0.3,0.4\n", systems_as_rows=True)
    assert scores.columns.tolist() == ["1", "2"]


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


@pytest.mark.parametrize("header", ["systemid", "modelid", "ModelID", "run_tag", "LLM name"])
def test_a_header_of_systems_is_known_in_any_spelling(read: Callable, header: str) -> None:
    assert read(f"{header},a,b\nk1,0.5,0.25\nk2,0.75,0.5\n").columns.tolist() == ["k1", "k2"]


@pytest.mark.parametrize("header", ["id", "no", "name", "run2", "subtask", "q", "_", "ID #"])
def test_other_headers_are_none_of_labels(header: str) -> None:
    assert not heads_labels(header, of_systems=False)
    assert not heads_labels(header, of_systems=True)


def test_an_index_that_was_reset_has_the_topics() -> None:
    frame = pd.DataFrame({"a": [0.5, 0.25]}, index=["k1", "k2"]).reset_index()
    assert as_scores(frame).index.tolist() == ["k1", "k2"]


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
    roles = ("topic", "system", "score", "measure")
    assert [each for each in roles if heads(each, header)] == ([role] if role else [])


def test_a_column_of_words_among_scores_is_pointed_at(read: Callable) -> None:
    text = "Rank,Name,A,B\n1,k1,0.5,0.25\n2,k2,0.75,0.5\n"
    advice = (
        "column 'Name': 'k1' is not a number.* if 'Name' has the labels of the rows, name it by"
    )
    with pytest.raises(ScoresError, match=advice):
        read(text)
    with pytest.raises(ScoresError, match=r"'x' is not a number.* where it is missing; na=\['x'\]"):
        read(text.replace("Name", "C").replace("k1", "x").replace("k2", "0.5"))
    size = "model,Size,A\nk1,1.5b,0.5\nk2,7,0.25\n"
    with pytest.raises(
        ScoresError, match=r"'1.5b' is not a number.* if 'Size' is no task, leave it"
    ):
        read(size)


def test_a_first_column_of_topics_that_is_named_is_not_asked_about(read: Callable) -> None:
    text = "Name,A,B\nk1,0.5,0.25\nk2,0.75,0.5\n"
    assert read(text, topic_column="Name").index.tolist() == ["k1", "k2"]
    with pytest.raises(ScoresError, match="does not say whether they are"):
        read(text)


@pytest.mark.parametrize(
    "header", [",0,1,2", "x,0,1,2", "a,b,1,2", "topic,doc,pid", "topic,Q0,d2,1,9,x"]
)
def test_headers_of_tables_are_no_lines_of_runs(read: Callable, header: str) -> None:
    width = header.count(",")
    rows = [[f"{(7 * i + j * j) % 10 / 10}" for j in range(width)] for i in range(3)]
    text = "\n".join([header, *(f"q{i}," + ",".join(row) for i, row in enumerate(rows))])
    given = {} if header.startswith((",", "topic")) else {"topic_column": header[0]}
    assert read(text + "\n", **given).shape == (3, width)
