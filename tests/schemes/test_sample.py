"""Counts of sorted samples against NumPy, a row at a time; bandwidths of known samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import nrd0
from cdfscore.stats.schemes.empirical import count_at_most, count_below

score = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5), st.just(0.1))
sample = st.lists(score, min_size=1, max_size=40)


def padded(rows: list[list[float]]) -> Array:
    """Sorted rows of unequal length, NaN last."""
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for i, row in enumerate(rows):
        table[i, : len(row)] = sorted(row)
    return table


@given(
    st.lists(sample, min_size=1, max_size=4),
    st.lists(st.one_of(score, st.sampled_from([-np.inf, np.inf])), min_size=1, max_size=10),
)
def test_counts_are_those_of_searchsorted(rows: list[list[float]], points: list[float]) -> None:
    table = padded(rows)
    own = [value for row in rows for value in row]  # ties with the samples
    x = np.tile([*points, *own], (len(rows), 1))
    at_most, below = count_at_most(table, x), count_below(table, x)
    for i, row in enumerate(rows):
        assert at_most[i].tolist() == np.searchsorted(sorted(row), x[i], side="right").tolist()
        assert below[i].tolist() == np.searchsorted(sorted(row), x[i], side="left").tolist()


@pytest.mark.clause("nrd0.1")
@pytest.mark.parametrize(
    ("scores", "bandwidth"),
    [
        ([1.0, 2.0, 3.0, 4.0, 10.0], 0.97358462285063574),  # R 4.2: bw.nrd0(x)
        ([0.0, 0.0, 0.0, 0.0, 1.0], 0.29171818740469724),  # IQR = 0: the sd is taken
        ([0.3, 0.3, 0.3], 0.0),
    ],
)
def test_bandwidth_of_known_samples(scores: list[float], bandwidth: float) -> None:
    found = nrd0(np.array(scores), np.sort(scores)).item()
    assert found == pytest.approx(bandwidth, rel=3e-16, abs=0)
