"""The rules by which R compares cells of a published table with numbers."""

import csv
import io
import math
from collections.abc import Callable
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare
from cdfscore.errors import CdfscoreError
from cdfscore.r.published import PUBLISHED, read_published
from cdfscore.r.session import RSession
from cdfscore.report.writing import encode
from cdfscore.scores.tables import unguarded
from tests.verified import verify

Verdict = Callable[..., list[str]]


@pytest.fixture
def verdict(rinterface: ModuleType) -> Verdict:
    """What R says of the cells of a column beside numbers."""
    session = RSession()
    check = session.function("check_cells", PUBLISHED)

    def verdicts(
        cells: list[str], anew: list[float], quantity: str = "x", column: str = "verdict"
    ) -> list[str]:
        texts = session.strings(cells)
        numbers = session.vector(np.array(anew))
        found = {
            "quantity": quantity,
            "place": session.vector(np.arange(len(cells))),
            "anew": numbers,
        }
        how = session.as_list({"allowed": session.as_list({})})
        own = check(texts, texts, session.as_list(found), how)
        return list(own[list(own.do_slot("names")).index(column)])

    return verdicts


@pytest.mark.clause("published.1")
def test_a_rounded_number_agrees_and_its_neighbors_do_not(verdict: Verdict) -> None:
    """Of 3,000 numbers of nine digits at most, in columns of fixed and of scientific notation."""
    rng = np.random.default_rng(8)
    columns: dict[str, list[tuple[str, str, float]]] = {}
    numbers = (rng.choice([-1, 1], 3000) * 10 ** rng.uniform(-12, 2, 3000)).tolist()
    for number in numbers:
        digits = int(rng.integers(0, 7))
        if float(f"{number:.{digits}f}") == 0 or rng.integers(2):
            text = f"{number:.{digits}e}"
        else:
            text = f"{number:.{digits}f}"
        mantissa, sign, exponent = text.partition("e")
        unit = Decimal(1).scaleb(-digits)
        neighbor = Decimal(mantissa) + int(rng.choice([-1, 1])) * unit
        own = columns.setdefault(f"{digits} {sign}", [])
        own.append((text, f"{neighbor:f}{sign}{exponent}", number))
    for cells in columns.values():
        right, wrong, anew = map(list, zip(*cells, strict=True))
        assert set(verdict(right, anew)) == {"agrees"}
        found = verdict(wrong, anew)
        assert [own for own, said in zip(cells, found, strict=True) if said != "apart"] == []


CELLS: list[tuple[str, float, str]] = [
    ("0.12", 0.125, "agrees"),  # a tie, down and up
    ("0.13", 0.125, "agrees"),
    ("0.12", 0.1250001, "apart"),
    ("0.129", 0.1296, "apart"),  # cut off, not rounded
    (".125", 0.125, "agrees"),
    ("+0.125", 0.125, "agrees"),
    ("\u22120.125", -0.125, "agrees"),  # a minus, and dashes
    ("\u20130.125", -0.125, "agrees"),
    ("$-0.125$", -0.125, "agrees"),
    ("0.125**", 0.125, "agrees"),
    ("0.125\u2020", 0.125, "agrees"),
    ("$0.125^{*}$", 0.125, "agrees"),
    ("0.125 ab", 0.125, "agrees"),
    ("12.5%", 0.125, "agrees"),
    ("12.5 %", 0.12549, "agrees"),
    ("12.5 %", 0.1256, "apart"),
    ("12.5", 0.125, "apart"),
    ("1.3e-1", 0.125, "agrees"),
    ("1.25E-01", 0.125, "agrees"),
    ("0", 0.3, "apart"),
    ("0", 0.04, "agrees"),
    ("0e9", 0.3, "apart"),
    ("-0e1", 0.0, "apart"),
    ("0e-3", 0.0001, "agrees"),
    ("0.0", 0.3, "apart"),
    ("-0.00", 0.001, "agrees"),
    ("1500", 1500.4, "agrees"),
    ("< 0.001", 0.0009, "agrees"),
    ("<.001", 0.0009, "agrees"),
    ("p < 0.001", 0.0009, "agrees"),
    ("< 0.001", 0.0011, "apart"),
    ("< 0.001*", 0.0009, "agrees"),
    ("\u2264 0.001", 0.001, "agrees"),
    ("<= 0.001", 0.0010001, "apart"),
    ("> 0.99", 0.995, "agrees"),
    ("> 0.99", 0.985, "apart"),
    ("\u2265 0.99", 0.99, "agrees"),
    ("= 0.125", 0.125, "agrees"),
    ("0.125000000000001", 0.125, "agrees"),  # beyond nine digits
    ("0.12500001", 0.125, "apart"),
    ("Inf", math.inf, "agrees"),
    ("-Infinity", -math.inf, "agrees"),
    ("Inf", 5.0, "apart"),
    ("5", math.inf, "apart"),
    ("NA", math.nan, "agrees"),
    ("NaN", math.nan, "agrees"),
    ("-", math.nan, "agrees"),
    ("\u2014", math.nan, "agrees"),
    ("n/a", math.nan, "agrees"),
    ("NA", 0.5, "apart"),
    ("0.5", math.nan, "apart"),
    ("< 0.5", math.nan, "apart"),
    ("", 0.5, "apart"),
    (" ", math.nan, "agrees"),
    ("0,125", 0.125, "apart"),
    ("0.l25", 0.125, "apart"),
    ("0.12 0.13", 0.125, "apart"),
    ("about 0.125", 0.125, "apart"),
]


