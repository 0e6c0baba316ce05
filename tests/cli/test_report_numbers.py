"""``cdfscore report``: numbers of the page that could stand in each other's place."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cdfscore import Standardizer, compare, datasets, write_scores
from tests.cli.conftest import Outcome
from tests.cli.test_report import SMALL, text

Run = Callable[..., Outcome]
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
        cdfscore("report", "s.csv", *own, *[each for each in SMALL if each != "--no-r"]).status == 0
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
        start = rf"{re.escape(system)} {own[system]:.4f} \[\S+ \S+\] "
        row = rf"{start}{raw[system]:.4f} {ranks[system]:g} "
        assert re.search(row, words(scores)), row


@pytest.mark.long
def test_conclusions_by_other_schemes_are_corrected_as_asked(scores: Path, cdfscore: Run) -> None:
    found = {}
    for adjust in ("holm", "none"):
        assert cdfscore("report", "s.csv", "--scheme", "z", "--adjust", adjust, *SMALL).status == 0
        both = [compare(CRANFIELD, "paired_t", scheme=s, adjust=adjust).table for s in ("raw", "z")]
        raw, z = ((table["p_adjusted"] <= 0.05).to_numpy() for table in both)
        same = np.sign(both[0]["estimate"].to_numpy()) == np.sign(both[1]["estimate"].to_numpy())
        found[adjust] = int((raw & z & same).sum())
        assert f"{found[adjust]} of 66 pairs of systems differ by both" in words(scores)
    assert found["holm"] < found["none"]


@pytest.mark.long
def test_the_seed_is_that_of_the_tests_of_fit(scores: Path, cdfscore: Run) -> None:
    pages = []
    for seed in ("1", "1", "2"):
        typed = ("--scheme", "normal", "--bootstrap", "99", "--seed", seed)
        assert cdfscore("report", "s.csv", *typed, *SMALL).status == 0
        pages.append(words(scores).partition("Diagnosis of")[2].partition("What these numbers")[0])
    assert pages[0] == pages[1] != pages[2]
    assert len(pages[0]) > 100
