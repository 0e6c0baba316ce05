"""Results name each scheme and test that does not come with cdfscore, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pytest

from cdfscore import (
    Standardizer,
    compare,
    correlate,
    datasets,
    diagnose,
    diagnose_factors,
    sensitivity,
)
from cdfscore.common.catalogue import note_of
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.models import anova
from cdfscore.r.verify import Verification
from cdfscore.standardization.leave_one_out import left_out
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.schemes import Normal
from cdfscore.stats.significance.contract import Rows, paired, unpaired

A = datasets.load_cranfield("ap").iloc[:20, :9]
B = datasets.load_cranfield("ap").iloc[20:40, :9]


@dataclass(frozen=True)
class Own(Normal):
    """Normal as somebody else has it."""

    of: str = "all"


@paired(source="nowhere")
def own_test(x: Array, y: Array) -> Rows:
    """Test nothing."""
    return Rows(statistic=(x - y).mean(axis=1), p_value=np.full(len(x), 0.5))


@unpaired(source="nowhere")
def own_two(x: Array, y: Array) -> Rows:
    """Test nothing."""
    return Rows(statistic=x.mean(axis=1) - y.mean(axis=1), p_value=np.full(len(x), 0.5))


TWO = [Own(), Own("some")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (lambda: Standardizer(Own()).standardize(A).notes, ["own"]),
        (lambda: left_out(A, Standardizer(Own())).notes, ["own"]),
        (lambda: compare(A, "paired_t", scheme=Own()).notes, ["own"]),
        (lambda: compare(A, "paired_t", scheme=[*TWO, "normal"]).notes, ["own"]),
        (lambda: compare(A, own_test).notes, ["own_test"]),
        (lambda: compare(A, own_test, scheme=[*TWO, "raw"]).notes, ["own", "own_test"]),
        (
            lambda: (
                compare(A, "paired_t", scheme=[*TWO, "normal"], reference_uncertainty=200).notes
            ),
            ["own"],
        ),
        (
            lambda: (
                compare_collections(
                    *(Standardizer(Own()).standardize(each) for each in (A, B)), own_two
                ).notes
            ),
            ["own", "own_two"],
        ),
        (lambda: diagnose(A, [*TWO, "normal"], bootstrap=0).notes, ["own"]),
        (
            lambda: (
                diagnose_factors(
                    A.iloc[:, :5], Standardizer(Own()).fit(A.iloc[:, 3:]), bootstrap=0
                ).notes
            ),
            ["own"],
        ),
        (lambda: sensitivity(A, [*TWO, "normal"], test=own_test).notes, ["own", "own_test"]),
        (lambda: correlate(A, A, scheme=Own()).notes, ["own"]),
        (lambda: anova(A, "score ~ system", schemes=TWO).notes, ["own"]),
        (lambda: Verification.of(compare(A, own_test, scheme=Own())).notes, ["own", "own_test"]),
        (lambda: compare(A, "paired_t", scheme="normal").notes, []),
    ],
)
def test_each_is_named_once(notes: Callable[[], Iterable[str]], expected: list[str]) -> None:
    named = Counter(
        own.removeprefix("not of cdfscore: ").partition(",")[0]
        for own in notes()
        if "not of cdfscore" in own
    )
    assert named == Counter(expected)


def test_notes_say_of_whom_they_are() -> None:
    assert note_of("a", "few systems") == "a: few systems"
    assert note_of("a", "a: few systems") == "a: few systems"
