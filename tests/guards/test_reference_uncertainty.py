"""The uncertainty from the reference systems: what is refused, and what a reader is told."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdfscore import CdfscoreWarning, compare, read_scores
from cdfscore.comparison.reference_uncertainty import PARTS
from cdfscore.errors import SignificanceError
from cdfscore.report.comparison import caption
from cdfscore.stats.significance.contract import PairsTogether, TwoSamples, significance_tests
from tests.uncertain import reference_uncertainty


@pytest.fixture(scope="module")
def robust(shared_data: Path) -> pd.DataFrame:
    return read_scores(shared_data / "robust2004" / "robust2004_ap.csv")


@pytest.fixture
def files(robust: pd.DataFrame, tmp_path: Path) -> None:
    robust.iloc[:25, :4].to_csv(tmp_path / "s.csv")
    robust.iloc[:25, 40:55].to_csv(tmp_path / "r.csv")


def test_columns_follow_those_of_the_test(robust: pd.DataFrame) -> None:
    new, others = robust.iloc[:, :4], robust.iloc[:, 40:60]
    settings: dict[str, Any] = {"scheme": ["raw", "empirical"], "reference": others}
    plain = compare(new, "paired_t", **settings)
    found = compare(new, "paired_t", **settings, reference_uncertainty=200, seed=3)
    assert plain.uncertainty is None
    assert found.uncertainty is not None
    table = found.table
    pd.testing.assert_frame_equal(table[plain.table.columns], plain.table)
    assert list(table.columns[-8:]) == ["difference", *PARTS]
    pd.testing.assert_series_equal(table["difference"], table["estimate"], check_names=False)
    raw = table["scheme"] == "raw"
    for ours, theirs in (("both_low", "conf_low"), ("both_high", "conf_high")):
        pd.testing.assert_series_equal(
            table.loc[raw, ours], table.loc[raw, theirs], check_names=False
        )
    shown = ["system_a", "system_b", "difference", *PARTS]
    pd.testing.assert_frame_equal(found.uncertainty.pairs[shown], table[shown], check_exact=True)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", significance_tests.names())
def test_it_is_of_tests_of_pairs_on_the_same_topics(name: str, robust: pd.DataFrame) -> None:
    test = significance_tests.load(name)
    new, others = robust.iloc[:10, :4], robust.iloc[:10, 40:60]
    arguments: dict[str, Any] = {"scheme": "normal", "reference": others}
    if isinstance(test, PairsTogether) and test.one_baseline:
        arguments["baselines"] = new.columns[0]
    chosen = test.chosen_example()
    if isinstance(test, TwoSamples | PairsTogether) and test.samples != "unpaired":
        with warnings.catch_warnings(action="ignore", category=CdfscoreWarning):
            found = compare(new, chosen, **arguments, reference_uncertainty=200)
        assert found.table["stderr_both"].notna().all()
        assert "from the 20 reference systems, with fixed topics" in caption(found)
        headers = found.to_markdown().splitlines()[2]
        other = test.estimates != "difference" or name == "wilcoxon_signed_rank"  # a median
        assert ("| difference of means |" in headers) == other
    else:
        with pytest.raises(SignificanceError, match=r"; expected (one|a test) of "):
            compare(new, chosen, **arguments, reference_uncertainty=200)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reference_uncertainty": 5}, "reference_uncertainty=5 is not accepted; expected a whole"),
        ({"reference_uncertainty": True}, "reference_uncertainty=True is not accepted"),
        ({"reference_uncertainty": False}, "reference_uncertainty=False is not accepted"),
        ({"seed": 3}, "seed=3 is for resamples of the reference systems, and there are none"),
        ({"reference_uncertainty": 200, "seed": -1}, "seed=-1 is not accepted"),
        ({"reference_uncertainty": 200, "scheme": "raw"}, "nothing is fitted to reference systems"),
    ],
)
def test_numbers_are_checked(robust: pd.DataFrame, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SignificanceError, match=message):
        compare(robust.iloc[:10], "paired_t", **{"scheme": "normal", **arguments})


def test_extremes_are_warned_of_once(robust: pd.DataFrame) -> None:
    with pytest.warns(CdfscoreWarning) as caught:
        found = compare(
            robust.iloc[:20, :30],
            "paired_t",
            scheme=["minmax", "max", "normal"],
            reference_uncertainty=200,
        )
    said = [str(each.message) for each in caught]
    assert [each for each in said if "rests on" in each] == [
        each for each in found.cautions if "rests on" in each
    ]
    assert sum("minmax depends on the lowest or the highest" in each for each in found.notes) == 1


@pytest.mark.usefixtures("files")
def test_the_command_says_whose_uncertainty_it_is(cdfscore: Callable, tmp_path: Path) -> None:
    given = ("compare", "s.csv", "--scheme", "normal", "--reference", "r.csv")
    options = ("--reference-uncertainty", "200", "--seed", "4")
    status, out, err = cdfscore(*given, *options)
    assert status == 0
    assert out.splitlines()[0].endswith(",".join(["difference", *PARTS]))
    for said in (
        "Standard errors of the difference of two means: from the topics, with fixed factors;",
        "from the 15 reference systems, with fixed topics; and from both",
        "reference systems are drawn with replacement, B = 200, seed 4, Monte Carlo error",
        "the interval of 95 % excludes 0:",
    ):
        assert said in err
    for ending in ("json", "md", "tex", "html"):
        assert cdfscore(*given, *options, "-o", f"out.{ending}").status == 0
    content = json.loads((tmp_path / "out.json").read_text())
    assert content["reference_uncertainty"]["reference_systems"] == 15
    assert len(content["reference_uncertainty"]["means"]) == 4
    assert set(PARTS) <= content["rows"][0].keys()
    text = (tmp_path / "out.md").read_text()
    assert "share of reference" in text
    assert "Means of systems, with their standard errors" in text


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--reference-uncertainty 200", "nothing is fitted to reference systems for raw; expected"),
        (
            "--scheme normal --seed 1",
            "--seed 1 is for resamples of the reference systems, and there",
        ),
        (
            "--scheme normal --reference-uncertainty 200",
            "there are 2 reference systems to resample beside the compared ones; expected 3",
        ),
        (
            "--factors f.json --reference-uncertainty 200",
            "do not have the scores of the reference systems, which are resampled; expected a "
            "scheme, and the reference scores by --reference",
        ),
        (
            "--scheme normal --test welch_t --reference-uncertainty 200",
            "--reference-uncertainty is for differences between two systems on the same topics",
        ),
        ("--scheme normal --reference-uncertainty many", "Invalid value for '--reference-uncert"),
    ],
)
def test_the_command_refuses(cdfscore: Callable, options: str, message: str) -> None:
    fitted = ("--reference", "r.csv", "--save-factors", "f.json", "-o", "o.csv")
    assert cdfscore("standardize", "s.csv", "--scheme", "normal", *fitted).status == 0
    status, out, err = cdfscore("compare", "s.csv", *options.split())
    assert (status, out) == (2, "")
    assert message in " ".join(err.split())


def test_tables_of_the_result_alone(robust: pd.DataFrame) -> None:
    found = reference_uncertainty(robust.iloc[:20, :30], ["raw", "uniform"], resamples=200)
    page = found.to_markdown()
    assert page.count("share of reference") == 2
    assert "| scheme | A | B | n | difference | se, topics |" in page
    assert "%" not in found.to_latex().split("\\midrule")[1]  # which would begin a comment
    assert "<table" in found._repr_html_()
    assert repr(found).startswith("<uncertainty from 30 reference systems, B = 200, seed 0,")


def test_systems_that_may_be_reference_systems_are_told(robust: pd.DataFrame) -> None:
    """Rounded in one of two files, or named otherwise, they would be drawn as other systems."""
    new, others = robust.iloc[:30, :4].round(2), robust.iloc[:30, :20]
    with pytest.warns(CdfscoreWarning, match="4 of 4 systems are treated as not in"):
        rounded = reference_uncertainty(new, "empirical", reference=others, resamples=200)
    assert rounded.members == 0
    renamed = robust.iloc[:30, :3].set_axis(["a", "b", robust.columns[2]], axis=1)
    match = "scores of a, b are those of a reference system with another name, so that 2 of 3"
    with pytest.warns(CdfscoreWarning, match=match):
        compare(renamed, "paired_t", scheme="normal", reference=others, reference_uncertainty=200)
    found = reference_uncertainty(robust.iloc[:30, :4], "normal", reference=others, resamples=200)
    assert found.cautions == []
