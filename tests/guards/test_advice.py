"""The advice on significance tests has every test."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdfscore import compare, datasets, read_scores
from cdfscore.comparison.attainable import SITUATIONS, Facts
from cdfscore.comparison.pairs import check_of_systems
from cdfscore.errors import SignificanceError
from cdfscore.stats.significance.contract import SignificanceTest, significance_tests
from tests.cli.conftest import Files, Run, Write
from validation.documentation.tables import advice_markdown

PAGE = Path(__file__).parents[2] / "docs" / "which_test.md"
TESTS = [significance_tests.load(name) for name in significance_tests.names()]


@pytest.mark.parametrize("test", TESTS, ids=str)
def test_every_test_states_what_it_is_for(test: SignificanceTest[Any]) -> None:
    """Declared in the test's decorator: null=, assumes= and choose_for=."""
    for stated in (test.null, test.assumes, test.choose_for):
        assert 0 < len(stated) <= 90
        assert "|" not in stated
        assert not stated.endswith(".")


@pytest.mark.parametrize("test", TESTS, ids=str)
def test_the_page_of_all_tests_has_the_null_hypotheses(test: SignificanceTest[Any]) -> None:
    page = PAGE.with_name("significance.md").read_text(encoding="utf-8")
    assert f"| `{test.name}` | {test.samples} | {test.null} |" in page


def fitting(scores: np.ndarray) -> set[str]:
    facts = Facts.of(scores)
    return {test.name for test in TESTS if not facts.against(test)}


def of(samples: str) -> set[str]:
    return {t.name for t in TESTS if t.samples == samples and t.shows == "difference"}


def test_what_fits_follows_from_the_scores() -> None:
    ap = datasets.load_cranfield("ap").to_numpy()
    bootstraps = {"bootstrap_shift", "bootstrap_studentized"}  # B is too small for 2,211 pairs
    assert fitting(ap) == of("paired") - bootstraps | of("pairs") | of("all systems")
    assert fitting(ap[:, :2]) == of("paired")
    assert fitting(ap[:, :1]) == set()
    gap = ap.copy()
    gap[3, 4] = np.nan
    assert fitting(gap) == of("paired") - bootstraps
    assert fitting(ap[:1]) == set()  # the smallest p value of sign flips is 1


def test_a_test_that_cannot_reject_does_not_fit(shared_data: Path) -> None:
    """Of 8 topics and all pairs, neither ranks nor flips survive Holm; compare says the same."""
    matrix = read_scores(shared_data / "adhoc" / "adhoc8_p10.csv").iloc[:, :12]
    facts = Facts.of(matrix.to_numpy()[:8])
    for name in ("sign", "wilcoxon_signed_rank", "permutation"):
        test = significance_tests.load(name)
        assert (
            facts.against(test)
            == "no p value can be 0.05 or less after Holm's correction with 8 topics"
        )
        found = compare(matrix.iloc[:8], test, effect="")
        assert found.cautions[0].startswith("no adjusted p value can be 0.05 or less")
    assert {"paired_t", "max_t"} <= fitting(matrix.to_numpy()[:8])
    # Ties: of 6 topics with 2 equal scores no sign test can reject, of 6 others one can.
    pair = np.array([[0.1, 0.3], [0.2, 0.4], [0.3, 0.1], [0.6, 0.2], [0.5, 0.5], [0.1, 0.1]])
    sign = significance_tests.load("sign")
    assert Facts.of(pair).against(sign).endswith("with 6 topics, 2 or more without a difference")
    assert Facts.of(pair + np.arange(12).reshape(6, 2)).against(sign) == ""


def test_fewer_topics_than_were_checked_are_told() -> None:
    scores = np.random.default_rng(3).random((4, 3))
    test = significance_tests.load("paired_t")
    assert Facts.of(scores).against(test) == ""
    assert Facts.of(scores).but(test) == "its type I error was not simulated for so few topics"
    skewed = "it rejects too often if the differences of so few topics are skewed"
    assert Facts.of(np.tile(scores, (2, 1))).but(test) == skewed
    assert Facts.of(np.tile(scores, (5, 1))).but(test) == ""


FILES: Files = {
    "two.csv": "topic,a,b\n1,0.1,0.2\n2,0.4,0.5\n",
    "many.csv": "topic,a,b,c\n1,0.1,0.2,0.4\n2,0.4,,0.1\n3,0.3,0.9,0.2\n",
}


def test_the_command_says_what_fits_a_file(cdfscore: Run, write: Write) -> None:
    write(FILES)
    out = cdfscore("tests", "--advise", "two.csv").out
    assert out.startswith("2 topics, 2 systems, 1 pair; 0 scores missing, 2 topics complete; 0.0 %")
    ends = {line.split()[0]: line.strip() for line in out.splitlines() if line.strip()}
    assert ends["paired_t"].endswith(
        "yes, but its type I error was not simulated for so few topics"
    )
    assert ends["max_t"].endswith("there are only two systems")
    assert ends["welch_t"].endswith("the systems have the same topics")
    out = cdfscore("tests", "--advise", "many.csv").out
    assert "1 scores missing" not in out
    assert "1 score missing" in out
    ends = {line.split()[0]: line.strip() for line in out.splitlines() if line.strip()}
    assert ends["friedman"].endswith("it allows no missing score, and 1 is missing")


