"""The noncentral t distribution against mpmath, and the ends of intervals at their tails."""

import numpy as np
import pytest
from mpmath import mp, mpf

from cdfscore.stats.numerics import student_t
from cdfscore.stats.numerics.student_t import lower_tail, noncentrality_interval


def at_30_digits(df: float, noncentrality: float, t: float) -> float:
    """Return P(T <= t), the integral over s of the density of S times Phi(t s - noncentrality)."""
    with mp.workdps(30):
        k, c, x = mpf(df), mpf(noncentrality), mpf(t)

        def density(s: mpf) -> mpf:
            return s ** (k - 1) * mp.exp(-k * (s * s - 1) / 2)

        top = 1 + 40 / mp.sqrt(k)
        points = [0, *(top * mpf(2) ** (mpf(i) / 2) for i in range(-24, -8))]
        points += [top * i / 128 for i in range(8, 129)]

        def both(s: mpf) -> mpf:
            return density(s) * mp.ncdf(x * s - c)

        # quad looks at the error as such, not at its share
        most = max(map(both, points[1:]))
        below = most * mp.quad(lambda s: both(s) / most, points, method="gauss-legendre")
        return float(below / mp.quad(density, points, method="gauss-legendre"))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("df", "noncentrality", "t"),
    [
        (53, -6.45, 7.0),  # NaN in SciPy, as are most below
        (20, 4, -3),
        (3, 3, -2),
        (53, 12, -9),
        (9, 30, -5),
        (99, 38, 3.5),
        (5, 37, 1),
        (5, -20, -25),
        (3, 10, 8),
        (49, 0.5, 0),
    ],
)
def test_the_lower_tail_at_30_digits(df: float, noncentrality: float, t: float) -> None:
    found = float(lower_tail(np.array(float(t)), float(df), np.array(float(noncentrality))))
    assert found == pytest.approx(at_30_digits(df, noncentrality, t), rel=1e-11, abs=0)


@pytest.mark.parametrize("df", [1.0, 5.0, 99.0, 999.0])
def test_the_lower_tail_is_a_probability_that_falls_with_the_noncentrality(df: float) -> None:
    t, noncentrality = np.meshgrid(np.linspace(-40, 40, 33), np.linspace(-40, 40, 41))
    p = lower_tail(t, df, noncentrality)
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.diff(p, axis=0) <= 1e-13).all()
    assert (np.diff(p, axis=1) >= -1e-13).all()


@pytest.mark.parametrize("df", [1.0, 2.0, 9.0, 248.0])
@pytest.mark.parametrize("conf_level", [0.5, 0.95, 0.999])
def test_ends_have_their_tails(df: float, conf_level: float) -> None:
    t = np.array([-1e5, -300, -52.9, -52.4, -8.25, -1, 0, 0.3, 4, 30, 52.9, 60, 2000])
    low, high = noncentrality_interval(t, df, conf_level)
    assert (low < high).all()
    tail = (1 - conf_level) / 2
    np.testing.assert_allclose(student_t._added_up(t, df, high), tail, 1e-8)
    np.testing.assert_allclose(student_t._added_up(-t, df, -low), tail, 1e-8)


def test_a_t_of_any_size_has_an_interval_or_none() -> None:
    """The ends grow with t, as S times t does; where one is no double, they are NaN."""
    t = np.array([1e100, -1e100, 1e300, -1e300])
    low, high = noncentrality_interval(t, 10.0, 0.95)
    np.testing.assert_allclose(low[2:], low[:2] * 1e200, rtol=1e-9)
    np.testing.assert_allclose(high[2:], high[:2] * 1e200, rtol=1e-9)
    assert np.isnan(noncentrality_interval(np.array([1.7e308]), 10.0, 0.95)[1]).all()


def test_an_end_that_the_secants_miss() -> None:
    _, high = noncentrality_interval(np.array([-52.9]), 1.0, 0.999)
    assert at_30_digits(1, high[0], -52.9) == pytest.approx(0.0005, rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("t", [88.94183536726001, 139.5531823898488])
def test_an_end_that_the_secants_do_not_reach(t: float) -> None:
    """Their steps go on to the last that is allowed."""
    low, high = (float(end[0]) for end in noncentrality_interval(np.array([t]), 1.0, 0.01))
    assert at_30_digits(1, high, t) == pytest.approx(0.495, rel=1e-9)
    assert at_30_digits(1, low, t) == pytest.approx(0.505, rel=1e-9)


def test_no_end_without_its_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    t = np.array([3.0, np.inf, np.nan])
    by_secants = np.array(noncentrality_interval(t, 9.0, 0.95))
    assert np.isnan(by_secants[:, 1:]).all()
    monkeypatch.setattr(student_t, "_by_secants", lambda t, df, tail: np.zeros(t.shape))
    in_a_bracket = np.array(noncentrality_interval(t, 9.0, 0.95))
    np.testing.assert_allclose(in_a_bracket, by_secants, 1e-12)
    monkeypatch.setattr(student_t, "_in_a_bracket", lambda t, df, tail: np.nan)
    assert np.isnan(noncentrality_interval(t, 9.0, 0.95)).all()
