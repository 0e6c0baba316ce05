"""The classes of errors: one base, and the kinds that are kinds of others."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cdfscore
from cdfscore import datasets, errors
from cdfscore.models.formula import read_components
from cdfscore.models.replicates import read_replicates
from cdfscore.r.published import read_published
from cdfscore.report import write_report
from cdfscore.retrieval import read_qrels, read_run
from cdfscore.retrieval.merging.sources import read_queries, read_selection, read_statistics
from cdfscore.standardization import formats
from cdfscore.testing import ContractError
from validation.documentation.clauses import CHAPTERS

#: Each class with the class that it is a kind of.
KINDS = {
    "MissingScoreError": "ScoresError",
    "ConstantTopicError": "FitError",
    "SpecificationError": "ModelError",
    "RNotAvailableError": "MissingDependencyError",
}


@pytest.mark.clause("errors.1")
def test_each_error_is_a_value_error() -> None:
    classes = dict(inspect.getmembers(errors, inspect.isclass))
    raised = {name: kind for name, kind in classes.items() if issubclass(kind, Exception)}
    raised.pop("CdfscoreWarning")
    assert raised.pop("CdfscoreError").__bases__ == (ValueError,)
    chapter = (CHAPTERS / "errors.md").read_text(encoding="utf-8")
    assert len(raised) == 18
    for name, kind in raised.items():
        (base,) = kind.__bases__
        assert base.__name__ == KINDS.get(name, "CdfscoreError"), name
        assert f"`{name}`" in chapter


@pytest.mark.clause("errors.1", "warnings.1")
def test_a_broken_contract_and_a_caution_are_none() -> None:
    assert issubclass(ContractError, AssertionError)
    assert issubclass(errors.CdfscoreWarning, UserWarning)
    for kind in (ContractError, errors.CdfscoreWarning):
        assert not issubclass(kind, errors.CdfscoreError)


@pytest.mark.clause("errors.2")
def test_a_similar_name_is_the_answer() -> None:
    known = ["normal", "uniform", "empirical"]
    assert errors.did_you_mean("nrmal", known) == " (did you mean 'normal'?)"
    assert errors.did_you_mean("NORMAL", known) == " (did you mean 'normal'?)"
    assert errors.did_you_mean("mid", ["WEAK", "Mid", "MID"]) == " (did you mean 'Mid'?)"
    assert errors.did_you_mean("x", known) == ""
    # Neither the name itself nor one that is farther in its case.
    assert errors.did_you_mean("bm25", ["bm25", "BM25"]) == " (did you mean 'BM25'?)"
    assert errors.did_you_mean("bm2", ["BM25", "bm25"]) == " (did you mean 'bm25'?)"


@pytest.mark.filterwarnings("ignore::cdfscore.CdfscoreWarning")
@pytest.mark.parametrize("odd", [None, 3, b"scores.csv"])
def test_what_is_no_name_of_a_file_is_refused_by_all_that_read_or_write_one(
    odd: Any, tmp_path: Path
) -> None:
    scores, there = datasets.load_cranfield("ap").iloc[:6, :4], tmp_path / "scores.parquet"
    cdfscore.write_scores(scores, there)
    found = cdfscore.compare(scores, "paired_t")
    factors = cdfscore.Standardizer("normal").fit(scores, measure="AP")
    uses: list[Callable[[], object]] = [
        lambda: cdfscore.load_factors(odd),
        lambda: cdfscore.save_factors(factors, odd),
        lambda: cdfscore.standardize_parquet(odd, there, "normal"),
        lambda: cdfscore.standardize_parquet(there, odd, "normal"),
        lambda: cdfscore.write_scores(scores, odd),
        lambda: formats.read_trec_eval_factors(odd),
        lambda: formats.read_webber_moffat(odd),
        lambda: formats.read_webber_moffat(odd, there),
        *[lambda: formats.read_webber_moffat(there, odd)] * (odd is not None),
        lambda: formats.write_trec_eval_factors([factors], odd),
        lambda: read_components(odd),
        lambda: read_published(odd),
        lambda: read_qrels(odd),
        lambda: read_queries(odd),
        lambda: read_replicates(odd, replicate="run"),
        lambda: read_run(odd),
        lambda: read_selection(odd),
        lambda: read_statistics(odd),
        lambda: write_report(found, odd),
    ]
    for use in uses:
        with pytest.raises(
            errors.CdfscoreError, match=r"^the file is .*; expected the name of a f"
        ):
            use()
