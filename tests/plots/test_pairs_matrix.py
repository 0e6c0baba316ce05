"""The matrix of pairs and its runs, by plain enumeration."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import compare, datasets
from cdfscore.plots.comparison import ends_of_runs, p_matrix


@given(st.integers(1, 8), st.randoms(use_true_random=False), st.floats(0, 1))
def test_runs_are_the_longest_without_a_difference(count: int, random, part: float) -> None:
    apart = np.zeros((count, count), dtype=bool)
    for i, j in zip(*np.triu_indices(count, 1), strict=True):
        apart[i, j] = apart[j, i] = random.random() < part
    for start, end in enumerate(ends_of_runs(apart)):
        assert not apart[start:end, start:end].any()
        assert end == count or apart[start : end + 1, start : end + 1].any()


def test_the_matrix_has_each_p_value_twice_in_the_order_asked_for() -> None:
    scores = datasets.load_cranfield("ap").iloc[:, :4]
    table = compare(scores, "paired_t").table
    systems = list(scores.columns[::-1])
    found = p_matrix(table.iloc[1:], systems)
    for row in table.iloc[1:].to_dict("records"):
        i, j = systems.index(row["system_a"]), systems.index(row["system_b"])
        assert found[i, j] == found[j, i] == row["p_adjusted"]
    assert np.isnan(found).sum() == 4 + 2
