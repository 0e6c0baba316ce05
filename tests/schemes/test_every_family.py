"""What each family promises beyond the contract: identities, limits and known values."""

import contextlib
import math
import statistics
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import stats

from cdfscore import parse_scheme, scheme_names
from cdfscore.errors import FitError, SchemeError
from cdfscore.stats.numerics.tolerance import ulp_distance
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Exponential, LogitNormal, Normal, Sum, Uniform, Z
from cdfscore.stats.schemes._rows import logit
from cdfscore.stats.schemes.base import schemes

EPS, NAN = 2.0**-52, math.nan
# Scores of 4 decimals, as measures are printed, on which no sample is nearly constant.
score = st.integers(0, 10**4).map(lambda k: k / 10**4)
samples = st.lists(score, min_size=2, max_size=60).filter(lambda s: np.ptp(s) > 0.01).map(np.array)
points = st.lists(st.integers(-5000, 15000).map(lambda k: k / 10**4), min_size=1, max_size=20).map(
    np.array
)


@pytest.mark.clause("z.1", "normal.3")
@given(samples)
def test_z_of_the_reference_has_mean_0_and_sd_1(sample: Array) -> None:
    y = Z().fit(sample)(sample)
    assert math.fsum(y) / len(y) == pytest.approx(0, abs=1e-12)
    assert statistics.stdev(y.tolist()) == pytest.approx(1, rel=1e-12)


@pytest.mark.clause("uniform.1")
@given(samples, points, st.floats(0.01, 2), st.floats(0, 1))
def test_uniform_is_az_plus_b_clipped(sample: Array, x: Array, a: float, b: float) -> None:
    expected = np.clip(a * Z().fit(sample)(x) + b, 0, 1)
    found = Uniform(A=a, B=b).fit(sample)(x)
    np.testing.assert_allclose(found, expected, rtol=0, atol=4 * EPS)


@pytest.mark.clause("normal.1")
@given(samples, points)
def test_normal_is_phi_of_z(sample: Array, x: Array) -> None:
    found = Normal().fit(sample)(x)
    with mp.workdps(50):
        phi = [float(mp.ncdf(mpf(t))) for t in Z().fit(sample)(x).tolist()]
    assert ulp_distance(found, phi).max() <= 5


@pytest.mark.clause("sum.1")
@given(samples)
def test_sum_of_the_reference_adds_to_1(sample: Array) -> None:
    y = Sum().fit(sample)(sample)
    assert math.fsum(y) == pytest.approx(1, rel=len(sample) * EPS)
    assert y.min() == 0


# ---- what the specification says in numbers


@pytest.mark.clause("normal.1")
def test_normal_by_hand() -> None:
    """The scores 1 to 5 have the sd sqrt(5/2) with n - 1, and sqrt(2) with n."""
    fitted = Normal().fit([1, 2, 3, 4, 5])
    assert fitted([3 + math.sqrt(2.5)]).tolist() == pytest.approx([0.8413447460685429])
    assert fitted([3 - 1.959963984540054 * math.sqrt(2.5)]).tolist() == pytest.approx([0.025])


@pytest.mark.clause("normal.3")
def test_n_std_has_the_mean_one_half_on_symmetric_topics_only() -> None:
    symmetric, skewed = np.array([0.1, 0.2, 0.4, 0.6, 0.7]), np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    assert Normal().fit(symmetric)(symmetric).mean() == pytest.approx(0.5, abs=1e-15)
    # z is 4 times -1 / sqrt(5) and 4 / sqrt(5).
    expected = (4 * stats.norm.cdf(-(5**-0.5)) + stats.norm.cdf(4 * 5**-0.5)) / 5
    assert Normal().fit(skewed)(skewed).mean() == pytest.approx(expected, rel=1e-14)
    assert expected == pytest.approx(0.4545, abs=1e-4)


# Schemes, and y left of, at and right of the common score 1/2 of a topic, at 1/4, 1/2 and 3/4.
ZERO_VARIANCE = {
    "normal": [0, 0.5, 1],
    "uniform": [0, 0.5, 1],
    "uniform:A=0.25,B=0.25": [0, 0.25, 1],
    "minmax": [0, 0.5, 1],
    "exponential": [0, 0, 1],
    "empirical": [0, 1, 1],
    "empirical:convention=strict": [0, 0, 1],
    "empirical:convention=mid": [0, 0.5, 1],
    "empirical:position=weibull": [0, 0.75, 0.75],
    "from_scipy:dist=gamma,floc=0": [0, 0.5, 1],
    "kernel:bandwidth=nrd0": [0, 0.5, 1],
    "beta": [0, 0.5, 1],
    "beta_binomial:size=4": [0, 0.5, 1],
    "gamma": [0, 0.5, 1],
    "johnson_su": [0, 0.5, 1],
    "kumaraswamy": [0, 0.5, 1],
    "logit_normal": [0, 0.5, 1],
    "mixture": [0, 0.5, 1],
    "truncated_normal": [0, 0.5, 1],
    "z": [-math.inf, 0, math.inf],
    "sum": [-math.inf, 0, math.inf],
    "max": [0.5, 1, 1.5],
    "centered": [-0.25, 0, 0.25],
    "raw": [0.25, 0.5, 0.75],
}


