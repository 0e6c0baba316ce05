"""Data frames of every kind that people have, as score matrices."""

import decimal
import fractions
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, as_scores
from cdfscore.errors import ScoresError
from cdfscore.scores import frame as own
from cdfscore.scores.dataframes import remember
from cdfscore.scores.frame import checked_scores

VALUES = {"a": [0.25, 0.5], "b": [0.75, 1.0]}


@pytest.mark.clause("matrix.2")
def test_whole_numbers_are_labels_without_a_point() -> None:
    """What pandas makes of 301 beside a missing label, as in a merge."""
    index = pd.Index([301.0, 302.0])
    assert as_scores(pd.DataFrame({"a": [0.1, 0.2]}, index=index)).index.tolist() == ["301", "302"]
    column = pd.DataFrame({"topic": [301.0, 302.0], "a": [0.1, 0.2], "b": [0.3, 0.5]})
    assert as_scores(column).index.tolist() == ["301", "302"]
    keys = {301.0: {"map": 0.1}, "302": {"map": 0.2}}
    assert as_scores(keys, measure="map", system="a").index.tolist() == ["301", "302"]
    array = as_scores(np.eye(2), systems=[1.0, 2.0], topics=[2.0**60, 7.5])
    assert (list(array.columns), list(array.index)) == (
        ["1", "2"],
        ["1.152921504606847e+18", "7.5"],
    )
    with pytest.raises(ScoresError, match="topic '301' appears twice, in row 1 and in row 2"):
        as_scores(pd.DataFrame({"topic": [301.0, "301"], "a": [0.1, 0.2]}))
    with pytest.raises(ScoresError, match="row 2: the topic has no name"):
        as_scores(pd.DataFrame({"a": [0.1, 0.2]}, index=pd.Index([301.0, np.nan])))


def test_index_labels_are_kept() -> None:
    for labels in (["q1", "q2"], [301, 302], [302, 301], pd.Index([7.5, 8.5])):
        scores = as_scores(pd.DataFrame(VALUES, index=labels))
        assert scores.index.tolist() == list(labels)
        assert scores.index.name == "topic"
        assert scores.columns.tolist() == ["a", "b"]
        assert scores.to_numpy().tolist() == [[0.25, 0.75], [0.5, 1.0]]


@pytest.mark.parametrize("labels", [range(301, 303), range(1, 3), range(302, 300, -1)])
def test_a_range_of_topic_numbers_is_kept(labels: range) -> None:
    scores = as_scores(pd.DataFrame(VALUES, index=labels))
    assert scores.index.tolist() == list(labels)
    assert not isinstance(scores.index, pd.RangeIndex)


def test_order_of_a_matrix_without_labels_is_not_lost() -> None:
    scores = as_scores(pd.DataFrame({"a": [0.0, 0.4], "b": [0.2, 0.8]}))
    factors = Standardizer("minmax").fit(scores)
    with pytest.raises(ValueError, match="labels"):
        factors.transform(scores.iloc[::-1])


@pytest.mark.parametrize("topics", [["q1", "q2"], [301, 302], pd.Categorical(["q1", "q2"])])
@pytest.mark.parametrize("header", ["topic", "query_id", "QID"])
def test_topic_column(header: str, topics: list) -> None:
    scores = as_scores(pd.DataFrame({header: topics, **VALUES}))
    assert scores.index.tolist() == [str(topic) for topic in topics]
    assert scores.columns.tolist() == ["a", "b"]


def test_topic_column_by_name() -> None:
    frame = pd.DataFrame({"a": [0.25, 0.5], "id": [301, 302], "b": [0.75, 1.0]})
    expected = as_scores(pd.DataFrame(VALUES, index=["301", "302"]))
    pd.testing.assert_frame_equal(as_scores(frame, topic_column="id"), expected)
    indexed = frame.set_index(frame["id"].astype(str)).drop(columns="id")
    pd.testing.assert_frame_equal(as_scores(indexed, topic_column="id"), expected)


