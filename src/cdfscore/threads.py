"""Work in threads, for functions that leave the interpreter's lock: NumPy, pyarrow, compiled."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_threads(
    function: Callable[[T], R], items: Iterable[T], threads: int | None = None
) -> Iterator[R]:
    """Yield the results of a function for each item, in order, from a thread for each core.

    At most one result more than there are threads waits to be taken, so that little memory is used.
    `threads` is their number, if it is not that of the cores.

    Examples
    --------
    >>> list(in_threads(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    cores = threads or os.cpu_count() or 1
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(cores, "cdfscore") as pool:
        for item in items:
            # How arguments are spelled, and what NumPy warns of, is as here.
            waiting.append(pool.submit(copy_context().run, function, item))
            if len(waiting) > cores:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