@pytest.mark.clause(
    "scheme.4",
    "normal.2",
    "uniform.4",
    "minmax.2",
    "exponential.2",
    "empirical.8",
    "from_scipy.4",
    "beta.4",
    "beta_binomial.3",
    "gamma.2",
    "johnson_su.3",
    "kumaraswamy.2",
    "logit_normal.2",
    "mixture.4",
    "truncated_normal.3",
    "z.2",
    "sum.2",
    "centered.1",
    "raw.1",
)
@pytest.mark.parametrize("spelling", ZERO_VARIANCE)
def test_limits_of_a_zero_variance_topic(spelling: str) -> None:
    n = parse_scheme(spelling).minimum_scores if "position" not in spelling else 3
    fitted = parse_scheme(spelling).fit([0.5] * n)
    assert fitted([0.25, 0.5, 0.75]).tolist() == ZERO_VARIANCE[spelling]


@pytest.mark.clause("scheme.4")
@pytest.mark.parametrize("spelling", ["normal", "uniform:A=0.25,B=0.25", "minmax", "exponential"])
def test_the_limit_is_that_of_topics_whose_spread_goes_to_0(spelling: str) -> None:
    around = np.array([-0.75, -0.25, 0.0, 0.25, 0.75])
    scheme, x = parse_scheme(spelling), [0.25, 0.75]
    limit = scheme.fit(np.full(5, 0.5))(x)
    distances = [np.abs(scheme.fit(0.5 + h * around)(x) - limit).max() for h in (1, 0.1, 1e-3)]
    assert distances[0] > distances[1] >= distances[2] == 0


@pytest.mark.clause("uniform.2")
def test_uniform_has_the_ends_of_equation_6() -> None:
    """Of the scores 1 to 5, of mean 3 and sd sqrt(5/2), with A = 1/4 and B = 1/3."""
    fitted = Uniform(A=1 / 4, B=1 / 3).fit([1, 2, 3, 4, 5])
    low, high = 3 - 4 / 3 * math.sqrt(2.5), 3 + 8 / 3 * math.sqrt(2.5)
    assert [float(end) for end in fitted.support] == pytest.approx([low, high])
    # The intercept is -a / (b - a), and not a / (b - a) as printed before Eq. 6.
    assert fitted([1.5])[0] == pytest.approx(1.5 / (high - low) - low / (high - low))


@pytest.mark.clause("uniform.3")
@given(samples)
def test_chebyshevs_inequality_for_the_reference_scores(sample: Array) -> None:
    n, y = len(sample), Uniform().fit(sample)(sample)
    assert np.count_nonzero((y < 0.05 - 1e-12) | (y > 0.95 + 1e-12)) < (n - 1) / 9
    assert np.count_nonzero((y == 0) | (y == 1)) < 9 * (n - 1) / 100


@pytest.mark.clause("uniform.3")
def test_a_topic_may_have_less_than_89_percent_within_three_standard_deviations() -> None:
    """Of 2,000 scores 222 are just outside: 8/9 is 88.9%, and 89% is rounded."""
    scores = np.repeat([0.0, 0.5, 1.0], [111, 1778, 111])
    y = Uniform().fit(scores)(scores)
    within = np.count_nonzero((y >= 0.05) & (y <= 0.95)) / 2000
    assert 8 / 9 < within < 0.89


@pytest.mark.clause("uniform.3")
def test_no_reference_score_is_censored_below_14_systems() -> None:
    """The farthest that one score can be from the mean is (n - 1) / sqrt(n) sd."""
    for n in range(2, 14):
        assert 0 < Uniform().fit([0.0] * (n - 1) + [1.0])([1.0])[0] < 1
    assert Uniform().fit([0.0] * 13 + [1.0])([1.0]).tolist() == [1.0]


