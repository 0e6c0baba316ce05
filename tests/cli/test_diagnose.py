"""``cdfscore diagnose``: tables, files, plots, and what it refuses."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from cdfscore import datasets
from cdfscore.comparison.sensitivity import sensitivity
from cdfscore.diagnosis import diagnose
from cdfscore.scores.writing import write_scores
from tests.exact_csv import read_exact_csv

SCHEMES = ["--scheme", "normal", "--scheme", "exponential", "--bootstrap", "99"]


@pytest.fixture
def scores(tmp_path) -> pd.DataFrame:
    table = datasets.load_cranfield("ap").iloc[:6, :20]
    write_scores(table, tmp_path / "ap.csv")
    return table


def test_rows_are_those_of_diagnose(cdfscore, scores) -> None:
    done = cdfscore("diagnose", "ap.csv", *SCHEMES, "-o", "-")
    assert done.status == 0, done.err
    found = read_exact_csv(io.StringIO(done.out), keep_default_na=False)
    expected = diagnose(scores, ["normal", "exponential"], bootstrap=99).fits
    assert list(found.columns) == list(expected.columns)
    assert found["log_score"].astype(float).tolist() == expected["log_score"].tolist()
    assert found["ad_p"].astype(float).tolist() == expected["ad_p"].tolist()


def test_json_has_everything(cdfscore, scores, tmp_path) -> None:
    done = cdfscore("diagnose", "ap.csv", *SCHEMES, "-o", "d.json", "--test", "sign")
    assert (done.status, done.out) == (0, "")
    found = json.loads((tmp_path / "d.json").read_text(), parse_constant=pytest.fail)
    assert found["schemes"] == ["normal", "exponential"]
    assert len(found["fits"]) == 12
    assert found["resolution"]["source"] == "found"
    changes = sensitivity(scores, ["raw", "normal", "exponential"], test="sign")
    assert found["sensitivity"]["test"] == "sign"
    assert found["sensitivity"]["conclusions"] == changes.conclusions.to_dict("records")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_plot(cdfscore, scores, tmp_path, ending) -> None:
    one, two = (
        cdfscore("diagnose", "ap.csv", *SCHEMES, "-o", "d.csv", "--plot", f"{name}.{ending}")
        for name in ("one", "two")
    )
    assert (one.status, two.status) == (0, 0)
    files = [(tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two")]
    assert files[0] == files[1]


def test_topics_without_a_fit_are_told(cdfscore, scores, tmp_path) -> None:
    scores.iloc[2, 3] = -0.1
    write_scores(scores, tmp_path / "ap.csv")
    family = "from_scipy:dist=gamma,floc=0"
    done = cdfscore(
        "diagnose", "ap.csv", "--scheme", family, "--scheme", "normal", "--bootstrap", "0"
    )
    assert done.status == 0
    assert "cannot be fitted to 1 of 6 topics, such as 3" in done.out
    assert "topic 3 is left out for all schemes, since one scheme cannot be fitted" in done.err
    scores -= 2
    write_scores(scores, tmp_path / "ap.csv")
    done = cdfscore("diagnose", "ap.csv", "--scheme", family, "--bootstrap", "0")
    assert done.status == 0
    assert "conclusions are not compared: there is no topic on which two of raw, " in done.err
    assert "rank by the mean changes most" not in done.out


def test_missing_scores_are_noted(cdfscore, scores, tmp_path) -> None:
    scores.iloc[1, 1] = np.nan
    write_scores(scores, tmp_path / "ap.csv")
    assert cdfscore("diagnose", "ap.csv", *SCHEMES).status == 2
    done = cdfscore("diagnose", "ap.csv", *SCHEMES, "--missing", "omit", "-o", "-")
    assert done.status == 0
    assert "cdfscore: 1 missing score is omitted" in done.err


BAD = {
    "unknown scheme": (["ap.csv", "--scheme", "nromal"], "did you mean 'normal'"),
    "no distribution": (["ap.csv", "--scheme", "z"], "z is not a distribution"),
    "twice": (["ap.csv", "--scheme", "normal", "--scheme", "normal"], "normal is given twice"),
    "bootstrap": (["ap.csv", "--scheme", "normal", "--bootstrap", "-1"], "--bootstrap -1 is not"),
    "most": (["ap.csv", *SCHEMES, "--most", "5"], "--most 5 is not accepted"),
    "alpha": (["ap.csv", "--scheme", "normal", "--alpha", "1.5"], "--alpha 1.5 is not accepted"),
    "ending": (["ap.csv", *SCHEMES, "-o", "d.html"], "expected .csv, .tsv or .json"),
    "ending of the plot": (["ap.csv", *SCHEMES, "--plot", "d.gif"], "expected .svg, .pdf or .png"),
    "over the scores": (["ap.csv", *SCHEMES, "-o", "ap.csv"], "--out would overwrite SCORES"),
    "test": (
        ["ap.csv", *SCHEMES, "--test", "equivalence_t:margin=0.1"],
        "need a test of a difference",
    ),
    "jobs": (["ap.csv", *SCHEMES, "--jobs", "0"], "--jobs 0 is not accepted"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_arguments(cdfscore, scores, tmp_path, arguments, message) -> None:
    before = sorted(tmp_path.iterdir())
    done = cdfscore("diagnose", *arguments)
    assert done.status == 2
    assert message in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert sorted(tmp_path.iterdir()) == before
