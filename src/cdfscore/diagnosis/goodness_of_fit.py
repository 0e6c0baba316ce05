"""The distance of scores from a distribution, by three statistics."""

from __future__ import annotations

import numpy as np

from cdfscore.diagnosis.resolution import LEAST
from cdfscore.numerics.types import Array

#: The statistics, by their columns, and what they are called.
STATISTICS = {"ks": "Kolmogorov-Smirnov", "ad": "Anderson-Darling", "cvm": "Cramer-von Mises"}


def statistics(lower: Array, upper: Array) -> Array:
    """Return the statistics of samples of n scores; shape (..., n) twice to (3, ...).

    `lower` and `upper` are the fitted cdf at the lower and the upper end of the cell of each
    score, in the order of the scores (see `Resolution.cells`); for a continuous cdf and
    scores of full precision both are F(x_i). In that order, with z_i the mean of the two,

    - ks: the largest of i/n - upper_i and lower_i - (i - 1)/n, the distance of F from the
      share of scores at the ends of cells, and so at any x where scores are exact;
    - ad: -n - (1/n) sum_i (2i - 1) (log z_i + log(1 - z_(n+1-i)));
    - cvm: 1/(12n) + sum_i (z_i - (2i - 1)/(2n))^2.

    z is kept 2^-53 away from 0 and 1, so that a score where F has no probability counts a
    lot in ad, but not infinitely.

    Source: Stephens (1974), EDF statistics for goodness of fit and some comparisons, section
    2; D'Agostino and Stephens (1986), Goodness-of-fit techniques, Eq. 4.2. Own code for
    samples by the thousand against cdfs of their own; `scipy.stats` takes one at a time.

    Examples
    --------
    >>> z = np.array([0.1, 0.4, 0.7])
    >>> statistics(z, z).round(4).tolist()
    [0.3, 0.366, 0.06]
    """
    n = lower.shape[-1]
    i = np.arange(1, n + 1)
    ks = np.maximum((i / n - upper).max(axis=-1), (lower - (i - 1) / n).max(axis=-1))
    z = (lower + upper) / 2
    expected = (2 * i - 1) / (2 * n)
    cvm = 1 / (12 * n) + np.square(z - expected).sum(axis=-1)
    inside = np.clip(z, LEAST, 1 - LEAST)
    logs = np.log(inside) + np.log1p(-inside[..., ::-1])
    ad = -n - 2 * (expected * logs).sum(axis=-1)
    return np.stack([ks, ad, cvm])
