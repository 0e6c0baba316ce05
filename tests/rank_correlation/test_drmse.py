"""RMSE and dRMSE."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cdfscore import datasets, read_scores
from cdfscore.errors import CdfscoreError
from cdfscore.stats.rank_correlation import drmse, drmse_geometric, rmse


@pytest.mark.clause("rmse.1", "drmse.1", "drmse_geometric.1")
@pytest.mark.parametrize("error", [rmse, drmse, drmse_geometric])
def test_r_gives_the_same(pairs, in_r, error) -> None:
    compared = 0
    for x, y in pairs(500, 1):
        if (np.ptp(x) or np.ptp(y)) if error is not drmse_geometric else np.ptp(x) * np.ptp(y):
            expected = in_r("drmse", error.__name__, x, y)
            assert error(x, y) == pytest.approx(expected, rel=1e-14)
            compared += 1
    assert compared > 333


@pytest.mark.clause("drmse_geometric.1")
def test_the_geometric_mean_has_no_order_and_no_unit_and_is_not_below_drmse(pairs) -> None:
    for x, y in pairs(200, 4):
        if np.ptp(x) and np.ptp(y):
            found = drmse_geometric(x, y)
            assert found >= drmse(x, y) * (1 - 1e-15)
            assert drmse_geometric(1024 * x, 1024 * y) == found == drmse_geometric(y, x)


@pytest.mark.clause("drmse_geometric.1")
def test_the_geometric_mean_is_almost_identical_in_practice() -> None:
    """As Webber et al. say below Eq. 4: here of halves of the topics of Cranfield."""
    scores = datasets.load_cranfield("ap").to_numpy()
    halves = scores[::2].mean(axis=0), scores[1::2].mean(axis=0)
    assert drmse_geometric(*halves) == pytest.approx(drmse(*halves), rel=1e-3)


@pytest.mark.clause("rmse.1", "drmse.1", "drmse_geometric.1")
def test_known_values() -> None:
    assert drmse_geometric([-4, 0, 4], [-1, 0, 1]) == pytest.approx(6**0.5 / 2, rel=1e-15)
    assert rmse([0, 0], [3, 3]) == 3
    assert rmse([0, 0], [1, 7]) == 5
    assert drmse([-1, 0, 1], [9, 10, 11]) == 10
    assert drmse([1, 2, 4], [1, 2, 4]) == 0


@pytest.mark.clause("rmse.1")
def test_extreme_numbers() -> None:
    """Where R's squares overflow to Inf, and underflow to 0."""
    for scale in (1e-200, 1e200):
        assert rmse([0, scale], [scale, scale]) == pytest.approx(scale / 2**0.5, rel=1e-15)
        x, y = np.array([1.0, 2, 3]), np.array([2.0, 5, 1])
        for error in (drmse, drmse_geometric):
            assert error(x * scale, y * scale) == pytest.approx(error(x, y), rel=1e-15)


def test_an_error_above_the_largest_double_is_infinite() -> None:
    assert rmse([1.7e308, -1.7e308], [-1.7e308, 1.7e308]) == np.inf
    assert rmse([1.7e308, 0], [0, 0]) == pytest.approx(1.7e308 / 2**0.5, rel=1e-15)
    assert rmse([2.0**1022] * 2, [-(2.0**1022)] * 2) == 2.0**1023


@pytest.mark.clause("drmse.1")
def test_constant_values() -> None:
    """All of one are defined, all of both are not, also where 0.1 is not exact in binary."""
    assert drmse([0.1, 0.1, 0.1], [0.1, 0.2, 0.3]) == pytest.approx(2 * rmse([0, 0, 0], [0, 1, 2]))
    for n in range(2, 30):
        with pytest.raises(CdfscoreError, match="drmse is undefined: expected at least two diff"):
            drmse([0.1] * n, [0.7] * n)
    found = drmse([[0.1] * 3, [1, 2, 3]], [0.1] * 3)
    assert np.isnan(found[0])
    assert found[1] == drmse([1, 2, 3], [0.1] * 3)


def test_a_row_near_the_largest_double_leaves_the_others_as_they_are() -> None:
    x = np.array([[1.0, 2.0, 4.0], [1e308, 1.0, 1.5e308], [5e-324, 1.5e-323, 0.0]])
    y = np.array([[1.0, 3.0, 2.0], [-1e308, 5.0, 1e308], [2e-323, 0.0, 3.5e-323]])
    for measure in (rmse, drmse):
        alone = [float(measure(*each)) for each in zip(x, y, strict=True)]
        assert measure(x, y).tolist() == alone
    assert rmse(x, y)[2] > 0
    largest = 2.0**1023  # their difference is no double
    assert rmse([largest, 0.0], [-largest, 0.0]) == largest * np.sqrt(2)


@pytest.mark.clause("drmse.1", "drmse_geometric.1")
def test_the_divisor_is_that_of_the_printed_numbers(shared_data: Path) -> None:
    """Webber et al. (2008), Table 3: TREC 7 and 8 Ad Hoc, 2003 and 2004 Robust topics."""
    scores = read_scores(shared_data / "robust2004" / "robust2004_ap.csv")
    topics = scores.index.astype(int)
    parts = [
        scores[(first <= topics) & (topics < first + 50)].mean().to_numpy()
        for first in (351, 401, 601, 651)
    ]
    printed = [0.627, 1.857, 1.285, 1.387, 0.859, 0.583]
    for (x, y), number in zip(combinations(parts, 2), printed, strict=True):
        assert drmse(x, y) == pytest.approx(number, abs=0.0006)
        assert abs(2 * rmse(x, y) / (x.std() + y.std()) - number) > 0.002  # of the divisor n
        assert 1 <= drmse_geometric(x, y) / drmse(x, y) < 1.0101


@pytest.mark.clause("drmse.1", "drmse_geometric.1")
@pytest.mark.parametrize("power", [1015, -1070])
@pytest.mark.parametrize("measure", [drmse, drmse_geometric])
def test_the_unit_changes_no_proportion(measure, power: int) -> None:
    x, y = np.random.default_rng(2).integers(1, 99, (2, 5, 8)).astype(np.float64)
    far = measure(np.ldexp(x, power), np.ldexp(y, power))
    np.testing.assert_allclose(far, measure(x, y), 1e-14)
