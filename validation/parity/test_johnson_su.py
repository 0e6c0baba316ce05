"""Johnson's SU system beside R: the twin on real topics and on samples of every limit."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.distributions import JohnsonSu
from cdfscore.numerics.types import Array
from cdfscore.r.session import RSession
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


def _compare(scores: Array, r: RSession) -> None:
    """The largest distance seen is 2e-13."""
    x = np.hstack([scores, scores + 0.01 * np.ptp(scores)])
    by_r = r.standardize(JohnsonSu(), x, scores)
    np.testing.assert_allclose(JohnsonSu().fit(scores)(x), by_r, rtol=0, atol=1e-12)
