"""Measures by name; what is refused is in tests/cli/test_bad_runs.py."""

import subprocess
import sys
from typing import Any

import pytest

from cdfscore.errors import MeasureError, MissingDependencyError
from cdfscore.retrieval import measuring
from cdfscore.retrieval.measuring import parse_measure, parse_measures


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("AP", "AP"),
        ("MAP", "AP"),
        (" nDCG @ 20 ", "nDCG@20"),
        ("NDCG(cutoff=20)", "nDCG@20"),
        ("P(rel=2)@10", "P(rel=2)@10"),
        ("AP(rel=1)", "AP"),
        ("nDCG(gains={0:0,1:3})", "nDCG(gains={1:3})"),
        ("IPrec@0.1", "IPrec@0.1"),
        ("Judged@10", "Judged@10"),
        ("SP", "SP"),
        ("SP(cutoff=5,rel=2)", "SP(rel=2)@5"),
        ("VDCG@20", "VDCG@20"),
        ("DCG@20", "DCG(b=2)@20"),
        ("nDCG(b=2.0)@20", "nDCG(b=2)@20"),
        ("RBP.8", "RBP"),
        ("RBP.95", "RBP(p=0.95)"),
        ("RP", "Rprec"),
        ("nSP", "AP"),
        ("RBP", "RBP"),
        ("RBP(p=0.95, rel=1)", "RBP(p=0.95)"),
        ("nRBP(p=0.95)", "nRBP(p=0.95)"),
        ("nRBP.95@20", "nRBP(p=0.95)@20"),
        ("nRBP.8", "nRBP"),
        ("nP@10", "nP@10"),
    ],
)
def test_a_measure_has_a_usual_spelling(text: str, usual: str) -> None:
    assert str(parse_measure(text)) == usual
    assert list(parse_measures(text)) == [usual]
    assert str(parse_measure(usual)) == usual


def test_measures_are_in_the_order_in_which_they_are_given() -> None:
    assert list(parse_measures(["RR", "SP", "AP"])) == ["RR", "SP", "AP"]
    with pytest.raises(MeasureError, match="no measure is given"):
        parse_measures([])


@pytest.mark.parametrize(
    "text", ["__import__('os')", "AP[1]", "AP(2)", "AP(**{})", "1", "", "AP@(", "a" * 5000 + "("]
)
def test_only_names_and_settings_are_read(text: str) -> None:
    with pytest.raises(MeasureError):
        parse_measure(text)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("P@True", "cutoff is True; expected a whole number from 1 to 1,000,000,000"),
        ("P@1000000001", "cutoff is 1000000001; expected a whole number from 1"),
        (f"VDCG@{10**30}", "cutoff is 1000000000000000"),
        ("AP(rel=0)", "rel is 0; expected a whole number from 1 to 10,000"),
        ("AP(rel=10001)", "rel is 10001; expected a whole number from 1 to 10,000"),
        ("SP(rel=10001)", "SP: rel is 10001; expected a whole number from 1 to 10,000"),
        ("RR(rel=False)@5", "rel is False; expected"),
        ("P(judged_only=1)@5", "judged_only is 1; expected True or False"),
        ("SetF(beta=-1.0)", "beta is -1.0; expected a number such as 0.5 or 2.0"),
        ("SetF(beta=1e-7)", "beta is 1e-07; expected a number such as 0.5 or 2.0, without an exp"),
        ("SetF(beta=1e999)", "beta is inf; expected"),
        ("SetF(beta=True)", "beta is True; expected"),
        ("IPrec@1.7", "recall is 1.7; expected a number from 0.0 to 1.0 with at most 2 decimals"),
        ("IPrec@0.333", "recall is 0.333; expected"),
        ("IPrec@-0.1", "recall is -0.1; expected"),
        ("Compat(p=3.0)", "p is 3.0; expected a number between 0 and 1"),
        ("Compat(p=1.0)", "p is 1.0; expected"),
        ("nDCG(gains={1:0.5})@10", "gains is {1: 0.5}; expected whole numbers by relevance, from"),
        ("nDCG(gains={1:True})", "gains is {1: True}; expected whole"),
        ("nDCG(gains={1:-1})", "gains is {1: -1}; expected whole numbers by relevance, from 0 to"),
        ("nDCG(gains={1:10001})", "gains is {1: 10001}; expected"),
        ("nDCG(gains={'a':1})", "gains is {'a': 1}; expected"),
        ("nDCG(gains=[3])", "gains is [3]; expected"),
        ("nDCG(dcg='log10')", "dcg is 'log10'; expected 'log2' or 'exp-log2'"),
        ("VDCG(dcg='log10')", "VDCG: dcg is 'log10'; expected 'log2' or 'exp-log2'"),
        ("DCG(b=1)", "DCG: b is 1; expected a finite number above 1"),
        ("DCG(b=None)", "DCG: b is None; expected a finite number above 1"),
        ("RBP(p=None)", "RBP: p is None; expected a number between 0 and 1"),
        ("VDCG(dcg=None)", "VDCG: dcg is None; expected 'log2'"),
        ("nDCG(b=1e999)", "nDCG: b is inf; expected a finite number above 1"),
        ("nDCG(b=True)", "nDCG: b is True; expected"),
        ("nDCG(b=2, dcg='log2')", "has no setting 'dcg'"),
        ("P(cutoff=5)@10", "measure 'P(cutoff=5)@10' has cutoff twice; expected it once"),
        ("IPrec(recall=0.1)@0.2", "has recall twice; expected it once"),
        ("VDCG(cutoff=5)@5", "has cutoff twice; expected it once"),
    ],
)
def test_settings_have_types_and_ranges(text: str, fragment: str) -> None:
    with pytest.raises(MeasureError) as caught:
        parse_measure(text)
    assert fragment in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["SetF(beta=0.0)", "SetF(beta=12.75)", "Compat(p=0.99)", "nDCG(gains={-1:3})", "P@1000000000"]
    + [f"IPrec@{percent / 100}" for percent in range(101)],
)
def test_settings_at_the_ends_of_their_ranges(text: str) -> None:
    parse_measure(text)


@pytest.mark.clause("measure.1")
@pytest.mark.parametrize("name", ["alpha_nDCG@20", "ERR_IA@5", "NRBP", "AP_IA", "StRecall@3"])
def test_measures_of_diversity_are_refused_where_they_could_be_measured(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pyndeval = measuring.require_ir_measures().providers.registry["pyndeval"]
    monkeypatch.setattr(pyndeval, "_is_available", True)
    with pytest.raises(MeasureError, match=r"is a measure of diversity, .* the iteration column"):
        parse_measure(name)


def test_without_ir_measures_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(measuring, "import_module", absent)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cdfscore\[trec\]'"):
        parse_measure("AP")


def test_the_package_is_imported_without_the_extra() -> None:
    script = (
        "import sys; sys.modules |= dict.fromkeys(('ir_measures', 'pytrec_eval', 'zstandard'));"
        "import cdfscore; cdfscore.retrieval.read_run"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
