"""Logspline: likelihood equations, the search for knots, bounds, and what is refused."""

import itertools
from collections.abc import Callable
from types import ModuleType

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PPoly

from cdfscore.errors import FitError, SchemeError
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Logspline
from cdfscore.stats.schemes.base import Fitted
from cdfscore.stats.schemes.logspline import (
    first_knots,
    knot_to_add,
    maximize,
    prepare,
    start,
    without_weakest,
)

pytestmark = pytest.mark.one_in(2)

VARIANTS = [
    Logspline(),
    Logspline(low=0.0, high=1.0),
    Logspline(low=0.0),
    Logspline(penalty=2.0, high=1.0),
]
SEEDS = st.integers(0, 10_000)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)
# Neither SciPy nor these nodes are the quadrature of the scheme.
BIMODAL = np.r_[np.linspace(0.1, 0.3, 25) ** 1.5, np.linspace(0.5, 0.9, 35)]


def sample(seed: int) -> Array:
    """A sample of one of four kinds: bell-shaped, skewed, of two modes, and rounded."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 80))
    kinds = [
        rng.normal(0.4, 0.1, n),
        rng.gamma(1.5, 0.1, n),
        np.where(rng.random(n) < 0.5, rng.normal(0.2, 0.03, n), rng.normal(0.7, 0.08, n)),
        rng.beta(2, 4, n).round(2),
    ]
    scores: Array = kinds[seed % 4]
    return scores


def spline(fitted: Fitted) -> tuple[Array, PPoly]:
    """The knots, and the log density between them, from the bends: 0 at the first knot."""
    knots, bends = (
        fitted.parameters[name][~np.isnan(fitted.parameters[name])] for name in ("knots", "bends")
    )
    second = PPoly(np.array([np.diff(bends) / np.diff(knots), bends[:-1]]), knots)
    s = second.antiderivative(2)
    s.c[-2] += fitted.parameters["slope"][0]
    s.c[-1] += fitted.parameters["slope"][0] * (knots[:-1] - knots[0])
    return knots, s


def expectation(fitted: Fitted, low: float, high: float, of: PPoly | None = None) -> float:
    """Integrate a spline with linear tails, or x, against the density, anew."""
    knots, s = spline(fitted)
    first, last = s(knots[0], 1), s(knots[-1], 1)  # 60 / slope from the knot, nothing is left
    ends = np.r_[max(low, knots[0] - 60 / first) if first > 0 else low, knots]
    ends = np.r_[ends, min(high, knots[-1] - 60 / last) if last < 0 else high]
    total = part = 0.0
    for a, b in itertools.pairwise(ends):
        x = (a + b) / 2 + (b - a) / 2 * NODES
        weights = (b - a) / 2 * WEIGHTS * np.exp(straight(s, knots, x) - s(knots).max())
        total += weights.sum()
        part += (weights * (x if of is None else straight(of, knots, x))).sum()
    return float(part / total)


def straight(s: PPoly, knots: Array, x: Array) -> Array:
    """Evaluate a spline, which goes on in straight lines."""
    inner = np.clip(x, knots[0], knots[-1])
    return np.asarray(s(inner) + (x - inner) * s(inner, 1))


@pytest.mark.clause("logspline.2")
@pytest.mark.usefixtures("rinterface")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("scheme", [Logspline(), Logspline(low=-1.0), Logspline(high=2.0)], ids=str)
def test_twin_chooses_the_same_knots(scheme: Logspline) -> None:
    """Python and R search on their own; other knots would move y by 1e-3 or more."""
    session = RSession()
    for scores in (*(sample(seed) for seed in range(4)), BIMODAL, np.r_[BIMODAL, BIMODAL**2]):
        rows = scores[np.newaxis]
        by_r = session.standardize(scheme, rows, rows)
        np.testing.assert_allclose(scheme.fit(rows)(rows), by_r, atol=2e-12)


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("width", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("scheme", [Logspline(low=0.0, high=1.0), Logspline(high=1.0)], ids=str)
def test_twin_of_narrow_topics_between_far_ends(scheme: Logspline, width: float) -> None:
    rows = 0.5 + width * np.random.default_rng(1).beta(2, 5, (1, 40))
    by_r = RSession().standardize(scheme, rows, rows)
    np.testing.assert_allclose(scheme.fit(rows)(rows), by_r, atol=1e-15 / width)


@pytest.mark.clause("logspline.1")
@given(SEEDS)
def test_likelihood_equations_hold(seed: int) -> None:
    """Every natural spline on the knots has the mean over the sample that it has under F."""
    scores = sample(seed)
    for scheme in (Logspline(), Logspline(low=scores.min() - 0.1, high=scores.max() + 0.2)):
        fitted = scheme.fit(scores)
        knots, _ = spline(fitted)
        for j in range(1, len(knots) - 1):
            hat = np.eye(len(knots))[j]
            of = PPoly(np.array([np.diff(hat) / np.diff(knots), hat[:-1]]), knots)
            of = of.antiderivative(2)
            mean, size = straight(of, knots, scores).mean(), np.ptp(straight(of, knots, scores))
            assert expectation(fitted, *scheme.domain, of) == pytest.approx(mean, abs=1e-10 * size)


@pytest.mark.parametrize(
    ("low", "least"), [(0.0, 1e-300), (-1.0, 1e-6), (-30.0, 1e-20), (-1e4, 1e-100)]
)
@pytest.mark.parametrize("scores", [BIMODAL, 1 - BIMODAL, np.linspace(0.05, 0.9, 40)])
def test_quantiles_of_small_p_keep_their_digits(low: float, least: float, scores: Array) -> None:
    """Down to where the last digit of the quantile is worth as much as p."""
    fitted = Logspline(low=low, high=1.0).fit(scores)
    p = np.array([1e-300, 1e-100, 1e-20, 1e-12, 1e-6, 1e-3, 0.01])
    q = fitted.quantile(p)
    assert (np.diff(q) >= 0).all()
    assert (q >= low).all()
    told = p >= least
    np.testing.assert_allclose(fitted(q[told]), p[told], rtol=1e-12)


@pytest.mark.clause("logspline.1")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("scheme", VARIANTS, ids=str)
def test_cdf_at_50_digits(scheme: Logspline) -> None:
    """mpmath integrates the density that the parameters tell."""
    fitted = scheme.fit(BIMODAL)
    knots, bends = fitted.parameters["knots"], fitted.parameters["bends"]
    low, high = scheme.domain
    with mpmath.workdps(50):
        t, m = [mpmath.mpf(v) for v in knots], [mpmath.mpf(v) for v in bends]
        heights, slopes = [mpmath.mpf(0)], [mpmath.mpf(fitted.parameters["slope"][0])]
        for i in range(len(t) - 1):
            h = t[i + 1] - t[i]
            heights.append(heights[i] + h * slopes[i] + h * h * (m[i] / 3 + m[i + 1] / 6))
            slopes.append(slopes[i] + h * (m[i] + m[i + 1]) / 2)

        def density(x: mpmath.mpf) -> mpmath.mpf:
            i = max(0, sum(x >= knot for knot in t) - 1)
            u, rise = x - t[i], mpmath.mpf(0)
            if 0 < i + 1 < len(t) and u > 0:
                rise = (m[i + 1] - m[i]) / (t[i + 1] - t[i])
            bend = m[i] if u > 0 and i + 1 < len(t) else 0
            return mpmath.exp(heights[i] + u * (slopes[i] + u * (bend / 2 + u * rise / 6)))

        def mass(a: mpmath.mpf, b: mpmath.mpf) -> mpmath.mpf:
            cuts = [c for c in t if a < c < b]
            return mpmath.quad(density, [a, *cuts, b])

        start, end = mpmath.mpf(low), mpmath.mpf(high)
        total = mass(start, end)
        x = np.r_[BIMODAL[::6], knots, np.clip([-0.4, 1.3], low, high)]
        exact = np.array([float(mass(start, mpmath.mpf(v)) / total) for v in x])
    # The log density is a sum of terms of both signs, and F has its last digits.
    np.testing.assert_allclose(fitted(x), exact, rtol=2e-14)


@pytest.mark.clause("logspline.2")
def test_penalty_buys_fewer_knots() -> None:
    sizes = [
        Logspline(penalty=p).fit(BIMODAL).parameters["knots"].shape[-1]
        for p in (0.0, 1.0, 4.0, 30.0, 1e6)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 8
    assert sizes[-1] == 3
    bic = Logspline(penalty=float(np.log(len(BIMODAL)))).fit(BIMODAL)
    assert bic(BIMODAL).tolist() == Logspline().fit(BIMODAL)(BIMODAL).tolist()


@pytest.mark.clause("logspline.3")
@pytest.mark.parametrize(
    ("scheme", "scores", "message"),
    [
        (Logspline(), np.arange(9.0), "at least 10 reference scores and there are 9"),
        (Logspline(), np.r_[np.zeros(10), np.ones(5)], "three different .* there are two"),
        (Logspline(), np.r_[np.zeros(60), 0.3, 0.3, 0.7], "no maximum of .* 3 different values"),
        (Logspline(), np.r_[BIMODAL, 1e6], "or some are outliers"),
        (Logspline(), BIMODAL * 1e150, "range .* is 8.68e.149, and .* from 1e-100 to 1e.100"),
        (Logspline(), BIMODAL * 1e-150, "range .* from 1e-100"),
        (Logspline(low=0.0), np.linspace(-0.1, 1, 12), "score is -0.1"),
        (Logspline(high=1.0), np.linspace(0.1, 1.5, 12), "distribution on"),
    ],
)
def test_refused_topics(scheme: Logspline, scores: Array, message: str) -> None:
    with pytest.raises(FitError, match=message):
        scheme.fit(scores)
    good = np.linspace(0.1, 0.9, len(scores)) ** 2
    with pytest.raises(FitError, match=message) as refused:
        scheme.fit([scores, good, scores])
    if scores.size >= 10:
        assert sorted(refused.value.rows) == [0, 2]


def test_an_end_above_the_other_is_refused() -> None:
    with pytest.raises(SchemeError, match=r"low=1\.0 is not below high=1\.0"):
        Logspline(low=1.0, high=1.0)


def test_parameters_that_no_fit_gives_have_no_cdf() -> None:
    scheme = Logspline(low=-1.0, high=5.0)
    for knots, bends in (
        ([0.0, 1.0, 2.0], [0.0, -1.0, np.nan]),
        ([0.0, 1.0, 2.0], [0.0, -1.0]),
        ([0.0, 1.0, 0.5], [0.0, -1.0, 0.0]),
        ([0.0, 1.0, 1.0], [0.0, -1.0, 0.0]),
        # The slope is 120,000 from the third knot on, and twice that is the rise to the fourth.
        ([0.0, 1.0, 2.0, 4.0], [0.0, 120_000.0, 0.0, 0.0]),
    ):
        fitted = scheme.restore({"knots": [knots], "bends": [bends], "slope": [[0.0]]})
        assert np.isnan(fitted([[0.1, 0.7, 1.5]])).all()
        assert np.isnan(fitted.quantile([[0.2, 0.5]])).all()


def test_a_covariance_without_a_factor_stops_the_search() -> None:
    """Its lower triangle is not filled then, and a statistic from it would be chance."""
    x = np.sort(np.r_[BIMODAL, BIMODAL**2])
    knots = first_knots(x, -np.inf, np.inf)
    fit = prepare(x, knots, -np.inf, np.inf, start(x, knots))
    assert maximize(x, fit, 1e-8)
    assert not np.isnan(knot_to_add(x, fit, 3))
    fewer, deleted = without_weakest(x, fit)
    assert (len(fewer.t), deleted) == (len(knots) - 1, True)
    fit.covariance[-1, -1] = -1.0
    same, deleted = without_weakest(x, fit)
    assert (same.t.tolist(), deleted) == (knots.tolist(), False)


@pytest.mark.clause("logspline.2")
@pytest.mark.parametrize("n", [10, 32, 110, 1000, 3000])
def test_the_search_goes_on_to_the_most_knots_of_r(
    n: int, rinterface: ModuleType, require_r_package: Callable[[str], None]
) -> None:
    """Nearly without a penalty the largest number that was tried is best."""
    require_r_package("logspline")
    centres = np.array([0.2, 0.5, 0.9])[np.arange(n) % 3]
    scores = centres + np.random.default_rng(1).normal(0, 0.03, n)
    code = "function(x) max(logspline::logspline(x, penalty = 0)$logl[, 1])"
    parsed = rinterface.baseenv["parse"](text=rinterface.StrSexpVector([code]))
    (in_r,) = rinterface.baseenv["eval"](parsed)(rinterface.FloatSexpVector(scores.tolist()))
    knots = Logspline(penalty=1e-6).fit(scores).parameters["knots"]
    assert np.count_nonzero(~np.isnan(knots)) == in_r
