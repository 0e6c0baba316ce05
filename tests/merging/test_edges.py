"""Lists at the edge: constant, of one document, empty, far down, negative, huge, of odd labels."""

import math
from typing import Any

import numpy as np
import pytest

from cdfscore import CdfscoreWarning
from cdfscore.errors import ConstantTopicError, FitError, RunError, SchemeError
from cdfscore.retrieval import measure
from cdfscore.retrieval.merging import merge, round_robin, rrf
from tests.merging.slow import Lists, rows_of

CONSTANT: Lists = {
    "a": {"1": {"a1": 7.0, "a2": 7.0}, "2": {"a3": 2.0, "a4": 1.0}},
    "b": {"1": {"b1": 5.0}, "2": {"b2": 9.0, "b3": 3.0}},
}


@pytest.mark.clause("merge.2")
@pytest.mark.parametrize(
    ("scheme", "policy", "y"),
    [
        ("minmax", "limit", 0.5),
        ("sum", "limit", 0.0),
        ("empirical", "limit", 1.0),
        ("empirical", "half", 0.5),
        ("normal", "half", 0.5),
        ("kernel", "limit", 0.5),
        ("raw", "limit", 7.0),
    ],
)
def test_constant_lists_have_the_limit_or_a_half(scheme: str, policy: Any, y: float) -> None:
    lists = {"a": CONSTANT["a"]}
    found = {d: score for _, d, _, score, _ in rows_of(merge(lists, scheme, constant=policy))}
    assert (found["a1"], found["a2"]) == (y, y)


@pytest.mark.clause("merge.2")
def test_constant_lists_are_told_of() -> None:
    with pytest.warns(CdfscoreWarning, match="^2 of 4 lists have equal scores only, as a list of "):
        merged = merge(CONSTANT)
    assert merged.cautions[:1] == (
        "2 of 4 lists have equal scores only, as a list of one document has (source 'a', topic "
        "'1'): by the policy limit their documents get 0.5",
    )
    assert set(merged.cautions) <= set(merged.notes)
    with pytest.raises(
        ConstantTopicError, match=r"^source 'a', topic '1': all scores are equal; exp"
    ):
        merge(CONSTANT, constant="raise")
    needs_no_spread = merge(CONSTANT, "empirical")
    assert needs_no_spread.cautions[0].endswith("by the policy limit their documents get 1")
    with pytest.raises(ConstantTopicError, match="all scores are equal"):
        merge(CONSTANT, "raw", constant="raise")
    assert not any("equal scores only" in each for each in merge(CONSTANT, "raw").notes)


@pytest.mark.clause("merge.2")
def test_a_list_of_one_document_has_no_z() -> None:
    message = "source 'b', topic '1': z needs at least 2 reference scores and there is 1"
    expected = "longer lists, or unfitted='drop_list', which omits such lists"
    with pytest.raises(FitError, match=f"^{message}; expected {expected}$"):
        merge(CONSTANT, "z")
    merged = merge(CONSTANT, "z", unfitted="drop_list")
    assert (
        f"1 list omitted, because z cannot be fitted: {message.partition(': ')[0]}"
        in merged.notes[0]
    )
    assert len(merged.frame()) == 6
    with pytest.raises(RunError, match=r"^no document is left in any list; expected one or more"):
        merge({"b": {"1": {"b1": 5.0}}}, "z", unfitted="drop_list")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"constant": "nan"}, "constant='nan' is not accepted; expected one of limit, h"),
        ({"unfitted": "drop_topic"}, "unfitted='drop_topic' is not accepted"),
        ({"duplicates": "first"}, "duplicates='first' is not accepted; expected one of refuse, b"),
        ({"normalize": "z", "constant": "half"}, "constant='half' is defined for a cdf, not for z"),
        ({"normalize": "no"}, "there is no scheme 'no'"),
        ({"depth": 0}, "depth=0 is not accepted; expected a whole number of at least 1"),
        ({"depth": 2.5}, "depth=2.5 is not accepted"),
        ({"depth": "10"}, "depth='10' is not accepted"),
        ({"depth": True}, "depth=True is not accepted"),
        ({"keep": math.nan}, "keep=nan is not accepted"),
        ({"keep": math.inf}, "keep=inf is not accepted"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_settings_are_checked_before_a_run_is_read(settings: Any, message: str) -> None:
    with pytest.raises(SchemeError, match=message):
        merge("none.run", **settings)


@pytest.mark.parametrize("way", [merge, rrf, round_robin])
def test_a_source_without_documents_for_a_topic(way: Any) -> None:
    """Left out of that topic, and said; topics in the order of the sources."""
    lists: Lists = {
        "a": {"2": {"a1": 2.0, "a2": 1.0}, "9": {}},
        "b": {"1": {"b1": 2.0, "b2": 1.0}, "2": {"b3": 2.0, "b4": 1.0}},
    }
    merged = way(lists)
    assert merged.run.topics == ("2", "1")
    assert merged.notes[0] == "of 2 topics, some sources have no list: a for 1"
    assert [(t, s) for t, _, _, _, s in rows_of(merged)].count(("2", "b")) == 2
    lists["c"] = {"1": {}}
    with pytest.raises(RunError, match=r"^there is no document in the run 'c'"):
        way(lists)


def test_a_depth_beyond_the_lists_is_all_of_them() -> None:
    assert rows_of(merge(CONSTANT, depth=3)) == rows_of(merge(CONSTANT))
    assert rows_of(merge(CONSTANT, depth=np.int64(10**12))) == rows_of(merge(CONSTANT))  # type: ignore[arg-type]
    assert len(merge(CONSTANT, depth=1).frame()) == 4
    assert len(merge(CONSTANT, depth=2.0, keep=1.0).frame()) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["minmax", "z", "sum", "empirical", "normal", "kernel", "raw"])
