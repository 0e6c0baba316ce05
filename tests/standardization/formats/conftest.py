import pandas as pd
import pytest

from cdfscore import Factors, Standardizer

TOPICS = ["351", "352", "353"]
SCORES = {
    "AP": [[0.1, 0.2, 0.7], [1 / 3, 0.25, 0.5], [0.0, 0.05, 1e-5]],
    "P@10": [[0.1, 0.2, 0.7], [0.5, 0.5, 0.5], [0.3, 0.3, 0.4]],
}


@pytest.fixture
def by_measure() -> dict[str, Factors]:
    """Factors of two measures by N-std; topic 352 is constant in P@10."""
    return {
        measure: Standardizer("normal").fit(
            pd.DataFrame(rows, index=TOPICS, columns=list("abc")), measure=measure
        )
        for measure, rows in SCORES.items()
    }


@pytest.fixture
def scores() -> pd.DataFrame:
    """Scores of new systems, with those that the constant topic makes special."""
    rows = [[0.15, 0.8], [0.5, 0.4], [0.31, 0.0]]
    return pd.DataFrame(rows, index=TOPICS, columns=["new", "newer"])
