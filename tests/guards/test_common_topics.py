"""Schemes are compared on the same topics, whatever factors lack or a policy adds."""

from collections.abc import Sequence

import pandas as pd
import pytest

from cdfscore import Factors, Standardizer, datasets
from cdfscore.comparison.sensitivity import Sensitivity, sensitivity
from cdfscore.errors import FactorsError
from cdfscore.standardization.standardizer import How

EXTRA = "20 topics (41, 42, 43, 44, 45, ...) are left out for all schemes, since one scheme has no"
ZEROS = (
    "20 topics (41, 42, 43, 44, 45, ...) are left out for all schemes, since the scores lack them "
    "and only one scheme sets them to 0"
)


def cranfield(systems: slice) -> pd.DataFrame:
    return datasets.load_cranfield("ap").iloc[:60, systems]


@pytest.fixture
def new() -> pd.DataFrame:
    return cranfield(slice(40, None))


def fitted(topics: int, how: str = "normal", **policies: str) -> Factors:
    """Return factors of the first topics, fitted to the other systems."""
    how_ = Standardizer(how, **policies)  # type: ignore[arg-type]
    return how_.fit(cranfield(slice(0, 40)).iloc[:topics])


def on_the_same(found: Sensitivity, expected: Sensitivity) -> None:
    """Assert that all tables are those of the expected comparison."""
    assert set(found.comparison.topics_by_scheme.values()) == {40}
    for name in ("conclusions", "agreement", "systems", "moves"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(expected, name))


def told(found: Sensitivity) -> list[str]:
    """Return the notes on topics."""
    return [note for note in found.notes if "topic" in note]


def test_topics_without_factors_are_left_out_for_raw_too(new: pd.DataFrame) -> None:
    factors = fitted(40)
    expected = sensitivity(new.iloc[:40], ["raw", factors])
    assert expected.conclusions["gained"].item() == 1
    found = sensitivity(new, ["raw", factors], extra_topics="drop")
    on_the_same(found, expected)
    assert [note[: len(EXTRA)] for note in told(found)] == [EXTRA]
    with pytest.raises(FactorsError, match="20 of 60 topics have no factors"):
        sensitivity(new, ["raw", factors])


def test_factors_of_different_topics_are_compared_on_those_of_both(new: pd.DataFrame) -> None:
    ways: Sequence[How] = ["raw", fitted(60, "empirical"), fitted(40)]
    found = sensitivity(new, ways, extra_topics="drop")
    on_the_same(found, sensitivity(new.iloc[:40], [ways[0], fitted(40, "empirical"), ways[2]]))


def test_zeros_of_absent_topics_are_left_out_unless_all_have_them(new: pd.DataFrame) -> None:
    factors = fitted(60, missing="zero")
    some = new.iloc[:40]
    expected = sensitivity(some, ["raw", fitted(40)])
    found = sensitivity(some, ["raw", factors])
    on_the_same(found, expected)
    assert told(found) == [ZEROS]
    both = sensitivity(some, [factors, fitted(60, "empirical", missing="zero")])
    assert set(both.comparison.topics_by_scheme.values()) == {60}
    assert all(note.endswith("absent from the scores and taken as 0") for note in told(both))


def test_topics_that_are_left_out_for_all_are_not_called_absent(new: pd.DataFrame) -> None:
    gap = new.copy()
    gap.iloc[3, 2] = None
    found = sensitivity(
        gap, [Standardizer("raw", missing="omit"), Standardizer("normal", missing="drop_topic")]
    )
    assert told(found) == [
        "topic 4 is left out for all schemes, since one scheme drops topics with missing scores"
    ]
