"""Trial loop of all experiments: seeded, parallel, interruptible, resumable."""

from __future__ import annotations

import hashlib
import inspect
import io
import platform
import re
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent import futures
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cdfscore import __version__
from cdfscore.common.cautions import warn_of
from cdfscore.common.files import write_whole
from cdfscore.common.text import a_type
from cdfscore.common.threads import alone
from cdfscore.errors import CdfscoreError, OutputError

# --- Cache of chunks of trials on disk: each is written, whole, when it is finished ---
#
# The chunks of an experiment are in a folder named by two digests of what its numbers depend on:
# one of its class and fields, and one of the code of cdfscore and of the module of the class,
# Python, NumPy, SciPy and numba. So those of another code are known, and not used; they are removed
# with the others. The code of other modules that the class calls is no part of it: remove the
# cached chunks after a change there. A chunk has a digest of its numbers, which a reader compares.
# Several processes may use a folder at once: files are replaced whole. Where one has finished, and
# removed the folder of another that still runs, the numbers of the other are right all the same; if
# it is then interrupted, it runs the removed chunks again.

_PACKAGE = Path(__file__).parents[1]
# Their last bits may differ from version to version.
_LIBRARIES = ("numpy", "scipy", "numba")

_FILE = re.compile(r"trials-(\d+)-(\d+)\.npz")
_OWNER = "owner"
# Before every name, so that none is `_OWNER`, or an argument of `numpy.savez`.
_RESULT = "result."
Results = dict[str, NDArray[Any]]

KINDS = "biufcSUmM"
"""Kinds of arrays that are plain data: numbers, text and dates, as in `numpy.dtype.kind`."""


def require_alike(
    experiment: object, trials: range, results: Results, found: Mapping[range, Results]
) -> None:
    """Raise `CdfscoreError` unless there is one row per trial, and all else is as in `found`."""
    returned = f"{type(experiment).__name__}.run returned, for trials {_named(trials)},"
    if not isinstance(results, dict) or not results:
        raise CdfscoreError(f"{returned} {results!r:.60}; expected a dict of arrays")
    for name, array in results.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in KINDS:
            kind = a_type(array)
            kind += f" of {array.dtype}" if isinstance(array, np.ndarray) else ""
            raise CdfscoreError(
                f"{returned} as {name!r} {kind}; expected an array of numbers, text or dates"
            )
        if array.shape[:1] != (len(trials),):
            raise CdfscoreError(
                f"{returned} {name!r} of shape {array.shape}; expected {len(trials)} rows"
            )
    for other, expected in found.items():
        if _form(results) != _form(expected):
            raise CdfscoreError(
                f"{returned} {_form(results)}; expected {_form(expected)}, as for trials "
                f"{_named(other)}"
            )
        break  # those found are alike


def _form(results: Results) -> dict[str, str]:
    return {name: f"{a.dtype} {('trials', *a.shape[1:])}" for name, a in sorted(results.items())}


def _named(trials: range) -> str:
    return f"{trials.start} to {trials.stop - 1}"


def remove_cached(experiment: object, cache: Path) -> None:
    """Remove the cached chunks of `experiment` from `cache`, for example after its last output.

    Chunks that were computed by other code or libraries are removed too, also those of a process
    that is still running. Files that cannot be removed stay. The arguments are those of
    `run_trials`; raises `CdfscoreError` if the experiment is not a dataclass of plain data.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from tempfile import TemporaryDirectory
    >>> from cdfscore.experiments import run_trials
    >>> @dataclass(frozen=True)
    ... class Squares:
    ...     def run(self, trials):
    ...         return {"square": np.array(trials) ** 2}
    >>> with TemporaryDirectory() as folder:
    ...     cache = Path(folder) / "trials"
    ...     _ = run_trials(Squares(), 4, cache=cache)
    ...     remove_cached(Squares(), cache)
    ...     cache.exists()
    False
    """
    CachedChunks.of(experiment, cache).remove()


