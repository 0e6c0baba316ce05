"""Score matrices for streams, and their files."""

from pathlib import Path

import numpy as np
import pandas as pd

from cdfscore import datasets

AP = datasets.load_cranfield("ap")


def matrix(topics: int = 23, systems: int = 12, missing: int = 0, seed: int = 0) -> pd.DataFrame:
    """Return real scores, with some that are missing, and a constant topic."""
    scores = AP.iloc[:topics, :systems].copy()
    scores.attrs = {}
    scores.iloc[5] = 0.25
    rng = np.random.default_rng(seed)
    for _ in range(missing):
        scores.iloc[rng.integers(topics), rng.integers(systems)] = np.nan
    return scores


def rows_of(scores: pd.DataFrame, order: str) -> pd.DataFrame:
    """Return a row a score, by topic, by system or in any order."""
    rows = scores.reset_index().melt("topic", var_name="system", value_name="score")
    if order == "topic":
        rows = rows.set_index("topic").loc[scores.index].reset_index()
    if order == "any":
        rows = rows.sample(frac=1, random_state=1)
    return rows.reset_index(drop=True)


def written(frame: pd.DataFrame, path: Path, rows: int | None = None) -> Path:
    """Write a file with row groups of so many rows."""
    frame.to_parquet(path, **({} if rows is None else {"row_group_size": rows}))
    return path
