"""A stream of rows of topic, system and score has the bits of the matrix in memory."""

import re
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from cdfscore import Standardizer, read_scores
from cdfscore.standardization import streaming as long
from cdfscore.standardization.streaming import standardize_parquet
from tests import a_tenth
from tests.standardization.streaming.subjects import matrix, rows_of, written

WAYS = [
    Standardizer("empirical"),
    Standardizer("normal"),
    Standardizer("uniform", missing="omit"),
    Standardizer("kernel", missing="drop_topic"),
    Standardizer("empirical", missing="zero"),
    Standardizer("gamma", missing="omit", unfitted="drop_topic"),
]


@pytest.mark.one_in(6)
@pytest.mark.clause("stream.1")
@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.parametrize("order", ["topic", "system", "any"])
@pytest.mark.parametrize(("block", "batch"), [(1, 7), (50, 31), (1 << 20, 1 << 20)])
def test_a_stream_has_the_bits_of_the_matrix(
    how: Standardizer,
    order: str,
    block: int,
    batch: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(long, "ROWS", batch)
    rows = rows_of(matrix(missing=0 if how.missing == "raise" else 9), order)
    if how.missing in ("omit", "drop_topic"):  # some rows are absent
        rows = rows.drop(index=rows.index[[20, 40]]).reset_index(drop=True)
    source = written(rows[["system", "score", "topic"]], tmp_path / "x.parquet", 50)
    found = standardize_parquet(source, tmp_path / "y.parquet", how, block=block)
    scores = rows.pivot(index="topic", columns="system", values="score").loc[
        rows["topic"].unique(), rows["system"].unique()
    ]
    expected = how.standardize(scores)
    y = pd.read_parquet(tmp_path / "y.parquet")
    assert y.columns.tolist() == ["system", "score", "topic"]
    kept = rows[rows["topic"].isin(expected.scores.index)]
    assert (
        y[["topic", "system"]].to_numpy().tolist() == kept[["topic", "system"]].to_numpy().tolist()
    )
    cells = (
        expected.scores.index.get_indexer(y["topic"]),
        expected.scores.columns.get_indexer(y["system"]),
    )
    np.testing.assert_array_equal(y["score"], expected.scores.to_numpy()[cells])
    np.testing.assert_array_equal(found.means, expected.means)
    assert found.means.index.equals(expected.means.index)
    assert found.notes == expected.notes
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.parquet", "y.parquet"]


cells = st.one_of(st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]), st.floats(-1e3, 1e3))


@pytest.mark.clause("stream.1")
@a_tenth
@hypothesis.given(st.data(), st.sampled_from(["raw", "normal", "empirical"]))
def test_rows_of_any_scores_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, scheme: str
) -> None:
    """Some rows are absent; blocks, row groups and batches have few rows."""
    every = [(f"t{i}", f"s{j}") for i in range(6) for j in range(4)]
    drawn = data.draw(st.permutations(every))[: data.draw(st.integers(8, 24))]
    rows = pd.DataFrame(drawn, columns=["topic", "system"])
    rows["score"] = data.draw(st.lists(cells, min_size=len(rows), max_size=len(rows)))
    sizes = st.integers(1, 12)
    folder = tmp_path_factory.mktemp("rows")
    source, target = written(rows, folder / "x.parquet", data.draw(sizes)), folder / "y.parquet"
    how = Standardizer(scheme, missing="omit", unfitted="nan")
    scores = rows.pivot(index="topic", columns="system", values="score").loc[
        rows["topic"].unique(), rows["system"].unique()
    ]
    kept = {"keep_topics": list(scores.index), "keep_systems": list(scores.columns)}
    scores.attrs["cdfscore"] = kept
    try:
        expected = how.standardize(scores)
    except ValueError as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            standardize_parquet(source, target, how, block=data.draw(sizes), **kept)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long, "ROWS", data.draw(sizes))
        patch.setattr(long, "_MANY", data.draw(st.sampled_from([0, 20])))  # labels as numbers, text
        found = standardize_parquet(source, target, how, block=data.draw(sizes), **kept)
    y = pd.read_parquet(target)
    assert y[["topic", "system"]].equals(rows[["topic", "system"]])
    places = (scores.index.get_indexer(y["topic"]), scores.columns.get_indexer(y["system"]))
    np.testing.assert_array_equal(y["score"], expected.scores.to_numpy()[places])
    np.testing.assert_array_equal(found.means, expected.means)


