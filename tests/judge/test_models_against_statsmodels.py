"""Models, plans and correlations against statsmodels: all agree, and a changed number is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import correlate, datasets, verify
from cdfscore.errors import VerificationError
from cdfscore.models import anova, mixed_model, plan
from cdfscore.models import in_r as modelled
from cdfscore.models.anova import SumsType
from cdfscore.models.mixed import Estimation
from cdfscore.r.analysis import Checked, Part
from tests.models.designs import COMPONENTS, FORMULAS, FRAMES, RAW
from tests.models.pilots import GOALS, pilot_scores

#: Of the largest number, in relative terms; see test_against_statsmodels.py.
CHANGE = 1e-9


def check_and_change(result: Any, part: type[Part], monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that all numbers agree, and that each quantity does not once its largest is changed."""
    table = verify(result, against="statsmodels").set_index("quantity")
    assert table["agrees"].all(), table[~table["agrees"]].to_string()
    assert table.attrs["without"] == {}
    numbers = vars(part)["numbers"].func if hasattr(vars(part)["numbers"], "func") else None
    assert numbers is not None
    for quantity in list(table.index)[2:]:

        def changed(self: Part, quantity: str = quantity) -> list[Checked]:
            found = []
            for own in numbers(self):
                values = own.quantity.values.copy()
                if own.quantity.name == quantity:
                    size = np.where(np.isfinite(values), np.abs(values), -1.0)
                    values[np.unravel_index(size.argmax(), size.shape)] *= 1 + CHANGE
                found.append(replace(own, quantity=replace(own.quantity, values=values)))
            return found

        monkeypatch.setattr(part, "numbers", property(changed))
        again = verify(result, against="statsmodels").set_index("quantity")
        assert list(again.index[~again["agrees"]]) == [quantity]
    monkeypatch.undo()


@pytest.mark.parametrize("kind", ["I", "II", "III"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_every_number_of_an_analysis_of_variance(
    formula: str, kind: SumsType, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = FRAMES["holes" if kind == "II" else "complete"]
    result = anova(frame, formula, COMPONENTS, schemes=[RAW], sums_of_squares=kind)
    if kind == "II":
        check_and_change(result, modelled._Modelled, monkeypatch)
    else:
        table = verify(result, against="statsmodels")
        assert table["agrees"].all(), table[~table["agrees"]].to_string()
        assert table.attrs["without"] == {}


@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("random", [["topic"], ["topic", "topic:stemmer"]], ids=str)
@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_every_number_of_a_mixed_model(
    frame: pd.DataFrame, random: list[str], method: Estimation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the complete matrix, the variance of topic:stemmer is 0."""
    result = mixed_model(
        frame, "score ~ stemmer", COMPONENTS, random=random, method=method, schemes=[RAW]
    )
    check_and_change(result, modelled._Mixed, monkeypatch)


def test_a_mixed_model_without_a_variance_of_topics_is_refused() -> None:
    """Standardized scores have equal means of topics, and its tests are of differences."""
    result = mixed_model(
        FRAMES["complete"], "score ~ stemmer", COMPONENTS, random=["topic"], schemes=["z"]
    )
    with pytest.raises(VerificationError, match=r"no number of the mixed model by REML.* has a"):
        verify(result, against="statsmodels")


@pytest.mark.parametrize("goal", GOALS)
def test_every_number_of_a_plan(goal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_and_change(plan(pilot_scores(), goal), modelled._Planned, monkeypatch)


def test_every_number_of_a_correlation() -> None:
    result = correlate(datasets.load_cranfield("ap"), datasets.load_cranfield("ndcg10"))
    table = verify(result, against="statsmodels").set_index("quantity")
    assert table["agrees"].all()
    assert table.attrs["without"] == {"correlation": 3}  # tau_ap_b, and both forms of dRMSE
    for measure in ("tau", "tau_b", "pearson", "rmse"):
        wrong = result.table.copy()
        wrong.loc[wrong["measure"] == measure, "value"] *= 1 + CHANGE
        again = verify(replace(result, table=wrong), against="statsmodels").set_index("quantity")
        assert list(again.index[~again["agrees"]]) == ["correlation"]
