"""Pieces of the Cranfield build on tiny input, and the counts of the real collection."""

from pathlib import Path

import numpy as np
import pytest

from validation.collections.cranfield.collection import read_collection, read_judgments
from validation.collections.cranfield.feedback import rm3, rocchio
from validation.collections.cranfield.index import Index
from validation.collections.cranfield.language_models import dirichlet
from validation.collections.cranfield.measure import Evaluator
from validation.collections.cranfield.ranking import order, runs_of_topics
from validation.collections.cranfield.vector_space import tfidf


@pytest.fixture
def index() -> Index:
    """Three documents, the last one empty, and one query."""
    return Index.from_tokens(
        [["shock", "wave", "shock"], ["wave", "drag"], []], [["shock", "drag", "unseen"]]
    )


@pytest.fixture
def feedback_index() -> Index:
    """`sonic` keeps the company of the query term `boom`; `wing` does not."""
    documents = [["wing", "flap"], ["boom", "sonic", "sonic"], ["sonic", "jet"], ["flap", "slat"]]
    return Index.from_tokens(documents, [["boom"]])


def test_codes_become_gains_and_source_document_is_apart() -> None:
    judgments = read_judgments("1 10 1 \n1 11  2 \n1 12 3 \n1 13 4 \n1 14 5\n1 15 -1")
    assert judgments.gains == {1: {10: 4, 11: 3, 12: 2, 13: 1, 14: 0}}
    assert judgments.sources == {1: 15}
    assert judgments.code_counts()[-1] == 1
    assert judgments.with_relevant_sources().gains[1][15] == 4


def test_dirichlet_by_hand(index: Index) -> None:
    # P(shock) = 2/5 and P(drag) = 1/5 in the collection; lengths are 3, 2 and 0
    likelihood = [(4 / 8) * (1 / 8), (2 / 7) * (2 / 7), (2 / 5) * (1 / 5)]
    np.testing.assert_allclose(dirichlet(index, mu=5), [np.log(likelihood)])


def test_feedback_finds_documents_without_the_query_term(feedback_index: Index) -> None:
    by_rm3 = rm3(feedback_index, mu=5, documents=1, terms=2, original_weight=0.5)
    by_rocchio = rocchio(feedback_index, documents=1, terms=2)
    assert order(tfidf(feedback_index))[0].tolist() == [1, 0, 2, 3]
    assert order(by_rm3)[0, :2].tolist() == [1, 2]
    assert order(by_rocchio)[0, :2].tolist() == [1, 2]


def test_measures_by_hand() -> None:
    judgments = read_judgments("1 1 2\n1 2 4\n1 4 -1\n2 1 1")
    scores = np.array([[0.1, 0.3, 0.2, 0.9], [0.0, 0.0, 0.0, 0.0]])
    runs = runs_of_topics(scores, [1, 2, 3, 4], judgments.sources)
    measured = Evaluator(judgments).scores({1: runs[1], 2: {"3": 1.0}})
    # topic 1 ranks documents 2, 3, 1 with gains 1, 0, 3; topic 2 finds nothing
    best = 3 + 1 / np.log2(3)
    assert measured["ap"] == pytest.approx([(1 + 2 / 3) / 2, 0])
    assert measured["ndcg10"] == pytest.approx([(1 + 3 / 2) / best, 0])
    assert measured["p10"] == pytest.approx([0.2, 0])
    assert measured["rr"] == pytest.approx([1, 0])


def test_counts_of_the_real_collection(shared_data: Path) -> None:
    collection = read_collection(shared_data / "cranfield")
    assert len(collection.documents) == 1400
    assert [d.number for d in collection.documents if not d.full] == [471, 995]
    assert len(collection.queries) == 225
    assert all(collection.queries)
    counts = {1: 128, 2: 387, 3: 734, 4: 363, -1: 225}
    assert collection.judgments.code_counts() == counts
    assert sorted(collection.judgments.sources) == list(range(1, 226))
    assert sum(len(gains) for gains in collection.judgments.gains.values()) == 1612
