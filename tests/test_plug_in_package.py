"""The example package of the documentation, installed as anybody's, in processes of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import datasets, read_scores, write_scores
from tests.cli.conftest import Run

PACKAGE = Path(__file__).parent.parent / "docs" / "plug_in"
COMMAND = Path(sysconfig.get_path("scripts")) / "cdfscore"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Build and install a copy of the package; run programs that see it, in its folder."""
    folder = tmp_path_factory.mktemp("plug_in")
    repository, target = folder / "repository", folder / "installed"
    shutil.copytree(PACKAGE, repository, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    # Of this process nothing is passed on: R in it sets variables that another R must not see.
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(target)}

    def run_in_the_repository(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(argument) for argument in arguments],
            cwd=repository,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation"]
    done = run_in_the_repository(*pip, "--no-deps", "--target", target, ".")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(repository / "src")  # what runs is what was installed
    for name in ("scores.csv", "two.csv"):
        write_scores(datasets.load_cranfield("ap").iloc[:30, :9], repository / name)
    return run_in_the_repository


@pytest.fixture
def cdfscore(run: Run) -> Run:
    """Run the command line."""
    return lambda *arguments: run(COMMAND, *arguments)


@pytest.mark.long
@pytest.mark.usefixtures("rinterface")
def test_its_own_tests_pass(run: Run) -> None:
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error")
    assert done.returncode == 0, done.stdout
    assert "10 passed" in done.stdout


@pytest.mark.long
def test_it_is_listed_with_its_settings(cdfscore: Run) -> None:
    done = cdfscore("schemes")
    assert done.returncode == 0
    _, _, entry = done.stdout.partition("laplace (cdf)\n")
    assert entry.splitlines()[1].strip() == "settings: centre=median"


def test_scores_are_standardized_and_factors_saved_and_applied(cdfscore: Run, run: Run) -> None:
    saving = ("--save-factors", "factors.json", "-o", "y.csv")
    done = cdfscore("standardize", "scores.csv", "--scheme", "laplace:centre=mean", *saving)
    assert done.returncode == 0
    assert "30 topics x 9 systems standardized by laplace:centre=mean\n" in done.stderr
    done = cdfscore("apply", "factors.json", "scores.csv", "-o", "again.csv")
    assert done.returncode == 0
    folder = run("pwd").stdout.strip()
    y, again = (read_scores(f"{folder}/{name}") for name in ("y.csv", "again.csv"))
    pd.testing.assert_frame_equal(y, again, check_exact=True)
    assert y.to_numpy().std() > 0.1


ORIGIN = r"[Nn]ot of cdfscore: laplace, which is of cdfscore-laplace 0\.1\.0, code [0-9a-f]{12}"


@pytest.mark.parametrize(
    "command",
    [
        "standardize scores.csv --scheme laplace -o t.csv --save-factors factors.json",
        "compare scores.csv --scheme laplace --test paired_t -o t.json",
        "compare scores.csv --scheme laplace --test paired_t -o t.md",
        "compare scores.csv --scheme laplace --scheme laplace:centre=mean --test paired_t -o t.md",
        "diagnose scores.csv --scheme laplace --bootstrap 99 -o t.json",
        "standardize scores.csv --scheme laplace --leave-one-out -o t.csv",
        "verify scores.csv --scheme laplace -o t.csv",
        "correlate scores.csv two.csv --scheme laplace -o t.csv",
        pytest.param("report scores.csv --scheme laplace -o t.html", marks=pytest.mark.long),
    ],
)
def test_results_name_the_package_its_version_and_its_code(
    cdfscore: Run, run: Run, command: str
) -> None:
    done = cdfscore(*command.split())
    assert done.returncode == 0, done.stderr
    assert len(re.findall(ORIGIN, done.stderr)) == 1
    written = Path(run("pwd").stdout.strip(), command.partition(" -o ")[2].split()[0])
    if written.suffix != ".csv":  # which has no place for it
        assert re.search(ORIGIN, written.read_text(encoding="utf-8"))


def test_experiments_streams_and_factors_name_it_too(cdfscore: Run, run: Run) -> None:
    folder = Path(run("pwd").stdout.strip())
    within = "experiment within scores.csv --scheme laplace --trials 3 --out e"
    done = cdfscore(*within.split())
    assert re.search(ORIGIN, done.stderr)
    assert re.search(ORIGIN, (folder / "e" / "experiment.json").read_text(encoding="utf-8"))
    write_scores(read_scores(folder / "scores.csv"), folder / "s.parquet")
    stream = "standardize s.parquet --scheme laplace --stream -o t.parquet"
    done = cdfscore(*stream.split())
    assert re.search(ORIGIN, done.stderr)
    mixed = "standardize scores.csv --scheme zero_inflated:family=laplace --save-factors z.json"
    assert cdfscore(*mixed.split(), "-o", "t.csv").returncode == 0
    assert "cdfscore-laplace" in (folder / "z.json").read_text(encoding="utf-8")


def test_factors_of_other_code_are_told(cdfscore: Run, run: Run) -> None:
    saving = ("--save-factors", "factors.json", "-o", "y.csv")
    assert cdfscore("standardize", "scores.csv", "--scheme", "laplace", *saving).returncode == 0
    path = Path(run("pwd").stdout.strip(), "factors.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert re.fullmatch(r"cdfscore-laplace 0\.1\.0, code [0-9a-f]{12}", document["origin"])
    document |= {"origin": "cdfscore-laplace 0.0.9, code 0123456789ab", "content_digest": None}
    path.write_text(json.dumps(document), encoding="utf-8")
    done = cdfscore("apply", "factors.json", "scores.csv", "-o", "again.csv")
    assert (
        "the factors were fitted by laplace of cdfscore-laplace 0.0.9, code 0123456789ab, and here "
        "is that of cdfscore-laplace 0.1.0, code "
    ) in done.stderr


@pytest.mark.usefixtures("rinterface")
def test_it_is_verified_in_r(cdfscore: Run) -> None:
    done = cdfscore("verify", "scores.csv", "--scheme", "laplace")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("agrees with R version ")


@pytest.mark.long
def test_a_bad_setting_is_one_sentence(cdfscore: Run) -> None:
    done = cdfscore("standardize", "scores.csv", "--scheme", "laplace:centre=mode")
    expected = "cdfscore: laplace: centre=mode is not accepted; expected 'median' or 'mean'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)
