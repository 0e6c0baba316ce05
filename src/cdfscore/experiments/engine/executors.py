"""Executors for the chunks of an experiment: the calling thread, several threads, or Dask."""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from cdfscore._version import __version__
from cdfscore.errors import CdfscoreError, MissingDependencyError
from cdfscore.experiments.engine.cache import code_versions
from cdfscore.spelling import as_here

P = ParamSpec("P")
T = TypeVar("T")

_SECONDS_TO_CONNECT = 10
_SECONDS_FOR_WORKERS = 10
_CODE = "code of cdfscore"


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
        `cluster_executor`.

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


@contextmanager
def cluster_executor(address: str) -> Iterator[Executor]:
    """Yield an executor of the Dask cluster with this scheduler, and disconnect at the end.

    An experiment is sent with every chunk: 1 MB adds about 10 ms. Sent once, its chunks would
    be bound to the workers that have it, which costs more than it saves, or be lost with them.

    Raises
    ------
    CdfscoreError
        When the scheduler does not answer within 10 seconds, there is no worker within 10 more,
        or one has another version or other code of cdfscore, or of a library that its numbers
        depend on. As the outcome of a call: when a worker that came later has, the scheduler is
        lost, or a call has ended several workers (``distributed.scheduler.allowed-failures``).
    MissingDependencyError
        When distributed is not installed.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise MissingDependencyError(
            "a Dask cluster needs distributed; install it with pip install 'cdfscore[distributed]'"
            if isinstance(error, ModuleNotFoundError)
            else f"a Dask cluster needs distributed, which cannot be imported: {error}"
        ) from error
    try:
        # before there is a client, which with a wrong address is not closed for 20 seconds
        distributed.comm.get_address_host_port(address, strict=True)
    except ValueError as error:
        raise CdfscoreError(
            f"dask is {address!r}; expected the address of a scheduler, such as tcp://127.0.0.1:8786"
        ) from error
    certificates = distributed.Security().get_connection_args("client")["ssl_context"]
    if address.startswith("tls:") and certificates is None:
        raise CdfscoreError(
            f"dask is {address!r}, and Dask's configuration has no certificates; expected them as "
            f"distributed.comm.tls"
        )
    with _quiet():
        try:
            client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, OverflowError) as error:  # OverflowError: port 99999
            raise CdfscoreError(
                f"no Dask scheduler answers at {address} within {_SECONDS_TO_CONNECT} seconds"
            ) from error
        try:
            _require_workers(client, address)
            yield ClusterExecutor(client, address)
        finally:
            client.close()


class ClusterExecutor(Executor):
    """Executor of calls on a Dask cluster, like distributed's, but safe when workers die.

    The executor of distributed 2026.8 takes a result for an error when the worker that holds it
    dies before it is fetched, although the call is then made again elsewhere: it asks for the
    state of the call, which is reset meanwhile. Here the result itself is asked for.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit the call to a worker; see `concurrent.futures.Executor.submit`."""
        # pure=True would digest the arguments of every call, to find one made before
        call = partial(fn, *args, **kwargs)
        task = self._client.submit(_as_here, code_versions(), call, pure=False)
        future: Future[T] = Future()
        future.add_done_callback(lambda done: task.cancel() if done.cancelled() else None)
        task.add_done_callback(lambda done: self._hand_over(done, future))
        return future

    def _hand_over(self, task: Any, future: Future[Any]) -> None:
        """Wait for the result, in the thread of distributed for this."""
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(task.result())
        except BaseException as error:  # raised where the future is waited for
            future.set_exception(self._explained(error))

    def _explained(self, error: BaseException) -> BaseException:
        if isinstance(error, CancelledError):
            return CdfscoreError(f"the Dask scheduler at {self._address} was lost")
        if isinstance(error, import_module("distributed").KilledWorker):
            return CdfscoreError(
                f"a chunk of trials ended every worker that it ran on, the last at "
                f"{error.last_worker.address}; the reason may be in their logs; often it is memory"
            )
        return error


def _require_workers(client: Any, address: str) -> None:
    """Raise `CdfscoreError` unless there are workers, all with this version of cdfscore."""
    try:
        client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
    except TimeoutError as error:
        raise CdfscoreError(
            f"the Dask scheduler at {address} has no workers after {_SECONDS_FOR_WORKERS} seconds; "
            f"start some with dask worker {address}"
        ) from error
    # a function of the standard library, because a worker may be without cdfscore
    versions = client.run(pkgutil.resolve_name, "cdfscore:__version__", on_error="return")
    _refuse(
        f"cdfscore {__version__}",
        {
            worker: f"has {found}" if isinstance(found, str) else f"cannot import it ({found})"
            for worker, found in versions.items()
            if found != __version__
        },
    )
    expected = code_versions()
    found_there = client.run(code_versions, on_error="return")
    for name, version in expected.items():
        _refuse(
            _needed(name, version),
            {
                worker: _instead(name, found)
                for worker, found in found_there.items()
                if not isinstance(found, dict) or found.get(name) != version
            },
        )


def _refuse(needed: str, others: dict[str, str]) -> None:
    """Raise `CdfscoreError` if there are workers that have something else."""
    if others:
        told = [f"the one at {worker} {what}" for worker, what in sorted(others.items())]
        more = f", and {len(told) - 3} more differ" if told[3:] else ""
        raise CdfscoreError(f"every worker needs {needed}, but {', '.join(told[:3])}{more}")


def _needed(name: str, version: str) -> str:
    if name == _CODE:
        return f"the same {name} as here, {__version__} with digest {version}"
    return f"{name} {version}"


def _instead(name: str, found: object) -> str:
    if not isinstance(found, dict):
        return f"does not report its versions ({found})"
    return f"has {'digest ' if name == _CODE else ''}{found.get(name)}"


def _as_here(expected: dict[str, str], call: Callable[[], T]) -> T:
    """Make a call on a worker, which may have come after the others were looked at."""
    found = code_versions()
    for name, version in expected.items():
        if found.get(name) != version:
            raise CdfscoreError(
                f"every worker needs {_needed(name, version)}, but one that came later "
                f"{_instead(name, found)}"
            )
    return call()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep distributed from logging, with tracebacks, the errors that are raised here."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("batched", "client", "core")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
