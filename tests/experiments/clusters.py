"""A Dask cluster of this machine: a scheduler and workers, each a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import distributed

from tests.experiments.engine_subjects import ENVIRONMENT, ROOT, wait_for

# Seconds that a loaded machine may take to start a process.
_PATIENCE = 120


@dataclass(frozen=True)
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def processes() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Yield a function that starts a part of a cluster, which ends at the end."""
    with ExitStack() as started:

        def start(module: str, *options: str, path: Path | None = None) -> subprocess.Popen[bytes]:
            before = [str(path)] if path else []
            search = os.pathsep.join([*before, ENVIRONMENT["PYTHONPATH"]])
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1"),
                    *("--no-dashboard", "--dashboard-address", "127.0.0.1:0", *options),
                ],
                env={**ENVIRONMENT, "PYTHONPATH": search},
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            started.callback(process.wait)
            started.callback(process.kill)
            return process

        yield start


@contextmanager
def running(folder: Path, *, workers: int, path: Path | None = None) -> Iterator[Cluster]:
    file = folder / "scheduler.json"
    with processes() as start:
        scheduler = start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
        running_workers = [
            start(
                "dask_worker",
                *("--scheduler-file", str(file), "--no-nanny", "--nthreads", "1"),
                *("--local-directory", str(folder / f"worker{number}")),
                path=path,
            )
            for number in range(workers)
        ]
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))  # it is written whole
        address = json.loads(file.read_text())["address"]
        if workers and path is None:  # with another path they may be unfit, and are met so
            with distributed.Client(address, timeout=_PATIENCE, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=_PATIENCE)
        yield Cluster(address, scheduler, running_workers)
