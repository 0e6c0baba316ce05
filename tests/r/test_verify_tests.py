"""`verify` with a test: every number of it beside R's."""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, as_scores, compare, datasets
from cdfscore.errors import VerificationError
from cdfscore.r.session import twin_of
from cdfscore.r.verify import WAYS
from cdfscore.report.writing import as_json
from cdfscore.stats.significance.contract import Rows, significance_tests
from tests.verified import verify

pytestmark = pytest.mark.usefixtures("rinterface")

OMIT = Standardizer("raw", missing="omit")


@pytest.fixture
def small() -> pd.DataFrame:
    """Five topics and three systems: few enough to enumerate every resample."""
    values = np.random.default_rng(5).integers(0, 1000, (5, 3)) / 1000
    return pd.DataFrame(values, index=pd.Index(list("vwxyz"), name="topic"), columns=list("abc"))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("test", significance_tests.names())
def test_every_test_agrees_with_its_twin(small: pd.DataFrame, test: str, long: bool) -> None:
    for via in WAYS if long else ["rpy2"]:
        agrees_with_its_twin(small, test, via)


@pytest.mark.parametrize("topics", [1, 2])
def test_few_topics_agree(small: pd.DataFrame, topics: int) -> None:
    for test in map(significance_tests.load, significance_tests.names()):
        baselines = () if test.samples in ("one sample", "all systems") else "a"
        chosen = test.chosen_example()
        table = verify(small.iloc[:topics], "raw", test=chosen, baselines=baselines)
        assert table["agrees"].all(), f"{test.name}: {table.to_string()}"


@pytest.mark.parametrize(
    "test",
    [
        "spearman:exact=True",
        "kendall:exact=True,alternative=less",
        "mann_whitney:exact=True,conf_int=True",
        "wilcoxon_signed_rank:exact=True,conf_int=True",
    ],
)
def test_exact_p_values_with_ties_agree(small: pd.DataFrame, test: str) -> None:
    scores = pd.concat([small.round(1)] * 2, ignore_index=True).rename_axis("topic").iloc[:8]
    scores.loc[5] += [0, 0.1, -0.1]
    table = verify(scores, "raw", test=test).set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    assert set(table.index) >= {"statistic", "p value", "p adjusted"}
    methods = compare(scores, test).table["method"]
    assert methods.str.contains("exact").all()


def agrees_with_its_twin(small: pd.DataFrame, test: str, via: str) -> None:
    loaded = significance_tests.load(test)
    samples = loaded.samples
    baselines = () if samples in ("one sample", "all systems") else "a"
    table = verify(small, "empirical", test=loaded.chosen_example(), baselines=baselines, via=via)
    table = table.set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    assert table["count"]["p value"] == {"one sample": 3, "all systems": 1}.get(samples, 2)
    assert {"statistic", "p value", "p adjusted"} <= set(table.index)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize(
    ("test", "settings"),
    [
        ("wilcoxon_signed_rank", {"ties_at": np.int64(2), "exact": np.False_}),
        ("equivalence_t", {"centre": np.float64(-0.1), "margin": np.longdouble("0.1")}),
        ("equivalence_t", {"centre": np.float32(-0.1), "margin": np.float16(0.1)}),
    ],
)
def test_settings_of_numpy_reach_r_and_files(
    small: pd.DataFrame, test: str, settings: dict[str, Any], via: str
) -> None:
    chosen = significance_tests.load(test).chosen(settings)
    table = verify(small, "raw", test=chosen, via=via)
    assert table["agrees"].all(), table.to_string()
    assert json.loads(as_json(compare(small, chosen)))


