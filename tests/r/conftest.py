"""Score matrices that the tests of this folder share."""

import numpy as np
import pandas as pd
import pytest

from tests.cli.conftest import cdfscore as cdfscore
from tests.cli.conftest import write as write


@pytest.fixture
def scores() -> pd.DataFrame:
    """Six topics and seven systems; topic c is constant, and scores are tied."""
    values = np.random.default_rng(3).integers(0, 1000, (6, 7)) / 1000
    values[2] = 0.1
    values[4, :4] = 0.25
    systems = [f"sys{i}" for i in range(7)]
    return pd.DataFrame(values, index=pd.Index(list("abcdef"), name="topic"), columns=systems)


@pytest.fixture
def wide() -> pd.DataFrame:
    """Six topics and 14 systems, as many as any family needs, with the same three gaps."""
    values = np.random.default_rng(3).integers(1, 1000, (6, 14)) / 1000
    values[2] = 0.1
    values[4, :4] = 0.25
    values[0, 0] = values[0, 3] = values[5, 6] = np.nan
    systems = [f"sys{i}" for i in range(14)]
    return pd.DataFrame(values, index=pd.Index(list("abcdef"), name="topic"), columns=systems)


@pytest.fixture
def gaps(scores: pd.DataFrame) -> pd.DataFrame:
    """The same with three missing scores."""
    gaps = scores.copy()
    gaps.iloc[0, 0] = gaps.iloc[0, 3] = gaps.iloc[5, 6] = np.nan
    return gaps
