"""Measures beside others, and programs of ir_measures that fail."""

import itertools
import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from cdfscore import CdfscoreWarning
from cdfscore.errors import MeasureError
from cdfscore.retrieval import measure
from cdfscore.retrieval.measuring import require_ir_measures

RNG = random.Random(15)
QRELS = {
    str(topic): {f"d{i}": RNG.choice([-1, 0, 0, 0, 1, 2, 3]) for i in range(20)}
    for topic in range(4)
}
RUN = {str(topic): {f"d{RNG.randrange(40)}": 99.0 - i for i in range(25)} for topic in range(4)}
TOGETHER = [
    "AP", "AP@5", "AP(rel=2)", "nDCG", "nDCG@5", "nDCG(dcg='exp-log2')@5", "P@5", "P(rel=2)@5",
    "RR", "RR@5", "R@10", "Rprec", "Bpref", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)",
    "NumRel", "SetAP", "SetF", "SetF(beta=2.0)", "SetP", "SetP(relative=True)", "SetR",
    "Success@5", "infAP", "IPrec@0.1", "IPrec@0.11", "IPrec@0.29", "ERR@5", "Judged@5",
    "Compat(p=0.8)", "SP", "nDCG(judged_only=True)@5", "P(judged_only=True)@5",
    "AP(judged_only=True)", "IPrec(judged_only=True)@0.1", "nDCG(gains={1:10})@5",
    "nDCG(gains={1:10})", "nDCG(gains={})@5", "nDCG(gains={2:9,3:1})@5",
    "nDCG(gains={1:10},judged_only=True)@5",
]  # fmt: skip
SCRIPT = """
from tests.trec.test_programs import TOGETHER, scores
print(scores(TOGETHER))
"""


def scores(measures: list[str]) -> dict[str, list[float]]:
    """Return the scores of each measure, measured beside the others."""
    found = measure({"s": RUN}, QRELS, measures).matrices
    return {name: matrix["s"].tolist() for name, matrix in found.items()}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", ["0", "1", "2", "3"])
def test_scores_do_not_depend_on_the_process(seed: str) -> None:
    """ir_measures has sets of measures, whose order the seed of hashes changes."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
        text=True,
    )
    alone = {name: scores([name])[name] for name in TOGETHER}
    assert done.stdout.strip() == repr(alone)
    assert len({*map(tuple, alone.values())}) > 30


@pytest.mark.long
def test_scores_do_not_depend_on_the_order_of_the_measures() -> None:
    of_pytrec_eval = [
        name for name in TOGETHER if name not in ("SP", "ERR@5", "nDCG(dcg='exp-log2')@5")
    ]
    alone = {name: scores([name])[name] for name in of_pytrec_eval}
    pairs = [*itertools.permutations(of_pytrec_eval, 2)]
    for pair in random.Random(1).sample(pairs, 200):
        assert scores([*pair]) == {name: alone[name] for name in pair}


def test_measures_of_one_program_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pytrec_eval = require_ir_measures().pytrec_eval
    made, evaluator = list[list[str]](), pytrec_eval.evaluator

    def counting(measures: list[Any], qrels: Any) -> Any:
        made.append([*map(str, measures)])
        return evaluator(measures, qrels)

    monkeypatch.setattr(pytrec_eval, "evaluator", counting)
    usual = ["AP", "nDCG@20", "P@10", "RR", "R@1000", "NumRet"]
    others = [
        ["nDCG(gains={1:3})", "nDCG(gains={1:3})@5"],
        ["nDCG(gains={})@20"],  # the same scores as without, and the same name in trec_eval
        ["P(judged_only=True)@3", "AP(judged_only=True)"],
    ]
    scores([*itertools.chain(*others[::-1]), *usual])
    assert made == [*others[::-1], usual]


@pytest.mark.parametrize(
    ("run", "qrels", "name", "message"),
    [
        (
            {"1": {"a": 1.0}},
            {"1": {"a": 5}},
            "ERR@10",
            "the qrels cannot be measured with ERR@10 by gdeval of ir_measures: a document has the "
            "relevance 5; expected at most 4",
        ),
        (
            {"1": {"a 1": 1.0}},
            {"1": {"a": 1}},
            "nDCG(dcg='exp-log2')@10",
            "the run 's' cannot be measured with nDCG(dcg='exp-log2')@10 by gdeval of ir_measures: "
            "a document has the id 'a 1'; expected ids without spaces",
        ),
        ({"1": {"a": 1.0}}, {"1": {"a 1": 1}}, "ERR@10", "has the id 'a 1'; expected ids without"),
        (
            {"1": {"a": 1.0}},
            {"1": {"a": 1}},
            "Accuracy@1",
            "the run 's' cannot be measured with Accuracy@1 by accuracy of ir_measures "
            "(ZeroDivisionError: float division by zero)",
        ),
    ],
)
def test_what_a_program_cannot_measure_is_told(
    run: Any, qrels: Any, name: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MeasureError) as caught:
        measure({"s": run}, qrels, name)
    assert message in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_scores_that_are_not_defined_are_missing() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": -1}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"b": 1.0}, "4": {"b": 1.0}}
    whole = {topic: {"b": 2.0, "a": 1.0} for topic in "123"}
    with pytest.warns(CdfscoreWarning) as caught:
        found = measure({"s": run, "t": whole}, qrels, ["Accuracy", "AP"], missing_topics="zero")
    assert found["Accuracy"]["s"].fillna(-1).tolist() == [0.0, -1.0, 0.0]
    assert found["AP"]["s"].tolist() == [0.5, 0.0, 0.0]
    assert [str(each.message) for each in caught] == [
        "Accuracy is not defined on some topics of 1 of 2 systems, where the scores are missing: "
        "'s' (1)"
    ]
    # A score that is not defined is none that the run lacks.
    under_refuse = measure({"s": {"1": {"b": 1.0}}}, {"1": {"a": 1}}, ["Accuracy", "AP"])
    assert np.isnan(under_refuse["Accuracy"]["s"].item())
