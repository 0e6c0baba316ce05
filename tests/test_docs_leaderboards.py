"""The page on leaderboards: its commands print what it shows, and R has its numbers."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, compare, read_scores
from tests.cli.conftest import Run
from tests.cli.conftest import cdfscore as cdfscore

PAGE = (Path(__file__).parents[1] / "docs" / "leaderboards.md").read_text(encoding="utf-8")
NO_TASKS = ["RTFx", "Model size (B)"]


@pytest.fixture
def tables(shared_data: Path, tmp_path: Path) -> Path:
    for path in (shared_data / "leaderboards").glob("*.csv"):
        shutil.copy(path, tmp_path / path.name)
    return tmp_path


def blocks(kind: str) -> list[str]:
    found = re.findall(r"^```([^\n]*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [text for own, text in found if own == kind]


def sessions() -> list[tuple[str, str]]:
    """Return the commands of the page, each with what is shown below it."""
    text = "".join(blocks("")).replace("\\\n", "")
    return [
        (command, shown)
        for command, _, shown in (each.partition("\n") for each in text.split("$ ")[1:])
    ]


def rows_after(line: str) -> dict[str, list[str]]:
    """Return the table that follows a line of the page, by its first column."""
    table = PAGE.partition(line)[2].lstrip().partition("\n\n")[0].splitlines()
    cells = [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in table[2:]]
    return {row[0]: row[1:] for row in cells}


@pytest.mark.parametrize("number", range(len(sessions())))
def test_commands_print_what_is_shown(cdfscore: Run, tables: Path, number: int) -> None:
    command, shown = sessions()[number]
    if command.startswith("cdfscore apply"):  # the factors that the command before it saves
        before = cdfscore(*shlex.split(sessions()[number - 1][0])[1:])
        assert before.status == 0, before.err
    done = cdfscore(*shlex.split(command)[1:])
    assert done.status == (2 if "may not be tasks" in shown else 0), done.err
    printed = " ".join(done.err.split())
    for part in re.split(r"\.\.\.|\ncdfscore: ", "\n" + shown):
        assert " ".join(part.split()) in printed


def english(tables: Path) -> pd.DataFrame:
    return read_scores(tables / "asr_english.csv", drop_topics=NO_TASKS)


def test_the_best_models_are_those_of_the_schemes_and_of_r(tables: Path) -> None:
    scores = english(tables)
    rows = rows_after("The best three models by each:")
    assert len(rows) == 6
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", blocks("r")[0]], cwd=tables, check=True, capture_output=True
    )
    in_r = {line.split("\t")[0]: line.split("\t")[1:] for line in done.stdout.decode().splitlines()}
    for scheme, cells in rows.items():
        means = Standardizer(scheme, lower_is_better=True).standardize(scores).means["mean"]
        best = means.sort_values(ascending=False).head(3)
        assert cells == [f"{system} {mean:.4f}" for system, mean in best.items()]
        assert [cell.strip() for cell in in_r[scheme]][:3] == cells


def test_pairs_that_differ_are_counted(tables: Path) -> None:
    scores = english(tables)
    for name, cells in rows_after("that differ at level 0.05 are").items():
        test = name.partition("`")[0].partition(",")[0]
        for scheme, cell in zip(("raw", "normal", "empirical"), cells[1:], strict=True):
            found = compare(scores, test, scheme=Standardizer(scheme, lower_is_better=True)).table
            assert [len(found), int((found["p_adjusted"] <= 0.05).sum())] == [3741, int(cell)]


def test_means_of_demsars_table(tables: Path) -> None:
    scores = read_scores(tables / "demsar2006_auc.csv")
    means = {
        scheme: Standardizer(scheme).standardize(scores).means["mean"]
        for scheme in ("raw", "uniform", "empirical")
    }
    ranks = scores.rank(axis=1, ascending=False).mean()
    for system, cells in rows_after("Beside the ranks, the means:").items():
        raw, uniform, empirical = (f"{means[scheme][system]:.4f}" for scheme in means)
        assert cells == [raw, f"{ranks[system]:.3f}", uniform, empirical]
    table = compare(scores, "nemenyi").table.set_index(["system_a", "system_b"])
    for other, p in (("C4.5+m", "0.089"), ("C4.5+m+cf", "0.062")):
        assert f"{table.loc[('C4.5', other), 'p_value']:.3f}" == p
        assert f"| p = {p} |" in PAGE
    friedman = compare(scores, "friedman").table.loc[0]
    assert f"{friedman['statistic']:.3f} (p = {friedman['p_value']:.3f})" in PAGE


def test_spread_of_the_tasks_and_a_missing_cell(tables: Path) -> None:
    scores = english(tables)
    sd = scores.std(axis=1)
    for task in ("AMI WER", "LS Clean WER"):
        assert f"{sd[task]:.2f}" in PAGE
    part = 100 * sd**2 / (sd**2).sum()
    assert f"AMI has {part['AMI WER']:.0f} %, Earnings22 {part['Earnings22 WER']:.1f} %" in PAGE
    model = "nvidia/canary-180m-flash"
    holes = scores.copy()
    holes.loc["AMI WER", model] = float("nan")
    for scheme, before, after in (("raw", 26, 7), ("normal", 24, 20), ("empirical", 23, 22)):
        how = Standardizer(scheme, missing="omit", lower_is_better=True)
        for frame, rank in ((scores, before), (holes, after)):
            means = how.standardize(frame).means["mean"]
            assert means.rank(ascending=False)[model] == rank
        assert f"from {before} to {after}" in PAGE
