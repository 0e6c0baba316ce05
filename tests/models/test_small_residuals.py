"""Scores that a model determines almost: small residuals, those of rounding, and a large F."""

import numpy as np
import pandas as pd
import pytest
from mpmath import mp
from scipy import special, stats

from cdfscore import Standardizer
from cdfscore.errors import ModelError
from cdfscore.models import anova
from cdfscore.models.anova import noncentrality_interval
from cdfscore.stats.numerics.types import Array
from validation.statsmodels_judge.least_squares import sums_of_squares

ADDITIVE = "score ~ topic + system"


def additive(seed: int, *, offset: float = 0.0, systems_times: float = 1.0) -> Array:
    """Return scores that are the sum of an effect of their topic and one of their system."""
    rng = np.random.default_rng(seed)
    topics, systems = int(rng.integers(6, 60)), int(rng.integers(3, 60))
    return np.asarray(
        offset + rng.normal(size=(topics, 1)) + systems_times * rng.normal(size=systems)
    )


def framed(scores: Array) -> pd.DataFrame:
    index = pd.Index([f"t{i}" for i in range(len(scores))], name="topic")
    return pd.DataFrame(scores, index=index, columns=[f"s{i}" for i in range(scores.shape[1])])


@pytest.mark.clause("anova.3")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("systems_times", [1e-3, 1.0, 1e3])
def test_residuals_of_rounding_are_refused(offset: float, systems_times: float) -> None:
    for seed in range(8):
        scores = additive(seed, offset=offset, systems_times=systems_times)
        with pytest.raises(ModelError, match="the residuals are 0, except for rounding"):
            anova(framed(scores), ADDITIVE)


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("systems_times", [1.0, 1e3])
def test_residuals_of_rounding_grow_with_the_systems(missing: float, systems_times: float) -> None:
    """Coefficients of 300 systems are rounded to some 1e-14 of what the scores differ by."""
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(10, 1)) + systems_times * rng.normal(size=300)
    scores[rng.random(scores.shape) < missing] = np.nan
    with pytest.raises(ModelError, match="the residuals are 0, except for rounding"):
        anova(framed(scores), ADDITIVE, schemes=[Standardizer("raw", missing="omit")])


@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9])
def test_small_residuals_have_their_true_squares(size: float) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(7, 1)) + rng.normal(size=5) + size * rng.normal(size=(7, 5))
    table = anova(framed(scores), ADDITIVE).table
    with mp.workdps(50):
        true = [float(each) for each in sums_of_squares(scores, ADDITIVE, "I")[0]]
    # Scores are rounded to 1e-16 of their size, and residuals with them.
    np.testing.assert_allclose(table["sum_of_squares"], true, rtol=max(1e-13, 1e-14 / size))
    ends = table[["effect_low", "partial_omega_squared", "effect_high"]].to_numpy()[:-1]
    assert (np.diff(ends, axis=1) >= -1e-12).all()
    assert (ends[:, 2] <= 1).all()


def tail(f: float, df1: int, df2: int, noncentrality: float) -> float:
    """Return P(F' <= f) of a large noncentrality, whose square root has a normal error of 1."""
    p = (np.arange(4000) + 0.5) / 4000
    reached = np.sqrt(df1 * f * stats.chi2.ppf(p, df2) / df2)
    return float(special.ndtr(reached - np.sqrt(noncentrality + df1 - 1)).mean())


@pytest.mark.clause("anova.4")
@pytest.mark.parametrize(("df1", "df2"), [(1, 3), (7, 40), (224, 15904)])
@pytest.mark.parametrize("f", [2e6, 1e9, 1e15, 1e24])
def test_the_noncentrality_of_a_large_f(df1: int, df2: int, f: float) -> None:
    low, high = noncentrality_interval(f, df1, df2, 0.95)
    assert tail(f, df1, df2, low) == pytest.approx(0.975, abs=5e-4)
    assert tail(f, df1, df2, high) == pytest.approx(0.025, abs=5e-4)
