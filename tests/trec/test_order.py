"""The order of documents, against its definition and against trec_eval's code."""

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.retrieval.runs import Judged, RankConflicts, Ranking, cautions, qrels_given, run_of

# Some differ as doubles only, some are infinite in single precision.
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, -2.5, 1e39, 2e39, -1e39, 1e-50])
IDS = st.sampled_from(["d1", "d10", "d2", "D", "é", "ﬀ", "\U0001f600", "d-", "~", "d1x"])
RUNS = st.dictionaries(
    st.sampled_from(["7", "8", "9"]), st.dictionaries(IDS, SCORES, min_size=1), min_size=1
)


def by_definition(ranking: dict[str, float]) -> list[str]:
    """Order by score in single precision, then by the bytes of the id, both descending."""

    def key(document: str) -> tuple[float, bytes]:
        with np.errstate(over="ignore"):
            return float(np.float32(ranking[document])), document.encode()

    return sorted(ranking, key=key, reverse=True)


@pytest.mark.clause("measure.3")
@given(RUNS)
def test_order_is_that_of_the_definition(run: dict[str, dict[str, float]]) -> None:
    found = Ranking.of(run_of("s", run)).as_dict()
    assert {topic: list(ranking) for topic, ranking in found.items()} == {
        topic: by_definition(ranking) for topic, ranking in run.items()
    }
    for ranking in found.values():
        assert list(ranking.values()) == list(range(len(ranking), 0, -1))


@pytest.mark.clause("measure.3")
@given(st.dictionaries(IDS, SCORES, min_size=1))
def test_trec_eval_has_the_same_order(pytrec_eval: ModuleType, ranking: dict[str, float]) -> None:
    """The reciprocal rank of a single relevant document tells its rank."""
    ours = list(Ranking.of(run_of("s", {"1": ranking})).as_dict()["1"])
    for rank, document in enumerate(ours, start=1):
        evaluator = pytrec_eval.RelevanceEvaluator({"1": {document: 1}}, {"recip_rank"})
        assert evaluator.evaluate({"1": ranking})["1"]["recip_rank"] == 1 / rank


@given(
    RUNS,
    st.dictionaries(
        st.sampled_from(["8", "9", "x"]),
        st.dictionaries(IDS, st.integers(-1, 2), min_size=1),
        min_size=1,
    ),
)
def test_judged_documents_have_their_ranks(
    run: dict[str, dict[str, float]], judgments: dict[str, dict[str, int]]
) -> None:
    qrels = qrels_given(judgments)
    found = Judged.of(Ranking.of(run_of("s", run)), qrels)
    expected = [
        (qrels.topics.index(topic), rank, judgments[topic][document])
        for topic, ranking in run.items()
        if topic in judgments
        for rank, document in enumerate(by_definition(ranking), start=1)
        if document in judgments[topic]
    ]
    rows = zip(found.topic.tolist(), found.rank.tolist(), found.relevance.tolist(), strict=True)
    assert list(rows) == expected


def conflicts(*rows: tuple[str, str, float, float]) -> RankConflicts:
    """Compare topic, document, rank and score of each line."""
    scores: dict[str, dict[str, float]] = {}
    for topic, document, _, score in rows:
        scores.setdefault(topic, {})[document] = score
    run = run_of("s", scores)
    run.ranks[:] = [rank for _, _, rank, _ in rows]
    return RankConflicts.of(Ranking.of(run))


LINES = st.lists(
    st.tuples(st.sampled_from("12"), st.integers(1, 5), st.sampled_from([0.5, 1.5, 2.5])),
    min_size=1,
    max_size=12,
)


@pytest.mark.clause("measure.4")
@given(LINES)
def test_conflicts_are_those_of_the_definition(lines: list[tuple[str, int, float]]) -> None:
    rows = [
        (topic, f"d{i:02}", float(rank), score)
        for i, (topic, rank, score) in enumerate(sorted(lines, key=lambda line: line[0]))
    ]
    found = conflicts(*rows)
    contradicted, reordered, documents = set[str](), set[str](), set[str]()
    pairs = [(a, b) for a in rows for b in rows if a[0] == b[0]]
    if not any(a[2] != b[2] for a, b in pairs):
        assert not found.ranked
        rows = [
            (topic, document, float(i), score) for i, (topic, document, _, score) in enumerate(rows)
        ]
        pairs = [(a, b) for a in rows for b in rows if a[0] == b[0]]
    for a, b in pairs:
        if found.ranked and a[2] < b[2] and a[3] < b[3]:
            contradicted.add(a[0])
    for a, b in pairs:
        if a[3] == b[3] and a[2] < b[2] and a[1] < b[1] and a[0] not in contradicted:
            reordered.add(a[0])
            documents |= {c[1] for c in rows if (c[0], c[3]) == (a[0], a[3])}
    assert found == RankConflicts(
        len({row[0] for row in rows}),
        len(contradicted),
        len(reordered),
        len(documents),
        found.ranked,
    )


@pytest.mark.clause("measure.4")
def test_cautions_name_systems_and_counts() -> None:
    none = RankConflicts(9, 0, 0, 0)
    assert cautions({"a": none}) == []
    some = {"b": RankConflicts(9, 2, 3, 7), "c": RankConflicts(8, 1, 0, 0)}
    found = cautions({"a": none, **some, "d": RankConflicts(9, 0, 1, 2, ranked=False)})
    assert found == [
        "the ranks in the file contradict the scores of 2 systems, 'b' (2 of 9 topics), 'c' (1 of "
        "8 topics): documents are ordered by descending score, as in trec_eval",
        "documents with equal scores, compared in single precision, are ordered by descending "
        "document id, as in trec_eval, and not by the ranks in the file: 1 system, 'b' (7 "
        "documents in 3 of 9 topics); scores with more digits avoid such ties",
        "documents with equal scores, compared in single precision, are ordered by descending "
        "document id, as in trec_eval, and not by their order in the input, which has no ranks: "
        "1 system, 'd' (2 documents in 1 of 9 topics); scores with more digits avoid such ties",
    ]
