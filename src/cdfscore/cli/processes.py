"""Processes for work that holds the lock of the interpreter, so that threads do not help."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cdfscore.errors import CdfscoreError
from cdfscore.threads import be_alone, most_processes

if TYPE_CHECKING:
    from concurrent.futures import Executor


@contextmanager
def process_pool(jobs: int) -> Iterator[Executor | None]:
    """Yield an executor with this number of processes, or None for one job.

    Raises `CdfscoreError` if a process is killed.
    """
    if jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children, get_context

    others = active_children()
    # Spawn, because the fork of a process with threads, such as those of pyarrow, may hang.
    spawn = get_context("spawn")
    pool = ProcessPoolExecutor(most_processes(jobs), spawn, initializer=_be_one_of_several)
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
    """Start no threads, and leave Ctrl-C to the process of the command, which ends the others."""
    be_alone()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
