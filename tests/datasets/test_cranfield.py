"""The score matrices that come with the package."""

import re
from collections.abc import Callable
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from cdfscore.datasets import load_cranfield, load_cranfield_components, load_cranfield_grid
from cdfscore.errors import CdfscoreError, ScoresError

MEASURES = ["ap", "ndcg10", "p10", "rr"]

Load = Callable[[str], pd.DataFrame]
Matrices = dict[str, pd.DataFrame]
LOADERS: dict[str, tuple[Load, int]] = {
    "cranfield": (load_cranfield, 67),
    "cranfield_grid": (load_cranfield_grid, 72),
}


@pytest.fixture(scope="module", params=LOADERS)
def name(request: pytest.FixtureRequest) -> str:
    """One of the sets, as its files are named."""
    return str(request.param)


@pytest.fixture(scope="module")
def load(name: str) -> Load:
    return LOADERS[name][0]


@pytest.fixture(scope="module")
def systems(name: str) -> int:
    return LOADERS[name][1]


@pytest.fixture(scope="module")
def matrices(load: Load) -> Matrices:
    return {measure: load(measure) for measure in MEASURES}


@pytest.fixture(scope="module")
def card() -> str:
    return (files("cdfscore.datasets") / "cranfield.md").read_text(encoding="utf-8")


@pytest.mark.clause("datasets.1")
@pytest.mark.parametrize("measure", MEASURES)
def test_a_complete_matrix_of_scores(matrices: Matrices, systems: int, measure: str) -> None:
    scores = matrices[measure]
    assert scores.shape == (225, systems)
    assert (scores.dtypes == np.float64).all()
    assert not scores.isna().to_numpy().any()
    assert scores.to_numpy().min() >= 0
    assert scores.to_numpy().max() <= 1


@pytest.mark.parametrize("measure", MEASURES)
def test_the_same_topics_and_systems_in_the_same_order(matrices: Matrices, measure: str) -> None:
    scores = matrices[measure]
    assert scores.index.tolist() == [str(topic) for topic in range(1, 226)]
    assert scores.index.name == "topic"
    assert scores.columns.tolist() == matrices["ap"].columns.tolist()
    assert scores.columns.is_unique


@pytest.mark.parametrize(
    "measure", ["AP", "map", "", "cranfield_ap", "../cranfield_ap", "components"]
)
def test_another_measure_is_refused(load: Load, measure: str) -> None:
    expected = (
        f"measure='{re.escape(measure)}' is not accepted.*; expected one of ap, ndcg10, p10, rr"
    )
    with pytest.raises(ScoresError, match=expected) as caught:
        load(measure)
    assert isinstance(caught.value, CdfscoreError)


def test_a_caller_may_change_what_it_loads(load: Load, matrices: Matrices) -> None:
    scores = load("ap")
    scores.iloc[0, 0] = -1.0
    assert load("ap").equals(matrices["ap"])


def test_the_card_describes_every_system(card: str) -> None:
    for system in load_cranfield("ap").columns:
        assert f"`{system}`" in card, system
    assert "67 retrieval systems on the 225 topics" in card


def test_the_card_describes_every_component_of_the_grid(card: str) -> None:
    for factor, levels in load_cranfield_components().drop(columns="system").items():
        for level in levels:
            assert f"| {factor} | `{level}` |" in card
    assert "`cranfield_grid_components.csv`" in card
