"""Sizes, limits and defaults that the pages name."""

from __future__ import annotations

import inspect
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import cdfscore
from cdfscore import Standardizer, compare, parse_scheme
from cdfscore.experiments import ALPHAS
from cdfscore.io import files
from cdfscore.io.scores.cautions import _AGREES
from cdfscore.merging.merging import LAMBDAS
from cdfscore.models.goals import FEW
from cdfscore.plots import comparison, fits, sensitivity
from cdfscore.plots import scores as of_scores
from cdfscore.report.writing import _ROWS
from cdfscore.significance import (
    kendall,
    kolmogorov_smirnov,
    mann_whitney,
    permutation,
    spearman,
    wilcoxon_signed_rank,
)
from cdfscore.significance.contract import USUAL, significance_tests
from cdfscore.standardization.cautions import _SCORES, FEW_SYSTEMS
from cdfscore.trec.measuring import _HIGHEST_OF_GDEVAL
from cdfscore.trec.runs import LARGEST
from tests.claims import claim

FOLDER = Path(cdfscore.__file__).parent


@claim(
    "docs/runs.md", "if its content is larger than 256 MiB and also larger than 100 times the file"
)
@claim("docs/runs.md", "The relevance is 10,000 at most")
@claim("docs/runs.md", "and 4 at most for `ERR` and `nDCG(dcg='exp-log2')`")
def test_limits_of_files() -> None:
    assert files.BYTES == 256 * 2**20
    assert files.RATIO == 100
    assert LARGEST == 10_000
    assert _HIGHEST_OF_GDEVAL == 4


@claim("docs/figures.md", "Up to 45 systems and 45 topics are named")
@claim("docs/figures.md", "each of 40 topics or fewer has a line over all scores")
@claim("docs/figures.md", "from 10 topics on the median and the quartiles of the curves")
@claim("docs/figures.md", "`found.plot()`; up to 90 systems")
@claim(
    "docs/figures.md",
    "bars that join systems not shown to differ | any number; the best 30 are drawn",
)
@claim("docs/compare.md", "It has room for 30 systems")
@claim(
    "docs/figures.md", "The systems that move the most places, at most ten, are strong and named"
)
def test_limits_of_figures() -> None:
    assert of_scores._LABELLED == 45
    assert of_scores._BOXES == 40
    assert fits._MANY == 10
    assert sensitivity._SYSTEMS == 90
    assert comparison.MOST == 30
    assert sensitivity._MOVERS == 10


@claim("docs/standardize.md", "fewer than 10 reference systems")
@claim("docs/standardize.md", "There is no warning of fewer than 30 scores far below the range")
@claim("docs/scikit_learn.md", "`fit` warns if there are fewer than 10 rows")
@claim("docs/notebooks.md", "Long tables show the first 20 rows and say so")
@claim("docs/topics.md", "Sakai and Shang (2016) advise 25 topics, and `plan` warns of fewer")
@claim(
    "docs/leaderboards.md",
    "is left out if it is the mean of the tasks in 9 of 10 rows or more, and refused if not",
)
def test_numbers_from_which_on_something_is_told() -> None:
    assert (FEW_SYSTEMS, _SCORES, _ROWS, FEW, _AGREES) == (10, 30, 20, 25, 0.9)


@claim(
    "docs/merging.md",
    "among 0, 0.1, 0.2, 0.4, 0.7, 1, 2, 5, 10, 100 and infinity (`cross_validated_lambda`)",
)
def test_values_of_lambda() -> None:
    assert (0, 0.1, 0.2, 0.4, 0.7, 1, 2, 5, 10, 100, math.inf) == LAMBDAS


@claim("docs/report.md", "tables of up to 300 rows are whole")
def test_rows_on_paper() -> None:
    script = (FOLDER / "report" / "page" / "templates" / "printing.js").read_text(encoding="utf-8")
    assert "const ROWS_ON_PAPER = 300;" in script


@claim("docs/reproduction.md", "on the right side of each of 19 levels")
def test_levels_of_the_experiments() -> None:
    assert len(ALPHAS) == 19
    assert (min(ALPHAS), max(ALPHAS)) == (0.001, 0.1)