@pytest.mark.clause("exponential.1", "sum.1")
@given(samples)
def test_exponential_is_the_distribution_that_sum_assumes(sample: Array) -> None:
    """Markov's rate of the normalized scores is n."""
    by_sum = Sum().fit(sample)(sample)
    found = Exponential().fit(sample)(sample)
    np.testing.assert_allclose(found, -np.expm1(-len(sample) * by_sum), rtol=1e-12)


@pytest.mark.clause("scheme.7", "raw.1")
@pytest.mark.parametrize("spelling", ["raw", "centered", "z", "sum", "max"])
def test_linear_schemes_are_lines_that_rise(spelling: str) -> None:
    fitted = parse_scheme(spelling).fit([0.125, 0.25, 0.5])
    x = np.array([-1.0, 0.0, 0.25, 1.0, 3.0])
    slope, intercept = np.polyfit(x, fitted(x), 1)
    assert slope > 0
    np.testing.assert_allclose(fitted(x), intercept + slope * x, rtol=0, atol=1e-13)


@pytest.mark.clause("scheme.8")
def test_labels_of_the_papers_are_schemes() -> None:
    labels = {"N-std": "normal", "U-std": "uniform", "E-std": "empirical", "z-STD": "z"}
    for label, name in labels.items():
        assert parse_scheme(label) == parse_scheme(name)
        assert name in scheme_names()
    assert parse_scheme("uniform") == Uniform(A=0.15, B=0.5)
    for wrong in ("normale", "uniform:C=1", "uniform:A=-1"):
        with pytest.raises(SchemeError, match=r"expected|its settings are"):
            parse_scheme(wrong)


@pytest.mark.clause("scheme.3")
def test_a_refusal_names_all_rows_and_their_reasons() -> None:
    with pytest.raises(FitError, match=r"row 1: .* at least 2 .* there is 1") as short:
        Normal().fit([[0.1, 0.2], [0.3, NAN], [0.4, 0.5], [NAN, NAN]])
    assert list(short.value.rows) == [1, 3]
    with pytest.raises(FitError, match="row 0: a reference score is infinite"):
        Normal().fit([[0.1, math.inf], [0.3, 0.4]])


@pytest.mark.clause("scheme.5")
def test_quantiles_are_the_smallest_scores_that_reach_p() -> None:
    p = [0.0, 0.25, 0.5, 1.0, math.nan]
    expected = {
        "normal": [-math.inf, 2 - 0.6744897501960817, 2, math.inf, math.nan],
        "minmax": [1, 1.5, 2, 3, math.nan],
        "empirical": [1, 1, 2, 3, math.nan],
    }
    for name, quantiles in expected.items():
        found = parse_scheme(name).fit([1, 2, 3]).quantile(p)
        np.testing.assert_allclose(found, quantiles, rtol=1e-15)
        at_one_score = parse_scheme(name).fit([1, 1, 1])
        np.testing.assert_array_equal(at_one_score.quantile(p), [1, 1, 1, 1, math.nan])
        assert [float(end) for end in at_one_score.support] == [1, 1]


@pytest.mark.clause("scheme.5")
@pytest.mark.parametrize("spelling", ["kernel", "zero_inflated:family=normal"])
def test_the_quantile_of_1_by_bracketing_is_where_y_rounds_to_1(spelling: str) -> None:
    fitted = parse_scheme(spelling).fit([0.1, 0.3, 0.4, 0.7])
    end = float(fitted.quantile([1.0])[0])
    assert 0.7 < end < 10
    left, at = fitted([end - 1e-3, end])
    assert left < at == 1
    assert float(fitted.support[1]) == math.inf


# ---- samples without a fit, and with a difficult one

