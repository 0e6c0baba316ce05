"""Executors for the chunks of an experiment: the calling thread, several threads, or Dask."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

from cdfscore.errors import CdfscoreError
from cdfscore.experiments.engine.cluster import cluster_executor
from cdfscore.spelling import as_here


@contextmanager
def executor_for(jobs: int | None, dask: str | None) -> Iterator[Executor | None]:
    """Yield an executor for `run_trials`, and close it at the end.

    Threads share the arrays of an experiment and start at once. Compiled kernels and the long
    loops of NumPy release the interpreter's lock. If you need a pool of processes, create it
    yourself, because each process starts Python again from your script.

    Parameters
    ----------
    jobs : int or None
        Number of threads. If it is None and `dask` is None, the trials run in the calling thread.
        There, Ctrl-C in a compiled kernel may appear as another error.
    dask : str or None
        Address of the scheduler of a Dask cluster, such as ``tcp://127.0.0.1:8786``; see
        `cluster_executor` in `cdfscore.experiments.engine.cluster`.

    Raises
    ------
    CdfscoreError
        If both are given, if `jobs` is below 1, or if the cluster cannot be reached or used.
    MissingDependencyError
        When `dask` is given and distributed is not installed.

    Notes
    -----
    After Ctrl-C, `run_trials` cancels the chunks that have not started. A thread cannot be stopped:
    closing waits until each thread has finished its chunk, which is not cached.

    Examples
    --------
    >>> with executor_for(2, None) as executor:
    ...     executor.submit(sum, [1, 2]).result()
    3
    """
    if jobs is not None and dask is not None:
        raise CdfscoreError(f"jobs is {jobs} and dask is {dask!r}; expected one of the two")
    if jobs is not None and jobs < 1:
        raise CdfscoreError(f"jobs is {jobs}; expected 1 or more")
    if dask is not None:
        with cluster_executor(dask) as executor:
            yield executor
    elif jobs is None:
        yield None
    else:
        with ThreadPoolExecutor(jobs, "cdfscore-trials", initializer=as_here()) as pool:
            yield pool
