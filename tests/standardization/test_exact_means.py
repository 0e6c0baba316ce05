"""Means of E-std are exact fractions, rounded once: systems that are tied stay tied."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cdfscore import Standardizer
from cdfscore.errors import CdfscoreError
from cdfscore.experiments.matrices import common_numerators
from cdfscore.standardization.standardized import with_ties

CONVENTIONS = ["weak", "strict", "mid"]
# Few values, so that there are ties, constant topics and gaps.
CELLS = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, np.nan])


def frame(values: np.ndarray) -> pd.DataFrame:
    topics, systems = values.shape
    return pd.DataFrame(
        values, index=[f"t{i}" for i in range(topics)], columns=[f"s{i}" for i in range(systems)]
    )


def share(x: float, sample: list[float], convention: str) -> Fraction:
    """Eq. 7 of Urbano et al. (2019), and its variants, one score at a time."""
    below = sum(s < x for s in sample)
    equal = sum(s == x for s in sample)
    ties = {"weak": 2, "mid": 1, "strict": 0}[convention]
    return Fraction(2 * below + ties * equal, 2 * len(sample))


def fractions_of(values: np.ndarray, convention: str, policy: str) -> list[Fraction | None]:
    """The mean of each system over the topics where it has a y, None without any."""
    ys: list[list[Fraction]] = [[] for _ in range(values.shape[1])]
    for row in values.tolist():
        sample = [x for x in row if x == x]
        constant = len(set(sample)) == 1
        for y, x in zip(ys, row, strict=True):
            if x != x or (constant and policy == "nan"):
                continue
            half = constant and policy == "half"
            y.append(Fraction(1, 2) if half else share(x, sample, convention))
    return [sum(y, Fraction(0)) / len(y) if y else None for y in ys]


@pytest.mark.clause("means.2")
@settings(max_examples=25)
@given(
    values=arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(2, 7)), elements=CELLS),
    convention=st.sampled_from(CONVENTIONS),
    policy=st.sampled_from(["limit", "half", "nan"]),
)
def test_means_are_fractions_rounded_once(values, convention, policy) -> None:
    values[:, 0] = 0.2  # no topic without any score
    standardizer = Standardizer(
        f"empirical:convention={convention}", constant=policy, missing="omit"
    )
    means = standardizer.fit(frame(values)).standardize(frame(values)).means["mean"].tolist()
    exact = fractions_of(values, convention, policy)
    for mean, fraction in zip(means, exact, strict=True):
        if fraction is None:
            assert np.isnan(mean)
        else:
            assert_nearest(mean, fraction)


def assert_nearest(mean: float, fraction: Fraction) -> None:
    error = abs(Fraction(mean) - fraction)
    for neighbour in (np.nextafter(mean, -np.inf), np.nextafter(mean, np.inf)):
        assert error <= abs(Fraction(float(neighbour)) - fraction)


def added(y: pd.DataFrame) -> np.ndarray:
    """Average columns that lie together in memory, as NumPy does: pairwise, not topic by topic."""
    return np.asfortranarray(y).mean(axis=0)


def latin_square(systems: int) -> np.ndarray:
    """Every system has every rank once, and no two have them in the same order."""
    return (np.arange(systems)[:, np.newaxis] + np.arange(systems)) % systems


@pytest.mark.clause("means.2")
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("systems", [7, 12, 49])
def test_systems_of_permuted_ranks_are_tied(systems, convention) -> None:
    scores = frame(latin_square(systems))
    factors = Standardizer(f"empirical:convention={convention}").fit(scores)
    y = factors.transform(scores)
    assert len(np.unique(added(y))) > 1  # the order of the additions breaks the ties
    offset = {"weak": 1, "mid": 0, "strict": -1}[convention]
    expected = float(Fraction(systems + offset, 2 * systems))
    assert set(factors.standardize(scores).means["mean"]) == {expected}


def test_common_numerators_whose_sums_may_not_be_exact_are_refused() -> None:
    """The limit counts the topics: sums have to be exact, and their quotients apart."""
    few, most = np.full((2, 1), 2**50), np.full((4, 1), 2**50)
    assert common_numerators(few, few)[0].tolist() == [[2.0**50]] * 2
    with pytest.raises(CdfscoreError, match="ties='rounded'"):
        common_numerators(most, most)


# ---- means that are equal are the same double, where the scores are whole multiples


@pytest.mark.clause("means.3")
def test_means_that_are_tied_are_the_exact_one() -> None:
    tenths = [[1, 3, 2, 7], [2, 2, 2, 7], [7, 2, 3, 1], [1, 1, 1, 2], [0, 0, 1, 0], [1, 0, 0, 0]]
    scores = np.array(tenths) / 10
    above = np.nextafter(0.325, 1)
    # Three are tied, and one mean is off; one is alone, and off; two are tied, and off alike.
    means = np.array([0.325, above, 0.325, above, above, above])
    expected = [0.325, 0.325, 0.325, above, above, above]
    assert with_ties(means, scores).tolist() == expected
    assert means[1] == above
