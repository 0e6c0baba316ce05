"""Work in blocks, which bound the memory, gives the numbers of one block."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cdfscore.stats import significance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import studentized_range
from cdfscore.stats.significance.contract import QUANTITIES

SETTINGS: dict[str, dict[str, Any]] = {
    "mann_whitney": {"conf_int": True},
    "wilcoxon_signed_rank": {"conf_int": True},
    "bootstrap_shift": {"B": 99},
    "bootstrap_studentized": {"B": 99},
}


def in_blocks(monkeypatch: pytest.MonkeyPatch, name: str, block: int) -> None:
    monkeypatch.setattr(importlib.import_module(name), "_BLOCK", block)


# Each test counts something else in a block: a row has 45 to 99 of it.
@pytest.mark.parametrize("block", [1, 200, 300])
@pytest.mark.parametrize("name", SETTINGS)
def test_rows(name: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    test: Any = getattr(significance, name)
    x, y = np.random.default_rng(4).random((2, 7, 9))
    y[5, :2] = x[5, :2]  # two differences of 0
    expected = test(x, y, **SETTINGS[name])
    in_blocks(monkeypatch, f"cdfscore.stats.significance.{name}", block)
    found = test(x, y, **SETTINGS[name])
    for quantity in QUANTITIES:
        mine, theirs = np.asarray(getattr(found, quantity)), getattr(expected, quantity)
        np.testing.assert_allclose(mine, theirs, rtol=1e-13, err_msg=quantity)


DUNNETT: Any = importlib.import_module("cdfscore.stats.significance.dunnett")
W = np.linspace(0.01, 9, 7)


@pytest.mark.parametrize(
    ("module", "tail"),
    [
        (DUNNETT, lambda: DUNNETT.upper_tail(W, 5, np.inf, two_sided=True)),
        (DUNNETT, lambda: DUNNETT.upper_tail(W - 4, 5, np.inf, two_sided=False)),
        (studentized_range, lambda: studentized_range.range_upper_tail(W, 5)),
        (studentized_range, lambda: studentized_range.upper_tail(W, 5, 12.0)),
        (studentized_range, lambda: studentized_range.upper_tail(W, 5, 1.0)),  # more terms than 500
    ],
)
def test_tails(module: Any, tail: Callable[[], Array], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tail()
    monkeypatch.setattr(module, "_BLOCK", 500)  # of 144 terms, or 151
    np.testing.assert_allclose(tail(), expected, rtol=1e-13)


def test_pairs_do_not_depend_on_earlier_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).integers(0, 21, (50, 46)) / 20  # three means differed here
    first, second = np.triu_indices(46, 1)
    found = []
    for so_far in (0, 10**12):  # code is compiled from many scores on
        monkeypatch.setattr("cdfscore.stats.numerics.compiled._so_far", so_far)
        found.append(significance.paired_t.over_pairs(scores, first, second))
    for quantity in ("estimate", "statistic", "p_value", "conf_low"):
        one, other = (getattr(each, quantity) for each in found)
        np.testing.assert_array_equal(one, other, err_msg=quantity)
