"""Left-out scores, and where they lie in what was predicted."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, diagnose, diagnose_factors
from cdfscore.diagnosis.criteria import (
    Resolution,
    normal_end,
    pit_histogram,
    pit_moments,
    sampling_band,
)
from cdfscore.diagnosis.diagnosis import Draws, Known, examine, left_out
from cdfscore.errors import FactorsError
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Exponential, Normal
from cdfscore.stats.schemes.base import parse_scheme

TENTHS = Resolution(0.1, "found")
samples = st.lists(st.integers(0, 10), min_size=4, max_size=20).map(
    lambda numbers: np.array(numbers) / 10
)
intervals = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted), min_size=1, max_size=20
).map(lambda pairs: np.array(pairs).T / 20)


@pytest.mark.clause("left_out.1", "log_score.1")
@given(samples)
def test_each_score_is_predicted_by_the_others(sample: Array) -> None:
    found = left_out(Exponential(), sample, TENTHS)
    for i, score in enumerate(sample):
        others = Exponential().fit(np.delete(sample, i))
        expected = others([score - 0.05, score + 0.05])
        np.testing.assert_allclose([found.lower[i], found.upper[i]], expected, rtol=1e-12)
    assert found.unfitted == {}
    with np.errstate(divide="ignore"):
        logs = np.log(found.upper - found.lower)
    assert found.floored == (logs < -53 * np.log(2)).sum()
    assert found.log_score == pytest.approx(np.maximum(logs, -53 * np.log(2)).mean())


@pytest.mark.clause("left_out.1")
def test_a_score_that_the_others_cannot_predict() -> None:
    found = left_out(Normal(), np.array([0.2, 0.5]), TENTHS)
    assert np.isnan([found.log_score, *found.lower, *found.upper]).all()
    assert found.unfitted.keys() == {0, 1}
    assert "needs at least 2 reference scores and there is 1" in found.unfitted[0]


@pytest.mark.clause("pit.1", "pit.2")
@given(intervals)
def test_histogram_and_moments_are_those_of_random_places(ends: Array) -> None:
    lower, upper = ends
    # At the middles of 500 parts of each interval instead of at random.
    places = lower + (upper - lower) * ((np.arange(500)[:, np.newaxis] + 0.5) / 500)
    counts = np.histogram(places, bins=7, range=(0, 1))[0] / 500
    np.testing.assert_allclose(pit_histogram(lower, upper, 7), counts, atol=0.005 * len(lower))
    mean, sd = pit_moments(lower, upper)
    assert (mean, sd) == pytest.approx((places.mean(), places.std()), abs=1e-3)


#: Schemes with steps or lines between scores.
STEPS = [
    "empirical",
    "empirical:convention=strict",
    "empirical:convention=mid",
    *(f"empirical:position={name}" for name in ("hazen", "weibull", "blom")),
    "empirical:interpolation=linear",
    "empirical:convention=mid,position=hazen,interpolation=linear",
    "zero_inflated:family=empirical",
    "zero_inflated:family=empirical(position=hazen)",
]


def _matrix(values: Array) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"s{j}" for j in range(values.shape[1])])


@pytest.mark.clause("pit.1", "pit.2")
def test_steps_that_are_left_out_are_flat_for_any_scores() -> None:
    """Nine scores without ties, and with ties and zeros; the others alone leave bins empty."""
    rng = np.random.default_rng(0)
    values = np.vstack([rng.random((2, 9)), rng.integers(0, 6, (3, 9)) / 5])
    found = diagnose(_matrix(values), STEPS, bootstrap=0)
    for scheme in STEPS:
        own = found.histogram[found.histogram["scheme"] == str(parse_scheme(scheme))]
        np.testing.assert_allclose(own["count"], values.size / 10, rtol=1e-9)
    np.testing.assert_allclose(
        found.summary[["pit_mean", "pit_sd"]], [[0.5, 12**-0.5]] * len(STEPS)
    )


def histogram_of_known(scheme: str, reference: Array, scores: Array) -> Array:
    """Return the histogram of the scores of a topic by the fit to others, in ten bins."""
    fitted, exact = parse_scheme(scheme).fit(reference[np.newaxis]), Resolution(1e-9, "assumed")
    draws = Draws.of(0, 1, 1, 0.05, None)
    n = len(reference)
    found = examine(fitted, scores, exact, draws, "1", Known(n, rough=True))
    return pit_histogram(found.lower, found.upper, 10)


@pytest.mark.clause("pit.1")
@pytest.mark.parametrize("scheme", STEPS)
def test_steps_of_reference_systems_are_flat_in_expectation(scheme: str) -> None:
    """Each of ten systems is new in turn, and the nine others are the reference."""
    rng = np.random.default_rng(7)
    for values in (rng.random(10), rng.integers(0, 5, 10) / 4):
        total = sum(
            histogram_of_known(scheme, np.delete(values, j), values[j : j + 1]) for j in range(10)
        )
        np.testing.assert_allclose(total, 1, rtol=1e-9)


@pytest.mark.clause("pit.1", "diagnose_factors.1")
@pytest.mark.one_in(8)
@pytest.mark.parametrize("at", ["", ",at=1"])
@pytest.mark.parametrize("a", [0, 0.5, 1, 1 / 3])
@pytest.mark.parametrize("lines", ["", ";interpolation=linear"])
def test_steps_with_few_reference_scores_other_than_zero(a: float, lines: str, at: str) -> None:
    """The ranks are those of all reference scores, also if one alone is not `at`."""
    scheme = f"zero_inflated:family=empirical(position={a}{lines}){at}"
    point = float(bool(at))
    rows = [[0, 0, 0, 3], [0, 3], [0, 0, 0, 3, 3], [0, 3, 3, 3], [0, 2, 3], [2, 3, 3]]
    for row in rows:
        reference, scores = np.abs(point - np.array(row) / 10), np.array([0, 0.25, 0.7, 1])
        below, equal = (
            order(reference[:, np.newaxis], scores).sum(axis=0) for order in (np.less, np.equal)
        )
        ends = below / (len(row) + 1), (below + equal + 1) / (len(row) + 1)
        found = histogram_of_known(scheme, reference, scores)
        np.testing.assert_allclose(found, pit_histogram(*ends, 10), err_msg=str(row))
        factors = Standardizer(scheme).fit(_matrix(np.vstack([reference, np.arange(len(row))])))
        both = _matrix(np.vstack([scores, scores]))
        own = diagnose_factors(both, factors, bootstrap=0).histogram["count"]
        other = histogram_of_known(scheme, np.arange(float(len(row))), scores)
        np.testing.assert_allclose(own, found + other, err_msg=str(row))
    without = replace(factors, n=None)
    with pytest.raises(FactorsError, match="do not say how many reference scores"):
        diagnose_factors(both, without)


@pytest.mark.clause("pit.1")
@pytest.mark.parametrize(
    "scheme", ["beta_binomial", "zero_inflated:family=beta(ends=shrink)", "normal", "kernel"]
)
def test_a_known_law_of_scores_on_a_grid_is_flat_in_expectation(scheme: str) -> None:
    """By enumeration: each multiple of 1/10 as often as the law has it in its cell."""
    law = parse_scheme(scheme).fit(np.array([0, 0, 0.1, 0.2, 0.4, 0.4, 0.5, 0.7, 1.0])[np.newaxis])
    grid = np.arange(-40, 51) / 10
    lower, upper = (ends[0] for ends in TENTHS.cells(law, grid[np.newaxis]))
    counts = [
        (high - low) * pit_histogram(np.array([low]), np.array([high]), 7)
        for low, high in zip(lower, upper, strict=True)
    ]
    np.testing.assert_allclose(np.sum(counts, axis=0), 1 / 7, atol=1e-9)


@pytest.mark.one_in(3)
@pytest.mark.clause("pit.1")
@pytest.mark.parametrize(
    ("scheme", "law"),
    [
        ("empirical", lambda rng: rng.beta(2, 5, (300, 14))),
        ("empirical", lambda rng: rng.binomial(10, 0.3, (300, 14)) / 10),
        (
            "zero_inflated:family=empirical",
            lambda rng: np.maximum(rng.normal(0.5, 1, (300, 14)), 0),
        ),
    ],
)
def test_new_systems_of_the_kind_of_the_reference_are_flat(
    scheme: str, law: Callable[[np.random.Generator], Array]
) -> None:
    """Within four standard errors over independent topics; the reference has nine systems."""
    values = law(np.random.default_rng(2))
    found = np.array([histogram_of_known(scheme, each[:9], each[9:]) for each in values]) / 5
    stderr = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - 0.1) < 4 * stderr).all()


@pytest.mark.one_in(2)
@pytest.mark.clause("pit.3")
@pytest.mark.parametrize("n", [5, 20])
def test_the_ends_of_a_right_normal(n: int) -> None:
    exact = Resolution(1e-9, "assumed")
    samples = np.random.default_rng(n).standard_normal((8000 // n, n))
    ends = [left_out(Normal(), sample, exact) for sample in samples]
    places = np.concatenate([found.lower for found in ends])
    counts = pit_histogram(places, places, 10) * 10 / len(places)
    assert counts[[0, -1]].mean() == pytest.approx(normal_end(n, 10), abs=0.07)
    assert normal_end(n, 10) > 1.1


def test_no_band_and_no_ends_of_nothing() -> None:
    assert np.isnan([*sampling_band(0, 10), normal_end(2, 10)]).all()
    assert normal_end(3, 10) > 1.5
