"""Labels of papers are understood, and names from elsewhere are answered with those here."""

import pytest

from cdfscore import Standardizer, compare, datasets
from cdfscore.errors import SchemeError, SignificanceError
from cdfscore.experiments.papers.urbano2019.run import SCHEMES
from cdfscore.stats.schemes.base import parse_scheme
from cdfscore.stats.significance.contract import parse_test


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
