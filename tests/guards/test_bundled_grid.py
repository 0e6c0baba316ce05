"""Nothing is doubted in the bundled grid, in which many systems are near one another."""

from __future__ import annotations

import warnings
from importlib.resources import as_file, files

import pytest

from cdfscore import CdfscoreWarning, compare, datasets, diagnose, read_scores, sensitivity

MEASURES = datasets.cranfield_measures()


@pytest.fixture(autouse=True)
def _cautions_are_errors() -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CdfscoreWarning)
        yield


@pytest.mark.parametrize("measure", MEASURES)
def test_reading_has_nothing_to_say(measure: str) -> None:
    with as_file(files("cdfscore.datasets") / f"cranfield_grid_{measure}.csv") as path:
        scores = read_scores(path)
    memory = scores.attrs["cdfscore"]
    assert not memory.get("doubts")
    assert not memory.get("notes")


@pytest.mark.parametrize("measure", MEASURES)
def test_comparisons_tell_of_constant_topics_alone(measure: str) -> None:
    scores = datasets.load_cranfield_grid(measure)
    schemes = ["raw", "normal", "empirical", "uniform"]
    found = compare(scores, "paired_t", scheme=schemes, baselines="porter_long_bm25")
    notes = [*found.notes, *sensitivity(scores, schemes).notes]
    assert [note for note in notes if "are constant in the reference" not in note] == []
    assert notes


def test_diagnoses_have_no_caution() -> None:
    some = datasets.load_cranfield_grid("ap").iloc[::75]
    assert diagnose(some, ["normal", "empirical"], bootstrap=19).notes == ()
