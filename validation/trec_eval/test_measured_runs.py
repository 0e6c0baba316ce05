"""Runs that are measured here: trec_eval's own output, and pytrec_eval to the last bit."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cdfscore import CdfscoreWarning, Standardizer
from cdfscore.datasets import load_cranfield
from cdfscore.retrieval import Measured, measure
from validation.trec_eval.cranfield_runs import Cranfield, without_combinations
from validation.trec_eval.measures_compared import FORMS, INVARIANT, SCHEMES
from validation.trec_eval.z_output import read_lines

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
#: Measures by the name that trec_eval prints.
NAMES = {
    "map": "AP",
    "ndcg": "nDCG",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "infAP": "infAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRet(rel=1)",
    **{f"P_{k}": f"P@{k}" for k in CUTOFFS},
    **{f"recall_{k}": f"R@{k}" for k in CUTOFFS},
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTOFFS},
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTOFFS},
    **{f"relative_P_{k}": f"nP@{k}" for k in CUTOFFS},
    **{f"success_{k}": f"Success@{k}" for k in (1, 5, 10)},
    "rbp": "RBP(p=0.9)",
}
COUNTS = ("num_ret", "num_rel", "num_rel_ret")
#: Of a topic without documents as well.
OF_THE_QRELS = ("num_rel",)


@pytest.mark.parametrize(
    ("run", "output"), [("results.test", "out.test.aq"), ("results.trunc", "out.test.aqc")]
)
def test_printed_output_of_trec_eval(shared_data: Path, run: str, output: str) -> None:
    folder = shared_data / "trec_eval"
    measured = measure(
        folder / run, folder / "qrels.test", list(NAMES.values()), missing_topics="zero"
    )
    printed = {(each.measure, each.topic): each.value for each in read_lines(folder / output)}
    compared = 0
    for name, spelled in NAMES.items():
        for topic, value in measured[spelled]["STANDARD"].items():
            missing = (run, topic) == ("results.trunc", "302")
            if missing and name in OF_THE_QRELS:
                continue  # it has no documents, and the qrels have relevant ones all the same
            shown = f"{value:.0f}" if name in COUNTS else f"{value:.4f}"
            assert shown == printed[name, str(topic)], (name, topic)
            compared += 1
    assert compared == len(NAMES) * 3 - (run == "results.trunc")


@pytest.fixture(scope="module")
def cranfield(shared_data: Path, long: bool) -> Cranfield:
    """Some of the systems, or all, which takes half a minute."""
    return Cranfield.of(shared_data / "cranfield", () if long else without_combinations()[::20])


#: By the name in pytrec_eval.
COMPARED = {
    "map": "AP",
    "ndcg": "nDCG",
    "ndcg_cut_20": "nDCG@20",
    "P_10": "P@10",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "Rprec": "Rprec",
    "recall_100": "R@100",
    "relative_P_10": "nP@10",
}


@pytest.fixture(params=[None, 4], ids=["ranks", "4 decimals"])
def runs(cranfield: Cranfield, request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """Runs without ties, and with many."""
    return cranfield.write_runs(tmp_path, request.param)


def quietly(runs: Iterable[Path], qrels: Path, measures: list[str]) -> Measured:
    """Measure runs with ties, of which there is a caution."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CdfscoreWarning)
        return measure(list(runs), qrels, measures)


def test_cranfield_runs_are_those_of_pytrec_eval_to_the_last_bit(
    cranfield: Cranfield, runs: list[Path], tmp_path: Path, pytrec_eval: ModuleType
) -> None:
    qrels = cranfield.write_qrels(tmp_path / "qrels")
    ours = quietly(runs, qrels, [*COMPARED.values(), "SP"])
    with qrels.open() as lines:
        judgments = pytrec_eval.parse_qrel(lines)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, set(COMPARED))
    relevant = [sum(level > 0 for level in judged.values()) for judged in judgments.values()]
    for path in runs:
        with path.open() as lines:
            theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
        for name, spelled in COMPARED.items():
            column = ours[spelled][path.stem]
            assert column.to_dict() == {topic: theirs[topic][name] for topic in judgments}
        ap = ours["SP"][path.stem] / relevant
        assert ap.tolist() == [theirs[topic]["map"] for topic in judgments]


def test_the_bundled_matrices_come_out_of_the_runs(cranfield: Cranfield, tmp_path: Path) -> None:
    qrels = cranfield.write_qrels(tmp_path / "qrels")
    names = {"ap": "AP", "ndcg10": "nDCG@10", "p10": "P@10", "rr": "RR"}
    ours = quietly(cranfield.write_runs(tmp_path), qrels, [*names.values()])
    for file, spelled in names.items():
        bundled = load_cranfield(file)[ours[spelled].columns]
        assert ours[spelled].round(6).loc[bundled.index].equals(bundled)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("raw", FORMS)
def test_standardized_raw_measures_are_standardized_r_normalized_ones(
    cranfield: Cranfield, tmp_path: Path, raw: str
) -> None:
    """An ideal ranking divides all scores of a topic by one number."""
    qrels = cranfield.write_qrels(tmp_path / "qrels")
    measured = quietly(cranfield.write_runs(tmp_path), qrels, [raw, FORMS[raw]])
    for scheme in SCHEMES:
        first, second = (
            Standardizer(scheme).standardize(each).scores for each in measured.matrices.values()
        )
        if scheme == "empirical":
            assert first.equals(second)
        elif scheme in INVARIANT:
            np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)
        else:
            assert not np.allclose(first, second, rtol=0, atol=0.01)
