"""The tables of schemes, tests and settings: each that is registered is a row of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cdfscore.schemes.bandwidths import RULES
from cdfscore.schemes.base import schemes
from cdfscore.significance.contract import significance_tests
from validation.documentation import overviews
from validation.documentation import tables as of_pages
from validation.documentation.tables import TABLES

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


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("schemes", SCHEMES),
        ("tests", TESTS),
        ("unfitted topics", SCHEMES),
        ("bandwidths", list(RULES)),
    ],
)
def test_each_that_there_is_has_a_row(table: str, names: list[str]) -> None:
    text = TABLES[table]()
    rows = rows_of(text)
    assert [name_in(row[0]) for row in rows] == names
    assert all(row[-1] for row in rows)
    assert all(len(row) == text.splitlines()[0].count(" | ") + 1 for row in rows)


@pytest.mark.parametrize(
    ("table", "settings"),
    [
        (
            "settings of schemes",
            [(name, each) for name in SCHEMES for each in schemes._settings(schemes.load(name))],
        ),
        (
            "settings of tests",
            [
                (name, each)
                for name in TESTS
                for each in significance_tests.load(name).setting_names
            ],
        ),
    ],
)
def test_each_setting_has_a_row(table: str, settings: list[tuple[str, str]]) -> None:
    rows = rows_of(TABLES[table]())
    assert [(name_in(row[0]), name_in(row[1])) for row in rows] == settings


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("normal", ["(-∞, ∞)", "any", "`mean`, `sd`", "none", "0, 1/2, 1"]),
        ("empirical", ["[min, max]", "any", "`sample`", "0.25", "0, 1, 1"]),
        ("beta", ["[0, 1]", "[0, 1]", "`a`, `b`, `min`, `max`", "none", "0, 1/2, 1"]),
        ("z", ["not a cdf", "any", "`mean`, `sd`", "none", "-∞, 0, ∞"]),
        ("uniform", ["[fitted, fitted]", "any", "`mean`, `sd`", "none", "0, 1/2, 1"]),
    ],
)
def test_cells_of_a_scheme(name: str, cells: list[str]) -> None:
    (row,) = (row for row in rows_of(overviews.scheme_table()) if name_in(row[0]) == name)
    assert row[2:7] == cells


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


@pytest.mark.parametrize(
    ("page", "tables"),
    [
        ("bibliography.md", ["sources"]),
        ("claims.md", ["claims", "written pages"]),
        ("specification/index.md", ["clauses"]),
        ("specification/traceability.md", ["clauses and tests"]),
        ("which_test.md", ["advice"]),
        ("which_scheme.md", ["schemes", "unfitted topics", "settings of schemes", "bandwidths"]),
        ("all_tests.md", ["tests", "settings of tests"]),
    ],
)
def test_the_pages_show_the_tables(page: str, tables: list[str]) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert re.findall(r"^<!-- table: ([\w ]+) -->$", text, re.MULTILINE) == tables

    assert text.count("<!-- end of table -->") == len(tables)


PAGES = of_pages.pages()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_tables_and_links_of_the_page_are_current(path: Path) -> None:
    if path.read_text(encoding="utf-8") != PAGES[path]:
        pytest.fail(
            f"docs/{path.relative_to(DOCS)} has a stale table or link: `make tables` renews it"
        )


def test_only_the_text_between_the_comments_changes() -> None:
    page = "a\n<!-- table: x -->\nold\n<!-- end of table -->\nb\n<!-- table: y -->\nc\n"
    filled = of_pages.filled(page, str.upper)
    between = "<!-- table: {} -->\n\n{}\n\n<!-- end of table -->"
    assert filled == f"a\n{between.format('x', 'X')}\nb\n{between.format('y', 'Y')}\nc\n"
    assert of_pages.filled(filled, str.upper) == filled
