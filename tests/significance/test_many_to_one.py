"""Dunnett's distribution: true values, closed forms, published tables, and inverses."""

import itertools

import numpy as np
import pytest
from scipy import integrate, special, stats

from cdfscore.stats.significance.dunnett import upper_quantile, upper_tail

# (t, comparisons, df, two-sided, tail): sums with two steps in mpmath, which agree to 17 digits.
TRUE = [
    (2.5, 5, 20.0, True, 0.08036291262454598827),
    (2.5, 5, 20.0, False, 0.04021972819294345504),
    (1.0, 9, 12.0, True, 0.8943255307119295940),
    (12.0, 109, 27032.0, True, 4.700655632098520151e-31),
    (30.0, 3, 5.0, False, 9.508699050158846909e-7),
    (4.0, 40, 300.0, True, 0.002587568715315084128),
    (0.5, 3, np.inf, True, 0.92503190080908359754),
    (4.0, 109, np.inf, True, 0.004896584365172829999),
    (35.0, 1000, np.inf, False, 1.124910706472406244e-265),
    (20.0, 109, np.inf, True, 6.002900578561589455e-87),
]
# Upper 5 percent points, one-sided, for 2, 3, 6, 9 and 20 comparisons. Looked up in Ott and
# Longnecker, An introduction to statistical methods and data analysis, appendix, table 11, which
# names Dunnett (1955); he has up to 9 comparisons, and the 20 are of the reprint.
ONE_SIDED = {
    5: (2.44, 2.68, 3.08, 3.30, 3.72),
    10: (2.15, 2.34, 2.64, 2.81, 3.12),
    20: (2.03, 2.19, 2.46, 2.60, 2.87),
    60: (1.95, 2.10, 2.35, 2.48, 2.72),
    np.inf: (1.92, 2.06, 2.29, 2.42, 2.64),
}
# The same, two-sided, for 1 to 9 comparisons: Dunnett (1964), table II. Looked up in two programs
# that copied it: one names that paper (5, 10 and 20 degrees), the other one Montgomery, Design and
# analysis of experiments, which reprints it (all four).
TWO_SIDED = {
    5: (2.57, 3.03, 3.29, 3.48, 3.62, 3.73, 3.82, 3.90, 3.97),
    10: (2.23, 2.57, 2.76, 2.89, 2.99, 3.07, 3.14, 3.19, 3.24),
    20: (2.09, 2.38, 2.54, 2.65, 2.73, 2.80, 2.86, 2.90, 2.95),
    np.inf: (1.96, 2.21, 2.35, 2.44, 2.51, 2.57, 2.61, 2.65, 2.69),
}


@pytest.mark.parametrize(("t", "comparisons", "df", "two_sided", "tail"), TRUE)
def test_true_values(t: float, comparisons: int, df: float, two_sided: bool, tail: float) -> None:
    found = upper_tail(t, comparisons, df, two_sided=two_sided)
    assert found == pytest.approx(tail, rel=1e-12, abs=0)


@pytest.mark.parametrize("df", [2, 4, 30])
@pytest.mark.parametrize("t", [-3.0, -0.4, 0.0, 0.7, 2.5])
def test_plain_integrals_of_its_definition(t: float, df: int) -> None:
    """E of the chance that all of 3 stay below t, by Gauss and Legendre's rule over Z_0 and s."""
    x, weight = np.polynomial.legendre.leggauss(200)
    z, s = 9 * x[:, np.newaxis], 4 * (x + 1)
    chi = stats.chi.pdf(s * np.sqrt(df), df) * np.sqrt(df)
    below = special.ndtr(z + np.sqrt(2) * t * s) ** 3 * stats.norm.pdf(z) * chi
    expected = 1 - 9 * 4 * weight @ below @ weight
    assert upper_tail(t, 3, df, two_sided=False) == pytest.approx(expected, abs=1e-12)


@pytest.mark.clause("dunnett.1")
def test_published_tables() -> None:
    for df, values in ONE_SIDED.items():
        for comparisons, value in zip((2, 3, 6, 9, 20), values, strict=True):
            found = upper_quantile(0.05, comparisons, df, two_sided=False)
            # Above 3 comparisons the tables of 1955 are approximations, off by up to 0.0052.
            assert found == pytest.approx(value, abs=0.0053 if comparisons > 3 else 0.005)
    for df, row in TWO_SIDED.items():
        for comparisons, value in enumerate(row, start=1):
            found = upper_quantile(0.05, comparisons, df, two_sided=True)
            assert found == pytest.approx(value, abs=0.005)


def test_edges() -> None:
    t = np.array([[-np.inf, np.nan, 0.0], [np.inf, 1e-300, 1e300]])
    for df, two_sided in itertools.product((1.0, 5.0, 30000.0, np.inf), (True, False)):
        tail = upper_tail(t, 4, df, two_sided=two_sided)
        assert tail.shape == t.shape
        assert tail[0, 0] == 1
        assert np.isnan(tail[0, 1])
        assert tail[0, 2] == (1 if two_sided else 0.8)
        assert tail[1, 0] == 0
        assert tail[1, 1] == pytest.approx(tail[0, 2], rel=1e-12)
        assert 0 <= tail[1, 2] < 1e-290
        assert upper_tail(np.array([]), 4, df, two_sided=two_sided).shape == (0,)


@pytest.mark.clause("dunnett.2")
@pytest.mark.parametrize("comparisons", [1, 3, 20])
@pytest.mark.parametrize("p", [0.97, 0.9999])
def test_one_sided_quantiles_below_0_are_those_of_the_plain_integral(
    comparisons: int, p: float
) -> None:
    """P(max(Z_i - Z_0) > w) is 1 less the mean of Phi(z + w)^k over a normal z."""
    t = upper_quantile(p, comparisons, np.inf, two_sided=False)
    assert t < 0
    below, _ = integrate.quad(
        lambda z: stats.norm.pdf(z) * stats.norm.cdf(z + np.sqrt(2) * t) ** comparisons,
        *(-12, 12),
        epsabs=1e-13,
        limit=200,
    )
    assert 1 - below == pytest.approx(p, abs=1e-11)
    few = upper_quantile(p, comparisons, 5.0, two_sided=False)
    assert few < t
    assert float(upper_tail(few, comparisons, 5.0, two_sided=False)) == pytest.approx(p, abs=1e-12)
