"""A stream of a file with a column a system has the bits of the matrix in memory."""

import re
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, read_scores, write_scores
from cdfscore.scores import parquet
from cdfscore.standardization.streaming import standardize_parquet
from tests import a_tenth
from tests.standardization.streaming.subjects import matrix, written

WAYS = [
    Standardizer("empirical"),
    Standardizer("normal"),
    Standardizer("uniform"),
    Standardizer("kernel"),
    Standardizer("raw"),
    Standardizer("z", "trec_eval"),
    Standardizer("normal", "half", "omit"),
    Standardizer("empirical", "half", "zero"),
    Standardizer("empirical", "nan", "drop_topic"),
    Standardizer("minmax", "nan", "omit"),
    Standardizer("normal", "drop_topic", "drop_topic"),
    Standardizer("empirical", "drop_topic", "omit"),
    Standardizer("raw", "drop_topic", "omit"),
    Standardizer("raw", "drop_topic", "drop_topic"),
    Standardizer("gamma", unfitted="nan", missing="omit"),
    Standardizer("gamma", unfitted="drop_topic", missing="drop_topic"),
    Standardizer("normal", lower_is_better=["2", "9"], reflect_at=1.0),
    Standardizer("empirical", lower_is_better=True),
]


@pytest.mark.one_in(6)
@pytest.mark.clause("stream.1", "stream.3")
@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.parametrize(("block", "group"), [(1, None), (40, 5), (1 << 20, 1)])
def test_a_stream_has_the_bits_of_the_matrix(
    how: Standardizer, block: int, group: int | None, tmp_path: Path
) -> None:
    scores = matrix(missing=0 if how.missing == "raise" else 9)
    source = written(scores, tmp_path / "x.parquet", group)
    expected = how.standardize(scores)
    found = standardize_parquet(source, tmp_path / "y.parquet", how, block=block)
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "y.parquet"), expected.scores, check_exact=True
    )
    pd.testing.assert_frame_equal(found.means, expected.means, check_exact=True)
    assert found.notes == expected.notes
    assert found.censored == expected.censored
    assert found.cautions == expected.cautions
    assert found.constant_topics == expected.constant_topics
    assert found.unfitted_topics == expected.unfitted_topics
    assert found.dropped_topics == expected.dropped_topics


def test_a_file_is_opened_by_one_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    real = pq.ParquetFile

    def counted(*args: object, **settings: object) -> object:
        opened.append(args)
        return real(*args, **settings)

    monkeypatch.setattr(parquet.pq, "ParquetFile", counted)
    standardize_parquet(written(matrix(), tmp_path / "x.parquet"), tmp_path / "y.parquet", "normal")
    assert len(opened) == 1


@pytest.mark.parametrize("block", [12, 1 << 20])
def test_a_stream_has_all_cautions(tmp_path: Path, block: int) -> None:
    """Of few systems, and of a system on another scale, which many topics show to be far off."""
    scores = matrix(12, 6)
    scores.iloc[:, 2] *= 100
    source = written(scores, tmp_path / "x.parquet")
    how = Standardizer("normal")
    found = standardize_parquet(source, tmp_path / "y.parquet", how, block=block)
    in_memory = how.standardize(scores).cautions
    assert "is far from all others" in in_memory[0]
    assert found.cautions == in_memory[block == 12 :]
    *_, on_scale, few = found.cautions
    assert on_scale.startswith(f"system {scores.columns[2]!r} has scores up to ")
    assert few.startswith("with 6 reference systems")


@pytest.mark.parametrize("block", [1, 36, 1 << 20])
def test_the_reference_is_as_large_as_on_its_largest_topic(block: int, tmp_path: Path) -> None:
    how = Standardizer("normal", missing="omit")
    for systems, told in ((10, 0), (9, 1)):
        scores = matrix(12, systems)
        scores.iloc[[0, 3, 7], 1] = np.nan
        source = written(scores, tmp_path / "x.parquet")
        found = standardize_parquet(source, tmp_path / "y.parquet", how, block=block)
        assert found.cautions == how.standardize(scores).cautions
        assert [caution[:24] for caution in found.cautions] == ["with 9 reference systems"] * told


cells = st.one_of(
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 1.5]), st.floats(-1e3, 1e3), st.just(np.nan)
)


