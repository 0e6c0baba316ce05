"""``cdfscore report``: numbers of the page that could stand in each other's place."""

import re
from pathlib import Path

import pytest

from cdfscore import Standardizer, datasets, write_scores
from tests.cli.conftest import Run
from tests.cli.test_report import SMALL, text

CRANFIELD = datasets.load_cranfield("ap").iloc[:30, :12]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    write_scores(CRANFIELD, tmp_path / "s.csv")
    return tmp_path


def words(folder: Path) -> str:
    return " ".join(text(folder).split())


def test_what_r_says_stands_with_the_comparison(
    scores: Path, cdfscore: Run, rinterface: object
) -> None:
    """The notes are those of verify."""
    few = CRANFIELD.iloc[:, :4]
    write_scores(few.assign(other=few.iloc[:, 0] + 0.125), scores / "s.csv")
    own = ("--scheme", "raw", "--test", "paired_t")
    assert (
        cdfscore("report", "s.csv", *own, *[each for each in SMALL if each != "--no-verify"]).status
        == 0
    )
    verified = cdfscore("verify", "s.csv", *own)
    (note,) = [line for line in verified.err.splitlines() if "R's test fails on" in line]
    of_r = words(scores).partition("What was checked, and by whom")[2].partition("Claims")[0]
    assert note.removeprefix("cdfscore: ") in of_r


def test_ranks_by_raw_means_are_of_raw_means(scores: Path, cdfscore: Run) -> None:
    assert cdfscore("report", "s.csv", "--scheme", "normal", *SMALL).status == 0
    raw = CRANFIELD.mean()
    own = Standardizer("normal").fit_transform(CRANFIELD).mean()
    ranks = raw.rank(ascending=False)
    assert (ranks != own.rank(ascending=False)).any()
    for system in CRANFIELD.columns:
        start = rf"{re.escape(system)} {own[system]:.4f} \[\S+ \S+\] (?:[a-z ]+ )?(?:\d+ ){{3}}"
        row = rf"{start}{raw[system]:.4f} {ranks[system]:g} "
        assert re.search(row, words(scores)), row
