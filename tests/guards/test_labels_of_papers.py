"""Labels of papers are understood, and names from elsewhere are answered with those here."""

from collections.abc import Callable

import pytest

from cdfscore import Standardizer, compare, datasets
from cdfscore.catalogue import Catalogue
from cdfscore.errors import SchemeError, SignificanceError
from cdfscore.papers.urbano2019.run import SCHEMES
from cdfscore.schemes.base import parse_scheme, schemes
from cdfscore.significance.contract import parse_test, significance_tests
from tests.cli.conftest import Files, Outcome

FILES: Files = {"s.csv": "topic,a,b,c\n1,0.1,0.2,0.4\n2,0.4,0.5,0.1\n3,0.3,0.9,0.2\n"}


@pytest.mark.parametrize("label", SCHEMES)
def test_a_label_of_the_paper_is_its_scheme(label: str) -> None:
    assert parse_scheme(label) == parse_scheme(SCHEMES[label])
    if label != SCHEMES[label]:
        assert parse_scheme(label.upper()) == parse_scheme(SCHEMES[label])


def test_a_label_takes_the_settings_of_its_scheme() -> None:
    assert parse_scheme("U-std:A=0.2") == parse_scheme("uniform:A=0.2")


def test_labels_are_understood_by_the_functions() -> None:
    ap = datasets.load_cranfield("ap").iloc[:, :4]
    assert compare(ap, "paired_t", scheme="E-std").table.equals(
        compare(ap, "paired_t", scheme="empirical").table
    )
    assert Standardizer("N-std") == Standardizer("normal")


def test_labels_are_understood_by_the_commands(
    cdfscore: Callable[..., Outcome], write: Callable[[Files], None]
) -> None:
    write(FILES)
    for label, scheme in {"E-std": "empirical", "N-std": "normal"}.items():
        found = cdfscore("standardize", "s.csv", "--scheme", label)
        assert found.status == 0
        assert found == cdfscore("standardize", "s.csv", "--scheme", scheme)


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


@pytest.mark.parametrize("catalogue", [schemes, significance_tests], ids=["schemes", "tests"])
def test_answers_are_names_here(catalogue: Catalogue) -> None:
    answers = {*catalogue.labels.values(), *(n for m in catalogue.elsewhere.values() for n in m)}
    assert answers <= set(catalogue.names())
    assert {*catalogue.labels, *catalogue.elsewhere} & set(catalogue.names()) == set()


@pytest.mark.parametrize("name", ["", "test", "-", "foo"])
def test_a_name_that_means_nothing_gets_the_list(name: str) -> None:
    with pytest.raises(SignificanceError, match=r"^there is no significance test '.*'; expected "):
        parse_test(name)