def test_an_adjusted_p_value_is_as_near_as_the_p_value_is() -> None:
    """R takes a small p value of Kendall's test from 1, and Bonferroni multiplies what it loses."""
    systems = {"a": np.arange(20.0), "b": np.arange(20.0) ** 2, "c": np.arange(20.0) ** 3}
    scores = pd.DataFrame(systems, index=pd.Index([f"t{k}" for k in range(20)], name="topic"))
    scores = as_scores(scores, keep_systems=["b"])  # the geometric mean of the others
    table = verify(scores, "raw", test="kendall", adjust="bonferroni").set_index("quantity")
    assert table["agrees"].all()
    assert table["r"]["p adjusted"] < 0 < table["python"]["p adjusted"]


@pytest.mark.parametrize("via", WAYS)
def test_pairs_without_a_number_agree(scores: pd.DataFrame, via: str) -> None:
    alike = scores.assign(sys6=scores["sys5"], sys4=scores["sys5"] - 0.25)
    table = verify(alike, "raw", test="paired_t", via=via).set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    assert table["count"]["p value"] == 18


@pytest.mark.one_in(3)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("test", ["paired_t", "tukey_hsd", "sign"])
def test_two_identical_systems_have_no_number_on_either_side(test: str, via: str) -> None:
    column = np.random.default_rng(6).random(8)
    alike = pd.DataFrame({"a": column, "b": column})
    table = verify(alike, "raw", test=test, via=via).set_index("quantity")
    assert table["agrees"].all()
    assert table["count"]["p value"] == 0
    *_, note = table.attrs["notes"]
    reason = compare(alike, test).table["reason"].item()
    assert note.startswith(f"the test has no number to compare: {reason}; R stops (")


def test_numbers_of_r_alone_are_told_and_do_not_agree(
    small: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = significance_tests.load("welch_t")

    @functools.wraps(test.function)
    def undefined(x: Any, y: Any, **settings: Any) -> Rows:
        return Rows(statistic=np.full(len(x), np.nan), p_value=np.nan, reason="it is undefined")

    monkeypatch.setattr(test, "function", undefined)
    table = verify(small, "raw", test="welch_t")
    assert not table.set_index("quantity")["agrees"]["p value"]
    assert table.attrs["notes"][-1].endswith("it is undefined; R has numbers")


def test_missing_scores_are_omitted_pair_by_pair(gaps: pd.DataFrame) -> None:
    for test in ("paired_t", "welch_t", "wilcoxon_signed_rank", "kendall"):
        table = verify(gaps, OMIT, test=test)
        assert table["agrees"].all(), table.to_string()


def test_a_wrong_test_is_found_out(small: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    test = significance_tests.load("welch_t")
    right = test.function

    @functools.wraps(right)
    def wrong(x: Any, y: Any, **settings: Any) -> Any:
        return right(x, y + 1e-9, **settings)

    monkeypatch.setattr(test, "function", wrong)
    table = verify(small, "raw", test="welch_t").set_index("quantity")
    assert not table["agrees"]["statistic"]
    assert not table["agrees"]["p value"]
    assert table["agrees"]["standardized score"]


def test_a_test_of_your_own_needs_a_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    test = significance_tests.load("sign")
    assert twin_of(test) == test.twin()
    monkeypatch.setattr(test, "twin", lambda: Path(__file__).with_name("sign.R"))
    with pytest.raises(VerificationError, match=r"sign has no R twin; expected the file .*sign\.R"):
        twin_of(test)


@pytest.mark.clause("ties_at.1", "compare.7")
@pytest.mark.parametrize(
    "test", ["wilcoxon_signed_rank", "mann_whitney", "kolmogorov_smirnov", "kendall", "spearman"]
)
@pytest.mark.parametrize(("systems", "scheme"), [(12, "kernel"), (2, "normal"), (3, "uniform")])
def test_ties_that_rounding_breaks_agree(systems: int, scheme: str, test: str) -> None:
    scores = datasets.load_cranfield("ap").iloc[:25, :systems]
    table = verify(scores, Standardizer(scheme, constant="drop_topic"), test=test)
    assert table["agrees"].all(), table.to_string()
