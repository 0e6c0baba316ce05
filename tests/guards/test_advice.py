"""The advice on significance tests has every test, and the pages are made of it.

``python -m tests.guards.test_advice`` writes the tables of docs/which_test.md anew.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdfscore import datasets
from cdfscore.report.advice_tables import advice_markdown
from cdfscore.significance.advice import SITUATIONS, Facts
from cdfscore.significance.contract import SignificanceTest, paired
from cdfscore.significance.registry import significance_tests
from tests.cli.conftest import Files, Outcome

PAGE = Path(__file__).parents[2] / "docs" / "which_test.md"
#: The tables of the page are between these lines.
BEGIN, END = "<!-- tables -->\n\n", "\n<!-- end of the tables -->\n"
TESTS = [significance_tests.load(name) for name in significance_tests.names()]


@pytest.mark.parametrize("test", TESTS, ids=str)
def test_every_test_states_what_it_is_for(test: SignificanceTest[Any]) -> None:
    """Declared in the test's decorator: null=, assumes= and choose_for=."""
    for stated in (test.null, test.assumes, test.choose_for):
        assert 0 < len(stated) <= 90
        assert "|" not in stated
        assert not stated.endswith(".")


@pytest.mark.parametrize("test", TESTS, ids=str)
def test_every_test_is_in_one_situation(test: SignificanceTest[Any]) -> None:
    assert [each.title for each in SITUATIONS if test in each.tests()] == [
        next(each.title for each in SITUATIONS if each.covers(test))
    ]


def test_the_page_has_the_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0] == advice_markdown()


@pytest.mark.parametrize("test", TESTS, ids=str)
def test_the_page_of_all_tests_has_the_null_hypotheses(test: SignificanceTest[Any]) -> None:
    page = PAGE.with_name("significance.md").read_text(encoding="utf-8")
    assert f"| `{test.name}` | {test.samples} | {test.null} |" in page


def test_a_test_without_declarations_is_advised_on_by_dashes() -> None:
    test = paired(source="none")(lambda x, y: x)
    assert (test.null, test.assumes, test.choose_for) == ("", "", "")
    assert Facts(9, 9, 2, 0, 0.0).against(test) == ""


def fitting(scores: np.ndarray) -> set[str]:
    facts = Facts.of(scores)
    return {test.name for test in TESTS if not facts.against(test)}


def of(samples: str) -> set[str]:
    return {t.name for t in TESTS if t.samples == samples and t.shows == "difference"}


def test_what_fits_follows_from_the_scores() -> None:
    ap = datasets.load_cranfield("ap").to_numpy()
    assert fitting(ap) == of("paired") | of("pairs") | of("all systems")
    assert fitting(ap[:, :2]) == of("paired")
    assert fitting(ap[:, :1]) == set()
    gap = ap.copy()
    gap[3, 4] = np.nan
    assert fitting(gap) == of("paired")
    one = fitting(ap[:1])
    assert {"sign", "permutation", "randomized_tukey_hsd"} <= one
    assert not {"paired_t", "tukey_hsd", "friedman"} & one


def test_facts_are_counts() -> None:
    scores = np.array([[0.1, 0.1, 0.3], [0.2, np.nan, 0.4]])
    assert Facts.of(scores) == Facts(2, 1, 3, 1, 0.25)
    assert Facts.of(scores).pairs == 3


FILES: Files = {
    "two.csv": "topic,a,b\n1,0.1,0.2\n2,0.4,0.5\n",
    "many.csv": "topic,a,b,c\n1,0.1,0.2,0.4\n2,0.4,,0.1\n3,0.3,0.9,0.2\n",
}


def test_the_command_prints_each_test_with_its_assumption(
    cdfscore: Callable[..., Outcome],
) -> None:
    status, out, err = cdfscore("tests", "--advise")
    assert (status, err) == (0, "")
    for test in TESTS:
        assert test.assumes.replace("`", "") in out
        assert test.choose_for in out
    for situation in SITUATIONS:
        assert situation.correction in out
    assert "fits" not in out


def test_the_command_says_what_fits_a_file(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    write(FILES)
    out = cdfscore("tests", "--advise", "two.csv").out
    assert out.startswith("2 topics, 2 systems, 1 pair; 0 scores missing, 2 topics complete; 0.0 %")
    ends = {line.split()[0]: line.strip() for line in out.splitlines() if line.strip()}
    assert ends["paired_t"].endswith("yes")
    assert ends["max_t"].endswith("two systems are one pair")
    assert ends["welch_t"].endswith("the systems have the same topics")
    out = cdfscore("tests", "--advise", "many.csv").out
    assert "1 scores missing" not in out
    assert "1 score missing" in out
    ends = {line.split()[0]: line.strip() for line in out.splitlines() if line.strip()}
    assert ends["friedman"].endswith("it needs every score, and 1 is missing")


def test_a_file_without_the_option_is_refused(cdfscore: Callable[..., Outcome]) -> None:
    status, _, err = cdfscore("tests", "two.csv")
    assert status == 2
    assert "SCORES needs --advise" in err


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        text.partition(BEGIN)[0] + BEGIN + advice_markdown() + END + text.partition(END)[2],
        encoding="utf-8",
    )
