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
from cdfscore.io.scores import frame as own
from cdfscore.io.scores.dataframes import remember
from cdfscore.io.scores.frame import checked_scores

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


@pytest.mark.clause("matrix.2")
def test_default_index_is_numbered_from_1() -> None:
    scores = as_scores(pd.DataFrame(VALUES))
    assert scores.index.tolist() == [1, 2]
    assert isinstance(scores.index, pd.RangeIndex)
    pd.testing.assert_frame_equal(as_scores(scores), scores, check_index_type="exact")


def test_rows_chosen_of_a_matrix_without_labels_are_not_numbered_anew() -> None:
    scores = as_scores(pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.9]}))
    for rows in (slice(1, None), slice(None, None, -1), slice(None, None, 2)):
        assert as_scores(scores.iloc[rows]).index.tolist() == [1, 2, 3][rows]


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


def test_topic_column_beside_numbers_left_by_pandas() -> None:
    frame = pd.DataFrame({"topic": [301, 302, 303], "a": [0.3, 0.1, 0.2]})
    for chosen in (frame.sort_values("a"), frame[frame["a"] > 0.15], frame.iloc[::-1]):
        assert as_scores(chosen).index.tolist() == [str(topic) for topic in chosen["topic"]]


def test_topic_column_by_name() -> None:
    frame = pd.DataFrame({"a": [0.25, 0.5], "id": [301, 302], "b": [0.75, 1.0]})
    expected = as_scores(pd.DataFrame(VALUES, index=["301", "302"]))
    pd.testing.assert_frame_equal(as_scores(frame, topic_column="id"), expected)
    indexed = frame.set_index(frame["id"].astype(str)).drop(columns="id")
    pd.testing.assert_frame_equal(as_scores(indexed, topic_column="id"), expected)


def test_no_topic_column() -> None:
    frame = pd.DataFrame({"short": [3, 5], "long": [10, 20]})
    scores = as_scores(frame, topic_column=False)
    assert scores.index.tolist() == [1, 2]
    assert scores.columns.tolist() == ["short", "long"]
    pd.testing.assert_frame_equal(as_scores(scores), scores)


def test_systems_as_rows() -> None:
    expected = as_scores(pd.DataFrame(VALUES, index=["301", "302"]))
    transposed = pd.DataFrame(VALUES, index=["301", "302"]).T
    scores = as_scores(transposed, systems_as_rows=True)
    pd.testing.assert_frame_equal(scores, expected)
    column = transposed.rename_axis("system").reset_index()
    pd.testing.assert_frame_equal(as_scores(column, systems_as_rows=True), expected)
    numbers = transposed.set_axis([301, 302], axis=1)
    assert as_scores(numbers, systems_as_rows=True).index.tolist() == [301, 302]


def test_labels_of_systems_are_text() -> None:
    scores = as_scores(pd.DataFrame([[0.25, 0.5]], index=["q"], columns=[1, " b "]))
    assert scores.columns.tolist() == ["1", "b"]


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


def test_text_is_read_to_the_nearest_double() -> None:
    text = "0.1000000000000000055511151231257827021181583404541015625"
    frame = pd.DataFrame({"a": [text, "5e-324"]}, index=["q1", "q2"])
    assert as_scores(frame)["a"].tolist() == [0.1, 5e-324]


@pytest.mark.clause("matrix.1")
@pytest.mark.parametrize("columns", [{}, {"topic": [301, 302]}, {"text": ["1", "2"]}])
def test_input_is_not_modified(columns: dict) -> None:
    frame = pd.DataFrame({**columns, **VALUES})
    before = frame.copy(deep=True)
    as_scores(frame, topic_column="topic" if "topic" in columns else False)
    pd.testing.assert_frame_equal(frame, before, check_index_type="exact")
    assert frame.index.name is None


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


def test_what_a_frame_is_made_into_is_not_the_kept_one() -> None:
    """A result may be changed, and neither the frame nor a later result is."""
    frame = pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.5]}, index=["1", "2"])
    first = checked_scores(frame).frame
    first.iloc[0, 0] = 9.0
    remember(first, notes=["changed"])
    assert checked_scores(frame).frame.iloc[0, 0] == 0.1
    assert outcome(frame)[1] == outcome(frame.copy())[1]