@claim("docs/significance.md", "`B` is 10,000 by default")
@claim("docs/significance.md", "`seed` is 0 by default")
def test_defaults_of_resampling() -> None:
    tests = [significance_tests.load(name) for name in significance_tests.names()]
    drawn = [test for test in tests if "B" in test.defaults]
    assert len(drawn) >= 6
    assert {test.defaults["B"] for test in drawn} == {10_000}
    assert {test.defaults["seed"] for test in drawn} == {0}


@claim(
    "docs/verify_tests.md",
    "The tolerance for numbers of a test is usually 1e-13 of the number, and 1e-10 for p values "
    "and ends of intervals",
)
@claim(
    "docs/own_test.md",
    "`verify` allows 1e-13 of the number for estimates, statistics and degrees of freedom, and "
    "1e-10 for p values and ends of intervals",
)
def test_usual_tolerances() -> None:
    relative = {name: each.ulp * np.finfo(float).eps for name, each in USUAL.items()}
    for name in ("estimate", "statistic", "parameter"):
        assert relative[name] == pytest.approx(1e-13, rel=0.01)
    for name in ("p_value", "conf_low", "conf_high"):
        assert relative[name] == pytest.approx(1e-10, rel=0.01)


@claim("docs/policies.md", "for `normal` 0, 1/2, 1 left of, at and right of the common score")
@claim("docs/policies.md", "0 at the mean and -1000000 off it, as in `trec_eval -Z`")
@claim("docs/policies.md", "mean 0 and sd 1, as in the scripts of the 2019 paper")
def test_policies_for_constant_topics() -> None:
    same = pd.DataFrame({"a": [0.3], "b": [0.3]}, index=["1"])
    new = pd.DataFrame({"x": [0.2], "y": [0.3], "z": [0.4]}, index=["1"])
    with warnings.catch_warnings(action="ignore"):
        rows = {
            (scheme, policy): Standardizer(scheme, constant=policy)
            .fit(same)
            .transform(new)
            .loc["1"]
            .tolist()
            for scheme, policy in (("normal", "limit"), ("z", "trec_eval"), ("z", "urbano2019"))
        }
    assert rows["normal", "limit"] == [0, 0.5, 1]
    assert rows["z", "trec_eval"] == [-1_000_000, 0, -1_000_000]
    assert rows["z", "urbano2019"] == [0.2, 0.3, 0.4]


@claim("docs/lower_is_better.md", "0.9 reflected at 1 is 0.1 and not 0.09999999999999998")
def test_reflected_decimals() -> None:
    scores = pd.DataFrame({"a": [0.9], "b": [0.3]}, index=["1"])
    raw = Standardizer("raw", lower_is_better=True, reflect_at=1).fit_transform(scores)
    assert raw.loc["1"].tolist() == [0.1, 0.7]
    assert 1 - 0.9 != 0.1


def exact(method: object) -> bool:
    return re.search(r"exact|all \d", str(method)) is not None


@claim("docs/significance.md", "| n < 50, no zeros, no ties; on request with both")
@claim("docs/significance.md", "| n < 50, no ties; on request n ≤ 170, ties in one sample too")
@claim("docs/significance.md", "| n ≤ 9, no ties; on request n ≤ 10, ties too |")
@claim("docs/significance.md", "| n and m < 50, no ties; on request with ties |")
@claim("docs/significance.md", "| n m < 10,000, ties too |")
def test_from_which_size_on_a_test_is_approximate() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 200))
    for n, is_exact in ((49, True), (50, False)):
        assert exact(wilcoxon_signed_rank(x[:n], y[:n]).method) == is_exact
        assert exact(kendall(x[:n], y[:n]).method) == is_exact
        assert exact(mann_whitney(x[:n], y[:n]).method) == is_exact
    assert exact(kendall(x[:170], y[:170], exact=True).method)
    ten = spearman(x[:10], y[:10])
    nine = spearman(x[:9], y[:9])
    assert str(nine.method) != str(ten.method)
    assert exact(kolmogorov_smirnov(x[:99], y[:100]).method)
    assert not exact(kolmogorov_smirnov(x[:100], y[:100]).method)


