"""`verify` on scores close together, as of leaderboards: large shapes, and small differences."""

from pathlib import Path

import pandas as pd
import pytest

from tests.verified import verify

pytestmark = pytest.mark.usefixtures("rinterface")


@pytest.fixture(scope="module")
def error_rates(shared_data: Path) -> pd.DataFrame:
    """Word error rates as proportions: 8 data sets and 87 recognizers, the best first."""
    table = pd.read_csv(shared_data / "leaderboards" / "asr_english.csv", index_col="model")
    columns = [name for name in table if name.endswith(" WER") and name != "Avg. WER"]
    return table[columns].T / 100


@pytest.mark.parametrize("scheme", ["beta", "gamma"])
@pytest.mark.parametrize("systems", [5, 12, 87])
def test_shapes_of_thousands_agree(error_rates: pd.DataFrame, systems: int, scheme: str) -> None:
    """The twins were 1e4 ulp off, by mean(log x) - digamma(a) as a difference of large terms."""
    row = verify(error_rates.iloc[:, :systems], scheme).iloc[0]
    assert row["agrees"]
    assert row["max_ulp"] <= 128


@pytest.mark.parametrize("scheme", ["beta", "gamma"])
def test_four_classifiers_agree(shared_data: Path, scheme: str) -> None:
    path = shared_data / "leaderboards" / "demsar2006_auc.csv"
    row = verify(pd.read_csv(path, index_col="dataset"), scheme).iloc[0]
    assert row["max_ulp"] <= 128
