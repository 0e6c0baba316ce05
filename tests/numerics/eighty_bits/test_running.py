"""Sums whose parts come one after another are those of all at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cdfscore.stats.numerics.eighty_bits.rows import RunningSums
from cdfscore.stats.numerics.moments import single_pass_mean

ANY = st.floats(allow_nan=True, allow_infinity=True)
SCORES = st.one_of(st.floats(-1, 1), st.sampled_from([0.1, 0.3, np.nan]), ANY)


@given(
    st.lists(arrays(float, st.tuples(st.integers(0, 9), st.just(3)), elements=SCORES), max_size=4)
)
def test_parts_have_the_means_of_the_whole(parts: list[np.ndarray]) -> None:
    sums = RunningSums(3)
    for part in parts:
        sums.add(part)
    whole = np.concatenate([*parts, np.empty((0, 3))])
    n = np.count_nonzero(~np.isnan(whole), axis=0)
    with np.errstate(invalid="ignore"):
        expected = single_pass_mean(np.ascontiguousarray(whole.T))[:, 0]
    assert np.array_equal(sums.means(n), expected, equal_nan=True)


def test_infinite_scores_of_any_part_are_those_of_the_mean() -> None:
    sums = RunningSums(5)
    for part in (
        [[np.inf, 1.0, 0.5, np.inf, -np.inf]],
        [[0.5, -np.inf, 0.25, -np.inf, np.nan], [1.0, np.nan, np.nan, 1.0, -np.inf]],
    ):
        sums.add(np.array(part))
    found = sums.means(np.array([3, 2, 2, 3, 2]))
    assert np.array_equal(found, [np.inf, -np.inf, 0.375, np.nan, -np.inf], equal_nan=True)


@pytest.mark.parametrize("decimals", [1, 4, 17])
def test_many_scores_of_a_topic(decimals: int) -> None:
    whole = np.random.default_rng(3).beta(2, 3, (3000, 7)).round(decimals)
    sums = RunningSums(7)
    for part in np.array_split(whole, [1, 700, 2999]):
        sums.add(part)
    expected = single_pass_mean(np.ascontiguousarray(whole.T))[:, 0]
    assert np.array_equal(sums.means(np.full(7, 3000)), expected)
