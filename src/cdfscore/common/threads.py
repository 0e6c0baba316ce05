"""Work in threads, for functions that leave the interpreter's lock, and in processes for others.

NumPy, pyarrow and compiled functions leave it.

A pool is not started within another: what runs in a thread of one, or in a process that is one of
several, works in that thread alone. So the number of threads is the one that the user gives.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar, copy_context
from functools import cache
from pathlib import Path, PurePosixPath
from threading import Semaphore, Thread
from typing import Final, ParamSpec, TypeVar

from cdfscore.errors import CdfscoreError

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

# Where Linux has the limits of a cgroup, such as a container, in files of each controller, "" in
# version 2. Those of the cores are how many microseconds it may compute in a period.
_CGROUPS: Final = Path("/sys/fs/cgroup")
_CORES: Final = {"": ("cpu.max",), "cpu": ("cpu.cfs_quota_us", "cpu.cfs_period_us")}
# Which cgroups this process is in: lines such as "0::/a/b", and "4:cpu,cpuacct:/a" in version 1.
_OWN: Final = Path("/proc/self/cgroup")
# A pool of more processes is refused by Python there.
_MOST_ON_WINDOWS: Final = 61
#: True in a thread of a pool.
_alone: ContextVar[bool] = ContextVar("_alone", default=False)


def cores() -> int:
    """Return the number of cores that this process may use, of those that the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _cores_of_cgroup())
    return os.cpu_count() or 1


@cache
def _cores_of_cgroup() -> int:
    """Return how many cores' time this process may take, rounded up; without a limit, very many."""
    found = limits_of_cgroup(_CORES)  # -1 for no limit, in version 1
    pairs = (each for each in found if len(each) == 2)
    return min((-(-own // each) for own, each in pairs if own > 0 < each), default=sys.maxsize)


def limits_of_cgroup(places: Mapping[str, tuple[str, ...]]) -> Iterator[list[int]]:
    """Yield the numbers in the files of each cgroup that this process is in, by controller."""
    for controller, names in places.items():
        own = _own_cgroup(controller)
        for group in (own, *own.parents):
            with suppress(OSError, ValueError):  # such as "max" for no limit
                files = [_CGROUPS / controller / group / name for name in names]
                yield [int(each) for file in files for each in file.read_text().split()]


def _own_cgroup(controller: str) -> PurePosixPath:
    with suppress(OSError, ValueError):
        for line in _OWN.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controller in controllers.split(","):  # in version 2 there is an empty name
                return PurePosixPath(path.lstrip("/"))
    return PurePosixPath()


def threads_here() -> int:
    """Return how many threads may work here: one within a pool, else one for each core."""
    return 1 if _alone.get() else cores()


@contextmanager
def process_pool(processes: int) -> Iterator[Executor | None]:
    """Yield an executor of new processes, which end when this one does; None for one."""
    if processes == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    if sys.platform == "win32":
        processes = min(processes, _MOST_ON_WINDOWS)
    others = active_children()
    # Spawn, because the fork of a process with threads, such as those of pyarrow, may hang.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_be_one_of_several)
    try:
        yield pool
    except KeyboardInterrupt:
        # Otherwise they would finish their tasks.
        for child in active_children():
            if child not in others:
                child.terminate()
        raise
    except BrokenProcessPool as error:
        raise CdfscoreError(
            "a process was killed, perhaps because memory ran out; --jobs 1 needs less memory"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _be_one_of_several() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    be_alone()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def end() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=end, daemon=True).start()


def be_alone() -> None:
    """Start no threads from this thread on: it is one of several, or its process is."""
    _alone.set(True)


def alone(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function in this thread alone."""
    return _context().run(function, *args, **kwargs)


def in_threads(
    function: Callable[[T], R], items: Iterable[T], threads: int | None = None
) -> Generator[R]:
    """Yield the results of a function for each item, in order, from at most so many `threads`.

    The calling one is among them. At most one result more than there are threads waits.
    """
    most = threads or threads_here()
    if most == 1:
        for item in items:
            yield alone(function, item)
        return
    # Of the calling thread, except while it waits for a result.
    others = Semaphore(most - 1)

    def work(context: Context, item: T) -> R:
        with others:
            return context.run(function, item)

    def taken(result: Future[R]) -> R:
        if not result.done():
            others.release()
            try:
                return result.result()
            finally:
                others.acquire()
        return result.result()

    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(most, "cdfscore") as pool:
        for item in items:
            waiting.append(pool.submit(work, _context(), item))
            if len(waiting) > most:
                yield taken(waiting.popleft())
        while waiting:
            yield taken(waiting.popleft())


def _context() -> Context:
    context = copy_context()
    context.run(be_alone)
    return context