@a_tenth
@given(st.data(), st.sampled_from(["raw", "normal", "empirical"]), st.integers(1, 20))
def test_means_and_notes_of_any_scores(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, scheme: str, block: int
) -> None:
    """Raw scores of few decimals have ties of means that rounding would break."""
    shape = data.draw(st.tuples(st.integers(1, 9), st.integers(2, 4)))
    values = data.draw(st.lists(cells, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    index = pd.Index([f"t{i}" for i in range(shape[0])], name="topic")
    scores = pd.DataFrame(
        np.array(values).reshape(shape), index, [f"s{i}" for i in range(shape[1])]
    )
    scores.attrs["cdfscore"] = {"keep_topics": list(index), "keep_systems": list(scores.columns)}
    how = Standardizer(scheme, missing="omit", unfitted="nan")
    folder = tmp_path_factory.mktemp("stream")
    source = written(scores, folder / "x.parquet")
    try:
        expected = how.standardize(scores)
    except ValueError as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            standardize_parquet(source, folder / "y.parquet", how, block=block)
        return
    found = standardize_parquet(source, folder / "y.parquet", how, block=block)
    np.testing.assert_array_equal(pd.read_parquet(folder / "y.parquet"), expected.scores)
    np.testing.assert_array_equal(found.means, expected.means)
    assert found.notes == expected.notes
    assert found.censored == expected.censored


def test_the_columns_and_the_labels_are_those_of_write_scores(tmp_path: Path) -> None:
    from cdfscore import write_scores

    scores = matrix()
    write_scores(scores, tmp_path / "x.parquet")
    write_scores(Standardizer("empirical").fit_transform(scores), tmp_path / "expected.parquet")
    standardize_parquet(tmp_path / "x.parquet", tmp_path / "y.parquet", "empirical", block=50)
    found, expected = (
        pq.read_schema(tmp_path / name) for name in ("y.parquet", "expected.parquet")
    )
    assert found.equals(expected)
    remembered, all_remembered = (
        pd.read_parquet(tmp_path / name).attrs["cdfscore"]
        for name in ("y.parquet", "expected.parquet")
    )
    # The mark is of the scores that were searched, which are not those of the file.
    assert remembered.items() < all_remembered.items()
    own, theirs = dict(found.pandas_metadata), dict(expected.pandas_metadata)
    # Newer versions of pyarrow have it there as well.
    assert own.pop("attributes", {"cdfscore": remembered}) == {"cdfscore": remembered}
    theirs.pop("attributes", None)
    assert own == theirs


@pytest.mark.parametrize(
    "frame",
    [
        matrix().rename_axis("qid").reset_index(),
        matrix().rename_axis(None),
        matrix().set_axis(list(range(301, 324))).rename_axis("topic"),
        matrix().astype("float32").reset_index(),
        (matrix() * 100).round().astype("int64").reset_index(),
    ],
    ids=["column", "index without a name", "whole numbers", "float32", "int64"],
)
def test_files_are_read_as_in_memory(frame: pd.DataFrame, tmp_path: Path) -> None:
    source = written(frame, tmp_path / "x.parquet")
    standardize_parquet(source, tmp_path / "y.parquet", "normal", block=40)
    expected = Standardizer("normal").fit_transform(read_scores(source))
    found = pd.read_parquet(tmp_path / "y.parquet")
    assert found.index.tolist() == [str(topic) for topic in expected.index]
    np.testing.assert_array_equal(found, expected)


def test_the_column_of_topics_is_named(tmp_path: Path) -> None:
    frame = matrix().rename_axis("number").reset_index().astype({"number": int})
    source = written(frame, tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="which can be topic numbers or scores; say topic_column"):
        standardize_parquet(source, tmp_path / "y.parquet", "normal")
    done = standardize_parquet(
        source, tmp_path / "y.parquet", "normal", topic_column="number", block=40
    )
    assert done.systems == tuple(matrix().columns)


@pytest.mark.parametrize(
    "numbers",
    [
        pd.RangeIndex(0, 23),
        pd.RangeIndex(1, 24, name="topic"),
        pd.RangeIndex(301, 324),
        pd.RangeIndex(301, 324, name="topic"),
        pd.RangeIndex(0, 46, 2, name="query"),
        pd.RangeIndex(60, 14, -2),
    ],
    ids=str,
)
@pytest.mark.parametrize("column", [None, False])
def test_rows_are_numbered_as_in_memory(
    numbers: pd.RangeIndex,
    column: Literal[False] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parquet, "_SOME", 7)
    source = written(matrix().set_axis(numbers), tmp_path / "x.parquet", 5)
    found = standardize_parquet(
        source, tmp_path / "y.parquet", "normal", topic_column=column, block=40
    )
    expected = Standardizer("normal").standardize(read_scores(source, topic_column=column))
    written_in_memory = tmp_path / "z.parquet"
    write_scores(expected.scores, written_in_memory)
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "y.parquet"), pd.read_parquet(written_in_memory)
    )
    assert found.notes == expected.notes


def test_progress_counts_topics(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    source = written(matrix(), tmp_path / "x.parquet")
    standardize_parquet(
        *(source, tmp_path / "y.parquet", "normal"),
        block=120,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(10, 23), (20, 23), (23, 23)]