@pytest.mark.clause("published.1")
def test_cells_of_papers(verdict: Verdict) -> None:
    found = [verdict([cell], [number])[0] for cell, number, _ in CELLS]
    wrong = [
        (cell, number, own)
        for (cell, number, right), own in zip(CELLS, found, strict=True)
        if own != right
    ]
    assert wrong == []


#: Columns of cells and numbers, each with the cells that differ; -k - 1 is a cell k that agrees and
#: may have been shortened.
COLUMNS: list[tuple[str, list[str], list[float], list[int]]] = [
    ("x", ["0.15", "0.046"], [0.149, 0.0455], [-1]),  # 0.149 shortened, or two digits
    ("x", ["0.15", "0.046", "0.031"], [0.149, 0.0455, 0.0312], [-1]),
    ("x", ["0.046", "0.031", "12"], [0.0455, 0.0312, 12.3], [-3]),
    ("x", ["0.15", "0.046"], [0.15, 0.0455], []),  # 0.150
    ("x", ["0.15", "0.23", "0.046"], [0.149, 0.2345, 0.0455], []),
    ("x", ["15 %", "4.6 %"], [0.149, 0.0455], [-1]),
    ("x", ["0.1", "0.046"], [0.149, 0.0455], [0]),
    ("x", ["0.15", "4.6e-02"], [0.149, 0.0455], [-1]),
    ("x", ["0.149", "0.191", "0"], [0.149, 0.191, 0.4], [2]),
    ("x", ["0.149", "0.191", "0"], [0.149, 0.191, 0.0004], []),  # 0.000
    ("x", ["0.15", "0.191", "-0.045"], [0.1502, 0.191, -0.0448], []),  # 0.150
    ("x", ["0.1", "0.191", "-0.045"], [0.149, 0.191, -0.0448], [0]),
    ("x", ["0.15", "0.0034", "4.3e-06", "12"], [0.149, 0.00341, 4.34e-6, 12.4], []),  # two digits
    ("x", ["0.1", "0.0034", "4.3e-06", "12"], [0.149, 0.00341, 4.34e-6, 12.4], [0]),
    ("x", ["2.59", "11.2", "103"], [2.589, 11.23, 103.4], []),  # three digits
    ("x", ["2.589", "11.23", "103"], [2.589, 11.23, 103.4], [2]),
    ("x", ["30", "29", "7"], [30, 29, 7], []),
    ("x", ["3e1", "29", "7"], [30, 29, 7], []),
    ("x", ["3e1", "29", "17"], [31, 29, 17], [0]),
    ("x", ["45.2 %", "12 %", "38.1 %"], [0.452, 0.1236, 0.381], [1]),
    ("p value", ["0.015", "0", "0.271"], [0.0149, 0.0055, 0.271], [1]),
    ("p value", ["0.015", "0.000", "0.271"], [0.0149, 0.0002, 0.271], []),
    ("p value", ["0", "0", "1"], [0.0149, 0.0045, 0.8], [0, 2]),
    ("p adjusted", ["0.0546", "0.05", "0.8248"], [0.0546, 0.0546, 0.8248], [1]),
    ("p adjusted", ["< 0.001", "0.055", "0.825"], [0.0001, 0.0546, 0.8248], []),
]


@pytest.mark.clause("published.1")
@pytest.mark.parametrize(("quantity", "cells", "anew", "apart"), COLUMNS)
def test_a_cell_has_the_digits_of_its_column(
    verdict: Verdict, quantity: str, cells: list[str], anew: list[float], apart: list[int]
) -> None:
    found = verdict(cells, anew, quantity)
    assert [k for k, own in enumerate(found) if own == "apart"] == [k for k in apart if k >= 0]
    alone = verdict(cells, anew, quantity, "alone")
    assert [-k - 1 for k, own in enumerate(alone) if own] == [k for k in apart if k < 0]


