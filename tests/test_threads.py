"""Threads: so many as are asked for, one in a thread of a pool, and results in order."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.common import threads
from cdfscore.common.threads import process_pool
from cdfscore.experiments.trials import Results, executor_for, run_trials
from cdfscore.stats.numerics import compiled
from tests import a_tenth


class Crew:
    """Counts who is at work at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now: set[int] = set()
        self.most = 0

    def work(self, item: int) -> int:
        me = threading.get_ident()
        with self._lock:
            self._now.add(me)
            self.most = max(self.most, len(self._now))
        np.random.default_rng(item).random(20_000).sort()
        with self._lock:
            self._now.discard(me)
        return -item


@a_tenth
@given(st.integers(1, 5), st.integers(0, 30))
def test_no_more_threads_work_than_are_asked_for(asked: int, number: int) -> None:
    """The calling thread, which takes items and results, is one of them."""
    crew = Crew()

    def items() -> Iterator[int]:
        for item in range(number):
            crew.work(item)
            yield item

    found = []
    for result in threads.in_threads(crew.work, items(), asked):
        crew.work(0)
        found.append(result)
    assert found == [-item for item in range(number)]
    assert crew.most <= asked


def test_the_calling_thread_is_one_of_two() -> None:
    """While it makes items, only one other may work; after that, both."""
    started, go = threading.Semaphore(0), threading.Event()

    def work(item: int) -> int:
        started.release()
        go.wait(60)
        return item

    def items() -> Iterator[int]:
        yield from (0, 1)
        assert started.acquire(timeout=60)
        others = started.acquire(timeout=0.5)
        go.set()
        assert not others
        yield 2

    assert list(threads.in_threads(work, items(), 2)) == [0, 1, 2]


def test_several_threads_work_at_a_time() -> None:
    """Each of two waits for the other, so that one alone would not go on."""
    both = threading.Barrier(2)
    assert list(threads.in_threads(lambda _: both.wait(60) >= 0, range(4), 2)) == [True] * 4


def test_one_thread_is_the_calling_one() -> None:
    found = threads.in_threads(lambda _: threading.get_ident(), range(3), 1)
    assert set(found) == {threading.get_ident()}


@pytest.mark.parametrize("asked", [1, 3])
def test_a_thread_of_a_pool_starts_no_others(asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 4)

    def fill(part: slice) -> None:
        seen.add(threading.get_ident())

    def within(_: int) -> bool:
        compiled.in_blocks(fill, 4 * compiled.MANY, 2)
        return threading.get_ident() in seen and threads.threads_here() == 1

    seen: set[int] = set()
    assert all(threads.in_threads(within, range(20), asked))
    assert len(seen) <= asked
    assert threads.threads_here() == 4


def test_errors_and_a_stop_leave_no_thread() -> None:
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        list(threads.in_threads(lambda item: 1 // item, [3, 2, 1, 0, 1, 2, 3], 2))
    with closing(threads.in_threads(abs, range(100), 3)) as results:
        assert [next(results), next(results)] == [0, 1]
    assert threading.active_count() == before


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs cores to be taken away")
def test_cores_are_those_that_the_process_may_use() -> None:
    allowed, before = os.sched_getaffinity(0), threads.cores()
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert threads.cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)
    assert threads.cores() == before


class Told:
    """An experiment that gives how many threads each trial may start."""

    def run(self, trials: range) -> Results:
        return {"threads": np.array([threads.threads_here() for _ in trials])}


@pytest.mark.long
def test_trials_start_no_threads_in_threads_and_processes() -> None:
    with executor_for(2) as pool:
        assert run_trials(Told(), 4, executor=pool)["threads"].tolist() == [1] * 4
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert run_trials(Told(), 4, executor=processes)["threads"].tolist() == [1] * 4


def test_the_processes_of_a_command_start_no_threads() -> None:
    with process_pool(2) as pool:
        assert pool is not None
        assert pool.submit(threads.threads_here).result() == 1


_PARENT = """
import signal, time
from cdfscore.stats.numerics import compiled
from cdfscore.common.threads import process_pool

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup ignores
if __name__ == "__main__":
    with process_pool(2) as pool:
        print(pool.submit(abs, 1).result(), flush=True)
        for busy in [pool.submit(time.sleep, 100) for _ in range(2)]:
            busy.result()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_processes_of_a_command_end_with_it(tmp_path: Path, how: signal.Signals) -> None:
    """Their output is closed then, so that a pipeline goes on."""
    code = tmp_path / "parent.py"
    code.write_text(_PARENT)
    with subprocess.Popen([sys.executable, code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.send_signal(how)
        assert parent.communicate(timeout=60)[0] == b""


@pytest.fixture
def cgroups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder as that of all cgroups; the cores of it are forgotten, come what may."""
    monkeypatch.setattr(threads, "_CGROUPS", tmp_path)
    monkeypatch.setattr(threads, "_OWN", tmp_path / "own")
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    threads._cores_of_cgroup.cache_clear()
    yield tmp_path
    threads._cores_of_cgroup.cache_clear()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "50000 100000\n"}, 1),
        ({"cpu.max": "max 100000\n"}, 8),
        ({"cpu.max": "3200000 100000\n"}, 8),
        ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 8),
        ({"cpu.max": "something else\n"}, 8),
        ({"cpu.max": "200000 0\n"}, 8),
        ({}, 8),
    ],
)
def test_a_container_that_may_take_the_time_of_fewer_cores(
    files: dict[str, str], expected: int, cgroups: Path
) -> None:
    write(cgroups, files)
    assert threads.cores() == expected


V1 = {"cpu/a/b/cpu.cfs_period_us": "100000\n", "cpu/a/b/cpu.cfs_quota_us": "300000\n"}


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "300000 100000\n", "a/cpu.max": "max 100000\n"}, 3),
        ("0::/a/b\n", {"a/b/cpu.max": "300000 100000\n", "a/cpu.max": "200000 100000\n"}, 2),
        ("0::/a/b\n", {"cpu.max": "400000 100000\n"}, 4),  # the path is of the host
        ("0::/a\n", {"a/b/cpu.max": "300000 100000\n", "c/cpu.max": "100000 100000\n"}, 8),
        ("0::/\n", {"a/cpu.max": "300000 100000\n"}, 8),
        ("3:memory:/\n2:cpu,cpuacct:/a/b\n0::/\n", V1, 3),
        ("3:cpuset,memory:/a/b\n0::/\n", V1, 8),
        ("something else\n", {"cpu.max": "300000 100000\n"}, 3),
    ],
)
def test_limits_of_nested_groups_count_to_the_top(
    own: str, files: dict[str, str], expected: int, cgroups: Path
) -> None:
    """As of a service of systemd, a job of Slurm, or a container that sees the host's groups."""
    write(cgroups, {"own": own, **files})
    assert threads.cores() == expected


def write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