# The scheme, a topic between two others, and why it is refused.
REFUSED = [
    ("beta", [0, 0, 0.5, 1], "of 4 reference scores 2 are exactly 0 and 1 is exactly 1, where"),
    ("beta", [0, 0.5, NAN], "of 2 reference scores 1 is exactly 0, where.*has a mass at 0"),
    ("beta", [0, 0.5, 0.7], "zero_inflated:family=beta"),
    ("beta", [0.2, 1.2], r"1\.2, and beta:method=ml,ends=raise is a distribution on \[0, 1\]"),
    ("beta", [0.5, 0.5 + 1e-9], r"differ so little that a shape .* is above 1e\+10"),
    ("beta:method=moments", [0.5, 0.5 + 1e-9], "differ so little that a shape"),
    ("beta:method=moments", [0, 0, 1], "all reference scores are 0 or 1, and no beta"),
    ("beta_binomial", [0.15, 0.3], "a reference score is 0.15, which is not a multiple of 1/10"),
    ("beta_binomial", [0.1, 1.1], "a reference score is 1.1, and beta_binomial:size=10 is a distr"),
    ("beta_binomial", [0.1, NAN], "needs at least 2 reference scores and there is 1"),
    ("gamma", [0, 0, 0.5], "of 3 reference scores 2 are exactly 0, where the likelihood of gamma"),
    ("gamma", [0, 0.5], "zero_inflated:family=gamma has a mass at 0"),
    ("gamma", [-0.1, 0.5], r"-0\.1, and gamma is a distribution on \[0, infinity\)"),
    ("gamma", [0.5, 0.501], "the shape of the gamma distribution is above 200000"),
    ("kumaraswamy", [0, 0.5, 1], "of 3 reference scores 1 is exactly 0 and 1 is exactly 1, where"),
    ("kumaraswamy", [0.5, 0.5001], "the shape b of the Kumaraswamy .* too large for a double"),
    ("logit_normal", [0, 0.5, 1], "exactly 1, where the logit is infinite; ends=shrink m"),
    ("logit_normal", [1e-5, np.nextafter(1e-5, 1)], "that their logits are equal"),
    ("truncated_normal", [0.2, 1.2], r"1\.2, and truncated_normal:low=0\.0,high=1\.0 is a distr"),
    ("truncated_normal", [0.0, 1e-300], "their spread is within rounding errors"),
]


@pytest.mark.clause("beta.1", "beta.2", "beta.3", "beta_binomial.2", "gamma.1", "kumaraswamy.1")
@pytest.mark.clause("logit_normal.1", "truncated_normal.3")
@pytest.mark.parametrize(("spelling", "sample", "fragment"), REFUSED)
def test_a_topic_without_a_fit_is_told(spelling: str, sample: list[float], fragment: str) -> None:
    topics = np.full((3, 4), NAN)
    topics[:, :2] = 0.2, 0.4
    topics[1, : len(sample)] = sample
    with pytest.raises(FitError, match=f"row 1: .*{fragment}") as caught:
        parse_scheme(spelling).fit(topics)
    assert list(caught.value.rows) == [1]


HARD = [
    [1e-300, 0.5, 0.9],
    [1e-12, 1 - 1e-12],
    [1e-6] * 100 + [0.5],
    (1 - 1e-9 * np.arange(1, 30)).tolist(),
    (0.3 + 1e-3 * np.arange(20)).tolist(),
]


@pytest.mark.parametrize(
    ("name", "sample"),
    [
        *product(["beta", "kumaraswamy"], HARD),
        ("beta", (0.3 + 1e-4 * np.arange(20)).tolist()),
    ],
)
def test_hard_samples_have_a_fit(name: str, sample: list[float]) -> None:
    """Which puts them neither into one tail nor into a point."""
    assert 0.2 < parse_scheme(name).fit(sample)(sample).mean() < 0.8


# ---- what a fitted scheme is asked for and does not have, and settings that exclude each other

FIVE = np.array([[0.1, 0.2, 0.4, 0.45, 0.7]])


@pytest.mark.clause("scheme.7")
@pytest.mark.parametrize("scheme", ["z", "raw", "sum"])
def test_a_linear_scheme_has_no_support_no_quantiles_and_no_crps(scheme: str) -> None:
    fitted = parse_scheme(scheme).fit(FIVE)
    with pytest.raises(SchemeError, match=f"{scheme} has no quantile function in closed form"):
        fitted.quantile([[0.5]])
    with pytest.raises(SchemeError, match=f"{scheme} is not a distribution and has no support"):
        _ = fitted.support
    with pytest.raises(SchemeError, match=f"{scheme} is not a distribution and has no CRPS"):
        fitted.crps([[0.5]])


@pytest.mark.clause("scheme.5")
@pytest.mark.parametrize("p", [-1e-300, np.nextafter(1, 2), np.inf])
def test_a_quantile_is_of_a_probability(p: float) -> None:
    fitted = parse_scheme("minmax").fit(FIVE)
    with pytest.raises(SchemeError, match=r"p has a value outside \[0, 1\]; a probability is exp"):
        fitted.quantile([[0.5, p]])
    assert fitted.quantile([[0.0, 1.0]]).tolist() == [[0.1, 0.7]]


@pytest.mark.clause("kernel.3")
def test_the_beta_kernel_is_no_other_one() -> None:
    with pytest.raises(SchemeError) as caught:
        parse_scheme("kernel:kernel=biweight,boundary=beta")
    assert str(caught.value) == (
        "kernel: kernel=biweight is not accepted with boundary=beta, which is a kernel itself; "
        "expected no kernel setting"
    )


# ---- scores near the largest double: fitted, or refused by a fit error, without a warning


