import pandas as pd
import pytest


@pytest.fixture
def reference() -> pd.DataFrame:
    """Four reference systems on three topics; the E-std of a score is a count over 4."""
    return pd.DataFrame(
        {
            "bm25": [0.1, 0.5, 0.30],
            "lsa": [0.2, 0.5, 0.10],
            "ql": [0.3, 0.7, 0.20],
            "tfidf": [0.4, 0.9, 0.40],
        },
        index=["351", "352", "353"],
    )


@pytest.fixture
def others() -> pd.DataFrame:
    """Two systems that came later, topics in another order."""
    return pd.DataFrame(
        {"new": [0.25, 0.35, 0.5], "newer": [0.05, 0.10, 1.0]}, index=["353", "351", "352"]
    )
