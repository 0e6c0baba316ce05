"""Scores that a scheme can be fitted to, made of scores between 0 and 1."""

from typing import TypeVar

import numpy as np
import pandas as pd

from cdfscore.stats.schemes.base import Scheme

Scores = TypeVar("Scores", pd.DataFrame, np.ndarray)


def suited(scheme: Scheme, scores: Scores) -> Scores:
    """Move scores away from the ends of the scheme's domain, and to its grid.

    Equal scores stay equal, and missing ones missing.
    """
    if np.isfinite(scheme.domain).any():
        scores = 0.05 + 0.9 * scores
    if scheme.grid is not None:
        scores = (scores / scheme.grid).round() * scheme.grid
    return scores
