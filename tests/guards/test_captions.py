"""What is tested is said as it is: reversed scores, ties, and schemes under the names of papers."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import Standardizer, compare, datasets, read_scores
from cdfscore.errors import SchemeError, SignificanceError
from cdfscore.experiments.papers.urbano2019.run import SCHEMES
from cdfscore.report.comparison import caption
from cdfscore.stats.schemes.base import parse_scheme
from cdfscore.stats.significance.contract import parse_test
from tests.cli.conftest import Run, Write


@pytest.fixture
def wer(shared_data: Path) -> pd.DataFrame:
    """Word error rates in percent, of 5 speech recognizers on 8 data sets."""
    found = pd.read_csv(shared_data / "leaderboards" / "asr_english.csv", index_col="model")
    return found.filter(regex="(?<!Avg.) WER$").iloc[:5].T.rename_axis("topic")


#: Options, and what the caption says of raw scores.
DIRECTIONS = {
    "": "in scores as given, of 8 topics",
    "--all-lower-is-better": "in scores negated on every topic (lower is better), of 8 topics",
    "--all-lower-is-better --reflect-at 100": (
        "in scores reflected, from x to 100 - x, on every topic (lower is better), of 8 topics"
    ),
    "--lower-is-better|AMI WER": "in scores negated on topic AMI WER (lower is better), of 8",
    "--lower-is-better|AMI WER|--lower-is-better|Voxpopuli WER": (
        "in scores negated on 2 topics (AMI WER, Voxpopuli WER) (lower is better), of 8 topics"
    ),
}


def test_raw_scores_are_not_called_standardized(cdfscore: Run, write: Write) -> None:
    write({"s.csv": "topic,a,b,c\n1,0.2,0.4,\n2,0.4,0.5,0.3\n"})
    for command in (
        "standardize s.csv --scheme raw",
        "standardize s.csv --scheme raw --leave-one-out",
    ):
        err = cdfscore(*command.split(), "--missing", "omit").err
        assert "2 topics x 3 systems of raw scores\n" in err
        assert "1 cell has no score\n" in err
        assert "standardized" not in err
        assert "reference" not in cdfscore(*command.split()).err
    found = Standardizer("raw", missing="omit").standardize(read_scores("s.csv"))
    for text in (found.to_markdown(), repr(found)):
        assert "standardized" not in text.lower()
        assert "fitted" not in text
    normal = Standardizer("normal", missing="omit").standardize(read_scores("s.csv").iloc[1:])
    assert "on 1 topic, standardized by N-std fitted to these scores" in normal.to_markdown()


@pytest.mark.parametrize("options", DIRECTIONS)
def test_reversed_scores_are_not_said_to_be_as_given(
    cdfscore: Run, write: Write, wer: pd.DataFrame, tmp_path: Path, options: str
) -> None:
    write({"s.csv": wer.to_csv()})
    typed = options.split("|") if "|" in options else options.split()
    for ending in ("json", "md", "tex", "html"):
        out = f"o.{ending}"
        done = cdfscore("compare", "s.csv", "--test", "tukey_hsd", *typed, "-o", out)
        assert done.status == 0
        for text in (done.err, (tmp_path / out).read_text()):
            assert DIRECTIONS[options] in text
            assert ("as given" in text) == (not options)
    found = json.loads((tmp_path / "o.json").read_text())
    change = re.sub(r"^in scores | \(lower is better.*", "", DIRECTIONS[options]) if options else ""
    assert found["reversals"] == {"raw": change}


def test_letters_and_diagrams_say_what_became_of_the_scores(
    cdfscore: Run, write: Write, wer: pd.DataFrame, tmp_path: Path
) -> None:
    write({"s.csv": wer.to_csv()})
    run = ("compare", "s.csv", "--test", "tukey_hsd", "--letters", "l.csv")
    assert cdfscore(*run, "-o", "o.csv").status == 0
    assert list(pd.read_csv(tmp_path / "l.csv")) == [
        *("scheme", "system", "mean", "letters", "won", "undecided", "lost")
    ]
    assert cdfscore(*run, "-o", "o.csv", "--all-lower-is-better").status == 0
    letters = pd.read_csv(tmp_path / "l.csv")
    assert (letters["mean"] < 0).all()
    assert set(letters["scores"]) == {"negated on every topic"}
    for options, label in ((), ""), (("--all-lower-is-better",), ", negated on every topic"):
        assert cdfscore(*run, "-o", "o.csv", "--diagram", "d.svg", *options).status == 0
        assert f">Mean score{label} (higher is better)<" in (tmp_path / "d.svg").read_text()


#: Beginnings of captions of tests that show something else than a difference.
SUBJECTS = {
    "variance_ratio": "Ratio of variances of systems, A to B, in scores as given",
    "pearson": "Correlation of systems, A with B, in scores as given",
    "equivalence_t:margin=0.1": "Equivalence of systems, A with B, in scores as given",
    "sign": "Differences between systems, A minus B, in scores as given",
}


@pytest.mark.parametrize("test", SUBJECTS)
def test_a_caption_begins_with_what_the_numbers_are_of(shared_data: Path, test: str) -> None:
    scores = read_scores(shared_data / "adhoc" / "adhoc8_ap.csv").iloc[:, :3]
    assert caption(compare(scores, test)).startswith(SUBJECTS[test])


def test_differences_of_0_that_are_left_out_are_told() -> None:
    x = np.r_[np.zeros(45), 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    scores = pd.DataFrame({"a": x, "b": 0 * x, "c": x + 1.0}).rename_axis("topic")
    for test in ("wilcoxon_signed_rank:conf_int=True", "wilcoxon_signed_rank:exact=True", "sign"):
        one = caption(compare(scores[["a", "b"]], test))
        assert "Differences of 0 are left out: the test rests on 6 differences. " in one
        several = caption(compare(scores, test))
        assert "out: the tests of 1 of 3 pairs rest on fewer than n differences, on 6 o" in several
        assert "Differences of 0" not in caption(compare(scores[["a", "c"]], test))
    assert "Differences of 0" not in caption(compare(scores, "paired_t"))
    by_ranks = caption(compare(scores, "paired_t", effect="rank_biserial_paired"))
    assert (
        "Effect size: matched-pairs rank-biserial correlation, without differences of 0, with"
        in by_ranks
    )


@pytest.mark.parametrize("label", SCHEMES)
def test_a_label_of_the_paper_is_its_scheme(label: str) -> None:
    assert parse_scheme(label) == parse_scheme(SCHEMES[label])
    if label != SCHEMES[label]:
        assert parse_scheme(label.upper()) == parse_scheme(SCHEMES[label])


def test_labels_are_understood_by_the_functions() -> None:
    ap = datasets.load_cranfield("ap").iloc[:, :4]
    assert compare(ap, "paired_t", scheme="E-std").table.equals(
        compare(ap, "paired_t", scheme="empirical").table
    )
    assert Standardizer("N-std") == Standardizer("normal")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("johnson-su", "johnson_su"),
        ("kernel:bandwidth=sj-dpi", "kernel:bandwidth=sj_dpi"),
        ("paired-t:conf-level=0.9", "paired_t:conf_level=0.9"),
        ("welch-t:alternative=two_sided", "welch_t:alternative=two-sided"),
        ("sign:ties-at=all-digits", "sign:ties_at=all_digits"),
    ],
)
def test_dashes_and_underscores_are_the_same(typed: str, meant: str) -> None:
    parsed = parse_test if any(each in meant for each in ("_t", "sign")) else parse_scheme
    assert str(parsed(typed)) == str(parsed(meant))


def test_an_effect_size_with_dashes_has_its_name_in_the_result() -> None:
    ap = datasets.load_cranfield("ap").iloc[:, :3]
    assert compare(ap, "paired-t", effect="hedges-g").effect == "hedges_g"


@pytest.mark.parametrize(
    ("name", "meant"),
    [("ecdf", "empirical"), ("z-score", "z"), ("Min-Max", "minmax"), ("KDE", "kernel")],
)
def test_the_name_of_a_scheme_elsewhere_is_answered(name: str, meant: str) -> None:
    with pytest.raises(SchemeError, match=f"did you mean '{meant}'"):
        parse_scheme(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("t-test", "may mean paired_t, student_t, welch_t or one_sample_t; expected one of these"),
        ("ttest", "may mean paired_t, student_t, welch_t or"),
        ("T test", "may mean paired_t, student_t, welch_t or"),
        ("wilcoxon", "may mean wilcoxon_signed_rank or mann_whitney"),
        ("tukey", "may mean .*tukey_hsd"),
        ("bootstrap", "may mean bootstrap_shift or bootstrap_studentized"),
        ("anova", r"did you mean 'anova_two_way'\?"),
        ("welch", r"did you mean 'welch_t'\?"),
        ("friedman test", r"did you mean 'friedman'\?"),
        ("Sign-Test", r"did you mean 'sign'\?"),
        ("u-test", r"did you mean 'mann_whitney'\?"),
        ("paired_tt", r"did you mean 'paired_t'\?"),
    ],
)
def test_the_name_of_a_test_elsewhere_is_answered(name: str, meant: str) -> None:
    with pytest.raises(SignificanceError, match=meant):
        parse_test(name)
