"""Trap: the one-sided exact Kolmogorov-Smirnov test of tied samples of two sizes."""

from __future__ import annotations

import numpy as np
import pytest

from cdfscore.stats.significance import kolmogorov_smirnov
from validation.traps.r_functions import RFunctions

X = np.array([0.1, 0.2, 0.2, 0.2, 0.1, 0.0])
Y = np.array([0.1, 0.1])


def test_less_is_the_other_side_in_r(r: RFunctions) -> None:
    """Of the 28 divisions 13 reach D-, and 3 reach as far to the side of D+."""
    ours = kolmogorov_smirnov(X, Y, alternative="less").p_value
    assert ours == pytest.approx(13 / 28, rel=1e-14)
    assert r.numbers("ks_p", Y, X, "greater")[0] == pytest.approx(13 / 28, rel=1e-13)
    assert r.numbers("ks_p", X, Y, "less")[0] == pytest.approx(3 / 28, rel=1e-13)


def test_without_ties_both_sides_are_the_same_in_r(r: RFunctions) -> None:
    x, y = np.random.default_rng(0).random(6), np.random.default_rng(1).random(3)
    swapped = r.numbers("ks_p", y, x, "greater")[0]
    assert r.numbers("ks_p", x, y, "less")[0] == pytest.approx(swapped, rel=1e-13)
    assert kolmogorov_smirnov(x, y, alternative="less").p_value == pytest.approx(swapped, rel=1e-13)
