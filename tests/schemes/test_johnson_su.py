"""The Johnson SU distribution with its limits: z, its likelihood, and SciPy's parameters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdfscore.datasets import load_cranfield
from cdfscore.errors import FitError
from cdfscore.standardization.policies import fit_where_possible
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import JohnsonSu
from cdfscore.stats.schemes.base import Fitted
from cdfscore.stats.schemes.johnson_su import johnson_x, johnson_z

AP = load_cranfield("ap").to_numpy()
NAMES = ["location", "scale", "skew", "tail"]


def parameters(fitted: Fitted) -> tuple[float, ...]:
    return tuple(fitted.parameters[name].item() for name in NAMES)


def of_scipy(location: float, scale: float, skew: float, tail: float) -> tuple[float, ...]:
    """The parameters of `scipy.stats.johnsonsu`, as the docstring gives them."""
    square = skew**2 + tail
    delta = 1 / math.sqrt(square)
    gamma = delta * math.asinh(skew / math.sqrt(tail))
    return gamma, delta, location + scale * skew / square, scale * math.sqrt(tail) / square


def penalized(sample: Array, location: float, scale: float, skew: float, tail: float) -> float:
    """The penalized log-likelihood by the density of SciPy's distributions."""
    u = (sample - location) / scale
    slope = scale * np.sqrt((1 - skew * u) ** 2 + tail * u**2)
    if tail > 1e-8:
        density = stats.johnsonsu.logpdf(sample, *of_scipy(location, scale, skew, tail))
    elif abs(skew) > 1e-6:
        end, sign = location + scale / skew, -math.copysign(1, skew)
        density = stats.lognorm.logpdf(sign * (sample - end), abs(skew), scale=scale / abs(skew))
    else:
        density = stats.norm.logpdf(sample, location, scale)
    square = np.var(sample)
    penalty = np.mean(square / slope**2 + np.log(slope**2 / square)) / len(sample)
    return float(density.sum() - penalty)


