"""Round robin and reciprocal rank fusion against their definitions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore import CdfscoreWarning
from cdfscore.errors import SchemeError
from cdfscore.retrieval.merging import round_robin, rrf
from tests import a_tenth
from tests.merging.slow import TIED, Lists, lists_of, order_of, rows_of, slow_merge

DEPTHS = st.sampled_from([None, 1, 2, 100])


@pytest.mark.clause("rrf.1")
@a_tenth
@given(lists_of(TIED), st.sampled_from([60, 0, 0.5, 1e6]), DEPTHS, DEPTHS)
def test_rrf_is_that_of_the_definition(
    lists: Lists, k: float, depth: int | None, keep: int | None
) -> None:
    def reciprocal(scores: list[float]) -> list[float]:
        return [1 / (k + rank) for rank in range(1, len(scores) + 1)]

    expected = slow_merge(lists, reciprocal, depth=depth, duplicates="sum", keep=keep)
    assert rows_of(rrf(lists, k, depth=depth, keep=keep)) == expected


def turns(lists: Lists, topic: str, depth: int | None) -> list[tuple[str, str]]:
    """Return the documents and their sources, by turns."""
    rankings = {
        source: order_of(own.get(topic, {}), single=True)[:depth] for source, own in lists.items()
    }
    found: dict[str, str] = {}
    for turn in range(max(map(len, rankings.values()))):
        for source, ranking in rankings.items():
            if turn < len(ranking):
                found.setdefault(ranking[turn], source)
    return list(found.items())


@pytest.mark.long
@pytest.mark.clause("round_robin.1")
@given(lists_of(TIED), DEPTHS, DEPTHS)
def test_round_robin_is_that_of_the_definition(
    lists: Lists, depth: int | None, keep: int | None
) -> None:
    expected = []
    for topic in dict.fromkeys(topic for own in lists.values() for topic in own):
        order = turns(lists, topic, depth)[:keep]
        for rank, (document, source) in enumerate(order, start=1):
            expected.append((topic, document, rank, float(len(order) - rank), source))
    assert rows_of(round_robin(lists, depth=depth, keep=keep)) == expected


@pytest.mark.clause("rrf.1")
def test_rrf_of_disjoint_lists_warns_that_the_order_is_arbitrary() -> None:
    lists = {s: {"1": {f"{s}{i}": float(-i) for i in range(3)}} for s in "abc"}
    with pytest.warns(CdfscoreWarning, match="9 of 9 documents have .* most of the order is arb"):
        merged = rrf(lists)
    assert merged.frame()["document"].str.cat() == "c0b0a0c1b1a1c2b2a2"
    assert round_robin(lists).notes == ()


BAD_K: list[Any] = [-1, float("nan"), float("inf"), "60", None, True]


@pytest.mark.parametrize("k", BAD_K, ids=str)
def test_k_is_a_number_of_at_least_0(k: Any) -> None:
    with pytest.raises(SchemeError, match=r"^k=.* is not accepted; expected a number of at least"):
        rrf({"a": {"1": {"x": 1.0}}}, k)
