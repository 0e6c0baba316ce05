"""Measures by name; what is refused is in tests/cli/test_bad_runs.py."""

import subprocess
import sys
from typing import Any

import pytest

from cdfscore.errors import MeasureError, MissingDependencyError
from cdfscore.trec import measures
from cdfscore.trec.measures import parse_measure, parse_measures


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
        ("DCG@20", "DCG@20"),
        ("RBP", "RBP"),
        ("RBP(p=0.95, rel=1)", "RBP(p=0.95)"),
        ("nRBP(p=0.95)", "nRBP(p=0.95)"),
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


def test_without_ir_measures_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(measures, "import_module", absent)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cdfscore\[trec\]'"):
        parse_measure("AP")


def test_the_package_is_imported_without_the_extra() -> None:
    script = (
        "import sys; sys.modules |= dict.fromkeys(('ir_measures', 'pytrec_eval', 'zstandard'));"
        "import cdfscore; cdfscore.trec.read_run"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
