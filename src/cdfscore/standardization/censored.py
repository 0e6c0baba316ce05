"""Scores beyond the ends of the distribution of their topic, which are censored at 0 and 1."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.types import Array, IntArray
from cdfscore.schemes.base import Distribution, Fitted


def beyond_ends(fitted: Fitted, x: Array) -> tuple[IntArray, IntArray]:
    """Return how many scores of each row are below and above the distribution of the row.

    `x` is (rows, m). Their standardized scores are 0 and 1, whatever their distance from the ends.
    None is where all reference scores are equal, nor of a scheme that is not a distribution.

    Specified in censored.1.

    Examples
    --------
    >>> from cdfscore.schemes import Uniform
    >>> fitted = Uniform().fit([[0.1, 0.2, 0.3], [0.4, 0.4, 0.4]])
    >>> below, above = beyond_ends(fitted, np.array([[0.0, 0.6, 0.9], [0.3, 0.4, 0.9]]))
    >>> below.tolist(), above.tolist()
    ([0, 0], [2, 0])
    """
    if not isinstance(fitted.scheme, Distribution):
        return np.zeros(len(x), dtype=np.int64), np.zeros(len(x), dtype=np.int64)
    low, high = (np.broadcast_to(end, len(x))[:, np.newaxis] for end in fitted.support)
    varies = ~np.broadcast_to(fitted.constant, len(x))
    below, above = ((x < low).sum(axis=1), (x > high).sum(axis=1))
    return below * varies, above * varies
