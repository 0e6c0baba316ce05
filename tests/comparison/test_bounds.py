"""Bounds of two right computations of standard errors: scores that are moved, exact sums."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from cdfscore.comparison.reference_uncertainty import Estimates, Variances, bounds
from cdfscore.stats.numerics.types import Array

LEVEL = 0.9
# Systems, topics, and the size of the part of the reference systems.
CASES = [(4, 30, 0.1), (4, 30, 1.0), (4, 30, 8.0), (20, 6, 0.1), (20, 6, 1.0), (20, 6, 8.0)]


def estimates(y: Array) -> Estimates:
    """Return the mean of scores (topics,), with its standard error."""
    n = len(y)
    return Estimates(np.array([y.mean()]), np.array([y.std(ddof=1) / np.sqrt(n)]), np.array([n]))


def of_scores(given: Array, y: Array, systems: int) -> Variances:
    """Return the sums for the scores of one system (resamples, topics)."""
    found = Variances(estimates(given), np.array([systems]))
    for each in y:
        found.add(estimates(each), np.array([0]), np.ones(1))
    return found


def of_means(means: Array, stderr: float, *, unit: float = 1.0, topics: int = 101) -> Variances:
    """Return the sums for one mean, 0 by the factors as they are, with one standard error."""

    def one(mean: float, error: float) -> Estimates:
        return Estimates(np.array([mean]), np.array([error]), np.array([topics]))

    found = Variances(one(0.0, unit), np.array([8]))
    for mean in means:
        found.add(one(mean, stderr), np.array([0]), np.ones(1))
    return found


def bounds_of(found: Variances, moved: float, *, exact: bool = False) -> dict[str, float]:
    resamples = int(found.weight[0])
    every = bounds(found, moved, exact=exact, resamples=resamples, conf_level=LEVEL)
    return {name: float(values[0]) for name, values in every.items()}


def columns(found: Variances, *, exact: bool = False) -> dict[str, float]:
    return {name: float(values[0]) for name, values in found.columns(exact, LEVEL).items()}


def drawn(seed: int, topics: int, size: float) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    given = rng.normal(0, 1, topics)
    return given, given + size * rng.normal(0, 1, (40, 1)) + rng.normal(0, 0.2, (40, topics))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("systems", "topics", "size"), CASES)
def test_no_number_moves_further_than_its_bound(
    systems: int, topics: int, size: float, exact: bool
) -> None:
    """Scores are moved towards and away from the means, and at random, by as much as is allowed."""
    for seed, moved in enumerate((1e-6, 1e-3, 1e-2, 1e-1)):
        given, y = drawn(seed, topics, size)
        found = of_scores(given, y, systems)
        bound, before = bounds_of(found, moved, exact=exact), columns(found, exact=exact)
        centre = y.mean(axis=1, keepdims=True)
        inside, outside = np.sign(y - centre), np.sign(centre - y.mean())
        random = np.random.default_rng(seed).uniform(-1, 1, y.shape)
        for step in (inside, -inside, outside + 0 * y, -outside + 0 * y, random):
            own = np.sign(given - given.mean()) * np.sign(step[0, 0])
            moved_y = of_scores(given + moved * own, y + moved * step, systems)
            for name, value in columns(moved_y, exact=exact).items():
                # The numbers themselves are rounded, and their difference is no less than that.
                assert abs(value - before[name]) <= bound[name] + 1e-13 * abs(value), name


@pytest.mark.parametrize("exact", [True, False])
def test_means_that_move_outwards_reach_the_bound_of_the_reference(exact: bool) -> None:
    """Means of -0.5 and 0.5 that become -0.51 and 0.51, in 8 resamples."""
    signs = np.tile([-1.0, 1.0], 4)
    near, far = (columns(of_means(c * signs, 1.0), exact=exact) for c in (0.5, 0.51))
    bound = bounds_of(of_means(0.5 * signs, 1.0), 0.01, exact=exact)["stderr_reference"]
    assert far["stderr_reference"] - near["stderr_reference"] == pytest.approx(bound, rel=1e-9)
    assert bound == pytest.approx(0.01 if exact else 0.01 * (8 / 7) ** 0.5, rel=1e-9)


def test_a_share_moves_by_1_at_most() -> None:
    assert bounds_of(of_means(np.linspace(-1, 1, 8), 1.0), 50.0)["reference_share"] == 1


@pytest.mark.parametrize("moved", [0.001, 0.01, 0.1])
@pytest.mark.parametrize(("systems", "topics", "size"), CASES)
def test_df_and_intervals_move_as_far_as_the_share_and_the_standard_error_let_them(
    systems: int, topics: int, size: float, moved: float
) -> None:
    """All shares and standard errors of a grid within their bounds."""
    found = of_scores(*drawn(1, topics, size), systems)
    bound, own = bounds_of(found, moved), columns(found)
    share, both = own["reference_share"], own["stderr_both"]
    low, high = (share + sign * bound["reference_share"] for sign in (-1, 1))
    shares = np.linspace(max(low, 0), min(high, 1), 2001)
    df = 1 / (shares**2 / (systems - 1) + (1 - shares) ** 2 / (topics - 1))
    apart = np.abs(df - own["both_df"]).max()
    assert apart * (1 - 1e-9) <= bound["both_df"] <= apart * 1.001
    ends = both + bound["stderr_both"] * np.array([[-1], [1]])
    margins = stats.t.isf((1 - LEVEL) / 2, df) * np.maximum(ends, 0)
    margin = stats.t.isf((1 - LEVEL) / 2, own["both_df"]) * both
    apart = moved + np.abs(margins - margin).max()
    for name in ("both_low", "both_high"):
        assert apart * (1 - 1e-9) <= bound[name] <= apart * 1.001


def root(number: Fraction) -> float:
    """Return the square root of an exact number."""
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(number.numerator) / Decimal(number.denominator)).sqrt())


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("spread", [0.0, 1e-9, 1e-6, 1e-3, 1.0])
def test_rounding_is_within_its_bound(spread: float, exact: bool) -> None:
    """Beside the same sums in exact numbers; of means far from 0 nearly all digits cancel."""
    for seed in range(5):
        means = 0.7 + spread * np.random.default_rng(seed).normal(0, 1, 300)
        found = of_means(means, 0.3)
        x, w = [Fraction(mean) for mean in means], len(means)
        squares = sum(each**2 for each in x) - sum(x) ** 2 / Fraction(w)
        of_reference, within = (float(each[0]) for each in found.rounding(exact, w))
        theirs = root(squares / (w if exact else w - 1))
        assert abs(columns(found, exact=exact)["stderr_reference"] - theirs) <= of_reference
        assert abs(float(np.sqrt(found._within[0] / w)) - 0.3) <= within < 1e-13
