"""The list of claims: each is on its page, and what checks it is there."""

import pytest

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
