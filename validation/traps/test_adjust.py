"""Trap: adjusting p-values of which some are missing."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from cdfscore.stats.numerics.tolerance import ulp_distance
from cdfscore.stats.numerics.types import Array
from validation.traps.r_functions import RFunctions

# R's method, statsmodels' method, and how far they are apart, in ulp.
METHODS = [
    ("bonferroni", "bonferroni", 0),
    ("holm", "holm", 0),
    ("hochberg", "simes-hochberg", 0),
    ("hommel", "hommel", 0),
    ("BH", "fdr_bh", 4),
    ("BY", "fdr_by", 6),
]


def adjusted(p: Array, method: str) -> Array:
    """The recipe: adjust the p-values that are there, among themselves."""
    result = np.full(p.shape, np.nan)
    there = ~np.isnan(p)
    result[there] = multipletests(p[there], method=method)[1]
    return result


@pytest.mark.parametrize(("by_r", "by_statsmodels", "ulp"), METHODS)
def test_the_recipe_has_rs_numbers(by_r: str, by_statsmodels: str, ulp: int, r: RFunctions) -> None:
    rng = np.random.default_rng(6)
    for _ in range(60):
        p = np.round(rng.random(rng.integers(2, 40)) ** 3, 4)
        p[1:][rng.random(len(p) - 1) < 0.2] = np.nan
        expected, found = r.numbers("p.adjust", p, method=by_r), adjusted(p, by_statsmodels)
        there = ~np.isnan(p)
        assert np.isnan(expected).tolist() == np.isnan(found).tolist() == (~there).tolist()
        assert ulp_distance(found[there], expected[there]).max() <= ulp


@pytest.mark.parametrize(("by_r", "by_statsmodels", "_ulp"), METHODS)
def test_r_counts_without_the_missing(
    by_r: str, by_statsmodels: str, _ulp: int, r: RFunctions
) -> None:
    p = np.array([0.01, 0.02, np.nan, 0.04])
    expected = r.numbers("p.adjust", p, method=by_r)
    without = r.numbers("p.adjust", p[[0, 1, 3]], method=by_r)
    assert expected[[0, 1, 3]].tolist() == without.tolist()
    found = multipletests(p, method=by_statsmodels)[1]
    if by_r in ("bonferroni", "holm"):  # NaN is counted: n = 4
        assert found[[0, 1, 3]] == pytest.approx(
            {"bonferroni": [0.04, 0.08, 0.16], "holm": [0.04, 0.06, 0.08]}[by_r]
        )
        assert (found[[0, 1, 3]] > without).any()
    else:  # one NaN and nothing is left
        assert np.isnan(found).all()
