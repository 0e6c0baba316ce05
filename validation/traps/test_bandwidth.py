"""Trap: rules of thumb for a bandwidth that share a name, not a formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.nonparametric.bandwidths import bw_silverman, select_bandwidth

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes.bandwidths import nrd0
from validation.traps.r_functions import RFunctions

SIZES = (2, 3, 5, 10, 50, 100)


def ours(x: Array) -> float:
    return float(nrd0(x, np.sort(x)).item())


def iqr(x: Array) -> float:
    return float(np.subtract(*np.quantile(x, [0.75, 0.25])))


@pytest.mark.parametrize("n", SIZES)
def test_scipys_silverman_is_another_rule(n: int, r: RFunctions) -> None:
    for x in np.random.default_rng(n).random((20, n)):
        sd = r.numbers("sd", x).item()
        scipys = stats.gaussian_kde(x, "silverman").factor * sd
        assert scipys == pytest.approx((4 / 3) ** 0.2 * sd * n**-0.2, rel=1e-12)
        by_r = r.numbers("bw.nrd0", x).item()
        # 1.059 in place of 0.9, and never the interquartile range.
        assert scipys / by_r >= (4 / 3) ** 0.2 / 0.9 * (1 - 1e-12) > 1.176
        assert ours(x) == by_r


@pytest.mark.parametrize("n", SIZES)
def test_statsmodels_divides_the_interquartile_range_by_1_349(n: int, r: RFunctions) -> None:
    decided = set()
    for x in np.random.default_rng(n).random((200, n)) ** 3:
        by_r, sd = r.numbers("bw.nrd0", x).item(), r.numbers("sd", x).item()
        assert ours(x) == by_r
        if iqr(x) / 1.34 <= sd:
            assert bw_silverman(x) == pytest.approx(by_r * 1.34 / 1.349, rel=1e-12)
        elif iqr(x) / 1.349 >= sd:
            assert bw_silverman(x) == pytest.approx(by_r, rel=1e-12)
        decided.add(iqr(x) / 1.34 <= sd)
    assert True in decided


def test_without_an_interquartile_range_the_sd_is_taken(r: RFunctions) -> None:
    for x in (np.array([0.0] * 8 + [0.25, 1.0]), np.array([0.3] * 20 + [0.9])):
        assert iqr(x) == 0
        by_r = r.numbers("bw.nrd0", x).item()
        expected = 0.9 * r.numbers("sd", x).item() * len(x) ** -0.2
        assert ours(x) == by_r == pytest.approx(expected, rel=1e-15)
        assert bw_silverman(x) == pytest.approx(by_r, rel=1e-12)


@pytest.mark.parametrize(("score", "spread"), [(0.25, 0.25), (-2.0, 2.0), (0.0, 1.0)])
def test_constant_samples(score: float, spread: float, r: RFunctions) -> None:
    x = np.full(10, score)
    assert r.numbers("bw.nrd0", x).item() == pytest.approx(0.9 * spread * 10**-0.2, rel=1e-15)
    assert ours(x) == 0  # |x_1| is no spread
    with pytest.raises(RuntimeError, match="bandwidth is 0"):
        select_bandwidth(x, "silverman", None)
    with pytest.raises(np.linalg.LinAlgError):
        stats.gaussian_kde(x, "silverman")
