"""Names of measures: which are of one measure."""

import inspect
import itertools
import re
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from ranx.meta.evaluate import metric_switch

from cdfscore import read_scores
from cdfscore.errors import ScoresError
from cdfscore.retrieval.measuring import SUMS
from cdfscore.scores.results.names import is_measure, is_same_measure, no_mean

#: Each row has the names of one measure.
MEASURES = [
    ("map", "AP", "MAP", "average_precision", "nSP"),
    ("map_cut_10", "AP@10", "map@10"),
    ("gm_map", "gm_ap"),
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
    ("nRBP", "nRBP.8", "nRBP(p=0.8)"),
    ("nRBP.95@20", "nRBP(p=0.95)@20"),
    ("NRBP",),
    ("SP", "sp"),
    ("SP@100",),
    ("nP@10", "relative_P_10"),
    ("num_rel_ret", "NumRelRet", "NumRet(rel=1)"),
    ("set_relative_P", "SetRelP", "SetP(relative=True)"),
    ("alpha_nDCG@20", "α_nDCG@20"),
    ("AP_IA", "MAP_IA"),
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


def names_of_tools() -> dict[str, list[str]]:
    """The names of measures of each tool, each name once."""
    return {
        "ir_measures": [*ir_measures.measures.registry],
        "trec_eval": [
            name for name in pytrec_eval.supported_measures if name not in ("relstring", "runid")
        ],
        "ranx": re.findall(r'metric == "([^"]+)"', inspect.getsource(metric_switch)),
        "here": [*SUMS],
        "the page of factors": [
            *("AP", "SP", "nSP", "DCG", "nDCG", "VDCG", "nVDCG", "P@10", "RR"),
            *("RBP.8", "RBP.95", "nRBP.8", "nRBP.95", "RP", "nP@10"),
        ],
    }


@pytest.mark.clause("read_scores.4")
@pytest.mark.parametrize("tool", names_of_tools())
def test_every_name_of_a_tool_is_known_in_every_layout(tool: str, tmp_path: Path) -> None:
    names = names_of_tools()[tool]
    assert len(names) > 7
    for name in names:
        for each in (name, f"{name}@10", f"{name.swapcase()}(rel=2)@10"):
            assert is_measure(each), each
        (tmp_path / "0.txt").write_text(f"{name}\tq1\t0.5\n{name}\tq2\t0.25\n")
        (tmp_path / "1.txt").write_text(f"q1\t{name}\t0.5\nq2\t{name}\t0.25\n")
        for file in ("0.txt", "1.txt"):
            if no_mean(name):
                with pytest.raises(ScoresError, match=f" as {name}; expected a measure with"):
                    read_scores(tmp_path / file)
                continue
            assert read_scores(tmp_path / file).iloc[:, 0].tolist() == [0.5, 0.25], (name, file)
