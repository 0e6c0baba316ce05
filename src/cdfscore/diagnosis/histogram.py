"""Probability integral transform of left-out scores under the predicted distributions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array

if TYPE_CHECKING:
    import pandas as pd


def pit_histogram(lower: Array, upper: Array, bins: int) -> Array:
    """Return how many scores fall into each of `bins` equal parts of [0, 1]; shape (bins,).

    `lower` and `upper`, each (n,), are the predicted cdf at the ends of the cell of each
    score. A score is spread evenly over [lower, upper], so that scores on a grid, and
    distributions with steps, give a flat histogram too where they fit: the nonrandomized
    transform of Czado, Gneiting and Held (2009), Predictive model assessment for count data,
    Eq. 2. The counts sum to n and need not be whole.

    Examples
    --------
    >>> pit_histogram(np.array([0.0, 0.6]), np.array([0.5, 0.6]), 4).tolist()
    [0.5, 0.5, 1.0, 0.0]
    >>> pit_histogram(np.array([0.2]), np.array([0.6]), 2).round(3).tolist()
    [0.75, 0.25]
    """
    width = np.where(upper > lower, upper - lower, 1.0)
    below = np.zeros(bins + 1)
    below[-1] = len(lower)
    for k in range(1, bins):
        edge = k / bins
        proportion = np.where(
            upper > lower, np.clip((edge - lower) / width, 0.0, 1.0), np.less(lower, edge)
        )
        below[k] = proportion.sum()
    return np.diff(below)


def pit_moments(lower: Array, upper: Array) -> tuple[float, float]:
    """Return mean and standard deviation of the transform; 1/2 and 0.2887 if all fits.

    A mean above 1/2 says that scores are higher than predicted; a standard deviation above
    sqrt(1/12) that they are more spread than predicted (a histogram like a U), below it that
    they are less spread.
    """
    if not len(lower):
        return math.nan, math.nan
    mean = float(np.mean((lower + upper) / 2))
    square = float(np.mean((lower**2 + lower * upper + upper**2) / 3))
    return mean, float(np.sqrt(max(square - mean**2, 0.0)))


def histogram_table(predicted: dict[str, tuple[Array, Array]], bins: int) -> pd.DataFrame:
    """Return `Diagnosis.histogram` from the predicted cdf at the ends of cells, by scheme."""
    import pandas as pd

    tables = []
    for name, (lower, upper) in predicted.items():
        count = pit_histogram(lower, upper, bins)
        edges = np.arange(bins + 1) / bins
        proportion = count / len(lower) if len(lower) else np.full(bins, np.nan)
        tables.append(
            pd.DataFrame(
                {
                    "scheme": name,
                    "bin": np.arange(1, bins + 1),
                    "low": edges[:-1],
                    "high": edges[1:],
                    "count": count,
                    "proportion": proportion,
                    "expected": 1 / bins,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)
