"""Mistakes that are of no file are told before one is read; SCORES is not there, and not missed."""

import shlex
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from cdfscore import compare
from cdfscore.comparison.sensitivity import sensitivity
from cdfscore.errors import CdfscoreError, ScoresError, SignificanceError
from cdfscore.stats.significance import dunnett
from tests.cli.conftest import Sentence
from tests.guards.conftest import Files

#: Commands, and what they say.
MISTAKES = {
    "compare s.csv --test dunnett": (
        "dunnett compares systems with one baseline, and none is given; expected --baseline NAME"
    ),
    "compare s.csv --test max_t_baseline --baseline a --baseline c": (
        "max_t_baseline compares systems with one baseline, and a and c are given; expected "
        "--baseline NAME once"
    ),
    "verify s.csv --scheme raw --test dunnett": "expected --baseline NAME once",
    "verify s.csv --scheme raw --test dunnett --baseline a --baseline b": "and a and b are given",
    "diagnose s.csv --test dunnett": (
        "dunnett compares systems with one baseline only; expected a "
        "test of all pairs, such as paired_t or max_t"
    ),
    "compare s.csv --test paired_t --baseline a --baseline a": "the baseline 'a' is given twice",
    "compare s.csv --test paired_t --scheme N-std --scheme normal": (
        "the scheme normal is given twice; expected each scheme once"
    ),
    "diagnose s.csv --scheme normal --scheme normal": "normal",
    "verify s.csv --scheme raw --test paired_t --alpha 2": "--alpha 2.0 is not accepted",
}


@pytest.mark.parametrize("typed", MISTAKES)
def test_a_mistake_is_told_before_a_file_is_read(sentence: Sentence, typed: str) -> None:
    files: Files = {"folder": None}
    message = sentence(files, shlex.split(typed))
    assert MISTAKES[typed] in message
    assert "s.csv" not in message
    assert "index" not in message


NOT_SCORES = pd.DataFrame({"a": ["no", "number"]})


def test_so_it_is_in_python() -> None:
    with pytest.raises(ScoresError):  # of the scores, if nothing else is wrong
        compare(NOT_SCORES, "paired_t")
    wrong: dict[str, Callable[[], object]] = {
        "the scheme raw is given twice": lambda: compare(
            NOT_SCORES, "paired_t", scheme=["raw", "raw"]
        ),
        "the scheme z is given twice": lambda: sensitivity(NOT_SCORES, ["raw", "z", "z"]),
        "the baseline 'a' is given twice": lambda: compare(
            NOT_SCORES, "paired_t", baselines=["a", "a"]
        ),
        "and none is given; expected baselines='NAME' once": lambda: compare(NOT_SCORES, "dunnett"),
    }
    for message, act in wrong.items():
        with pytest.raises(SignificanceError, match=message):
            act()


def test_a_test_of_columns_names_columns() -> None:
    scores = np.random.default_rng(1).random((5, 4))
    with pytest.raises(CdfscoreError, match=r"second systems of the pairs are columns 1, 2; exp"):
        dunnett(scores, [(0, 1), (3, 2)])
