"""Runs, qrels and measures in memory, as other programs have them but ranx."""

import math
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ir_measures import AP, P, Qrel, ScoredDoc

from cdfscore import CdfscoreWarning
from cdfscore.errors import MeasureError, RunError
from cdfscore.retrieval import Measured, measure, read_run
from cdfscore.retrieval.runs import qrels_given, run_of

pytestmark = pytest.mark.one_in(2)

JUDGED = {"301": {"d2": 1, "d7": 0}, "302": {"d2": 2}}
FOUND = {"301": {"d7": 2.5, "d2": 1.5}, "302": {"d2": 9.0}}
RECORDS = [ScoredDoc(t, d, n) for t, own in FOUND.items() for d, n in own.items()]
JUDGMENTS = [Qrel(t, d, n) for t, own in JUDGED.items() for d, n in own.items()]
FRAME, QRELS = pd.DataFrame(RECORDS), pd.DataFrame(JUDGMENTS)
OF_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}

RUNS: dict[str, Callable[[], Any]] = {
    "pytrec_eval": lambda: FOUND,
    "records": lambda: RECORDS,
    "generator": lambda: iter(RECORDS),
    "pandas": lambda: FRAME,
    "in another order": lambda: FRAME.iloc[[2, 1, 0], ::-1],
    "index": lambda: FRAME.set_index(["query_id", "doc_id"]),
    "polars": lambda: pl.DataFrame(FRAME),
    "lazy": lambda: pl.DataFrame(FRAME).lazy(),
    "pyarrow": lambda: pl.DataFrame(FRAME).to_arrow(),
    "pyterrier": lambda: FRAME.rename(columns=OF_PYTERRIER).assign(rank=[0, 1, 0]),
    "retrieved by pyterrier": lambda: FRAME.rename(columns=OF_PYTERRIER).assign(
        docid=[7, 2, 2], rank=[0, 1, 0], query="words of the topic"
    ),
    "numbers of topics": lambda: FRAME.astype({"query_id": int}),
    "doubles for topics": lambda: FRAME.astype({"query_id": float}),
    "nullable": lambda: FRAME.convert_dtypes(),
    "decimals": lambda: FRAME.assign(score=FRAME["score"].map(Decimal)),
    "decimals of duckdb": lambda: duckdb.sql(
        "select * from (values ('301', 'd7', 2.5), ('301', 'd2', 1.5), ('302', 'd2', 9.0)) "
        "as run(query_id, doc_id, score)"
    ),
    "NumPy": lambda: {t: {d: np.float32(n) for d, n in own.items()} for t, own in FOUND.items()},
}
JUDGES: dict[str, Callable[[], Any]] = {
    "pytrec_eval": lambda: JUDGED,
    "records": lambda: JUDGMENTS,
    "generator": lambda: iter(JUDGMENTS),
    "pandas": lambda: QRELS,
    "polars": lambda: pl.DataFrame(QRELS),
    "pyterrier": lambda: QRELS.rename(columns=OF_PYTERRIER),
    "doubles": lambda: QRELS.astype({"query_id": float, "relevance": float}),
    "NumPy": lambda: {t: {d: np.int8(n) for d, n in own.items()} for t, own in JUDGED.items()},
}
EXPECTED = measure({"bm25": FOUND}, JUDGED, ["AP", "VDCG"])


def is_as_expected(found: Measured) -> bool:
    return [*found["AP"]] == ["bm25"] and found.frame().equals(EXPECTED.frame())


@pytest.fixture(autouse=True)
def no_caution() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CdfscoreWarning)
        yield


@pytest.mark.parametrize("kind", RUNS)
def test_every_kind_of_run_is_measured(kind: str) -> None:
    assert is_as_expected(measure({"bm25": RUNS[kind]()}, JUDGED, ["AP", "VDCG"]))


@pytest.mark.parametrize("kind", RUNS)
def test_a_single_run_without_a_name_is_called_run(kind: str) -> None:
    found = measure(RUNS[kind](), JUDGED, "AP")
    assert [*found["AP"]] == ["run"]
    assert found.notes == ("the run does not name its system, which is called 'run'",)


