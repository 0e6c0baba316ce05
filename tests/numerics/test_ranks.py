"""Counts of concordant and discordant pairs are those of a comparison of all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from cdfscore.stats.numerics.ranks import counts
from cdfscore.stats.numerics.types import Array


def check(x: Array, y: Array) -> None:
    found = counts(x, y)
    x_above, y_above = (each[:, np.newaxis] > each[:, :, np.newaxis] for each in (x, y))
    x_below = x[:, np.newaxis] < x[:, :, np.newaxis]
    concordant = (x_above & y_above).sum(axis=2)
    # In the order of y, and of x in reverse where y ties.
    order = np.lexsort((x, -y), axis=1)
    for own, other in (
        (found.above_x, x_above.sum(axis=2)),
        (found.above_y, y_above.sum(axis=2)),
        (found.concordant, concordant),
    ):
        np.testing.assert_array_equal(own, np.take_along_axis(other, order, axis=1))
    np.testing.assert_array_equal(found.discordant, (x_below & y_above).sum(axis=(1, 2)))
    np.testing.assert_array_equal(found.excess(), concordant.sum(axis=1) - found.discordant)


@given(
    arrays(
        np.float64,
        array_shapes(min_dims=3, max_dims=3, min_side=1, max_side=9).map(lambda s: (2, *s[1:])),
        elements=st.integers(0, 5).map(float),
    )
)
def test_few_values(both: Array) -> None:
    check(*both)


@pytest.mark.parametrize("n", [255, 256, 257, 511, 513, 1025])
@pytest.mark.parametrize("values", [3, 100, 10**9])
def test_many_values(n: int, values: int) -> None:
    """Of more than 256 values, those in halves are counted first."""
    check(*np.random.default_rng(n).integers(0, values, (2, 2, n)).astype(float))
