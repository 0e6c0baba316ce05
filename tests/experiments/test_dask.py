"""Trials on a Dask cluster of this machine: a scheduler and workers, each a process."""

from __future__ import annotations

import io
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdfscore import __version__
from cdfscore.errors import CdfscoreError
from cdfscore.experiments import (
    Between,
    Halves,
    ReferenceSize,
    pooled,
    refitted,
    standardized,
)
from cdfscore.experiments.trials import code_versions, executor_for, run_trials
from tests.experiments.clusters import Cluster, running
from tests.experiments.engine_subjects import (
    ENVIRONMENT,
    ROOT,
    Draws,
    Gated,
    calls,
    finish,
    wait_for,
)


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("cluster"), workers=2) as found:
        yield found


@pytest.fixture(scope="module")
def no_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("empty"), workers=0) as found:
        yield found


@contextmanager
def meanwhile(action: Callable[[], None]) -> Iterator[None]:
    """Act in another thread, and raise what the action raises."""
    failed: list[BaseException] = []

    def act() -> None:
        try:
            action()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=act)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if failed:
        raise failed[0]


@pytest.mark.long
@pytest.mark.clause("run_trials.2")
def test_a_cluster_gives_the_same_bytes(two_workers: Cluster) -> None:
    expected = run_trials(Draws(), 1100)
    with executor_for(None, two_workers.address) as executor:
        found = run_trials(Draws(), 1100, executor=executor)
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }


@pytest.mark.clause("run_trials.2")
def test_experiments_on_a_cluster_are_those_of_threads(two_workers: Cluster) -> None:
    scores = pd.DataFrame(np.random.default_rng(1).random((9, 8)).round(1))
    schemes = {"N": "normal", "E": "empirical"}
    other = (scores.iloc[::2] ** 2).rename(index="another {}".format)
    parts = [standardized(each, schemes) for each in (scores, other)]
    of_others = refitted(scores.iloc[:, :4], schemes, reference=scores.iloc[:, 4:])
    for experiment in (Halves(pooled(*parts)), Between(parts[0]), ReferenceSize(of_others)):
        expected, found = [], []
        for arguments, results in (((2, None), expected), ((None, two_workers.address), found)):
            with executor_for(*arguments) as executor:
                results.append(run_trials(experiment, 510, executor=executor))
        for name, values in expected[0].items():
            assert values.tobytes() == found[0][name].tobytes(), name


def test_distributed_own_executor_serves_too(two_workers: Cluster) -> None:
    from distributed import Client

    with Client(two_workers.address, set_as_default=False) as client:
        found = run_trials(Draws(), 600, executor=client.get_executor())
    assert np.array_equal(found["draws"], Draws().run(range(600))["draws"])


def test_an_error_of_the_experiment_is_raised(two_workers: Cluster) -> None:
    experiment = Gated(folder="/nonexistent")
    with (
        pytest.raises(FileNotFoundError, match="nonexistent/calls"),
        executor_for(None, two_workers.address) as executor,
    ):
        run_trials(experiment, 600, executor=executor)


def test_the_cluster_forgets_cancelled_calls(two_workers: Cluster, tmp_path: Path) -> None:
    from distributed import Client

    experiment = Gated(folder=str(tmp_path))
    with (
        executor_for(None, two_workers.address) as executor,
        Client(two_workers.address, set_as_default=False) as client,
    ):
        assert executor is not None
        waiting = [executor.submit(experiment.run, range(k, k + 1)) for k in range(20)]
        wait_for(lambda: any(client.processing().values()))
        for future in waiting:
            assert future.cancel()
        wait_for(lambda: not any(client.processing().values()))  # while the gate is closed
        (tmp_path / "open").touch()


@pytest.mark.long
def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    experiment = Gated(folder=str(tmp_path))
    killed: list[tuple[int, int]] = []

    def kill() -> None:
        """Kill a worker when each of the two runs a chunk, and only then open the gate."""
        wait_for(lambda: len({process for _, process in calls(tmp_path)}) == 2)
        killed.append(calls(tmp_path)[0])
        os.kill(killed[0][1], signal.SIGKILL)
        (tmp_path / "open").touch()

    with (
        running(tmp_path, workers=2) as found,
        executor_for(None, found.address) as executor,
        meanwhile(kill),
    ):
        results = run_trials(experiment, 1100, executor=executor)
    first, process = killed[0]
    again = [by for chunk, by in calls(tmp_path) if chunk == first]
    assert again[0] == process
    assert again[1:]
    assert process not in again[1:]
    expected = Draws().run(range(1100))
    assert {name: array.tobytes() for name, array in results.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }


