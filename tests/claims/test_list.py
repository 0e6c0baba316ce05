"""The list of claims: each is on its page, and what checks it is there."""

from __future__ import annotations

import re

import pytest

from tests.claims import claim
from validation.documentation import claims
from validation.documentation.checked_elsewhere import CHECKED_ELSEWHERE, WRITTEN


@pytest.mark.parametrize(("page", "text", "check"), CHECKED_ELSEWHERE)
def test_what_is_checked_elsewhere(page: str, text: str, check: str) -> None:
    assert claims.is_said(page, text), f"{page} does not say: {text}"
    assert claims.is_there(check), check


@pytest.mark.parametrize(("page", "command"), WRITTEN.items())
def test_pages_that_a_program_writes_name_it(page: str, command: str) -> None:
    assert claims.is_there(command)
    assert f"`{command}" in claims.said_on(page)


def test_no_claim_is_listed_twice() -> None:
    listed = [(each.page, each.text) for each in claims.all_claims()]
    assert [each for each in listed if listed.count(each) > 1] == []


def test_a_claim_that_is_not_on_the_page_fails() -> None:
    @claim("README.md", "cdfscore is always right")
    def test() -> None: ...

    with pytest.raises(AssertionError, match=r"README.md does not say: cdfscore is always right"):
        test()


def test_line_breaks_do_not_matter() -> None:
    assert claims.is_said("README.md", "a distribution\nfitted to  its topic")


@pytest.mark.parametrize(
    "check", ["tests/nowhere.py::test_x", "tests/claims/test_list.py::test_x", "python -m no.where"]
)
def test_checks_that_are_not_there(check: str) -> None:
    assert not claims.is_there(check)


def test_the_table_has_every_claim() -> None:
    rows = claims.claim_table().splitlines()
    assert len(rows) == 2 + len(claims.all_claims())
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a * [b](c.md) or `d * <e>` in [0, 1]", "a \\* b or `d * <e>` in \\[0, 1]"),
        ("| `a`, b | 1 | |x| |", "`a`, b; 1; \\|x\\|"),
        ("**First.** Then", "First. Then"),
    ],
)
def test_a_claim_is_shown_without_marks(text: str, cell: str) -> None:
    assert claims._cell(text) == cell