def test_one_source_keeps_its_order(scheme: str) -> None:
    scores = {f"d{i}": float(np.float32(x)) for i, x in enumerate((-9.5, 3.25, -1e-3, 0.0, 7e4))}
    merged = merge({"a": {"1": scores}}, scheme)
    assert merged.frame()["document"].tolist() == ["d4", "d1", "d3", "d2", "d0"]
    assert merged.sources == ("a",)


@pytest.mark.clause("merge.5")
def test_scores_that_differ_in_double_precision_only() -> None:
    """A list is cut in the order of trec_eval; merged scores are ordered as doubles, and said."""
    near = {"x": 1.0 + 2**-30, "z": 1.0, "y": 1.0 + 2**-31}
    assert merge({"a": {"1": near}}, "raw", depth=1).frame()["document"].tolist() == ["z"]
    merged = merge({"a": {"1": near}}, "raw")
    assert merged.frame()["document"].tolist() == ["x", "y", "z"]
    assert merged.notes[-2] == (
        "2 documents with the score of the document before in single precision, but a lower score "
        "in double precision: trec_eval orders them by descending document id"
    )


@pytest.mark.parametrize("size", [1e-300, 1e300])
@pytest.mark.parametrize("scheme", ["minmax", "sum", "empirical", "raw"])
def test_tiny_and_huge_scores(scheme: str, size: float) -> None:
    merged = merge({"a": {"1": {"x": 3 * size, "y": 2 * size, "z": size}}}, scheme)
    y = {"minmax": [1, 0.5, 0], "sum": [2 / 3, 1 / 3, 0], "empirical": [1, 2 / 3, 1 / 3]}
    expected = y.get(scheme, [3 * size, 2 * size, size])
    assert merged.frame()["score"].tolist() == pytest.approx(expected, rel=1e-15)
    assert "".join(merged.frame()["document"]) == "xyz"


def test_a_score_that_no_double_holds_is_refused() -> None:
    lists: Lists = {"a": {"1": {"x": 1e308}}, "b": {"1": {"x": 1e308}}}
    message = "topic '1': the merged score of document 'x' is too large for a double; expected"
    with pytest.raises(RunError, match=message):
        merge(lists, "raw", duplicates="sum")
    with pytest.raises(
        FitError, match="source 'a', topic '1': max - min is too large for a double"
    ):
        merge({"a": {"1": {"x": 1.7e308, "y": -1.7e308}}})


def test_numbers_as_labels() -> None:
    lists: Any = {7: {301: {1: 2.5, 2: 1.5}}, 8: {301.0: {3: 1.0, np.int64(4): 0.0}}}
    assert rows_of(merge(lists)) == [
        ("301", "3", 1, 1.0, "8"),
        ("301", "1", 2, 1.0, "7"),
        ("301", "4", 3, 0.0, "8"),
        ("301", "2", 4, 0.0, "7"),
    ]


def test_two_sources_of_one_name() -> None:
    run = merge({"a": {"1": {"x": 1.0}}}, name="m").run
    with pytest.raises(RunError, match="is given twice, both times as the run of the source 'm'"):
        merge([run, run])


def test_the_error_of_a_duplicate_names_the_first_by_topic_and_all_its_sources() -> None:
    lists = {
        s: {"1": {f"own{s}": 1.0}, "2": {"x": 1.0, "y": 2.0}, "3": {"y": 1.0}} for s in "abcdefg"
    }
    with pytest.raises(RunError) as error:
        merge(lists)
    assert str(error.value) == (
        "topic '2': document 'x' is in the lists of the sources 'a', 'b', 'c', 'd', 'e', ...; "
        "expected each document in one list, or duplicates='best', 'sum' or 'mnz'"
    )
    assert len(merge(lists, duplicates="best").frame()) == 7 + 2 + 1


def test_notes_on_raw_scores_and_duplicates() -> None:
    lists: Lists = {"a": {"1": {"x": 1.0, "y": 3.0}}, "b": {"1": {"x": 2.0, "z": 5.0}}}
    told = "1 document in the lists of several sources: each is kept once, with the sum of its "
    for policy, once in {
        "best": told.replace("the sum of its ", "its highest score"),
        "sum": f"{told}scores",
        "mnz": f"{told}scores times the number of its lists",
    }.items():
        with pytest.warns(CdfscoreWarning, match="^raw scores are merged as they are: the order i"):
            merged = merge(lists, "raw", duplicates=policy)  # type: ignore[arg-type]
        assert merged.notes[0] == once


def test_a_merged_run_is_measured() -> None:
    merged = merge(CONSTANT, name="mine")
    assert repr(merged) == "<Merged 'mine': 2 sources, 2 topics, 7 documents>"
    found = measure(merged.run, {"1": {"b1": 1}, "2": {"a3": 1}}, "RR")["RR"]
    # All of topic 1 have 1/2, and b1 the highest id; b2 and a3 have 1.
    assert found["mine"].tolist() == [1.0, 0.5]
