"""The specification has a clause for each public object, and each clause has tests that name it."""

import ast
import itertools
from collections import Counter

import pytest

from cdfscore import stats
from validation.documentation import clauses as parser
from validation.documentation.clauses import clauses, file_of, object_of, specified_in
from validation.documentation.marked import TESTS, marked_tests
from validation.documentation.public import public_objects

KNOWN = clauses()


def test_numbers_of_clauses_are_different() -> None:
    assert [
        number for number, often in Counter(each.number for each in KNOWN).items() if often > 1
    ] == []


def test_clauses_of_a_word_are_numbered_from_1() -> None:
    words = itertools.groupby(
        sorted(each.number.split(".") for each in KNOWN), lambda pair: pair[0]
    )
    for word, own in words:
        numbers = sorted(int(number) for _, number in own)
        assert numbers == list(range(1, len(numbers) + 1)), word


def test_each_clause_has_a_test() -> None:
    assert sorted({each.number for each in KNOWN} - marked_tests().keys()) == []


def test_each_clause_has_a_test_that_is_not_for_validation_alone() -> None:
    long = {
        f"{path.relative_to(parser.ROOT)}::{function.name}"
        for path in TESTS.rglob("test_*.py")
        if "mark.long" in (text := path.read_text(encoding="utf-8"))
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        and "pytest.mark.long" in map(ast.unparse, function.decorator_list)
    }
    assert len(long) > 20
    assert [number for number, tests in marked_tests().items() if long.issuperset(tests)] == []


def test_tests_name_clauses_that_are_there() -> None:
    assert sorted(marked_tests().keys() - {each.number for each in KNOWN}) == []


def test_each_public_object_has_a_clause() -> None:
    specified = {id(object_of(name)) for each in KNOWN for name in each.code}
    assert [name for name in public_objects() if id(object_of(name)) not in specified] == []


@pytest.mark.parametrize("name", sorted(set(dir(stats)) - {"METHODS", "Parameters"}))
def test_the_docstring_names_the_clauses(name: str) -> None:
    """METHODS and Parameters have no docstring of their own."""
    found = getattr(stats, name)
    said = specified_in(found)
    written = " ".join((found.__doc__ or "").split())
    assert said in written, f"{name} has to say: {said}"
    assert written.count("Specified in") == 1


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (stats.Raw, "raw.1"),
        (stats.Centered, "centered.1"),
        (stats.conover, "conover.1 and conover.2"),
        (stats.Normal, "normal.1 to normal.3 and webber_moffat.2"),
        (stats.d_z, "d_z.1, d_z.2 and effect_size.3"),
    ],
)
def test_clauses_in_words(found: object, sentence: str) -> None:
    assert specified_in(found) == f"Specified in {sentence}."


@pytest.mark.parametrize("name", sorted({name for each in KNOWN for name in each.code}))
def test_what_a_clause_names_is_there(name: str) -> None:
    assert (parser.ROOT / file_of(name)).exists()
