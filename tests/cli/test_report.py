"""``cdfscore report``: what the page says, from which options, and what is refused."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import re
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore import Standardizer, compare, datasets, write_scores
from cdfscore.errors import RNotAvailableError, SchemeError, VerificationError
from cdfscore.r.verify import Verification
from cdfscore.standardization.formats import save_factors
from tests.cli.conftest import Files, Outcome

Run = Callable[..., Outcome]
Write = Callable[[Files], None]
CRANFIELD = datasets.load_cranfield("ap").iloc[:30, :12]
SMALL = ["--no-verify", "-o", "r.html"]


def page(folder: Path) -> str:
    return (folder / "r.html").read_text(encoding="utf-8")


def text(folder: Path) -> str:
    """Return the words of a page, without scripts and tags."""
    body = page(folder).partition("<body>")[2].partition("<script")[0]
    return unescape(re.sub(r"<[^>]+>", " ", body))


def data(folder: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page(folder))
    assert found is not None
    content: dict[str, Any] = json.loads(found[1])
    return content


def write_script(folder: Path) -> None:
    """Write the R script that is in the page."""
    link = re.search(r'href="data:[^,]*,([^"]+)" download="analysis.R"', page(folder))
    assert link is not None
    (folder / "analysis.R").write_bytes(base64.b64decode(link[1]))


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    write_scores(CRANFIELD, tmp_path / "s.csv")
    return tmp_path


def test_numbers_of_the_page_are_those_of_compare(scores: Path, cdfscore: Run) -> None:
    done = cdfscore("report", "s.csv", "--scheme", "empirical", *SMALL)
    assert done.status == 0, done.err
    pairs, table = data(scores)["pairs"], compare(CRANFIELD, "paired_t", scheme="empirical").table
    for name, column in zip(pairs["names"], pairs["columns"], strict=True):
        np.testing.assert_allclose(column, table[name].to_numpy(dtype=float), rtol=1e-5)
    names = data(scores)["systems"]
    assert [names[i] for i in pairs["first"]] == list(table["system_a"])
    assert [names[i] for i in pairs["second"]] == list(table["system_b"])
    differ = int((table["p_adjusted"] <= 0.05).sum())
    assert (
        f"{differ} of 66 pairs of systems differ significantly by the paired t test at level"
        in text(scores)
    )
    assert "between: raw, E-std, N-std, U-std." in text(scores)
    y = Standardizer("empirical").fit_transform(CRANFIELD)
    words = " ".join(text(scores).split())
    for system in y.columns[:3]:
        low, high = stats.t.interval(0.95, 29, y[system].mean(), stats.sem(y[system]))
        assert f"{system} {y[system].mean():.4f} [{low:.4f}, {high:.4f}]" in words


def test_the_methods_section_says_what_was_done(scores: Path, cdfscore: Run) -> None:
    typed = ["--scheme", "uniform:A=0.2,B=0.5", "--test", "wilcoxon_signed_rank", "--adjust", "BH"]
    cdfscore("report", "s.csv", *typed, "--alpha", "0.01", *SMALL)
    said = text(scores)
    digest = hashlib.sha256((scores / "s.csv").read_bytes()).hexdigest()
    for part in (
        "We compared 12 systems on 30 topics.",
        "(U-std, A 0.2; Sakai, 2016",
        "distribution around the mean of the scores of the 12 systems",
        "No score was missing.",
        "the Wilcoxon signed-rank test (two-sided; Wilcoxon, 1945) with the Benjamini-Hochberg",
        "test wilcoxon_signed_rank; scheme uniform:A=0.2,B=0.5; adjust BH",
        "at level 0.01",
        digest,
        "cdfscore report s.csv --scheme uniform",
        "numpy ",
        "false discovery rate) is at most 0.01",
        "@article{benjamini1995",
        "@article{wilcoxon1945",
        "@article{kerby2014",
        "@article{piepho2004",
        "@inproceedings{urbano2017",
    ):
        assert part in said, part


@pytest.mark.long
def test_conclusions_are_compared_with_the_schemes_that_are_given(
    scores: Path, cdfscore: Run
) -> None:
    cdfscore("report", "s.csv", "--scheme", "normal", *SMALL)
    assert "between: raw, N-std, U-std, E-std." in text(scores)
    assert {bin_["scheme"] for bin_ in data(scores)["histogram"]} == {"N-std", "U-std", "E-std"}
    assert "uniform:" not in text(scores)
    assert "convention" not in text(scores)
    findings = text(scores).partition("Findings")[2].partition("Methods")[0]
    assert "U-std" in text(scores)
    assert "convention" not in findings
    cdfscore("report", "s.csv", "--scheme", "normal", "--scheme", "kernel", *SMALL)
    assert re.search(r"between: raw, N-std, kernel\.", text(scores))
    cdfscore("report", "s.csv", *SMALL)
    assert "standardized per topic" not in text(scores)
    assert "not in units of the measure" not in text(scores)
    assert "raw" not in data(scores)


def test_a_baseline_leaves_letters_out(scores: Path, cdfscore: Run) -> None:
    baseline = str(CRANFIELD.columns[0])
    cdfscore("report", "s.csv", "--baseline", baseline, *SMALL)
    assert len(data(scores)["pairs"]["first"]) == 11
    assert "letters" not in text(scores)
    assert "It was not compared with every other system" in text(scores)
    assert "tests all 66 pairs of systems, corrected as one family" in text(scores)
    assert "of 11 pairs with a baseline" in text(scores)


@pytest.mark.long
def test_reference_scores_and_factors(scores: Path, cdfscore: Run) -> None:
    reference = datasets.load_cranfield("ap").iloc[:30, 12:40]
    write_scores(reference, scores / "ref.csv")
    cdfscore("report", "s.csv", "--reference", "ref.csv", "--scheme", "normal", *SMALL)
    first = data(scores)["scores"]
    assert "of 28 reference systems" in text(scores)
    assert "to the reference scores was measured" in text(scores)
    factors = Standardizer("normal").fit(reference)
    save_factors(factors, scores / "f.json")
    done = cdfscore("report", "s.csv", "--factors", "f.json", *SMALL)
    assert done.status == 0, done.err
    assert data(scores)["scores"] == first
    assert "factors" in text(scores)
    assert "Not compared with R: " in text(scores)


def test_r_agrees_and_its_script_runs(scores: Path, cdfscore: Run, rinterface: object) -> None:
    cdfscore("report", "s.csv", "--scheme", "empirical", "-o", "r.html")
    assert re.search(r"R version \S+ .* agrees on all [\d,]+ numbers", text(scores))
    write_script(scores)
    done = subprocess.run(
        ["Rscript", "--vanilla", "analysis.R", "s.csv"], cwd=scores, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith('"quantity"') or done.stdout.startswith("quantity")


@pytest.mark.parametrize("stops", [False, True])
def test_a_difference_from_r_is_told_everywhere(
    scores: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch, stops: bool
) -> None:
    def through_rscript(self: Verification, files: object) -> pd.DataFrame:
        if stops:
            raise VerificationError("R stops: no reason")
        quantities = ["standardized score", "system mean", "p value"]
        numbers = {name: [1.0] * 3 for name in ("max_abs", "max_rel", "max_ulp", "allowed_ulp")}
        agrees = [True, True, False]
        table = pd.DataFrame({"quantity": quantities, "count": 5, **numbers, "agrees": agrees})
        table["differs"] = ["" if each else "by more than the tolerance" for each in agrees]
        table["reason"] = "two algorithms"
        table.attrs |= {"r_version": "R version 9", "judge": "R version 9"}
        table.attrs |= {"notes": [], "notes_on_r": []}
        return table

    monkeypatch.setattr(Verification, "through_rscript", through_rscript)
    done = cdfscore("report", "s.csv", "--scheme", "normal", "-o", "r.html")
    assert done.status == 1
    said = (
        "R stops: no reason" if stops else "R version 9 differs by more than the tolerance: p value"
    )
    assert said in done.err
    assert said in text(scores)
    assert "R version 9 agrees on all" not in text(scores)
    assert "SciPy" in text(scores)  # the other judge is asked too


def test_without_r_the_page_names_statsmodels(
    scores: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def through_rscript(self: Verification, files: object) -> pd.DataFrame:
        raise RNotAvailableError("Rscript is not installed")

    monkeypatch.setattr(Verification, "through_rscript", through_rscript)
    assert cdfscore("report", "s.csv", "--scheme", "normal", "-o", "r.html").status == 0
    assert re.search(r"statsmodels [\d.]+ and SciPy [\d.]+ agree on all [\d,]+ num", text(scores))
    assert "Not compared with R: Rscript is not installed" in text(scores)
    assert "Differences between cdfscore and statsmodels" in text(scores)


@pytest.mark.long
def test_a_test_that_draws_has_no_script_in_the_page(scores: Path, cdfscore: Run) -> None:
    cdfscore("report", "s.csv", "--test", "max_t:B=999", *SMALL)
    assert "random draws beside it" in text(scores)
    assert "Download the R script" not in text(scores)
    assert "The probability of one or more false rejections among 66 pairs" in text(scores)


def test_pairs_differ_by_all_digits_of_p(scores: Path, cdfscore: Run) -> None:
    p = np.sort(compare(CRANFIELD, "paired_t", adjust="none").table["p_value"].to_numpy())
    near = next(each for each in p if float(f"{each:.6g}") < each)  # the page rounds it down
    alpha = (near + float(f"{near:.6g}")) / 2
    cdfscore("report", "s.csv", "--adjust", "none", "--alpha", repr(float(alpha)), *SMALL)
    differ = int((p <= alpha).sum())
    assert sum(data(scores)["pairs"]["differs"]) == differ
    assert f"{differ} of 66 pairs of systems differ" in text(scores)


def test_equal_systems_without_a_correction(scores: Path, cdfscore: Run) -> None:
    write_scores(CRANFIELD.iloc[:, [0, 0, 0]].set_axis(["a", "b", "c"], axis=1), scores / "e.csv")
    done = cdfscore("report", "e.csv", "--adjust", "none", *SMALL)
    assert done.status == 0, done.err
    assert data(scores)["pairs"]["decides"] in data(scores)["pairs"]["names"]
    assert data(scores)["pairs"]["differs"] == [0, 0, 0]


@pytest.mark.parametrize(
    ("typed", "fragment"),
    [
        (["--test", "friedman"], "friedman"),
        (["--test", "paired_t:alternative=less"], "need a two-sided test of no difference"),
        (["--seed", "1"], "--seed 1 is for the resamples of the diagnosis, and there are none"),
        (["--bootstrap", "-1"], "--bootstrap -1"),
        (["--alpha", "2"], "--alpha"),
        (["--scheme", "normal", "--scheme", "N-std"], "twice"),
        (["--baseline", "nobody"], "nobody"),
    ],
)
def test_mistakes_are_refused(scores: Path, cdfscore: Run, typed: list[str], fragment: str) -> None:
    done = cdfscore("report", "s.csv", *typed, *SMALL)
    assert done.status == 2
    assert fragment in done.err
    assert len(done.err.splitlines()) == 1
    assert not (scores / "r.html").exists()


def test_without_the_extra_the_message_names_it(
    scores: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        "cdfscore.report.page.find_spec",
        lambda name: None if name == "itables" else there(name),
    )
    done = cdfscore("report", "s.csv", *SMALL)
    assert done.status == 2
    assert "needs itables, which is not installed; run pip install 'cdfscore[report]'" in done.err


@pytest.mark.long
def test_a_page_of_110_systems_is_below_6_mb(
    shared_data: Path, tmp_path: Path, cdfscore: Run
) -> None:
    given = str(shared_data / "robust2004" / "robust2004_ap.csv")
    done = cdfscore("report", given, "--scheme", "empirical", *SMALL)
    assert done.status == 0, done.err
    assert len(page(tmp_path).encode()) < 6_000_000
    assert 'download="pairs.csv"' in page(tmp_path)
    assert "of 5,995 pairs of systems differ" in text(tmp_path)


def test_methods_say_the_seed_and_the_missing_scores_and_nothing_twice(
    scores: Path, cdfscore: Run
) -> None:
    holes = CRANFIELD.copy()
    holes.iloc[3, 2] = holes.iloc[5, 4] = np.nan
    write_scores(holes, scores / "s.csv")
    typed = ["--scheme", "normal", "--missing", "omit", "--bootstrap", "19", "--seed", "7"]
    done = cdfscore("report", "s.csv", *typed, *SMALL)
    assert done.status == 0, done.err
    methods = " ".join(text(scores).split("To paste into a paper")[0].split())
    assert "tested by parametric bootstrap (19 resamples per topic, seed 7)" in methods
    assert "2 of 360 scores are missing." in methods
    assert methods.count("Where a score was missing") == 1
    assert "missing scores" not in methods.lower()


def test_conclusions_that_are_not_compared_are_told(
    scores: Path, cdfscore: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise SchemeError("no scheme has a ranking")

    monkeypatch.setattr("cdfscore.report.page.sensitivity", refused)
    done = cdfscore("report", "s.csv", *SMALL)
    assert done.status == 0
    told = "conclusions by other schemes are not compared: no scheme has a ranking"
    assert told in done.err
    assert told in text(scores).lower()
    assert "Yilmaz" not in text(scores)  # of the agreement of rankings


def test_a_leaderboard_with_lower_better_on_all_tasks(
    shared_data: Path, tmp_path: Path, cdfscore: Run
) -> None:
    rows = (shared_data / "leaderboards" / "asr_english.csv").read_text().splitlines(True)
    (tmp_path / "given.csv").write_text("".join(rows[:21]))
    typed = ["--lower-is-better", "all", "--drop-topic", "RTFx", "--drop-topic", "Model size (B)"]
    done = cdfscore("report", str(tmp_path / "given.csv"), *typed, "--scheme", "normal", *SMALL)
    assert done.status == 0, done.err
    assert "We compared 20 models on 8 tasks." in text(tmp_path)
    assert "Scores were negated on every task" in text(tmp_path)
    assert "Raw means are of scores that were negated on every task" in text(tmp_path)
    assert data(tmp_path)["rawMean"] == "Mean score, negated on every task"
    assert "is the mean of the other 8 columns" in text(tmp_path)
    assert "cdfscore standardize" in text(tmp_path)  # which writes the file of the R script
    assert "of two models, task by task" not in text(tmp_path).lower()
