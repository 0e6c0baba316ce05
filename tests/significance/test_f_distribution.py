"""The upper tail of F beside the incomplete beta function at 50 digits."""

import mpmath
import numpy as np
import pytest

from cdfscore.stats.numerics.tails import upper_tail


def true_tail(f: float, df1: float, df2: float) -> mpmath.mpf:
    with mpmath.workdps(50):
        x = mpmath.mpf(df2) / (df2 + df1 * mpmath.mpf(f))
        return mpmath.betainc(mpmath.mpf(df2) / 2, mpmath.mpf(df1) / 2, 0, x, regularized=True)


@pytest.mark.clause("variance_ratio.1", "anova_two_way.1")
def test_tails_are_true_down_to_the_smallest_doubles() -> None:
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(400):
        df1, df2 = int(rng.integers(1, 120)), int(rng.integers(1, 3000))
        f = float(10 ** rng.uniform(-1, 4))
        true = true_tail(f, df1, df2)
        if true > 1e-305:
            seen += true < 1e-250
            assert float(upper_tail(np.array(f), df1, df2) / true) == pytest.approx(1, abs=5e-12)
    assert seen > 5


def test_where_scipy_has_lost_its_digits() -> None:
    cases = [(1309.0616581845522, 24, 312), (33.19129709710329, 61, 2633), (0.0, 3, 7), (2.0, 1, 5)]
    for f, df1, df2 in cases:
        assert float(upper_tail(np.array(f), df1, df2)) == pytest.approx(
            float(true_tail(f, df1, df2)), rel=5e-12
        )


def test_ends_and_batches() -> None:
    f = np.array([np.inf, 1309.0616581845522, np.nan, 1.0])
    tail = upper_tail(f, 24, 312)
    assert tail[0] == 0
    assert np.isnan(tail[2])
    assert tail[1] == upper_tail(f[1:2], 24, 312)[0]
