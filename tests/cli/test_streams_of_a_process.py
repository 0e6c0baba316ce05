"""Standard streams that are closed, full or without a reader; Ctrl-C, and processes of others."""

import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cdfscore import datasets, write_scores
from cdfscore.cli import main
from cdfscore.common.threads import process_pool
from cdfscore.errors import RunError, ScoresError
from cdfscore.retrieval import read_run
from cdfscore.scores.reading import read_scores


def status_of(monkeypatch: pytest.MonkeyPatch, stdout: object, *arguments: str) -> int:
    """Run a command in this process with another standard output."""
    with monkeypatch.context() as patched:
        patched.setattr(sys, "argv", ["cdfscore", *arguments])
        patched.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit) as end:
            main()
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.parametrize(
    "command",
    [
        "correlate FILE FILE",
        "schemes",
        "tests",
        "--version",
        "--help",
        "-h",
        "schemes --help",
        "plot --help",
        "reproduce --help",
        "experiment --help",
        "experiment within --help",
    ],
)
def test_what_is_printed_needs_standard_output(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    command: str,
) -> None:
    write_scores(datasets.load_cranfield("ap").iloc[:5, :12], tmp_path / "s.csv")
    words = command.replace("FILE", str(tmp_path / "s.csv")).split()
    assert status_of(monkeypatch, None, *words) == 2
    said = "cdfscore: standard output is closed; expected somewhere to write to\n"
    assert capsys.readouterr().err == said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_what_a_full_disk_does_not_take_is_discarded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        assert status_of(monkeypatch, full, "schemes") == 2
        full.flush()  # what is left goes to the null device
    said = "cdfscore: standard output cannot be written: No space left on device\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("read", "error", "said"),
    [
        (read_scores, ScoresError, "standard input is closed; expected a score matrix"),
        (read_run, RunError, "standard input is closed; expected a run or qrels"),
    ],
)
def test_closed_standard_input_is_refused(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], object], error: type, said: str
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(error) as caught:
        read("-")
    assert str(caught.value) == said


class Child:
    """A process that knows whether it was ended."""

    ended = False

    def terminate(self) -> None:
        self.ended = True


def test_an_interrupt_ends_the_processes_of_the_pool_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before, own = Child(), Child()
    running = [before]
    monkeypatch.setattr(multiprocessing, "active_children", lambda: [*running])

    def interrupted() -> None:
        with process_pool(2):
            running.append(own)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (before.ended, own.ended) == (False, True)
