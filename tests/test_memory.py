"""What takes more memory than there is, is refused before it is begun."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cdfscore import compare, memory
from cdfscore.errors import CdfscoreError

SCORES = pd.DataFrame(np.random.default_rng(0).random((12, 60)).round(3)).rename(columns=str)


@pytest.fixture(autouse=True)
def megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_memory", lambda: 2e6)


@pytest.mark.parametrize(
    ("test", "given", "systems", "said"),
    [
        ("paired_t", {}, 60, "1,770 pairs of systems take up to 0 GB of memory"),
        ("tukey_hsd", {}, 60, "expected fewer, or a baseline"),
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
    monkeypatch.setattr(memory, "_memory", lambda: 1e12)
    monkeypatch.setattr(memory, "_MANY", 1e6)
    monkeypatch.setattr(memory, "_say", [said.append])
    monkeypatch.setattr(memory, "_told", set())
    for systems in (60, 20, 60):
        compare(SCORES.iloc[:, :systems], "paired_t")
    pairs = "1,770 pairs of systems take up to 0 GB of memory"
    assert said == [f"{pairs}; if that is too much: expected fewer, or a baseline"]
