"""The diagnosis of topics in R."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, diagnose, diagnose_factors
from cdfscore.diagnosis import in_r as diagnosed
from cdfscore.errors import CdfscoreError, VerificationError
from cdfscore.r.verify import WAYS
from tests.verified import verify, verify_result


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
def test_a_wrong_one_is_found(scores: pd.DataFrame, name: str) -> None:
    found = diagnose(scores, ["normal"], bootstrap=0)
    found.fits.loc[found.fits["topic"] == "t3", name] *= 1 + 1e-5
    table = verify_result(found)
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


def test_another_diagnosis_is_refused(scores: pd.DataFrame) -> None:
    found = diagnose(scores, ["normal"], bootstrap=0)
    with pytest.raises(CdfscoreError, match="expected no reference"):
        verify_result(found, reference=scores * 0.5)
    factors = Standardizer("normal").fit(scores)
    others = diagnose_factors(scores * 0.5, factors, bootstrap=0)
    for each in (diagnose(scores, ["normal", "uniform"], bootstrap=0), others):
        with pytest.raises(VerificationError, match="expected diagnose with one scheme"):
            verify_result(each)
