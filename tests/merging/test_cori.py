"""CORI and the weights of sources: worked examples with 50 digits, and what is refused."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.errors import CdfscoreError, FitError, RunError, SchemeError, ScoresError
from cdfscore.retrieval.merging import TermStatistics, cori, merge, selection_weights

DF = {"a": {"wing": 30, "flow": 100, "heat": 1}, "b": {"flow": 50, "heat": 900}, "c": {"flow": 7}}
WORDS = {"a": 20_000, "b": 10_000, "c": 333}
QUERIES = {"1": "wing flow", "2": "flow heat flow", "3": "no_such_word", "4": ["heat", "none"]}


def by_definition(
    df: dict[str, dict[str, Any]], words: dict[str, Any], query: list[str], b: float = 0.4
) -> dict[str, float]:
    """Return the score of each source for the words of a query, of 50 digits."""
    with mpmath.workdps(50):
        count, base = len(df), mpmath.mpf(b)
        mean = mpmath.mpf(sum(words.values())) / count
        found = {}
        for source, own in df.items():
            beliefs = []
            for word in query:
                f = mpmath.mpf(own.get(word, 0))
                t = f / (f + 50 + 150 * words[source] / mean)
                cf = sum(each.get(word, 0) > 0 for each in df.values())
                i = (
                    mpmath.log((count + mpmath.mpf("0.5")) / cf) / mpmath.log(count + 1)
                    if cf
                    else 0
                )
                beliefs.append(base + (1 - base) * t * i)
            found[source] = float(sum(beliefs) / len(query))
        return found


@pytest.mark.clause("cori.1")
def test_cori_of_a_worked_example() -> None:
    """The term wing, by hand: T = 30 / (30 + 50 + 150 r), I = log 3.5 / log 4."""
    statistics = TermStatistics.of(DF, WORDS)
    found = cori(statistics, QUERIES)
    for topic, query in QUERIES.items():
        words = query.split() if isinstance(query, str) else query
        assert found.loc[topic].to_dict() == pytest.approx(
            by_definition(DF, WORDS, words), rel=1e-15
        )
    assert found.loc["3"].tolist() == [0.4] * 3
    ratio = Fraction(3 * 20_000, 30_333)
    t = float(Fraction(30) / (80 + 150 * ratio))
    wing = cori(statistics, {"1": "wing"}).loc["1"]
    expected = 0.4 + 0.6 * t * math.log(3.5) / math.log(4)
    assert wing.tolist() == pytest.approx([expected, 0.4, 0.4], rel=1e-15)


@pytest.mark.clause("cori.1")
@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.dictionaries(st.sampled_from(["u", "v", "w"]), st.integers(0, 500), min_size=1),
        min_size=1,
    ),
    st.lists(st.integers(1, 10**6), min_size=4, max_size=4),
    st.lists(st.sampled_from(["u", "v", "w", "x"]), min_size=1, max_size=5),
    st.sampled_from([0.0, 0.4, 0.9]),
)
def test_cori_is_that_of_the_definition(
    df: dict[str, dict[str, int]], sizes: list[int], query: list[str], b: float
) -> None:
    words = dict(zip("abcd", sizes, strict=True))
    own = {source: words[source] for source in df}
    statistics = TermStatistics.of(df, words)
    if not set(query) & set(statistics.terms):
        with pytest.raises(RunError, match="no word of any query is a term of a source"):
            cori(statistics, {"1": query}, b)
        return
    found = cori(statistics, {"1": query}, b).loc["1"].to_dict()
    assert found == pytest.approx(by_definition(df, own, query, b), rel=1e-14)


SELECTION = pd.DataFrame(
    {"a": [0.5, 0.4, np.nan], "b": [0.4, 0.4, 2.0], "c": [0.45, 0.4, -1.0]}, index=["1", "2", "3"]
)


@pytest.mark.clause("selection_weights.1")
@pytest.mark.parametrize("lam", [0, 0.0, 0.1, 0.4, 1, 100.0, np.float32(0.5), 1e300, math.inf])
def test_weights_by_definition(lam: float) -> None:
    """By fractions; constant rows have 1/2, and a source that is not searched has none."""
    found = selection_weights(SELECTION, lam)
    for topic, row in SELECTION.iterrows():
        there = [Fraction(x) for x in row if not math.isnan(x)]
        low, high = min(there), max(there)
        for source, score in row.items():
            weight = found.loc[str(topic), str(source)]
            if math.isnan(score):
                assert math.isnan(weight)
                continue
            m = (Fraction(score) - low) / (high - low) if low < high else Fraction(1, 2)
            if not math.isinf(lam):
                m = (1 + Fraction(float(lam)) * m) / (1 + Fraction(float(lam)))
            assert weight == pytest.approx(float(m), rel=1e-14, abs=1e-15)
    if lam == 0:
        assert set(found.loc["1"]) == {1.0}


@pytest.mark.clause("selection_weights.1", "merge.3")
def test_the_weighted_score_is_that_of_the_slides() -> None:
    """s = (1 + 0.4 m) / 1.4 * MinMax; with m = 0 the limit of lambda leaves nothing."""
    lists = {"a": {"1": {"a1": 3.0, "a2": 2.0, "a3": 1.0}}, "b": {"1": {"b1": 9.0, "b2": 0.0}}}
    selection = pd.DataFrame({"a": [0.7], "b": [0.3]}, index=["1"])

    def merged(lam: float) -> dict[str, float]:
        frame = merge(lists, weights=selection_weights(selection, lam)).frame()
        return dict(zip(frame["document"], frame["score"], strict=True))

    assert merged(0.4) == {"a1": 1.0, "b1": 1 / 1.4, "a2": 0.5, "b2": 0, "a3": 0}
    assert list(merged(0.4)) == ["a1", "b1", "a2", "b2", "a3"]
    assert merged(math.inf) == {"a1": 1.0, "a2": 0.5, "b2": 0, "b1": 0, "a3": 0}
    assert merged(0) == {"b1": 1.0, "a1": 1.0, "a2": 0.5, "b2": 0, "a3": 0}


LISTS = {"a": {"1": {"a1": 3.0, "a2": 1.0}}, "b": {"1": {"b1": 3.0}}}
BAD_LAMBDA: list[Any] = [-0.1, math.nan, -math.inf, "0.4", None, True]


@pytest.mark.parametrize("lam", BAD_LAMBDA, ids=str)
def test_lambda_is_at_least_0(lam: Any) -> None:
    with pytest.raises(
        SchemeError, match=r"^lam=.* is not accepted; expected a number of at least"
    ):
        selection_weights(SELECTION, lam)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ({"a": [1.0]}, ScoresError, "the weights lack source 'b'; expected weights of every sour"),
        ({"a": [1.0], "b": [-0.5]}, ScoresError, "source 'b' for topic '1' is -0.5, and the sourc"),
        ({"a": [math.nan], "b": [1.0]}, ScoresError, "source 'a' for topic '1' is missing, and"),
        ({"a": [math.inf], "b": [1.0]}, ScoresError, "'a': inf is not finite"),
        ({"a": [1e308], "b": [1.0]}, RunError, "score of document 'a1' is too large for a double"),
    ],
)
def test_weights_of_every_source_that_has_documents(
    weights: dict[str, list[float]], error: type[CdfscoreError], message: str
) -> None:
    scheme = "minmax" if error is ScoresError else "raw"
    with pytest.raises(error, match=message):
        merge(LISTS, scheme, weights=pd.DataFrame(weights, index=["1"]))


def test_a_topic_without_scores_of_selection_is_named() -> None:
    with pytest.raises(FitError, match=r"^scores of selection, topic '2': minmax needs at least 1"):
        selection_weights(pd.DataFrame({"a": [1.0, np.nan]}, index=["1", "2"]))


BAD_STATISTICS: list[tuple[Any, Any, str]] = [
    (DF, {"a": 1, "b": 1}, "the words of source 'c' are not given; expected a number"),
    ({"a": {"w": 1}}, {"a": 0}, "source 'a' has 0 words; expected a number above 0"),
    ({"a": {"w": 1}}, {"a": math.inf}, "source 'a' has inf words"),
    ({"a": {"w": 1}}, {"a": "100"}, "source 'a' has '100' words"),
    ({"a": {"w": 1}, "b": {"v": -1}}, {"a": 1, "b": 1}, "term 'v' is in -1 documents of source 'b"),
    ({"a": {"w": math.nan}}, {"a": 1}, "term 'w' is in nan documents of source 'a'; expected a nu"),
    ({"a": {"w": None}}, {"a": 1}, "term 'w' is in None documents"),
]


@pytest.mark.parametrize(
    ("df", "words", "message"), BAD_STATISTICS, ids=lambda each: str(each)[:40]
)
def test_statistics_are_refused(df: Any, words: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        TermStatistics.of(df, words)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ({"1": "wing", "2": " "}, "the query of topic '2' has no word; expected one or more"),
        ({"1": []}, "the query of topic '1' has no word"),
        ({"1": "Wing flows"}, "no word of any query is a term of a source; expected words that ar"),
        ({}, "no word of any query is a term"),
    ],
)
def test_queries_are_refused(queries: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        cori(TermStatistics.of(DF, WORDS), queries)


BAD_BELIEFS: list[Any] = [1, -0.1, math.nan, "0.4", None]


@pytest.mark.parametrize("b", BAD_BELIEFS, ids=str)
def test_the_default_belief_is_from_0_to_below_1(b: Any) -> None:
    with pytest.raises(
        SchemeError, match=r"^default_belief=.* expected a number from 0 to below 1"
    ):
        cori(TermStatistics.of(DF, WORDS), QUERIES, b)


def test_one_source_has_a_score_and_the_weight_of_equal_ones() -> None:
    """cf = |C| = 1: log 1.5 / log 2; its MinMax is 1/2."""
    found = cori(TermStatistics.of({"a": {"w": 200}}, {"a": 5}), {"1": "w"})
    expected = 0.4 + 0.6 * 0.5 * math.log(1.5) / math.log(2)
    assert found.loc["1", "a"] == pytest.approx(expected, rel=1e-15)
    assert selection_weights(found, 1).loc["1", "a"] == 0.75
