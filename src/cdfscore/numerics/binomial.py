"""Quantiles of a binomial count."""

from __future__ import annotations

import numpy as np
from scipy import special


def central_counts(level: float, n: int, p: float) -> tuple[int, int]:
    """Return the ends of the central interval of a binomial count, R's ``qbinom`` of both tails.

    They are those of `scipy.stats.binom`, whose import takes longer than a command should.

    Examples
    --------
    >>> central_counts(0.95, 100, 0.1)
    (5, 16)
    """
    tails = np.array([(1 - level) / 2, 1 - (1 - level) / 2])
    ends = np.ceil(special.bdtrik(tails, n, p)) if p < 1 else np.full(2, float(n))
    before = np.maximum(ends - 1, 0)  # bdtrik is rounded
    low, high = np.where(special.bdtr(before, n, p) >= tails, before, ends).tolist()
    return int(low), int(high)
