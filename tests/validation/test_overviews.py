"""The tables of schemes, tests and settings: each that is registered is a row of them."""

import re
from pathlib import Path

import numpy as np

from cdfscore.stats.schemes.base import schemes
from cdfscore.stats.significance.contract import significance_tests
from validation.documentation import overviews
from validation.documentation import tables as of_pages

DOCS = Path(__file__).parents[2] / "docs"
SCHEMES, TESTS = schemes.names(), significance_tests.names()


def rows_of(table: str) -> list[list[str]]:
    """Return the cells of each row below the titles."""
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]
    ]


def name_in(cell: str) -> str:
    found = re.match(r"\[?`(\w+)`", cell)
    assert found is not None
    return found[1]


def test_a_test_has_the_interval_that_the_table_says() -> None:
    x, y = np.random.default_rng(1).random((2, 30))
    said = {name_in(row[0]): row[4] for row in rows_of(overviews.test_table())}
    for name in TESTS:
        test = significance_tests.load(name)
        if test.samples not in ("paired", "unpaired"):
            continue
        asked = {"conf_int": True} if "conf_int" in test.defaults else {}
        found = test(x, y, **test.example, **asked)
        has = not np.isnan(found.conf_low)
        assert said[name] == ("with `conf_int=true`" if asked else "yes" if has else "no"), name
        assert has or not asked


def test_a_row_of_the_options_has_two_cells_and_whole_code() -> None:
    rows = [line for line in of_pages.options_table().splitlines() if line.startswith("| `")]
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) == 3, row
        plain = re.sub(r"`[^`]*`", "", row)
        assert re.findall(r"`|(?<!\w)'|--\w", plain.replace("''", "")) == [], row
    assert any(r"`--depth N\|all`" in row for row in rows)


def test_tables_and_links_of_the_pages_are_current() -> None:
    stale = [
        f"docs/{path.relative_to(DOCS)}"
        for path, current in of_pages.pages().items()
        if path.read_text(encoding="utf-8") != current
    ]
    assert not stale, f"stale tables or links, which `make tables` renews: {', '.join(stale)}"
