"""`verify` on scores close together, as of leaderboards: large shapes, and small differences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdfscore.schemes import Beta
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


@pytest.mark.long
@given(st.integers(2, 30), st.floats(0.01, 0.99), st.floats(5e-4, 0.2), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_beta_of_narrow_scores_agrees(n: int, centre: float, spread: float, seed: int) -> None:
    """Shapes to 1e8, of which a rounding of 2 ulp on each side moves y by 1.6 sqrt(a) ulp."""
    rng = np.random.default_rng(seed)
    places = np.linspace(-1, 1, n) + rng.random((3, n))
    scores = pd.DataFrame(centre + spread / 2 * min(centre, 1 - centre) * places)
    shapes = Beta().fit(scores.to_numpy()).parameters
    smaller = float(np.minimum(shapes["a"], shapes["b"]).max())
    row = verify(scores, "beta").iloc[0]
    assert row["max_ulp"] <= 130 + 1.6 * np.sqrt(smaller)


@pytest.mark.long
@given(st.integers(2, 30), st.floats(1e-3, 1e3), st.floats(0.005, 0.2), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_gamma_of_narrow_scores_agrees(n: int, centre: float, spread: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = pd.DataFrame(centre * (1 + spread * (np.linspace(-1, 1, n) + rng.random((3, n)))))
    assert verify(scores, "gamma").iloc[0]["agrees"]
