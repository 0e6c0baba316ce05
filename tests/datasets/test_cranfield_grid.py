"""The grid: 72 systems of 3 stemmers, 3 stop lists and 8 models, crossed."""

import numpy as np
import pandas as pd
import pytest

from cdfscore.datasets import (
    cranfield_measures,
    load_cranfield,
    load_cranfield_components,
    load_cranfield_grid,
)

FACTORS = ["stemmer", "stoplist", "model"]
LEVELS = [3, 3, 8]


@pytest.fixture(scope="module")
def components() -> pd.DataFrame:
    return load_cranfield_components()


@pytest.mark.clause("datasets.1")
def test_every_combination_stands_there_once(components: pd.DataFrame) -> None:
    assert components.columns.tolist() == ["system", *FACTORS]
    assert components[FACTORS].nunique().tolist() == LEVELS
    assert len(components) == np.prod(LEVELS) == len(components[FACTORS].drop_duplicates())


@pytest.mark.parametrize("measure", cranfield_measures())
def test_the_systems_of_every_measure_are_those_of_the_table(
    components: pd.DataFrame, measure: str
) -> None:
    scores = load_cranfield_grid(measure)
    assert scores.columns.tolist() == components["system"].tolist()
    assert scores.index.tolist() == load_cranfield(measure).index.tolist()


@pytest.mark.parametrize(
    ("of_grid", "other"),
    [("none_none_bm25", "bm25_nostem_keepstop"), ("none_long_dirichlet", "ql_dirichlet_nostem")],
)
def test_systems_of_both_sets_have_the_same_scores(of_grid: str, other: str) -> None:
    """They were run apart, with analyzers of two definitions."""
    for measure in cranfield_measures():
        grid, others = load_cranfield_grid(measure), load_cranfield(measure)
        assert grid[of_grid].equals(others[other].rename(of_grid)), measure


def test_a_caller_may_change_what_it_loads(components: pd.DataFrame) -> None:
    loaded = load_cranfield_components()
    loaded.loc[0, "model"] = "other"
    assert load_cranfield_components().equals(components)
