"""Timings and sizes in sentences are those of docs/speed.md, which names the machine."""

import re
from pathlib import Path

import pytest

from tests.claims.pages import DOCS
from validation.documentation.checked_elsewhere import WRITTEN

#: A number of seconds or minutes, a multiple of a time, or a part of one.
TIME = re.compile(
    r"\b\d[\d.,]* (?:ms|s|seconds?|minutes?|hours?)\b|\btimes as (?:long|fast)\b"
    r"|\b(?:half|third|fourth|fifth)(?: of)? the time\b"
)
#: Times that are no measurements of cdfscore.
OTHERS = {"docs/significance.md": ["times as long"]}


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
