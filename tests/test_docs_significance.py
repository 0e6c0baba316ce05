"""The documentation of the significance tests names all of them, and its own test runs."""

import re
from pathlib import Path

from cdfscore import compare, datasets
from cdfscore.report.comparison import caption
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import significance_tests

DOCS = Path(__file__).parent.parent / "docs"


def section(page: str, heading: str) -> str:
    """The text of a section, without the sections after it."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of a table's lines that begin with a name in backticks."""
    lines = section(page, heading).splitlines()
    return [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("| `")
    ]


def test_the_table_has_every_test_with_its_samples_and_effect() -> None:
    shown = {cells[0]: (cells[1], cells[-1]) for cells in rows("significance.md", "All tests")}
    tests = {name: significance_tests.load(name) for name in significance_tests.names()}
    assert shown == {name: (test.samples, test.effect) for name, test in tests.items()}


def test_the_table_of_effect_sizes_has_every_one() -> None:
    shown = {cells[0] for cells in rows("significance.md", "Effect sizes")}
    assert shown == set(effect_sizes.names())


def test_the_page_shows_the_caption() -> None:
    systems = ["bm25_k1.2_b0.75", "tfidf", "pl2_c1", "lsa200"]
    found = compare(
        datasets.load_cranfield("ap")[systems], "tukey_hsd", scheme=["raw", "empirical"]
    )
    quoted = re.findall(r"^> (.*)$", section("compare.md", "Command line"), re.MULTILINE)
    assert " ".join(quoted) == caption(found)
