"""Runs whose scores a careful person could misread."""

import warnings
from pathlib import Path

import pytest

from cdfscore import CdfscoreWarning
from cdfscore.retrieval import measure
from tests.cli.conftest import Run, Write

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n"
TIED = "1 Q0 a 1 0.5 s\n1 Q0 b 2 0.5 s\n2 Q0 a 1 0.5 s\n"
FULL = {"1": {"a": 1.0}, "2": {"a": 1.0}}


def test_ties_that_the_system_did_not_have(cdfscore: Run, write: Write, tmp_path: Path) -> None:
    write({"s.run": TIED, "q": QRELS})
    out = cdfscore("measure", "s.run", "--qrels", "q", "--measure", "RR")
    assert out.status == 0
    assert out.out == "topic,s\n1,0.5\n2,0.0\n"
    assert "the ranks in the file: 1 system, 's' (2 documents in 1 of 2 topics)" in out.err
    with pytest.warns(CdfscoreWarning) as caught:
        measured = measure(tmp_path / "s.run", tmp_path / "q", "RR")
    assert [str(each.message) for each in caught] == list(measured.notes)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "lines",
    ["1 Q0 a 0 0.5 s\n1 Q0 b 0 0.5 s\n", "1 Q0 a first 0.5 s\n1 Q0 b second 0.5 s\n"],
    ids=["rank 0", "words"],
)
def test_ties_where_the_file_has_no_ranks(cdfscore: Run, write: Write, lines: str) -> None:
    write({"s.run": lines, "q": "1 0 a 1\n1 0 b 0\n"})
    out = cdfscore("measure", "s.run", "--qrels", "q", "--measure", "RR")
    assert (out.status, out.out) == (0, "topic,s\n1,0.5\n")
    said = "their order in the input, which has no ranks: 1 system, 's' (2 documents in 1"
    assert said in out.err


def test_ranks_that_contradict_the_scores(tmp_path: Path) -> None:
    (tmp_path / "s.run").write_text("1 Q0 a 1 0.1 s\n1 Q0 b 2 0.9 s\n2 Q0 a 1 0.5 s\n")
    (tmp_path / "q").write_text(QRELS)
    with pytest.warns(CdfscoreWarning, match="contradict the scores of 1 system, 's' .1 of 2 topi"):
        measured = measure(tmp_path / "s.run", tmp_path / "q", "RR")
    assert measured["RR"]["s"].tolist() == [0.5, 0.0]


def test_topics_without_a_relevant_document() -> None:
    with pytest.warns(CdfscoreWarning, match="1 topic has no document of relevance 1 or more.*: 2"):
        measure({"s": FULL}, {"1": {"a": 1}, "2": {"a": 0}}, "AP")
    with pytest.warns(CdfscoreWarning, match="2 topics have no document of relevance 2 or more"):
        measure({"s": FULL}, {"1": {"a": 1}, "2": {"a": 1}}, "AP(rel=2)")


def test_measures_that_differ_without_a_relevant_document() -> None:
    qrels, run = {"1": {"a": 0, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}}
    other = {"1": {"x": 3.0, "b": 1.0, "a": 0.5}}
    names = ["Judged@1", "NumRet", "Accuracy", "Accuracy(rel=2)", "nDCG(gains={0:1})@1"]
    with pytest.warns(CdfscoreWarning) as caught:
        found = measure({"s": run, "t": other}, qrels, names)
    assert found["Judged@1"].to_numpy().tolist() == [[1.0, 0.0]]
    assert found["NumRet"].to_numpy().tolist() == [[2.0, 3.0]]
    assert found["nDCG(gains={0:1})@1"].to_numpy().tolist() == [[1.0, 0.0]]
    assert not any("the same score" in str(each.message) for each in caught)
    for name, what in {
        "NumRet(rel=1)": "of relevance 1 or more",
        "nDCG": "of relevance 1 or more",
        "SP": "of relevance 1 or more",
        "nDCG(gains={1:1})@1": r"with a gain above 0 by nDCG\(gains={}\)@1",
    }.items():
        with pytest.warns(CdfscoreWarning, match=f"1 topic has no document {what}, so that all"):
            measure({"s": run}, qrels, name)


def test_topics_whose_relevance_is_all_below_0() -> None:
    run = {topic: {"a": 1.0} for topic in "1234"}
    qrels = {"1": {"a": 1}, "2": {"a": 2}, "3": {"a": -1}}
    one = measure({"s": run}, qrels, "AP")
    assert one.notes[1] == (
        "1 topic is left out, because the relevance in the qrels is below 0, which means not "
        "judged: 3"
    )
    two = measure({"s": run}, {**qrels, "4": {"a": -2, "b": -1}}, ["AP", "SP"])
    assert two.notes[0].startswith("2 topics are left out, because the relevance")
    assert two.notes[0].endswith(": 3, 4")


@pytest.mark.parametrize("names", ["AP", ["AP", "NumRet"], ["NumRet"], ["SP", "Judged@5"]])
def test_a_count_does_not_hide_that_no_document_is_judged(names: str | list[str]) -> None:
    run = {"1": {"doc-a": 1.0}, "2": {"b": 1.0}}  # of a topic that does not judge it
    found = measure({"s": run}, {"1": {"a": 1, "b": 1}, "2": {"a": 1}}, names)
    assert any("is judged: 's' (such as 'doc-a')" in note for note in found.notes)


def test_runs_without_a_judged_document() -> None:
    run = {"1": {"doc-a": 1.0}, "2": {"doc-b": 1.0}}
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    with pytest.warns(CdfscoreWarning) as caught:
        measured = measure({"s": run, "t": FULL}, qrels, ["AP", "SP"])
    assert [str(each.message) for each in caught] == [
        "no document of 1 of 2 systems is judged: 's' (such as 'doc-a'); are the ids of the "
        "documents written as in the qrels, such as 'a'?"
    ]
    assert measured["AP"]["s"].tolist() == [0.0, 0.0]
    # A run that is merely bad.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measure({"s": {"1": {"b": 1.0}}}, {"1": {"a": 1, "b": 0}}, "AP")
