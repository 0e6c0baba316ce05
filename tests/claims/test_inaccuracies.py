"""What the pages say of inaccuracies of R and SciPy, by the R and the SciPy at hand."""

import itertools
import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import special

from cdfscore.stats.numerics.types import Array
from cdfscore.stats.significance import kolmogorov_smirnov, variance_ratio, welch_t
from cdfscore.stats.significance.spearman import _pairings, _upper_tail_in_series
from cdfscore.stats.significance.studentized_range import upper_quantile, upper_tail
from tests.claims import claim

Call = Callable[..., Array]


@pytest.fixture(scope="module")
def r(rinterface: ModuleType) -> Call:
    """Return a function that calls a function of R, given by its code, with vectors of numbers."""

    def call(code: str, *given: object) -> Array:
        function = rinterface.evalr(f"function(...) suppressWarnings(({code})(...))")
        vectors = [rinterface.FloatSexpVector(np.ravel(each).tolist()) for each in given]
        return np.array(function(*vectors), dtype=float)

    return call


PTUKEY = "function(q, m, df) ptukey(q, m, df, lower.tail = FALSE)"


def off(r: Call, q: Array, systems: int, df: float) -> float:
    apart = np.abs(r(PTUKEY, q, systems, df) - upper_tail(q, systems, df))
    return float(np.nanmax(apart))


@claim(
    "docs/significance.md", "`ptukey` treats more than 25,000 degrees of freedom as infinitely many"
)
@claim("docs/significance.md", "has 27,032, and p is off by up to 2e-4")
@claim(
    "docs/significance.md",
    "For 110 systems elsewhere, p is off by up to 2e-6, and for 3 systems on 2 topics by 1e-3. "
    "There is no number for one degree of freedom",
)
def test_ptukey(r: Call) -> None:
    q = np.linspace(3, 8, 21)
    assert (r(PTUKEY, q, 110, 25_001) == r(PTUKEY, q, 110, np.inf)).all()
    assert (r(PTUKEY, q, 110, 24_999) != r(PTUKEY, q, 110, np.inf)).any()
    assert off(r, q, 110, 27_032) == pytest.approx(2e-4, rel=0.1)
    assert 1e-6 < max(off(r, q, 110, df) for df in (500, 5_000, 24_000)) < 2.5e-6
    wide = np.linspace(0.5, 60, 60)
    few = {
        (systems, topics): off(r, wide, systems, (systems - 1) * (topics - 1))
        for systems, topics in itertools.product((2, 3, 4, 5), (2, 3, 4))
        if (systems - 1) * (topics - 1) > 1
    }
    assert max(few, key=lambda size: few[size]) == (3, 2)
    assert few[3, 2] == pytest.approx(1e-3, rel=0.15)
    assert np.isnan(r(PTUKEY, 3, 2, 1)).all()


@claim(
    "docs/significance.md", "`qtukey`, and so the intervals, are off by 2e-4 of the quantile there"
)
def test_qtukey(r: Call) -> None:
    found = [r("qtukey", 1 - p, 110, 27_032).item() for p in (0.05, 0.01, 0.001)]
    true = [upper_quantile(p, 110, 27_032) for p in (0.05, 0.01, 0.001)]
    ratios = np.array(found) / true - 1
    assert np.abs(ratios).mean() == pytest.approx(2e-4, rel=0.2)


@claim(
    "docs/significance.md",
    "the upper tail is taken from 1, so that p below 1e-16 is 0, and p near 1e-15 is off by "
    "several per cent",
)
@pytest.mark.clause("variance_ratio.1")
def test_var_test(r: Call) -> None:
    x = np.array([0.1, 0.2, 0.4, 0.3, 0.6, 0.5, 0.8, 0.7, 0.9, 0.15])
    code = "function(x, k) var.test(k * x, x, alternative = 'greater')$p.value"
    worst = 0.0
    for k in np.geomspace(30, 3000, 81).tolist():
        ours = variance_ratio(k * x, x, alternative="greater")
        with mp.workdps(50):
            f = mpf(float(ours.statistic))
            true = mp.betainc(mpf(9) / 2, mpf(9) / 2, 0, 1 / (1 + f), regularized=True)
        assert float(ours.p_value / true) == pytest.approx(1, abs=1e-12)
        of_r = r(code, x, k).item()
        assert of_r == pytest.approx(float(true), abs=2.3e-16)
        if 5e-16 < true < 2e-15:
            worst = max(worst, abs(of_r / float(true) - 1))
        assert (of_r == 0) == (true < 1e-16)
    assert 0.02 < worst < 0.15


