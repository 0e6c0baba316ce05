"""`verify` of the tests that draw: R has the very draws, and counts them itself."""

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, read_scores
from cdfscore.comparison import in_r as analysis
from cdfscore.r.verify import WAYS
from cdfscore.stats.significance.contract import SignificanceTest, significance_tests
from tests.cli.conftest import Run
from tests.verified import of_each_system, verify, verify_result

pytestmark = [pytest.mark.one_in(2), pytest.mark.usefixtures("rinterface")]

DRAWING = [
    test.name for test in map(significance_tests.load, significance_tests.names()) if test.draws
]
#: An error in each twin, as by hand: what it has, and what it should not have.
ERRORS = {
    "permutation": ("sum(d) - 2 *", "sum(d) -"),
    "permutation_unpaired": ("centred %*% groups", "pooled %*% groups"),
    "bootstrap_shift": ("toward(means - mean(d))", "toward(means)"),
    "bootstrap_studentized": ("total <- drop(centred", "total <- drop(d"),
    "max_t": ("pmax(most, flipped[, k])", "flipped[, k]"),
    "max_t_baseline": ("rep(-1, ncol(flips))", "rep(1, ncol(flips))"),
    "randomized_tukey_hsd": ("places * topics", "places[, 1] * topics"),
}


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """Scores with ties, of 30 topics: more than any test enumerates."""
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(5).beta(1, 2, (30, 4)).round(1)
    values[:, 2:] += [0.1, 0.2]
    topics = pd.Index([f"t{k}" for k in range(30)], name="topic")
    return pd.DataFrame(values, index=topics, columns=list("abcd"))


def of(name: str) -> dict[str, Any]:
    return {"test": f"{name}:B=400,seed=9", "baselines": "a" if name == "max_t_baseline" else ()}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("name", DRAWING)
def test_random_draws_agree(scores: pd.DataFrame, name: str, via: str) -> None:
    for how in ("raw", "normal") if via == "rpy2" else ("normal",):
        table = verify(scores, how, **of(name), via=via).set_index("quantity")
        assert table["agrees"].all(), table.to_string()
        assert table["count"]["p value"] == (3 if name == "max_t_baseline" else 6)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("name", ["permutation", "permutation_unpaired", "bootstrap_shift"])
def test_pairs_with_missing_scores_have_draws_of_their_size(
    scores: pd.DataFrame, name: str, via: str
) -> None:
    scores.iloc[:3, 0] = scores.iloc[2:7, 1] = scores.iloc[20, 2] = np.nan
    table = verify(scores, Standardizer("uniform", missing="omit"), **of(name), via=via)
    assert table["agrees"].all(), table.to_string()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", DRAWING)
