"""``compare --with``: two collections with different topics, on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer, datasets
from cdfscore.comparison.two_collections import compare_collections
from cdfscore.io.scores.writing import write_scores

SCORES = datasets.load_cranfield("ap").iloc[:60, ::9]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    write_scores(SCORES.iloc[:25, :4], tmp_path / "c.csv")
    write_scores(SCORES.iloc[25:, 2:6], tmp_path / "d.csv")
    write_scores(SCORES.iloc[:25], tmp_path / "r.csv")
    write_scores(SCORES.iloc[25:], tmp_path / "s.csv")


@pytest.mark.clause("two_collections.3")
def test_the_command_has_the_numbers_of_python(cdfscore: Callable, tmp_path: Path) -> None:
    by = ("--scheme", "normal", "--reference", "r.csv", "--with-reference", "s.csv")
    done = cdfscore("compare", "c.csv", "--with", "d.csv", "--test", "welch_t", *by, "-o", "o.csv")
    assert done.status == 0, done.err
    assert "false positive rate" in done.err
    normal = Standardizer("normal")
    sides = [
        normal.fit(SCORES.iloc[rows]).standardize(SCORES.iloc[rows, columns])
        for rows, columns in ((slice(25), slice(4)), (slice(25, None), slice(2, 6)))
    ]
    found = compare_collections(sides[0], sides[1], "welch_t").table
    pd.testing.assert_series_equal(
        pd.read_csv(tmp_path / "o.csv")["p_adjusted"], found["p_adjusted"], check_exact=True
    )


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ("--test paired_t", "paired_t cannot compare systems on different topics"),
        ("--test welch_t --letters l.csv", "--letters and --with exclude each other"),
        ("--test welch_t --baseline x", "--baseline and --with exclude each other"),
        ("--test welch_t --with-track T7", "--with-track needs --with-factors FILE"),
        (
            "--test welch_t --scheme normal --reference r.csv",
            "--reference and --with-reference need each other",
        ),
        ("--test welch_t --with c.csv", "topic"),
    ],
)
def test_bad_input_is_one_sentence(
    cdfscore: Callable, tmp_path: Path, words: str, fragment: str
) -> None:
    other = [] if "--with c" in words else ["--with", "d.csv"]
    found = cdfscore("compare", "c.csv", *other, *words.split(), "-o", "o.csv")
    assert found.status == 2
    assert fragment in found.err
    assert not (tmp_path / "o.csv").exists()


def test_options_of_the_other_collection_need_it(cdfscore: Callable) -> None:
    found = cdfscore("compare", "c.csv", "--with-reference", "s.csv")
    assert (found.status, "--with-reference needs --with OTHER" in found.err) == (2, True)
