"""Means of whole-number ratios, so that ties are ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray


def exact_means(numerators: IntArray, denominators: IntArray, present: BoolArray) -> Array:
    """Average each column of numerators / denominators, correctly rounded.

    `numerators` and `present` are (topics, systems), `denominators` (topics, 1); only the
    cells that are present count, and a column without any is NaN. Systems whose exact means
    are equal get the same double.
    """
    sums = [Fraction(0)] * numerators.shape[1]
    for d in np.unique(denominators):
        rows = denominators[:, 0] == d
        counts = np.where(present[rows], numerators[rows], 0).sum(axis=0)
        sums = [total + Fraction(int(c), int(d)) for total, c in zip(sums, counts, strict=True)]
    topics = present.sum(axis=0)
    means = [float(total / int(n)) if n else np.nan for total, n in zip(sums, topics, strict=True)]
    return np.array(means, dtype=np.float64)
