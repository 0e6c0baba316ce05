"""The grid of the Cranfield build: its components, a part of it run anew, and its section."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore.datasets import (
    cranfield_measures,
    load_cranfield,
    load_cranfield_components,
    load_cranfield_grid,
)
from validation.collections.cranfield.build import grid_matrices
from validation.collections.cranfield.card_tables import Results
from validation.collections.cranfield.collection import Collection, read_collection
from validation.collections.cranfield.grid import COMPONENTS, GRID, MODELS, write_components
from validation.collections.cranfield.grid_card import grid_section
from validation.collections.cranfield.grid_tables import (
    LEVELS,
    cube,
    failures,
    long_less_none,
    means_of_levels,
    without_effect,
)
from validation.collections.cranfield.index import Indexer
from validation.collections.cranfield.systems import SYSTEMS, System, call
from validation.collections.cranfield.text import ANALYZERS, STEMMERS, STOP_LISTS, s_stem

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


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("flows", "flow"),
        ("bodies", "body"),
        ("plates", "plate"),
        ("gases", "gase"),
        ("gas", "ga"),
        # Harman's exceptions
        ("thickness", "thickness"),
        ("radius", "radius"),
        ("algaes", "algaes"),
        ("degrees", "degrees"),
        ("does", "does"),
        ("zombaies", "zombaies"),
        ("eyeies", "eyeies"),
        # too short, and no s at the end
        ("is", "is"),
        ("s", "s"),
        ("ies", "ies"),
        ("ties", "ty"),
        ("wing", "wing"),
        ("", ""),
    ],
)
def test_s_stemmer(word: str, stem: str) -> None:
    assert s_stem(word) == stem


def test_stop_words_are_taken_out_before_stemming() -> None:
    """The s-stemmer makes thi of this, which is on no list."""
    text = "This wing has becoming flows."
    assert ANALYZERS["none_none"].terms(text) == ["this", "wing", "has", "becoming", "flows"]
    assert ANALYZERS["s_short"].terms(text) == ["wing", "ha", "becoming", "flow"]
    assert ANALYZERS["porter_long"].terms(text) == ["wing", "flow"]


def test_stop_lists_grow() -> None:
    none, short, long = (stop_list.words for stop_list in STOP_LISTS.values())
    assert none < short < long
    assert [len(none), len(short), len(long)] == [0, 33, 318]


def test_the_grid_is_crossed() -> None:
    assert list(GRID) == [each.name for each in COMPONENTS]
    assert [len(levels) for levels in LEVELS.values()] == [3, 3, 8]
    assert len(GRID) == 72


def test_the_models_are_those_of_other_systems() -> None:
    """With their parameters, of which none was chosen for the grid."""
    others = {call(system.model) for system in SYSTEMS.values() if isinstance(system, System)}
    assert {call(model) for model in MODELS.values()} <= others


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


def test_means_of_levels_are_those_of_the_systems(bundled: Results) -> None:
    components = load_cranfield_components().set_index("system")
    for measure, column in (("ap", 0), ("rr", 3)):
        means = load_cranfield_grid(measure).mean()
        for factor, levels in means_of_levels(bundled).items():
            expected = means.groupby(components[factor]).mean()
            found = pd.Series({level: values[column] for level, values in levels.items()})
            pd.testing.assert_series_equal(found, expected[found.index], check_names=False)


def test_what_the_long_list_adds(bundled: Results) -> None:
    means = load_cranfield_grid("ap").mean()
    by_hand = np.mean([means[f"{s}_long_pl2"] - means[f"{s}_none_pl2"] for s in STEMMERS])
    assert long_less_none(bundled)["pl2"] == pytest.approx(by_hand)


@pytest.fixture
def two_topics() -> Results:
    """A topic on which the models differ alone, and one on which a single system scores."""
    of_models = np.tile(np.arange(8) / 8, 9)
    of_one = (np.arange(72) == 71) / 2
    matrix = np.array([of_models, of_one])
    return Results(None, [1, 2], {}, {}, dict.fromkeys(cranfield_measures(), matrix))  # type: ignore[arg-type]


def test_failures_by_hand(two_topics: Results) -> None:
    """bm25, the first model, fails on topic 1: 9 systems; on topic 2 all fail but one."""
    row = failures(two_topics)[0]
    assert [row[key] for key in ("none", "few", "many", "all")] == [0, 1, 1, 0]
    assert [row[key] for key in ("fewest", "median", "most")] == [0, 1, 2]
    assert row["worst"] == "none_none_bm25"


def test_components_without_effect_by_hand(two_topics: Results) -> None:
    """On topic 2 each component has an effect in the one cell of the system that scores."""
    row = without_effect(two_topics)[0]
    assert row["topics"] == {"stemmer": [1], "stoplist": [1], "model": []}
    assert row["cells"] == {"stemmer": 47 / 48, "stoplist": 47 / 48, "model": 8 / 18}
    assert row["differing"] == 0


def test_axes_of_the_cube_are_the_factors() -> None:
    levels = cube(np.arange(72.0)[None])[0]
    place = int(levels[2, 1, 4])
    assert COMPONENTS[place].name == "porter_short_pl2"
