"""The example package of the documentation, installed as anybody's, in processes of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from scipy import stats

from cdfscore import datasets, read_scores, write_scores
from tests.cli.conftest import Run

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "docs" / "plug_in"
COMMAND = Path(sysconfig.get_path("scripts")) / "cdfscore"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Build and install a copy of the package; run programs that see it, in its folder."""
    folder = tmp_path_factory.mktemp("plug_in")
    repository, target = folder / "repository", folder / "installed"
    copied(repository)
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
    assert "15 passed" in done.stdout


@pytest.mark.long
def test_it_is_listed_with_its_settings(cdfscore: Run) -> None:
    done = cdfscore("schemes")
    assert done.returncode == 0
    _, _, entry = done.stdout.partition("laplace (cdf)\n")
    assert entry.splitlines()[1].strip() == "settings:"
    assert "trimmed_t" in cdfscore("tests").stdout


def test_scores_are_standardized_and_factors_saved_and_applied(cdfscore: Run, run: Run) -> None:
    saving = ("--save-factors", "factors.json", "-o", "y.csv")
    done = cdfscore("standardize", "scores.csv", "--scheme", "laplace:centre=mean", *saving)
    assert done.returncode == 0
    assert "30 topics x 9 systems standardized by laplace (centre mean)\n" in done.stderr
    done = cdfscore("apply", "factors.json", "scores.csv", "-o", "again.csv")
    assert done.returncode == 0
    folder = run("pwd").stdout.strip()
    y, again = (read_scores(f"{folder}/{name}") for name in ("y.csv", "again.csv"))
    pd.testing.assert_frame_equal(y, again, check_exact=True)
    assert y.to_numpy().std() > 0.1


ORIGIN = r"[Nn]ot of cdfscore: laplace, which is of cdfscore-plug-in 0\.1\.0, code [0-9a-f]{12}"


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


def test_a_test_of_trimmed_means_has_them_everywhere(cdfscore: Run, run: Run) -> None:
    """Tables, letters, a figure and the report, each by one command."""
    folder = Path(run("pwd").stdout.strip())
    test = ("compare", "scores.csv", "--test", "trimmed_t:trim=0.1")
    done = cdfscore(*test, "--letters", "letters.csv", "--diagram", "cd.svg", "-o", "t.json")
    assert done.returncode == 0, done.stderr
    assert "not of cdfscore: trimmed_t, which is of cdfscore-plug-in 0.1.0, code " in done.stderr
    scores = datasets.load_cranfield("ap").iloc[:30, :9]
    expected = stats.trim_mean(scores.to_numpy(), 0.1)
    document = json.loads((folder / "t.json").read_text(encoding="utf-8"))
    assert document["center"] == "trimmed mean"
    assert [*document["means"]["raw"].values()] == pytest.approx(expected, rel=1e-14)
    letters = pd.read_csv(folder / "letters.csv")
    told = ["scheme", "system", "trimmed mean", "letters", "won", "undecided", "lost"]
    assert [*letters] == told
    assert letters["trimmed mean"].tolist() == pytest.approx(sorted(expected)[::-1], rel=1e-14)
    drawn = "".join(ElementTree.parse(folder / "cd.svg").getroot().itertext())
    assert "Trimmed mean score" in drawn
    done = cdfscore(*test, "-o", "t.md")
    assert "Differences of trimmed means between systems" in (folder / "t.md").read_text("utf-8")


@pytest.mark.long
def test_the_report_has_trimmed_means(cdfscore: Run, run: Run) -> None:
    report = ("report", "scores.csv", "--scheme", "laplace", "--test", "trimmed_t", "-o", "r.html")
    done = cdfscore(*report)
    assert done.returncode == 0, done.stderr
    page = Path(run("pwd").stdout.strip(), "r.html").read_text(encoding="utf-8")
    assert "the highest trimmed mean" in page
    assert "The tests and the letters use the trimmed mean" in page


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
    assert "cdfscore-plug-in" in (folder / "z.json").read_text(encoding="utf-8")


def test_factors_of_other_code_are_told(cdfscore: Run, run: Run) -> None:
    saving = ("--save-factors", "factors.json", "-o", "y.csv")
    assert cdfscore("standardize", "scores.csv", "--scheme", "laplace", *saving).returncode == 0
    path = Path(run("pwd").stdout.strip(), "factors.json")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert re.fullmatch(r"cdfscore-plug-in 0\.1\.0, code [0-9a-f]{12}", document["origin"])
    document |= {"origin": "cdfscore-plug-in 0.0.9, code 0123456789ab", "content_digest": None}
    path.write_text(json.dumps(document), encoding="utf-8")
    done = cdfscore("apply", "factors.json", "scores.csv", "-o", "again.csv")
    assert (
        "the factors were fitted by laplace of cdfscore-plug-in 0.0.9, code 0123456789ab, and here "
        "is that of cdfscore-plug-in 0.1.0, code "
    ) in done.stderr


@pytest.mark.usefixtures("rinterface")
def test_it_is_verified_in_r(cdfscore: Run) -> None:
    for test in ((), ("--test", "trimmed_t")):
        done = cdfscore("verify", "scores.csv", "--scheme", "laplace", *test)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].startswith("agrees with R version ")


@pytest.mark.long
def test_a_bad_setting_is_one_sentence(cdfscore: Run) -> None:
    done = cdfscore("standardize", "scores.csv", "--scheme", "laplace:centre=mode")
    expected = "cdfscore: laplace: centre=mode is not accepted; expected 'median' or 'mean'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


def copied(folder: Path) -> Path:
    return Path(
        shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    )


def from_a_path(folder: Path) -> list[str]:
    """Cdfscore from a clone, and the package from a folder."""
    return [str(ROOT), str(copied(folder))]


def from_git(folder: Path) -> list[str]:
    """One repository, whose package names cdfscore by a direct reference, as the page says."""
    repository = copied(folder)
    project = repository / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    direct = text.replace('"cdfscore", ', f'"cdfscore @ {ROOT.as_uri()}", ')
    assert direct != text
    project.write_text(f"{direct}\n[tool.hatch.metadata]\nallow-direct-references = true\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "A package"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    return [f"git+{repository.as_uri()}"]


@pytest.mark.long
@pytest.mark.parametrize("wanted", [from_a_path, from_git])
def test_it_is_installed_in_an_empty_environment(
    tmp_path: Path, wanted: Callable[[Path], list[str]]
) -> None:
    """With all that it needs, from an index."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "python", "-m", "pip", "install", "-q"]
    done = subprocess.run([*pip, *wanted(tmp_path / "package")], capture_output=True, text=True)
    if re.search("NewConnectionError|Temporary failure in name resolution", done.stderr):
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr
    write_scores(datasets.load_cranfield("ap").iloc[:30, :9], tmp_path / "scores.csv")
    arguments = ("compare", "scores.csv", "--scheme", "laplace", "--test", "trimmed_t", "-o", "-")
    done = subprocess.run(
        [environment / "bin" / "cdfscore", *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1 + 36
    for name in ("laplace", "trimmed_t"):
        assert f"not of cdfscore: {name}, which is of cdfscore-plug-in 0.1.0" in done.stderr
