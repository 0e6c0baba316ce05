"""The commands of the pages for beginners run in the order of the page, and print what it shows."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.conftest import cdfscore as cdfscore

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ["start", "publishing_factors", "checking_with_r", "published_tables"]


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each block of code that is no example of an interpreter."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for kind, own in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if kind in ("", "python", "r") and not own.startswith(">>>"):
            yield kind, own


def sessions(block: str) -> Iterator[tuple[str, str]]:
    """Yield each command, with what is shown below it."""
    for each in block.replace("\\\n", "").split("$ ")[1:]:
        command, _, shown = each.partition("\n")
        yield command, shown


def printed_by(command: str, cdfscore: Run, folder: Path) -> str:
    """Return what a command prints, on both streams; a file takes what is sent to it."""
    command, _, target = command.partition(" > ")
    name, *arguments = shlex.split(command)
    if name == "cdfscore":
        done = cdfscore(*arguments)
        assert done.status == 0, done.err
        out, err = done.out, done.err
    else:
        assert name == "Rscript"
        ran = subprocess.run(
            ["Rscript", "--vanilla", *arguments], cwd=folder, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        out, err = ran.stdout, ran.stderr
    if target:
        (folder / target.strip()).write_text(out, encoding="utf-8")
        out = ""
    return " ".join(f"{err} {out}".split())


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_is_shown(
    cdfscore: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, *, long: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, block in blocks(page):
        if kind == "python":
            exec(compile(block, page, "exec"), {})
            continue
        if kind == "r":
            (tmp_path / "page.R").write_text(block, encoding="utf-8")
            assert "Welch" in printed_by("Rscript page.R", cdfscore, tmp_path)
            continue
        for command, shown in sessions(block):
            # Installing is for a machine; a report takes long, and tests of its own run it.
            if ".venv" in command or (command.startswith("cdfscore report ") and not long):
                continue
            printed = printed_by(command, cdfscore, tmp_path)
            for line in shown.splitlines():
                assert line == "..." or " ".join(line.removeprefix("cdfscore:").split()) in printed
            ran += 1
    assert ran > 0
