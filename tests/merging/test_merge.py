"""Merging against a slow one in plain Python: every scheme, weights, depths, duplicates."""

import math
from fractions import Fraction
from itertools import product
from statistics import mean, stdev
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cdfscore.errors import RunError, SchemeError
from cdfscore.retrieval.merging import merge, merging
from cdfscore.stats.schemes.base import parse_scheme, scheme_names
from tests import a_tenth
from tests.merging.slow import SOURCES, TIED, TOPICS, Lists, lists_of, rows_of, slow_merge, y_of
from tests.suited import suited

DEPTHS = st.sampled_from([None, 1, 2, 3, 100])
#: A weight for each topic and source.
WEIGHTS = st.lists(st.sampled_from([0.0, 0.25, 0.7, 1.0]), min_size=9, max_size=9)


def as_table(weights: list[float]) -> pd.DataFrame:
    values = np.reshape(weights, (len(TOPICS), len(SOURCES)))
    return pd.DataFrame(values, index=TOPICS, columns=SOURCES)


def is_as_slow(lists: Lists, scheme: str, weights: list[float] | None, **settings: Any) -> bool:
    """Merge both ways, where there is something to merge."""
    table = None if weights is None else as_table(weights)
    own = parse_scheme(scheme)
    weight = (lambda topic, source: 1.0) if table is None else lambda t, s: table.loc[t, s]
    expected = slow_merge(lists, y_of(own), weight=weight, **settings)
    how: Any = {"weights": table, "unfitted": "drop_list", **settings}
    if expected:
        return rows_of(merge(lists, own, **how)) == expected
    with pytest.raises(RunError, match="expected"):
        merge(lists, own, **how)
    return True


@pytest.mark.clause("merge.1", "merge.3", "merge.4", "merge.5")
@given(
    lists_of(TIED),
    st.sampled_from(["minmax", "sum", "empirical"]),
    st.none() | WEIGHTS,
    DEPTHS,
    st.sampled_from(["refuse", "best", "sum"]),
    DEPTHS,
)
@settings(max_examples=25)
def test_merging_is_that_of_the_definition(
    lists: Lists,
    scheme: str,
    weights: list[float] | None,
    depth: int | None,
    duplicates: str,
    keep: int | None,
) -> None:
    assert is_as_slow(lists, scheme, weights, depth=depth, duplicates=duplicates, keep=keep)


@pytest.mark.clause("merge.1")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("scheme", scheme_names())
@given(data=st.data())
@settings(max_examples=3)
def test_every_scheme_is_fitted_to_each_list_alone(scheme: str, data: st.DataObject) -> None:
    """The same doubles, whatever the lists beside it are, and however long these are."""
    own = parse_scheme(scheme)
    lists: Lists = data.draw(lists_of(TIED.map(lambda x: float(suited(own, np.array([x]))[0]))))
    duplicates = data.draw(st.sampled_from(["best", "sum"]))
    weights = None if not own.is_cdf else data.draw(st.none() | WEIGHTS)
    assert is_as_slow(lists, scheme, weights, duplicates=duplicates, depth=data.draw(DEPTHS))


@a_tenth
@given(lists_of(TIED), st.sampled_from(["best", "sum"]))
def test_topics_in_several_batches(lists: Lists, duplicates: Any) -> None:
    expected = merge(lists, duplicates=duplicates)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_BATCH", 2)
        found = merge(lists, duplicates=duplicates)
    assert rows_of(found) == rows_of(expected)
    assert found.notes == expected.notes


# The definitions of the slides, with exact numbers.


def minmax(scores: list[Fraction]) -> list[Fraction]:
    low, high = min(scores), max(scores)
    return [(s - low) / (high - low) if low < high else Fraction(1, 2) for s in scores]


def sums(scores: list[Fraction]) -> list[Fraction]:
    low = min(scores)
    total = sum(s - low for s in scores)
    return [(s - low) / total if total else Fraction(0) for s in scores]


def z(scores: list[Fraction]) -> list[Fraction]:
    """With n - 1; the square root of fractions is one of mathematics, rounded once."""
    return [(s - mean(scores)) / Fraction(stdev(scores)) for s in scores]


@pytest.mark.clause("merge.1")
@pytest.mark.parametrize(("scheme", "slides"), [("minmax", minmax), ("sum", sums), ("z", z)])
@given(st.lists(st.integers(-64, 64), min_size=2, max_size=9))
def test_formulas_of_the_slides(scheme: str, slides: Any, whole: list[int]) -> None:
    assume(len(set(whole)) > 1)
    scores = [Fraction(k, 8) for k in whole]  # a double each
    lists = {"a": {"1": {f"d{i}": float(s) for i, s in enumerate(scores)}}}
    found = {document: score for _, document, _, score, _ in rows_of(merge(lists, scheme))}
    for i, y in enumerate(slides(scores)):
        assert math.isclose(found[f"d{i}"], y, rel_tol=1e-15, abs_tol=1e-15), (i, y)


@pytest.mark.clause("merge.4")
def test_a_document_is_of_the_first_source_with_its_highest_score() -> None:
    lists = {
        "a": {"1": {"x": 0.5, "p": 1.0, "q": 0.0}},
        "b": {"1": {"x": 1.0, "r": 0.0}},
        "c": {"1": {"x": 1.0, "s": 0.0}},
    }
    assert rows_of(merge(lists, "raw", duplicates="best"))[0] == ("1", "x", 1, 1.0, "b")
    assert rows_of(merge(lists, "raw", duplicates="sum"))[0] == ("1", "x", 1, 2.5, "b")


@pytest.mark.clause("merge.4")
def test_a_sum_of_many_is_added_from_the_highest_whatever_the_order_of_the_sources() -> None:
    """Ten numbers whose sum depends on the order, and on pairs of them."""
    numbers = [0.1, 0.7, 0.2, 1e-3, 0.3, 0.9, 0.11, 0.77, 0.3, 0.123]
    for count, turned in product((3, 8, 10), (False, True)):
        own = numbers[:count][::-1] if turned else numbers[:count]
        lists = {f"s{i}": {"1": {"d": x, f"e{i}": -1.0}} for i, x in enumerate(own)}
        expected = sum(sorted(own, reverse=True))
        assert rows_of(merge(lists, "raw", duplicates="sum"))[0][3] == expected
        assert rows_of(merge(lists, "raw", duplicates="mnz"))[0][3] == expected * count


@pytest.mark.clause("merge.3")
@pytest.mark.parametrize("scheme", ["z", "raw"])
def test_weights_need_scores_of_at_least_0(scheme: str) -> None:
    lists = {"a": {"7": {"d1": -3.0, "d2": -1.0}}}
    with pytest.raises(SchemeError, match=r"gives scores below 0, such as -[\d.]+ in source 'a'"):
        merge(lists, scheme, weights=as_table([1.0] * 9))