def notes_of(table: pd.DataFrame) -> list[str]:
    """The notes on a single published table."""
    (found,) = table.attrs["notes_on_tables"].values()
    return list(found)


def matrix(systems: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    values = np.round(rng.normal(np.linspace(0.3, 0.6, systems), 0.15, (14, systems)), 3)
    values[3, 2] = values[5, 2] = np.nan
    index = pd.Index([f"t{k}" for k in range(14)], name="topic")
    return pd.DataFrame(values, index=index, columns=list("abcdef")[:systems])


TESTS = [
    "paired_t:alternative=greater",
    "welch_t:alternative=less",
    "student_t",
    "mann_whitney",
    "wilcoxon_signed_rank:alternative=less",
    "sign",
    "permutation:B=500,seed=2",
    "kolmogorov_smirnov:alternative=greater",
    "variance_ratio",
    "kendall",
    "tukey_hsd",
    "nemenyi",
    "max_t:B=500,seed=3",
]


@pytest.mark.clause("published.3")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("test", TESTS)
def test_pairs_in_the_opposite_order_are_tested_so(test: str, tmp_path: Path) -> None:
    """The table is of the systems in the opposite order, so that it has all pairs as b - a."""
    scores = matrix()
    if test.partition(":")[0] in ("tukey_hsd", "nemenyi", "max_t", "kendall"):
        scores = scores.dropna()
    how = Standardizer("raw", missing="omit")
    simultaneous = test.startswith(("tukey", "nemenyi", "max_t"))
    given = {} if simultaneous else {"adjust": "bonferroni"}  # which has no tails of other pairs
    backwards = compare(scores[["d", "c", "b", "a"]], test, scheme=how, **given).table
    path = tmp_path / "backwards.csv"
    backwards.loc[0, "p_value"] *= 1.01
    backwards.round(10).to_csv(path, index=False, na_rep="NA")
    table = verify(scores, how, test=test, published=path, **given)
    found = table.attrs["published"]
    assert list(found["row"]) == ["d - c"], found.to_string()  # all other cells agree
    assert list(found["column"]) == ["p_value"]
    assert any("in the opposite order" in note for note in notes_of(table))


@pytest.mark.usefixtures("rinterface")
def test_the_uncertainty_from_the_reference_systems_is_compared(tmp_path: Path) -> None:
    scores = matrix(5).dropna()
    options: dict[str, Any] = {"reference_uncertainty": 200, "seed": 3}
    found = compare(scores, "paired_t", scheme="normal", **options).table
    backwards = found.copy()
    backwards[["system_a", "system_b"]] = found[["system_b", "system_a"]]
    for name in ("estimate", "conf_low", "conf_high", "statistic", "effect_size", "effect_low"):
        backwards[name] = -found[name]
    for low, high in (("conf_low", "conf_high"), ("effect_low", "effect_high")):
        backwards[low], backwards[high] = -found[high], -found[low]
    for name in ("difference",):
        backwards[name] = -found[name]
    backwards["both_low"], backwards["both_high"] = -found["both_high"], -found["both_low"]
    for table in (found, backwards):
        path = tmp_path / "pairs.csv"
        table.to_csv(path, index=False, na_rep="NA")
        checked = verify(scores, "normal", test="paired_t", published=path, **options)
        assert checked.attrs["published"].empty, checked.attrs["published"].to_string()
        assert notes_of(checked)[-1] == "columns that are not compared: method"


@pytest.mark.usefixtures("rinterface")
def test_rows_of_other_schemes_are_left_out(tmp_path: Path) -> None:
    scores = matrix().dropna()
    path = tmp_path / "pairs.csv"
    compare(scores, "paired_t", scheme=["raw", "normal"]).table.to_csv(path, index=False)
    table = verify(scores, "normal", test="paired_t", published=path)
    assert table["agrees"].all()
    assert "rows of other schemes are not compared: raw" in notes_of(table)
    with pytest.raises(CdfscoreError, match="the table is of the scheme raw, normal, and this"):
        verify(scores, "uniform", test="paired_t", published=path)


@pytest.mark.clause("published.3")
@pytest.mark.usefixtures("rinterface")
def test_a_file_with_a_baseline_is_of_a_result_with_it(tmp_path: Path) -> None:
    scores, path = matrix().dropna(), tmp_path / "pairs.json"
    path.write_bytes(encode(compare(scores, "sign", scheme="raw", baselines="d"), path))
    table = verify(scores, "raw", test="sign", baselines="d", published=path)
    assert table.attrs["published"].empty
    with pytest.raises(CdfscoreError, match="states d; expected the same, or no baselines"):
        verify(scores, "raw", test="sign", published=path)


@pytest.mark.usefixtures("rinterface")
def test_tables_of_models_are_compared(tmp_path: Path) -> None:
    """The table of an analysis of variance, and the differences of its means, in both orders."""
    from cdfscore.models import anova

    scores = matrix().dropna()
    found = anova(scores, "score ~ topic + system")
    contrasts = found.contrasts("system").assign(term="system")
    swapped = contrasts.assign(
        a=contrasts["b"],
        b=contrasts["a"],
        estimate=-contrasts["estimate"],
        statistic=-contrasts["statistic"],
    )
    for number, table in enumerate((found.table, contrasts, swapped)):
        path = tmp_path / f"{number}.csv"
        own = table.drop(columns=["scheme"], errors="ignore")
        own.loc[0, "p_value"] *= 0.99
        own.to_csv(path, index=False, na_rep="NA")
        checked = verify(scores, "raw", formula="score ~ topic + system", published=path)
        apart = checked.attrs["published"]
        assert list(apart["column"]) == ["p_value"], apart.to_string()  # and all others agree


LABELS = ["a*", "b<c", "&lt;", "<b>", "$x$", "{c}", "a\\b", "a|b", "d--e", "{[}", "'=f", "\\&lt;"]


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("ending", ["csv", "md", "tex", "json"])
def test_labels_come_back_from_what_we_write(ending: str, tmp_path: Path) -> None:
    """Also in pairs of labels that read the same if they are joined: x, y - z and x - y, z."""
    labels = [*LABELS, "x", "x - y", "y - z", "z"]
    rng = np.random.default_rng(6)
    index = pd.Index([f"t{k}" for k in range(8)], name="topic")
    scores = pd.DataFrame(rng.random((8, len(labels))).round(4), index, labels)
    path = tmp_path / f"own.{ending}"
    path.write_bytes(encode(compare(scores, "paired_t", scheme="raw"), path))
    pairs = [row for own in read_published(path).tables.values() for row in _rows(own)]
    at = {"csv": (1, 3), "json": (1, 3)}.get(ending, (0, 2))
    known = {tuple(row[slice(*at)]) for row in pairs}
    assert known >= set(combinations(labels, 2))
    if ending == "tex":  # the table of the pairs is longer than a page, that of the systems is not
        assert {row[0] for row in pairs} >= set(labels)


@pytest.mark.clause("published.3")
@pytest.mark.usefixtures("rinterface")
def test_pairs_in_both_orders_and_of_labels_that_join_alike(tmp_path: Path) -> None:
    scores = matrix().dropna().set_axis(["x", "x - y", "y - z", "z"], axis=1)
    scores["same"] = scores["z"]
    how = Standardizer("raw")
    test = "paired_t:alternative=greater"
    rows = compare(scores, test, scheme=how, adjust="bonferroni").table
    swapped = compare(scores[scores.columns[::-1]], test, scheme=how, adjust="bonferroni").table
    both = pd.concat([rows, swapped], ignore_index=True)
    path = tmp_path / "both.csv"
    for edited in (False, True):
        if edited:
            both.loc[both.index[-1], "estimate"] += 0.01
            both.loc[both["p_value"].isna(), "estimate"] = 0.2
        both.to_csv(path, index=False, na_rep="NA")
        found = verify(scores, how, test=test, published=path, adjust="bonferroni")
        apart = found.attrs["published"]
        expected = ["z - same", "same - z", "x - y - x"] if edited else []
        assert sorted(apart["row"]) == sorted(expected), apart.to_string()


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        ('{"test": "sign", "alpha": "abc", "rows": [{"a": 1}]}', "'alpha' is 'abc'; expected a n"),
        ('{"test": "sign", "alpha": [1], "rows": [{"a": 1}]}', "'alpha' is ['1']; expected a nu"),
        ('{"test": 7, "effect": ["d"], "rows": [{"a": 1}]}', "'effect' is ['d']; expected a name"),
        ('{"test": "sign", "baselines": "x", "rows": [{"a": 1}]}', "expected a list of systems"),
        ('{"means": {"normal": [1]}}', "'means' is {'normal': ['1']}; expected a number for each"),
        ('{"means": [1]}', "expected a number for each system of each scheme"),
        ('{"means": {"raw": {"a": 1}}, "rows": []}', "'rows' is []; expected one or more rows"),
        ('{"rows": [{"a": [1]}]}', "expected numbers and text in each row"),
        ('{"rows": 3}', "'rows' is '3'; expected one or more rows"),
        ("3", "'rows' is '3'"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_json_that_is_no_result_is_refused(tmp_path: Path, content: str, fragment: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(content)
    with pytest.raises(CdfscoreError) as error:
        read_published(path)
    assert fragment in str(error.value)


def _rows(table: bytes) -> list[list[str]]:
    return [unguarded(row) for row in csv.reader(io.StringIO(table.decode(), newline=""))]
