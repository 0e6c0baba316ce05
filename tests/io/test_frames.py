"""Data frames of every kind, arrays and dictionaries, as score matrices."""

from __future__ import annotations

import datetime
import decimal
import fractions
import math
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from cdfscore import (
    CdfscoreError,
    CdfscoreWarning,
    Standardizer,
    as_scores,
    compare,
    correlate,
    datasets,
    diagnose,
    leave_one_out,
    read_scores,
    sensitivity,
    write_scores,
)
from cdfscore.errors import ScoresError
from cdfscore.experiments import refitted, standardized
from cdfscore.scores import frame as frames
from cdfscore.scores import frame as own
from cdfscore.scores.cautions import _TELLING, telling_labels
from cdfscore.scores.dataframes import measure_of, remember, taken
from cdfscore.scores.frame import checked_scores
from cdfscore.scores.labels import _stem
from tests import a_tenth
from tests.verified import verify

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


TOPICS = ["q1", "q2"]
TWO_LEVELS = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])


def of(column: object) -> pd.DataFrame:
    """Make a frame whose second system has this column."""
    return pd.DataFrame({"a": [0.1, 0.2], "b": column}, index=TOPICS)


def plain(index: object = None, columns: object = None) -> pd.DataFrame:
    return pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], index=index, columns=columns)


@pytest.mark.clause("matrix.1", "matrix.2", "errors.2")
@pytest.mark.parametrize(
    ("frame", "fragments"),
    [
        (None, ["is None; expected a data frame", "as_scores"]),
        (pd.Series([0.1]), ["Series", "expected a data frame", "as_scores"]),
        (
            plain(index=TWO_LEVELS),
            ["rows with 2 labels each, such as ('a', '1')", "one label for each topic"],
        ),
        (plain(columns=TWO_LEVELS), ["columns with 2 labels each, such as ('a', '1')"]),
        (pd.DataFrame(), ["(0, 0)", "topics x systems"]),
        (pd.DataFrame(index=TOPICS), ["(2, 0)"]),
        (pd.DataFrame({"a": []}), ["(0, 1)"]),
        (pd.DataFrame({"topic": TOPICS}), ["(2, 0)"]),
        (plain(index=["q1", "q1"]), ["topic 'q1' appears twice", "row 1", "row 2"]),
        (plain(index=[1, "1"]), ["topic '1' appears twice"]),
        (plain(index=["q1", None]), ["row 2", "no name"]),
        (plain(index=["q1", np.nan]), ["row 2", "no name"]),
        (plain(index=pd.Index(["q1", pd.NA], dtype=object)), ["row 2", "no name"]),
        (plain(index=["q1", " "]), ["row 2", "no name"]),
        (plain(columns=["a", "a"]), ["system 'a' appears twice", "column 1", "column 2"]),
        (plain(columns=["a", None]), ["column 2", "no name"]),
        (of([0.1, "x"]), ["topic 'q2'", "system 'b'", "'x' is not a number", "expected a score"]),
        (of(["0.1", "0,2"]), ["topic 'q2'", "system 'b'", "'0,2'"]),
        (of(["0.1", "1_000"]), ["topic 'q2'", "'1_000'"]),
        (of(["0.1", "NA"]), ["topic 'q2'", "'NA'", "NaN where it is missing"]),
        (of(["x" * 999, "0.1"]), ["topic 'q1'", "xxx...xxx"]),
        (of([[0.1], 0.2]), ["topic 'q1'", "[0.1]"]),
        (of([b"0.1", 0.2]), ["topic 'q1'", "b'0.1'"]),
        (
            of(pd.Series([10**400, 0.1], index=TOPICS, dtype=object)),
            ["topic 'q1'", "is not a number"],
        ),
        (of([True, False]), ["system 'b'", "bool", "expected numbers"]),
        (of(np.array([0.1, True], dtype=object)), ["topic 'q2'", "system 'b'", "True"]),
        (of(np.array([0.1, np.True_], dtype=object)), ["topic 'q2'", "system 'b'", "True"]),
        (of(pd.array([True, None], dtype="boolean")), ["system 'b'", "boolean"]),
        (of([1 + 2j, 0.1]), ["system 'b'", "complex"]),
        (of(pd.to_datetime(["2004", "2005"])), ["system 'b'", "datetime"]),
        (of(pd.to_timedelta([1, 2])), ["system 'b'", "timedelta"]),
        (of(pd.period_range("2004", periods=2, freq="D")), ["system 'b'"]),
        (of(pd.Categorical([0.1, "x"])), ["topic 'q2'", "system 'b'", "'x'"]),
        (of([0.1, np.inf]), ["topic 'q2'", "system 'b'", "inf is not finite"]),
        (of(["-inf", 0.1]), ["topic 'q1'", "system 'b'", "-inf is not finite"]),
        (pd.DataFrame({"id": [301, 302], "a": [1, 2]}), ["'id'", "301 to 302", "topic_column"]),
        (
            pd.DataFrame({"id": [301, 302], "a": [1, 2]}, index=[5, 3]),
            ["'id'", "301 to 302", "topic_column"],
        ),
        (pd.DataFrame({"a": [0.1, 0.2], "topic": [301, 302]}), ["column 'topic'", "topic_column"]),
        (
            pd.DataFrame({"topic": [301, 302], "a": [1, 2]}, index=["x", "y"]),
            ["column 'topic'", "topic_column"],
        ),
    ],
)
def test_frame_is_refused(frame: object, fragments: list[str]) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(frame, source="my scores")  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith("my scores")
    assert len(message) < 400
    for fragment in fragments:
        assert fragment in message