def test_a_data_frame_has_a_run_for_each_system() -> None:
    every = pd.concat([FRAME.assign(run="a"), FRAME.assign(run="b", score=-FRAME["score"])])
    shuffled = every.sample(frac=1, random_state=1).sort_values("run", kind="stable")
    found = measure(shuffled, JUDGED, "AP")
    assert found["AP"].to_dict() == {"a": {"301": 0.5, "302": 1.0}, "b": {"301": 1.0, "302": 1.0}}
    assert is_as_expected(measure(FRAME.assign(system="bm25"), JUDGED, ["AP", "VDCG"]))
    with pytest.raises(RunError, match="the run 'x' has 2 systems; expected one, or the data fra"):
        measure({"x": every}, JUDGED, "AP")


def test_the_ranks_of_a_data_frame_are_those_of_a_file() -> None:
    contradicted = FRAME.assign(rank=[2, 1, 1])
    with pytest.warns(CdfscoreWarning, match=r"contradict the scores of 1 system, 'a' \(1 of 2 to"):
        measure({"a": contradicted}, JUDGED, "AP")


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (10, "measure 10 is not accepted; expected a name such as AP, nDCG@20 or AP(rel=2), or an"),
        ([None], "measure None is not accepted"),
        (b"AP", "measure b'AP' is not accepted"),
        ([[AP]], "measure [AP] is not accepted"),
        (type(AP), "measure <class 'ir_measures.measures.ap._AP'> is not accepted"),
        (P, "measure 'P' has no cutoff; expected one, as in P@10"),
        ([AP, "MAP"], "measure 'MAP' is the same as 'AP'; expected each once"),
        (AP(rel=0.5), "measure 'AP(rel=0.5)': rel is 0.5"),
    ],
)
def test_what_is_no_measure(measures: Any, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        measure({"a": FOUND}, JUDGED, measures)
    assert message in str(caught.value)


def with_score(score: object) -> pd.DataFrame:
    bad = FRAME.astype(object)
    bad.iloc[1, 2] = score
    return bad


def without_id(column: str) -> pd.DataFrame:
    bad = FRAME.astype(object)
    bad.loc[1, column] = None
    return bad


_D2 = "the run 'a', topic '301', document 'd2': "
_TWICE = "document 'd7': the topic has the document already; expected each document once"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (with_score(math.nan), f"{_D2}the score nan is not a finite number; expected one such as"),
        (with_score("high"), f"{_D2}the score 'high' is not a finite number"),
        (with_score(None), f"{_D2}the score None is not a finite number"),
        (pl.DataFrame(FRAME).with_columns(score=pl.lit(None)), "the score None is not a finite nu"),
        ([*RECORDS, RECORDS[0]], _TWICE),
        (pd.concat([FRAME, FRAME]), _TWICE),
        ({301: {"d7": 2.5}, "301": {"d2": 1}}, "the run 'a' has the topic '301' twice; expected"),
        ({" 301": {"d7": 1}, "302": {"d2": 1}, "301": {"d2": 1}}, "the run 'a' has the topic '301"),
        (with_score(Decimal("NaN")), f"{_D2}the score Decimal('NaN') is not a finite number"),
        (with_score(Decimal("sNaN")), f"{_D2}the score Decimal('sNaN') is not a finite number"),
        (with_score(10**400), f"{_D2}the score 1000000000"),
        (with_score(-(10**400)), f"{_D2}the score -1000000000"),
        (with_score([1.0]), f"{_D2}the score [1.0] is not a finite number"),
        (with_score(math.inf), f"{_D2}the score inf is not a finite number"),
        (without_id("doc_id"), "document '': the document has no name; expected one"),
        (without_id("query_id"), "topic '', document 'd2': the topic has no name; expected one"),
        (FRAME.iloc[:0], "there is no document in the run 'a'; expected documents by t"),
        ([], "there is no document in the run 'a'"),
        ({"1": {}}, "there is no document in the run 'a'"),
        (JUDGMENTS, "the run 'a', record 1 is a Qrel; expected records with query_id, doc_id, sco"),
        ([RECORDS[0], ("301", "d2", 1)], "the run 'a', record 2 is a tuple; expected records"),
        (QRELS, "the run 'a' has no column of scores among query_id, doc_id, relevance, iteration"),
        (FRAME[["query_id", "score"]], "the run 'a' has no column of documents among query_id, sc"),
        (
            FRAME.assign(qid="1"),
            "the run 'a' has 2 columns of topics, 'query_id', 'qid'; expected one, so drop the oth",
        ),
        (
            FRAME.rename(columns={"doc_id": "docno"}).assign(docid="x"),
            "the run 'a' has 2 columns of documents, 'docno', 'docid'; expected one, so drop",
        ),
        (pd.DataFrame({"bm25": [0.5]}), "the run 'a' has no column of topics among bm25; expected"),
        (np.eye(2), "the run 'a' is an ndarray; expected a file, {topic: {document: score}}, a Ru"),
        (None, "the run 'a' is None; expected a file"),
        (b"a.run", "the run 'a' is a bytes; expected a file"),
        ({"301": ["d7", "d2"]}, "the run 'a', topic '301' has a list; expected the score by docum"),
    ],
)
def test_runs_in_memory_that_are_refused(run: Any, message: str) -> None:
    with pytest.raises(RunError) as caught:
        measure({"a": run}, JUDGED, "AP")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([FOUND, FOUND], "2 of 2 runs do not name their system; expected a name for each, as in {"),
        ([FOUND, FRAME.assign(run="x")], "1 of 2 runs do not name their system"),
        ({"": FOUND}, "a run has an empty name; expected the name of its system"),
        ([FOUND, None], "run 2 is None; expected a file, {topic: {document: score}}, a Run of ran"),
        ([FOUND, FRAME.iloc[:0]], "there is no document in run 2"),
        ({}, "there is no run; expected one or more"),
        ([], "there is no run"),
        (FRAME.assign(run="x", system="y"), "has the columns 'run', 'system'; expected one of"),
        (3, "the run is an int; expected a file"),
        (None, "the run is None; expected a file"),
        (np.eye(2), "the run is an ndarray; expected a file"),
        (b"a.run", "the run is a bytes; expected a file"),
        ({"1": {"d1": "2.5"}}, "the run, topic '1', document 'd1': the score '2.5' is not a"),
        ({"bm25": {"301": 0.3}}, "the run has none of the 2 judged topics, such as '301', but has"),
    ],
)
def test_several_runs_that_are_refused(runs: Any, message: str) -> None:
    with pytest.raises(RunError) as caught:
        measure(runs, JUDGED, "AP")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (QRELS.assign(relevance=[1, math.nan, 2]), "document 'd7': the relevance is nan; expected"),
        (QRELS.assign(relevance=0.5), "the relevance is 0.5; expected a whole number such as 0 or"),
        (QRELS.assign(relevance=10**7), "the relevance is 10000000; expected a whole number"),
        (QRELS.assign(relevance="1"), "the relevance is '1'; expected a whole number"),
        (pd.concat([QRELS, QRELS]), "document 'd2': the topic has the document already"),
        (RECORDS, "the qrels, record 1 is a ScoredDoc; expected records with query_id, doc_id, re"),
        (QRELS[["query_id", "doc_id"]], "the qrels has no column of relevances among"),
        ([], "there is no document in the qrels; expected documents by top"),
        ({"1": {}}, "there is no document in the qrels"),
        ({"1": 3}, "the qrels, topic '1' has an int; expected the relevance by document"),
        ({"1": {"a": -1}}, "the qrels: the relevance of every document is below 0, which means no"),
        (np.eye(2), "the qrels are an ndarray; expected a file, {topic: {document: relevance}}, a"),
        (None, "the qrels are None; expected a file"),
    ],
)
def test_qrels_in_memory_that_are_refused(qrels: Any, message: str) -> None:
    with pytest.raises(RunError) as caught:
        measure({"a": FOUND}, qrels, "AP")
    assert message in str(caught.value)


def test_runs_of_memory_and_of_files_are_equal(tmp_path: Any) -> None:
    lines = [f"{t} Q0 {d} 1 {n} a\n" for t, own in FOUND.items() for d, n in own.items()]
    (tmp_path / "a.run").write_text("".join(lines))
    (tmp_path / "q").write_text("".join(f"{t} 0 {d} {n}\n" for t, d, n, _ in JUDGMENTS))
    file = read_run(tmp_path / "a.run")
    for kind in RUNS.values():
        run = run_of("a", kind())
        assert sorted(run.topics) == sorted(file.topics)
        assert sorted(run.documents.to_pylist()) == sorted(file.documents.to_pylist())
        assert sorted(run.scores.tolist()) == sorted(file.scores.tolist())
    assert len({qrels_given(each()).digest for each in JUDGES.values()}) == 1
