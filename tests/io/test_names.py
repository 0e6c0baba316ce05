"""Names of measures: which are of one measure."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from cdfscore import read_scores
from cdfscore.io.results.names import is_same_measure

#: Each row has the names of one measure.
MEASURES = [
    ("map", "AP", "MAP", "average_precision", "nSP"),
    ("map_cut_10", "AP@10", "map@10"),
    ("gm_map",),
    ("P_10", "P@10", "precision@10", "p10"),
    ("P_100", "P@100"),
    ("P(rel=2)@10",),
    ("recip_rank", "RR", "mrr"),
    ("ndcg", "nDCG", "nVDCG"),
    ("DCG", "DCG(b=2)"),
    ("nDCG(b=2)",),
    ("dcg", "VDCG"),
    ("RBP", "RBP.8", "RBP(p=0.8)"),
    ("RBP.95", "RBP(p=0.95)"),
    ("ndcg_cut_20", "nDCG@20", "ndcg@20", "nVDCG@20"),
    ("ndcg_burges@20",),
    ("Rprec", "r_precision", "r-precision", "RP"),
    ("nERR@8",),
    ("nERR8",),
    ("recall_100", "R@100", "recall@100"),
    ("success_1", "Success@1", "hit_rate@1"),
    ("iprec_at_recall_0.10", "IPrec@0.1"),
    ("set_F", "SetF"),
    ("Zmap",),
    ("WER",),
    ("measure of ours",),
]


@pytest.mark.clause("read_scores.4")
def test_names_of_one_measure_are_the_same_and_others_are_not() -> None:
    for here, there in itertools.product(MEASURES, repeat=2):
        for one, other in itertools.product(here, there):
            assert is_same_measure(one, other) == (here is there), (one, other)


@pytest.mark.parametrize("name", ["nDCG@20", "P_10", "MAP", "f1"])
def test_a_name_is_the_same_as_ir_measures_has_it(name: str) -> None:
    assert is_same_measure(name, f" {name.upper()} ")


@pytest.mark.clause("read_scores.4")
@pytest.mark.parametrize("asked", ["map", "AP", "P_10", "P@10"])
def test_a_measure_is_read_by_the_name_of_another_tool(asked: str, tmp_path: Path) -> None:
    (tmp_path / "irm.txt").write_text("q1\tAP\t0.5\nq2\tAP\t0.25\nq1\tP@10\t0.1\nq2\tP@10\t0.2\n")
    (tmp_path / "te.eval").write_text("map\tq1\t0.5\nmap\tq2\t0.25\nP_10\tq1\t0.1\nP_10\tq2\t0.2\n")
    found = read_scores([tmp_path / "irm.txt", tmp_path / "te.eval"], measure=asked)
    expected = [0.5, 0.25] if asked in ("map", "AP") else [0.1, 0.2]
    assert found["irm"].tolist() == found["te"].tolist() == expected