def test_a_broken_twin_is_found_out(
    scores: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    test = significance_tests.load(name)
    right, wrong = ERRORS[name]
    text = test.twin().read_text()
    assert right in text
    broken = tmp_path / f"{name}.R"
    broken.write_text(text.replace(right, wrong))
    monkeypatch.setattr(test, "twin", lambda: broken)
    table = verify(scores, "raw", **of(name)).set_index("quantity")
    assert not table["agrees"]["p value"]
    assert table["agrees"]["estimate"]


@pytest.mark.parametrize("name", DRAWING)
def test_other_draws_are_found_out(
    scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    test: SignificanceTest[Any] = significance_tests.load(name)
    right = test.drawn
    assert right is not None
    monkeypatch.setattr(test, "drawn", lambda sizes, B, seed: right(sizes, B, seed + 1))
    table = verify(scores, "raw", **of(name)).set_index("quantity")
    assert not table["agrees"]["p value"]


@pytest.mark.parametrize("measure", ["ap", "p10"])
@pytest.mark.parametrize("name", ["permutation", "bootstrap_shift", "max_t"])
def test_real_scores_agree(shared_data: Path, name: str, measure: str) -> None:
    scores = read_scores(shared_data / "robust2004" / f"robust2004_{measure}.csv")
    table = verify(scores, "raw", test=f"{name}:B=2000", baselines="sys50").set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    assert table["count"]["p value"] >= 108


@pytest.mark.long
@pytest.mark.parametrize("name", ["permutation", "randomized_tukey_hsd"])
def test_the_script_has_its_draws_beside_it(cdfscore: Run, scores: pd.DataFrame, name: str) -> None:
    scores.to_csv("s.csv")
    arguments = ("verify", "s.csv", "--scheme", "raw", "--test", f"{name}:B=400", "--script")
    status, _, err = cdfscore(*arguments, "check.R")
    size = {"permutation": 400 * 4, "randomized_tukey_hsd": 400 * 30 * 4}[name]
    assert status == 0
    assert f"check.draws has the random draws of the test, {size:,} bytes" in err
    assert "run the script as: Rscript --vanilla check.R s.csv check.draws" in err
    assert Path("check.draws").stat().st_size == size

    def run(*files: str) -> tuple[int, str, str]:
        command = ["Rscript", "check.R", *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    status, out, err = run("s.csv", "check.draws")
    assert (status, out.count("p value,")) == (0, 6), err
    assert (
        "expected 2 file names, those of the scores and the draws of the test: Rscript --vanilla "
        "check.R scores.csv check.draws"
    ) in run("s.csv")[2]
    assert (
        "none.draws does not exist; expected the draws of the test" in run("s.csv", "none.draws")[2]
    )
    Path("other.draws").write_bytes(Path("check.draws").read_bytes()[::-1])
    assert "other.draws does not have the draws" in run("s.csv", "other.draws")[2]
    before = Path("check.R").read_bytes()
    status, _, err = cdfscore(*arguments, "check.R", "--via", "rscript")
    assert (status, Path("check.R").read_bytes()) == (0, before)


def test_draws_replace_no_file_but_those_of_an_earlier_script(
    cdfscore: Run, scores: pd.DataFrame
) -> None:
    scores.to_csv("s.csv")
    start = ("verify", "s.csv", "--scheme", "raw", "--script", "z.R", "--test")
    draws = Path("z.draws")

    def refused(content: bytes) -> None:
        draws.write_bytes(content)
        status, out, err = cdfscore(*start, "permutation:B=400")
        assert (status, out) == (2, "")
        assert "z.draws exists, and does not belong to an earlier z.R, so that" in err
        assert draws.read_bytes() == content

    refused(b"measurements of a year")
    assert not Path("z.R").exists()
    draws.unlink()
    assert cdfscore(*start, "permutation:B=400")[0] == 0
    first = draws.read_bytes()
    assert cdfscore(*start, "permutation:B=400,seed=2")[0] == 0
    assert draws.read_bytes() != first
    refused(first)  # of another script than z.R is now
    assert "draws" not in cdfscore(*start, "paired_t")[2]  # nor does it know whose they are
    assert draws.read_bytes() == first  # a test that draws nothing writes none


def test_a_script_without_draws_tells_of_those_of_the_one_that_it_replaces(
    cdfscore: Run, scores: pd.DataFrame
) -> None:
    scores.to_csv("s.csv")
    start = ("verify", "s.csv", "--scheme", "raw", "--script", "v.R", "--test")
    said = "cdfscore: v.draws has the draws of an earlier v.R; the new script does not need it\n"
    assert said not in cdfscore(*start, "permutation:B=400")[2]
    there = Path("v.draws").read_bytes()
    status, _, err = cdfscore(*start, "paired_t")
    assert status == 0
    assert err.startswith(said)
    assert "run the script as: Rscript --vanilla v.R s.csv\n" in err
    assert Path("v.draws").read_bytes() == there
    status, _, err = cdfscore(*start, "permutation:B=400")
    assert status == 2
    assert "v.draws exists, and does not belong to an earlier v.R" in err
    Path("v.draws").unlink()
    assert said not in cdfscore(*start, "paired_t")[2]
    assert cdfscore(*start, "permutation:B=400")[0] == 0


def test_a_script_of_one_file_says_which(cdfscore: Run, scores: pd.DataFrame) -> None:
    scores.to_csv("s.csv")
    for reference, said in {
        (): "expected 1 file name, that of the scores: Rscript --vanilla 'my check.R' scores.csv",
        ("--reference", "s.csv"): (
            "expected 2 file names, those of the scores and the reference scores: Rscript "
            "--vanilla 'my check.R' scores.csv reference.csv"
        ),
    }.items():
        run = ("verify", "s.csv", "--scheme", "minmax", *reference, "--script", "my check.R")
        assert cdfscore(*run)[0] == 0
        done = subprocess.run(
            ["Rscript", "my check.R"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert said in " ".join(done.stderr.split())


def test_draws_have_no_place_beside_standard_output(cdfscore: Run, scores: pd.DataFrame) -> None:
    scores.to_csv("check.draws")
    for script, message in {
        "-": "--script - is not accepted: the random draws of the test",
        "check.R": "the file of draws beside --script would overwrite SCORES, check.draws",
    }.items():
        status, out, err = cdfscore(
            *("verify", "check.draws", "--scheme", "raw", "--test", "max_t", "--script", script)
        )
        assert (status, out) == (2, "")
        assert message in err
    assert not Path("check.R").exists()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize(
    ("name", "alpha"),
    [("permutation", 0.05), ("bootstrap_studentized", 0.05), ("permutation", 0.2)],
)
def test_of_many_pairs_a_stated_sample_is_tested_again(
    name: str, alpha: float, via: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(2).normal(size=(40, 12)) + np.arange(12) / 10
    values[:, 11] = values[:, 10]
    scores = pd.DataFrame(values, columns=[f"s{k}" for k in range(12)])
    test = f"{name}:B=900,seed=2"
    family = compare(scores, test, adjust="BH").table
    monkeypatch.setattr(analysis, "_A_MINUTE", 30 * 40 * 900)
    table = verify(scores, "raw", test=test, adjust="BH", alpha=alpha, via=via)
    assert table["agrees"].all(), table.to_string()
    same, note = table.attrs["notes"]
    assert "systems 's10' and 's11' have the same scores on all 40 topics" in same
    assert f"standard errors of {alpha:g}, and" in note
    found = re.match(r"R tests (\d+) of 66 pairs, .*: the (\d+) whose .* each (\d+); ", note)
    assert found is not None
    checked, near, step = map(int, found.groups())
    ratio = family["p_adjusted"] / family["p_value"]
    p = family["p_value"]
    errors = 4 * ratio * np.sqrt(p * (1 - p) / 901)
    assert near == (np.abs(family["p_adjusted"] - alpha) <= errors).sum() > 2
    assert checked == near - (-(66 - near) // step)
    table = table.set_index("quantity")
    assert table["count"]["p adjusted"] in (checked, checked - 1)
    drawn = significance_tests.load(name).drawn
    assert drawn is not None
    monkeypatch.setattr(
        significance_tests.load(name), "drawn", lambda n, B, seed: drawn(n, B, seed + 1)
    )
    assert not verify(scores, "raw", test=test, via=via).set_index("quantity")["agrees"]["p value"]


@pytest.mark.long
def test_fewer_resamples_than_in_compare_are_told() -> None:
    """`compare` chooses B for many pairs, and the test is written without it in both commands."""
    values = np.random.default_rng(2).normal(size=(21, 30)).round(3)
    scores = pd.DataFrame(values, columns=[f"s{k}" for k in range(30)])
    taken = compare(scores, "permutation").test
    assert taken.startswith("permutation:B=")
    as_asked = of_each_system(Standardizer("raw").standardize(scores), "permutation")
    (note,) = verify_result(as_asked).attrs["notes"]
    assert verify(scores, "raw", test="permutation").attrs["notes"] == []
    assert note.startswith("B = 10,000 is verified here, and compare takes 20,000 for these pairs")
    assert note.endswith(f"; test='{taken}' verifies that")
    assert verify(scores, "raw", test=taken).attrs["notes"] == []
