"""Several experiments in sequence, as one job with one progress."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cdfscore.experiments.engine.trials import Experiment, run_trials


@dataclass
class Run:
    """Runner of trials of experiments; `total` counts all trials, and `done` the finished ones."""

    total: int
    executor: Executor | None
    cache: Path | None
    resume: bool
    progress: Callable[[int, int], None] | None
    done: int = 0

    def __call__(self, experiment: Experiment, trials: int) -> dict[str, Any]:
        """Run the given number of trials of an experiment."""
        found = run_trials(
            experiment,
            trials,
            executor=self.executor,
            cache=self.cache,
            resume=self.resume,
            progress=self._progressed if self.progress else None,
        )
        self.done += trials
        return found

    def _progressed(self, done: int, _: int) -> None:
        assert self.progress is not None
        self.progress(self.done + done, self.total)
