"""Timings and sizes in sentences are those of docs/speed.md, which names the machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.claims import claim
from tests.claims.pages import DOCS, number, section, table
from validation.documentation.checked_elsewhere import WRITTEN

PAIRS = "Every test by default, all 5,995 pairs of 110 systems, 249 topics"
#: A number of seconds or minutes, a multiple of a time, or a part of one.
TIME = re.compile(
    r"\b\d[\d.,]* (?:ms|s|seconds?|minutes?|hours?)\b|\btimes as (?:long|fast)\b"
    r"|\b(?:half|third|fourth|fifth)(?: of)? the time\b"
)
#: Times that are no measurements of cdfscore.
OTHERS = {"docs/significance.md": ["times as long"]}


def median(test: str) -> float:
    return number(table("speed.md", PAIRS)[test]["median ms"])


@claim(
    "docs/significance.md",
    "The bootstraps and `permutation_unpaired` take [9 to 22 times as long](speed.md)",
)
def test_slower_resampling() -> None:
    ratios = [
        median(test) / median("permutation")
        for test in ("bootstrap_shift", "bootstrap_studentized", "permutation_unpaired")
    ]
    assert (round(min(ratios)), round(max(ratios))) == (9, 22)


@claim(
    "docs/out_of_core.md",
    "For a hundred million scores, [less than 700 MB were measured](speed.md#out-of-core)",
)
def test_memory_of_streams() -> None:
    lines = section("speed.md", "Out of core").splitlines()
    peaks = [int(line.strip("| ").split("|")[-1]) for line in lines if "| 100,000,000 |" in line]
    assert peaks
    assert max(peaks) < 700


@claim("docs/runs.md", "Many runs take less time than with ir_measures alone")
def test_runs_beside_ir_measures() -> None:
    heading = next(
        line.removeprefix("## ")
        for line in (DOCS / "speed.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("## 100 runs")
    )
    seconds = {name: number(row["seconds"]) for name, row in table("speed.md", heading).items()}
    assert seconds["cdfscore measure"] < seconds["ir_measures"]
    assert seconds["cdfscore measure --jobs 1"] < seconds["ir_measures"]


@claim("docs/speed.md", "U-std is far above it")
@claim("docs/speed.md", "N-std is above it for 100,000 scores")
def test_where_the_goal_is_missed() -> None:
    text = section("speed.md", "Fit and transform of scores of any number, 100 systems, both cores")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if " beside " in line
    ]
    missed = [(row[0].split()[0], row[1]) for row in rows if number(row[5]) > number(row[6])]
    assert [size for scheme, size in missed if scheme == "N-std"] == ["100,000"]
    assert len([size for scheme, size in missed if scheme == "U-std"]) == 4
    assert [size for scheme, size in missed if scheme == "E-std"] == []


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
        if f"docs/{path.name}" not in WRITTEN and path.name != "changes.md"
    ],
    ids=lambda path: path.name,
)
def test_no_other_page_has_a_timing(path: Path) -> None:
    # The list of claims quotes the others.
    not_prose = r"^```.*?^```|^<!-- table.*?^<!-- end of table -->"
    text = re.sub(not_prose, "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    allowed = OTHERS.get(f"docs/{path.name}", [])
    assert [found for found in TIME.findall(text) if found not in allowed] == []


def test_the_changelog_has_no_timing() -> None:
    text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    assert TIME.findall(text) == []
