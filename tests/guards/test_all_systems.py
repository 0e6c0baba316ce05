"""A test of all systems at once is one row, with its null hypothesis and the tests after it."""

import csv
import html
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import compare, read_scores
from cdfscore.common.text import in_units
from cdfscore.errors import SignificanceError
from cdfscore.plots import plot_critical_difference
from cdfscore.r.verify import Via
from cdfscore.stats.significance import friedman
from cdfscore.stats.significance.contract import AllSystems, significance_tests
from tests.cli.conftest import Run
from tests.verified import verify

ALL = [
    name
    for name in significance_tests.names()
    if isinstance(significance_tests.load(name), AllSystems)
]
AFTER = {
    "friedman": "Nemenyi's test, Conover's test with Holm's correction, Wilcoxon signed-rank test "
    "with Holm's correction",
    "anova_two_way": "Tukey's HSD test, Dunnett's test with a baseline, paired t test with Holm's "
    "correction",
}


@pytest.fixture
def demsar(shared_data: Path) -> Path:
    return shared_data / "leaderboards" / "demsar2006_auc.csv"


def read_table(text: str) -> list[list[str]]:
    """The cells of the table of tests in Markdown, HTML or LaTeX, without the marks of each."""
    if "\\midrule" not in text:
        text = text.partition("Means of models")[0]
    if "<tr>" in text:
        lines = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in text.split("<tr>")[1:]]
    elif "\\midrule" in text:
        body = text.split("\\toprule\n")[-1].split("\n\\bottomrule")[0]
        rows = [line.removesuffix(r" \\") for line in body.splitlines() if "&" in line]
        lines = [[cell.strip("$ ") for cell in row.split(" & ")] for row in rows]
    else:
        rows = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
        lines = [row.split(" | ") for row in rows if "---" not in row]
    marked = [[html.unescape(cell).replace("\\*", "*") for cell in line] for line in lines]
    return [[cell.replace("^{*}", "*") for cell in line] for line in marked]


@pytest.mark.parametrize("test", ALL)
def test_every_format_has_one_row_per_scheme_and_the_caption(
    test: str, demsar: Path, cdfscore: Run, tmp_path: Path
) -> None:
    for ending in ("csv", "tsv", "json", "md", "html", "tex"):
        arguments = ("compare", str(demsar), "--test", test, "--scheme", "raw", "--scheme", "z")
        status, _, err = cdfscore(*arguments, "-o", f"o.{ending}")
        assert status == 0
        assert f"Post hoc tests of pairs: {AFTER[test]}." in err
        text = (tmp_path / f"o.{ending}").read_text()
        scores = read_scores(demsar)
        expected = significance_tests.load(test)(scores.to_numpy())
        if ending in ("csv", "tsv"):
            delimiter = "," if ending == "csv" else "\t"
            rows: list[dict[str, Any]] = list(
                csv.DictReader(io.StringIO(text), delimiter=delimiter)
            )
            names = [(row["scheme"], row["system_a"], row["system_b"]) for row in rows]
            assert names == [("raw", "all systems", ""), ("z", "all systems", "")]
            assert float(rows[0]["p_value"]) == expected.p_value
            continue
        null = significance_tests.load(test).null
        if ending == "json":
            content = json.loads(text)
            assert [row["system_a"] for row in content["rows"]] == ["all systems"] * 2
            assert content["rows"][0]["statistic"] == expected.statistic
            assert content["null_hypothesis"] == null
            assert AFTER[test].startswith(significance_tests.load(content["post_hoc"][0]).label)
            told = in_units(("model", "task"), f"Null hypothesis: {null}.")
            assert told in content["caption"]
            continue
        head, raw, _ = read_table(text)
        assert head == ["scheme", "models", "n", "statistic", "df", "p"]
        p = f"{expected.p_value:.3f}*"
        assert raw == ["raw", "all 4", "14", f"{expected.statistic:.3f}", "3", p]
        assert "Null hypothesis: " in text


@pytest.mark.one_in(2)
@pytest.mark.parametrize("test", ALL)
@pytest.mark.parametrize("scheme", ["raw", "empirical"])
@pytest.mark.usefixtures("rinterface")
def test_it_is_verified(test: str, scheme: str, demsar: Path) -> None:
    scores = read_scores(demsar)
    ways: tuple[Via, ...] = ("rpy2", "rscript")
    for via in ways:
        table = verify(scores, scheme, test=test, via=via)
        assert table["agrees"].all()
        assert "p value" in set(table["quantity"])


def test_a_test_without_a_number_is_a_row_with_its_reason() -> None:
    found = compare(pd.DataFrame(np.ones((4, 3)), columns=list("abc")), "friedman")
    assert found.table["reason"].tolist() == ["all systems are tied in every topic"]
    assert found.table["p_value"].isna().all()
    with pytest.raises(SignificanceError, match="tied in every topic"):
        friedman(np.ones((4, 3)))


def test_the_list_of_tests_says_what_compare_takes(cdfscore: Run) -> None:
    _, out, _ = cdfscore("tests")
    assert "\none_sample_t (one sample; not run by compare)\n" in out
    assert "    tests of pairs that go with it: nemenyi, conover, wilcoxon_signed_rank\n" in out
    assert (
        "    null hypothesis: within each topic, all orders of the systems' scores are equally"
        in out
    )


@pytest.mark.parametrize("test", ["nemenyi", "conover", "wilcoxon_signed_rank", "sign"])
def test_letters_and_diagrams_of_tests_of_ranks_are_by_mean_ranks(test: str, demsar: Path) -> None:
    """The means of scores may have another order, so that bars would join the wrong systems."""
    scores = read_scores(demsar)
    found = compare(scores, test, scheme=["raw", "empirical"])
    assert found.mean_ranks is not None
    expected = scores.rank(axis=1, ascending=False).mean()
    np.testing.assert_allclose(found.mean_ranks["raw"][expected.index], expected, rtol=1e-13)
    ordered = expected.sort_values(kind="stable").index
    assert list(found.letters("raw")) == list(ordered)
    axes = plot_critical_difference(found, scheme="raw")
    assert axes.get_xlabel() == "Mean rank within tasks (1 is the best)"
    left, right = axes.get_xlim()
    assert left > right  # the best is at the right
    names = [text.get_text().split()[0] for text in axes.texts[:-1]]
    assert names == list(ordered)
    of_means = compare(scores, "paired_t")
    assert of_means.mean_ranks is None
    assert plot_critical_difference(of_means).get_xlabel() == "Mean score (higher is better)"
    assert compare(scores, test, baselines="C4.5").mean_ranks is None
