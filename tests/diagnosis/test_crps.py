"""CRPS beside its formulas at 50 digits, its definition, and the finite sum of the ecdf."""

from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.diagnosis.criteria import Resolution, crps, integrals, integrated
from cdfscore.diagnosis.diagnosis import left_out
from cdfscore.errors import SchemeError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Empirical, Kernel, Scheme
from cdfscore.stats.schemes.base import parse_scheme

SCORES = np.array([0.02, 0.1, 0.13, 0.2, 0.31, 0.35, 0.6, 0.82])
Formula = Callable[..., mp.mpf]


def _normal(y: mp.mpf, mean: mp.mpf, sd: mp.mpf) -> mp.mpf:
    """Gneiting and Raftery (2007), Eq. 21 and the text below; crps_norm of scoringRules."""
    z = (y - mean) / sd
    return sd * (z * (2 * mp.ncdf(z) - 1) + 2 * mp.npdf(z) - 1 / mp.sqrt(mp.pi))


def _unit_uniform(y: mp.mpf) -> mp.mpf:
    inside = min(max(y, mp.mpf(0)), mp.mpf(1))
    return abs(y - inside) + inside**2 - inside + mp.mpf(1) / 3


def _minmax(y: mp.mpf, low: mp.mpf, high: mp.mpf) -> mp.mpf:
    return (high - low) * _unit_uniform((y - low) / (high - low))


def _exponential(y: mp.mpf, low: mp.mpf, mean: mp.mpf) -> mp.mpf:
    z = (y - low) / mean
    reached = 1 - mp.exp(-z) if z > 0 else mp.mpf(0)
    return mean * (abs(z) - 2 * reached + mp.mpf(1) / 2)


def _beta(y: mp.mpf, a: mp.mpf, b: mp.mpf) -> mp.mpf:
    """crps_beta of scoringRules."""
    f, f1 = (mp.betainc(k, b, 0, y, regularized=True) for k in (a, a + 1))
    last = 2 * mp.beta(2 * a, 2 * b) / (a * mp.beta(a, b) ** 2)
    return y * (2 * f - 1) + a / (a + b) * (1 - 2 * f1 - last)


def _gamma(y: mp.mpf, shape: mp.mpf, scale: mp.mpf) -> mp.mpf:
    """crps_gamma of scoringRules."""
    f, f1 = (mp.gammainc(k, 0, y / scale, regularized=True) for k in (shape, shape + 1))
    return y * (2 * f - 1) - shape * scale * (2 * f1 - 1) - scale / mp.beta(mp.mpf(1) / 2, shape)


def _uniform(y: mp.mpf, mean: mp.mpf, sd: mp.mpf) -> mp.mpf:
    """On [mean - B sd / A, mean + (1 - B) sd / A], with A = 0.15 and B = 0.5 as doubles."""
    reach = sd * mp.mpf(0.5) / mp.mpf(0.15)
    return _minmax(y, mean - reach, mean + reach)


FORMULAS: dict[str, Formula] = {
    "normal": _normal,
    "uniform": _uniform,
    "minmax": _minmax,
    "exponential": _exponential,
    "beta": _beta,
    "gamma": _gamma,
}
#: Schemes that have a closed form.
CLOSED = ["normal", "uniform", "uniform:A=1.5,B=0.2", "minmax", "exponential", "kernel"]


@pytest.mark.clause("crps.2", "scheme.6")
@pytest.mark.parametrize("name", FORMULAS)
def test_closed_forms_at_50_digits(name: str) -> None:
    others = np.array([np.delete(SCORES, i) for i in range(len(SCORES))])
    fitted = parse_scheme(name).fit(others)
    found = crps(fitted, SCORES, SCORES)
    with mp.workdps(50):
        for i, y in enumerate(SCORES):
            # The first two are those of the formula; the ends of the scores may follow.
            first = list(fitted.parameters.values())[:2]
            numbers = [mp.mpf(float(values[i, 0])) for values in first]
            expected = FORMULAS[name](mp.mpf(float(y)), *numbers)
            assert abs(found[i] / expected - 1) < (4e-15 if name in CLOSED else 1e-9), (name, i)


