"""Rows that sum up all others, as they are searched for among scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

SUMMARIES: dict[str, Callable[[pd.DataFrame], pd.Series[float]]] = {
    "mean": lambda scores: scores.mean(),
    "sum": lambda scores: scores.sum(),
    "geometric mean": lambda scores: np.exp(np.log(scores.clip(lower=1e-5)).mean()),
}
