"""Experiments that tests run, also in other processes, and a script that runs one."""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdfscore.common.files import write_whole
from cdfscore.experiments.trials import Results, executor_for, run_trials

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
    "PYTHONFAULTHANDLER": "1",
}


@dataclass(frozen=True)
class Draws:
    """Normal deviates of trial k by a generator of (seed, k)."""

    seed: int = 1

    def run(self, trials: range) -> Results:
        draws = [np.random.default_rng((self.seed, k)).normal(size=3) for k in trials]
        return {"draws": np.array(draws), "trial": np.array(trials)}


@dataclass(frozen=True)
class Gated(Draws):
    """Draws that note every call in a file, and wait for a file ``open`` from `closed` on."""

    folder: str = ""
    closed: int = 0

    def run(self, trials: range) -> Results:
        with Path(self.folder, "calls").open("a") as calls:
            calls.write(f"{trials.start} {os.getpid()}\n")
        if trials.start >= self.closed:
            wait_for(Path(self.folder, "open").exists)
        return super().run(trials)


@dataclass(frozen=True)
class Ending(Draws):
    """Ends the process that runs it."""

    def run(self, trials: range) -> Results:
        os._exit(1)


def calls(folder: Path) -> list[tuple[int, int]]:
    """First trial and process of all calls, in their order."""
    path = folder / "calls"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(first), int(process)) for first, process in (line.split() for line in lines)]


def finish(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """Return exit status and standard error; of a process that hangs the stacks of its threads."""
    try:
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        _, errors = process.communicate()
    return process.returncode, errors


def wait_for(met: Callable[[], bool]) -> None:
    """Wait until a condition is met; the limit only ends what would hang."""
    give_up = time.monotonic() + 30
    while not met():
        if time.monotonic() > give_up:
            raise TimeoutError(met)
        time.sleep(0.01)


def main(folder: str, trials: str, out: str, jobs: str, resume: str) -> None:
    """Run `Gated` in `folder`, caching chunks in its folder ``cache``, and write the file `out`."""
    experiment = Gated(seed=1, folder=folder, closed=500)
    try:
        with executor_for(int(jobs) if jobs else None) as executor:
            try:
                results = run_trials(
                    experiment,
                    int(trials),
                    executor=executor,
                    cache=Path(out).with_suffix(".cache"),
                    resume=bool(resume),
                )
            except KeyboardInterrupt:
                Path(out).with_suffix(".interrupted").touch()
                raise
    except KeyboardInterrupt:
        sys.exit(130)
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **results)
    write_whole({Path(out): content.getvalue()})


if __name__ == "__main__":
    main(*sys.argv[1:])