@claim("docs/significance.md", "2 / choose(60, 30) = 1.7e-17, and R gives 4.7e-14")
@claim("docs/significance.md", "with an error of up to 4e-5 just below z = 1")
@pytest.mark.clause("kolmogorov_smirnov.2", "kolmogorov_smirnov.3")
def test_ks_test(r: Call) -> None:
    x = np.arange(30.0)
    code = "function(x, y) ks.test(x, y)$p.value"
    true = 2 / math.comb(60, 30)
    assert kolmogorov_smirnov(x, x + 30).p_value == pytest.approx(true, rel=1e-13)
    assert f"{true:.1e} {r(code, x, x + 30).item():.1e}" == "1.7e-17 4.7e-14"
    # The lower ranks of one sample are k above: D is k / 2000, and z = sqrt(1000) D.
    whole = np.arange(2000.0)
    errors = {}
    for k in (35, 50, 62, 63, 64, 86, 120):
        found = kolmogorov_smirnov(whole, whole + k - 0.5)
        z = mpf(k) / 2000 * mp.sqrt(1000)
        true = 2 * mp.nsum(lambda i, z=z: (-1) ** (int(i) - 1) * mp.exp(-2 * (i * z) ** 2), [1, 60])
        assert found.statistic == k / 2000
        assert float(found.p_value / true) == pytest.approx(1, abs=1e-12)
        errors[float(z)] = abs(r(code, whole, whole + k - 0.5).item() - float(true))
    worst = max(errors, key=lambda z: errors[z])
    assert 0.99 < worst < 1
    assert 3e-5 < errors[worst] < 4e-5
    assert max(error for z, error in errors.items() if z > 1) < 1e-12


@claim("docs/significance.md", "Welch's degrees of freedom are NaN for standard errors below 1e-81")
def test_welch_of_tiny_scores(r: Call) -> None:
    code = "function(x, y) t.test(x, y)$parameter"
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 5.0])
    assert np.isfinite(r(code, 1e-80 * x, 1e-80 * y)).all()
    assert np.isnan(r(code, 1e-82 * x, 1e-82 * y)).all()
    assert np.isfinite(welch_t(1e-82 * x, 1e-82 * y).parameter)


@claim("docs/significance.md", "For 10 pairs a tail is off by up to 0.0006, for more by less")
def test_edgeworth_series_of_spearman(r: Call) -> None:
    worst = {}
    for pairs in (10, 11):
        counts = _pairings((1,) * pairs, (1,) * pairs)
        exact = np.cumsum(counts)[::-1][: (pairs**3 - pairs) // 6 + 1] / counts.sum()
        series = _upper_tail_in_series(2.0 * np.arange(len(exact)), pairs)
        worst[pairs] = np.abs(series - exact).max()
    assert round(worst[10], 4) == 0.0006
    assert worst[11] < worst[10]
    p = r("function(x, y) cor.test(x, y, method = 'spearman')$p.value", range(10), range(10))
    assert p.item() == 0


@claim(
    "docs/r-parity.md",
    "an exact p below about 1e-13 has no correct digit in R, may be negative (`exact = TRUE`, "
    "n = 100), and is NaN for n = 171",
)
def test_exact_p_of_kendall(r: Call) -> None:
    code = "function(n) cor.test(1:n, 1:n, method = 'kendall', exact = TRUE)$p.value"
    assert r(code, 100).item() < 0
    assert np.isnan(r(code, 171)).all()


@claim("docs/r-parity.md", "R's `sd` is Inf for a spread above 1e154 and 0 for one below 1e-162")
def test_sd(r: Call) -> None:
    assert np.isinf(r("sd", [0, 3e154]))
    assert r("sd", [0, 1e-163]).item() == 0


@claim("docs/r-parity.md", "There R uses |x₁|, or 1 if all scores are 0")
def test_bandwidth_of_a_constant_sample(r: Call) -> None:
    assert r("bw.nrd0", [0.3] * 5).item() == pytest.approx(0.9 * 0.3 * 5**-0.2)
    assert r("bw.nrd0", [0.0] * 5).item() == pytest.approx(0.9 * 5**-0.2)


@claim("docs/significance.md", "off by 2e-9 of the number near 3e-297; used above that")
def test_fdtrc_of_scipy() -> None:
    df1, df2, f = 24, 312, 1309.0616581845522
    with mp.workdps(30):
        z = mpf(df2) / (df2 + df1 * mpf(f))
        true = mp.betainc(mpf(df2) / 2, mpf(df1) / 2, 0, z, regularized=True)
        error = abs(mpf(float(special.fdtrc(df1, df2, f))) - true) / true
    assert float(true) == pytest.approx(3e-297, rel=0.1)
    assert float(error) == pytest.approx(2e-9, rel=0.2)
