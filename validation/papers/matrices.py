"""The score matrices of the papers, from the evaluation data."""

from pathlib import Path

import pandas as pd

from cdfscore import read_scores


def urbano(folder: Path) -> dict[str, pd.DataFrame]:
    """The four matrices of Urbano et al. (2019)."""
    return {
        path.stem: read_scores(path, topic_column=False)
        for path in sorted((folder / "urbano2019" / "data").glob("*.csv"))
    }
