"""The diagnosis of topics in R."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, verify
from cdfscore.errors import CdfscoreError
from cdfscore.r import diagnosed
from cdfscore.r.verify import WAYS


@pytest.fixture
def scores() -> pd.DataFrame:
    values = np.round(np.random.default_rng(3).beta(2, 4, (5, 7)), 3)
    values[1] = 0.25
    index = pd.Index([f"t{k}" for k in range(5)], name="topic")
    return pd.DataFrame(values, index=index, columns=list("abcdefg"))


@pytest.mark.clause("verify.6")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("via", WAYS)
@pytest.mark.parametrize("scheme", ["normal", "empirical", "uniform", "exponential"])
def test_every_number_agrees(scores: pd.DataFrame, scheme: str, via: Any) -> None:
    """A constant topic is not diagnosed, and a missing score is left out."""
    scores.iloc[2, 3] = np.nan
    how = Standardizer(scheme, missing="omit")
    table = verify(scores, how, diagnose=True, via=via).set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    names = [f"diagnosis: {name}".replace("_", " ") for name in diagnosed.NUMBERS]
    counted = [name for name in names if name in table.index]
    assert {"diagnosis: ks", "diagnosis: ad", "diagnosis: cvm", "diagnosis: crps"} <= set(counted)
    assert set(table["count"][counted]) == {4}


@pytest.mark.usefixtures("rinterface")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", diagnosed.NUMBERS)
def test_a_wrong_one_is_found(
    scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    known = diagnosed.diagnose

    def damaged(*given: Any, **options: Any) -> Any:
        found = known(*given, **options)
        found.fits.loc[found.fits["topic"] == "t3", name] *= 1 + 1e-5
        return found

    monkeypatch.setattr(diagnosed, "diagnose", damaged)
    table = verify(scores, "normal", diagnose=True)
    (wrong,) = table[~table["agrees"]].to_dict("records")
    quantity = f"diagnosis: {name}".replace("_", " ")
    assert (wrong["quantity"], wrong["system"]) == (quantity, "t3")


@pytest.mark.usefixtures("rinterface")
def test_a_part_of_the_topics_is_said(
    scores: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosed, "_MOST", 3 * diagnosed._seconds(Standardizer("z").scheme, 7))
    table = verify(scores, "normal", diagnose=True)
    assert "R diagnoses 2 of 4 topics, evenly spaced" in " ".join(table.attrs["notes"])


@pytest.mark.parametrize(
    ("how", "options", "fragment"),
    [
        ("normal", {"test": "paired_t"}, "test, diagnose are given"),
        ("normal", {"reference": True}, "expected no reference"),
        ("raw", {}, "raw is no distribution|raw"),
    ],
)
def test_another_analysis_is_refused(
    scores: pd.DataFrame, how: str, options: dict[str, Any], fragment: str
) -> None:
    given = {name: scores * 0.5 if value is True else value for name, value in options.items()}
    with pytest.raises(CdfscoreError, match=fragment):
        verify(scores, how, diagnose=True, **given)
