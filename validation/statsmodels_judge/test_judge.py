"""A part of the comparison with statsmodels, and the judge on sides that are wrong on purpose."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import cdfscore.models
import cdfscore.stats.rank_correlation
from cdfscore.models.anova import Anova
from cdfscore.models.goals import Goal, goals
from cdfscore.models.mixed import MixedModel
from cdfscore.r.session import RSession
from cdfscore.stats.effect_size.effects import effect_sizes
from cdfscore.stats.significance.contract import significance_tests
from validation.statsmodels_judge import compared, page
from validation.statsmodels_judge.compared import beside_statsmodels, judge, numbers_in_r
from validation.statsmodels_judge.counterpart import GOAL, Counterpart
from validation.statsmodels_judge.counterparts import COUNTERPARTS, means
from validation.statsmodels_judge.data import Source
from validation.statsmodels_judge.expected import (
    BY_VERIFY,
    R_WITHOUT,
    STATSMODELS_OFF,
    WITHOUT,
    failures,
)
from validation.statsmodels_judge.outcome import LIMIT, Outcome

#: Integrals at many digits; the campaign has the time.
RANGES = [
    each
    for each in COUNTERPARTS
    if each.ours in STATSMODELS_OFF and ("tukey" in each.ours or "range" in each.ours)
]
OTHERS = [each for each in COUNTERPARTS if each not in RANGES]
ONE_SAMPLE = means.COUNTERPARTS[0]


@pytest.fixture(scope="module")
def session(rinterface: Any) -> RSession:
    return RSession()


@pytest.fixture(autouse=True)
def one_of_each_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared, "JUDGED", 1)


@pytest.mark.parametrize("counterpart", OTHERS, ids=lambda each: each.ours)
def test_numbers_of_statsmodels(
    counterpart: Counterpart, session: RSession, shared_data: Path
) -> None:
    count = 2 if counterpart.slow == 1 else counterpart.slow
    outcome = beside_statsmodels(counterpart, Source(count, seed=3, folder=shared_data))
    judge(counterpart, outcome, session)
    known = STATSMODELS_OFF.get(counterpart.ours, frozenset())
    assert outcome.off("ours") == set()
    assert outcome.off("statsmodels") <= known
    assert outcome.unjudged == set()
    assert outcome.unanswered == R_WITHOUT.get(counterpart.ours, frozenset())
    for name, tally in outcome.numbers.items():
        assert tally.count > 0
        assert tally.difference <= LIMIT or name in known
        # what R has, it has to a few digits at least
        assert name in outcome.unanswered or tally.worst("r") < 1e-2


@pytest.mark.parametrize("counterpart", RANGES, ids=lambda each: each.ours)
def test_approximations_of_the_range(counterpart: Counterpart, session: RSession) -> None:
    outcome = beside_statsmodels(counterpart, Source(4 * counterpart.slow, seed=6))
    name = outcome.widest
    assert name in STATSMODELS_OFF[counterpart.ours]
    tally = outcome.numbers[name]
    assert 0 < tally.difference < 0.02 or tally.absolute < 1e-10
    given = tally.largest[0].given
    in_r, ours = numbers_in_r(session, counterpart.in_r, given), counterpart.by_us(**given)
    assert outcome.numbers.keys() <= in_r.keys()
    for name in outcome.numbers:
        np.testing.assert_allclose(in_r[name], np.ravel(ours[name]), rtol=1e-3, atol=1e-9)


def test_each_function_is_compared_or_said_to_have_no_counterpart() -> None:
    models: Any = cdfscore.models
    ours = {
        *significance_tests.names(),
        *effect_sizes.names(),
        *(f"{name}{GOAL}" for name in goals.names()),
        *(n for each in (Anova, MixedModel) for n in methods(each)),
        # those that read or arrange data compute nothing
        *(n for n in models.__all__ if n.islower() and not n.startswith(("as_", "read_"))),
        *cdfscore.stats.rank_correlation.__all__,
        "power_t",
        "adjust",
    }
    compared_ones = [name for each in COUNTERPARTS for name in each.names]
    assert ours == {*compared_ones, *BY_VERIFY, *WITHOUT}
    assert {*compared_ones, *BY_VERIFY} & set(WITHOUT) == set()


def methods(result: type) -> list[str]:
    """Name the methods of a result that compute numbers."""
    classes = [each for each in result.__mro__ if each.__module__.startswith("cdfscore.models.")]
    own = [n for c in classes for n, each in vars(c).items() if inspect.isfunction(each)]
    return [f"{result.__name__}.{n}" for n in own if not n.startswith(("_", "plot_"))]


@pytest.mark.parametrize("counterpart", COUNTERPARTS, ids=lambda each: each.ours)
def test_what_is_said_to_be_compared_is_called(counterpart: Counterpart, shared_data: Path) -> None:
    called = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        own = frame.f_globals.get("__name__", "").startswith("cdfscore.")
        if event == "call" and own:
            goal = frame.f_locals.get("self")
            called.update(
                (frame.f_code.co_qualname, f"{type(goal).__name__}.{frame.f_code.co_name}")
            )
            if frame.f_code.co_name == "at" and isinstance(goal, Goal):
                called.add(f"{goal.name}{GOAL}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for _, given in islice(counterpart.cases(Source(40, seed=3, folder=shared_data)), 2):
            counterpart.by_us(**given)
    finally:
        sys.setprofile(before)
    assert set(counterpart.names) - called == set()


def a_millionth_more(numbers: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**numbers, "p_value": np.asarray(numbers["p_value"]) * (1 + 1e-6)}


@pytest.mark.parametrize("side", ["ours", "statsmodels"])
def test_the_judge_says_who_is_off(side: str, session: RSession) -> None:
    name = {"ours": "by_us", "statsmodels": "by_statsmodels"}[side]
    right = getattr(ONE_SAMPLE, name)
    wrong: Any = {name: lambda **given: a_millionth_more(right(**given))}
    outcome = beside_statsmodels(replace(ONE_SAMPLE, **wrong), Source(3))
    judge(replace(ONE_SAMPLE, **wrong), outcome, session)
    assert outcome.off(side) == {"p_value"}
    assert outcome.off({"ours": "statsmodels", "statsmodels": "ours"}[side]) == set()
    assert outcome.numbers["p_value"].beyond == outcome.numbers["p_value"].count
    assert len(failures({ONE_SAMPLE.ours: outcome})) == 1
    assert page.who(outcome) == {"ours": "cdfscore", "statsmodels": "statsmodels"}[side]


def in_r_with(monkeypatch: pytest.MonkeyPatch, file: Path, code: str) -> None:
    """Let the judge read these lines of R after its own."""
    file.write_text(f"{compared._R.read_text(encoding='utf-8')}\n{code}\n", encoding="utf-8")
    monkeypatch.setattr(compared, "_R", file)


def judged_one_sample() -> Outcome:
    outcome = beside_statsmodels(ONE_SAMPLE, Source(3))
    judge(ONE_SAMPLE, outcome, RSession())
    return outcome


def test_a_mistake_in_r_stops_the_judge(
    rinterface: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_r_with(monkeypatch, tmp_path / "judge.R", "one_sample_t <- function(...) stop('no such')")
    with pytest.raises(RSession().error, match="no such"):
        judged_one_sample()


@pytest.mark.parametrize("silence", ["NULL", "NA", "NaN"])
def test_a_number_that_r_has_not_is_a_failure(
    rinterface: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, silence: str
) -> None:
    code = (
        "whole <- one_sample_t\none_sample_t <- function(...) "
        f"replace(whole(...), 'p_value', list({silence}))"
    )
    in_r_with(monkeypatch, tmp_path / "judge.R", code)
    outcome = judged_one_sample()
    assert outcome.unanswered == {"p_value"}
    (line,) = failures({ONE_SAMPLE.ours: outcome})
    assert line == "one_sample_t: p_value has no answer in R, unlike R_WITHOUT"


def test_r_that_is_wrong_is_off(
    rinterface: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = """of_htest <- of_t_test
        of_t_test <- function(found) {
          found$p.value <- found$p.value * 1.001
          of_htest(found)
        }"""
    in_r_with(monkeypatch, tmp_path / "judge.R", code)
    assert judged_one_sample().off("r") == {"p_value"}


def test_sides_that_are_wrong_alike_are_judged(session: RSession) -> None:
    def wrong(**given: Any) -> Mapping[str, Any]:
        return a_millionth_more(ONE_SAMPLE.by_us(**given))

    alike = replace(ONE_SAMPLE, by_us=wrong, by_statsmodels=wrong)
    outcome = beside_statsmodels(alike, Source(3))
    assert outcome.difference == 0
    judge(alike, outcome, session)
    assert outcome.off("ours") == outcome.off("statsmodels") == {"p_value"}
    assert outcome.off("r") == set()


def test_a_number_that_no_judge_saw_is_a_failure() -> None:
    outcome = beside_statsmodels(ONE_SAMPLE, Source(3))
    assert "one_sample_t: p_value was not judged" in failures({ONE_SAMPLE.ours: outcome})


def test_a_number_that_only_one_side_has_is_counted() -> None:
    def refused(**given: Any) -> Mapping[str, Any]:
        return {**means.COUNTERPARTS[0].by_us(**given), "p_value": np.nan}

    def stopped(**given: Any) -> Mapping[str, Any]:
        raise ValueError(given)

    outcome = beside_statsmodels(replace(ONE_SAMPLE, by_us=refused), Source(3))
    assert outcome.absent == (outcome.cases, 0)
    outcome = beside_statsmodels(replace(ONE_SAMPLE, by_statsmodels=stopped), Source(3))
    assert outcome.stopped == outcome.cases


def test_the_page_has_every_counterpart() -> None:
    rows = page.PAGE.read_text(encoding="utf-8").splitlines()
    for each in COUNTERPARTS:
        assert any(row.startswith(f"| `{each.ours}` | {each.theirs} |") for row in rows)
