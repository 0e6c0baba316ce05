"""Pages have main entries of the index for what readers search: Sphinx shows these pages first."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_ENTRIES = re.compile(r"^```\{index\} (?P<entries>.+)\n```$", re.MULTILINE)
#: A question, and the page that answers it.
ANSWERS = {
    "which scheme": "which_scheme.md",
    "which test": "which_test.md",
    "leaderboard": "leaderboards.md",
    "cite": "start.md",
    "how many topics": "topics.md",
    "install": "start.md",
    "bandwidth": "which_scheme.md",
    "check with R": "checking_with_r.md",
    "missing scores": "policies.md",
    "word error rate": "leaderboards.md",
    "two collections": "across_collections.md",
}


def pages_by_entry() -> dict[str, list[str]]:
    """Return the pages of each main entry, in lower case as they are searched."""
    found: dict[str, list[str]] = {}
    for path in sorted(DOCS.glob("*.md")):
        for directive in _ENTRIES.finditer(path.read_text(encoding="utf-8")):
            for entry in directive["entries"].split(","):
                # Entries without the mark come after all other results.
                assert entry.strip().startswith("! "), f"{path.name}: {entry}"
                found.setdefault(entry.strip().removeprefix("! ").lower(), []).append(path.name)
    return found


@pytest.mark.parametrize("question", ANSWERS)
def test_a_question_is_an_entry_of_the_page_that_answers_it(question: str) -> None:
    assert pages_by_entry()[question.lower()] == [ANSWERS[question]]
