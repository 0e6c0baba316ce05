"""``cdfscore model``: what it writes, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from cdfscore.models import anova
from tests.cli.conftest import Outcome
from tests.models.designs import COMPONENTS, scores

FORMULA = "score ~ topic + stemmer * model"


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    scores().to_csv(tmp_path / "s.csv")
    COMPONENTS.to_csv(tmp_path / "c.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_numbers_are_those_of_python(given: Path, cdfscore: Callable[..., Outcome]) -> None:
    done = cdfscore(
        *(
            "model",
            "s.csv",
            "--components",
            "c.csv",
            "--formula",
            FORMULA,
            "--sums-of-squares",
            "II",
        ),
        *("--scheme", "raw", "--scheme", "normal", "--means", "stemmer", "--out", "a.csv"),
        *("--contrasts", "d.csv"),
    )
    assert done.status == 0
    expected = anova(scores(), FORMULA, COMPONENTS, schemes=["raw", "normal"], sums_of_squares="II")
    table = pd.read_csv("a.csv")
    pd.testing.assert_frame_equal(table, expected.table, rtol=1e-14, check_dtype=False)
    differences = pd.read_csv("d.csv")
    assert (differences.pop("term") == "stemmer").all()
    pd.testing.assert_frame_equal(
        differences, expected.contrasts("stemmer"), rtol=1e-14, check_dtype=False
    )
    assert "so that F of topic is of what it leaves" in done.err


def test_a_table_for_readers_says_what_it_is(given: Path, cdfscore: Callable[..., Outcome]) -> None:
    for name in ("a.md", "a.tex", "a.html", "a.json"):
        typed = ("model", "s.csv", "--components", "c.csv", "--formula", FORMULA, "-o", name)
        assert cdfscore(*typed).status == 0
        text = (given / name).read_text()
        assert "type III sums of squares" in text
        assert "are about these topics, and not about a population" in text


@pytest.mark.parametrize(
    ("typed", "fragment"),
    [
        ("--formula score~topic+stemer --components c.csv", "names 'stemer'"),
        ("--formula score~topic --components none.csv", "none.csv cannot be read"),
        (
            "--formula score~topic --sums-of-squares 3",
            "--sums-of-squares 3 is not accepted; expected I, II, III",
        ),
        ("--formula score~topic --means stemmer", "names what --contrasts FILE has"),
        ("--formula score~topic --contrasts d.csv", "names what --contrasts FILE has"),
        ("--formula score~topic --components s.csv", "has no column 'system'"),
    ],
)
def test_bad_input_writes_nothing(
    given: Path, cdfscore: Callable[..., Outcome], typed: str, fragment: str
) -> None:
    done = cdfscore("model", "s.csv", *typed.split(), "-o", "a.csv")
    assert done.status == 2
    assert fragment in done.err
    assert not (given / "a.csv").exists()
