"""Quantiles of a binomial count are those of SciPy."""

import pytest
from scipy.stats import binom

from cdfscore.stats.numerics.tails import central_counts


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("p", [0.01, 0.025, 0.1, 1 / 3, 0.5, 0.975, 1.0])
def test_central_counts(level: float, p: float) -> None:
    for n in [*range(1, 120), 1000, 27_390, 995_100]:
        assert central_counts(level, n, p) == binom.interval(level, n, p)
