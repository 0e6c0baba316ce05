"""Score matrices of runs: names, topics, policies, and processes."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore import CdfscoreError, CdfscoreWarning, compare
from cdfscore.errors import MeasureError, RunError
from cdfscore.retrieval import measure, read_qrels, read_run

QRELS = {"3": {"a": 1, "b": 0}, "1": {"a": 2}, "2": {"b": 1, "c": 1}}
FULL = {"1": {"a": 1.0}, "2": {"a": 3.0, "b": 2.0}, "3": {"a": 5.0}}
PART = {"1": {"c": 2.0, "a": 1.0}, "9": {"a": 1.0}}


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., Path]:
    """Write runs, each under the name of its file, and the qrels."""

    def write(**runs: dict[str, dict[str, float]]) -> Path:
        for name, run in runs.items():
            lines = [
                f"{topic} Q0 {document} {rank} {score} {name}\n"
                for topic, ranking in run.items()
                for rank, (document, score) in enumerate(ranking.items(), start=1)
            ]
            (tmp_path / name).write_text("".join(lines))
        lines = [
            f"{t} 0 {d} {level}\n" for t, judged in QRELS.items() for d, level in judged.items()
        ]
        (tmp_path / "qrels").write_text("".join(lines))
        return tmp_path

    return write


def test_systems_are_named_by_run_id_or_by_the_mapping(files: Callable[..., Path]) -> None:
    folder = files(x=FULL, y=FULL)
    qrels = folder / "qrels"
    assert [*measure([folder / "x", str(folder / "y")], qrels, "AP")["AP"]] == ["x", "y"]
    given: dict[str, Any] = {"b": folder / "x", "a": read_run(folder / "y"), "dict": FULL}
    assert [*measure(given, read_qrels(qrels), "AP")["AP"]] == ["b", "a", "dict"]
    assert [*measure(read_run(folder / "x"), qrels, "AP")["AP"]] == ["x"]
    assert [*measure(str(folder / "x"), qrels, "AP")["AP"]] == ["x"]
    with pytest.raises(
        RunError, match=r"x is given twice, both times as the run of the system 'x'; exp"
    ):
        measure([folder / "x", folder / "x"], qrels, "AP")


@pytest.mark.clause("measure.1")
def test_a_measure_is_found_in_any_spelling() -> None:
    measured = measure({"s": FULL}, QRELS, ["MAP", "P(rel=2)@1"])
    assert [*measured.matrices] == ["AP", "P(rel=2)@1"]
    assert measured["AP"] is measured["MAP"] is measured["AP(rel=1)"]
    assert measured["P(rel=2)@1"]["s"].tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(MeasureError, match="'RR' was not measured; expected one of AP, P"):
        measured["RR"]
    assert repr(measured) == "<Measured AP, P(rel=2)@1: 3 topics, 1 system>"


LACKS = "judged topics that 1 of 2 systems lacks: 's2' (2)"
NOT_JUDGED = "topic without judgments in the qrels is left out, as in trec_eval: 9 (in 1 of 2 runs)"
SHORT = {"1": FULL["1"]}


@pytest.mark.clause("measure.2")
@pytest.mark.parametrize(
    ("first", "policy", "topics", "scores", "note"),
    [
        (FULL, "omit", "312", [-1, 0.5, -1], f"scores are missing on {LACKS}"),
        (FULL, "zero", "312", [0, 0.5, 0], f"scores are 0 on {LACKS}"),
        (SHORT, "zero", "312", [0, 0.5, 0], "scores are 0 on judged topics that 2 of 2 systems"),
        (SHORT, "omit", "1", [0.5], "2 of 3 judged topics are left out, because no run has them"),
    ],
)
def test_missing_topics_as_in_trec_eval(
    first: Any, policy: Any, topics: str, scores: list[float], note: str
) -> None:
    runs = {"s1": first, "s2": PART}
    measured = measure(runs, QRELS, ["AP", "SP"], missing_topics=policy)
    for name in ("AP", "SP"):
        assert measured[name].index.tolist() == list(topics)
        assert measured[name]["s2"].fillna(-1).tolist() == scores
    told, not_judged = measured.notes
    assert told.startswith(note)
    assert not_judged == f"1 {NOT_JUDGED}"
    with pytest.raises(RunError) as caught:
        measure(runs, QRELS, "AP")
    system = "s2" if first is FULL else "s1"
    assert str(caught.value) == (
        f"the run {system!r} lacks 2 of 3 judged topics, such as '3'; say missing_topics='zero' "
        "for scores of 0 there, or missing_topics='omit' for missing scores"
    )
    if first is FULL and policy == "omit":
        with pytest.raises(CdfscoreError, match="missing"):
            compare(measured["AP"], test="paired_t")


def test_all_measures_have_the_same_order() -> None:
    """Programs that break ties in another way are given scores without ties."""
    qrels = {"1": {"a": 1, "b": 0, "c": 0}}
    run = {"1": {"a": 1.0, "b": 1.0, "c": 1.0, "z": 1.0}}  # measured as z, c, b, a
    measured = measure({"s": run}, qrels, ["RR", "Judged@1", "Judged@2", "SP", "Compat(p=0.5)"])
    values = {name: matrix["s"].item() for name, matrix in measured.matrices.items()}
    assert values["RR"] == values["SP"] == 0.25
    assert values["Judged@1"] == 0
    assert values["Judged@2"] == 0.5
    best = measure({"s": {"1": {"a": 1.0}}}, qrels, "Compat(p=0.5)")["Compat(p=0.5)"]
    assert values["Compat(p=0.5)"] < best["s"].item()


class Recording(Executor):
    """Runs each call at once, and counts."""

    calls = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_an_executor_measures_the_runs_and_progress_is_told(files: Callable[..., Path]) -> None:
    folder = files(x=FULL, y=FULL)
    told: list[tuple[int, int]] = []
    executor = Recording()
    by_executor = measure(
        [folder / "x", folder / "y"],
        folder / "qrels",
        ["AP", "VDCG"],
        executor=executor,
        progress=lambda done, total: told.append((done, total)),
    )
    assert executor.calls == 2
    assert told == [(1, 2), (2, 2)]
    here = measure([folder / "x", folder / "y"], folder / "qrels", ["AP", "VDCG"])
    assert by_executor.frame().equals(here.frame())


def test_policies_are_checked() -> None:
    with pytest.raises(CdfscoreError, match=r"'zeros' is not accepted .did you mean 'zero'"):
        measure({"s": FULL}, QRELS, "AP", missing_topics="zeros")  # type: ignore[arg-type]


@pytest.mark.clause("measure.1")
@pytest.mark.parametrize(
    ("name", "expected", "caution"),
    [
        ("AP", [0.0, 0.0], True),
        ("NumRet(rel=1)", [0.0, 0.0], True),
        ("Judged@10", [2 / 3, 1.0], False),
        ("NumRet", [3.0, 1.0], False),
        ("Accuracy", [np.nan, np.nan], False),
    ],
)
def test_a_topic_without_a_relevant_document(
    name: str, expected: list[float], caution: bool
) -> None:
    runs = {"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "t": {"1": {"a": 1.0}}}
    with pytest.warns(CdfscoreWarning) if caution or name == "Accuracy" else nullcontext():
        measured = measure(runs, {"1": {"a": 0, "b": 0}}, name)
    np.testing.assert_array_equal(measured[name].loc["1"], expected)
    assert any("all systems have the same score" in note for note in measured.notes) == caution


@pytest.mark.clause("measure.1")
def test_a_document_below_0_is_in_the_qrels_and_has_no_gain() -> None:
    """As the case of TREC Web: -2 is junk, which Judged counts and bpref of trec_eval does not."""
    run = {"x": {"Q1": {"D1": 9.0, "D2": 8.0}, "Q3": {"D1": 9.0, "D2": 8.0}}}
    qrels = {"Q1": {"D1": -2, "D2": 1, "D3": 2}, "Q2": {"D1": -2}, "Q3": {"D1": -1, "D2": 1}}
    found = measure(run, qrels, ["AP", "nDCG", "VDCG", "Judged@10", "P@1"])
    gain = 1 / np.log2(3)
    expected = {
        "AP": [0.25, 0.5],
        "nDCG": [gain / (2 + gain), gain],
        "VDCG": [gain, gain],
        "Judged@10": [1.0, 1.0],
        "P@1": [0.0, 0.0],
    }
    for name, scores in expected.items():
        assert found[name]["x"].tolist() == pytest.approx(scores, abs=1e-15)
    assert any("Q2" in note for note in found.notes)


@pytest.mark.clause("measure.1")
def test_the_number_of_topics_is_no_measure() -> None:
    with pytest.raises(MeasureError, match="NumQ is 1 for each topic, and no score; expected"):
        measure({"s": FULL}, QRELS, "NumQ")
