"""Johnson's SU system beside R: the twin on real topics and on samples of every limit."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import JohnsonSu
from validation.parity.compared import by_both
from validation.parity.matrices import Matrix


@pytest.mark.parametrize("name", ["robust2004/robust2004_ap.csv", "robust2004/robust2004_p10.csv"])
def test_the_twin_finds_the_same_maximum(name: str, matrices: list[Matrix], r: RSession) -> None:
    _compare(next(matrix.scores for matrix in matrices if matrix.name == name), r)


@pytest.mark.parametrize("n", [5, 12, 60])
def test_samples_of_every_shape(n: int, r: RSession) -> None:
    rng = np.random.default_rng(n)
    rows = [
        rng.normal(size=(15, n)),
        rng.random((15, n)).round(2),
        np.exp(rng.normal(size=(15, n)) / 2),
        -np.exp(rng.normal(size=(15, n)) / 2),
        rng.standard_t(3, (15, n)),
        np.sinh(rng.normal(size=(15, n)) + 1),
    ]
    _compare(np.concatenate(rows), r)


@pytest.mark.parametrize("asymmetry", [0.0, 1e-12, 1e-7, 1e-3])
def test_symmetric_samples(asymmetry: float, r: RSession) -> None:
    """In one group, in two, and with scores far from both; R refuses the same ones."""
    rng = np.random.default_rng(17)
    samples = np.full((48, 30), np.nan)
    for i in range(len(samples)):
        half = (2, 5, 9, 14)[i // 4 % 4]
        side = [
            lambda m: rng.random(m),
            lambda m: 1 + 0.2 * rng.random(m),
            lambda m: np.append(1 + 0.01 * rng.random(m), rng.uniform(2, 30)),
            lambda m: np.abs(rng.standard_t(2, m)),
        ][i % 4](half)
        symmetric = np.concatenate([-side, side])
        moved = symmetric + asymmetry * rng.normal(size=len(symmetric))
        samples[i, : len(moved)] = 0.5 + 0.1 * moved
    y = _compare(samples, r)
    refused = np.isnan(y).all(axis=1).sum()
    assert 10 <= refused <= 35


def _compare(scores: Array, r: RSession) -> Array:
    """The largest distance seen is 2e-13."""
    x = np.hstack([scores, scores + 0.01 * np.nanmax(scores) - 0.01 * np.nanmin(scores)])
    y, by_r = by_both(JohnsonSu(), x, scores, r)
    np.testing.assert_allclose(y, by_r, rtol=0, atol=1e-12)
    return y
