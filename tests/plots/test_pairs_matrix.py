"""The runs of a matrix of pairs, by plain enumeration."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.plots.comparison import ends_of_runs


@given(st.integers(1, 8), st.randoms(use_true_random=False), st.floats(0, 1))
def test_runs_are_the_longest_without_a_difference(count: int, random, part: float) -> None:
    apart = np.zeros((count, count), dtype=bool)
    for i, j in zip(*np.triu_indices(count, 1), strict=True):
        apart[i, j] = apart[j, i] = random.random() < part
    for start, end in enumerate(ends_of_runs(apart)):
        assert not apart[start:end, start:end].any()
        assert end == count or apart[start : end + 1, start : end + 1].any()
