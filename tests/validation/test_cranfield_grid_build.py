"""The grid of the Cranfield build: its components, a part of it run anew, and its section."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from cdfscore.datasets import cranfield_measures, load_cranfield, load_cranfield_grid
from validation.collections.cranfield.build import grid_matrices
from validation.collections.cranfield.card_tables import Results
from validation.collections.cranfield.collection import Collection, read_collection
from validation.collections.cranfield.grid import COMPONENTS, GRID, write_components
from validation.collections.cranfield.grid_card import grid_section
from validation.collections.cranfield.index import Indexer
from validation.collections.cranfield.text import STEMMERS, STOP_LISTS

# What is run anew: every stemmer, every stop list and every model but lsa, whose decomposition
# takes 10 s, on some of the topics, as measuring takes the time. With --long it is everything.
PART = {
    each.name: GRID[each.name]
    for each in COMPONENTS
    if (each.stemmer, each.stoplist) in zip(STEMMERS, STOP_LISTS, strict=True)
    and each.model != "lsa"
}
TOPICS = 25


@pytest.fixture(scope="module")
def collection(shared_data: Path) -> Collection:
    return read_collection(shared_data / "cranfield")


@pytest.fixture(scope="module")
def bundled(collection: Collection) -> Results:
    """The bundled matrices, as the build has them."""
    others, grid = (
        {measure: load(measure).to_numpy() for measure in ("ap", "ndcg10", "p10", "rr")}
        for load in (load_cranfield, load_cranfield_grid)
    )
    return Results(collection, sorted(collection.judgments.codes), {}, others, grid)


def test_the_table_of_components_is_the_bundled_one(tmp_path: Path) -> None:
    write_components(tmp_path / "components.csv")
    kept = files("cdfscore.datasets") / "cranfield_grid_components.csv"
    assert (tmp_path / "components.csv").read_bytes() == kept.read_bytes()


@pytest.mark.long
def test_a_part_run_anew_has_the_bundled_scores(collection: Collection, long: bool) -> None:
    systems, topics = (GRID, len(collection.queries)) if long else (PART, TOPICS)
    part = replace(collection, queries=collection.queries[:topics])
    matrices = grid_matrices(part, Indexer.of(part), systems)
    assert list(matrices) == cranfield_measures()
    for measure, matrix in matrices.items():
        kept = load_cranfield_grid(measure)[list(systems)].to_numpy()
        np.testing.assert_array_equal(matrix[:topics], kept[:topics], err_msg=measure)


def test_the_section_of_the_card_is_of_the_bundled_scores(bundled: Results) -> None:
    card = (files("cdfscore.datasets") / "cranfield.md").read_text(encoding="utf-8")
    assert grid_section(bundled) in card
