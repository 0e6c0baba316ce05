"""Letters: shared by systems that do not differ and by no others, and no letter too many."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.comparison.ranking import _without_redundant, compact_letters, groups
from cdfscore.errors import SignificanceError

Pair = tuple[str, str]


@st.composite
def displays(draw: st.DrawFn) -> tuple[list[str], list[Pair]]:
    """Return systems, and any pairs of them as those that differ."""
    systems = [f"s{i}" for i in range(draw(st.integers(1, 9)))]
    pairs = list(combinations(systems, 2))
    return systems, draw(st.lists(st.sampled_from(pairs), unique=True) if pairs else st.just([]))


def _at_random(systems: int, share: float, seed: int = 1) -> tuple[list[str], list[Pair]]:
    names = [f"s{i}" for i in range(systems)]
    chosen = np.random.default_rng(seed).random(systems * (systems - 1) // 2) < share
    return names, [
        pair for pair, apart in zip(combinations(names, 2), chosen, strict=True) if apart
    ]


def _shared(found: list[list[str]]) -> set[frozenset[str]]:
    return {frozenset(pair) for group in found for pair in combinations(group, 2)}


def _check(systems: list[str], apart: list[Pair]) -> list[list[str]]:
    found = groups(systems, apart)
    differ = set(map(frozenset, apart))
    alike = {frozenset(pair) for pair in combinations(systems, 2)} - differ
    assert _shared(found) == alike
    assert set().union(*map(set, found)) == set(systems)
    for group in found:
        # Absorbed: no other system could join. Needed: a pair, or a system, is in no other.
        for other in set(systems) - set(group):
            assert any(frozenset((other, member)) in differ for member in group)
        others = [rest for rest in found if rest is not group]
        assert _shared(others) < alike or set().union(*map(set, others)) < set(systems)
    return found


@pytest.mark.clause("compact_letters.1")
@given(displays())
def test_systems_share_a_letter_if_and_only_if_they_do_not_differ(
    display: tuple[list[str], list[Pair]],
) -> None:
    systems, apart = display
    _check(systems, apart)
    letters = compact_letters(systems, apart)
    assert list(letters) == systems
    for a, b in combinations(systems, 2):
        differ = (a, b) in apart or (b, a) in apart
        assert set(letters[a]).isdisjoint(letters[b]) == differ
    assert letters[systems[0]].startswith("a")


@given(displays())
def test_the_order_of_pairs_and_of_their_systems_is_of_no_account(
    display: tuple[list[str], list[Pair]],
) -> None:
    systems, apart = display
    turned = [(b, a) for a, b in reversed(apart)]
    assert groups(systems, turned) == groups(systems, apart)


@pytest.mark.clause("compact_letters.1", "compact_letters.2")
@pytest.mark.parametrize(
    ("apart", "expected"),
    [
        ([], {"A": "a", "B": "a", "C": "a", "D": "a"}),
        (["AB", "AC", "AD", "BC", "BD", "CD"], {"A": "a", "B": "b", "C": "c", "D": "d"}),
        (["AC", "AD", "BD"], {"A": "a", "B": "ab", "C": "bc", "D": "c"}),
        (["AD", "BC"], {"A": "ab", "B": "ac", "C": "bd", "D": "cd"}),
        (["AB", "AC", "AD"], {"A": "a", "B": "b", "C": "b", "D": "b"}),
    ],
)
def test_by_hand(apart: list[str], expected: dict[str, str]) -> None:
    assert compact_letters("ABCD", [(a, b) for a, b in apart]) == expected


@pytest.mark.long
@pytest.mark.clause("compact_letters.2")
def test_more_than_26_letters() -> None:
    systems, apart = _at_random(30, 1)
    letters = list(compact_letters(systems, apart).values())
    assert letters[:2] + letters[24:] == ["a", "b", "y", "z", "aa", "ab", "ac", "ad"]
    systems, apart = _at_random(800, 1)
    assert compact_letters(systems, apart)["s701"] == "zz"
    assert compact_letters(systems, apart)["s702"] == "aaa"
    apart.remove(("s0", "s2"))
    apart.remove(("s0", "s1"))
    assert compact_letters(systems, apart)["s0"] == "a b"


@pytest.mark.parametrize(
    ("systems", "apart", "fragments"),
    [
        (["BM25", "QL"], [("BM52", "QL")], ["'BM52'", "did you mean 'BM25'"]),
        (["BM25", "QL"], [("QL", "QL")], ["one system", "expected two"]),
        (["BM25", "QL", "QL"], [], ["'QL' is named twice"]),
    ],
)
def test_bad_input(systems: Any, apart: Any, fragments: list[str]) -> None:
    with pytest.raises(SignificanceError) as refused:
        groups(systems, apart)
    for fragment in fragments:
        assert fragment in str(refused.value)


def test_of_two_groups_with_the_same_pairs_one_is_kept() -> None:
    assert _without_redundant(list(map(np.array, ([0, 1], [0, 1], [2]))), 3) == [[2], [0, 1]]
