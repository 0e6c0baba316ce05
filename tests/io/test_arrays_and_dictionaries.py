"""Arrays with labels, and dictionaries of pytrec_eval and ranx, as score matrices."""

import math
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import Standardizer, as_scores, datasets
from cdfscore.errors import ScoresError
from tests import a_tenth

VALUES = np.array([[0.25, 0.75], [0.5, 1.0]])
FRAME = as_scores(pd.DataFrame(VALUES, ["301", "302"], ["bm25", "lsa"]))
PER_SYSTEM = {"bm25": {"301": 0.25, "302": 0.5}, "lsa": {"301": 0.75, "302": 1.0}}
PER_TOPIC = {"301": {"bm25": 0.25, "lsa": 0.75}, "302": {"bm25": 0.5, "lsa": 1.0}}
LABELS: dict[str, Any] = {"systems": ["bm25", "lsa"], "topics": [301, 302]}


@pytest.mark.clause("matrix.1", "as_scores.1")
def test_array() -> None:
    for found in (
        as_scores(VALUES, **LABELS),
        as_scores(VALUES, systems=iter(["bm25", "lsa"]), topics=np.array(["301", "302"])),
        as_scores(VALUES.T, **LABELS, systems_as_rows=True),
        as_scores(VALUES.astype(np.float32), **LABELS),
        as_scores(VALUES.astype(str), **LABELS),
    ):
        pd.testing.assert_frame_equal(found, FRAME)


def test_array_with_missing_scores() -> None:
    masked = np.ma.masked_array(VALUES, [[False, True], [False, False]])
    none = np.array([[0.25, None], [0.5, 1.0]], dtype=object)
    for holes in (masked, masked.filled(math.nan), none):
        found = as_scores(holes, **LABELS)
        assert np.isnan(found.to_numpy()).tolist() == [[False, True], [False, False]]


@pytest.mark.clause("as_scores.1")
def test_dictionary() -> None:
    per_measure = {"map": {"301": 0.25, "302": 0.5}, "P_10": {"301": 0.9, "302": 0.9}}
    every = {
        name: {t: {"map": x, "P_10": 0.9} for t, x in own.items()}
        for name, own in PER_SYSTEM.items()
    }
    for found in (
        as_scores(PER_SYSTEM, levels=("system", "topic")),
        as_scores(PER_TOPIC, levels=["topic", "system"]),
        as_scores(every, levels=("system", "topic", "measure"), measure="map"),
    ):
        pd.testing.assert_frame_equal(found, FRAME)
    per_query = {"301": {"map": 0.25, "P_10": 0.9}, "302": {"map": 0.5, "P_10": 0.9}}
    for one in (
        as_scores(per_measure, levels=("measure", "topic"), measure="map", system="bm25"),
        as_scores(per_query, levels=("topic", "measure"), measure="map", system="bm25"),
        as_scores(per_measure, measure="map", system="bm25"),
        as_scores(per_query, measure="map", system="bm25"),
    ):
        pd.testing.assert_frame_equal(one, FRAME[["bm25"]])


def test_pytrec_eval(pytrec_eval: ModuleType) -> None:
    qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}
    runs = {"a": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}}
    runs["b"] = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recip_rank"})
    results = {name: evaluator.evaluate(run) for name, run in runs.items()}
    found = as_scores(results, levels=("system", "topic", "measure"), measure="map")
    assert found.to_numpy().tolist() == [[1.0, 0.5], [0.5, 1.0]]
    one = as_scores(results["b"], measure="map", system="b")
    pd.testing.assert_frame_equal(one, found[["b"]])


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaTypeSafetyWarning")
def test_ranx() -> None:
    import ranx  # which takes seconds

    qrels = ranx.Qrels({"q1": {"d1": 1}, "q2": {"d2": 1}})
    run = ranx.Run({q: {"d1": 2.0, "d2": 1.0} for q in ("q1", "q2")}, name="bm25")
    ranx.evaluate(qrels, run, ["map", "mrr"])
    found = as_scores(run.scores, measure="map", system=run.name)
    assert found.to_dict() == {"bm25": {"q1": 1.0, "q2": 0.5}}