LARGEST = 1.7976931348623157e308
LARGE = [
    [-LARGEST, LARGEST, *np.linspace(0.1, 1.0, 10)],
    [-LARGEST, LARGEST] * 6,
    [-LARGEST, *[LARGEST] * 11],
    [-1.7e308, 1e308] * 6,
    [LARGEST / 2, LARGEST, LARGEST, LARGEST] * 3,
]


@pytest.mark.clause("scheme.7")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["max", "sum", "z"])
def test_a_quotient_above_the_largest_double_is_infinite(name: str) -> None:
    fitted = schemes.parse(name).fit([0.0, 5e-324, 1e-323])
    assert fitted([-1e300, 1e300]).tolist() == [-np.inf, np.inf]


@pytest.mark.clause("scheme.3")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sample", LARGE)
@pytest.mark.parametrize("name", [*schemes.names(), "kernel:bandwidth=altman_leger"])
def test_an_overflow_is_a_fit_error_alone(name: str, sample: list[float]) -> None:
    with contextlib.suppress(FitError):
        fitted = schemes.parse(name).fit([sample, sample])
        assert all(np.isfinite(values).all() for values in fitted.parameters.values())


# ---- y does not change under x -> a x + b with a > 0


# With a = 1/R: average precision and the sum of precisions have the same y, for any number R of
# relevant documents. Raw and centered scores have the unit of x, and so has a family on [0, 1].
SCALED = [
    name
    for name in schemes.names()
    if name not in ("raw", "centered")
    and np.isinf(schemes.load(name)().domain).all()
    and schemes.load(name)().minimum_scores <= 2
]
SCALED += ["empirical:convention=strict", "empirical:convention=mid", "uniform:A=0.3,B=0.4"]
# Those that are computed from differences of scores, or from comparisons, alone.
SHIFTED = [
    name for name in SCALED if name.startswith(("empirical", "minmax", "sum", "exponential"))
]

# Multiples of 1/1024 with 20 bits, so that 2^j x + b is exact for b on the same grid.
dyadic = st.lists(st.integers(0, 2**20).map(lambda k: k / 1024), min_size=2, max_size=40)
dyadic_samples = dyadic.filter(lambda s: max(s) > min(s)).map(np.array)
thousandths = st.lists(st.integers(0, 1000).map(lambda k: k / 1000), min_size=2, max_size=40)
spread_samples = thousandths.filter(lambda s: max(s) - min(s) >= 0.05).map(np.array)


def points_around(sample: Array) -> Array:
    """The scores themselves, points half way between, and some outside."""
    s = np.sort(sample)
    return np.concatenate([sample, (s[1:] + s[:-1]) / 2, [s[0] - 1, s[-1] + 1]])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spelling", SHIFTED)
@given(sample=dyadic_samples, exponent=st.integers(-30, 30), shift=st.integers(-(2**20), 2**20))
def test_exact_affine_map_changes_no_bit(
    spelling: str, sample: Array, exponent: int, shift: int
) -> None:
    scheme, a, x = schemes.parse(spelling), 2.0**exponent, points_around(sample)
    b = a * shift / 1024
    assert np.array_equal(scheme.fit(a * sample + b)(a * x + b), scheme.fit(sample)(x))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("spelling", SCALED)
@given(sample=spread_samples, a=st.floats(1e-3, 1e3), share=st.floats(-10, 10))
def test_any_affine_map_changes_y_by_rounding_only(
    spelling: str, sample: Array, a: float, share: float
) -> None:
    """b is up to 10 a, so that rounding a x + b moves z by less than 1e-13 n."""
    scheme, b, x = schemes.parse(spelling), share * a, points_around(sample)
    found, expected = scheme.fit(a * sample + b)(a * x + b), scheme.fit(sample)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


# ---- N-std of the logits, and the logit itself


@given(st.floats(5e-324, 1 - 2**-53))
def test_logit_is_exact_to_2_ulp(x: float) -> None:
    with mp.workdps(50):
        true = mp.log(mpf(x)) - mp.log1p(-mpf(x))
        error = abs(mpf(float(logit(np.array(x)))) - true)
    assert error <= 2 * np.spacing(abs(float(true)))


@pytest.mark.clause("logit_normal.1")
@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=40).filter(lambda s: len({*s}) > 1))
def test_is_n_std_of_the_logits(sample: list[float]) -> None:
    logits = logit(np.array(sample))
    if np.ptp(logits) > 1e-9:
        y, expected = LogitNormal().fit(sample)(sample), Normal().fit(logits)(logits)
        np.testing.assert_array_equal(y, expected)
