"""The Dvoretzky-Kiefer-Wolfowitz band: published widths, coverage, R."""

import math
import re
from types import ModuleType

import numpy as np
import pytest
from scipy import stats

from cdfscore import dkw_band
from cdfscore.errors import FitError, SchemeError
from cdfscore.stats.schemes import Empirical


def epsilon(n: int, conf_level: float = 0.95) -> float:
    """How far below F_n = 1 the band begins."""
    low, high = dkw_band(np.arange(n), [n - 1.0], conf_level)
    assert high.tolist() == [1.0]
    return float(1 - low[0])


@pytest.mark.clause("empirical.9", "dkw_band.1")
@pytest.mark.parametrize(
    ("n", "conf_level", "expected", "digits"),
    [
        (799, 0.95, 0.048, 3),  # Wasserman (2004), All of Statistics, Example 7.6
        (10**4, 0.95, 0.013581, 6),  # 1.3581 / sqrt(n), the limit of Kolmogorov's quantile
        (10**4, 0.99, 0.016276, 6),  # 1.6276 / sqrt(n)
    ],
)
def test_widths_are_those_published(
    n: int, conf_level: float, expected: float, digits: int
) -> None:
    assert round(epsilon(n, conf_level), digits) == expected


@pytest.mark.clause("empirical.9", "dkw_band.2")
@pytest.mark.parametrize("conf_level", [0.5, 0.9, 0.95, 0.99])
def test_the_exact_probability_is_never_below_the_level(conf_level: float) -> None:
    n = np.arange(1, 200, 3)
    covered = stats.kstwo.cdf([epsilon(int(k), conf_level) for k in n], n)
    assert (covered >= conf_level).all()
    assert covered[-1] < conf_level + 0.03  # and hardly above it where n is large


@pytest.mark.clause("empirical.9", "dkw_band.2")
def test_the_whole_band_covers_in_simulations() -> None:
    """Of 4,000 samples; 5 binomial standard errors, of 0.0035, either side of the exact."""
    rng, n = np.random.default_rng(1956), 25
    sample = np.sort(rng.beta(0.5, 2.0, (4000, n)), axis=-1)
    truth = stats.beta(0.5, 2.0).cdf
    # F is farthest from a step function at the steps, or just left of them.
    low, _ = dkw_band(sample, sample)
    _, high = dkw_band(sample, np.nextafter(sample, -1.0))
    inside = (truth(sample) >= low).all(axis=1) & (truth(sample) <= high).all(axis=1)
    exact = stats.kstwo.cdf(math.sqrt(math.log(40) / (2 * n)), n)
    assert inside.mean() == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 4000))
    assert inside.mean() > 0.95 - 5 * 0.0035


@pytest.mark.clause("empirical.9", "dkw_band.1")
def test_the_band_is_around_e_std_and_kept_in_0_to_1() -> None:
    scores = np.array([[0.1, 0.2, 0.2, 0.3, np.nan], [0.5, 0.5, 0.5, np.nan, np.nan]])
    x = np.array([[0.0, 0.2, np.nan], [0.5, 0.4, 0.6]])
    low, high = dkw_band(scores, x, 0.1)
    y = Empirical().fit(scores)(x)
    for row, n in enumerate((4, 3)):
        half = math.sqrt(math.log(2 / 0.9) / (2 * n))
        np.testing.assert_array_equal(low[row], np.clip(y[row] - half, 0, 1))
        np.testing.assert_array_equal(high[row], np.clip(y[row] + half, 0, 1))
    assert np.isnan(low[0, 2])
    assert np.isnan(high[0, 2])


@pytest.mark.clause("dkw_band.1")
@pytest.mark.usefixtures("rinterface")
def test_r_has_the_same_band(rinterface: ModuleType) -> None:
    by_r = rinterface.baseenv["eval"](
        rinterface.baseenv["parse"](
            text=rinterface.StrSexpVector(
                [
                    "function(scores, x, level) {"
                    " half <- sqrt(log(2 / (1 - level)) / (2 * length(scores)));"
                    " y <- ecdf(scores)(x); c(pmax(y - half, 0), pmin(y + half, 1)) }"
                ]
            )
        )
    )
    rng = np.random.default_rng(1990)
    for n in (1, 2, 9, 110, 1000):
        scores, x = rng.integers(0, 50, n) / 50, np.linspace(-0.1, 1.1, 40)
        for level in (0.8, 0.95, 0.999):
            arguments = [rinterface.FloatSexpVector(a.tolist()) for a in (scores, x)]
            expected = np.array(by_r(*arguments, rinterface.FloatSexpVector([level])))
            assert np.concatenate(dkw_band(scores, x, level)).tolist() == expected.tolist()


@pytest.mark.parametrize("conf_level", [0, 1, 95, -0.5, float("nan"), "0.95", None])
def test_bad_levels(conf_level: object) -> None:
    message = f"^dkw_band: conf_level={re.escape(repr(conf_level))} is not accepted; expected a num"
    with pytest.raises(SchemeError, match=message):
        dkw_band([0.1, 0.2], [0.1], conf_level)


@pytest.mark.parametrize(
    ("scores", "x", "message"),
    [
        ([[0.1], [np.nan]], [[0.1], [0.1]], "^row 1: "),
        ([0.1, np.inf], [0.1], "a reference score is infinite"),
        ([[0.1, 0.2]], [0.1], r"^x has shape \(1,\); expected \(1, 'm'\)"),
    ],
)
def test_bad_scores(scores: list, x: list, message: str) -> None:
    with pytest.raises(FitError, match=message):
        dkw_band(scores, x)


@pytest.mark.clause("dkw_band.1")
def test_few_scores_say_nothing() -> None:
    """Epsilon is 1.358 for one score, and 1 - epsilon to 1 is the band at the score of four."""
    low, high = dkw_band([0.3], [0.0, 0.3, 0.9])
    assert (low.tolist(), high.tolist()) == ([0.0] * 3, [1.0] * 3)
    low, high = dkw_band([0.3] * 4, [0.3])
    assert (low[0], high[0]) == (pytest.approx(1 - 0.679051, abs=1e-6), 1.0)