@pytest.mark.parametrize(
    ("frame", "options", "fragments"),
    [
        (plain(columns=["a", "b"]), {"topic_column": "topic"}, ["no column 'topic'"]),
        (plain(columns=["t", "t"]), {"topic_column": "t"}, ["two columns 't'", "expected one"]),
        (plain(), {"systems_as_rows": True}, ["no column of system names"]),
        (
            pd.DataFrame({"run": ["x", "y"], "301": [0.1, 0.2]}),
            {"systems_as_rows": False},
            ["'run'", "taken as topics", "systems_as_rows"],
        ),
        (
            pd.DataFrame({"topic": ["q1"], "a": [0.1]}),
            {"systems_as_rows": True},
            ["'topic'", "taken as systems", "systems_as_rows"],
        ),
        (
            of([0.1, "x"]),
            {"systems_as_rows": True},
            ["topic 'b'", "system 'q2'", "'x' is not a number"],
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(
    frame: pd.DataFrame, options: dict, fragments: list[str]
) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(frame, **options)
    for fragment in fragments:
        assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (
            plain(index=["q1", "all"]),
            "keep it by keep_topics=['all']; as_scores takes drop_topics=... and keep_topics=...",
        ),
        (of(["OOM", 0.2]), "na=['OOM'] says that the score is missing; as_scores takes na=..."),
    ],
)
def test_a_message_says_who_takes_the_arguments_that_it_names(
    frame: pd.DataFrame, told: str
) -> None:
    for takes_a_frame in (Standardizer("normal").fit, Standardizer("empirical").standardize):
        with pytest.raises(ScoresError) as error:
            takes_a_frame(frame)
        assert str(error.value).endswith(told)
    with pytest.raises(ScoresError) as error:
        as_scores(frame)
    assert str(error.value).endswith(told.partition("; as_scores")[0])


TIDY = as_scores(datasets.load_cranfield("ap").iloc[:12, :4].round(4))
OTHERS = TIDY * 0.5 + 0.25


def tidy(*measures: str) -> pd.DataFrame:
    """Return a row a topic and system, with columns of measures, AP and others like it."""
    columns = {
        name: (TIDY if i == 0 else OTHERS).rename_axis(columns="system").stack()
        for i, name in enumerate(measures)
    }
    return pd.DataFrame(columns).reset_index()


MANY = [f"P_{i}" for i in range(1, 101)]
LONG = tidy("map", "P_10").melt(["topic", "system"], var_name="measure", value_name="value")
FORMS: dict[str, tuple[pd.DataFrame, dict[str, Any]]] = {
    "score": (tidy("score"), {}),
    "one measure by its name": (tidy("AP"), {}),
    "several measures in columns": (tidy("AP", "nDCG@10"), {"measure": "AP"}),
    "several measures in rows": (LONG, {"measure": "map"}),
    "other headers": (tidy("Score").rename(columns={"topic": "Query ID", "system": "run"}), {}),
    "another order": (tidy("AP", "x")[["x", "system", "AP", "topic"]], {"measure": "AP"}),
    "numbered rows": (tidy("AP").reset_index(names=""), {}),
    "as many measures as trec_eval has": (tidy("AP", *MANY), {"measure": "AP"}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_in_python_and_of_files(form: str, tmp_path: Path) -> None:
    frame, options = FORMS[form]
    frame.to_csv(tmp_path / "s.csv", index=False)
    frame.to_csv(tmp_path / "s.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "s.parquet")
    found = [read_scores(tmp_path / f"s.{end}", **options) for end in ("csv", "tsv", "parquet")]
    found.append(as_scores(frame, **options))
    if "" not in frame:  # which polars gives a name
        found.append(as_scores(pl.from_pandas(frame), **options))
    if "topic" in frame and "system" in frame and "" not in frame and "measure" not in frame:
        found.append(as_scores(frame.set_index(["topic", "system"]), **options))
        found.append(as_scores(frame.set_index("topic"), **options))
    for each in found:
        pd.testing.assert_frame_equal(each, TIDY, check_exact=True)
        named = form != "score" and form != "other headers"
        assert measure_of(each) == (options.get("measure", "AP") if named else None)


def test_functions_that_take_scores_take_tidy_frames() -> None:
    frame = tidy("AP")
    expected = compare(TIDY, "paired_t").table
    pd.testing.assert_frame_equal(compare(frame, "paired_t").table, expected)
    found = Standardizer("empirical").fit_transform(pl.from_pandas(frame))
    assert isinstance(found, pl.DataFrame)
    assert found.columns == ["topic", *TIDY.columns]
    with pytest.raises(ScoresError, match=r"2 measures: AP, nDCG; choose one by measure=..., as"):
        compare(tidy("AP", "nDCG"), "paired_t")


def test_the_only_system_is_named_by_the_user() -> None:
    system = TIDY.columns[1]
    one = LONG[LONG["system"] == system].drop(columns="system")
    with pytest.raises(ScoresError, match=r"no column of systems; expected one, or .* system='NAM"):
        as_scores(one, measure="map")
    found = as_scores(one, measure="map", system="mine")
    assert found["mine"].tolist() == TIDY[system].tolist()
    # Without a measure and a system it is a matrix of a system that is called score.
    plain = one[one["measure"] == "map"].rename(columns={"value": "score"})[["topic", "score"]]
    assert as_scores(plain).columns.tolist() == ["score"]
    assert as_scores(plain, system="mine").columns.tolist() == ["mine"]


@a_tenth
@given(st.permutations(range(len(LONG))), st.sampled_from(["map", "P_10"]))
def test_the_order_of_rows_changes_no_score(order: list[int], measure: str) -> None:
    found = as_scores(LONG.iloc[order], measure=measure)
    expected = TIDY if measure == "map" else OTHERS
    assert found.loc[TIDY.index, TIDY.columns].equals(expected.rename_axis("topic"))


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (tidy("AP", "x"), {}, "scores has scores of 2 measures: AP, x; choose one by measure=..."),
        (tidy("AP", "x"), {"measure": "APs"}, "no measure 'APs' (did you mean 'AP'?); it has AP, "),
        (tidy("AP"), {"measure": "x"}, "no measure 'x'; it has AP"),
        (tidy("score"), {"measure": "x"}, "a data frame, for which measure='x' is not accep"),
        (tidy("AP"), {"system": "x"}, "a data frame, for which system='x' is not accep"),
        (tidy("AP", "x"), {"measure": 5}, "measure=5 of scores is not accepted; expected text"),
        (tidy("AP"), {"system": ["x"]}, "system=['x'] of scores is not accepted; expected text"),
        (TIDY, {"measure": "AP"}, "a data frame, for which measure='AP' is not accep"),
        (TIDY, {"system": "x"}, "a data frame, for which system='x' is not accep"),
        (tidy("AP").assign(AP="x"), {}, "row 1, topic '1', system "),
        (pd.concat([tidy("AP")] * 2), {}, "row 49, topic '1', system "),
        (tidy("score").assign(n=3), {}, "has a row for each score, and also the column 'n'"),
        (tidy("score").assign(query="x"), {}, "and 2 columns of topics, 'topic', 'query'"),
    ],
)
def test_bad_frames_are_refused_in_a_sentence(
    frame: pd.DataFrame, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(frame, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


SCORES = datasets.load_cranfield("ap").iloc[:12, :11]
SCORES.attrs.clear()  # which other kinds of frames do not have


def arrow(frame: pd.DataFrame) -> pa.Table:
    """Return a table with the topics as the first column, as other tools have it."""
    return pa.Table.from_pandas(frame.rename_axis("topic").reset_index(), preserve_index=False)


def relation(frame: pd.DataFrame) -> duckdb.DuckDBPyRelation:
    return duckdb.from_arrow(arrow(frame))  # of the connection that stays open


MAKE: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": lambda frame: pl.DataFrame(arrow(frame)),
    "lazy polars": lambda frame: pl.LazyFrame(pl.DataFrame(arrow(frame))),
    "pyarrow": arrow,
    "pyarrow with its index": pa.Table.from_pandas,
    "duckdb": relation,
}
BACK = {
    "polars": pl.DataFrame,
    "lazy polars": pl.DataFrame,
    "pyarrow": pa.Table,
    "pyarrow with its index": pa.Table,
    "duckdb": pa.Table,
}


@pytest.fixture(params=MAKE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def same(found: Any, expected: pd.DataFrame, kind: str, labels: str = "topic") -> None:
    """Check the kind, the labels and all bits."""
    assert isinstance(found, BACK[kind])
    table = found.to_arrow() if isinstance(found, pl.DataFrame) else found
    assert table.column_names == [labels, *expected.columns]
    assert table.column(0).to_pylist() == list(map(str, expected.index))
    for name, column in expected.items():
        numbers = table.column(name)
        assert numbers.null_count == column.isna().sum()
        assert numbers.to_numpy().tobytes() == column.to_numpy().tobytes()


@pytest.mark.clause("matrix.4")
def test_standardized_scores_and_means_are_of_the_kind_that_came_in(kind: str) -> None:
    given = MAKE[kind](SCORES)
    how = Standardizer("normal")
    expected = how.standardize(SCORES)
    same(how.fit_transform(given), expected.scores, kind)
    same(how.fit(given).transform(given), expected.scores, kind)
    same(how.fit(SCORES).standardize(given).means, expected.means, kind, "system")
    same(leave_one_out(given, "normal"), leave_one_out(SCORES, "normal"), kind)
    for found in (how.standardize(given), how.standardize(given, SCORES), how.fit(given)):
        if not hasattr(found, "notes"):
            found = found.standardize(given)
        same(found.scores, expected.scores, kind)
        same(found.means, expected.means, kind, "system")
        assert found.notes == expected.notes
        pd.testing.assert_frame_equal(found.frame, expected.scores)


def test_a_reference_of_another_kind_changes_nothing(kind: str) -> None:
    found = Standardizer("z").standardize(SCORES, MAKE[kind](SCORES))
    assert isinstance(found.scores, pd.DataFrame)
    pd.testing.assert_frame_equal(found.scores, Standardizer("z").fit_transform(SCORES))


def test_every_function_takes_every_kind(kind: str, tmp_path: Any) -> None:
    few = SCORES.iloc[:, :4]
    given, tables = MAKE[kind](few), {}
    for scores in (few, given):
        tables[scores is given] = [
            as_scores(scores),
            compare(scores, "paired_t", scheme="normal", reference=scores).table,
            correlate(scores, scores).table,
            diagnose(scores, ["normal"], bootstrap=0).fits,
            sensitivity(scores, ["raw", "normal"], reference=scores).conclusions,
            pd.DataFrame(standardized(scores, {"n": "normal"}, reference=scores).scores[0]),
            pd.DataFrame(refitted(scores, {"n": "normal"}).raw),
        ]
        write_scores(scores, tmp_path / f"{scores is given}.csv")
    for found, expected in zip(tables[True], tables[False], strict=True):
        pd.testing.assert_frame_equal(found, expected)
    files = [tmp_path / f"{name}.csv" for name in (True, False)]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.usefixtures("rinterface")
def test_verify_takes_every_kind(kind: str) -> None:
    assert verify(MAKE[kind](SCORES), "normal", reference=MAKE[kind](SCORES))["agrees"].all()


@pytest.mark.clause("matrix.4")
def test_a_missing_score_is_null_and_nan_alike(kind: str) -> None:
    holes = SCORES.copy()
    holes.iloc[0, 0] = math.nan
    how = Standardizer("empirical", missing="omit")
    same(how.fit_transform(MAKE[kind](holes)), how.fit_transform(holes), kind)
    with_nan = pl.DataFrame({"topic": ["1", "2"], "a": [math.nan, 0.5], "b": [0.25, None]})
    assert np.isnan(as_scores(with_nan).to_numpy()).tolist() == [[True, False], [False, True]]


def test_a_system_of_the_name_of_the_first_column_is_refused() -> None:
    table = pl.DataFrame({"query": ["q1", "q2"], "topic": [0.5, 0.7], "b": [0.1, 0.2]})
    with pytest.raises(CdfscoreError, match=r"system is named 'topic'.*in polars"):
        Standardizer("minmax").fit_transform(table)
    assert Standardizer("minmax").fit(table).topics == ("q1", "q2")


def test_columns_of_numbers_of_any_type() -> None:
    table = pl.DataFrame(
        {
            "topic": ["1", "2"],
            "i": pl.Series([1, None], dtype=pl.Int64),
            "u": pl.Series([1, 2], dtype=pl.UInt8),
            "f": pl.Series([0.5, 0.25], dtype=pl.Float32),
            "d": pl.Series(["0.1", "0.3"]).cast(pl.Decimal(10, 1)),
            "t": ["0.7", "1"],
            "c": pl.Series(["0.7", "1"], dtype=pl.Categorical),
        }
    )
    expected = [[1, 1, 0.5, 0.1, 0.7, 0.7], [math.nan, 2, 0.25, 0.3, 1, 1]]
    np.testing.assert_array_equal(as_scores(table).to_numpy(), expected)


def polars(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame({"topic": ["q1", "q2"], **columns})


BAD_KINDS: list[tuple[Callable[[], Any], str]] = [
    (lambda: pl.Series([0.5]), "my scores is a Series; expected a data frame, topics x systems"),
    (lambda: pa.array([0.5]), "is a DoubleArray; expected a data frame"),
    (lambda: pa.chunked_array([[0.5]]), "is a ChunkedArray; expected a data frame"),
    (lambda: pl.col("a"), "is an Expr; expected a data frame"),
    (lambda: 3, "is an int; expected a data frame"),
    (lambda: "scores.csv", "polars, pyarrow or DuckDB, such as read_scores('scores.csv')"),
    (lambda: pl.DataFrame, "expected a data frame"),
    (pl.DataFrame, "shape (0, 0); expected topics x systems"),
    (lambda: polars(), "shape (2, 0); expected topics x systems"),
    (lambda: polars(a=[0.5, 0.7]).clear(), "shape (0, 1); expected topics x systems"),
    (lambda: pa.table([[1.0], [2.0]], names=["a", "a"]), "Expected unique column names"),
    (
        lambda: pa.table(
            {"a": pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([0.5])])}
        ),
        "cannot be read as numbers: No known equivalent Pandas block for Arrow data of type sparse",
    ),
    (lambda: pl.LazyFrame({"a": [1]}).select("zz"), 'cannot be read: unable to find column "zz"'),
    (lambda: polars(a=[0.5, 0.7]).lazy().select(pl.col("a") / pl.lit("x")), "cannot be read: "),
    (lambda: polars(a=[True, False]), "system 'a' holds bool; expected numbers"),
    (lambda: polars(a=["0.5", "x"]), "topic 'q2', system 'a': 'x' is not a number"),
    (lambda: polars(a=[[0.5], [0.7]]), "topic 'q1', system 'a': array([0.5]) is not a number"),
    (lambda: polars(a=[{"b": 1}, None]), "topic 'q1', system 'a': {'b': 1"),
    (lambda: polars(a=[datetime.date(2004, 11, 16)] * 2), "system 'a' holds datetime"),
    (lambda: polars(a=[0.5, math.inf]), "topic 'q2', system 'a': inf is not finite"),
    (lambda: polars(a=[0.5, 0.7], **{" a": [1, 2]}), "system 'a' appears twice"),
    (lambda: pl.DataFrame({"topic": ["q", None], "a": [1, 2]}), "row 2: the topic has no name"),
    (lambda: pl.DataFrame({"topic": ["q", "q"], "a": [1, 2]}), "topic 'q' appears twice"),
    (lambda: pl.DataFrame({"id": [301, 302], "a": [1, 2]}), "say topic_column='id' if they are"),
    (lambda: pl.DataFrame({"a": [0.1, 0.2], "topic": [1, 2]}), "the column 'topic' would be read"),
    (lambda: polars(avg=[0.5, 0.7], a=[0.25, 0.1]), "system 'avg', the name of a summary"),
]


@pytest.mark.parametrize(("make", "fragment"), BAD_KINDS)
def test_bad_frame_is_refused_in_one_sentence(make: Callable[[], Any], fragment: str) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(make(), source="my scores")
    message = str(caught.value)
    assert fragment in message
    assert message.startswith("my scores")
    assert "\n" not in message


def test_standardized_scores_of_a_kind_are_pickled() -> None:
    found = Standardizer("normal").standardize(MAKE["polars"](SCORES))
    again = pickle.loads(pickle.dumps(found))
    same(again.scores, found.frame, "polars")
    assert repr(again) == repr(found)


@pytest.mark.clause("matrix.4")
@given(
    arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=2, max_side=5),
        elements=st.floats(allow_infinity=False),
    ),
    st.sampled_from(sorted(MAKE)),
)
def test_what_comes_in_goes_back_bit_for_bit(values: np.ndarray, kind: str) -> None:
    """Signed zeros and subnormal numbers too; a missing number has no bits of its own."""
    topics = [f"t{i}" for i in range(len(values))]
    frame = pd.DataFrame(values, topics, [f"s{i}" for i in range(values.shape[1])])
    frame = frame.where(frame.notna(), math.nan).rename_axis("topic")
    pandas, back = taken(MAKE[kind](frame))
    same(back.given_back(frame), frame, kind)
    if "index" not in kind:
        pandas = pandas.set_index("topic")
    assert pandas.to_numpy().tobytes() == frame.to_numpy().tobytes()


class Modin:
    """What is used of a data frame of modin, which does not install beside pandas 3."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.columns, self.index = frame.columns, frame.index

    def __len__(self) -> int:
        return len(self.frame)

    def _to_pandas(self) -> pd.DataFrame:
        return self.frame


def test_kind_with_an_index_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    modin = {"__version__": "0.37", "DataFrame": Modin, "Series": type("Series", (), {})}
    for name in ("modin", "modin.pandas"):
        module = ModuleType(name)
        vars(module).update(modin, pandas=module)
        monkeypatch.setitem(sys.modules, name, module)
    found: Any = Standardizer("normal").fit_transform(Modin(SCORES))  # type: ignore[type-var]
    assert isinstance(found, Modin)
    pd.testing.assert_frame_equal(found.frame, Standardizer("normal").fit_transform(SCORES))


class OfArrow:
    """An object that is known by its stream of Arrow alone."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_a_stream_of_arrow_is_a_frame() -> None:
    table = pa.Table.from_pandas(SCORES.rename_axis("topic").reset_index(), preserve_index=False)
    expected = Standardizer("normal").fit_transform(table)
    for stream in (OfArrow(table), table.to_reader()):
        found: Any = Standardizer("normal").fit_transform(stream)  # type: ignore[type-var]
        assert found.equals(expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_frame_of_dask_is_collected_with_a_warning() -> None:
    import dask.dataframe as dd

    frame = SCORES.rename_axis("topic").reset_index()
    with pytest.warns(CdfscoreWarning, match="all partitions of the data frame of Dask"):
        found = as_scores(dd.from_pandas(frame, npartitions=2))
    np.testing.assert_array_equal(found, as_scores(frame))


def test_real_matrix_by_polars_has_the_same_bits(shared_data: Any) -> None:
    path = shared_data / "robust2004" / "robust2004_ap.csv"
    table = pl.read_csv(path, schema_overrides={"topic": pl.String})
    for scheme in ("normal", "empirical", "kernel"):
        expected = Standardizer(scheme).fit_transform(read_scores(path))
        same(Standardizer(scheme).fit_transform(table), expected, "polars")


PAIR = np.array([[0.25, 0.75], [0.5, 1.0]])
FRAME = as_scores(pd.DataFrame(PAIR, ["301", "302"], ["bm25", "lsa"]))
PER_SYSTEM = {"bm25": {"301": 0.25, "302": 0.5}, "lsa": {"301": 0.75, "302": 1.0}}
PER_TOPIC = {"301": {"bm25": 0.25, "lsa": 0.75}, "302": {"bm25": 0.5, "lsa": 1.0}}
LABELS: dict[str, Any] = {"systems": ["bm25", "lsa"], "topics": [301, 302]}


@pytest.mark.clause("matrix.1", "as_scores.1")
def test_array() -> None:
    for found in (
        as_scores(PAIR, **LABELS),
        as_scores(PAIR, systems=iter(["bm25", "lsa"]), topics=np.array(["301", "302"])),
        as_scores(PAIR.T, **LABELS, systems_as_rows=True),
        as_scores(PAIR.astype(np.float32), **LABELS),
        as_scores(PAIR.astype(str), **LABELS),
    ):
        pd.testing.assert_frame_equal(found, FRAME)


def test_array_with_missing_scores() -> None:
    masked = np.ma.masked_array(PAIR, [[False, True], [False, False]])
    none = np.array([[0.25, None], [0.5, 1.0]], dtype=object)
    for holes in (masked, masked.filled(math.nan), none):
        found = as_scores(holes, **LABELS)
        assert np.isnan(found.to_numpy()).tolist() == [[False, True], [False, False]]


@pytest.mark.clause("as_scores.1")
def test_dictionary() -> None:
    per_measure = {"map": {"301": 0.25, "302": 0.5}, "P_10": {"301": 0.9, "302": 0.9}}
    every = {
        name: {t: {"map": x, "P_10": 0.9} for t, x in own.items()}
        for name, own in PER_SYSTEM.items()
    }
    for found in (
        as_scores(PER_SYSTEM, levels=("system", "topic")),
        as_scores(PER_TOPIC, levels=["topic", "system"]),
        as_scores(every, levels=("system", "topic", "measure"), measure="map"),
    ):
        pd.testing.assert_frame_equal(found, FRAME)
    per_query = {"301": {"map": 0.25, "P_10": 0.9}, "302": {"map": 0.5, "P_10": 0.9}}
    for one in (
        as_scores(per_measure, levels=("measure", "topic"), measure="map", system="bm25"),
        as_scores(per_query, levels=("topic", "measure"), measure="map", system="bm25"),
        as_scores(per_measure, measure="map", system="bm25"),
        as_scores(per_query, measure="map", system="bm25"),
    ):
        pd.testing.assert_frame_equal(one, FRAME[["bm25"]])


def test_pytrec_eval(pytrec_eval: ModuleType) -> None:
    qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}
    runs = {"a": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}}
    runs["b"] = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recip_rank"})
    results = {name: evaluator.evaluate(run) for name, run in runs.items()}
    found = as_scores(results, levels=("system", "topic", "measure"), measure="map")
    assert found.to_numpy().tolist() == [[1.0, 0.5], [0.5, 1.0]]
    one = as_scores(results["b"], measure="map", system="b")
    pd.testing.assert_frame_equal(one, found[["b"]])


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaTypeSafetyWarning")
def test_ranx() -> None:
    import ranx  # which takes seconds

    qrels = ranx.Qrels({"q1": {"d1": 1}, "q2": {"d2": 1}})
    run = ranx.Run({q: {"d1": 2.0, "d2": 1.0} for q in ("q1", "q2")}, name="bm25")
    ranx.evaluate(qrels, run, ["map", "mrr"])
    found = as_scores(run.scores, measure="map", system=run.name)
    assert found.to_dict() == {"bm25": {"q1": 1.0, "q2": 0.5}}