@pytest.mark.clause("matrix.1")
@pytest.mark.parametrize(
    "column",
    [
        np.array([1, 0], dtype=np.int64),
        np.array([1, 0], dtype=np.uint8),
        np.array([1, 0], dtype=np.float32),
        np.array([1, 0], dtype=np.longdouble),
        pd.array([1, 0], dtype="Int64"),
        pd.array([1, 0], dtype="Float64"),
        pd.array([1.0, 0.0], dtype="double[pyarrow]"),
        pd.arrays.SparseArray([1.0, 0.0]),
        pd.Categorical([1.0, 0.0]),
        ["1", " 0.0 "],
        [decimal.Decimal("1.0"), fractions.Fraction(0)],
        np.array([1, np.float32(0)], dtype=object),
    ],
    ids=str,
)
def test_numbers_of_every_type(column: object) -> None:
    frame = pd.DataFrame({"a": column, "b": [0.5, 0.5]}, index=["q1", "q2"])
    assert as_scores(frame).to_numpy().tolist() == [[1.0, 0.5], [0.0, 0.5]]


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None], dtype="Int64"),
        pd.array([1, None], dtype="Float64"),
        pd.array([1.0, None], dtype="double[pyarrow]"),
        [1, None],
        np.array([1, None], dtype=object),
        np.array([1, pd.NA], dtype=object),
        np.array(["1", None], dtype=object),
    ],
    ids=str,
)
def test_missing_numbers_of_every_type(column: object) -> None:
    scores = as_scores(pd.DataFrame({"a": column, "b": [1, 1]}, index=["q1", "q2"]))
    np.testing.assert_array_equal(scores.to_numpy(), [[1, 1], [np.nan, 1]])
    assert scores.dtypes.tolist() == [np.float64, np.float64]


def changed_label(frame: pd.DataFrame) -> None:
    frame.columns = ["avg", *frame.columns[1:]]


CHANGES: dict[str, Callable[[pd.DataFrame], object]] = {
    "nothing": lambda frame: None,
    "a score": lambda frame: frame.__setitem__("a", [0.9, 0.5, 0.1]),
    "one score": lambda frame: frame.isetitem(1, frame.iloc[:, 1] + 2**-50),
    "a missing score": lambda frame: frame.__setitem__("a", [0.9, np.nan, 0.1]),
    "a score that is none": lambda frame: frame.__setitem__("a", [0.9, np.inf, 0.1]),
    "words": lambda frame: frame.__setitem__("a", ["x", "y", "z"]),
    "numbers as text": lambda frame: frame.__setitem__("a", ["0.1", "0.2", "0.3"]),
    "a summary": lambda frame: frame.__setitem__("a", frame[["b", "c", "d"]].mean(axis=1)),
    "a name": changed_label,
    "a topic": lambda frame: setattr(frame, "index", ["1", "2", "all"]),
    "the header": lambda frame: setattr(frame.index, "name", "system"),
    "another header": lambda frame: setattr(frame.columns, "name", "topic"),
    "its memory": lambda frame: frame.attrs.update(cdfscore={"notes": ["read"]}),
    "a measure": lambda frame: remember(frame, measure="AP"),
    "a new column": lambda frame: frame.__setitem__("e", [0.1, 0.7, 0.2]),
    "a column less": lambda frame: frame.pop("b"),
}


def outcome(frame: pd.DataFrame) -> tuple[Any, ...]:
    try:
        found = checked_scores(frame)
    except ScoresError as error:
        return (str(error),)
    return found.frame.to_csv(), found.frame.attrs, *found[1:]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_frame_is_checked_again_only_if_it_has_changed(
    change: str, order: Literal["C", "F"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same outcome as that of a frame that was never seen."""
    values = np.array([[0.1, 0.2, 0.4, 0.6], [0.5, 0.3, 0.7, 0.2], [0.9, 0.8, 0.1, 0.3]])

    def frame() -> pd.DataFrame:
        return pd.DataFrame(np.array(values, order=order), list("123"), list("abcd"), copy=True)

    given, fresh, times = frame(), frame(), list[int]()
    searched = own.of_reading
    monkeypatch.setattr(own, "of_reading", lambda *a, **k: times.append(1) or searched(*a, **k))
    before = outcome(given)
    assert outcome(given) == before
    assert len(times) == 1
    CHANGES[change](given)
    CHANGES[change](fresh)
    after = outcome(given)
    assert after == outcome(fresh)
    assert (after == before) == (change in ("nothing", "another header"))
