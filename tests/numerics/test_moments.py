"""Means and standard deviations: order of addition, missing scores, and extreme spreads."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore.stats.numerics.moments import count, mean, mean_and_sd, single_pass_mean, total
from cdfscore.stats.numerics.tolerance import ulp_distance
from cdfscore.stats.numerics.types import Array

scores = st.lists(
    st.one_of(
        st.floats(0, 1), st.integers(0, 10).map(lambda k: k / 10), st.floats(-1e6, 1e6, width=32)
    ),
    min_size=2,
    max_size=60,
)


def exact_moments(sample: list[float]) -> tuple[float, float]:
    """Mean and standard deviation at 50 digits."""
    with mp.workdps(50):
        values = [mpf(s) for s in sample]
        m = mp.fsum(values) / len(values)
        return float(m), float(mp.sqrt(mp.fsum((v - m) ** 2 for v in values) / (len(values) - 1)))


@given(scores)
def test_mean_is_the_exact_mean_rounded(sample: list[float]) -> None:
    exact = sum(map(Fraction, sample)) / len(sample)
    found = Fraction(mean(np.array(sample)).item())
    half_ulp = Fraction(math.ulp(float(exact))) / 2
    # the two passes leave an error in the 64 bits that is far below half an ulp, except
    # where positive and negative scores cancel
    magnitude = Fraction(max(map(abs, sample))) / 2**62
    assert abs(found - exact) <= half_ulp + magnitude


@given(st.lists(st.integers(0, 10**4).map(lambda k: k / 10**4), min_size=2, max_size=60))
def test_sd_is_the_exact_sd_rounded(sample: list[float]) -> None:
    means, sds = mean_and_sd(np.array(sample))
    m, sd = exact_moments(sample)
    assert ulp_distance(means, m).max() <= 1
    # R subtracts the mean after rounding it, which matters where the spread is tiny
    assert sds.item() == pytest.approx(sd, rel=4e-16, abs=1e-30)


@given(scores, st.data())
def test_missing_scores_change_nothing(sample: list[float], data: st.DataObject) -> None:
    places = st.lists(st.integers(0, len(sample)), max_size=5)
    padded = sample.copy()
    for place in sorted(data.draw(places), reverse=True):
        padded.insert(place, math.nan)
    full, gapped = np.array(sample), np.array(padded)
    assert count(gapped).tolist() == [len(sample)]
    for moment in (total, mean, single_pass_mean, mean_and_sd):
        assert np.array_equal(moment(gapped), moment(full))


@pytest.mark.parametrize("n", [2, 3, 10, 100, 2049, 5000])
def test_constant_scores_have_that_mean_and_no_spread(n: int) -> None:
    constants = np.concatenate(
        [
            np.arange(1, 100) / 10,
            np.random.default_rng(n).random(100),
            [1 / 3, 1e300, 1e-300, 5e-324],
        ]
    )
    means, sds = mean_and_sd(np.repeat(constants[:, np.newaxis], n, axis=1))
    assert means[:, 0].tolist() == constants.tolist()
    assert not sds.any()


@pytest.mark.parametrize("scale", [1e300, 1e155, 1e150, 1e-150, 1e-160, 1e-300, 1e-306])
def test_extreme_spreads_neither_overflow_nor_vanish(scale: float) -> None:
    sample: Array = np.array([0.0, 0.25, 0.7, 0.9]) * scale
    m, sd = exact_moments(sample.tolist())
    means, sds = mean_and_sd(sample)
    assert ulp_distance(means, m).max() <= 1
    assert ulp_distance(sds, sd).max() <= 1
