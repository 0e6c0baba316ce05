"""Data frames of every library come in, and results go back as the kind that came in."""

import datetime
import math
import pickle
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

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
from cdfscore.scores.dataframes import taken
from tests.verified import verify

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


BAD: list[tuple[Callable[[], Any], str]] = [
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


@pytest.mark.parametrize(("make", "fragment"), BAD)
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
