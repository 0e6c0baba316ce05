"""The kernel-smoothed distribution: boundaries, rules, limits, refusals and its R twin."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from cdfscore import parse_scheme
from cdfscore.errors import FitError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Kernel
from cdfscore.stats.schemes.bandwidths import RULES
from cdfscore.stats.schemes.kernel import BOUNDARIES, KERNELS
from cdfscore.testing import check_distribution, check_twin
from validation.campaign.inputs import ALL_KINDS

pytestmark = pytest.mark.one_in(2)

BOUNDED = [name for name in BOUNDARIES if name != "none"]
EVERY = [
    Kernel(bandwidth, kernel, boundary)
    for bandwidth in ("nrd0", 0.1)
    for kernel in KERNELS
    for boundary in BOUNDARIES
    if boundary != "beta" or kernel == "gaussian"
]
# ucv and bcv have no minimum on the contract's nine scores.
BY_RULE = [Kernel(rule) for rule in RULES if rule not in ("nrd0", "ucv", "bcv")]
SCORES = np.array([0.02, 0.11, 0.11, 0.3, 0.47, 0.95])
X = np.array([0.0, 1e-9, 0.004, 0.11, 0.25, 0.4999, 0.8, 0.993, 1.0])


@pytest.mark.one_in(10)
@pytest.mark.parametrize("scheme", [*EVERY, *BY_RULE], ids=str)
def test_every_setting_keeps_the_contract(scheme: Kernel) -> None:
    check_distribution(scheme)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("scheme", [*EVERY[: len(EVERY) // 2], *BY_RULE], ids=str)
@pytest.mark.usefixtures("rinterface")
def test_every_setting_is_its_twin(scheme: Kernel) -> None:
    check_twin(scheme)


# ---- the boundaries beside their definitions


def phi(z: mpf) -> mpf:
    return mp.erfc(-z / mp.sqrt(2)) / 2


def plain(x: mpf, h: float, scores: Array = SCORES) -> mpf:
    return mp.fsum(phi((x - mpf(s)) / mpf(h)) for s in scores.tolist()) / len(scores)


def folded(x: mpf, h: float) -> mpf:
    return mp.fsum(plain(2 * k + x, h) - plain(2 * k - x, h) for k in range(-40, 41))


def cut_off(x: mpf, h: float) -> mpf:
    low, high = plain(mpf(0), h), plain(mpf(1), h)
    return (plain(x, h) - low) / (high - low)


def on_log_odds(x: mpf, h: float) -> mpf:
    if x in (0, 1):
        return x
    odds = [mp.log(mpf(s) / (1 - mpf(s))) for s in SCORES.tolist()]
    return mp.fsum(phi((mp.log(x / (1 - x)) - o) / mpf(h)) for o in odds) / len(odds)


def by_beta(x: mpf, h: float) -> mpf:
    if x in (0, 1):
        return x
    a, b = x / mpf(h) ** 2, (1 - x) / mpf(h) ** 2
    above = (mp.betainc(a, b, mpf(s), 1, regularized=True) for s in SCORES.tolist())
    return mp.fsum(above) / len(SCORES)


TRUE = {"reflection": folded, "truncation": cut_off, "logit": on_log_odds, "beta": by_beta}


@pytest.mark.clause("kernel.3")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("h", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("boundary", TRUE)
def test_boundaries_are_what_their_definitions_say(boundary: str, h: float) -> None:
    y = Kernel(h, boundary=boundary).fit(SCORES)(X)
    with mp.workdps(40):
        true = [float(TRUE[boundary](mpf(x), h)) for x in X.tolist()]
    assert np.abs(y - true).max() <= 2e-15


@pytest.mark.clause("kernel.3")
@pytest.mark.parametrize("h", [1e-3, 0.2, 1.0])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("boundary", BOUNDED)
def test_bounded_cdfs_are_exactly_0_at_0_and_1_at_1(boundary: str, kernel: str, h: float) -> None:
    if boundary == "beta" and kernel != "gaussian":
        return
    fitted = Kernel(h, kernel, boundary).fit(SCORES)
    outside = np.array([-np.inf, -1e-300, 0.0, 1.0, 1.5, np.inf])
    assert fitted(outside).tolist() == [0, 0, 0, 1, 1, 1]
    inside = fitted(np.linspace(0, 1, 200))
    assert (np.diff(inside) >= -1e-15).all()
    assert np.isnan(fitted(np.array([np.nan]))).all()


@pytest.mark.clause("kernel.3")
@pytest.mark.parametrize("h", [1e-4, 1e-3, 1e-2])
def test_a_narrow_beta_kernel_is_the_integral_of_its_density(h: float) -> None:
    for x, s in ((0.3, 0.3 + 0.4 * h), (0.07, 0.07 - 0.1 * h), (0.9, 0.9 + 0.2 * h)):
        y = Kernel(h, boundary="beta").fit([s])([x])[0]
        with mp.workdps(40):
            a, b = mpf(x / h**2), mpf((1 - x) / h**2)
            log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)

            def density(t: mpf, a: mpf = a, b: mpf = b, log_beta: mpf = log_beta) -> mpf:
                return mp.exp((a - 1) * mp.log(t) + (b - 1) * mp.log(1 - t) - log_beta)

            steps = [mpf(s) + k * mpf(h) for k in range(11) if s + k * h < 1]
            assert abs(y - float(mp.quad(density, steps))) <= 1e-14


@pytest.mark.clause("kernel.3")
def test_scores_at_an_end_are_folded_back_or_kept_there() -> None:
    scores = np.array([0.0, 0.0, 0.5, 1.0])
    for boundary in ("reflection", "truncation"):
        assert Kernel(0.1, boundary=boundary).fit(scores)([0.0, 1.0]).tolist() == [0, 1]
    y = Kernel(0.1, boundary="beta").fit(scores)([-1e-300, 0.0, 1e-12, 1 - 2**-53, 1.0])
    assert y[:2].tolist() == [0, 0.5]
    assert y[2] == pytest.approx(0.5, abs=1e-9)
    assert y[3] == pytest.approx(0.75, abs=1e-9)
    assert y[4] == 1


# ---- properties


@st.composite
def topics(draw: st.DrawFn) -> Array:
    n = draw(st.integers(2, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.beta(0.6, 2, n)
    return np.round(scores, 2) * 0.98 + 0.01 if draw(st.booleans()) else scores


@given(topics(), st.floats(0.01, 0.8), st.sampled_from(sorted(KERNELS)))
def test_mirrored_scores_have_the_mirrored_cdf(scores: Array, h: float, kernel: str) -> None:
    x = np.linspace(-0.2, 1.2, 29)
    for boundary in BOUNDARIES:
        chosen = "gaussian" if boundary == "beta" else kernel
        scheme = Kernel(h, chosen, boundary)
        mirrored = 1 - scheme.fit(1 - scores)(1 - x)
        # 1 - x is rounded, which moves y by a share of h near the end of the logit scale.
        assert np.abs(scheme.fit(scores)(x) - mirrored).max() <= 1e-12


@pytest.mark.clause("kernel.1")
@given(topics(), st.floats(0.02, 0.5), st.sampled_from(sorted(KERNELS)))
def test_smoothing_keeps_the_mean_and_adds_the_bandwidth_to_the_spread(
    scores: Array, h: float, kernel: str
) -> None:
    x = np.linspace(-30 * h, 1 + 30 * h, 40_001)
    y = Kernel(h, kernel).fit(scores)(x)
    mean = x[-1] - np.trapezoid(y, x)
    square = x[-1] ** 2 - np.trapezoid(2 * x * y, x)
    assert mean == pytest.approx(scores.mean(), abs=1e-6)
    assert square - mean**2 == pytest.approx(scores.var() + h * h, abs=1e-5)


@pytest.mark.clause("kernel.1")
@given(topics(), st.sampled_from(sorted(KERNELS)), st.sampled_from(sorted(BOUNDARIES)))
def test_with_a_bandwidth_near_0_it_is_empirical(scores: Array, kernel: str, boundary: str) -> None:
    if boundary == "beta":
        return  # has a least bandwidth
    fitted = Kernel(1e-12, kernel, boundary).fit(scores)
    assert np.array_equal(fitted(scores), Empirical(convention="mid").fit(scores)(scores))
    between = np.linspace(0.0123, 0.9871, 50)
    between = between[np.abs(between[:, np.newaxis] - scores).min(axis=1) > 1e-8]
    assert np.array_equal(fitted(between), Empirical().fit(scores)(between))


@pytest.mark.clause("kernel.4")
def test_rules_work_on_the_scale_that_is_smoothed() -> None:
    odds, angles = np.log(SCORES / (1 - SCORES)), 2 * np.arcsin(np.sqrt(SCORES))
    for boundary, scaled in (("logit", odds), ("beta", angles), ("truncation", SCORES)):
        found = Kernel("sj", boundary=boundary).fit(SCORES).parameters["bandwidth"]
        assert found == pytest.approx(RULES["sj"](scaled, np.sort(scaled)), rel=1e-6)


@settings(max_examples=150)
@given(
    kind=st.sampled_from(sorted(ALL_KINDS)),
    n=st.integers(2, 40),
    seed=st.integers(0, 2**32 - 1),
    bandwidth=st.sampled_from([1e-4, 0.01, 1.0, *RULES]),
    kernel=st.sampled_from(sorted(KERNELS)),
    boundary=st.sampled_from(sorted(BOUNDARIES)),
)
def test_the_worst_samples_have_a_cdf_or_are_refused(
    kind: str, n: int, seed: int, bandwidth: float | str, kernel: str, boundary: str
) -> None:
    scores = ALL_KINDS[kind](np.random.default_rng(seed), n)
    scheme = Kernel(bandwidth, "gaussian" if boundary == "beta" else kernel, boundary)
    try:
        fitted = scheme.fit(scores)
    except FitError:
        return
    near = np.concatenate([np.nextafter(scores, -np.inf), scores, np.nextafter(scores, np.inf)])
    x = np.sort(np.concatenate([near, [-1e308, 5e-324, 1e-310, 1e-20, 1 - 2**-53, 1e308]]))
    y = fitted(x)
    assert (y >= 0).all()
    assert (y <= 1).all()
    assert (np.diff(y) >= -1e-13).all()


# ---- constant topics


@pytest.mark.clause("kernel.5")
@pytest.mark.parametrize("common", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("rule", RULES)
def test_a_constant_topic_is_the_limit_of_every_rule(
    rule: str, boundary: str, common: float
) -> None:
    fitted = Kernel(rule, boundary=boundary).fit([common] * 4 + [np.nan])
    x = np.array([-1.0, common - 1e-9, common, common + 1e-9, 2.0, np.nan])
    assert np.array_equal(fitted(x), [0, 0, 0.5, 1, 1, np.nan], equal_nan=True)
    assert fitted.constant
    assert [float(end) for end in fitted.support] == [common, common]


# ---- what is refused


BAD_SCORES = [
    ("kernel:boundary=reflection,bandwidth=0.1", [0.2, 1.01], "a reference score is 1.01"),
    ("kernel:boundary=truncation", [-0.2, 0.5], "a reference score is -0.2"),
    ("kernel:boundary=beta", [0.2, 1.5], "distribution on [0, 1]"),
    ("kernel:boundary=logit", [0.2, 0.3, 0.0], "exactly 0 or 1"),
    ("kernel:boundary=logit", [0.2, 0.3, 1.0], "zero_inflated"),
    ("kernel:boundary=logit,bandwidth=0.3", [1.0, 1.0], "boundary=reflection, truncation or beta"),
    ("kernel:boundary=beta", [0.5, 0.5 + 1e-6, 0.5 - 1e-6], "expected 0.0001 or more"),
    ("kernel:bandwidth=sj", [0.1, 0.1, 0.1, 0.1, 0.9], "bandwidth rule sj"),
    ("kernel:bandwidth=sj", [0.5, np.nan], "at least 2 reference scores"),
]


@pytest.mark.parametrize(("spelled", "scores", "fragment"), BAD_SCORES)
def test_bad_scores_are_refused_with_all_their_rows(
    spelled: str, scores: list[float], fragment: str
) -> None:
    good = [*SCORES, *np.full(max(0, len(scores) - len(SCORES)), np.nan)]
    bad = [*scores, *np.full(len(good) - len(scores), np.nan)]
    with pytest.raises(FitError, match=re.escape(fragment)) as refused:
        parse_scheme(spelled).fit([good, bad, good, bad])
    assert sorted(refused.value.rows) == [1, 3]


@pytest.mark.usefixtures("rinterface")
def test_what_is_refused_in_python_stops_in_r() -> None:
    session = RSession()
    for spelled, scores, _ in BAD_SCORES:
        sample = np.array([scores])
        with pytest.raises(session.error):
            session.standardize(parse_scheme(spelled), sample, sample)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kernel", [name for name in KERNELS if KERNELS[name].compact])
@pytest.mark.usefixtures("rinterface")
def test_many_scores_are_the_twins_too(kernel: str) -> None:
    session = RSession()
    rng = np.random.default_rng(11)
    scores, x = rng.beta(0.5, 3, (1, 1300)), rng.uniform(-0.2, 1.1, (1, 60))
    scheme = Kernel(kernel=kernel)
    assert np.abs(scheme.fit(scores)(x) - session.standardize(scheme, x, scores)).max() <= 1e-15


@pytest.mark.parametrize("block", [1, 100, 200])  # a row has 8 x 11 pairs
def test_the_beta_boundary_is_the_same_in_blocks(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    fitted = Kernel(boundary="beta").fit(rng.random((5, 11)))
    x = rng.random((5, 8))
    expected = fitted(x)
    monkeypatch.setattr("cdfscore.stats.schemes.kernel._BETA_BLOCK", block)
    assert fitted(x).tolist() == expected.tolist()