@a_tenth
@given(st.data())
def test_round_trips_with_equal_bits(data: st.DataObject) -> None:
    """A part of a real matrix, in any order of topics, through each form."""
    ap = datasets.load_cranfield("ap")
    topics = data.draw(
        st.lists(st.sampled_from(list(ap.index)), min_size=1, max_size=6, unique=True)
    )
    scores = as_scores(ap.loc[topics].iloc[:, : data.draw(st.integers(1, 5))])
    systems = list(scores.columns)
    by_system = scores.to_dict()
    by_topic = scores.to_dict("index")
    for found in (
        as_scores(scores.to_numpy(), systems=systems, topics=topics),
        as_scores(by_system, levels=("system", "topic")),
        as_scores(by_topic, levels=("topic", "system")),
        as_scores({"ap": by_system}, levels=("measure", "system", "topic"), measure="ap"),
        as_scores(pl.DataFrame({"topic": topics, **scores.to_dict("list")})),
    ):
        pd.testing.assert_frame_equal(found, scores, check_exact=True)


LEVELS: dict[str, Any] = {"levels": ("system", "topic")}
BAD_VALUES: list[tuple[Any, dict[str, Any], str]] = [
    (
        PAIR,
        {"systems": {"bm25", "lsa"}},
        "of my scores is not accepted, as a set has no order; expected a list",
    ),
    (PAIR, {"systems": {"bm25": 0, "lsa": 1}}, "is not accepted; expected a list of names"),
    (PAIR, {"systems": b"ab"}, "systems=b'ab' of my scores is not accepted; expected a list"),
    (
        np.zeros((2, 2), dtype=[("a", "f8")]),
        LABELS,
        "has shape (2, 2) and named fields; expected numbers in two dimensions",
    ),
    (PER_SYSTEM, {"levels": 5}, "levels=5 of my scores is not accepted"),
    (PER_SYSTEM, {"levels": [["topic"], "system"]}, "levels=[['topic'], 'system'] of my scores"),
    (PER_SYSTEM, {"measure": 1, "system": "bm25"}, "measure=1 of my scores is not accepted"),
    (
        PER_SYSTEM,
        {"levels": ("system", "topic"), "systems_as_rows": False},
        "my scores is a dictionary, for which systems_as_rows=False",
    ),
    (
        PAIR,
        {},
        "array of shape (2, 2) without names of systems; expected systems=[...], one name",
    ),
    (PAIR, {"systems": ["a"]}, "2 systems, and systems=[...] has 1 name; expected one for each"),
    (PAIR[:1], {**LABELS}, "has 1 topic, and topics=[...] has 2 names"),
    (PAIR[:1], {"systems": ["a"]}, "where rows are topics (systems_as_rows=False)"),
    (
        PAIR,
        {"systems": ["a"], "systems_as_rows": True},
        "rows are systems (systems_as_rows=True)",
    ),
    (PAIR, {"systems": "ab"}, "systems='ab' of my scores is not accepted; expected a list"),
    (PAIR, {"systems": 2}, "systems=2 of my scores is not accepted"),
    (PAIR, {"systems": ["a", "a"]}, "system 'a' appears twice, in column 1 and in column 2"),
    (PAIR, {"systems": ["a", None]}, "column 2: the system has no name"),
    (PAIR, {"systems": ["a", "b"], "topics": ["t", " t "]}, "topic 't' appears twice"),
    (PAIR, {**LABELS, "topic_column": "topic"}, "array, for which topic_column='topic'"),
    (
        PAIR,
        {**LABELS, "levels": ("system", "topic")},
        "an array, for which levels=('system', 'topic')",
    ),
    (PAIR[0], LABELS, "shape (2,); expected numbers in two dimensions, topics x systems"),
    (PAIR[np.newaxis], LABELS, "shape (1, 2, 2)"),
    (np.float64(0.5), LABELS, "is a float64; expected a data frame"),
    (PAIR[:0], {"systems": ["a", "b"]}, "shape (0, 2); expected topics x systems"),
    (PAIR > 0, LABELS, "system 'bm25' holds bool; expected numbers"),
    (PAIR * 1j, LABELS, "system 'bm25' holds complex128"),
    (
        np.array([["0.1", "x"], ["0.2", "0.3"]]),
        LABELS,
        "topic '301', system 'lsa': 'x' is not a num",
    ),
    (PAIR * np.inf, LABELS, "topic '301', system 'bm25': inf is not finite"),
    ([[0.1]], {}, "is a list; expected a data frame"),
    (FRAME, {"systems": ["a", "b"]}, "a data frame, for which systems=['a', 'b']"),
    (FRAME, {"measure": "map"}, "a data frame, for which measure='map'"),
    (PER_SYSTEM, {}, "nothing says what its levels are; expected levels=('system', 'topic')"),
    (PER_SYSTEM, {"levels": "topic"}, "levels='topic' of my scores is not accepted"),
    (PER_SYSTEM, {"levels": ("system", "topic", "topic")}, "is not accepted"),
    (PER_SYSTEM, {"levels": ("run", "topic")}, "levels=('run', 'topic') of my scores is not acc"),
    (PER_SYSTEM, {"levels": ("system", "measure")}, "is not accepted; expected levels="),
    (PER_SYSTEM, {**LEVELS, "system": "a"}, "has its own; expected no system='a'"),
    (PER_SYSTEM, {**LEVELS, "measure": "map"}, "has none; expected no measure='map'"),
    (PER_SYSTEM, {**LEVELS, "topics": [1]}, "a dictionary, for which topics=[1]"),
    (PER_SYSTEM, {**LEVELS, "systems_as_rows": True}, "for which systems_as_rows=True is not"),
    (
        PER_TOPIC,
        {"levels": ("topic", "measure"), "measure": "map"},
        "of one system; expected system=",
    ),
    (PER_TOPIC, {"levels": ("topic", "measure"), "system": "a"}, "of several; expected measure="),
    (
        PER_TOPIC,
        {"levels": ("topic", "measure"), "system": "a", "measure": "bm24"},
        "no measure 'bm24' (did you mean 'bm25'?); it has bm25, lsa",
    ),
    (
        PER_SYSTEM,
        {"levels": ("system", "topic", "measure"), "measure": "map"},
        "at 'bm25' and '301' is a float; expected a dictionary with measures as keys",
    ),
    (
        PER_SYSTEM,
        {"measure": "301"},
        "measure='301' alone does not say what its levels are; expected levels=",
    ),
    (
        PER_SYSTEM,
        {"measure": "mpa", "system": "a"},
        "'mpa' is a key of neither level; expected lev",
    ),
    (
        {"map": {"map": 0.5}},
        {"measure": "map", "system": "a"},
        "'map' is a key of both levels; expected levels=('topic', 'measure') or ('measure', 'to",
    ),
    ({"a": PER_SYSTEM}, LEVELS, "at 'a': the topic 'bm25' has a dictionary; expected a score"),
    ({"a": 0.5}, LEVELS, "at 'a' is a float; expected a dictionary with topics as keys"),
    ({"a": [0.5]}, LEVELS, "at 'a' is a list; expected a dictionary with topics as keys"),
    ({}, LEVELS, "is empty; expected a dictionary with systems as keys"),
    ({"a": {}}, LEVELS, "at 'a' is empty; expected a dictionary with topics as keys"),
    ({"a": {1: 0.5, "1": 0.7}}, LEVELS, "system 'a': topic '1' appears twice"),
    ({"a": {"1": "x"}}, LEVELS, "topic '1', system 'a': 'x' is not a number"),
    ({"a": {"1": True}}, LEVELS, "system 'a' holds bool"),
    ({"a": {"": 0.5}}, LEVELS, "row 1: the topic has no name"),
    ({"": {"1": 0.5}}, LEVELS, "column 1: the system has no name"),
    ({"a": {"1": [0.5]}}, LEVELS, "topic '1', system 'a': [0.5] is not a number"),
]


