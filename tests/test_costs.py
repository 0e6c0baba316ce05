"""What takes more memory than there is, is refused before it is begun; what takes long is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, diagnose, diagnose_factors
from cdfscore.common import costs, threads
from cdfscore.errors import CdfscoreError
from cdfscore.models import anova
from tests.uncertain import reference_uncertainty

SCORES = pd.DataFrame(np.random.default_rng(0).random((12, 60)).round(3)).rename(columns=str)
WIDE = pd.DataFrame(np.random.default_rng(0).random((3, 20_000))).rename(columns=str)


MEMORY = costs._memory


@pytest.mark.parametrize(
    ("own", "files", "limit"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "3000000\n", "a/memory.max": "max\n"}, 3_000_000),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "2000000\n"}, 2_000_000),
        ("0::/\n", {"memory.max": "max\n"}, None),
        ("2:memory:/a\n", {"memory/a/memory.limit_in_bytes": "5000000\n"}, 5_000_000),
        ("2:memory:/\n", {"memory/memory.limit_in_bytes": "9223372036854771712\n"}, None),
        ("2:cpu:/a\n", {"memory/a/memory.limit_in_bytes": "5000000\n"}, None),
        ("", {}, None),
    ],
)
def test_the_smallest_limit_of_memory(
    own: str,
    files: dict[str, str],
    limit: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "_CGROUPS", tmp_path)
    monkeypatch.setattr(threads, "_OWN", tmp_path / "own")
    whole = MEMORY()
    for name, content in {"own": own, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert whole > 1e8
    assert MEMORY() == (limit or whole)


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_shell(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    own = getattr(resource, limit)
    found = resource.getrlimit
    monkeypatch.setattr(resource, "getrlimit", lambda each: (7, 8) if each == own else found(each))
    assert MEMORY() == 7


@pytest.fixture(autouse=True)
def megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_memory", lambda: 2e6)
    monkeypatch.setattr(costs, "_FEW", 1e6)


@pytest.mark.parametrize(
    ("test", "given", "systems", "said"),
    [
        ("paired_t", {}, 60, "1,770 pairs of systems take up to 0 GB of memory"),
        ("tukey_hsd", {}, 60, "expected fewer systems or a baseline"),
        ("bootstrap_shift:B=9999", {}, 3, "9,999 resamples of 12 take"),
        ("randomized_tukey_hsd:B=99999", {}, 3, "99,999 resamples take"),
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
            "45 tests by permutation on 12 topics take roughly 97 seconds; fewer systems, a "
            "baseline or a smaller B would take less",
        ),
        (
            lambda s: reference_uncertainty(s, "normal", resamples=200),
            "200 resamples of reference systems take roughly 3 hours; fewer resamples "
            "would take less",
        ),
        (
            lambda s: diagnose(s, ["normal", "uniform"], bootstrap=0),
            "the tests of fit of normal, uniform:A=0.15,B=0.5 to 12 topics take roughly 7 hours; "
            "fewer topics would take less",
        ),
        (  # tests of one simulation for all topics, and of none
            lambda s: diagnose(s, ["normal", "empirical"], bootstrap=9),
            "the tests of fit of normal, empirical:convention=weak to 12 topics take roughly 7 "
            "hours; fewer topics or a smaller bootstrap=... would take less",
        ),
        (lambda s: diagnose(s, ["beta"], bootstrap=19), "to 12 topics take roughly 5 hours"),
        (
            lambda s: diagnose(s, ["zero_inflated:family=normal"], bootstrap=19),
            "to 12 topics take roughly 5 hours",
        ),
        (
            lambda s: diagnose_factors(s, Standardizer("normal").fit(SCORES.iloc[:, 10:])),
            "the tests of fit of normal to 12 topics take roughly 7 hours",
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