def not_resumed(experiments: Iterable[object], cache: Path) -> Iterator[str]:
    """Yield a sentence if `cache` has trials of these that other code alone has computed."""
    stores = [CachedChunks.of(each, cache) for each in experiments]
    if number := sum(
        max(map(_trials_in, each.of_other_code()), default=0)
        for each in stores
        if not _trials_in(each.folder)
    ):
        yield (
            f"{number} trials cached in {cache} are run again: they were computed by other code, "
            "or by another version of cdfscore, Python, NumPy, SciPy or numba"
        )


@dataclass(frozen=True)
class CachedChunks:
    """Cached chunks of one experiment, in a folder of their own within `parent`."""

    parent: Path
    #: Of the experiment, as `experiment_digest`.
    digest: str
    #: Of the code and the libraries.
    code: str

    @classmethod
    def of(cls, experiment: object, parent: Path) -> CachedChunks:
        """Return the cache of `experiment`; raise the errors of `experiment_digest`."""
        versions = "".join(f"{item}\n" for item in code_versions().items())
        code = hashlib.sha256(versions.encode() + code_of(type(experiment)))
        return cls(parent, experiment_digest(experiment), code.hexdigest()[:16])

    @property
    def folder(self) -> Path:
        """Folder of the cached chunks of this experiment."""
        return self.parent / f"{self.digest}-{self.code}"

    def of_other_code(self) -> list[Path]:
        """Return the folders of other code for this experiment, also those without a chunk."""
        found = sorted(self.parent.glob(f"{self.digest}-*"))
        return [path for path in found if path != self.folder]

    def start(self, chunks: Iterable[range], *, resume: bool) -> dict[range, Results]:
        """Make the folder, and return those of `chunks` that are cached."""
        self._make_folder()
        if resume:
            return {chunk: r for chunk in chunks if (r := self.read(chunk)) is not None}
        if cached := _trials_in(self.folder):
            raise CdfscoreError(
                f"{cached} trials of this experiment are cached in {self.folder}; resume to take "
                "them, or delete the folder to run them again"
            )
        return {}

    def read(self, trials: range) -> Results | None:
        """Return a chunk, or None if it is absent, damaged or of another experiment."""
        with suppress(Exception):  # a damaged archive raises errors of many kinds
            content = io.BytesIO(self._path(trials).read_bytes())
            stored = np.load(content, allow_pickle=False)
            results = {
                name.removeprefix(_RESULT): stored[name] for name in stored.files if name != _OWNER
            }
            # The archive's own sums are not compared where a damaged header asks for fewer rows.
            if stored[_OWNER].item() == self._owner(trials, results):
                return results
        return None

    def write(self, trials: range, results: Results) -> None:
        """Cache a chunk; raise `OutputError` if it cannot be written."""
        named = {_RESULT + name: array for name, array in results.items()}
        named[_OWNER] = np.array(self._owner(trials, results))
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **named)
        while True:
            self._make_folder()
            try:
                write_whole({self._path(trials): content.getvalue()})
            except OutputError:
                if self.folder.exists():
                    raise
                continue  # another process has finished just now, and removed it
            return

    def remove(self) -> None:
        """Remove the chunks, and the parent folder if nothing else is in it."""
        for folder in (self.folder, *self.of_other_code()):
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            self.parent.rmdir()

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.folder} cannot be created: {error.strerror}") from error

    def _path(self, trials: range) -> Path:
        return self.folder / f"trials-{trials.start}-{trials.stop}.npz"

    def _owner(self, trials: range, results: Results) -> str:
        found = hashlib.sha256()
        for name in sorted(results):
            for part in (name.encode(errors="surrogatepass"), *_parts(results[name], name)):
                found.update(b"%d:%b" % (len(part), part))
        return f"{self.folder.name} {trials.start} {trials.stop} {found.hexdigest()}"