@pytest.mark.clause("as_scores.1")
@pytest.mark.parametrize(("scores", "options", "fragment"), BAD_VALUES)
def test_bad_input_is_refused_in_one_sentence(
    scores: Any, options: dict[str, Any], fragment: str
) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(scores, source="my scores", **options)
    message = str(caught.value)
    assert fragment in message
    assert "my scores" in message
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize("scores", [PAIR, PER_SYSTEM, PER_TOPIC])
def test_functions_ask_for_what_only_as_scores_takes(scores: Any) -> None:
    with pytest.raises(ScoresError, match=r"by as_scores\("):
        Standardizer("normal").fit(scores)


def test_a_dictionary_remembers_its_measure() -> None:
    found = as_scores({"301": {"map": 0.25}, "302": {"map": 0.5}}, measure="map", system="bm25")
    assert Standardizer("raw").standardize(found).given.frame.attrs["cdfscore"]["measure"] == "map"


def drawn(topics: int, systems: int) -> pd.DataFrame:
    scores = np.random.default_rng(1).beta(1, 3, size=(topics, systems)).round(4)
    index = pd.Index([f"t{i}" for i in range(topics)])
    return pd.DataFrame(scores, index, [f"s{i}" for i in range(systems)])


@pytest.mark.parametrize("size", [(50, 10), (200_000, 10), (3, 1000)])
def test_fit_and_transform_search_once(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[str] = []
    search = frames.of_reading

    def counted(source: str, *of: object, **more: object) -> None:
        times.append(source)
        search(source, *of, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(frames, "of_reading", counted)
    scores, how = drawn(*size), Standardizer("empirical")
    first = how.fit(scores).transform(scores)
    assert len(times) == 1
    scores.iloc[1, 1] = 0.5
    second = how.fit(scores).transform(scores)
    assert len(times) == 2
    assert not first.equals(second)


def test_a_frame_whose_rows_are_systems_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = drawn(7, 5).rename_axis("system")
    found = frames.checked_scores(scores)
    monkeypatch.setattr(frames, "of_reading", None)
    assert frames.checked_scores(scores).topics == found.topics == [f"s{i}" for i in range(5)]


@given(
    st.lists(st.text(st.sampled_from("aAqß_- .0123\u0663\u0669"), max_size=6), max_size=30),
    st.sampled_from(["q", "", "t-"]),
    st.integers(0, 100),
)
def test_the_stem_is_that_of_most_labels(some: list[str], stem: str, numbered: int) -> None:
    labels = list(dict.fromkeys([*some, *(f"{stem}{i}" for i in range(numbered))]))
    times: dict[str, int] = {}
    for label in labels:
        before = re.fullmatch(r"([^\W\d_]*)[\W_]*", label.rstrip("0123456789"))
        if before is not None and label[-1:].isdecimal():
            times[before[1].casefold()] = times.get(before[1].casefold(), 0) + 1
    most = [own for own, number in times.items() if number >= 0.8 * len(labels)]
    assert _stem(tuple(labels)) == (most[0] if most else None)


@given(st.lists(st.sampled_from([*_TELLING, *"aMe%20", "Ä", "ſum", "TOTAL", "K"]), max_size=4))
def test_labels_with_a_telling_word_are_found(parts: list[str]) -> None:
    label = "".join(parts)
    told = any(word in label.casefold() for word in _TELLING)
    assert telling_labels(["t1", label, "50"]) == ([label] if told else [])
