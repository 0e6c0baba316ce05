"""The tables of the papers name commands, clauses and tests that are there."""

import re
import shlex

import pytest

from tests.claims import pages
from tests.cli.conftest import Run
from tests.cli.conftest import cdfscore as cdfscore
from validation.documentation.claims import is_there
from validation.documentation.clauses import clauses, object_of
from validation.documentation.marked import marked_tests

PAGE = "papers.md"
HEADINGS = re.findall(r"^## (.*)$", (pages.DOCS / PAGE).read_text(encoding="utf-8"), re.MULTILINE)
ROWS = [row for heading in HEADINGS for row in pages.table(PAGE, heading).values()]
COMMANDS = sorted({row["command"].strip("`") for row in ROWS})


@pytest.mark.parametrize("heading", HEADINGS)
def test_rows_are_different_and_complete(heading: str) -> None:
    lines = [line for line in pages.section(PAGE, heading).splitlines() if line.startswith("| ")]
    rows = pages.table(PAGE, heading)
    assert len(rows) == len(lines) - 2
    for said, row in rows.items():
        assert list(row)[1:] == ["command", "clause", "test"]
        assert all(row.values()), said


def test_clauses_are_there() -> None:
    named = {number for row in ROWS for number in re.findall(r"\[(.*?)\]", row["clause"])}
    assert len(named) > 60
    assert named <= {clause.number for clause in clauses()}
    assert all(re.fullmatch(r"\[[\w.]+\](, \[[\w.]+\])*", row["clause"]) for row in ROWS)


def test_a_clause_of_a_row_is_named_by_its_tests() -> None:
    """Tests in validation name no clause."""
    marked = marked_tests()
    for row in ROWS:
        tests = set(re.findall("`(.*?)`", row["test"]))
        named = {
            n for n in re.findall(r"\[(.*?)\]", row["clause"]) if tests & set(marked.get(n, []))
        }
        assert named or all(test.startswith("validation/") for test in tests), row


@pytest.mark.parametrize("test", sorted({each for row in ROWS for each in row["test"].split(", ")}))
def test_tests_are_there(test: str) -> None:
    assert "::" in test
    assert is_there(test.strip("`"))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_there(command: str, cdfscore: Run) -> None:
    """Each is read to the end: it then wants a file that is not in the empty folder."""
    name, *arguments = shlex.split(command)
    if name != "cdfscore":
        assert callable(object_of(command))
        return
    done = cdfscore(*arguments)
    if arguments == ["schemes"]:
        assert done.status == 0
        return
    assert done.status == 2
    said = "the published scores|that the authors published" if "reproduce" in command else ""
    assert re.search(said or "cannot be read: No such file", done.err), done.err