@pytest.mark.long
@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=25),
    st.integers(-1200, 1200),
    st.floats(1e-3, 1e4),
)
def test_a_mixture_of_normal_distributions_at_50_digits(
    numbers: list[int], y: int, bandwidth: float
) -> None:
    """crps_mixnorm of scoringRules, with equal weights; ties, and pairs far apart and near."""
    sample = np.array(sorted(numbers), dtype=float)
    padded = np.append(sample, [np.nan, np.nan])
    found = Kernel(bandwidth=bandwidth).fit(padded[np.newaxis]).crps([[float(y)]])
    assert found is not None
    with mp.workdps(50):

        def apart(d: float, s: mp.mpf) -> mp.mpf:
            z = mp.mpf(d) / s
            return s * (2 * mp.npdf(z) + z * (2 * mp.ncdf(z) - 1))

        n, h = len(sample), mp.mpf(bandwidth)
        of_y = mp.fsum(apart(y - x, h) for x in sample.tolist()) / n
        pairs = [a - b for a in sample.tolist() for b in sample.tolist()]
        among = mp.fsum(apart(d, mp.sqrt(2) * h) for d in pairs) / (2 * n**2)
        assert abs(found[0, 0] - (of_y - among)) <= 2e-15 * of_y


@pytest.mark.clause("crps.1", "crps.2", "scheme.6")
@given(
    st.sampled_from(CLOSED),
    st.lists(st.integers(0, 1000), min_size=3, max_size=20, unique=True),
    st.integers(0, 19),
)
def test_closed_forms_are_the_integral(name: str, numbers: list[int], place: int) -> None:
    scores = np.array(sorted(numbers)) / 1000
    out = place % len(scores)
    fitted = parse_scheme(name).fit(np.delete(scores, out)[np.newaxis])
    closed = fitted.crps(scores[[out], np.newaxis])
    assert closed is not None
    by_integral = integrated(fitted, scores[[out]], scores)
    np.testing.assert_allclose(closed[:, 0], by_integral, rtol=0, atol=1e-8 * np.ptp(scores))


def test_the_closed_form_is_taken_and_what_has_none_is_integrated() -> None:
    others = np.delete(SCORES, 3)[np.newaxis]
    for name in ("beta", "kernel:kernel=cosine", "kernel:boundary=reflection", "empirical"):
        assert parse_scheme(name).fit(others).crps([[0.2]]) is None
    for name in CLOSED:
        fitted = parse_scheme(name).fit(others)
        closed = fitted.crps(SCORES[[3], np.newaxis])
        assert closed is not None
        np.testing.assert_array_equal(crps(fitted, SCORES[[3]], SCORES), closed[:, 0])
    with pytest.raises(SchemeError, match="z is not a distribution and has no CRPS"):
        parse_scheme("z").fit(others).crps([[0.2]])


@pytest.mark.clause("crps.1", "scheme.6")
@pytest.mark.parametrize("name", CLOSED)
def test_equal_scores_predict_themselves_alone(name: str) -> None:
    """As of a point mass: the CRPS is the absolute error, also far away."""
    fitted = parse_scheme(name).fit([[0.3, 0.3, 0.3]] * 3)
    found = fitted.crps([[0.3], [0.1], [1e5]])
    assert found is not None
    np.testing.assert_allclose(found[:, 0], [0.0, 0.2, 1e5 - 0.3], rtol=1e-15, atol=0)


@pytest.mark.clause("crps.2", "scheme.6")
@given(st.lists(st.integers(0, 20), min_size=3, max_size=12))
def test_the_empirical_distribution_is_the_finite_sum(numbers: list[int]) -> None:
    """mean |X - y| - mean |X - X'| / 2; Gneiting and Raftery (2007), Eq. 21."""
    if len(set(numbers)) < 2:
        return
    sample = np.array(sorted(numbers), dtype=float)
    total = Fraction(0)
    for i, y in enumerate(numbers):
        others = numbers[:i] + numbers[i + 1 :]
        m = len(others)
        apart = sum(abs(a - b) for a in others for b in others)
        total += Fraction(sum(abs(a - y) for a in others), m) - Fraction(apart, 2 * m * m)
    for convention in ("weak", "strict", "mid"):
        found = left_out(Empirical(convention), sample, Resolution(1.0, "found")).crps
        assert found == pytest.approx(float(total / len(numbers)), rel=1e-13, abs=1e-15)