@pytest.mark.clause("stream.1")
@pytest.mark.parametrize("order", ["topic", "any"])
def test_a_missing_score_is_null_and_not_nan(order: str, tmp_path: Path) -> None:
    """As in the file of `write_scores`: other programs take NaN for a number."""
    rows = rows_of(matrix(missing=9), order)
    source = written(rows, tmp_path / "x.parquet")
    how = Standardizer("normal", missing="omit")
    standardize_parquet(source, tmp_path / "y.parquet", how, block=50)
    written_scores = pq.read_table(tmp_path / "y.parquet")["score"]
    assert written_scores.null_count == rows["score"].isna().sum() == 9
    assert not np.isnan(written_scores.drop_null().to_numpy()).any()


@pytest.mark.parametrize("order", ["topic", "any"])
def test_labels_may_be_numbers_and_categories(order: str, tmp_path: Path) -> None:
    rows = rows_of(matrix(), order)
    numbers = rows.astype({"topic": int, "system": "category"}).rename(columns={"score": "value"})
    source = written(numbers, tmp_path / "x.parquet")
    written(rows, tmp_path / "text.parquet")
    standardize_parquet(source, tmp_path / "y.parquet", "normal", block=50)
    standardize_parquet(tmp_path / "text.parquet", tmp_path / "z.parquet", "normal", block=90)
    y, z = (pd.read_parquet(tmp_path / name) for name in ("y.parquet", "z.parquet"))
    np.testing.assert_array_equal(y["value"], z["score"])
    assert y["topic"].dtype == np.int64
    assert y["system"].tolist() == z["system"].tolist()


@pytest.mark.parametrize("order", ["topic", "any"])
def test_labels_of_the_user_are_looked_for(order: str, tmp_path: Path) -> None:
    source = written(rows_of(matrix(), order), tmp_path / "x.parquet")
    how = Standardizer("normal", lower_is_better=["1", "no"])
    with pytest.raises(ValueError, match="there is no topic 'no', on which lower is given"):
        standardize_parquet(source, tmp_path / "y.parquet", how, block=50)
    with pytest.raises(ValueError, match="has no topic 'no', which is to be kept"):
        standardize_parquet(source, tmp_path / "y.parquet", "normal", keep_topics=["no"])
    lower = Standardizer("normal", lower_is_better=["1", "9"])
    found = standardize_parquet(source, tmp_path / "y.parquet", lower, block=50)
    assert "lower is better on 2 topics" in found.notes[0]


@pytest.mark.parametrize("order", ["topic", "any"])
def test_labels_to_keep_are_looked_for_among_all(order: str, tmp_path: Path) -> None:
    scores = matrix()
    source = written(rows_of(scores, order), tmp_path / "x.parquet")
    target, systems = tmp_path / "y.parquet", [scores.columns[2]]
    found = standardize_parquet(
        source, target, "normal", block=50, keep_topics=["9"], keep_systems=systems
    )
    assert found.notes == Standardizer("normal").standardize(scores).notes
    with pytest.raises(ValueError, match="has no topic '24', which is to be kept") as refused:
        standardize_parquet(source, target, "normal", keep_topics=["9", "24"], keep_systems=systems)
    assert "(did you mean '4'?); expected a topic after keep_topics=..." in str(refused.value)


