"""Families of hypotheses."""

import numpy as np
import pytest

from cdfscore.comparison.pairs import Family, baseline_names
from cdfscore.errors import ScoresError, SignificanceError

SYSTEMS = ["a", "b", "c", "d"]


def pairs(*baselines: str) -> list[str]:
    return Family.of(SYSTEMS, baselines).labels


@pytest.mark.clause("family.1")
def test_all_pairs_in_the_order_of_the_systems() -> None:
    assert pairs() == ["a - b", "a - c", "a - d", "b - c", "b - d", "c - d"]


@pytest.mark.clause("family.2")
def test_two_baselines_are_compared_with_each_other_once() -> None:
    assert pairs("c", "a") == ["a - c", "b - c", "d - c", "b - a", "d - a"]


@pytest.mark.clause("family.1", "family.2")
@pytest.mark.parametrize(
    ("baselines", "sentence"),
    [
        ((), "all pairs of 4 systems, 6 hypotheses"),
        (("c",), "each other system against the baseline c, 3 hypotheses"),
        (("c", "a"), "each other system against the baselines c, a, 5 hypotheses"),
    ],
)
def test_says_which_hypotheses_there_are(baselines: tuple[str, ...], sentence: str) -> None:
    assert str(Family.of(SYSTEMS, baselines)) == sentence


@pytest.mark.parametrize(
    ("systems", "baselines", "message"),
    [
        (["a"], [], "there is 1 system to compare; expected 2 or more"),
        (["alpha", "b"], ["alpa"], r"'alpa' is not a system .*did you mean 'alpha'\?"),
    ],
)
def test_refuses(systems: list[str], baselines: list[str], message: str) -> None:
    with pytest.raises((ScoresError, SignificanceError), match=message):
        Family.of(systems, baselines)


def test_a_baseline_is_given_once() -> None:
    with pytest.raises(SignificanceError, match="the baseline 'b' is given twice"):
        baseline_names(["b", "a", "b"])


@pytest.mark.clause("family.3")
def test_all_systems_at_once_have_no_pair() -> None:
    family = Family.of(SYSTEMS, at_once=True)
    assert (len(family), family.labels) == (1, ["all systems"])
    assert str(family) == "all 4 systems at once, 1 hypothesis"
    for positions in (family.first, family.second):
        assert np.array(SYSTEMS)[positions].tolist() == []