def test_the_sum_over_lines_is_exact() -> None:
    """From points to points, a line from a to b over a width w has w (a^2 + a b + b^2) / 3."""
    numbers = sorted(np.random.default_rng(5).choice(1024, 24, replace=False).tolist())
    scores = np.array(numbers) / 1024
    for place, y in enumerate(numbers):
        others = numbers[:place] + numbers[place + 1 :]
        heights = [Fraction(i + 1, len(others)) for i in range(len(others))]
        expected = Fraction(max(others[0] - y, y - others[-1], 0))
        for x0, x1, a, b in zip(others, others[1:], heights, heights[1:], strict=False):
            middle = min(max(y, x0), x1)
            at = a + (b - a) * Fraction(middle - x0, x1 - x0)
            expected += (middle - x0) * (a * a + a * at + at * at) / 3
            above, end = 1 - at, 1 - b
            expected += (x1 - middle) * (above * above + above * end + end * end) / 3
        fitted = Empirical(interpolation="linear").fit([np.array(others) / 1024])
        found = crps(fitted, scores[[place]], scores)
        assert found[0] == pytest.approx(float(expected / 1024), rel=1e-13)


# Families without a formula here, with steps, corners, ends, point masses and heavy tails.
OTHERS = [
    "uniform",
    "uniform:A=1.5",
    "kernel",
    "kernel:kernel=epanechnikov",
    "kernel:bandwidth=0.001",
    "kernel:boundary=reflection",
    "empirical:interpolation=linear",
    "zero_inflated:family=beta",
    "truncated_normal",
    "from_scipy:dist=cauchy",
]


@pytest.mark.clause("crps.1")
@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", OTHERS)
def test_the_definition_on_a_fine_grid(name: str) -> None:
    scheme: Scheme = parse_scheme(name)
    scores = np.array([0.0, 0.1, 0.15, 0.2, 0.3, 0.35, 0.6])
    fitted = scheme.fit(scores[[0, 1, 2, 3, 4, 6]][np.newaxis])
    found = crps(fitted, np.array([0.35]), scores)[0]
    # Midpoints, ever wider beyond the scores: their error is below 1e-6 here.
    beyond = np.geomspace(1, 1e7, 400_001) - 1
    ends = np.concatenate([-beyond[:0:-1], np.linspace(0, 1, 400_001), 1 + beyond[1:]])
    middle, width = (ends[1:] + ends[:-1]) / 2, np.diff(ends)
    reached = fitted(middle[np.newaxis])[0]
    expected = (width * (reached - (middle >= 0.35)) ** 2).sum()
    assert found == pytest.approx(expected, abs=2e-6)


def test_steps_on_a_grid_and_steps_that_nobody_declared() -> None:
    scores = np.array([0.0, 0.2, 0.3, 0.7])
    fitted = parse_scheme("beta_binomial:size=10").fit([[0.0, 0.2, 0.3]])
    at = np.arange(-5, 15) / 10
    heights = fitted((at + 0.05)[np.newaxis])[0]
    expected = (0.1 * (heights - (at + 0.05 >= 0.7)) ** 2).sum()
    found = crps(fitted, np.array([0.7]), scores)
    assert found[0] == pytest.approx(expected, rel=1e-8)

    def steps(row: Array, x: Array) -> Array:
        return (x >= 1 / 3) * 2.0 + (x >= np.pi / 4)

    whole = integrals(steps, np.array([0]), np.zeros(1), np.ones(1), rows=1, tolerance=1e-10)
    assert whole[0] == pytest.approx(4 / 3 + 1 - np.pi / 4, abs=1e-9)


@pytest.mark.parametrize("factor", [1e300, 1e-300, 1e-310])
@pytest.mark.parametrize("name", ["normal", "uniform", "kernel", "empirical"])
def test_scores_of_any_size(name: str, factor: float) -> None:
    scheme, exact = parse_scheme(name), Resolution(1e-3, "assumed")
    here, there = (
        left_out(scheme, k * SCORES, Resolution(k * exact.width, "assumed")).crps
        for k in (1.0, factor)
    )
    assert there / factor == pytest.approx(here, rel=1e-7)