def test_advice_has_the_words_of_the_scores(cdfscore: Run, write: Write) -> None:
    scores = pd.DataFrame(np.random.default_rng(5).random((5, 8)).round(3))
    write({"models.csv": scores.rename_axis("model").add_prefix("t").to_csv()})
    said = cdfscore("tests", "--advise", "models.csv", "--lower-is-better", "all")
    told = f"{said.err} {said.out}"
    assert "8 tasks, 5 models, 10 pairs" in told
    assert "with 5 reference models, fewer than 20" in told
    assert re.findall(r"(?<!_)\b(?:system|topic)s?\b", told) == []


def test_the_command_says_what_may_be_misread_of_a_file(
    cdfscore: Run, write: Write, shared_data: Path
) -> None:
    scores = read_scores(shared_data / "adhoc" / "adhoc8_ap.csv").iloc[:, :9]
    write({"nine.csv": scores.to_csv()})
    err = cdfscore("tests", "--advise", "nine.csv").err
    assert err == (
        "cdfscore: if a scheme is fitted to these scores: with 9 reference systems, fewer "
        "than 10, results depend on which systems they are\n"
        "cdfscore: if E-std is fitted to these scores: with 9 reference systems, fewer "
        "than 20, results depend on which systems they are\n"
    )
    write({"twelve.csv": read_scores(shared_data / "adhoc/adhoc8_ap.csv").iloc[:, :12].to_csv()})
    (of_twelve,) = cdfscore("tests", "--advise", "twelve.csv").err.splitlines()
    fitted = cdfscore("standardize", "twelve.csv", "--scheme", "empirical", "-o", "out.csv").err
    assert of_twelve.removeprefix("cdfscore: if E-std is fitted to these scores: ") in fitted
    scores.iloc[3, 4] = 40.0
    write({"mixed.csv": scores.to_csv()})
    told = cdfscore("compare", "mixed.csv", "--test", "paired_t").err.splitlines()[0]
    assert "opic '4' has 99% of the sum of the variances" in told
    (said,) = (
        line.removeprefix("cdfscore: ")
        for line in cdfscore("tests", "--advise", "mixed.csv").err.splitlines()
        if "40" in line
    )
    assert said in told  # it begins with a number
    write({"all.csv": f"{scores.to_csv()}all,{','.join(map(str, scores.mean()))}\n"})
    refused = cdfscore("tests", "--advise", "all.csv")
    assert (refused.status, "'all'" in refused.err) == (2, True)
    clean = cdfscore("tests", "--advise", str(shared_data / "adhoc" / "adhoc7_ap.csv"))
    assert (clean.status, clean.err) == (0, "")


def test_the_command_knows_where_lower_is_better(cdfscore: Run, write: Write) -> None:
    """Perplexity beside accuracies is another scale, and so are its ties once it is reflected."""
    rng = np.random.default_rng(3)
    scores = rng.random((8, 12)).round(2)
    scores[3] = rng.uniform(20, 40, 12).round(1)
    header = ",".join(f"s{i}" for i in range(12))
    rows = [f"{'ppl' if i == 3 else f't{i}'},{','.join(map(str, r))}" for i, r in enumerate(scores)]
    write({"lm.csv": "\n".join([f"topic,{header}", *rows])})
    plain = cdfscore("tests", "--advise", "lm.csv")
    assert "topic 'ppl' has scores up to" in plain.err
    told = cdfscore("tests", "--advise", "lm.csv", "--lower-is-better", "ppl")
    assert "lower is better on topic ppl: its scores are negated" in told.err
    said = cdfscore("compare", "lm.csv", "--test", "paired_t", "--lower-is-better", "ppl").err
    lines = [line for line in told.err.splitlines() if "ppl" in line]
    assert len(lines) == 3
    assert all(line.removeprefix("cdfscore: ")[1:] in said for line in lines)
    wrong = cdfscore("tests", "--advise", "lm.csv", "--lower-is-better", "pl")
    assert (wrong.status, wrong.out) == (2, "")
    assert "lm.csv: there is no topic 'pl', on which lower is given as better" in wrong.err


def test_every_test_in_the_list_has_its_null_hypothesis(cdfscore: Run) -> None:
    lines = cdfscore("tests").out.splitlines()
    for test in TESTS:
        (place,) = (i for i, line in enumerate(lines) if line.startswith(f"{test.name} ("))
        assert lines[place + 2].strip() == f"null hypothesis: {test.null}"


@pytest.mark.parametrize(
    "options", [["--all-lower-is-better"], ["--measure", "map"], ["--advise", "--drop-topic", "1"]]
)
def test_options_on_scores_need_scores(cdfscore: Run, options: list[str]) -> None:
    status, out, err = cdfscore("tests", *options)
    assert (status, out) == (2, "")
    assert "options for SCORES need --advise and SCORES" in err


def test_the_tests_that_compare_does_not_run_are_told(cdfscore: Run) -> None:
    refused = set()
    for test in TESTS:
        try:
            check_of_systems(test.chosen_example())
        except SignificanceError:
            refused.add(test.name)
    told = [name for situation in SITUATIONS for name in situation.not_in_compare]
    assert set(told) == refused == {"one_sample_t"}
    assert "\n  not run by compare: one_sample_t\n" in cdfscore("tests", "--advise").out
    assert "Not run by `compare`: `one_sample_t`." in advice_markdown()


def test_a_file_without_the_option_is_refused(cdfscore: Run) -> None:
    status, _, err = cdfscore("tests", "two.csv")
    assert status == 2
    assert "the file two.csv needs --advise; expected names of tests" in err
