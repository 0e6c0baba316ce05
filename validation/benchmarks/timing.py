"""Fair timing of alternatives: they take turns, and the median is quoted."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

# Seconds that a turn of one alternative takes at least.
_TURN = 0.02


@dataclass(frozen=True)
class Job:
    """Alternatives that do the same, ours first; each returns its own seconds, or None.

    `trials` is how many trials of an experiment that is, if it is one.
    """

    title: str
    alternatives: dict[str, Callable[[], float | None]]
    runs: int = 15
    trials: int = 0


@dataclass(frozen=True)
class Time:
    median: float
    fastest: float


def milliseconds(job: Job) -> dict[str, Time]:
    """Time every alternative in turns; a turn repeats a quick one until it can be measured."""
    repeats = {name: _repeats(run) for name, run in job.alternatives.items()}
    seconds: dict[str, list[float]] = {name: [] for name in job.alternatives}
    for _ in range(job.runs):
        for name, run in job.alternatives.items():
            seconds[name].append(_timed(run, repeats[name]))
    return {
        name: Time(1e3 * statistics.median(values), 1e3 * min(values))
        for name, values in seconds.items()
    }


def _repeats(run: Callable[[], float | None]) -> int:
    _timed(run, 1)  # the first call loads libraries and fills caches
    return max(1, round(_TURN / _timed(run, 1)))


def _timed(run: Callable[[], float | None], repeats: int) -> float:
    """Return the seconds of one call, on average; an alternative may time itself."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    own = [run() for _ in range(repeats)]
    elapsed = time.perf_counter() - start
    gc.enable()
    themselves = [value for value in own if value is not None]
    return statistics.fmean(themselves) if themselves else elapsed / repeats