@pytest.mark.long
@pytest.mark.clause("johnson_su.2")
@given(st.integers(0, 2**32 - 1), st.integers(4, 80))
def test_no_step_gains_likelihood(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    kind = rng.integers(4)
    sample = [
        lambda: rng.random(n),
        lambda: rng.standard_t(3, n),
        lambda: np.exp(0.7 * rng.normal(size=n)),
        lambda: -np.sinh(rng.normal(size=n) + 1),
    ][kind]()
    _, _, unfitted = fit_where_possible(JohnsonSu(), sample[np.newaxis])
    if unfitted:  # a few samples of 4
        assert "has two maxima" in unfitted[0]
        return
    found = np.array(parameters(JohnsonSu().fit(sample)))
    highest = penalized(sample, *found)
    for length in (1e-4, 1e-2):
        for _ in range(20):
            step = length * rng.normal(size=4) * [np.std(sample), found[1], 1.0, 1.0]
            location, scale, skew, tail = found + step
            tail = abs(tail) if found[3] > 0 or rng.random() < 0.5 else 0.0
            u = (sample - location) / scale
            if scale > 0 and (tail > 1e-8 or (1 - skew * u > 0).all()):
                assert penalized(sample, location, scale, skew, tail) <= highest + 1e-9 * n


@pytest.mark.clause("johnson_su.1")
def test_parameters_of_scipy_at_an_interior_maximum() -> None:
    """SciPy maximizes without the penalty, which moves the parameters by some 1e-5."""
    law = stats.johnsonsu
    for seed in range(3):
        sample = law.rvs(1.0, 1.5, 0.3, 0.2, size=400, random_state=np.random.default_rng(seed))
        fitted = JohnsonSu().fit(sample)
        own, by_scipy = of_scipy(*parameters(fitted)), law.fit(sample)
        np.testing.assert_allclose(own, by_scipy, rtol=2e-3)
        assert law.logpdf(sample, *own).sum() > law.logpdf(sample, *by_scipy).sum() - 1e-6
        np.testing.assert_allclose(fitted(sample), law.cdf(sample, *own), rtol=0, atol=1e-14)


def test_long_lognormal_tails_have_a_fit() -> None:
    """A step there may promise less than the number of scores and lead downhill."""
    topics = np.exp(1.5 * np.random.default_rng(0).normal(size=(5, 60)))
    skew = JohnsonSu().fit(topics).parameters["skew"][:, 0]
    assert (skew < -1).all()


@pytest.mark.clause("johnson_su.1")
def test_short_tails_have_the_normal_distribution_as_their_limit() -> None:
    symmetric = np.concatenate([-np.arange(1, 30), np.arange(1, 30)]) / 30
    location, scale, skew, tail = parameters(JohnsonSu().fit(symmetric))
    assert (location, skew, tail) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert scale == pytest.approx(np.std(symmetric), rel=1e-12)


@pytest.mark.clause("johnson_su.1")
def test_z_against_mpmath() -> None:
    from mpmath import mp, mpf

    rng = np.random.default_rng(4)
    u, skew = rng.uniform(-6, 6, 300), rng.normal(0, 0.5, 300)
    tail = 10 ** rng.uniform(-4, 1, 300) * (rng.random(300) < 0.7)
    z = johnson_z(u, skew, tail)
    with mp.workdps(40):
        for i in range(300):
            v, b, d = (mpf(float(values[i])) for values in (u, skew, tail))
            if d == 0:
                inside = 1 - b * v > 0
                true = -mp.log(1 - b * v) / b if inside else mp.sign(v) * mp.inf
            else:
                t = mp.sqrt(b * b + d)
                ends = [mp.asinh((t * t * end - b) / mp.sqrt(d)) for end in (v, 0)]
                true = (ends[0] - ends[1]) / t
            if mp.isinf(true):
                assert z[i] == float(true)
            else:
                assert abs(mpf(float(z[i])) - true) <= 5 * math.ulp(float(true))


@given(
    st.floats(-30, 30),
    st.floats(-3, 3).map(lambda v: 0.0 if abs(v) < 1e-9 else v),
    st.sampled_from([0.0, 1e-12, 1e-3, 1.0, 50.0]),
)
def test_x_and_z_are_inverse(z: float, skew: float, tail: float) -> None:
    b, d = np.array([skew]), np.array([tail])
    u = johnson_x(np.array([z]), b, d)
    slope = np.sqrt((1 - b * u) ** 2 + d * u**2)
    # A rounded u near the end of a lognormal distribution has few digits of z left.
    with np.errstate(divide="ignore"):  # at that end
        tolerance = 1e-13 * (1 + abs(z)) + 1e-15 * np.abs(u) / slope
    if tolerance < 1e-3:
        assert abs(johnson_z(u, b, d) - z)[0] <= 4 * tolerance[0]


@given(st.integers(0, 2**32 - 1), st.integers(2, 15), st.integers(-17, -1))
def test_mirrored_scores_are_fitted_by_the_mirrored_distribution(
    seed: int, half: int, asymmetry: int
) -> None:
    """Also where they are symmetric, nearly or not, whichever way they are rounded."""
    rng = np.random.default_rng(seed)
    side = [
        lambda: 1 + 0.2 * rng.random(half),
        lambda: np.append(1 + 0.01 * rng.random(half), rng.uniform(2, 30)),
        lambda: np.abs(rng.standard_t(2, half)),
    ][rng.integers(3)]()
    symmetric = np.concatenate([-side, side])
    moved = symmetric + 10.0**asymmetry * rng.normal(size=len(symmetric))
    sample = 0.5 + 0.1 * moved
    sides = np.array([sample, 1 - sample])
    fitted, _, refused = fit_where_possible(JohnsonSu(), sides)
    assert all("two maxima" in reason for reason in refused.values())
    assert len(refused) in (0, 2)
    if not refused:
        y, mirrored = fitted(sides)
        np.testing.assert_allclose(mirrored, 1 - y, rtol=0, atol=1e-9)


TWO_MAXIMA = {
    "of two values": [0.0, 1.0] * 20,
    "in two groups": [0.0, 0.1, 0.9, 1.0] * 5,
    "in two groups, nearly": [0.0, 0.1, 0.9, 1.0001] * 5,
    "in two groups of many, nearly": [0.0, 0.1, 0.9, 1.001] * 100,
    "in two groups, and two far": [-1.0] * 20 + [1.0] * 20 + [-9.0, 9.0],
}


@pytest.mark.clause("johnson_su.2")
@pytest.mark.parametrize("sample", TWO_MAXIMA.values(), ids=TWO_MAXIMA)
def test_symmetric_scores_between_two_maxima_are_refused(sample: list[float]) -> None:
    topics = np.array([sample, np.arange(len(sample)), sample])
    with pytest.raises(FitError, match="has two maxima, one to either side") as told:
        JohnsonSu().fit(topics)
    assert list(told.value.rows) == [0, 2]


@pytest.mark.clause("johnson_su.1")
def test_a_lognormal_distribution_ends_on_its_short_side() -> None:
    right = np.exp(0.5 * stats.norm.ppf(np.arange(1, 20) / 20))
    for sample in (right, -right):
        fitted = JohnsonSu().fit(sample)
        location, scale, skew, tail = parameters(fitted)
        assert tail == 0
        end = location + scale / skew
        low, high = (float(np.squeeze(bound)) for bound in fitted.support)
        if skew < 0:
            assert (low, high) == (end, math.inf)
            assert low < sample.min()
        else:
            assert (low, high) == (-math.inf, end)
            assert high > sample.max()
        outside = end + 0.01 * np.sign(end - location)
        np.testing.assert_array_equal(fitted(np.array([outside])), float(skew > 0))


def test_every_real_topic_is_fitted() -> None:
    fitted = JohnsonSu().fit(AP)
    assert np.isfinite(fitted(AP)).all()
    assert 0.2 < np.mean(fitted.parameters["tail"] == 0) < 1
