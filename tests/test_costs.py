"""What takes more memory than there is, is refused before it is begun; what takes long is told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from cdfscore import compare, diagnose
from cdfscore.common import costs
from cdfscore.comparison import reference_uncertainty
from cdfscore.errors import CdfscoreError
from cdfscore.models import anova

SCORES = pd.DataFrame(np.random.default_rng(0).random((12, 60)).round(3)).rename(columns=str)
WIDE = pd.DataFrame(np.random.default_rng(0).random((3, 20_000))).rename(columns=str)


@pytest.fixture(autouse=True)
def megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_memory", lambda: 2e6)


@pytest.mark.parametrize(
    ("test", "given", "systems", "said"),
    [
        ("paired_t", {}, 60, "1,770 pairs of systems take up to 0 GB of memory"),
        ("tukey_hsd", {}, 60, "expected fewer systems or a baseline"),
        ("bootstrap_shift:B=9999", {}, 3, "9,999 resamples of 12 take"),
        ("paired_t", {"baselines": "0"}, 60, ""),
        ("paired_t", {}, 30, ""),
        ("bootstrap_shift:B=999", {}, 3, ""),
    ],
)
def test_what_memory_does_not_hold(test: str, given: dict, systems: int, said: str) -> None:
    own = SCORES.iloc[:, :systems]
    if said:
        with pytest.raises(CdfscoreError, match=said):
            compare(own, test, **given)
    else:
        assert len(compare(own, test, **given).table) > 0


@pytest.mark.parametrize("test", ["permutation", "max_t", "randomized_tukey_hsd"])
def test_the_most_resamples(test: str) -> None:
    with pytest.raises(CdfscoreError, match=f"{test}: B=.*a whole number from 1 to 1000000000"):
        compare(SCORES.iloc[:, :3], f"{test}:B={10**20}")


def test_the_most_resamples_themselves() -> None:
    """Of so few topics that all outcomes are enumerated."""
    assert len(compare(SCORES.iloc[:, :3], f"permutation:B={10**9}").table) == 3


def test_what_takes_much_memory_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(costs, "_memory", lambda: 1e12)
    monkeypatch.setattr(costs, "_MANY", 1e6)
    monkeypatch.setattr(costs, "_say", [said.append])
    monkeypatch.setattr(costs, "_told", set())
    for systems in (60, 20, 60):
        compare(SCORES.iloc[:, :systems], "paired_t")
    pairs = "1,770 pairs of systems take up to 0 GB of memory"
    assert said == [f"{pairs}; fewer systems or a baseline would take less"]


def told_by(monkeypatch: pytest.MonkeyPatch, call: Callable[[], object]) -> list[str]:
    """Return what is told of a call, on a machine of much memory that is a million times slower."""
    said: list[str] = []
    slow = {name: (size, 1e6 * seconds) for name, (size, seconds) in costs.COSTS.items()}
    monkeypatch.setattr(costs, "COSTS", slow)
    monkeypatch.setattr(costs, "_memory", lambda: 1e15)
    monkeypatch.setattr(costs, "_say", [said.append])
    monkeypatch.setattr(costs, "_told", set())
    call()
    return said


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: compare(s, "paired_t"), "45 pairs of systems take roughly 38 minutes"),
        (
            lambda s: compare(s, "permutation:B=999"),
            "45 tests by permutation on 12 topics take roughly 70 seconds; fewer systems, a "
            "baseline or a smaller B would take less",
        ),
        (
            lambda s: reference_uncertainty(s, "normal", resamples=200),
            "200 resamples of reference systems take roughly 3 hours; fewer resamples "
            "would take less",
        ),
        (
            lambda s: diagnose(s, ["normal", "uniform"], bootstrap=0),
            "the tests of fit of uniform:A=0.15,B=0.5 to 12 topics take roughly 3 hours",
        ),
        (
            lambda _: anova(SCORES, "score ~ topic + system"),
            "60 systems and 59 coefficients take roughly 3 minutes",
        ),
    ],
)
def test_what_takes_long_is_told(
    monkeypatch: pytest.MonkeyPatch, call: Callable[[pd.DataFrame], object], said: str
) -> None:
    own = SCORES.iloc[:, :10]
    assert any(said in each for each in told_by(monkeypatch, lambda: call(own)))


def test_what_takes_no_minute_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_memory", lambda: 1e12)
    monkeypatch.setattr(costs, "_say", [pytest.fail])
    monkeypatch.setattr(costs, "_told", set())
    compare(SCORES, "wilcoxon_signed_rank")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: anova(WIDE, "score ~ topic + system"),
            "20,000 systems and 19,999 coefficients take up to 32 GB of memory, and there are 24 "
            "GB; expected factors of fewer levels",
        ),
        (
            lambda: compare(WIDE, "paired_t"),
            "199,990,000 pairs of systems take up to 480 GB of memory",
        ),
    ],
)
def test_what_is_refused_on_a_machine_of_24_gb(
    monkeypatch: pytest.MonkeyPatch, call: Callable[[], object], said: str
) -> None:
    monkeypatch.setattr(costs, "_memory", lambda: 24e9)
    with pytest.raises(CdfscoreError, match=said):
        call()
