"""Trials of Urbano et al. (2019), all five schemes, beside a loop in R and batches in SciPy."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scipy import stats

from cdfscore.experiments import ALPHAS, Between, Within, run_trials
from cdfscore.experiments.papers.urbano2019 import run as urbano2019
from cdfscore.r.session import RSession
from cdfscore.stats.numerics.types import Array
from cdfscore.stats.r_random import samples
from validation.benchmarks.timing import Job
from validation.papers.__main__ import DATA

IN_R = Path(__file__).parents[1] / "papers" / "urbano2019.R"
# Two chunks of the trial loop for each of two threads.
TRIALS = 1000


def jobs() -> list[Job]:
    """Return a job an experiment and collection; what takes longer is timed on one trial."""
    session = RSession()
    return [_job(session, cell) for cell in urbano2019.cells(measures=["ap"])]


def _job(session: RSession, cell: urbano2019.Cell) -> Job:
    run = urbano2019.experiment(cell, urbano2019.matrices(DATA, cell.matrix, "rounded"))
    file = session.strings([str(urbano2019.find_matrix(DATA, cell.matrix))])
    in_r = session.function("collection", IN_R)(file)
    seconds_in_r = session.function("seconds_of_trial", IN_R)
    experiment, scheme = session.strings([cell.experiment]), session.strings(["E-std"])

    def in_threads(threads: int) -> Callable[[], None]:
        def run_all() -> None:
            with ThreadPoolExecutor(threads) as executor:
                run_trials(run, TRIALS, executor=executor)

        return run_all

    def loop_in_r() -> float:
        of_scheme = float(seconds_in_r(experiment, in_r, scheme)[0])
        return TRIALS * len(run.matrices.labels) * of_scheme

    def batches_in_scipy() -> float:
        start = time.perf_counter()
        (_paired_in_scipy if isinstance(run, Within) else _unpaired_in_scipy)(run)
        return TRIALS * (time.perf_counter() - start)

    return Job(
        f"{TRIALS:,} trials {cell.experiment} collections, five schemes, "
        f"{cell.collection} AP, samples of {run.size} topics, {run.matrices.systems} systems",
        {
            "cdfscore, 1 thread": in_threads(1),
            "cdfscore, 2 threads": in_threads(2),
            "R, a loop over t.test, from E-std in 1 trial": loop_in_r,
            "scipy.stats on batches, only t tests, from 1 trial": batches_in_scipy,
        },
        runs=3,
        trials=TRIALS,
    )


def _paired_in_scipy(run: Within) -> list[Array]:
    rows = samples(np.array([run.seed]), run.matrices.topics, run.size)[0] - 1
    first, second = np.triu_indices(run.matrices.systems, 1)
    return [
        _rejected(stats.ttest_rel(x[:, first], x[:, second]).pvalue)
        for x in run.matrices.scores[:, rows]
    ]


def _unpaired_in_scipy(run: Between) -> list[Array]:
    assert run.size is not None
    rows = samples(np.array([run.seed]), run.matrices.topics, 2 * run.size)[0] - 1
    found = []
    for scores in run.matrices.scores:
        x, y = scores[rows[: run.size], :, np.newaxis], scores[rows[run.size :], np.newaxis]
        p = stats.ttest_ind(x, y, equal_var=False).pvalue
        own = np.eye(run.matrices.systems, dtype=bool)
        found += [_rejected(p[own]), _rejected(p[~own])]
    return found


def _rejected(p: Array) -> Array:
    return np.searchsorted(np.sort(p), ALPHAS, side="right")
