"""Each cell of a table of pairs, edited in several ways, is found by the rule of both doors."""

import csv
import io
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cdfscore.r.analysis import expression
from cdfscore.r.published import PUBLISHED
from cdfscore.r.session import RSession

SYSTEMS = ["a", "b", "c"]
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]
NUMBERS = {
    "estimate": [0.1489720989115327, 0.19148074072649093, -0.0445499271972169],
    "conf low": [0.03127962427025194, 0.16106853345207569, -0.12577545792542277],
    "statistic": [2.5887989310552237, 3.002957124901016, -1.121751139595348],
    "parameter": [29.0, 29.0, 29.0],
    "p value": [0.014901518678650718, 0.005458756676570544, 0.041117091400430304],
    "p adjusted": [0.12477367114958547, 0.05458756676570544, 0.02482500909619493],
}
EDITS: dict[str, Callable[[str], str]] = {
    "zero": lambda _: "0",
    "zero with an exponent": lambda _: "0e9",
    "minus zero with an exponent": lambda _: "-0e1",
    "empty": lambda _: "",
    "no number": lambda _: "NA",
    "one digit": lambda cell: f"{float(cell):.0e}",
    "fewer decimals": lambda cell: f"{float(cell):.2f}" if "." in cell else "3e1",
    "other sign": lambda cell: cell[1:] if cell[0] == "-" else f"-{cell}",
    "ten times": lambda cell: f"{float(cell) * 10!r}",
}
FORMS: dict[str, Callable[[float], str]] = {
    "all digits": repr,
    "six decimals": lambda number: f"{number:.6f}" if number % 1 else f"{number:.0f}",
}


@pytest.fixture
def compared(rinterface: ModuleType, tmp_path: Path) -> Callable[[list[list[str]]], Any]:
    """The cells (row, column) that differ in a table, and the notes."""
    session = RSession()
    names = [f"{a} - {b}" for a, b in PAIRS]
    results = {key: session.named(np.array([own]), [""], names) for key, own in NUMBERS.items()}
    scores = session.named(np.zeros((2, 3)), ["t1", "t2"], SYSTEMS)
    results = session.as_list({"standardized score": scores, **results})
    how = {"scheme": ["raw"], "alpha": 0.05, "words": {}, "allowed": {}}
    given = {"decimal": session.function("decimal", PUBLISHED.with_name("reading.R"))}
    how = session.evaluated(f"how <- {expression(how)}", given)["how"]
    how = session.rinterface.baseenv["c"](how, session.as_list({"sampled": False}))
    check = session.function("check_published", PUBLISHED)
    path = tmp_path / "table.csv"

    def found(rows: list[list[str]]) -> tuple[list[tuple[str, str]], list[str]]:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        path.write_text(text.getvalue())
        own = check(str(path), results, session.rinterface.NULL, how)
        parts = dict(zip(own.do_slot("names"), own, strict=True))
        apart = dict(zip(parts["differences"].do_slot("names"), parts["differences"], strict=True))
        return list(zip(apart["row"], apart["column"], strict=True)), list(parts["notes"])

    return found


def table(form: Callable[[float], str]) -> list[list[str]]:
    header = ["system_a", "system_b", *(name.replace(" ", "_") for name in NUMBERS)]
    cells = [[form(own[k]) for own in NUMBERS.values()] for k in range(len(PAIRS))]
    return [header, *([*pair, *own] for pair, own in zip(PAIRS, cells, strict=True))]


@pytest.mark.clause("published.1")
@pytest.mark.parametrize("form", FORMS)
def test_every_edit_of_a_cell_is_found(compared: Callable[..., Any], form: str) -> None:
    """Of each column, one cell is edited at a time."""
    rows = table(FORMS[form])
    assert compared(rows)[0] == []
    for number, (what, edit) in enumerate(EDITS.items()):
        own, expected = [list(row) for row in rows], []
        for column in range(2, len(rows[0])):
            k = 1 + (column + number) % len(PAIRS)
            cell = rows[k][column]
            own[k][column] = edit(cell)
            if _number(own[k][column]) != float(cell):
                expected.append((" - ".join(PAIRS[k - 1]), rows[0][column]))
        assert compared(own)[0] == expected, (what, own)


def _number(cell: str) -> float:
    return float(cell) if cell not in ("", "NA") else math.nan


def _with_column(name: str, *cells: str) -> Callable[[list[list[str]]], list[list[str]]]:
    return lambda rows: [[*row, own] for row, own in zip(rows, (name, *cells), strict=True)]


def _renamed(old: str, new: str) -> Callable[[list[list[str]]], list[list[str]]]:
    return lambda rows: [[new if own == old else own for own in rows[0]], *rows[1:]]


def _followed(column: str, row: int, text: str) -> Callable[[list[list[str]]], list[list[str]]]:
    def edit(rows: list[list[str]]) -> list[list[str]]:
        own = [list(each) for each in rows]
        own[row][own[0].index(column)] += text
        return own

    return edit


# Only b and c differ significantly at 0.05. The edit, the rows that differ, and a note.
CLAIMS: list[tuple[Callable[[list[list[str]]], list[list[str]]], list[str], str]] = [
    (_with_column("Significant?", "no", "no", "yes"), [], ""),
    (_with_column("Significant?", "no", "YES", "Yes"), ["a - c"], ""),
    (_with_column("significant", "FALSE", "TRUE", "TRUE"), ["a - c"], ""),
    (_with_column("significant at 0.05", "no", "no", "no"), ["b - c"], ""),
    (_with_column("significant at 0.01", "no", "no", "yes"), [], "not compared: significant at"),
    (_with_column("comment", "x", "y", "z"), [], "columns that are not compared: comment"),
    (_renamed("p_adjusted", "p_adjusted*"), ["b - c"], ""),  # marks are stated, and none is there
    (_followed("p_adjusted", 3, "*"), [], ""),
    (_followed("p_adjusted", 1, "*"), ["a - b", "b - c"], ""),
    (_followed("p_adjusted", 3, " ns"), ["b - c"], ""),
    (_followed("p_adjusted", 1, " ns"), [], ""),
    (_followed("p_adjusted", 1, " n.s."), [], ""),
    (_followed("p_adjusted", 1, " sig."), ["a - b"], ""),
    (_followed("p_adjusted", 1, " d"), [], "text after numbers of p_adjusted, not compared: 1"),
]


@pytest.mark.clause("published.2")
@pytest.mark.parametrize(("edit", "rows", "note"), CLAIMS)
def test_what_a_table_claims(
    compared: Callable[..., Any], edit: Callable[..., Any], rows: list[str], note: str
) -> None:
    apart, notes = compared(edit(table(repr)))
    assert [row for row, _ in apart] == rows
    assert note in " ".join(notes)
    assert bool(notes) == bool(note)
