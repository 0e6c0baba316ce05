"""A run that is killed or interrupted goes on from its cached chunks, and ends in the same file."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.experiments.engine_subjects import ENVIRONMENT, ROOT, calls, finish, wait_for

# Two chunks run through, the others wait; two of these have not started when two threads run.
TRIALS = 1400
THROUGH = [0, 250]
WAITING = [500, 750, 1000, 1250]


def start(folder: Path, out: Path, jobs: int, *, resume: bool) -> subprocess.Popen[bytes]:
    script = [sys.executable, "-m", "tests.experiments.engine_subjects"]
    arguments = [str(folder), str(TRIALS), str(out), str(jobs), "resume" if resume else ""]
    return subprocess.Popen(
        [*script, *arguments], env=ENVIRONMENT, cwd=ROOT, stderr=subprocess.PIPE
    )


def stopped_at_the_gate(folder: Path, out: Path, jobs: int) -> subprocess.Popen[bytes]:
    """Return a process that has cached all it can, each of its threads waiting at the gate."""
    process = start(folder, out, jobs, resume=False)
    wait_for(lambda: len(calls(folder)) == len(THROUGH) + jobs and len(cached(out)) == 2)
    return process


def cached(out: Path) -> list[str]:
    return sorted(path.name for path in out.with_suffix(".cache").glob("*/trials-*"))


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_is_resumed(tmp_path: Path, jobs: int) -> None:
    out, whole = tmp_path / "out.npz", tmp_path / "whole.npz"
    process = stopped_at_the_gate(tmp_path, out, jobs)
    process.send_signal(signal.SIGKILL)
    assert finish(process)[0] == -signal.SIGKILL
    assert cached(out) == ["trials-0-250.npz", "trials-250-500.npz"]
    assert not out.exists()
    (tmp_path / "calls").unlink()
    (tmp_path / "open").touch()

    assert finish(start(tmp_path, out, jobs, resume=True)) == (0, b"")
    assert sorted(first for first, _ in calls(tmp_path)) == WAITING
    assert finish(start(tmp_path, whole, 1, resume=False)) == (0, b"")
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_ends_and_is_resumed(tmp_path: Path, jobs: int) -> None:
    out, whole = tmp_path / "out.npz", tmp_path / "whole.npz"
    process = stopped_at_the_gate(tmp_path, out, jobs)
    process.send_signal(signal.SIGINT)
    wait_for(out.with_suffix(".interrupted").exists)  # while the gate is still closed
    (tmp_path / "open").touch()  # threads finish the chunks that they run
    assert finish(process) == (130, b"")
    assert sorted(first for first, _ in calls(tmp_path)) == THROUGH + WAITING[:jobs]
    assert cached(out) == ["trials-0-250.npz", "trials-250-500.npz"]
    (tmp_path / "calls").unlink()

    assert finish(start(tmp_path, out, jobs, resume=True)) == (0, b"")
    assert sorted(first for first, _ in calls(tmp_path)) == WAITING
    assert finish(start(tmp_path, whole, 1, resume=False)) == (0, b"")
    assert out.read_bytes() == whole.read_bytes()
