"""Dask clusters: workers that are killed, and workers with other versions or other code."""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import distributed

from validation.faults.commands import (
    OUT,
    PATIENCE,
    ROOT,
    emptied,
    environment,
    finish,
    reproduce,
    run,
    start,
)
from validation.faults.judge import REFUSED, SAME, Row, ended, require, sentence, sound


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    os.environ["PYTHONPATH"] = environment()["PYTHONPATH"]  # of workers, which start anew
    with distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster


def killed_workers(data: Path, folder: Path, cases: int, random_: random.Random) -> Iterator[Row]:
    """Kill a worker of a LocalCluster once a chunk is cached, and a part of a second later."""
    local = reproduce(data, "--jobs", "2", trials=1500)
    expected = sound(local, folder)
    row = Row("Dask worker killed (kill -9), one of two", "reproduce --dask")
    for _ in range(cases):
        emptied(folder)
        with _cluster(2) as cluster:
            command = reproduce(data, "--dask", cluster.scheduler_address, trials=1500)
            process = start(command, folder)
            _wait_for_a_chunk(process, folder)
            time.sleep(random_.uniform(0, 0.3))
            still = process.poll() is None
            os.kill(random_.choice(list(cluster.workers.values())).pid, signal.SIGKILL)
            found = finish(process, command, folder)
            with row.case():
                require(still, "the command was faster than the kill")
                require(ended(found, expected) == SAME, found.said[-200:])
                row.outcomes[SAME] += 1
    yield row


def _wait_for_a_chunk(process: subprocess.Popen[str], folder: Path) -> None:
    until = time.monotonic() + PATIENCE
    while process.poll() is None and not list((folder / OUT).rglob("*.npz")):
        require(time.monotonic() < until, "no chunk was cached")
        time.sleep(0.02)


def other_workers(data: Path, folder: Path) -> Iterator[Row]:
    """Run on a cluster whose worker has another cdfscore, other code of it, or another NumPy."""
    expected = dict.fromkeys(reproduce(data).files)
    for what, path in _others(folder).items():
        row = Row(f"Dask worker with {what}", "reproduce --dask")
        emptied(folder)
        with _scheduler_and_worker(folder, path) as address:
            command = reproduce(data, "--dask", address)
            found = run(command, folder)
            with row.case():
                begun = list((folder / OUT).iterdir())
                require(ended(found, expected) == REFUSED and not begun, "it has begun to run")
                row.said[sentence(found)] += 1
                row.outcomes[REFUSED] += 1
        yield row


def _others(folder: Path) -> dict[str, Path]:
    """Make folders that come first on the path of a worker."""
    found = {}
    for what, file, old, new in (
        ("another version of cdfscore", "_version.py", '"0.', '"9.'),
        ("other code under the same version", "experiments/rates.py", '"""', '"""Edited. '),
    ):
        path = found[what] = folder / f"worker-{len(found)}"
        shutil.copytree(
            ROOT / "src", path, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
        )
        changed = path / "cdfscore" / file
        changed.write_text(changed.read_text().replace(old, new, 1))
    found["another NumPy"] = folder / "worker-numpy"
    found["another NumPy"].mkdir(exist_ok=True)
    (found["another NumPy"] / "sitecustomize.py").write_text(
        "import importlib.metadata as m\n"
        "real = m.version\n"
        "m.version = lambda name: '1.0.0' if name == 'numpy' else real(name)\n"
    )
    return found


@contextmanager
def _scheduler_and_worker(folder: Path, path: Path) -> Iterator[str]:
    file = folder / "scheduler.json"
    file.unlink(missing_ok=True)
    here = environment()
    there = environment(PYTHONPATH=str(path))
    common = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    module = [sys.executable, "-m"]
    scheduler = subprocess.Popen(
        [
            *module,
            "distributed.cli.dask_scheduler",
            *common,
            "--port",
            "0",
            "--scheduler-file",
            str(file),
        ],
        env=here,
        **quiet,
    )
    worker = None
    try:
        while not (file.exists() and file.read_text().endswith("}")):
            time.sleep(0.05)
        worker = subprocess.Popen(
            [
                *module,
                "distributed.cli.dask_worker",
                *common,
                "--scheduler-file",
                str(file),
                "--no-nanny",
                "--nthreads",
                "1",
                "--local-directory",
                str(folder / "local"),
            ],
            env=there,
            **quiet,
        )
        address = json.loads(file.read_text())["address"]
        with distributed.Client(address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
        yield address
    finally:
        for process in (worker, scheduler):
            if process is not None:
                process.kill()
                process.wait()
