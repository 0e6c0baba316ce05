"""Means, sums, standard deviations and bandwidths have the bits of R's."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.r.session import RSession
from cdfscore.stats.numerics.moments import mean, mean_and_sd, single_pass_mean, total
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import nrd0
from validation.parity.matrices import Matrix
from validation.parity.strategies import KINDS

SIZES = [*range(2, 40), 50, 51, 70, 79, 99, 100, 125, 126, 127, 128, 129, 200, 1000, 4097]


def samples(kind: str) -> list[Array]:
    rng = np.random.default_rng(14)
    return [KINDS[kind](rng, n) for n in SIZES]


@pytest.mark.parametrize("kind", KINDS)
def test_moments_have_rs_bits(kind: str, r: RSession) -> None:
    for sample in samples(kind):
        means, sds = mean_and_sd(sample)
        assert total(sample).item() == r.call("sum", sample).item()
        assert means.item() == mean(sample).item() == r.call("mean", sample).item()
        assert sds.item() == r.call("sd", sample).item()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "constant"])
def test_bandwidth_has_rs_bits(kind: str, r: RSession) -> None:
    for sample in samples(kind):
        if np.ptp(sample) > 0:
            assert nrd0(sample, np.sort(sample)).item() == r.call("bw.nrd0", sample).item()


def test_column_means_have_rs_bits(matrices: list[Matrix], r: RSession) -> None:
    for matrix in matrices:
        systems = matrix.scores.T  # R's colMeans are ours of rows
        assert single_pass_mean(systems)[:, 0].tolist() == r.column_means(matrix.scores).tolist()
