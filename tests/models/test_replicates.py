"""Scores with replicates: reading, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cdfscore import CdfscoreError, read_scores
from cdfscore.errors import ScoresError
from cdfscore.models import as_replicates, read_replicates
from tests.models.mixed_designs import long

ROWS = [
    ("q1", "bm25", "a", "x", 0.25, 0.5),
    ("q1", "bm25", "b", "x", 0.5, 0.75),
    ("q1", "lsa", "a", "y", 0.75, 0.125),
    ("q2", "bm25", "b", "x", 0.375, 0.0),
]
FRAME = pd.DataFrame(ROWS, columns=["topic", "run", "shard", "user", "ap", "rr"])
ONE = FRAME.drop(columns=["user", "rr"]).rename(columns={"ap": "score"})


@pytest.mark.clause("replicates.1")
def test_a_slot_is_a_system_and_a_replicate() -> None:
    found = as_replicates(ONE, "shard")
    assert list(found.scores.columns) == ["bm25 [shard=a]", "bm25 [shard=b]", "lsa [shard=a]"]
    assert found.scores.loc["q1"].tolist() == [0.25, 0.5, 0.75]
    assert found.scores.loc["q2"].isna().tolist() == [True, False, True]
    assert found.systems == ("bm25", "bm25", "lsa")
    shard = found.factors["shard"]
    assert [shard.levels[code] for code in shard.codes] == ["a", "b", "a"]


def test_columns_may_be_several_and_measures_too() -> None:
    found = as_replicates(FRAME, ["shard", "user"], measure="rr")
    assert next(iter(found.scores.columns)) == "bm25 [shard=a, user=x]"
    assert list(found.factors) == ["shard", "user"]
    assert found.scores.loc["q1"].tolist() == [0.5, 0.75, 0.125]


def test_labels_to_leave_out_are_those_of_systems_and_topics() -> None:
    found = as_replicates(ONE, "shard", drop_systems=["lsa"], drop_topics=["q2"])
    assert found.systems == ("bm25", "bm25")
    assert found.scores.index.tolist() == ["q1"]
    summary = pd.concat([ONE, ONE.iloc[[3]].assign(run="mean")])
    assert as_replicates(summary, "shard", keep_systems=["mean"]).systems[-1] == "mean"
    numbered = as_replicates(ONE.assign(run=[1, 1, 2, 1]), "shard", drop_systems=[2])
    assert numbered.systems == ("1", "1")
    with pytest.raises(ScoresError, match="no system 'lsi'"):
        as_replicates(ONE, "shard", drop_systems=["lsi"])


SAVED: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, sep="\t", index=False),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "semicolons": lambda frame, path: frame.to_csv(path, sep=";", index=False),
    "commas": lambda frame, path: frame.to_csv(path, sep=";", decimal=",", index=False),
    "marks": lambda frame, path: path.write_bytes(
        frame.to_csv(index=False).replace("\n", "\n\ufeff").removesuffix("\ufeff").encode()
    ),
    "returns": lambda frame, path: path.write_text(
        frame.to_csv(index=False).replace("\n", "\r"), newline=""
    ),
    "gzip": lambda frame, path: frame.to_csv(path, index=False, compression="gzip"),
    "xlsx": lambda frame, path: (
        frame.to_excel(path.with_suffix(".xlsx"), index=False)
        or path.with_suffix(".xlsx").rename(path)
    ),
    "records": lambda frame, path: frame.to_json(path, orient="records", double_precision=15),
    "lines": lambda frame, path: frame.to_json(
        path, orient="records", lines=True, double_precision=15
    ),
}


@pytest.mark.clause("replicates.1")
@pytest.mark.parametrize("form", SAVED)
def test_a_file_has_the_same_scores(tmp_path: Path, form: str) -> None:
    """In each form that `read_scores` reads, so that both have the same means."""
    path = tmp_path / ("s.parquet" if form == "parquet" else "s.dat")
    frame = long((1.0, 0.1, 0.2, 0.5), seed=1).round(9)
    SAVED[form](frame, path)
    found, expected = read_replicates(path, "shard"), as_replicates(pl.from_pandas(frame), "shard")
    pd.testing.assert_frame_equal(found.scores, expected.scores, check_exact=True)
    assert found.systems == expected.systems
    means = read_scores(path, replicate="shard")
    own = found.scores.T.groupby(list(found.systems), sort=False).mean().T
    pd.testing.assert_frame_equal(means, own, check_names=False)


def test_other_settings_are_refused(tmp_path: Path) -> None:
    other: Any = {"systems_as_rows": True}
    with pytest.raises(TypeError, match="systems_as_rows"):
        as_replicates(ONE, "shard", **other)
    for ending, save in (("csv", ONE.to_csv), ("parquet", ONE.to_parquet)):
        path = tmp_path / f"s.{ending}"
        save(path)
        with pytest.raises(ScoresError, match=r"sheet='one' is given, and .* is no workbook"):
            read_replicates(path, "shard", sheet="one")


def test_cells_of_files_are_read_as_those_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("topic;system;fold;score\n1;a;1;0,25\n1;a;2;OOM\n1;b;1;0,5*\n1;b;2;0,75\n")
    how: Any = {"na": ["OOM"], "cells": ["value*"]}
    found = read_replicates(path, "fold", **how).scores
    assert found.loc["1"].tolist()[0] == 0.25
    assert found.loc["1"].isna().tolist() == [False, True, False, False]
    assert read_scores(path, replicate="fold", **how).loc["1"].tolist() == [0.25, 0.625]
    path.write_text("topic;system;fold;score\n1;a;1;0,25\n1;a;2;0.5\n")
    with pytest.raises(ScoresError, match="a decimal comma and 1 with a decimal point"):
        read_replicates(path, "fold")


@pytest.mark.clause("replicates.1")
def test_replicates_are_refused_elsewhere(tmp_path: Path) -> None:
    """Of a system and a topic there is one score, but for the mixed model."""
    path = tmp_path / "s.csv"
    ONE.to_csv(path, index=False)
    with pytest.raises(ScoresError, match="also the column 'shard'"):
        read_scores(path)
    ONE.drop(columns="shard").to_csv(path, index=False)
    with pytest.raises(ScoresError, match="bm25"):
        read_scores(path)


BAD: list[tuple[Any, dict[str, Any], str]] = [
    (ONE, {"replicate": "shrad"}, "no column 'shrad' (did you mean 'shard'?); expected one with"),
    (ONE, {"replicate": "topic"}, "replicate='topic' is not accepted; expected names of one or"),
    (ONE, {"replicate": None}, "replicate=None is not accepted; expected names of one or more"),
    (ONE, {"replicate": [1]}, "replicate=[1] is not accepted; expected names of one or more"),
    (ONE, {"replicate": "shard", "keep_systems": "lsa"}, "keep_systems='lsa' is not accepted"),
    (ONE, {"replicate": "shard", "drop_systems": "lsa"}, "drop_systems='lsa' is not accepted"),
    (ONE.assign(run=["a", "a", None, "a"]), {"replicate": "shard"}, "row 3: the system has no nam"),
    (
        ONE.assign(run=["bm25", "bm25", "mean", "mean"]),
        {"replicate": "shard"},
        "has a system 'mean', the name of a summary and not of a system; leave it out by drop_syst",
    ),
    (
        ONE.assign(shard=["a", "b", "a", "all"]),
        {"replicate": "shard"},
        "has the shard 'all', row 4, the name of a summary and not of a replicate; leave its rows",
    ),
    (ONE, {"replicate": []}, "replicate=[] is not accepted"),
    (ONE, {"replicate": ["shard", "shard"]}, "each once"),
    (ONE.assign(shard=["a", None, "b", "c"]), {"replicate": "shard"}, "row 2 has no shard"),
    (ONE.drop(columns="run"), {"replicate": "shard"}, "does not have one row for each score"),
    (FRAME[["topic", "shard", "ap"]], {"replicate": "shard"}, "expected columns of topic, system"),
    (pd.concat([ONE, ONE.iloc[:1]]), {"replicate": "shard"}, "bm25 [shard=a]"),
    (ONE.assign(score=["x", 1, 2, 3]), {"replicate": "shard"}, "row 1"),
]


@pytest.mark.clause("replicates.1")
@pytest.mark.parametrize(("frame", "given", "fragment"), BAD)
def test_what_has_no_replicates_is_refused(
    frame: pd.DataFrame, given: dict[str, Any], fragment: str
) -> None:
    with pytest.raises(CdfscoreError) as caught:
        as_replicates(frame, **given)
    assert fragment in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (b"", "has nothing; expected a header with topic, system, score and replicate"),
        (b"topic,system,shard,score\n", "has no rows; expected a header with topic"),
        (b"topic,system,shard,score\nq,s,a\n", "line 2 has 3 fields, and the header has 4"),
        (b'{"q1": {"map": 0.5}}', "has JSON of another form; expected records with names of co"),
        (b"[]", "has JSON of another form"),
        (b"topic,system,shard,score\nq,s,a,\xff\n", "line 2: byte 0xff is not UTF-8"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, content: bytes, fragment: str) -> None:
    path = tmp_path / "s.csv"
    path.write_bytes(content)
    with pytest.raises(CdfscoreError, match=fragment):
        read_replicates(path, "shard")
    with pytest.raises(CdfscoreError, match="cannot be read"):
        read_replicates(tmp_path / "absent.csv", "shard")


def test_other_words_and_labels_of_several_columns(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text(
        "game,tool,config,seed,elo,seconds\n"
        "g1,A,x,1,0.5,9\ng1,A,x,2,OOM,9\ng2,A,x,1,70%,9\ng2,A,,1,0.25,9\ng2,A,,2,0.125,9\n"
    )
    found = read_replicates(
        table,
        "seed",
        topic_column="game",
        system_column="tool,config",
        score_column="elo",
        na=["OOM"],
        cells=["value%"],
    )
    assert found.systems == ("A / x", "A / x", "A", "A")
    expected = [[0.5, np.nan, np.nan, np.nan], [0.7, np.nan, 0.25, 0.125]]
    np.testing.assert_array_equal(found.scores.to_numpy(), expected)