@pytest.mark.long
def test_a_lost_scheduler_leaves_what_is_cached(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    experiment = Gated(folder=str(tmp_path), closed=500)
    with running(tmp_path, workers=1) as found:

        def kill() -> None:
            wait_for(lambda: len(list(tmp_path.glob("cache/*/trials-*"))) == 2)
            found.scheduler.kill()

        with (
            meanwhile(kill),
            pytest.raises(CdfscoreError, match=f"scheduler at {found.address} was lost"),
            executor_for(None, found.address) as executor,
        ):
            run_trials(experiment, 1100, executor=executor, cache=tmp_path / "cache")
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []
    (tmp_path / "open").touch()
    (tmp_path / "calls").unlink()
    results = run_trials(experiment, 1100, cache=tmp_path / "cache", resume=True)
    assert [first for first, _ in calls(tmp_path)] == [500, 750, 1000]
    assert np.array_equal(results["draws"], Draws().run(range(1100))["draws"])


@pytest.mark.long
def test_ctrl_c_on_a_cluster(two_workers: Cluster, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    script = [sys.executable, "-m", "tests.experiments.engine_subjects"]

    def start(resume: str) -> subprocess.Popen[bytes]:
        arguments = [str(tmp_path), "1400", str(out), "", two_workers.address, resume]
        return subprocess.Popen(
            [*script, *arguments], env=ENVIRONMENT, cwd=ROOT, stderr=subprocess.PIPE
        )

    process = start("")
    wait_for(lambda: len(list(tmp_path.glob("out.cache/*/trials-*"))) == 2)
    wait_for(lambda: len(calls(tmp_path)) == 4)
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, b"")  # the gate is closed
    assert out.with_suffix(".interrupted").exists()
    begun = {first for first, _ in calls(tmp_path)}
    assert begun > {0, 250}
    (tmp_path / "calls").unlink()
    (tmp_path / "open").touch()
    assert finish(start("resume")) == (0, b"")
    assert {first for first, _ in calls(tmp_path)} == {500, 750, 1000, 1250}
    expected = Draws().run(range(1400))
    with np.load(io.BytesIO(out.read_bytes())) as results:
        assert all(np.array_equal(results[name], expected[name]) for name in expected)


@pytest.mark.parametrize(
    "address",
    ["", "somewhere", "127.0.0.1:8786", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "http://a:1"],
)
def test_no_address_of_a_scheduler(address: str) -> None:
    with (
        pytest.raises(CdfscoreError, match=f"dask is '{address}'; expected the address of a sche"),
        executor_for(None, address),
    ):
        pass


def test_tls_without_certificates() -> None:
    with (
        pytest.raises(CdfscoreError, match=r"'tls://127.0.0.1:1', and .* has no certificates"),
        executor_for(None, "tls://127.0.0.1:1"),
    ):
        pass


@pytest.mark.parametrize("port", [1, 99999])
def test_no_scheduler(
    port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("cdfscore.experiments.trials._SECONDS_TO_CONNECT", 0.5)
    address = f"tcp://127.0.0.1:{port}"
    with (
        pytest.raises(CdfscoreError, match=f"no Dask scheduler answers at {address} within 0.5"),
        executor_for(None, address),
    ):
        pass
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


@pytest.mark.long
def test_no_workers(no_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdfscore.experiments.trials._SECONDS_FOR_WORKERS", 0.5)
    with (
        pytest.raises(CdfscoreError, match=f"{no_workers.address} has no workers after 0.5 sec"),
        executor_for(None, no_workers.address),
    ):
        pass


@pytest.mark.long
def test_workers_of_another_version(two_workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdfscore.experiments.trials.__version__", "9.9")
    one = rf"the one at tcp://127.0.0.1:\d+ has {__version__}"
    with (
        pytest.raises(CdfscoreError, match=f"every worker needs cdfscore 9.9, but {one}, {one}$"),
        executor_for(None, two_workers.address),
    ):
        pass


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("numpy", r"every worker needs numpy 9\.9, but the one at tcp:.* has \d"),
        (
            "code of cdfscore",
            r"the same code of cdfscore as here, .* digest 9\.9, but .* digest \w",
        ),
    ],
)
def test_workers_with_other_libraries_or_code(
    two_workers: Cluster, monkeypatch: pytest.MonkeyPatch, what: str, message: str
) -> None:
    monkeypatch.setitem(code_versions(), what, "9.9")
    with (
        pytest.raises(CdfscoreError, match=message),
        executor_for(None, two_workers.address),
    ):
        pass


def test_a_worker_that_comes_later_is_looked_at_too(
    two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with executor_for(None, two_workers.address) as executor:
        monkeypatch.setitem(code_versions(), "scipy", "9.9")
        with pytest.raises(CdfscoreError, match=r"scipy 9\.9, but one that came later has \d"):
            run_trials(Draws(), 10, executor=executor)


@pytest.mark.long
def test_workers_that_cannot_import_cdfscore(tmp_path: Path) -> None:
    (tmp_path / "cdfscore.py").write_text("raise ImportError('built for another Python')")
    with (
        running(tmp_path, workers=1, path=tmp_path) as found,
        pytest.raises(CdfscoreError, match=r"cannot import it \(built for another Python\)$"),
        executor_for(None, found.address),
    ):
        pass
