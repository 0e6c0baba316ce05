"""The commands of docs/merging.md run, and merge what its examples in Python do."""

import shlex
import sys
from pathlib import Path

import pytest

from cdfscore.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "merging.md"
FILES = {
    "a.run": "301 Q0 a1 1 12 a\n301 Q0 a2 2 8 a\n301 Q0 a3 3 4 a\n"
    "302 Q0 a4 1 7 a\n302 Q0 a2 2 3 a\n",
    "b.run": "301 Q0 b7 1 .9 b\n301 Q0 b8 2 .8 b\n301 Q0 b9 3 .4 b\n"
    "302 Q0 b1 1 .6 b\n302 Q0 b8 2 .5 b\n",
    "weights.csv": "topic,source,score\n301,a,1\n301,b,.5\n302,a,.5\n302,b,1\n",
    "statistics.csv": "source,term,df,words\na,wing,30,20000\na,flow,100,20000\nb,flow,50,10000\n",
    "queries.csv": "topic,text\n301,wing flow\n302,flow\n",
    "qrels.txt": "301 0 a1 1\n302 0 b1 1\n",
    "samples.csv": "source,document\na,a1\na,a2\na,a3\na,a4\nb,b1\nb,b7\nb,b8\nb,b9\n",
    "sizes.csv": "source,size\na,16\nb,20\n",
    "samples.run": "".join(
        f"{topic} Q0 {document} 1 {score} broker\n"
        for topic, documents in {"301": "a1 a2 a3 b7 b8 b9", "302": "a4 a2 a1 b1 b8 b9"}.items()
        for document, score in zip(documents.split(), (6, 4, 1, 5, 3, 2), strict=True)
    ),
}
COMMANDS = [
    line.removeprefix("$ cdfscore ")
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("$ cdfscore ")
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, which has the files that the page names."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["cdfscore", *shlex.split(command)])
    with pytest.raises(SystemExit, match=r"^(0|None)$"):
        main()


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("merge ")])
def test_commands_write_all_documents(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(command, monkeypatch)
    lines = [line.split() for line in (folder / "merged.run").read_text().splitlines()]
    found = {(topic, document) for topic, _, document, *_ in lines}
    given = {
        tuple(line.split()[0:3:2]) for name in "ab" for line in FILES[f"{name}.run"].splitlines()
    }
    assert found == given
    assert len(lines) == len(given)


@pytest.mark.usefixtures("rinterface")
@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("verify ")])
def test_r_merges_alike(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run(command, monkeypatch)
