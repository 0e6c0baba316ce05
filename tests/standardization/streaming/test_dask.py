"""Data frames of Dask, whose partitions are standardized in two processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dask.dataframe as dataframe
import distributed
import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.errors import CdfscoreError
from cdfscore.standardization.streaming import standardize_parquet, standardize_partition
from tests.experiments.engine_subjects import ENVIRONMENT
from tests.standardization.streaming.subjects import matrix, rows_of, written


@pytest.fixture(scope="module")
def two_processes() -> Iterator[object]:
    with (
        patch.dict(os.environ, ENVIRONMENT, clear=True),  # R leads programs to other libraries
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.clause("stream.4")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Dask's use of pandas
@pytest.mark.usefixtures("two_processes")
def test_dask_gives_the_numbers_of_a_stream(tmp_path: Path) -> None:
    wide = written(matrix(), tmp_path / "wide.parquet", 5)
    rows = written(rows_of(matrix(), "system"), tmp_path / "rows.parquet", 50)
    for scheme in ("empirical", "normal"):
        for source in (wide, rows):
            standardize_parquet(source, tmp_path / "y.parquet", scheme, block=50)
            expected = pd.read_parquet(tmp_path / "y.parquet")
            scores = dataframe.read_parquet(source, split_row_groups=True)
            assert scores.npartitions > 2
            if source is rows:
                systems = list(matrix().columns)
                found = (
                    scores.shuffle("topic", npartitions=3)
                    .map_partitions(standardize_partition, scheme, systems, meta=scores.head(0))
                    .compute()
                )
                keys = ["topic", "system"]
                found, expected = (each.sort_values(keys) for each in (found, expected))
                assert found[keys].to_numpy().tolist() == expected[keys].to_numpy().tolist()
                np.testing.assert_array_equal(found["score"], expected["score"])
            else:
                found = scores.map_partitions(
                    standardize_partition, scheme, meta=scores.head(0)
                ).compute()
                found.index = found.index.astype(expected.index.dtype)  # text of another type
                pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.clause("stream.4")
@pytest.mark.parametrize("form", ["wide", "rows"])
def test_a_partition_is_standardized_as_a_matrix(form: str) -> None:
    scores = matrix(missing=4)
    how = Standardizer("uniform", missing="drop_topic")
    expected = how.standardize(scores).scores
    part = scores if form == "wide" else rows_of(scores, "any")
    found = standardize_partition(part, how, None if form == "wide" else list(scores.columns))
    if form == "rows":
        found = found.pivot(index="topic", columns="system", values="score")
        found = found.loc[expected.index, expected.columns]
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.index.tolist() == expected.index.tolist()
    np.testing.assert_array_equal(found, expected)
    assert standardize_partition(part.iloc[:0], how).empty


@pytest.mark.parametrize("index", ["topic", ["topic", "system"], ["system", "topic"]])
def test_labels_may_be_the_index(index: str | list[str]) -> None:
    """As after ``set_index`` of Dask."""
    rows = rows_of(matrix(), "topic")
    expected = standardize_partition(rows, "normal").set_index(index)
    found = standardize_partition(rows.set_index(index), "normal")
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize("kind", [str, Decimal])
def test_numbers_of_any_type(kind: Callable[[str], object]) -> None:
    rows = rows_of(matrix(), "topic")
    other = rows.assign(score=[kind(repr(score)) for score in rows["score"].tolist()])
    pd.testing.assert_frame_equal(
        standardize_partition(other, "empirical"),
        standardize_partition(rows, "empirical"),
        check_exact=True,
    )


def nameless(column: str, value: object) -> pd.DataFrame:
    """Return rows of which the eighth has another value in a column."""
    rows = rows_of(matrix(), "topic").astype(object)
    rows.loc[7, column] = value
    return rows


@pytest.mark.clause("stream.4")
@pytest.mark.parametrize(
    ("part", "how", "systems", "fragment"),
    [
        (rows_of(matrix(), "any"), "normal", ["a"], "which is not one of systems"),
        (
            pd.concat([rows_of(matrix(), "topic")] * 2),
            "normal",
            None,
            "row 277, topic '1', system '.*': this score was given before, in row 1; expected one",
        ),
        (nameless("topic", None), "normal", None, "row 8: the topic has no name; expected a label"),
        (nameless("topic", " "), "normal", None, "row 8: the topic has no name; expected a label"),
        (nameless("system", np.nan), "normal", None, "row 8: the system has no name; expected"),
        (
            nameless("score", "x"),
            "normal",
            None,
            "row 8, topic '1', system '.*': .x. is not a number; expected a score",
        ),
        (nameless("score", np.inf), "normal", None, "row 8, topic '1', .*inf.* is not finite"),
        (rows_of(matrix(), "topic").astype({"score": bool}), "normal", None, "is not a number"),
        (matrix(), "normal", list(matrix().columns), "systems are given, and the partition has no"),
        (matrix().iloc[:0], "normal", ["a"], "systems are given, and the partition has no"),
        (rows_of(matrix(), "topic"), "normal", "ab", "systems='ab' is not accepted; expected a"),
        (rows_of(matrix(), "topic"), "normal", 5, "systems=5 is not accepted; expected a list"),
        (
            rows_of(matrix(), "topic"),
            "normal",
            [*matrix().columns, "x", "x"],
            "systems: system 'x' appears twice, in place 13 and in place 14; expected every label",
        ),
        (rows_of(matrix(), "topic").iloc[:0], "normal", ["x", ""], "place 2: the system has no"),
        (
            rows_of(matrix(), "topic").set_index(["topic", "score"]),
            "normal",
            None,
            "has the scores in its index; expected a column",
        ),
        (rows_of(matrix(), "any").assign(measure="ap"), "normal", None, "system and score alone"),
        (matrix(), Standardizer("normal", "raise"), None, "topic '6': all its reference scores"),
        (matrix(missing=1), "normal", None, "1 missing in all"),
    ],
)
def test_bad_partitions(
    part: pd.DataFrame, how: str | Standardizer, systems: Any, fragment: str
) -> None:
    with pytest.raises(CdfscoreError, match=fragment.replace("'", ".")):
        standardize_partition(part, how, systems)
