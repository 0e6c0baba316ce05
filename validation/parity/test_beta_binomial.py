"""The beta-binomial fit beside R, and its likelihood, which was never seen with two maxima."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cdfscore.r.session import RSession
from cdfscore.stats.schemes import BetaBinomial
from validation.parity.matrices import Matrix


@pytest.mark.parametrize("size", [2, 3, 10, 20])
def test_the_twin_finds_the_same_maximum(size: int, r: RSession) -> None:
    rng = np.random.default_rng(size)
    shapes = rng.uniform(0.1, 4, (2, 40, 1))
    shares = np.where(rng.random((40, 1)) < 0.2, 0.3, rng.beta(*shapes, (40, 25)))
    scores = rng.binomial(size, shares) / size
    x = np.tile(np.arange(-1, size + 2) / size, (40, 1))
    by_r = r.standardize(BetaBinomial(size=size), x, scores)
    np.testing.assert_allclose(BetaBinomial(size=size).fit(scores)(x), by_r, rtol=0, atol=2e-14)


def test_real_topics(matrices: list[Matrix], r: RSession) -> None:
    scores = next(m.scores for m in matrices if m.name == "robust2004/robust2004_p10.csv")[::4]
    x = np.tile(np.arange(-1, 12) / 10, (len(scores), 1))
    by_r = r.standardize(BetaBinomial(), x, scores)
    np.testing.assert_allclose(BetaBinomial().fit(scores)(x), by_r, rtol=0, atol=2e-14)


@pytest.mark.parametrize(
    ("scores", "fragment"),
    [([0.1, 0.25], "no multiple of 1/10"), ([0.1, 1.2], r"on \[0, 1\]"), ([0.1], "at least 2")],
)
def test_r_says_what_it_does_not_fit(scores: list[float], fragment: str, r: RSession) -> None:
    sample = np.array([scores])
    with pytest.raises(r.error, match=fragment):
        r.standardize(BetaBinomial(), sample, sample)


@pytest.mark.parametrize("size", [2, 4, 10])
def test_no_likelihood_has_two_maxima(size: int) -> None:
    """Of 3 x 2000 samples of 8 scores; SciPy's probabilities on a grid of means and of rho."""
    rng = np.random.default_rng(size)
    k = rng.binomial(size, rng.beta(*rng.uniform(0.05, 3, (2, 2000, 1)), (2000, 8)))
    counts = np.stack([np.sum(k == i, axis=-1) for i in range(size + 1)], axis=-1)
    mean, numbers = np.linspace(0.002, 0.998, 400)[:, np.newaxis], np.arange(size + 1)
    best = []  # over the mean, for each rho
    for rho in np.linspace(0.005, 0.995, 60):
        a, b = mean * (1 - rho) / rho, (1 - mean) * (1 - rho) / rho
        best.append((stats.betabinom.logpmf(numbers, size, a, b) @ counts.T).max(axis=0))
    highest = np.array(best)
    before = np.maximum.accumulate(highest, axis=0)
    after = np.maximum.accumulate(highest[::-1], axis=0)[::-1]
    valley = np.minimum(before, after) - highest
    assert valley.max() < 1e-3  # what the grid of means leaves
