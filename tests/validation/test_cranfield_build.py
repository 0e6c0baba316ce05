"""Pieces of the Cranfield build on tiny input, and the counts of the real collection."""

import re
from pathlib import Path

import numpy as np
import pytest

from validation.collections.cranfield.build import main
from validation.collections.cranfield.collection import (
    Document,
    read_collection,
    read_documents,
    read_judgments,
    read_queries,
)
from validation.collections.cranfield.feedback import rm3, rocchio
from validation.collections.cranfield.index import Index
from validation.collections.cranfield.language_models import dirichlet, jelinek_mercer
from validation.collections.cranfield.measure import Evaluator, shortest
from validation.collections.cranfield.ranking import order, ranks, run_of_topic, runs_of_topics
from validation.collections.cranfield.systems import SYSTEMS, Combination
from validation.collections.cranfield.text import ANALYZERS
from validation.collections.cranfield.vector_space import tfidf

DOCUMENTS = """.I 1
.T
shock waves in
air .
.A
doe, j.
.B
j. ae. scs. 1958.
.W
shock waves in
air .
  they were measured .
.A
and then computed .
.I 2
.T
.A
.B
.W
.I 3
.T
drag .
.A
.B
.W
drag .
wings have drag .
"""


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


def test_documents_with_empty_one_and_stray_marker() -> None:
    assert read_documents(DOCUMENTS) == [
        Document(1, "shock waves in air .", "they were measured . and then computed ."),
        Document(2, "", ""),
        Document(3, "drag .", "wings have drag ."),
    ]
    assert read_documents(DOCUMENTS)[2].full == "drag . wings have drag ."


def test_queries_keep_file_order() -> None:
    assert read_queries(".I 004\n.W\nwhat\nnow .\n.I 009\n.W\nwhy .\n") == ["what now .", "why ."]


def test_codes_become_gains_and_source_document_is_apart() -> None:
    judgments = read_judgments("1 10 1 \n1 11  2 \n1 12 3 \n1 13 4 \n1 14 5\n1 15 -1")
    assert judgments.gains == {1: {10: 4, 11: 3, 12: 2, 13: 1, 14: 0}}
    assert judgments.sources == {1: 15}
    assert judgments.code_counts()[-1] == 1
    assert judgments.with_relevant_sources().gains[1][15] == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 10 6", "unknown relevance code 6"),
        ("1 10 2\n1 10 3", "twice"),
        ("1 10 -1\n1 11 -1", "two source documents"),
    ],
)
def test_bad_judgments_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_judgments(text)


@pytest.mark.parametrize(
    ("analyzer", "terms"),
    [
        ("stem", ["flow", "wing"]),
        ("nostem_keepstop", ["the", "flows", "of", "wings"]),
        ("bigrams", ["flow", "wing", "flow_wing"]),
        ("char5", [" the ", " flow", "flows", "lows ", " of ", " wing", "wings", "ings "]),
    ],
)
def test_analyzers(analyzer: str, terms: list[str]) -> None:
    assert ANALYZERS[analyzer].terms("The flows, of wings .") == terms


def test_dirichlet_by_hand(index: Index) -> None:
    # P(shock) = 2/5 and P(drag) = 1/5 in the collection; lengths are 3, 2 and 0
    likelihood = [(4 / 8) * (1 / 8), (2 / 7) * (2 / 7), (2 / 5) * (1 / 5)]
    np.testing.assert_allclose(dirichlet(index, mu=5), [np.log(likelihood)])


def test_jelinek_mercer_by_hand(index: Index) -> None:
    likelihood = [
        (0.75 * 2 / 3 + 0.25 * 2 / 5) * (0.25 * 1 / 5),
        (0.25 * 2 / 5) * (0.75 * 1 / 2 + 0.25 * 1 / 5),
        (0.25 * 2 / 5) * (0.25 * 1 / 5),
    ]
    np.testing.assert_allclose(jelinek_mercer(index, collection_weight=0.25), [np.log(likelihood)])


def test_rm3_with_the_query_alone_is_query_likelihood(feedback_index: Index) -> None:
    alone = rm3(feedback_index, mu=5, documents=1, terms=2, original_weight=1.0)
    np.testing.assert_allclose(alone, dirichlet(feedback_index, mu=5))


def test_feedback_finds_documents_without_the_query_term(feedback_index: Index) -> None:
    by_rm3 = rm3(feedback_index, mu=5, documents=1, terms=2, original_weight=0.5)
    by_rocchio = rocchio(feedback_index, documents=1, terms=2)
    assert order(tfidf(feedback_index))[0].tolist() == [1, 0, 2, 3]
    assert order(by_rm3)[0, :2].tolist() == [1, 2]
    assert order(by_rocchio)[0, :2].tolist() == [1, 2]


def test_rocchio_without_feedback_is_tfidf(feedback_index: Index) -> None:
    plain = tfidf(feedback_index, sublinear=True)
    np.testing.assert_allclose(rocchio(feedback_index, documents=1, terms=2, beta=0), plain)


def test_ties_go_to_the_lower_number_and_noise_does_not_break_them() -> None:
    scores = np.array([[0.3, 0.1 + 0.2, 0.7, 0.3]])
    assert order(scores).tolist() == [[2, 0, 1, 3]]
    assert ranks(scores).tolist() == [[2, 3, 1, 4]]


def test_runs_have_falling_scores_and_leave_the_source_out() -> None:
    scores = np.array([0.5, 0.5, 0.9, 0.0])
    run = run_of_topic(scores, [1, 2, 3, 4], left_out={3}, depth=2)
    assert run == {"1": 2.0, "2": 1.0}


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


@pytest.mark.parametrize(
    ("value", "text"), [(0.25, "0.25"), (0.0, "0"), (1.0, "1"), (0.000012, "0.000012")]
)
def test_shortest_form(value: float, text: str) -> None:
    assert shortest(value) == text


def test_table_of_systems() -> None:
    assert len(SYSTEMS) >= 48
    earlier: set[str] = set()
    for name, system in SYSTEMS.items():
        assert re.fullmatch(r"[a-z0-9_.]+", name)
        assert system.parameters().endswith(".")
        if isinstance(system, Combination):
            assert earlier.issuperset(system.members)
        earlier.add(name)


def test_absent_collection_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^The Cranfield collection is not in .*\.$"):
        main(["--data", str(tmp_path), "--out", str(tmp_path)])


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
