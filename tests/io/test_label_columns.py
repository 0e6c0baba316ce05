"""Where the labels of topics and systems are found, named, or said to be absent."""

from collections.abc import Callable

import pandas as pd
import pytest

from cdfscore import as_scores
from cdfscore.errors import ScoresError
from cdfscore.scores.labels import heads, role_of


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
    roles = ("topic", "system", "score", "measure")
    assert [each for each in roles if heads(each, header)] == ([role] if role else [])


@pytest.mark.parametrize(
    "header", [",0,1,2", "x,0,1,2", "a,b,1,2", "topic,doc,pid", "topic,Q0,d2,1,9,x"]
)
def test_headers_of_tables_are_no_lines_of_runs(read: Callable, header: str) -> None:
    width = header.count(",")
    rows = [[f"{(7 * i + j * j) % 10 / 10}" for j in range(width)] for i in range(3)]
    text = "\n".join([header, *(f"q{i}," + ",".join(row) for i, row in enumerate(rows))])
    given = {} if header.startswith((",", "topic")) else {"topic_column": header[0]}
    assert read(text + "\n", **given).shape == (3, width)
