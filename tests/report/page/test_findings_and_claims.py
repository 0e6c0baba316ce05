"""Findings and claims: true for each test, correction and family."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, datasets, sensitivity, verify
from cdfscore.errors import VerificationError
from cdfscore.plots.words import label_of_test, the_test
from cdfscore.report.methods import best
from cdfscore.report.page import (
    Analysis,
    Parity,
    claims,
    findings,
    methods,
    page_data,
    ranks_of,
    systems_table,
)
from cdfscore.report.writing import NO_NUMBER, as_sentence
from cdfscore.scores.reading import read_scores
from cdfscore.standardization.standardizer import standardize
from cdfscore.stats.adjustment import CORRECTIONS
from cdfscore.stats.significance.contract import parse_test, significance_tests

SCORES = datasets.load_cranfield("ap").iloc[:30, :8]
OF_PAIRS = ("paired", "unpaired", "pairs")
OF_A_REPORT = [
    test.name
    for test in map(significance_tests.load, significance_tests.names())
    if test.samples in OF_PAIRS and test.shows in ("difference", "difference of variances")
]


def analysed(
    test: str = "paired_t", scores: pd.DataFrame = SCORES, scheme: str = "raw", **options: Any
) -> Analysis:
    comparison = compare(scores, test, scheme=scheme, **options)
    return Analysis([], standardize(scores, scheme), comparison, None, None, "", Parity(), "")


def _for(analysis: Analysis) -> list[str]:
    return claims(analysis)[0]


def _against(analysis: Analysis) -> list[str]:
    return claims(analysis)[1]


@pytest.mark.parametrize("name", OF_A_REPORT)
def test_no_sentence_is_of_what_a_test_lacks(name: str) -> None:
    test = significance_tests.load(name)
    settings = ":B=999" if test.draws and name != "permutation" else ""
    one = {"baselines": [str(SCORES.columns[0])]} if getattr(test, "one_baseline", False) else {}
    analysis = analysed(f"{name}{settings}", **one)
    table = analysis.comparison.table
    found, told = " ".join(findings(analysis)), " ".join(_for(analysis))
    against = " ".join(_against(analysis))
    has_interval = bool(table["conf_low"].notna().any())
    assert ("interval" in found) == (has_interval and test.estimates.startswith("difference"))
    assert ("the interval (not the p value)" in told) == has_interval
    assert bool(page_data(analysis)["pairs"]["interval"]) == has_interval
    assert ", -, " not in found  # an estimate that is not there
    assert ("adjusted" in told) == (analysis.comparison.adjust != "none")
    assert test.null.partition("`")[0] in told
    assert test.assumes in told
    assert "`" not in told
    means = SCORES.mean()
    differences = means[table["system_a"]].to_numpy() - means[table["system_b"]].to_numpy()
    of_means = np.allclose(table["estimate"], differences)
    assert (f"{as_sentence(the_test(test.label))} is not a test of means" in against) == (
        not of_means
    )


def test_an_estimate_that_is_asked_for_is_not_of_means() -> None:
    analysis = analysed("wilcoxon_signed_rank:conf_int=True")
    assert "The largest significant difference: " in " ".join(findings(analysis))
    assert "The Wilcoxon signed-rank test is not a test of means" in " ".join(_against(analysis))
    pairs = page_data(analysis)["pairs"]
    assert pairs["isDifference"]
    assert pairs["estimated"].endswith("not differences of means")
    assert pairs["interval"] == "95 % confidence intervals, each for one pair"


def test_every_correction_bounds_one_error() -> None:
    assert [name for name, each in CORRECTIONS.items() if not each.bounds] == ["none"]


@pytest.mark.parametrize(
    ("test", "adjust", "conditions"),
    [
        ("paired_t", "holm", []),
        ("paired_t", "hochberg", ["Simes' inequality"]),
        ("paired_t", "hommel", ["Simes' inequality"]),
        ("paired_t", "BH", ["positively dependent"]),
        ("paired_t", "BY", []),
        ("paired_t", "none", []),
        ("nemenyi", None, ["no two of all the systems differ"]),
        ("conover", "holm", ["no two of all the systems differ"]),
        ("randomized_tukey_hsd:B=999", None, ["no two of all the systems differ"]),
        ("tukey_hsd", None, []),
    ],
)
def test_an_error_is_bounded_on_conditions(
    test: str, adjust: str | None, conditions: list[str]
) -> None:
    said = _for(analysed(test, adjust=adjust))[0]
    assert f"if the assumptions of {the_test(label_of_test(parse_test(test)))} hold" in said
    known = ("Simes' inequality", "positively dependent", "no two of all the systems differ")
    assert [each for each in known if each in said] == conditions


def test_a_selected_pair_has_a_caution() -> None:
    separate, together = findings(analysed()), findings(analysed("tukey_hsd"))
    told = " ".join(separate)
    assert "95 % confidence intervals, each for one pair" in told
    assert "not adjusted as p values are" in told
    assert "select a difference because it is the largest" in told
    assert "for all pairs together" in " ".join(together)
    assert "more often than the confidence level" not in " ".join(together)
    plain = " ".join(findings(analysed(adjust="none")))
    assert "not adjusted" not in plain
    against = " ".join(_against(analysed()))
    assert "select a difference because it is the largest" in against
    assert "The intervals do not hold simultaneously" in against
    assert "The intervals do not hold simultaneously" not in " ".join(
        _against(analysed("tukey_hsd"))
    )


def test_one_pair_is_told_once() -> None:
    means = SCORES.mean().sort_values()
    said = findings(analysed(scores=SCORES[[means.index[0], means.index[-1]]]))
    assert sum(" ahead of " in each for each in said) == 1
    assert any(each.startswith("The only significant difference: ") for each in said)
    assert not any("select" in each for each in said)


def test_a_baseline_has_its_systems_and_no_other_family() -> None:
    baseline = str(SCORES.mean().sort_values().index[3])
    analysis = analysed(scheme="normal", baselines=[baseline])
    table = analysis.comparison.table
    differ = table[table["p_adjusted"] <= 0.05]
    above = sorted(differ.loc[differ["estimate"] > 0, "system_a"])
    below = sorted(differ.loc[differ["estimate"] < 0, "system_a"])
    assert above
    assert below
    said = " ".join(findings(analysis))
    for way, names in (("ahead of", above), ("behind", below)):
        found = re.search(
            rf"(\d+) systems? (?:is|are) significantly {way} the baseline {baseline}: (.*?)"
            r"\.(?= [A-Z\d]|$)",
            said,
        )
        assert found is not None
        assert int(found[1]) == len(names)
        assert sorted(found[2].split(", ")) == names
    changes = sensitivity(SCORES, ["raw", "normal"])
    with_schemes = Analysis(**{**vars(analysis), "sensitivity": changes})
    assert findings(with_schemes) == findings(analysis)
    assert page_data(analysis)["pairs"]["centre"] == list(SCORES.columns).index(baseline)
    (none,) = [
        each
        for each in findings(analysed(scores=SCORES * 0 + 0.5, baselines=[baseline]))
        if "baseline" in each
    ]
    assert none == f"No system differs significantly from the baseline {baseline}."


def test_a_test_of_ranks_says_which_systems_are_ahead_of_a_baseline() -> None:
    """Its estimate is none, and the sign is that of the effect size."""
    baseline = str(SCORES.mean().idxmin())
    said = " ".join(findings(analysed("wilcoxon_signed_rank", baselines=[baseline])))
    assert f"significantly ahead of the baseline {baseline}: " in said
    without = " ".join(findings(analysed("wilcoxon_signed_rank", baselines=[baseline], effect="")))
    assert f"significantly different from the baseline {baseline}: " in without
    assert "ahead" not in without


@pytest.mark.parametrize("test", ["paired_t", "wilcoxon_signed_rank"])
def test_systems_have_their_pairs_won_and_lost(test: str) -> None:
    analysis = analysed(test)
    table = analysis.comparison.table
    found = table[table["p_adjusted"] <= 0.05]
    sign = found["estimate"].fillna(found["effect_size"])
    winners = [*found.loc[sign > 0, "system_a"], *found.loc[sign < 0, "system_b"]]
    losers = [*found.loc[sign < 0, "system_a"], *found.loc[sign > 0, "system_b"]]
    assert winners
    columns = {column.header: column.cells for column in systems_table(analysis).columns}
    for names, header in ((winners, "won"), (losers, "lost")):
        assert columns[header] == [str(names.count(system)) for system in columns["system"]]
    counts = zip(*(map(int, columns[each]) for each in ("won", "undecided", "lost")), strict=True)
    assert {sum(each) for each in counts} == {SCORES.shape[1] - 1}
    one = systems_table(analysed(test, baselines=[str(SCORES.columns[0])]))
    assert "won" not in {column.header for column in one.columns}


def test_systems_have_their_number_of_topics_if_it_differs() -> None:
    holes = SCORES.mask(np.eye(*SCORES.shape, dtype=bool) & (np.arange(SCORES.shape[1]) < 2))
    headers = []
    for scores in (SCORES, holes):
        how = Standardizer("raw", missing="omit")
        found, comparison = how.standardize(scores), compare(scores, "paired_t", scheme=how)
        page = Analysis([], found, comparison, None, None, "", Parity(), "")
        headers.append({column.header for column in systems_table(page).columns})
    assert headers[1] - headers[0] == {"topics"}


def test_a_judge_that_stops_is_not_told_as_one_that_differs() -> None:
    def stops() -> pd.DataFrame:
        raise VerificationError("R stops: exit status -9")

    analysis = analysed()
    parity = Parity.of(stops, lambda: verify(analysis.comparison, against="statsmodels"))
    told = findings(replace(analysis, parity=parity))
    assert told[0] == "R did not compute these numbers again: R stops: exit status -9."
    assert len(parity.agreements) == 1
    assert not parity.verified
    (table,) = parity.tables
    parity = replace(parity, tables=[table.assign(agrees=False)], stopped="")
    assert findings(replace(analysis, parity=parity))[0].startswith("Do not use these numbers: st")


def test_tests_of_ranks_show_mean_ranks() -> None:
    analysis = analysed("nemenyi")
    ranks = SCORES.rank(axis=1, ascending=False).mean()
    best = str(ranks.idxmin())
    assert f"{best} has the best mean rank, {ranks[best]:.4f}" in " ".join(findings(analysis))
    table = systems_table(analysis)
    columns = {column.header: column.cells for column in table.columns}
    shown = dict(zip(columns["system"], columns["mean rank"], strict=True))
    assert shown == {str(name): f"{rank:.4f}" for name, rank in ranks.items()}
    assert "use the mean rank, not the mean" in table.caption
    signed = systems_table(analysed("wilcoxon_signed_rank")).caption  # of ranks of differences
    assert "use neither the mean rank nor the mean" in signed
    pairs = page_data(analysis)["pairs"]
    assert pairs["estimated"].startswith("Mean rank")
    assert list(SCORES.columns)[pairs["centre"]] == best
    assert "mean rank" not in {column.header for column in systems_table(analysed()).columns}


def test_the_chart_opens_on_the_best_by_what_is_tested() -> None:
    scores = SCORES.assign(odd=SCORES.min(axis=1) / 2)
    scores.loc[scores.index[:8], "odd"] = 5.0  # far ahead on few topics
    tests = ("paired_t", "nemenyi")
    centre = {test: page_data(analysed(test, scores))["pairs"]["centre"] for test in tests}
    assert scores.columns[centre["paired_t"]] == "odd"
    assert scores.columns[centre["nemenyi"]] == scores.rank(axis=1).mean().idxmax() != "odd"


@pytest.mark.parametrize("test", ["nemenyi", "conover", "sign"])
def test_what_a_scheme_cannot_change_is_no_evidence(test: str) -> None:
    changes = sensitivity(SCORES, ["raw", "normal", "empirical"], test=test)
    assert not changes.conclusions[["gained", "lost", "reversed"]].to_numpy().any()
    assert "is no evidence" in changes.verdict[-1]
    same = sensitivity(SCORES, ["raw", "z"], test="paired_t", alpha=1e-9)
    assert "no evidence" not in same.verdict[-1]


def test_topics_that_a_scheme_leaves_out_are_named_in_the_methods() -> None:
    scores = SCORES.where(SCORES > 0).fillna(0.2)
    scores.iloc[[3, 7], 0] = 0.0  # which the gamma distribution does not have
    topics = [str(topic) for topic in scores.index[[3, 7]]]
    with warnings.catch_warnings(action="ignore"):
        changes = sensitivity(scores, ["raw", Standardizer("gamma", unfitted="drop_topic")])
        analysis = replace(analysed(scores=scores), sensitivity=changes)
    told = methods(analysis)[1]
    assert "compared between: raw, gamma. 2 topics" in told
    assert f"({', '.join(topics)}) are left out for all schemes, since one scheme cannot" in told
    assert changes.left_out == changes.notes[:1]
    whole = replace(analysis, sensitivity=sensitivity(scores, ["raw", "empirical"]))
    assert methods(whole)[1].endswith("compared between: raw, E-std.")


@pytest.mark.parametrize("several", [False, True])
def test_topics_of_a_leaderboard_are_its_columns(tmp_path: Path, several: bool) -> None:
    rows = SCORES.T.rename_axis(index="model")
    parts = [rows.iloc[:4], rows.iloc[4:]] if several else [rows]
    files = [tmp_path / f"{i}.csv" for i in range(len(parts))]
    for file, part in zip(files, parts, strict=True):
        part.to_csv(file)
    with warnings.catch_warnings(action="ignore"):
        read = read_scores(files)
        told, other = (methods(analysed(scores=each))[0] for each in (read, SCORES))
    assert re.match("We compared 8 models (by average precision )?on 30 tasks.", told)
    assert "8 systems by average precision on 30 topics" in other


def test_systems_without_a_mean_have_no_rank_and_none_is_the_best() -> None:
    means = np.array([0.5, np.nan, 0.75, 0.5])
    assert ranks_of(means) == ["2.5", NO_NUMBER, "1", "2.5"]
    assert ranks_of(means[[1]]) == [NO_NUMBER]
    assert "has the highest mean" in best(analysed().comparison, "raw")[0]
    undefined = replace(analysed().comparison, means=analysed().comparison.means * np.nan)
    assert best(undefined, "raw") == []


def test_a_test_that_states_no_null_and_no_assumption_claims_none() -> None:
    known = analysed("sign")
    old = known.comparison.chosen.test
    null = old.null.replace("`null_value`", "0")
    told = f" Null hypothesis: {null}. Assumptions: {old.assumes}."
    assert told in " ".join(_for(known))
    own = object.__new__(type(old))
    own.__dict__.update(old.__dict__, null="", assumes="")
    chosen = replace(known.comparison.chosen, test=own)
    without = _for(replace(known, comparison=replace(known.comparison, chosen=chosen)))
    assert [each.replace(told, "") for each in _for(known)] == without
