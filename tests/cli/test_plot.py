"""The command plot: figures of comparisons, with the options of the tests."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cdfscore import datasets
from tests.cli.conftest import Run, Write

AP = datasets.load_cranfield("ap").iloc[:30, :8]


@pytest.fixture
def drawn(cdfscore: Run, write: Write, tmp_path: Path) -> Callable[..., str]:
    """Draw a figure of the scores, and return its text."""

    def draw(*arguments: str) -> str:
        write({"s.csv": AP.to_csv()})
        kind, *rest = arguments
        outcome = cdfscore("plot", kind, "s.csv", *rest, "-o", "f.svg")
        assert outcome.status == 0, outcome.err
        return "\n".join(ElementTree.parse(tmp_path / "f.svg").getroot().itertext())

    return draw


def test_a_panel_for_each_scheme(drawn: Callable[..., str]) -> None:
    text = drawn("pairs", "--scheme", "raw", "--scheme", "empirical", "--adjust", "BH")
    assert text.count("p value after the Benjamini-Hochberg correction") == 2
    assert "Mean score, standardized by E-std" in text


def test_a_grid_of_schemes_and_tests(drawn: Callable[..., str]) -> None:
    schemes = ("--scheme", "raw", "--scheme", "empirical")
    text = drawn("sensitivity", *schemes, "--test", "sign", "--test", "tukey_hsd")
    assert "Pairs that differ significantly, of 28" in text
    for label in ("raw scores", "E-std", "sign test, Holm's", "Tukey's HSD test"):
        assert label in text
    text = drawn("schemes", *schemes, "--test", "sign")
    assert "Pairs on which two schemes disagree, of 28" in text
    assert "sign test with Holm's correction" in text


def test_ranks_of_raw_and_standardized_means(drawn: Callable[..., str]) -> None:
    text = drawn("slope", "--scheme", "empirical")
    assert all(system in text for system in AP.columns)


MISTAKES = {
    "pairs s.csv --test sign --test paired_t": "--test sign --test paired_t is not accepted: th",
    "slope s.csv --scheme z --test sign": "--test is not accepted: the figure slope shows no",
    "schemes s.csv --scheme z": "one scheme is given, and the figure schemes compares schemes",
    "means s.csv --test paired_t": "paired_t has no critical difference common to all pairs",
    "sensitivity s.csv --test friedman": "friedman is a test of all systems; expected one that co",
    "pair s.csv": "there is no figure 'pair' (did you mean 'pairs'?)",
}


@pytest.mark.parametrize(("command", "says"), MISTAKES.items())
def test_mistakes_are_one_sentence(
    cdfscore: Run, write: Write, tmp_path: Path, command: str, says: str
) -> None:
    write({"s.csv": AP.to_csv()})
    outcome = cdfscore("plot", *command.split(), "-o", "f.svg")
    assert outcome.status == 2
    assert says in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert not (tmp_path / "f.svg").exists()


def test_a_diagram_of_many_systems_is_of_the_best(
    cdfscore: Run, write: Write, tmp_path: Path
) -> None:
    write({"s.csv": datasets.load_cranfield("ap").iloc[:, :31].to_csv()})
    run = ("compare", "s.csv", "--test", "sign", "-o", "o.csv", "--diagram", "d.svg")
    status, _, err = cdfscore(*run)
    assert status == 0, err
    assert "The 30 best of 31 systems" in (tmp_path / "d.svg").read_text()


def test_kinds_are_written_with_dashes_or_underscores(drawn: Callable[..., str]) -> None:
    for kind in ("critical-difference", "critical_difference"):
        assert "paired t test, alpha 0.05, 30 topics" in drawn(kind)
    assert "Tukey's HSD test, alpha 0.05, 30 topics" in drawn("means")


def test_signs_that_are_boxes_in_the_figure_are_noted_once(cdfscore: Run, write: Write) -> None:
    write({"s.csv": AP.rename(columns={AP.columns[0]: "\u7cfb\u7edf"}).to_csv()})
    for run in (
        ("plot", "critical_difference", "s.csv", "-o", "f.png"),
        ("compare", "s.csv", "-o", "o.csv", "--diagram", "f.png"),
    ):
        outcome = cdfscore(*run)
        assert outcome.status == 0
        assert (
            outcome.err.count(
                "the font has no character for \u7cfb, \u7edf, which are boxes in f.p"
            )
            == 1
        )


@pytest.mark.parametrize(
    "kind",
    ["scores", "per_topic", "standardized", "performance_profile", "topic_variance", "volcano"],
)
def test_scores_that_no_axis_has_are_refused(kind: str, write: Write, cdfscore: Run) -> None:
    write({"s.csv": "topic,a,b,c\n1,1e308,-1e308,3\n2,1e308,0,4\n3,1,2,3e307\n"})
    done = cdfscore(
        "plot", kind, "s.csv", "--scheme", "normal" if kind == "slope" else "raw", "-o", "o.svg"
    )
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "no axis can show numbers from -" in done.err