def _trials_in(folder: Path) -> int:
    try:
        names = [_FILE.fullmatch(path.name) for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise OutputError(f"{folder} cannot be read: {error.strerror}") from error
    return len({k for name in names if name for k in range(int(name[1]), int(name[2]))})


def experiment_digest(experiment: object) -> str:
    """Return a digest of class and fields, without the number of trials and the code."""
    hashed = hashlib.sha256()
    if not is_dataclass(experiment) or isinstance(experiment, type):
        raise CdfscoreError(
            f"the experiment is {experiment!r:.60}; expected an instance of a dataclass"
        )
    for part in _parts(experiment, type(experiment).__name__):
        hashed.update(b"%d:%b" % (len(part), part))
    return hashed.hexdigest()[:32]


def _parts(value: object, place: str) -> Iterator[bytes]:
    """Yield kind, size and content, such that no two values yield the same."""
    room = re.sub(r"^(cdfscore\.\w+)\..*", r"\1", type(value).__module__)  # not its file
    kind = f"{room}.{type(value).__qualname__}"
    if is_dataclass(value) and not isinstance(value, type):
        yield f"{kind} {len(fields(value))}".encode()
        for field in fields(value):
            yield field.name.encode()
            yield from _parts(getattr(value, field.name), f"{place}.{field.name}")
    elif isinstance(value, np.ndarray | np.generic) and value.dtype.kind in KINDS:
        yield f"{kind} {value.dtype.str} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, tuple):
        yield f"{kind} {len(value)}".encode()
        for index, item in enumerate(value):
            yield from _parts(item, f"{place}[{index}]")
    elif value is None or type(value) in (bool, int, float, complex, str, bytes):
        yield f"{kind} {value!r}".encode(errors="surrogatepass")
    else:
        raise CdfscoreError(
            f"{place} is {a_type(value)}; expected None, a number, a string, bytes, a "
            f"tuple, a dataclass or an array of numbers, text or dates"
        )


@cache
def code_versions() -> dict[str, str]:
    """Return the software that numbers depend on: Python, libraries, and our own code."""
    found = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        name = path.relative_to(_PACKAGE)
        if any(part.startswith(".") for part in name.parts):  # what editors and systems leave
            continue
        content = path.read_bytes().replace(b"\r\n", b"\n")  # as git may write it on Windows
        found.update(f"{name.as_posix()} {len(content)}\n".encode() + content)
    return {
        "cdfscore": __version__,
        "code of cdfscore": found.hexdigest()[:12],
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: version(name) for name in _LIBRARIES},
    }


def code_of(kind: type) -> bytes:
    """Return the module of a class outside of cdfscore, or its own code, as in a notebook."""
    if kind.__module__.partition(".")[0] == "cdfscore":
        return b""
    path = getattr(sys.modules.get(kind.__module__), "__file__", None)
    with suppress(OSError, TypeError):  # in a zip archive, for example, or typed at a prompt
        return inspect.getsource(kind).encode() if path is None else Path(path).read_bytes()
    return b""


# --- Executors for the chunks of an experiment: the calling thread, or several threads ---


@contextmanager
def executor_for(jobs: int | None) -> Iterator[Executor | None]:
    """Yield an executor for `run_trials`, and close it at the end; None for no threads.

    Threads share the arrays of an experiment and start at once. Compiled kernels and the long
    loops of NumPy release the interpreter's lock. If you need a pool of processes, or a cluster,
    create its executor yourself, because each process starts Python again from your script.

    If `jobs`, the number of threads, is None, the trials run in the calling thread. There, Ctrl-C
    in a compiled kernel may appear as another error. Raises `CdfscoreError` if it is below 1.

    Notes
    -----
    After Ctrl-C, `run_trials` cancels the chunks that have not started. A thread cannot be stopped:
    closing waits until each thread has finished its chunk, which is not cached.

    Examples
    --------
    >>> with executor_for(2) as executor:
    ...     executor.submit(sum, [1, 2]).result()
    3
    """
    if jobs is None:
        yield None
        return
    if jobs < 1:
        raise CdfscoreError(f"jobs is {jobs}; expected 1 or more")
    with ThreadPoolExecutor(jobs, "cdfscore-trials") as pool:
        yield pool


# --- Trial loop of all experiments: seeded, parallel, interruptible, resumable ---
#
# Trials run in chunks of `CHUNK`, whatever runs them, and trial k depends on (seed, k) alone.
# Results are therefore the same bit for bit in one thread, on a cluster of like machines and after
# an interruption.

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