@claim("docs/significance.md", "| `wilcoxon_signed_rank` | 1,000 nonzero differences, 300 with t")
@claim("docs/significance.md", "| `mann_whitney` | 400 scores in both samples together, 100 with")
@claim("docs/significance.md", "| `spearman` | 10 pairs |")
@claim("docs/significance.md", "| `kendall` | 170 pairs, 10 with ties in both samples |")
@claim("docs/significance.md", "| `kolmogorov_smirnov` | any number |")
def test_up_to_which_size_a_p_value_is_exact_on_request() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 1000))
    few, others = np.round([x, y], 1)
    assert exact(wilcoxon_signed_rank(x, y, exact=True).method)
    assert exact(wilcoxon_signed_rank(few[:300], others[:300], exact=True).method)
    assert exact(mann_whitney(x[:5], y[:395], exact=True).method)
    assert exact(mann_whitney(few[:50], others[:50], exact=True).method)
    assert exact(kendall(x[:170], others[:170], exact=True).method)
    for test in (kendall, spearman):
        assert exact(test(few[:10].round(), others[:10].round(), exact=True).method)
    assert exact(kolmogorov_smirnov(few, others, exact=True).method)


@claim(
    "docs/significance.md",
    "all 2^n flips for n ≤ 20 (`permutation`, `max_t`, `max_t_baseline`)",
)
@claim("docs/significance.md", "all n^n resamples for n ≤ 7 (the bootstraps)")
def test_up_to_which_size_all_are_enumerated() -> None:
    x = np.random.default_rng(4).normal(size=21)
    for n, all_of_them in ((20, True), (21, False)):
        p = permutation(x[:n], 0 * x[:n], B=99)
        assert (float(p.p_value_stderr) == 0) == all_of_them
    for name in ("bootstrap_shift", "bootstrap_studentized"):
        test = significance_tests.load(name)
        assert float(test(x[:7], 0 * x[:7]).p_value_stderr) == 0
        assert float(test(x[:8], 0 * x[:8], B=99).p_value_stderr) > 0


@claim(
    "docs/significance.md",
    "a number of decimals, from 0 to 12, to which differences are rounded first",
)
@claim("docs/significance.md", "If q is above 10^12, as for 129 systems with missing scores")
def test_resolutions() -> None:
    x, y = [0.3, 0.2, 0.9, 0.5], [0.2, 0.1, 0.2, 0.9]
    for decimals in (0, 12):
        wilcoxon_signed_rank(x, y, ties_at=decimals)
    for wrong in (-1, 13):
        with pytest.raises(ValueError, match="ties_at"):
            wilcoxon_signed_rank(x, y, ties_at=wrong)
    assert math.lcm(*range(100, 130)) > 10**12


@claim(
    "docs/significance.md",
    "Two baselines are compared with one another once",
)
def test_two_baselines() -> None:
    scores = pd.DataFrame(np.random.default_rng(5).random((9, 4)), columns=[*"abcd"])
    table = compare(scores, "sign", baselines=["a", "b"]).table
    named = {frozenset(pair) for pair in zip(table["system_a"], table["system_b"], strict=True)}
    assert len(table) == len(named) == 5
    assert frozenset("ab") in named


@claim("docs/own_scheme.md", "unless the scheme states a `tolerance`, with the reason")
@claim(
    "docs/own_scheme.md",
    "smaller y are compared in the ulp of the floor, which is 2^-52 for a floor of 1",
)
def test_usual_tolerance_of_a_scheme() -> None:
    assert np.spacing(1.0) == 2.0**-52
    assert parse_scheme("from_scipy:dist=norm").tolerance.ulp == 8
    assert "tolerance" in dir(type(parse_scheme("normal")))


@claim(
    "docs/own_test.md",
    "is the smallest number of scores, or pairs of scores, for which the test is defined (2)",
)
def test_usual_minimum() -> None:
    from cdfscore.significance.contract import paired

    assert inspect.signature(paired).parameters["minimum"].default == 2
