"""Number of values of a row that lie below each value, and the sum of their weights."""

from __future__ import annotations

import numpy as np

from cdfscore.numerics.ranks import sorted_midranks
from cdfscore.numerics.types import Array


def below(ordered: Array, weights: Array) -> tuple[Array, Array]:
    """Return the number of smaller values, and the sum of their weights; ties count one half.

    Both of shape (rows, n), of rows in ascending order and the weights of their values. A value
    is tied with itself, and so counts itself one half; the number is its midrank - 1/2.

    >>> number, sums = below(np.array([[0.1, 0.4, 0.4, 0.9]]), np.array([[1.0, 1.0, 0.0, 1.0]]))
    >>> print(number, sums)
    [[0.5 2.  2.  3.5]] [[0.5 1.5 1.5 2.5]]
    """
    ranks, ties = sorted_midranks(ordered)
    number = ranks - 0.5
    through = np.cumsum(weights, axis=1)
    if ties.max(initial=1.0) == 1:
        return number, through - 0.5 * weights
    # The sums of weights before the tie of a value and up to its end.
    sums = np.zeros((len(ordered), ordered.shape[1] + 1))
    sums[:, 1:] = through
    start = (number - 0.5 * ties).astype(np.intp)
    end = start + ties.astype(np.intp)
    both = np.take_along_axis(sums, start, axis=1) + np.take_along_axis(sums, end, axis=1)
    return number, 0.5 * both
