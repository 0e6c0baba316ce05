"""A test of all systems at once is one row, with its null hypothesis and the tests after it."""

import csv
import html
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import compare, read_scores
from cdfscore.errors import SignificanceError
from cdfscore.plots import plot_critical_difference
from cdfscore.plots.words import label_of_test
from cdfscore.r.verify import Via
from cdfscore.report.comparison import caption
from cdfscore.significance import anova_two_way, friedman
from cdfscore.significance.contract import AllSystems, PairsTogether, TwoSamples, significance_tests
from tests.guards.conftest import Outcome
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
    """The cells of the last table of a Markdown, HTML or LaTeX text, without the marks of each."""
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
    test: str, demsar: Path, cdfscore: Callable[..., Outcome], tmp_path: Path
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
            assert AFTER[test].startswith(label_of_test(content["post_hoc"][0]))
            assert f"Null hypothesis: {null}." in content["caption"]
            continue
        head, raw, _ = read_table(text)
        assert head == ["scheme", "systems", "n", "statistic", "df", "p"]
        p = f"{expected.p_value:.3f}*"
        assert raw == ["raw", "all 4", "14", f"{expected.statistic:.3f}", "3", p]
        assert "Null hypothesis: " in text


@pytest.mark.parametrize("test", ALL)
def test_the_tests_after_it_are_of_pairs_and_run(test: str, demsar: Path) -> None:
    loaded: AllSystems[Any] = significance_tests.load(test)
    assert loaded.null
    assert loaded.post_hoc
    scores = read_scores(demsar).drop(index="mushroom")
    for name in loaded.post_hoc:
        after = significance_tests.load(name)
        assert isinstance(after, TwoSamples | PairsTogether)
        baseline = getattr(after, "one_baseline", False)
        found = compare(scores, name, baselines="C4.5" if baseline else ())
        assert (found.table["p_adjusted"] <= 1).all()
        assert found.adjust == ("none" if found.simultaneous else "holm")


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


def test_the_degrees_of_freedom_of_f_are_both_told() -> None:
    scores = pd.DataFrame(np.random.default_rng(1).random((30, 5)), columns=list("abcde"))
    found = compare(scores, "anova_two_way")
    assert "F on 4 and 116 degrees of freedom" in caption(found)
    assert found.table["parameter"].tolist() == [4]
    assert found.table["p_value"].tolist() == [anova_two_way(scores.to_numpy()).p_value]


def test_a_test_without_a_number_is_a_row_with_its_reason() -> None:
    found = compare(pd.DataFrame(np.ones((4, 3)), columns=list("abc")), "friedman")
    assert found.table["reason"].tolist() == ["all systems are tied in every topic"]
    assert found.table["p_value"].isna().all()
    with pytest.raises(SignificanceError, match="tied in every topic"):
        friedman(np.ones((4, 3)))


def test_letters_are_refused() -> None:
    scores = pd.DataFrame(np.random.default_rng(1).random((30, 3)), columns=list("abc"))
    with pytest.raises(SignificanceError, match="friedman is a test of all systems; expected one"):
        compare(scores, "friedman").letters()


def test_the_list_of_tests_says_what_compare_takes(cdfscore: Callable[..., Outcome]) -> None:
    _, out, _ = cdfscore("tests")
    assert "\none_sample_t (one sample; not run by compare)\n" in out
    assert "    tests of pairs that go with it: nemenyi, conover, wilcoxon_signed_rank\n" in out
    assert (
        "    null hypothesis: within each topic, all orders of the systems' scores are equally"
        in out
    )


def test_dunnett_and_the_sign_flips_are_told_apart(
    demsar: Path, cdfscore: Callable[..., Outcome]
) -> None:
    given = ("compare", str(demsar), "--baseline", "C4.5")
    _, own, err = cdfscore(*given, "--test", "dunnett")
    assert "Test: Dunnett's test, two-sided; n = 14" in err
    assert "Dunnett's test against one baseline, blocked by topic" in own
    _, flips, _ = cdfscore(*given, "--test", "max_t_baseline")
    assert "max-T against one baseline, all 2^14 sign flips" in flips


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
    assert plot_critical_difference(of_means).get_xlabel() == "Mean score"
    assert compare(scores, test, baselines="C4.5").mean_ranks is None
