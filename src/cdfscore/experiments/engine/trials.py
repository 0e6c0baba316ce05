"""Trial loop of all experiments: seeded, parallel, interruptible, resumable.

Trials run in chunks of `CHUNK`, whatever runs them, and trial k depends on (seed, k) alone.
Results are therefore the same bit for bit in one thread, on a cluster of like machines and after
an interruption.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent import futures
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import CdfscoreError
from cdfscore.experiments.engine.cache import CachedChunks, Results, not_resumed, require_alike
from cdfscore.threads import alone

CHUNK = 250
"""Trials of a chunk; the last of a run may be shorter."""
# A longer list of chunks would fill the memory.
_MOST = 10**8
# Chunks that an executor has at a time: enough for a cluster, and bounded.
_IN_FLIGHT = 128
# Seconds after which the wait for chunks looks up: on Windows no signal ends a wait.
_LOOK_UP = 0.5


class Experiment(Protocol):
    """Interface of an experiment for `run_trials`: a frozen dataclass with a method `run`.

    The fields are plain data, tuples and arrays. The experiment must be picklable, and the worker
    processes must be able to import its module.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Means:
    ...     seed: int
    ...     def run(self, trials: range) -> Results:
    ...         draws = [np.random.default_rng([self.seed, k]).random(5) for k in trials]
    ...         return {"mean": np.array(draws).mean(axis=1)}
    >>> run_trials(Means(seed=1), trials=3)["mean"].shape
    (3,)
    """

    def run(self, trials: range) -> Results:
        """Return arrays whose first axis is the trial.

        ``range(0, 250)`` are trials 1 to 250 of the papers. Trial k must depend on (seed, k) only,
        and every call must return the same names, types and further axes.
        """


def check_trials(trials: int) -> None:
    """Raise `CdfscoreError` for a number of trials that `run_trials` does not accept."""
    if not 1 <= trials <= _MOST:
        raise CdfscoreError(f"trials is {trials}; expected 1 or more, and {_MOST} at most")


def run_trials(
    experiment: Experiment,
    trials: int,
    *,
    executor: futures.Executor | None = None,
    cache: Path | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Run trials 0 to `trials` - 1 in chunks, and join their arrays in trial order.

    Parameters
    ----------
    experiment : Experiment
        The experiment to run.
    trials : int
        Number of trials, 1 or more. A larger number later continues the same trials.
    executor : concurrent.futures.Executor, optional
        Executor of the chunks; None is the calling thread. See `executor_for`.
    cache : Path, optional
        Folder in which every finished chunk is cached, until `remove_cached`.
    resume : bool
        Whether the chunks cached in `cache` are used instead of run again. Chunks that are
        damaged, or of another experiment, are run again. So are those of other code, as of an
        edited module of the experiment, or of another version of cdfscore, Python, NumPy, SciPy or
        numba, with a `CdfscoreWarning` if no trial is cached of this code.
    progress : callable, optional
        Called with finished trials and `trials` after every chunk, in the calling thread;
        also at the start if some are cached.

    Returns
    -------
    dict of str to array
        As of `Experiment.run`, the first axis being all trials.

    Raises
    ------
    CdfscoreError
        If `trials` is below 1; if `resume` is True without `cache`; if chunks are cached and
        `resume` is False; if the experiment does not return arrays of one row per trial, alike
        in all chunks, or has a field without a digest; if the executor breaks.
    OutputError
        If a chunk cannot be written.

    Notes
    -----
    KeyboardInterrupt, and an error of the experiment, cancel the chunks that have not started
    and are raised again; cached chunks stay.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Squares:
    ...     seed: int
    ...     def run(self, trials: range) -> Results:
    ...         return {"square": (self.seed + np.array(trials)) ** 2}
    >>> run_trials(Squares(seed=1), trials=4)
    {'square': array([ 1,  4,  9, 16])}
    """
    check_trials(trials)
    if resume and cache is None:
        raise CdfscoreError("resume is True without cache; expected the folder of cached chunks")
    chunks = [range(first, min(first + CHUNK, trials)) for first in range(0, trials, CHUNK)]
    store = None if cache is None else CachedChunks.of(experiment, cache)
    if resume and cache:
        warn_of(not_resumed([experiment], cache))
    found = {} if store is None else store.start(chunks, resume=resume)
    if found and progress:
        progress(sum(map(len, found)), trials)
    missing = (chunk for chunk in chunks if chunk not in found)
    with closing(_finished(experiment, missing, executor)) as finished:
        for chunk, arrays in finished:
            require_alike(experiment, chunk, arrays, found)
            if store:
                store.write(chunk, arrays)
            found[chunk] = arrays
            if progress:
                progress(sum(map(len, found)), trials)
    first = found[chunks[0]]
    return {name: np.concatenate([found[chunk][name] for chunk in chunks]) for name in first}


def _finished(
    experiment: Experiment, chunks: Iterator[range], executor: futures.Executor | None
) -> Generator[tuple[range, Results]]:
    """Yield chunks as they finish; when closed, cancel those that have not started."""
    if executor is None:
        for chunk in chunks:
            yield chunk, experiment.run(chunk)
        return
    waiting: dict[futures.Future[Results], range] = {}
    # not futures.wait, which Ctrl-C may leave with the locks of the futures held
    ended: SimpleQueue[futures.Future[Results]] = SimpleQueue()
    try:
        while True:
            for chunk in islice(chunks, _IN_FLIGHT - len(waiting)):
                future = executor.submit(alone, experiment.run, chunk)
                waiting[future] = chunk
                future.add_done_callback(ended.put)
            if not waiting:
                return
            done = []
            with suppress(Empty):
                done.append(ended.get(timeout=_LOOK_UP))
                while True:
                    done.append(ended.get_nowait())
            # Finished chunks are cached before all else.
            for future in sorted(done, key=lambda f: f.cancelled() or f.exception() is not None):
                yield waiting.pop(future), future.result()
    except (futures.BrokenExecutor, futures.CancelledError) as error:
        raise CdfscoreError(
            f"the executor {type(executor).__name__} stopped before all trials were run"
            + (f": {error}" if str(error) else "")
        ) from error
    finally:
        for future in waiting:
            future.cancel()
