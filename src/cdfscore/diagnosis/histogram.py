"""Probability integral transform of left-out scores under the predicted distributions."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import special

from cdfscore.numerics.counts import central_counts
from cdfscore.numerics.types import Array


def pit_histogram(lower: Array, upper: Array, bins: int) -> Array:
    """Return how many scores fall into each of `bins` equal parts of [0, 1]; shape (bins,).

    `lower` and `upper`, each (n,), are the predicted cdf at the ends of the cell of each
    score. A score is spread evenly over [lower, upper], so that a perfect fit has a flat histogram
    also for scores on a grid and for step functions: the nonrandomized transform of Czado,
    Gneiting and Held (2009), Predictive model assessment for count data, Eq. 2. The counts sum to
    n and need not be whole. `cells_by_rank` has the ends for steps and lines between scores.

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


def cells_by_rank(sample: Array, others: Array | None = None) -> tuple[Array, Array]:
    """Return the ends between which the transform of each score is spread, by its rank; (n,) each.

    They are for a distribution that is known at m other scores only, with steps or lines between
    them, (m,); without `others` these are the rest of the sample, and m = n - 1. With a of the
    others below a score and e equal to it, the ends are a / (m + 1) and (a + e + 1) / (m + 1): the
    cdf of the others and the score itself, below the score and at it. Each of the m + 1 ranks of a
    new score is equally probable, so that the histogram is flat. The steps of the others alone
    are at a / m, and leave bins empty.

    Examples
    --------
    >>> cells_by_rank(np.array([0.3]), np.array([0.1, 0.2, 0.3, 0.4]))
    (array([0.4]), array([0.8]))
    >>> cells_by_rank(np.array([0.1, 0.2, 0.2, 0.3]))
    (array([0.  , 0.25, 0.25, 0.75]), array([0.25, 0.75, 0.75, 1.  ]))
    """
    known = np.sort(sample if others is None else others)
    itself = others is not None  # it is among the known scores otherwise
    below, at_most = (np.searchsorted(known, sample, side) for side in ("left", "right"))
    return below / (len(known) + itself), (at_most + itself) / (len(known) + itself)


def pit_moments(lower: Array, upper: Array) -> tuple[float, float]:
    """Return mean and standard deviation of the transform; 1/2 and 0.2887 under a perfect fit.

    If the mean is above 1/2, scores are higher than predicted. If the standard deviation is above
    sqrt(1/12), they are more spread out than predicted (a U-shaped histogram); if it is below,
    they are less spread out.
    """
    if not len(lower):
        return math.nan, math.nan
    mean = float(np.mean((lower + upper) / 2))
    square = float(np.mean((lower**2 + lower * upper + upper**2) / 3))
    return mean, float(np.sqrt(max(square - mean**2, 0.0)))


#: Level of the sampling band of each bin.
BAND = 0.95


def sampling_band(n: int, bins: int) -> tuple[float, float]:
    """Return the limits of the proportion of n scores in a bin in 95 % of samples.

    They are the quantiles 0.025 and 0.975 of the binomial distribution of n and 1 / bins, divided
    by n. The band is pointwise: with 10 bins, one or more are outside in up to 40 % of samples.
    It is exact for independent scores of known distributions. Here three conditions differ:

    - Parameters are fitted to the other scores of the same topic. This increases the end bins
      (`normal_end`) and reduces their standard deviation, to 0.62 of the binomial one for
      normal, so that the band is too wide there.
    - Scores on a grid are spread over bins, which reduces the variation.
    - Systems that share methods are not independent, which increases it.

    There is no band for schemes that follow the scores: the ranks of the scores among each other
    are uniform for any scores, so that the histogram of empirical is flat, and that of kernel
    nearly so.

    Examples
    --------
    >>> sampling_band(1000, 10)
    (0.082, 0.119)
    """
    if not n:
        return math.nan, math.nan
    low, high = central_counts(BAND, n, 1 / bins)
    return low / n, high / n


def normal_end(n: int, bins: int) -> float:
    """Return the expected end bins for normal scores and a fitted normal, times `bins`.

    The result is above 1: a normal distribution with the mean and the standard deviation of the
    n - 1 other scores is too narrow for prediction, because (x - mean) / sd is distributed as t
    with n - 2 degrees of freedom times sqrt(n / (n - 1)). It is about 1 + 2.7 / n for 10 bins,
    and NaN for n below 3.

    Examples
    --------
    >>> round(normal_end(20, 10), 3), round(normal_end(110, 10), 3)
    (1.138, 1.024)
    """
    if n < 3:
        return math.nan
    return float(bins * special.stdtr(n - 2, special.ndtri(1 / bins) / math.sqrt(n / (n - 1))))


def histogram_table(
    predicted: dict[str, tuple[Array, Array]], bins: int, follow: frozenset[str] = frozenset()
) -> pd.DataFrame:
    """Return `Diagnosis.histogram` from the predicted cdf at the ends of cells, by scheme.

    Schemes that `follow` the scores have no band: see `sampling_band`.
    """
    tables = []
    for name, (lower, upper) in predicted.items():
        count = pit_histogram(lower, upper, bins)
        edges = np.arange(bins + 1) / bins
        band = sampling_band(0 if name in follow else len(lower), bins)
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
                    "band_low": band[0],
                    "band_high": band[1],
                }
            )
        )
    return pd.concat(tables, ignore_index=True)
