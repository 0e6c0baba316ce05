"""Scores of each topic in units of their standard deviation, for fits that iterate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cdfscore.numerics.moments import count, mean_and_sd
from cdfscore.numerics.types import Array, BoolArray, IntArray
from cdfscore.schemes._extremes import all_equal
from cdfscore.schemes._refusals import refuse_rows


class ScaledRows(NamedTuple):
    """Sorted scores of a batch of topics, and of those that vary also their z-scores.

    Attributes
    ----------
    rows, n
        The scores (topics, n), NaN last, and their counts (topics, 1).
    mean, scale
        Mean, and standard deviation with n and not n - 1, (topics, 1).
    varies
        Which topics have different scores, (topics,).
    z
        (x - mean) / scale of those that vary.
    """

    rows: Array
    n: IntArray
    mean: Array
    scale: Array
    varies: BoolArray
    z: Array


def scaled_rows(scores: Array) -> ScaledRows:
    """Sort scores (..., n), and scale those of topics that vary.

    Raises `FitError` where the spread underflows.
    """
    rows = np.sort(scores, axis=-1).reshape(-1, scores.shape[-1])
    n = count(rows)
    mean, sd = mean_and_sd(rows)
    scale = sd * np.sqrt((n - 1) / n)
    varies = ~all_equal(rows)[:, 0]
    refuse_rows(
        (varies & (scale[:, 0] == 0)).reshape(scores.shape[:-1]),
        "the reference scores differ so little that their standard deviation is 0 in doubles",
    )
    z = (rows[varies] - mean[varies]) / scale[varies]
    return ScaledRows(rows, n, mean, scale, varies, z)
