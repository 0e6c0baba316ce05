"""Where the cautions on a scale begin and end."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cdfscore import Standardizer
from cdfscore.scores.cautions import Rows
from cdfscore.standardization.cautions import (
    Scale,
    ScoresAboveOne,
    _common_grid,
    mixed_scales,
    mixed_units,
)
from cdfscore.standardization.policies import ScoreMatrix
from cdfscore.stats.numerics.multiples import denominators


def matrix(values: object, topics: list[str] | None = None) -> ScoreMatrix:
    array = np.asarray(values, dtype=np.float64)
    names = [f"t{i}" for i in range(len(array))] if topics is None else topics
    return ScoreMatrix.of(pd.DataFrame(array, names, [f"s{i}" for i in range(array.shape[1])]))


@pytest.mark.clause("scale.1")
def test_the_more_reference_systems_the_nearer_is_a_score_too_far() -> None:
    """The range may be missed by 1 + 80 / systems + 10 / topics of its width."""
    scores = np.random.default_rng(1).random((50, 4))
    for systems, most in ((8, 11.2), (100, 2.0), (800, 1.3)):
        scores[7, 2] = 1 + 0.99 * most
        assert Scale(0.0, 1.0).cautions(scores, systems) == []
        scores[7, 2] = 1 + 1.01 * most
        (caution,) = Scale(0.0, 1.0).cautions(scores, systems)
        assert caution.startswith("1 of 200 scores is outside of the range of the reference sco")


@pytest.mark.clause("scale.2")
@pytest.mark.parametrize("high", [1.0, 100.0])
def test_scores_that_are_many_times_smaller_are_told_unless_most_are_near_0(high: float) -> None:
    reference = Scale(0.0, high, None, 0.3 * high)
    spread = np.linspace(0.0, 1.0, 41)[:, np.newaxis]
    for share in (0.005, 0.02):
        (caution,) = reference.cautions(share * high * spread, 20)
        assert caution == (
            f"all 41 scores are at most {share * high:g}, and the reference scores go up to "
            f"{high:g}: are they of the same measure, in the same unit?"
        )
    # A weak system: a median of 1/256 of the largest, and of 0.
    for weak in (spread**8, np.where(spread < 0.6, 0.0, spread)):
        assert reference.cautions(0.02 * high * weak, 20) == []
    assert reference.cautions(0.03 * high * spread, 20) == []


@pytest.mark.clause("scale.2")
def test_a_grid_of_too_few_scores_to_tell_is_no_other_grid() -> None:
    """Of the reference itself, in any order, and of a part of it."""
    values = np.random.default_rng(1).integers(0, 98, (40, 12)) / 97
    scores = pd.DataFrame(values, [f"t{i}" for i in range(40)], list("abcdefghijkl"))
    factors = Standardizer("normal").fit(scores)
    for own in (scores, scores.iloc[::-1, ::-1], scores[:30], scores.iloc[:, :3]):
        assert not any("multiples" in each for each in factors.standardize(own).cautions)


def of_fifths(between: int, end: float) -> np.ndarray:
    """30 topics: so many with scores such as 2/5, and the others with scores at an end."""
    scores = np.full((30, 2), end)
    scores[:between] = [[0.2, 0.4]] * between
    return scores


@pytest.mark.clause("scale.2")
@pytest.mark.parametrize("end", [0.0, 1.0])
def test_topics_at_an_end_of_the_scale_are_on_every_grid(end: float) -> None:
    """Half of the tenths are fifths, so that 20 topics of them are one chance in a million."""
    tenths = Scale(0.0, 1.0, 10, 0.5, 1.0)
    assert tenths.cautions(of_fifths(19, end), 20) == []
    assert tenths.cautions(of_fifths(20, end), 20) == [
        "the scores are multiples of 1/5, and the reference scores are of 1/10: are they of the "
        "same measure?"
    ]


@pytest.mark.clause("scale.3")
def test_a_system_with_a_median_above_1_is_told() -> None:
    """Half of its scores are above 1, so that the median is between two of them."""
    random = np.random.default_rng(4)
    told = 0
    for _ in range(30):
        values = random.random((6, 3))
        values[:, 1] = [*(1 + 0.4 * random.random(3)), *(1 - 0.4 * random.random(3))]
        values = random.permutation(values)
        given = matrix(values)
        found = mixed_scales(given)
        is_above = np.median(values[:, 1]) > 1
        assert found == [
            f"system 's1' has scores up to {values[:, 1].max():g}, and all others are from 0 to 1: "
            "are they on one scale?"
        ] * int(is_above)
        told += int(is_above)
        in_parts = ScoresAboveOne(3)
        for part in (slice(0, 2), slice(2, 6)):
            in_parts.add(given.topics[part], values[part])
        assert in_parts.cautions(given.systems) == found
    assert 5 < told < 25


@pytest.mark.clause("scale.3")
def test_deviations_of_one_unit_differ_by_a_factor_of_10_at_most() -> None:
    for factor, told in ((10.0, 0), (10.1, 1), (1 / 10.1, 1), (0.2, 0)):
        values = [[-1.0, 0.0, 1.0], [-factor, 0.0, factor], [1.0, -1.0, 0.0]]
        found = mixed_units(matrix(values, ["a", "error", "b"]), ("error",))
        assert len(found) == told
        if told:
            assert found[0].startswith(
                f"scores have a standard deviation of about {factor:.2g} on topic error, where "
                "lower is better, and of 1 on the others"
            )


@pytest.mark.clause("scale.1")
def test_a_few_scores_may_be_out_of_the_range() -> None:
    """Of 100 scores on 25 topics, 1 + 100 (0.05 + 1.8 / 20 + 1 / 5) = 35, by 20 systems."""
    for outside, told in ((35, 0), (36, 1)):
        scores = np.linspace(0.3, 0.61, 100).reshape(25, 4)
        scores.reshape(-1)[:outside] = np.linspace(0.1, 0.2, outside)
        assert len(Scale(0.25, 0.75).cautions(scores, 20)) == told
        assert Scale(0.5, 0.5).cautions(scores, 20) == []


@given(
    st.lists(st.sampled_from([1, 2, 3, 7, 10, 12, 500, 999, 1000, 1001, 10_000]), min_size=1),
    st.lists(st.integers(-500, 2000), min_size=1, max_size=20),
    st.sampled_from([0.0, 1e-9, np.nan]),
)
@example([1000], [1, 3, 7], 0.0)
@example([1001], [1, 3, 7], 0.0)
def test_the_grid_is_that_of_all_scores(sizes: list[int], counts: list[int], last: float) -> None:
    """A look at the first scores does not decide for the others."""
    scores = np.array([[k / sizes[i % len(sizes)] for i, k in enumerate(counts)] + [last]])
    q = denominators(scores[~np.isnan(scores)][np.newaxis])[0]
    assert _common_grid(scores) == (int(q) if q <= 1000 else None)


@given(arrays(np.float64, (6, 4), elements=st.sampled_from([0.0, 1.0, -3.0, 0.5, 1e300, np.nan])))
def test_rows_of_whole_numbers_have_no_others(scores: np.ndarray) -> None:
    expected = [all(np.isnan(x) or float(x).is_integer() for x in row) for row in scores]
    assert Rows("topic", list("abcdef"), scores).whole.tolist() == expected
