"""What killed processes leave is removed; what others are writing is not."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cdfscore.common import files
from cdfscore.common.files import hold, remove_leftovers, write_whole

WRITES = """
import os, sys, time
from pathlib import Path
from cdfscore.common.files import write_whole

def hang(descriptor):
    print("writes", flush=True)
    time.sleep(60)

os.fsync = hang
write_whole({Path("a"): b"new" * 1000})
"""
COPIES = """
import sys
import cdfscore.standardization.streaming as module

def hang(*_):
    print("writes", flush=True)
    sys.stdin.read()

module.Tally.add = hang
module.standardize_parquet("long.parquet", "y.parquet", "empirical")
"""


@pytest.fixture(autouse=True)
def _anew() -> None:
    """Look again: a process looks once, and all tests are one process."""
    remove_leftovers.cache_clear()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def long_file(folder: Path) -> None:
    import pandas as pd

    rows = [(topic, system, 0.5) for system in "ab" for topic in ("1", "2")]
    frame = pd.DataFrame(rows, columns=["topic", "system", "score"])
    frame.to_parquet(folder / "long.parquet")


def killed_while_it_writes(folder: Path, script: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writes\n"
        before = names(folder)
        write_whole({folder / "b": b"1"})
        assert names(folder) == sorted([*before, "b"])  # they are still written
        process.send_signal(signal.SIGKILL)
    remove_leftovers.cache_clear()


def test_a_killed_process_leaves_what_the_next_one_removes(tmp_path: Path) -> None:
    killed_while_it_writes(tmp_path, WRITES)
    assert len(names(tmp_path)) == 2
    write_whole({tmp_path / "b": b"2"})
    assert names(tmp_path) == ["b"]


@pytest.mark.skipif(sys.platform == "win32", reason="files without names")
def test_a_killed_stream_leaves_no_copies_of_rows(tmp_path: Path) -> None:
    """Nor does it show them while it writes; the half of its file is removed by the next one."""
    long_file(tmp_path)
    killed_while_it_writes(tmp_path, COPIES)
    write_whole({tmp_path / "b": b"2"})
    assert names(tmp_path) == ["b", "long.parquet"]


def test_files_of_others_stay(tmp_path: Path) -> None:
    own, another = files.PREFIX, ".cdfscore-zzzzzz-"  # of another machine
    others = [f"{own}notes", f"{own}.part", f"{own}1part", f"{own}1.part.txt", f"{another}1.part"]
    for name in others:
        (tmp_path / name).write_text("of the user")
    write_whole({tmp_path / "b": b"1"})
    assert names(tmp_path) == sorted([*others, "b"])


def test_a_file_that_is_taken_for_a_leftover_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its creation and its lock another process may remove it."""
    opened: list[str] = []

    def removed_first(descriptor: int) -> bool:
        (own,) = names(tmp_path)
        if not opened:
            (tmp_path / own).unlink()
        opened.append(own)
        return hold(descriptor)

    monkeypatch.setattr(files, "hold", removed_first)
    write_whole({tmp_path / "a": b"1"})
    assert len(set(opened)) == 2
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"1"


def test_without_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = f"{files.PREFIX}1.part"
    (tmp_path / left).write_text("")
    monkeypatch.setattr(files, "hold", lambda *_, **__: False)
    write_whole({tmp_path / "a": b"1"})
    assert names(tmp_path) == [left, "a"]


@pytest.mark.skipif(sys.platform == "win32", reason="has no named pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f"{files.PREFIX}1.part")
    remove_leftovers(tmp_path)
    assert names(tmp_path) == [f"{files.PREFIX}1.part"]
