"""``cdfscore model``: what it writes, and what it refuses."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from cdfscore import Standardizer
from cdfscore.models import anova
from cdfscore.plots.canvas import encode_figure
from tests.cli.conftest import Run, Sentence, cases
from tests.exact_csv import read_exact_csv
from tests.models.designs import COMPONENTS, scores

FORMULA = "score ~ topic + stemmer * model"


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    scores().to_csv(tmp_path / "s.csv")
    COMPONENTS.to_csv(tmp_path / "c.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_numbers_are_those_of_python(given: Path, cdfscore: Run) -> None:
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
    assert "so F of topic does not measure the difficulty" in done.err


def test_a_table_for_readers_says_what_it_is(given: Path, cdfscore: Run) -> None:
    for name in ("a.md", "a.tex", "a.html", "a.json"):
        typed = ("model", "s.csv", "--components", "c.csv", "--formula", FORMULA, "-o", name)
        assert cdfscore(*typed).status == 0
        text = (given / name).read_text()
        assert "type III sums of squares" in text
        assert "hold for these topics, not for a population" in text


@pytest.mark.parametrize(
    ("words", "said"),
    cases(
        """
        --formula score~topic+stemer --components c.csv | names 'stemer'
        --formula score~topic --components none.csv | none.csv cannot be read
        --formula score~topic --sums-of-squares 3 | --sums-of-squares 3 is not accepted; expected
            one of I, II, III
        --formula score~topic --means stemmer | --means TERM and --contrasts FILE or --plot-m
        --formula score~topic --contrasts d.csv | --means TERM and --contrasts FILE or --plot-m
        --formula score~topic --plot-means m.svg | --means TERM and --contrasts FILE or --plot-m
        --formula score~topic --adjust holm | --adjust METHOD is for the comparisons in --contr
        --formula score~topic+system --means system --contrasts d.csv --adjust hol | --adjust hol is
            not accepted (did you mean
        --formula score~topic --components s.csv | has no column 'system'
        --formula score~topic --checks k.svg | --checks: k.svg
        --formula score~topic --plot-residuals r.csv | --plot-residuals: r.csv
        --formula score~topic --checks a.csv | --checks would overwrite --out, a.csv
        --formula score~topic+system --means topic --plot-means m.svg --checks k.csv
            --plot-residuals r.svg | there are no marginal means of topic
        --formula score~topic+system --means stemmer --plot-means m.svg --checks k.csv | there is no
            term 'stemmer'
        """
    ),
)
def test_bad_input_writes_nothing(given: Path, cdfscore: Run, words: str, said: list[str]) -> None:
    before = sorted(given.iterdir())
    done = cdfscore("model", "s.csv", *words.split(), "-o", "a.csv")
    assert done.status == 2
    assert said[0] in done.err
    assert sorted(given.iterdir()) == before


@pytest.mark.parametrize(("name", "separator"), [("k.csv", ","), ("k.tsv", "\t")])
def test_checks_are_those_of_python(given: Path, cdfscore: Run, name: str, separator: str) -> None:
    scores(missing=0.1).to_csv("s.csv")
    typed = f"model s.csv --components c.csv --formula score~topic+stemmer*model --checks {name}"
    options = "--missing omit --scheme raw --scheme normal -o a.csv"
    assert cdfscore(*typed.split(), *options.split()).status == 0
    ways = [Standardizer(each, missing="omit") for each in ("raw", "normal")]
    expected = anova(scores(missing=0.1), FORMULA, COMPONENTS, schemes=ways).checks()
    assert {"additivity", "equal variances over model"} < set(expected["check"])
    assert expected["df"].isna().tolist() == expected["check"].str.contains("skew|kurt").tolist()
    written = read_exact_csv(given / name, sep=separator).astype(expected.dtypes)
    pd.testing.assert_frame_equal(written, expected, check_exact=True)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("term", ["stemmer", "model:stemmer"])
@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_figures_are_those_of_python(given: Path, cdfscore: Run, term: str, ending: str) -> None:
    typed = ("model", "s.csv", "--components", "c.csv", "--formula", FORMULA, "--means", term)
    figures = ("--plot-means", f"m.{ending}", "--plot-residuals", f"r.{ending}")
    assert cdfscore(*typed, *figures, "-o", "a.csv").status == 0
    found = anova(pd.read_csv("s.csv", index_col="topic"), FORMULA, COMPONENTS)
    for name, figure in (("m", found.plot_means(term)), ("r", found.plot_residuals())):
        path = given / f"{name}.{ending}"
        assert path.read_bytes() == encode_figure(figure, path)


def test_one_term_is_compared_and_drawn(given: Path, cdfscore: Run) -> None:
    typed = ("model", "s.csv", "--components", "c.csv", "--formula", FORMULA, "--means", "model")
    done = cdfscore(*typed, "--contrasts", "d.csv", "--plot-means", "m.svg", "--adjust", "holm")
    assert done.status == 0
    assert (pd.read_csv("d.csv")["term"] == "model").all()
    assert "Marginal mean" in (given / "m.svg").read_text()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            "--means a --means b --plot-means m.svg --contrasts d.csv",
            "--plot-means FILE draws one term, and --means is given 2 times, as a, b; expected "
            "--means TERM once",
        ),
        (
            "--means a:b:c --plot-means m.svg",
            "a:b:c has 3 factors, and a figure of means shows one or two; expected a term "
            "with one or two of these factors",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told_before_a_file_is_read(
    sentence: Sentence, typed: str, said: str
) -> None:
    message = sentence({}, ["model", "none.csv", "--formula", "score~topic", *typed.split()])
    assert message == f"cdfscore: {said}\n"


@pytest.mark.parametrize("option", ["--means a --plot-means", "--plot-residuals"])
def test_figures_need_matplotlib_before_a_file_is_read(
    sentence: Sentence, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    typed = f"model none.csv --formula score~topic {option} f.svg"
    assert "plots need matplotlib, which is not installed" in sentence({}, typed.split())