@pytest.mark.parametrize("order", ["topic", "any"])
def test_lower_may_be_better_on_all_topics(order: str, tmp_path: Path) -> None:
    rows = rows_of(matrix(), order)
    source = written(rows, tmp_path / "x.parquet")
    how = Standardizer("empirical", lower_is_better=True)
    found = standardize_parquet(source, tmp_path / "y.parquet", how, block=50)
    expected = how.standardize(matrix())
    y = pd.read_parquet(tmp_path / "y.parquet")
    cells = expected.scores.stack()
    assert y["score"].tolist() == [
        cells[cell] for cell in zip(y["topic"], y["system"], strict=True)
    ]
    assert found.notes == expected.notes
    assert found.notes[1].startswith("lower is better on every topic")


def test_whole_numbers_that_no_double_has_become_the_nearest(tmp_path: Path) -> None:
    rows = pd.DataFrame({"topic": ["1"] * 3, "system": list("abc"), "score": [2**53 + 1, 5, 7]})
    rows.to_parquet(tmp_path / "rows.parquet")
    standardize_parquet(tmp_path / "rows.parquet", tmp_path / "y.parquet", "minmax")
    expected = Standardizer("minmax").fit_transform(
        pd.DataFrame({"a": [float(2**53)], "b": [5.0], "c": [7.0]}, index=["1"])
    )
    y = pd.read_parquet(tmp_path / "y.parquet")["score"]
    assert y.tolist() == expected.to_numpy()[0].tolist()


def test_progress_counts_both_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each topic when it is standardized, and when its rows are written."""
    monkeypatch.setattr(long, "ROWS", 92)
    for order, expected in (
        ("topic", [(10, 46), (20, 46), (23, 46), (30, 46), (38, 46), (46, 46)]),
        ("any", [(10, 46), (20, 46), (23, 46), (30, 46), (38, 46), (46, 46)]),
    ):
        told: list[tuple[int, int]] = []
        source = written(rows_of(matrix(), order), tmp_path / "x.parquet")
        standardize_parquet(
            *(source, tmp_path / "y.parquet", "normal"),
            block=120,
            progress=lambda done, total, told=told: told.append((done, total)),
        )
        assert told == expected


@pytest.mark.clause("stream.1")
@pytest.mark.parametrize("order", ["topic", "any"])
@pytest.mark.parametrize(
    ("names", "given"),
    [
        (("game", "agent", "elo"), ("topic_column", "system_column", "score_column")),
        (("topic", "framework", "score"), ("system_column",)),
        (("dataset", "variable", "value"), ("system_column",)),
        (("query_id", "system", "ap"), ("score_column",)),
        (("topic", "model", "result"), ("score_column",)),
        (("case", "alg_name", "score"), ("topic_column", "system_column")),
        (("qid", "run", "ndcg"), ()),
    ],
)
def test_columns_that_are_named_are_those_of_a_file_in_memory(
    names: tuple[str, str, str], given: tuple[str, ...], order: str, tmp_path: Path
) -> None:
    rows = rows_of(matrix(), order).rename(
        columns=dict(zip(("topic", "system", "score"), names, strict=True))
    )
    if given:
        rows = rows.assign(seconds=range(len(rows)))[[names[2], "seconds", *names[:2]]]
    roles = dict(zip(("topic_column", "system_column", "score_column"), names, strict=True))
    how = {name: roles[name] for name in given}
    if "score_column" not in given and given:  # more columns of numbers are measures
        rows["seconds"] = rows["seconds"].map("{} s".format)
    source = written(rows, tmp_path / "x.parquet", 50)
    found = standardize_parquet(source, tmp_path / "y.parquet", "normal", block=50, **how)
    expected = Standardizer("normal").standardize(read_scores(source, **how))
    np.testing.assert_array_equal(found.means, expected.means)
    assert [note for note in found.notes if "not read" in note] == [
        note for note in expected.notes if "not read" in note
    ]
    y = pd.read_parquet(tmp_path / "y.parquet")
    assert y.columns.tolist() == rows.columns.tolist()
    again = read_scores(tmp_path / "y.parquet", **how)
    pd.testing.assert_frame_equal(again, expected.scores, check_exact=True)
