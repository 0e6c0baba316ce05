"""The score matrices that come with the package."""

import re
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from cdfscore.datasets import cranfield_measures, load_cranfield
from cdfscore.errors import CdfscoreError, ScoresError

MEASURES = ["ap", "ndcg10", "p10", "rr"]


@pytest.fixture(scope="module")
def matrices() -> dict[str, pd.DataFrame]:
    return {measure: load_cranfield(measure) for measure in MEASURES}


@pytest.fixture(scope="module")
def card() -> str:
    return (files("cdfscore.datasets") / "cranfield.md").read_text(encoding="utf-8")


def test_the_measures() -> None:
    assert cranfield_measures() == MEASURES


@pytest.mark.parametrize("measure", MEASURES)
def test_a_complete_matrix_of_scores(matrices, measure) -> None:
    scores = matrices[measure]
    assert scores.shape == (225, 67)
    assert (scores.dtypes == np.float64).all()
    assert not scores.isna().to_numpy().any()
    assert scores.to_numpy().min() >= 0
    assert scores.to_numpy().max() <= 1


@pytest.mark.parametrize("measure", MEASURES)
def test_the_same_topics_and_systems_in_the_same_order(matrices, measure) -> None:
    scores = matrices[measure]
    assert scores.index.tolist() == [str(topic) for topic in range(1, 226)]
    assert scores.index.name == "topic"
    assert scores.columns.tolist() == matrices["ap"].columns.tolist()
    assert scores.columns.is_unique


def test_precision_at_ten_counts_tenths(matrices) -> None:
    assert set(matrices["p10"].to_numpy().ravel()) <= {k / 10 for k in range(11)}


def test_reciprocal_ranks_are_reciprocals_of_ranks(matrices) -> None:
    reciprocal = matrices["rr"].to_numpy().ravel()
    reciprocal = reciprocal[reciprocal > 0]
    assert np.array_equal(np.round(1 / np.round(1 / reciprocal), 6), reciprocal)


def test_scores_have_six_decimals(matrices) -> None:
    for scores in matrices.values():
        assert np.array_equal(scores.round(6), scores)


def test_no_two_systems_are_the_same(matrices) -> None:
    assert np.unique(matrices["ap"].to_numpy(), axis=1).shape == (225, 67)


def test_the_measures_agree_on_what_is_nothing(matrices) -> None:
    """Nothing relevant found: 0 by AP, and then by every measure."""
    nothing = matrices["ap"].to_numpy() == 0
    for scores in matrices.values():
        assert (scores.to_numpy()[nothing] == 0).all()


@pytest.mark.parametrize("measure", ["AP", "map", "", "cranfield_ap", "../cranfield_ap"])
def test_another_measure_is_refused(measure) -> None:
    expected = f"no Cranfield scores of '{re.escape(measure)}'; expected one of ap, ndcg10, p10, rr"
    with pytest.raises(ScoresError, match=expected) as caught:
        load_cranfield(measure)
    assert isinstance(caught.value, CdfscoreError)


def test_a_caller_may_change_what_it_loads(matrices) -> None:
    scores = load_cranfield("ap")
    scores.iloc[0, 0] = -1.0
    assert load_cranfield("ap").iloc[0, 0] == matrices["ap"].iloc[0, 0]


def test_the_card_describes_every_system_and_file(matrices, card) -> None:
    for system in matrices["ap"].columns:
        assert f"`{system}`" in card, system
    for measure in MEASURES:
        assert f"`cranfield_{measure}.csv`" in card
    assert "67 retrieval systems on the 225 topics" in card
