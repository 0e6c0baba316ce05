"""Numbers of Figures 1 to 7, as far as the scores are published."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING

from cdfscore.errors import ExperimentError
from cdfscore.experiments.engine.trials import Experiment
from cdfscore.papers.webber2008 import fixed_figures, halves, references
from cdfscore.papers.webber2008.collections import Collections, given_or_read
from cdfscore.papers.webber2008.randomized import Trials, randomized
from cdfscore.papers.webber2008.running import Run

if TYPE_CHECKING:
    import pandas as pd


def experiments(
    data: Path | Collections, *, seed: int = 1, sizes: tuple[int, ...] = references.SIZES
) -> list[Experiment]:
    """Return the experiments of `figure_tables`, for `remove_cached` to remove their chunks."""
    collections = given_or_read(data)
    sampled = references.experiments(collections, sizes, seed)
    return [*sampled.values(), *halves.experiments(collections, seed)]


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
    """Return the numbers of the figures: "figure1" to "figure7", and two tables more.

    Parameters
    ----------
    data
        The folder of published scores, with the folders ``robust2004`` and ``adhoc``; or
        what `read_collections` has read there.
    samples
        Samples of the standardizing systems of each size, for Figure 4.
    partitions, repartitions
        Random halves of the topics for the errors of Figure 5, and for the rates of Figure
        6. The same are used for both, as far as they go.
    seed
        Trial k, from 0 on, draws as in R after ``set.seed(seed + k)``. The paper names none.
    sizes
        How many standardizing systems to sample, for Figure 4.
    executor, cache, resume
        As for `run_trials`.
    progress
        Is called with the number of trials that are done, and of all.

    Returns
    -------
    dict of DataFrame
        Tables of what each figure draws. A bar that the scores do not give is NaN, and its
        ``needs`` tells what is missing. "figure3_quartiles" are the quartiles of Figure 3;
        "randomized" lays the numbers that the paper prints of its own random partitions
        beside these, with their standard error and the distance ``z``: other partitions give
        other digits. What differs by no more than ``z_limit`` is "within sampling error".

    Raises
    ------
    ScoresError
        When `data` has not the scores that the paper has used.
    CdfscoreError
        Where `run_trials` does, and for numbers of trials below 1 and sizes that cannot be sampled.
    """
    given = {"samples": samples, "partitions": partitions, "repartitions": repartitions}
    for name, number in given.items():
        if number < 1:
            raise ExperimentError(f"{name} is {number}; expected 1 or more")
    collections = given_or_read(data)
    sampled = references.experiments(collections, sizes, seed)
    of_t7_and_t8, of_t7_and_t03 = halves.experiments(collections, seed)
    most = max(partitions, repartitions)
    run = Run(
        total=samples * len(sampled) + most + partitions,
        executor=executor,
        cache=cache,
        resume=resume,
        progress=progress,
    )
    found = {
        "figure1": fixed_figures.figure1(collections),
        "figure2": fixed_figures.figure2(collections),
        **fixed_figures.figure3(collections),
        "figure4": references.figure4(
            collections, {name: (each, run(each, samples)) for name, each in sampled.items()}
        ),
    }
    results = run(of_t7_and_t8, most)
    errors, rates = results["drmse"][:partitions], results["rate"][:repartitions]
    of_t03 = run(of_t7_and_t03, partitions)
    trials = Trials(errors, rates, of_t03["drmse"][:, 0], of_t03["rate"][:, 0])
    return {
        **found,
        "figure5": halves.figure5(errors),
        "figure6": halves.figure6(rates),
        "figure7": fixed_figures.figure7(collections),
        "randomized": randomized(collections, trials),
    }
