"""The documentation of the significance tests names all of them, and its own test runs."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from cdfscore import compare, datasets, verify
from cdfscore.r.session import RSession
from cdfscore.report.comparison import caption
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import SignificanceTest, significance_tests
from cdfscore.testing import check_test
from tests.significance.in_r import rows_in_r

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


@pytest.fixture
def geometric_t(tmp_path: Path) -> SignificanceTest:
    """The test of `own_test.md`, from the files that the page shows."""
    page = (DOCS / "own_test.md").read_text(encoding="utf-8")
    for language, suffix in (("python", "py"), ("r", "R")):
        (code,) = re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        (tmp_path / f"geometric_t.{suffix}").write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("geometric_t", tmp_path / "geometric_t.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    test: SignificanceTest = module.geometric_t
    return test


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_the_pages_test_has_the_numbers_of_its_twin(geometric_t, alternative) -> None:
    x, y = np.random.default_rng(1).random((2, 30, 12))
    x[3] = y[3]
    x[4, 5] = np.nan
    given = {"alternative": alternative, "offset": 0.01}
    found = geometric_t(x, y, **given)
    by_r = rows_in_r(RSession(), geometric_t, geometric_t.settings(given), x, y)
    assert (found.reason != "").tolist() == [stop != "" for stop in by_r.stopped]
    assert (found.reason != "").sum() == 1
    there = found.reason == ""
    for name, expected in by_r.numbers.items():
        ours = getattr(found, name)
        np.testing.assert_allclose(ours[there], expected[there], rtol=1e-10)


@pytest.mark.usefixtures("rinterface")
def test_the_pages_test_goes_where_a_test_goes(geometric_t) -> None:
    scores = datasets.load_cranfield("ap").iloc[:, :4]
    found = compare(scores, geometric_t, scheme=["raw", "empirical"])
    assert len(found.table) == 12
    assert found.effect == "d_z"
    assert verify(compare(scores, geometric_t))["agrees"].all()


@pytest.mark.usefixtures("rinterface")
def test_the_pages_test_keeps_the_contract(geometric_t, monkeypatch) -> None:
    # So that it can be pickled, as any test of an importable module can.
    monkeypatch.setitem(sys.modules, "geometric_t", sys.modules[__name__])
    monkeypatch.setattr(sys.modules[__name__], "geometric_t", geometric_t)
    check_test(geometric_t)
