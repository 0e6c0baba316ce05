"""Trap: an empirical distribution whose steps come from linspace."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.distributions.empirical_distribution import ECDF

from cdfscore.stats.numerics.tolerance import ulp_distance
from cdfscore.stats.schemes import Empirical
from validation.traps.r_functions import RFunctions

SIZES = range(1, 301)


def test_cdfscore_has_rs_steps(r: RFunctions) -> None:
    rng = np.random.default_rng(3)
    for n in SIZES:
        x = rng.permutation(n) / 7
        assert r.numbers("ecdf_at", x, np.sort(x)).tolist() == [k / n for k in range(1, n + 1)]
        v = np.concatenate([x, x + 0.01, [-1.0, 99.0], rng.choice(x, 5)])
        tied = rng.choice(x, n)
        for sample in (x, tied):
            assert Empirical().fit(sample)(v).tolist() == r.numbers("ecdf_at", sample, v).tolist()


def test_statsmodels_differs_in_the_last_bits_for_nearly_every_n() -> None:
    steps = {n: ECDF(np.arange(n))(np.arange(n)) for n in SIZES}
    off = {n: ulp_distance(y, np.arange(1, n + 1) / n) for n, y in steps.items()}
    sizes_off = [n for n in SIZES if off[n].any()]
    values_off = sum(np.count_nonzero(d) for d in off.values())
    assert sizes_off[:5] == [3, 5, 6, 7, 9]
    assert len(sizes_off) / 300 == pytest.approx(0.97, abs=0.02)  # 291 of 300
    assert values_off / sum(SIZES) == pytest.approx(0.30, abs=0.02)  # 13377 of 45150
    assert max(d.max() for d in off.values()) == 2


def test_a_count_over_n_is_the_recipe() -> None:
    for n in SIZES:
        x = np.arange(n, dtype=float)
        y = np.searchsorted(x, x, side="right") / n
        assert y.tolist() == Empirical().fit(x)(x).tolist()
