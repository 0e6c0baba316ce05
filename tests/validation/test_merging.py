"""The experiment of merging: its pieces on tiny input, and a part of it run anew."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from validation.collections.cranfield.collection import Collection, Document, Judgments
from validation.collections.cranfield.collection import read_collection as read
from validation.merging import recording
from validation.merging.assumptions import of_relevant
from validation.merging.methods import METHODS, Asked
from validation.merging.page import PAGE, measured
from validation.merging.scores import DEPTHS, means, scored
from validation.merging.testbed import Setting, bed_of, central, qrels, wholes
from validation.pages import rewritten

TEXTS = ("shock waves", "drag of wings", "", "drag drag", "waves of heat")


@pytest.fixture
def tiny() -> Collection:
    """Five documents, the third empty, two questions, the first taken from document 2."""
    documents = [Document(i, "", text) for i, text in enumerate(TEXTS, start=1)]
    return Collection(documents, ["drag s", "heat"], Judgments({1: {4: 3}, 2: {5: 1}}, {1: 2}, {}))


@pytest.fixture(scope="module")
def collection(shared_data: Path) -> Collection:
    return read(shared_data / "cranfield")


def test_first_documents_are_counted_by_hand(tiny: Collection) -> None:
    bed = bed_of(tiny, wholes(tiny), Setting("chance", 2, 3))
    counts = of_relevant(Asked(bed, qrels(tiny))).iloc[-1]
    assert counts["lists"] == sum(map(len, bed.lists.values()))
    assert (counts["relevant"], counts["mean_rank"], counts["relevant_at_first"]) == (2, 1.0, 1.0)
    assert bed.statistics.sources == bed.samples.sources == ("s01", "s02")


#: What is run anew, of the first testbed; with --long it is everything.
PART = ("MinMax", "Sum", "CORI (0.4)", "SAFE")


def marked(setting: Setting) -> Any:
    """Return the case of a testbed, the first of which is run without --long."""
    marks = () if setting == recording.SETTINGS[0] else (pytest.mark.long,)
    return pytest.param(setting, id=f"{setting.sources} {setting.partition}", marks=marks)


@pytest.mark.long
@pytest.mark.parametrize("setting", [marked(each) for each in recording.SETTINGS])
def test_a_part_run_anew_has_the_recorded_means(
    collection: Collection, setting: Setting, long: bool
) -> None:
    asked = Asked(bed_of(collection, wholes(collection), setting), qrels(collection))
    names, depths = (METHODS, DEPTHS) if long else (PART, [10])
    columns = ["AP", "P@10", "lists_left_out"]
    ours = means(scored(asked, central(collection), names, depths))
    ours = ours.set_index(["depth", "method"])[columns]
    kept = recording.read()["scores"]
    own = kept[(kept[list(vars(setting))] == list(vars(setting).values())).all(axis=1)]
    theirs = own.set_index(["depth", "method"]).loc[ours.index, columns]
    pd.testing.assert_frame_equal(ours.round(6), theirs, check_dtype=False, rtol=0, atol=1.1e-6)


def test_the_page_has_what_is_recorded() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert rewritten(page, measured(recording.read())) == page
