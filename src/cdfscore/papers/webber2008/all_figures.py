"""Numbers of Figures 1 to 7, for all scores that are published."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdfscore.errors import ExperimentError
from cdfscore.experiments.engine.trials import Experiment, run_trials
from cdfscore.papers.webber2008 import fixed_figures, halves, references
from cdfscore.papers.webber2008.collections import Collections, given_or_read
from cdfscore.papers.webber2008.randomized import Trials, randomized

if TYPE_CHECKING:
    import pandas as pd


def experiments(
    data: Path | Collections, *, seed: int = 1, sizes: tuple[int, ...] = references.SIZES
) -> list[Experiment]:
    """Return the experiments of `figure_tables`, for `remove_cached` to remove their chunks."""
    collections = given_or_read(data)
    sampled = references.experiment(collections, sizes, seed)
    return [sampled, *halves.experiments(collections, seed)]


def figure_tables(
    data: Path | Collections,
    *,
    samples: int = 2000,
    partitions: int = 1000,
    repartitions: int = 2000,
    seed: int = 1,
    sizes: tuple[int, ...] = references.SIZES,
    executor: Executor | None = None,
    cache: Path | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, pd.DataFrame]:
    """Return the numbers of the figures: "figure1" to "figure7", and two more tables.

    Parameters
    ----------
    data
        The folder of published scores, which contains the folders ``robust2004``,
        ``robust2003`` and ``adhoc``, or the result of `read_collections`.
    samples
        Samples of the standardizing systems of each size, for Figure 4.
    partitions, repartitions
        Number of random halves of the topics, for the errors of Figure 5 and for the rates of
        Figure 6. Both use the same halves as far as possible.
    seed
        Trial k, from 0, draws as R does after ``set.seed(seed + k)``. The paper names no seed.
    sizes
        Numbers of standardizing systems to sample, for Figure 4.
    executor, cache, resume
        As for `run_trials`.
    progress
        Function that is called with the number of finished trials and the number of all trials.

    Returns
    -------
    dict of DataFrame
        The numbers that each figure draws. A bar that the scores do not determine is NaN, and
        its ``needs`` names the missing data. "figure3_quartiles" has the quartiles of Figure 3.
        "randomized" compares the paper's results of random partitions with these results. It has
        the standard error and the distance ``z``, because other partitions give other digits. A
        number that differs by at most ``z_limit`` is "within sampling error".

    Raises
    ------
    ScoresError
        If `data` does not contain the scores that the paper used.
    CdfscoreError
        As raised by `run_trials`; also if a number of trials is below 1, or if a size cannot be
        sampled.
    """
    given = {"samples": samples, "partitions": partitions, "repartitions": repartitions}
    for name, number in given.items():
        if number < 1:
            raise ExperimentError(f"{name} is {number}; expected 1 or more")
    collections = given_or_read(data)
    sampled = references.experiment(collections, sizes, seed)
    of_t7_and_t8, of_t7_and_t03 = halves.experiments(collections, seed)
    most = max(partitions, repartitions)
    run = Run(
        total=samples + most + partitions,
        executor=executor,
        cache=cache,
        resume=resume,
        progress=progress,
    )
    of_samples = run(sampled, samples)
    found = {
        "figure1": fixed_figures.figure1(collections),
        "figure2": fixed_figures.figure2(collections),
        **fixed_figures.figure3(collections),
        "figure4": references.figure4(collections, sampled, of_samples),
    }
    results = run(of_t7_and_t8, most)
    errors, rates = results["drmse"][:partitions], results["false_positives"][:repartitions]
    of_t03 = run(of_t7_and_t03, partitions)
    taus = dict(zip(sampled.reference_sizes or (), of_samples["tau_largest"][:, 0].T, strict=True))
    trials = Trials(errors, rates, of_t03["drmse"][:, 0], of_t03["false_positives"][:, 0], taus)
    return {
        **found,
        "figure5": halves.figure5(errors),
        "figure6": halves.figure6(rates),
        "figure7": fixed_figures.figure7(collections),
        "randomized": randomized(collections, trials),
    }


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
