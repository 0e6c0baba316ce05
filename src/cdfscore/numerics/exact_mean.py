"""Means of whole-number ratios, so that ties are ties."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from cdfscore.errors import CdfscoreError
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


def common_numerators(numerators: IntArray, denominators: IntArray) -> Array:
    """Return the numerators of the same fractions over one denominator, as exact doubles.

    Sums of columns then compare as the sums of the fractions do. Raises `CdfscoreError` where
    a sum of all rows might not be exact, because the denominators have too little in common.
    """
    common = math.lcm(*(int(d) for d in np.unique(denominators)))
    if common * len(numerators) >= 2**52:  # the division of a sum must not join two of them
        raise CdfscoreError(
            "topics have different numbers of reference scores, so that exact means would need "
            f"the common denominator {common}; expected one below 2^52 over the number of topics, "
            'as without missing scores, or ties="rounded"'
        )
    return (numerators * (common // denominators)).astype(np.float64)
