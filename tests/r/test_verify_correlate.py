"""Rank correlation of two files in R: every measure, with ties, and by both ways."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, correlate
from cdfscore.errors import CdfscoreError, VerificationError
from cdfscore.r.verify import WAYS
from tests.verified import verify, verify_result


def matrix(seed: int, topics: int, values: int = 0) -> pd.DataFrame:
    """Return scores of 6 systems; of multiples of 1 / `values`, if given."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(2, 3, (topics, 6)) + np.linspace(0, 0.6, 6)
    if values:
        scores = np.round(scores * values) / values
    index = pd.Index([f"t{k}" for k in range(topics)], name="topic")
    return pd.DataFrame(scores, index=index, columns=list("fbdace"))


@pytest.mark.clause("verify.6")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("via", WAYS)
def test_correlations_agree(via: Any) -> None:
    other = matrix(2, 7)[list("abcdef")]
    table = verify(matrix(1, 9), "normal", correlate=other, via=via).set_index("quantity")
    assert table["agrees"].all(), table.to_string()
    assert list(table["count"][["second system mean", "correlation"]]) == [6, 7]


@pytest.mark.usefixtures("rinterface")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("scheme", ["raw", "empirical", "z", "uniform", "minmax"])
def test_ties_and_constant_means_agree(scheme: str) -> None:
    for seed in range(6):
        first, second = matrix(seed, 3, 2), matrix(seed + 50, 2, 3)
        if seed == 5:
            second[:] = 0.25
        table = verify(first, scheme, correlate=second)
        assert table["agrees"].all(), (seed, table.to_string())


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize(
    "measure", ["tau", "tau_b", "tau_ap_b", "pearson", "rmse", "drmse", "drmse_geometric"]
)
def test_a_wrong_one_is_found(monkeypatch: pytest.MonkeyPatch, measure: str) -> None:
    found = correlate(matrix(1, 9), matrix(2, 7), scheme="normal")
    found.table.loc[found.table["measure"] == measure, "value"] += 1e-9
    table = verify_result(found)
    (wrong,) = table[~table["agrees"]].to_dict("records")
    assert (wrong["quantity"], wrong["system"]) == ("correlation", measure)


def test_factors_and_a_reference_are_refused() -> None:
    first, second = matrix(1, 9), matrix(2, 9)
    factors = Standardizer("normal").fit(first)
    found = correlate(first, second, scheme=factors, extra_topics="drop")
    with pytest.raises(VerificationError, match="expected a correlation by a scheme"):
        verify_result(found)
    with pytest.raises(CdfscoreError, match="is for a result by factors"):
        verify_result(correlate(first, second), reference=second)