@a_tenth
@given(st.data())
def test_round_trips_with_equal_bits(data: st.DataObject) -> None:
    """A part of a real matrix, in any order of topics, through each form."""
    ap = datasets.load_cranfield("ap")
    topics = data.draw(
        st.lists(st.sampled_from(list(ap.index)), min_size=1, max_size=6, unique=True)
    )
    scores = as_scores(ap.loc[topics].iloc[:, : data.draw(st.integers(1, 5))])
    systems = list(scores.columns)
    by_system = scores.to_dict()
    by_topic = scores.to_dict("index")
    for found in (
        as_scores(scores.to_numpy(), systems=systems, topics=topics),
        as_scores(by_system, levels=("system", "topic")),
        as_scores(by_topic, levels=("topic", "system")),
        as_scores({"ap": by_system}, levels=("measure", "system", "topic"), measure="ap"),
        as_scores(pl.DataFrame({"topic": topics, **scores.to_dict("list")})),
    ):
        pd.testing.assert_frame_equal(found, scores, check_exact=True)


LEVELS: dict[str, Any] = {"levels": ("system", "topic")}
BAD: list[tuple[Any, dict[str, Any], str]] = [
    (
        VALUES,
        {"systems": {"bm25", "lsa"}},
        "of my scores is not accepted, as a set has no order; expected a list",
    ),
    (VALUES, {"systems": {"bm25": 0, "lsa": 1}}, "is not accepted; expected a list of names"),
    (VALUES, {"systems": b"ab"}, "systems=b'ab' of my scores is not accepted; expected a list"),
    (
        np.zeros((2, 2), dtype=[("a", "f8")]),
        LABELS,
        "has shape (2, 2) and named fields; expected numbers in two dimensions",
    ),
    (PER_SYSTEM, {"levels": 5}, "levels=5 of my scores is not accepted"),
    (PER_SYSTEM, {"levels": [["topic"], "system"]}, "levels=[['topic'], 'system'] of my scores"),
    (PER_SYSTEM, {"measure": 1, "system": "bm25"}, "measure=1 of my scores is not accepted"),
    (
        PER_SYSTEM,
        {"levels": ("system", "topic"), "systems_as_rows": False},
        "my scores is a dictionary, for which systems_as_rows=False",
    ),
    (
        VALUES,
        {},
        "array of shape (2, 2) without names of systems; expected systems=[...], one name",
    ),
    (VALUES, {"systems": ["a"]}, "2 systems, and systems=[...] has 1 name; expected one for each"),
    (VALUES[:1], {**LABELS}, "has 1 topic, and topics=[...] has 2 names"),
    (VALUES[:1], {"systems": ["a"]}, "where rows are topics (systems_as_rows=False)"),
    (
        VALUES,
        {"systems": ["a"], "systems_as_rows": True},
        "rows are systems (systems_as_rows=True)",
    ),
    (VALUES, {"systems": "ab"}, "systems='ab' of my scores is not accepted; expected a list"),
    (VALUES, {"systems": 2}, "systems=2 of my scores is not accepted"),
    (VALUES, {"systems": ["a", "a"]}, "system 'a' appears twice, in column 1 and in column 2"),
    (VALUES, {"systems": ["a", None]}, "column 2: the system has no name"),
    (VALUES, {"systems": ["a", "b"], "topics": ["t", " t "]}, "topic 't' appears twice"),
    (VALUES, {**LABELS, "topic_column": "topic"}, "array, for which topic_column='topic'"),
    (
        VALUES,
        {**LABELS, "levels": ("system", "topic")},
        "an array, for which levels=('system', 'topic')",
    ),
    (VALUES[0], LABELS, "shape (2,); expected numbers in two dimensions, topics x systems"),
    (VALUES[np.newaxis], LABELS, "shape (1, 2, 2)"),
    (np.float64(0.5), LABELS, "is a float64; expected a data frame"),
    (VALUES[:0], {"systems": ["a", "b"]}, "shape (0, 2); expected topics x systems"),
    (VALUES > 0, LABELS, "system 'bm25' holds bool; expected numbers"),
    (VALUES * 1j, LABELS, "system 'bm25' holds complex128"),
    (
        np.array([["0.1", "x"], ["0.2", "0.3"]]),
        LABELS,
        "topic '301', system 'lsa': 'x' is not a num",
    ),
    (VALUES * np.inf, LABELS, "topic '301', system 'bm25': inf is not finite"),
    ([[0.1]], {}, "is a list; expected a data frame"),
    (FRAME, {"systems": ["a", "b"]}, "a data frame, for which systems=['a', 'b']"),
    (FRAME, {"measure": "map"}, "a data frame, for which measure='map'"),
    (PER_SYSTEM, {}, "nothing says what its levels are; expected levels=('system', 'topic')"),
    (PER_SYSTEM, {"levels": "topic"}, "levels='topic' of my scores is not accepted"),
    (PER_SYSTEM, {"levels": ("system", "topic", "topic")}, "is not accepted"),
    (PER_SYSTEM, {"levels": ("run", "topic")}, "levels=('run', 'topic') of my scores is not acc"),
    (PER_SYSTEM, {"levels": ("system", "measure")}, "is not accepted; expected levels="),
    (PER_SYSTEM, {**LEVELS, "system": "a"}, "has its own; expected no system='a'"),
    (PER_SYSTEM, {**LEVELS, "measure": "map"}, "has none; expected no measure='map'"),
    (PER_SYSTEM, {**LEVELS, "topics": [1]}, "a dictionary, for which topics=[1]"),
    (PER_SYSTEM, {**LEVELS, "systems_as_rows": True}, "for which systems_as_rows=True is not"),
    (
        PER_TOPIC,
        {"levels": ("topic", "measure"), "measure": "map"},
        "of one system; expected system=",
    ),
    (PER_TOPIC, {"levels": ("topic", "measure"), "system": "a"}, "of several; expected measure="),
    (
        PER_TOPIC,
        {"levels": ("topic", "measure"), "system": "a", "measure": "bm24"},
        "no measure 'bm24' (did you mean 'bm25'?); it has bm25, lsa",
    ),
    (
        PER_SYSTEM,
        {"levels": ("system", "topic", "measure"), "measure": "map"},
        "at 'bm25' and '301' is a float; expected a dictionary with measures as keys",
    ),
    (
        PER_SYSTEM,
        {"measure": "301"},
        "measure='301' alone does not say what its levels are; expected levels=",
    ),
    (
        PER_SYSTEM,
        {"measure": "mpa", "system": "a"},
        "'mpa' is a key of neither level; expected lev",
    ),
    (
        {"map": {"map": 0.5}},
        {"measure": "map", "system": "a"},
        "'map' is a key of both levels; expected levels=('topic', 'measure') or ('measure', 'to",
    ),
    ({"a": PER_SYSTEM}, LEVELS, "at 'a': the topic 'bm25' has a dictionary; expected a score"),
    ({"a": 0.5}, LEVELS, "at 'a' is a float; expected a dictionary with topics as keys"),
    ({"a": [0.5]}, LEVELS, "at 'a' is a list; expected a dictionary with topics as keys"),
    ({}, LEVELS, "is empty; expected a dictionary with systems as keys"),
    ({"a": {}}, LEVELS, "at 'a' is empty; expected a dictionary with topics as keys"),
    ({"a": {1: 0.5, "1": 0.7}}, LEVELS, "system 'a': topic '1' appears twice"),
    ({"a": {"1": "x"}}, LEVELS, "topic '1', system 'a': 'x' is not a number"),
    ({"a": {"1": True}}, LEVELS, "system 'a' holds bool"),
    ({"a": {"": 0.5}}, LEVELS, "row 1: the topic has no name"),
    ({"": {"1": 0.5}}, LEVELS, "column 1: the system has no name"),
    ({"a": {"1": [0.5]}}, LEVELS, "topic '1', system 'a': [0.5] is not a number"),
]


@pytest.mark.clause("as_scores.1")
@pytest.mark.parametrize(("scores", "options", "fragment"), BAD)
def test_bad_input_is_refused_in_one_sentence(
    scores: Any, options: dict[str, Any], fragment: str
) -> None:
    with pytest.raises(ScoresError) as caught:
        as_scores(scores, source="my scores", **options)
    message = str(caught.value)
    assert fragment in message
    assert "my scores" in message
    assert "\n" not in message
    assert len(message) < 400


@pytest.mark.parametrize("scores", [VALUES, PER_SYSTEM, PER_TOPIC])
def test_functions_ask_for_what_only_as_scores_takes(scores: Any) -> None:
    with pytest.raises(ScoresError, match=r"by as_scores\("):
        Standardizer("normal").fit(scores)


def test_a_dictionary_remembers_its_measure() -> None:
    found = as_scores({"301": {"map": 0.25}, "302": {"map": 0.5}}, measure="map", system="bm25")
    assert Standardizer("raw").standardize(found).given.frame.attrs["cdfscore"]["measure"] == "map"
