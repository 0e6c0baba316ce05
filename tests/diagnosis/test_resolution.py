"""How finely scores are written."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import read_scores
from cdfscore.diagnosis.criteria import Resolution, resolution_of
from cdfscore.stats.schemes import Empirical, Normal

numbers = st.floats(-2, 2, allow_subnormal=False)
widths = st.sampled_from([1.0, 0.5, 0.2, 0.1, 0.05, 0.01, 1e-4, 0.3, 2.5])


@pytest.mark.clause("diagnose.3")
@pytest.mark.parametrize(
    ("file", "width"),
    [
        ("robust2004/robust2004_p10.csv", 0.1),
        ("robust2004/robust2004_ap.csv", 1e-4),
        ("web/web2010_p20.csv", 0.05),
    ],
)
def test_measures_on_file(shared_data: Path, file: str, width: float) -> None:
    found = resolution_of(read_scores(shared_data / file).to_numpy())
    assert found == Resolution(width, "found")


@pytest.mark.clause("diagnose.3")
@pytest.mark.parametrize(
    ("scores", "width"),
    [
        ([0.0, 1.0, 2.0], 1.0),
        ([0.5, 1.0, np.nan], 0.5),
        ([1 / 3, 0.5], 1 / 6),
        ([0.1 + 0.2, 0.7], 0.1),
        ([0.123, 0.4], 1e-3),
        ([0.1234567, 0.4], 1e-7),
    ],
)
def test_the_widest_is_found(scores: list[float], width: float) -> None:
    assert resolution_of(np.array([scores])) == Resolution(width, "found")


@pytest.mark.clause("diagnose.3")
def test_scores_of_full_precision_are_told_from_rounded_ones() -> None:
    scores = np.random.default_rng(1).random((5, 20))
    found = resolution_of(scores)
    assert found == Resolution(1e-6 * np.ptp(scores), "assumed")
    assert found.rounded(scores) is scores
    assert resolution_of(np.full((2, 3), np.pi)).width == 1e-6


@given(st.lists(numbers, min_size=1), widths)
def test_a_score_is_in_the_cell_of_what_it_is_written_as(x: list[float], width: float) -> None:
    x_, near = np.array(x), width * 1e-9
    written = Resolution(width, "found").rounded(x_)
    assert (written - width / 2 <= x_ + near).all()
    assert (x_ <= written + width / 2 + near).all()


@pytest.mark.clause("diagnose.2")
def test_cells_hold_all_probability_of_a_distribution() -> None:
    written = Resolution(0.1, "found")
    x = written.multiple(np.arange(-40, 60))[np.newaxis]
    for fitted in (Normal().fit([[0.1, 0.4, 0.8]]), Empirical().fit([[0.1, 0.4, 0.4, 0.8]])):
        lower, upper = written.cells(fitted, x)
        assert (upper - lower).sum() == pytest.approx(1)
        np.testing.assert_allclose(upper[:, :-1], lower[:, 1:], rtol=1e-12)
    assert (upper - lower)[0, [41, 44, 48]].tolist() == [0.25, 0.5, 0.25]  # point masses


@pytest.mark.clause("diagnose.3")
def test_the_resolution_is_no_wider_than_the_range_of_a_topic() -> None:
    tiny = np.array([[0.0, 3e-10, 1e-10], [0.0, 1.0, 1.0]])
    assert resolution_of(tiny).source == "assumed"
    assert resolution_of(np.array([[0.5, 0.5], [0.0, 1.0]])) == Resolution(0.5, "found")


def test_the_range_of_a_topic_is_that_of_the_scores_it_has() -> None:
    near = np.array([[0.0, 1.0, 2.0], [1.0, 1 + 3e-10, np.nan]])
    assert resolution_of(near).source == "assumed"
