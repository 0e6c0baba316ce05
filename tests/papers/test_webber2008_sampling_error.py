"""What is said of numbers that come from random partitions: errors, intervals, what is chance."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cdfscore.experiments.papers import webber2008 as numbers
from cdfscore.experiments.papers.webber2008 import (
    TOPICS,
    Collections,
    Printed,
    standard_errors_apart,
)
from cdfscore.experiments.rates import percentile_interval

GRID = np.linspace(0, 1, 1001)  # its percentiles are known


def of_all_matrices(trials: np.ndarray) -> np.ndarray:
    """Return trials of the four matrices, told apart by a factor."""
    return trials[:, np.newaxis] * [1.0, 0.5, 0.25, 0.125]


@pytest.mark.clause("webber2008.7")
def test_figure_5_has_the_interval_of_95_of_100() -> None:
    table = numbers.figure5(of_all_matrices(GRID)).set_index(["measure", "form"])
    for (measure, form), factor in {
        ("SP/AP", "normalized"): 1,
        ("SP/AP", "standardized"): 0.5,
        ("P@10", "raw"): 0.25,
        ("P@10", "standardized"): 0.125,
    }.items():
        line = table.loc[(measure, form)]
        assert line["percentile_2.5"] == pytest.approx(0.025 * factor)
        assert line["percentile_97.5"] == pytest.approx(0.975 * factor)
        assert line["mean"] == pytest.approx(0.5 * factor)
        assert line["standard_error"] == pytest.approx(factor * stats.sem(GRID))
    assert set(table["partitions"]) == {1001}


@pytest.mark.clause("webber2008.7")
def test_figure_6_has_an_interval_of_its_percentile() -> None:
    table = numbers.figure6(of_all_matrices(GRID)).set_index(["measure", "form"])
    line = table.loc[("SP/AP", "normalized")]
    assert line["percentile_97.5"] == pytest.approx(0.975)
    assert (line["percentile_97.5_low"], line["percentile_97.5_high"]) == (0.965, 0.985)
    half = table.loc[("SP/AP", "standardized")]
    assert half["percentile_97.5_low"] == pytest.approx(0.965 / 2)


@pytest.mark.clause("webber2008.3")
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("n", "percent"), [(2000, 97.5), (1000, 97.5), (1000, 50), (400, 5)])
def test_the_interval_holds_the_percentile_in_95_of_100(n, percent) -> None:
    random = np.random.default_rng(6)
    held = below = 0
    for _ in range(2000):
        low, high = percentile_interval(random.random(n), percent)
        held += low <= percent / 100 <= high
        below += high < percent / 100
    # by SciPy's binomial: 2,000 intervals of 95% or a little more hold it so often
    least, most = stats.binom.ppf([1e-4, 1 - 1e-4], 2000, [0.95, 0.965])
    assert least <= held <= most
    assert below / 2000 < 0.025 + 3 * 0.0035


@pytest.mark.clause("webber2008.3")
@pytest.mark.parametrize(
    ("computed", "z"),
    [
        (0.60, 0.0),
        (0.605, 0.0),
        (0.595, 0.0),
        (0.605 + 0.01 * math.sqrt(1.5), 1.0),
        (0.595 - 0.02 * math.sqrt(1.5), -2.0),
    ],
)
def test_z_begins_where_another_number_would_be_printed(computed, z) -> None:
    covered = Printed("Figure 5", 56, "row", "column", "0.60").covered
    # 500 partitions here and 1,000 there: variances of 0.01^2 and half of it
    assert standard_errors_apart(computed, covered, 0.01, 500, 1000) == pytest.approx(z, abs=1e-9)


def test_z_without_an_error() -> None:
    assert standard_errors_apart(100.0, (99, 100), 0.0, 10, 1000) == 0
    assert standard_errors_apart(98.0, (99, 100), 0.0, 10, 1000) == -math.inf
    assert math.isnan(standard_errors_apart(98.0, (99, 100), math.nan, 1, 1000))


@pytest.fixture(scope="module")
def collections() -> Collections:
    """Return systems that are all better on T03.rob than on T7.adh, but for one."""
    random = np.random.default_rng(2)
    scores = {
        name: random.uniform(0, 0.2, (len(topics), 110)) + 0.5 * (name == "T03.rob")
        for name, topics in TOPICS.items()
    }
    scores["T03.rob"][:, 0] = scores["T7.adh"][:, 0]
    matrix = pd.concat([pd.DataFrame(scores[name], index=TOPICS[name]) for name in TOPICS])
    return Collections({"AP": matrix}, {})


def trials(**given: np.ndarray) -> numbers.Trials:
    defaults = {
        "errors": of_all_matrices(GRID),
        "rates": of_all_matrices(GRID),
        "t03_errors": GRID,
        "t03_rates": GRID,
        "taus": {},
    }
    return numbers.Trials(**{**defaults, **given})


def lines(table: pd.DataFrame, row: str, column: str) -> pd.Series:
    (line,) = table[(table["row"] == row) & (table["column"] == column)].to_dict("records")
    return pd.Series(line)


T7_T8 = ("AP of random halves of T7.adh and T8.adh", "mean dRMSE")


@pytest.mark.clause("webber2008.3")
@pytest.mark.parametrize("n", [100, 4000])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(
    ("z", "status"), [(2.98, "within sampling error"), (3.02, "differs"), (0.0, "equal")]
)
def test_what_is_within_sampling_error(collections, n, side, z, status) -> None:
    """The printed 0.60 is a mean of 1,000; sd is 0.3 in both, and 0.005 is rounded away."""
    spread = 0.3 * math.sqrt((n - 1) / n) * np.resize([-1, 1], n)
    apart = (0.004 if z == 0 else 0.005) + z * 0.3 * math.sqrt(1 / n + 1 / 1000)
    table = numbers.randomized(
        collections, trials(errors=of_all_matrices(0.60 + side * apart + spread))
    )
    line = lines(table, *T7_T8)
    assert line["standard_error"] == pytest.approx(0.3 / math.sqrt(n))
    assert line["z"] == pytest.approx(side * z, abs=1e-6)
    assert line["status"] == status
    assert line["z_limit"] == 3


def test_what_was_observed_among_the_random_halves(collections) -> None:
    """All but one of the systems differ: 109 of 110 are 0.991."""
    column = "random halves with a lower false positive rate, %"
    for largest, share, status in ((0.98, 100, "as worded"), (1.0, 99.0, "as worded")):
        table = numbers.randomized(collections, trials(t03_rates=largest * GRID))
        line = lines(table, "AP of T7.adh and T03.rob", column)
        assert line["computed"] == pytest.approx(share, abs=0.05)
        assert line["status"] == status
        assert line["note"] == "observed: 0.991"
        assert line["percentile_99"] == pytest.approx(0.99 * largest)
    as_observed = np.where(GRID < 0.5, 109 / 110, 0.0)
    table = numbers.randomized(collections, trials(t03_rates=as_observed))
    line = lines(table, "AP of T7.adh and T03.rob", column)
    assert line["computed"] == pytest.approx(50, abs=0.1)  # an equal rate is not a lower one
    high = np.where(GRID < 0.5, 1.0, 0.0)
    table = numbers.randomized(collections, trials(t03_rates=high))
    assert lines(table, "AP of T7.adh and T03.rob", column)["status"] == "differs"


@pytest.mark.clause("webber2008.3")
@pytest.mark.parametrize(
    ("shift", "status"), [(0.001, "as worded"), (-0.01, "within sampling error"), (-0.4, "differs")]
)
def test_lowest_taus_of_samples(collections, shift, status) -> None:
    """The 5th percentile of 2,000 normal taus has the standard error 2.11 sd / sqrt(2,000)."""
    normal = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    taus = {10: 0.9185 + shift + 0.1 * (normal - stats.norm.ppf(0.05))}
    table = numbers.randomized(collections, trials(taus=taus))
    line = lines(table, "samples of 78 systems of T03.rob", "95th lowest tau of samples of 10")
    assert line["computed"] == pytest.approx(0.9185 + shift, abs=5e-4)
    assert line["status"] == status
    expected = 0.1 * math.sqrt(0.05 * 0.95 / 2000) / stats.norm.pdf(stats.norm.ppf(0.05))
    assert line["standard_error"] == pytest.approx(expected, rel=0.1)  # by order statistics


def test_rates_of_figure_6(collections) -> None:
    rates = np.stack([GRID * 0.2, GRID * 0.16, GRID * 0.09, GRID * 0.1], axis=1)
    table = numbers.randomized(collections, trials(rates=rates))
    smallest = lines(table, "all measures and forms", "smallest mean rate")
    largest = lines(table, "all measures and forms", "largest mean rate")
    assert (smallest["computed"], largest["computed"]) == pytest.approx((0.045, 0.1))
    assert {smallest["status"], largest["status"]} == {"in part"}
    assert smallest["note"].startswith("P@10; 4 of the 12 bars; the rest needs ")
    assert largest["note"].startswith("AP; 4 of the 12 bars; the rest needs ")
    assert smallest["z"] == 0  # another bar may be the smallest in the paper
    apart = (0.1 - 0.0525) / (stats.sem(GRID * 0.2) * math.sqrt(1 + 1001 / 2000))
    assert largest["z"] == pytest.approx(apart)
    highest = lines(table, "SP, standardized", "97.5th percentile of rates, %")
    assert highest["computed"] == pytest.approx(0.975 * 16)
    assert highest["status"] == "as worded"
