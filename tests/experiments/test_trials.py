"""Trials give the same arrays, whatever runs them and wherever they were interrupted."""

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdfscore.errors import CdfscoreError
from cdfscore.experiments.trials import Results, executor_for, run_trials
from tests import a_tenth
from tests.experiments.engine_subjects import Draws, Ending


class Immediate(Executor):
    """Makes the call when it is submitted: many futures are done when they are waited for."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@dataclass(frozen=True)
class Returning:
    """Returns what a function makes of the trials."""

    results: Callable[[range], Any]

    def run(self, trials: range) -> Results:
        return self.results(trials)


@pytest.fixture(scope="module")
def executors() -> Iterator[dict[str, Executor | None]]:
    spawn = multiprocessing.get_context("spawn")
    with (
        ThreadPoolExecutor(1) as one,
        ThreadPoolExecutor(3) as three,
        ProcessPoolExecutor(2, mp_context=spawn) as processes,
    ):
        yield {
            "none": None,
            "immediate": Immediate(),
            "one": one,
            "three": three,
            "processes": processes,
        }


@pytest.mark.long
@pytest.mark.clause("run_trials.1", "trial_cache.1")
@a_tenth
@given(
    trials=st.integers(1, 1300),
    earlier=st.integers(1, 1300),
    kind=st.sampled_from(["none", "immediate", "one", "three", "processes"]),
    lost=st.sets(st.integers(0, 5)),
    damaged=st.sets(st.integers(0, 5)),
)
def test_any_executor_and_interruption(
    executors: dict[str, Executor | None],
    trials: int,
    earlier: int,
    kind: str,
    lost: set[int],
    damaged: set[int],
) -> None:
    expected = Draws().run(range(trials))
    with TemporaryDirectory() as folder:
        run_trials(Draws(), earlier, executor=executors[kind], cache=Path(folder))
        for number, path in enumerate(sorted(Path(folder).glob("*/*.npz"))):
            if number in lost:
                path.unlink()
            elif number in damaged:
                path.write_bytes(path.read_bytes()[: number * 1000])
        found = run_trials(
            Draws(), trials, executor=executors[kind], cache=Path(folder), resume=True
        )
    assert list(found) == list(expected)
    for name in expected:
        assert found[name].dtype == expected[name].dtype
        assert found[name].tobytes() == expected[name].tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_told_by_the_calling_thread(threads: int) -> None:
    told: list[tuple[int, int, int]] = []
    with executor_for(threads) as executor:
        run_trials(
            Draws(),
            600,
            executor=executor,
            progress=lambda done, trials: told.append((done, trials, threading.get_ident())),
        )
    assert {trials for _, trials, _ in told} == {600}
    assert {ident for *_, ident in told} == {threading.get_ident()}
    done = [done for done, *_ in told]
    assert done == sorted(done)
    assert len(done) == 3
    assert done[-1] == 600


def test_progress_begins_with_what_is_cached(tmp_path: Path) -> None:
    run_trials(Draws(), 500, cache=tmp_path)
    told: list[tuple[int, int]] = []
    run_trials(Draws(), 600, cache=tmp_path, resume=True, progress=lambda *each: told.append(each))
    assert told == [(500, 600), (600, 600)]


def test_an_error_cancels_the_chunks_that_wait() -> None:
    ran: list[int] = []
    release = threading.Event()

    def failing(trials: range) -> Results:
        ran.append(trials.start)
        if trials.start:
            release.wait(60)
        else:
            raise ZeroDivisionError
        return {"a": np.zeros(len(trials))}

    with ThreadPoolExecutor(2) as executor:
        with pytest.raises(ZeroDivisionError):
            run_trials(Returning(failing), 2000, executor=executor)
        before = len(ran)
        release.set()
    assert len(ran) == before < 4


BAD_RESULTS: dict[str, tuple[Callable[[range], Any], str]] = {
    "list": (lambda trials: [1], r"for trials 0 to 249, \[1\]; expected a dict of arrays"),
    "empty": (lambda trials: {}, r"for trials 0 to 249, \{\}; expected a dict"),
    "values": (lambda trials: {"a": [0]}, "as 'a' a list; expected an array"),
    "objects": (lambda trials: {"a": np.array([None] * 250)}, "'a' an ndarray of object;"),
    "rows": (lambda trials: {"a": np.zeros((249, 2))}, r"'a' of shape \(249, 2\); expected 250 r"),
    "scalar": (lambda trials: {"a": np.array(1.0)}, r"'a' of shape \(\); expected 250 rows"),
    "names": (
        lambda trials: {"b" if trials.start else "a": np.zeros(len(trials))},
        r"trials 250 to 299, \{'b': .*\}; expected \{'a': .*\}, as for trials 0 to 249",
    ),
    "types": (
        lambda trials: {"a": np.zeros(len(trials), int if trials.start else float)},
        "int64 .*expected .*float64 ",
    ),
    "axes": (
        lambda trials: {"a": np.zeros((len(trials), 2 if trials.start else 3))},
        r"'trials', 2\).*expected.*'trials', 3\)",
    ),
}


@pytest.mark.parametrize("name", BAD_RESULTS)
def test_results_are_arrays_of_a_row_a_trial(name: str) -> None:
    results, message = BAD_RESULTS[name]
    with pytest.raises(CdfscoreError, match=f"Returning.run returned.*{message}"):
        run_trials(Returning(results), 300)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"trials": 0}, "trials is 0; expected 1 or more"),
        ({"trials": -3}, "trials is -3"),
        ({"trials": 5, "resume": True}, "resume is True without cache"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CdfscoreError, match=message):
        run_trials(Draws(), **arguments)


@pytest.mark.clause("run_trials.2")
@pytest.mark.parametrize(
    ("jobs", "message"),
    [(0, "jobs is 0; expected 1 or more"), (-1, "jobs is -1; expected 1 or more")],
)
def test_bad_executors(jobs: int, message: str) -> None:
    with pytest.raises(CdfscoreError, match=message), executor_for(jobs):
        pass


def test_no_job_needs_no_executor() -> None:
    with executor_for(None) as executor:
        assert executor is None


# In Python 3.11 the thread of the pool may end with an error, on a future that was cancelled.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_ended_process_is_one_sentence() -> None:
    spawn = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(1, mp_context=spawn) as pool,
        pytest.raises(
            CdfscoreError, match=r"ProcessPoolExecutor stopped before all trials .*: A pr"
        ),
    ):
        run_trials(Ending(), 600, executor=pool)


@pytest.mark.parametrize("broken", [CancelledError, ZeroDivisionError])
def test_what_is_finished_is_cached_before_an_error_is_raised(
    tmp_path: Path, broken: type[Exception]
) -> None:
    error = CdfscoreError if broken is CancelledError else broken
    with pytest.raises(error):
        run_trials(Draws(), 2000, executor=Breaking(broken), cache=tmp_path)
    cached = {path.name for path in tmp_path.glob("*/*.npz")}
    assert cached == {"trials-500-750.npz", "trials-1250-1500.npz"}


class Breaking(Executor):
    """Makes every third call; to the others happens what happens to an executor that is lost."""

    def __init__(self, broken: type[Exception]) -> None:
        self.broken = broken
        self.calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        if self.calls % 3 == 0:
            future.set_result(fn(*args, **kwargs))
        elif self.broken is CancelledError:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_exception(self.broken())
        return future
