"""What a comparison says of each system, in R: intervals of means, mean ranks and letters."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore.comparison import comparison
from cdfscore.comparison import in_r as systems
from cdfscore.r.verify import WAYS
from tests.verified import verify


@pytest.fixture
def scores() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    values = rng.normal(np.linspace(0, 1.5, 5), 0.7, (14, 5))
    topics = pd.Index([f"t{k}" for k in range(14)], name="topic")
    return pd.DataFrame(values, index=topics, columns=list("vwxyz"))


@pytest.mark.clause("verify.5")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("gaps", [False, True])
def test_intervals_ranks_and_letters_agree(scores: pd.DataFrame, via: Any, gaps: bool) -> None:
    """A constant system has no interval, in Python and in R."""
    scores["v"] = 0.25
    if gaps:
        scores.iloc[2:5, 3] = np.nan
    how = {"test": "paired_t" if gaps else "nemenyi", "alpha": 0.01, "via": via}
    from cdfscore import Standardizer

    table = verify(scores, Standardizer("raw", missing="omit"), **how).set_index("quantity")
    assert table["agrees"].all()
    assert list(table["count"][["mean: n", "mean: conf low"]]) == [5, 4]
    assert table["count"]["letter in common"] == 10
    assert ("mean: rank" in table.index) == (not gaps)


def another_level(monkeypatch: pytest.MonkeyPatch) -> str:
    known = comparison.mean_intervals
    monkeypatch.setattr(comparison, "mean_intervals", lambda found, _: known(found, 0.949))
    return "mean: conf low, mean: conf high"


def a_letter_more(monkeypatch: pytest.MonkeyPatch) -> str:
    known = systems.groups
    monkeypatch.setattr(systems, "groups", lambda *given: [*known(*given), ["v", "z"]])
    return "letter in common"


def a_letter_less(monkeypatch: pytest.MonkeyPatch) -> str:
    known = systems.groups
    monkeypatch.setattr(systems, "groups", lambda *given: known(*given)[1:])
    return "letter in common"


def ranks_from_best(monkeypatch: pytest.MonkeyPatch) -> str:
    known = comparison.mean_ranks
    monkeypatch.setattr(comparison, "mean_ranks", lambda *given: 6 - known(*given))
    return "mean: rank"


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("damage", [another_level, a_letter_more, a_letter_less, ranks_from_best])
def test_a_wrong_one_is_found(
    scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, damage: Callable[..., str]
) -> None:
    quantities = damage(monkeypatch)
    table = verify(scores, "raw", test="nemenyi")
    assert ", ".join(table["quantity"][~table["agrees"]]) == quantities
