"""``cdfscore standardize --leave-one-out``: what it writes, says and refuses."""

from pathlib import Path

import pandas as pd
import pytest

from cdfscore import datasets, leave_one_out, read_scores, write_scores
from tests.cli.conftest import Run, Sentence
from tests.noted import without_cautions

SCORES = "topic,a,b,c\n301,0.25,0.5,0.75\n302,0.5,0.5,0.7\n"


def test_the_numbers_are_those_of_the_function(cdfscore: Run, tmp_path: Path) -> None:
    scores = datasets.load_cranfield("ap").iloc[:9]
    write_scores(scores, tmp_path / "s.csv")
    status, out, err = cdfscore(
        *(["standardize", "s.csv", "--scheme", "normal", "--leave-one-out", "-o", "OUT.csv"])
    )
    assert (status, out) == (0, "")
    assert err == (
        "cdfscore: 9 topics x 67 systems standardized by N-std, fitted for each system to the "
        "others\n"
    )
    found = read_scores(tmp_path / "OUT.csv")
    pd.testing.assert_frame_equal(found, leave_one_out(scores, "normal"), check_exact=True)


@pytest.mark.parametrize(
    ("scores", "options", "expected", "notes"),
    [
        (
            SCORES,
            "empirical",
            "301,0.0,0.5,1.0\n302,0.5,0.5,1.0\n",
            ["1 cell where the others' scores are equal"],
        ),
        (
            SCORES,
            "minmax --constant half",
            "301,0.0,0.5,1.0\n302,0.0,0.0,0.5\n",
            ["1 cell where the others' scores are equal: the policy half is used"],
        ),
        (
            SCORES.replace("0.7\n", "\n"),
            "minmax --missing drop_topic",
            "301,0.0,0.5,1.0\n",
            ["1 missing score is dropped with the topic"],
        ),
        (
            SCORES.replace("302,0.5,0.5,0.7", "302,0.5,,"),
            "empirical --missing omit --unfitted nan",
            "301,0.0,0.5,1.0\n302,NA,NA,NA\n",
            [
                "1 cell is unfitted; topic '302' without system 'a': empirical:convention=weak "
                "needs at least 1 reference score and there are 0",
                "2 missing scores are omitted",
                "3 cells have no standardized score",
            ],
        ),
        (
            SCORES.replace("302,0.5,0.5,0.7", "302,0.5,,\n303,,0.5,"),
            "empirical --missing omit --unfitted drop_topic",
            "301,0.0,0.5,1.0\n",
            [
                "2 cells are unfitted, and every topic with one is dropped; "
                "topic '302' without system 'a': "
                "empirical:convention=weak needs at least 1 reference score and there are 0",
                "4 missing scores are omitted",
            ],
        ),
    ],
)
def test_what_a_policy_touched_is_said(
    cdfscore: Run, scores: str, options: str, expected: str, notes: list[str]
) -> None:
    arguments = ["standardize", "-", "--leave-one-out", "--scheme", *options.split()]
    status, out, err = cdfscore(*arguments, stdin=scores.encode())
    assert (status, out) == (0, "topic,a,b,c\n" + expected)
    assert [line.removeprefix("cdfscore: ") for line in without_cautions(err).splitlines()[1:]] == [
        *notes,
        "1 score is below the distribution of the topic and censored at 0, and 1 above it and "
        "censored at 1, on 1 topic: 301 (1 and 1)",
    ]


@pytest.mark.parametrize(
    ("options", "scores", "message"),
    [
        (["--reference", "r.csv"], SCORES, "--leave-one-out and --reference exclude each other"),
        (["--save-factors", "F.json"], SCORES, "--leave-one-out and --save-factors exclude each"),
    ],
)
def test_options_that_exclude_each_other(
    refused: Sentence, options: list[str], scores: str, message: str
) -> None:
    command = ["standardize", "s.csv", "--scheme", "normal", "--leave-one-out", *options]
    assert message in " ".join(refused({"s.csv": scores}, command).split())


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("topic,a\n301,0.5\n", "cdfscore: s.csv: there is 1 system; expected 2 or more"),
        (
            "topic,a,b\n301,0.5,0.6\n",
            "cdfscore: s.csv: topic '301' without system 'a': normal needs at least 2 reference",
        ),
        (
            SCORES.replace("0.7\n", "\n"),
            "cdfscore: s.csv, line 3: topic '302', system 'c': the score is missing",
        ),
    ],
)
def test_scores_that_are_refused(sentence: Sentence, scores: str, message: str) -> None:
    command = ["standardize", "s.csv", "--scheme", "normal", "--leave-one-out", "-o", "OUT.csv"]
    assert sentence({"s.csv": scores}, command).startswith(message)
