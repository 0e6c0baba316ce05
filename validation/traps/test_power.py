"""Trap: the power of a t test, with or without the other tail."""

from __future__ import annotations

import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from validation.traps.r_functions import RFunctions

CASES = [(n, delta) for n in (10, 25, 50) for delta in (0.01, 0.1, 0.2, 0.5, 0.8)]


@pytest.mark.parametrize(("n", "delta"), CASES)
@pytest.mark.parametrize(
    ("type", "solver"), [("paired", TTestPower), ("two.sample", TTestIndPower)]
)
def test_statsmodels_counts_both_tails(
    n: int, delta: float, type: str, solver: type, r: RFunctions
) -> None:
    strict = r.numbers("power_number", n=n, delta=delta, type=type, strict=True).item()
    loose = r.numbers("power_number", n=n, delta=delta, type=type).item()
    assert solver().power(delta, n, 0.05) == pytest.approx(strict, rel=1e-9)
    # R's default: the tail on the side of delta alone, at half the level.
    one_tail = solver().power(delta, n, 0.025, alternative="larger")
    assert one_tail == pytest.approx(loose, rel=1e-9)
    assert strict > loose


@pytest.mark.parametrize(("n", "delta"), CASES)
def test_the_recipe_with_scipy(n: int, delta: float, r: RFunctions) -> None:
    by_r = r.numbers("power_number", n=n, delta=delta, type="paired").item()
    df = n - 1
    power = stats.nct.sf(stats.t.isf(0.025, df), df, delta * n**0.5)
    assert power == pytest.approx(by_r, rel=1e-9)


@pytest.mark.parametrize(
    ("n", "delta", "loose", "strict"),
    [
        (10, 0.01, 0.026711, 0.050092),  # the other tail is nearly half of it
        (10, 0.2, 0.081965, 0.087657),
        (50, 0.2, 0.283184, 0.283592),  # from the fourth digit on
        (50, 0.5, 0.93389755, 0.93389758),  # from the eighth
    ],
)
def test_at_which_digit_the_tails_differ(
    n: int, delta: float, loose: float, strict: float, r: RFunctions
) -> None:
    by_r = r.numbers("power_number", n=n, delta=delta, type="paired")
    assert by_r == pytest.approx(loose, abs=5e-9 if delta == 0.5 else 5e-7)
    both = r.numbers("power_number", n=n, delta=delta, type="paired", strict=True)
    assert both == pytest.approx(strict, abs=5e-9 if delta == 0.5 else 5e-7)
