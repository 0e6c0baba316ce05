"""Run the command line on files in a folder of its own, and watch the folder."""

import inspect
import io
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cdfscore.cli import main


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


#: Arguments of Python, which no command spells so, but for a mistake in a file of factors.
KEYWORDS = re.compile(
    r"\b(adjust|constant|missing|unfitted|(keep|drop)_(topics|systems)|lower_is_better|reflect_at|"
    r"reference|replicate|(topic|system|score)_column|systems_as_rows)="
)
Files = Mapping[str, str | bytes | None]
# What the fixtures return.
Run = Callable[..., Outcome]
Write = Callable[[Files], None]
Sentence = Callable[..., str]


def replaced(given: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return arguments with other options, in place of those of the same names, with a value."""
    names = {each.partition("=")[0] for each in options if each.startswith("--")}
    old = {i + shift for i, each in enumerate(given) if each in names for shift in (0, 1)}
    return [*(each for i, each in enumerate(given) if i not in old), *options]


def cases(table: str) -> list[Any]:
    """Return the rows of a table: the words of a command, and parts of what it must say.

    A row that begins with spaces goes on with the one above.
    """
    rows = re.sub(r"\n +", " ", inspect.cleandoc(table)).splitlines()
    cells = (row.split(" | ") for row in rows)
    return [pytest.param(words, said, id=words) for words, *said in cells]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files in the folder, text in UTF-8; None makes a folder."""

    def write_files(files: Files) -> None:
        for name, content in files.items():
            if content is None:
                (tmp_path / name).mkdir()
            else:
                data = content if isinstance(content, bytes) else content.encode()
                (tmp_path / name).write_bytes(data)

    return write_files


@pytest.fixture
def cdfscore(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run ``cdfscore`` in this process, in the folder."""

    def run(*arguments: str, stdin: bytes = b"") -> Outcome:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["cdfscore", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        try:
            main()
            status: object = 0
        except SystemExit as end:
            status = end.code or 0
        assert isinstance(status, int)
        outcome = Outcome(status, *capsys.readouterr())
        assert not KEYWORDS.search(outcome.err), outcome.err
        return outcome

    return run


@pytest.fixture
def refused(tmp_path: Path, cdfscore: Run, write: Write, *, long: bool) -> Sentence:
    """Run a command that must be refused without a trace; return what it says.

    Files of an earlier run are there, which it must leave as they are; with --long, it also
    runs before them, and must say the same.
    """

    def snapshot() -> dict[str, object]:
        return {
            str(path.relative_to(tmp_path)): (
                path.stat().st_ino,
                path.stat().st_mode,
                path.read_bytes() if path.is_file() else None,
            )
            for path in tmp_path.rglob("*")
        }

    def run(files: Files, arguments: list[str], stdin: bytes = b"") -> str:
        write(files)
        messages = []
        earlier_files = {"OUT.csv": "earlier scores", "F.json": "earlier factors"}
        for earlier in ({}, earlier_files) if long else (earlier_files,):
            write({name: text for name, text in earlier.items() if name not in files})
            before = snapshot()
            status, out, err = cdfscore(*arguments, stdin=stdin)
            assert (status, out) == (2, "")
            assert snapshot() == before
            messages.append(err)
        assert len(set(messages)) == 1
        return messages[0]

    return run


@pytest.fixture
def sentence(refused: Sentence) -> Sentence:
    """Run a command that must be refused with one sentence of cdfscore's; return it."""

    def run(files: Files, arguments: list[str], stdin: bytes = b"") -> str:
        message = refused(files, arguments, stdin)
        assert message.startswith("cdfscore: ")
        assert message.endswith("\n")
        assert len(message.splitlines()) == 1
        assert len(message) < 500
        return message

    return run
