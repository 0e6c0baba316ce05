"""Numbers of Figures 1 to 7, for all scores that are published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import ExperimentError
from cdfscore.experiments.engine.trials import Experiment, run_trials
from cdfscore.experiments.reference_size import ReferenceSize
from cdfscore.experiments.refitted import refitted
from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.numerics.types import Array
from cdfscore.papers.webber2008 import halves
from cdfscore.papers.webber2008.coefficients import correlation, mean_pair_error
from cdfscore.papers.webber2008.collections import (
    SCHEME,
    TOPICS,
    Collections,
    given_or_read,
    standardizable,
)
from cdfscore.papers.webber2008.halves import bars
from cdfscore.papers.webber2008.randomized import Trials, randomized
from cdfscore.papers.webber2008.section2 import intervals
from cdfscore.standardization.policies.constant import ConstantPolicy
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd

#: The collection whose original systems are sampled.
NAME = "T03.rob"
#: Two scores are the fewest that have a standard deviation.
SIZES = (*range(2, 16), 20, 30, 50, 75)
#: Policy for topics whose sampled scores are all equal; the paper does not state one.
CONSTANT: ConstantPolicy = "limit"
_BINS = 20


def experiments(
    data: Path | Collections, *, seed: int = 1, sizes: tuple[int, ...] = SIZES
) -> list[Experiment]:
    """Return the experiments of `figure_tables`, for `remove_cached` to remove their chunks."""
    collections = given_or_read(data)
    sampled = experiment(collections, sizes, seed)
    return [sampled, *halves.experiments(collections, seed)]


def figure_tables(
    data: Path | Collections,
    *,
    samples: int = 2000,
    partitions: int = 1000,
    repartitions: int = 2000,
    seed: int = 1,
    sizes: tuple[int, ...] = SIZES,
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
    sampled = experiment(collections, sizes, seed)
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
        "figure1": figure1(collections),
        "figure2": figure2(collections),
        **figure3(collections),
        "figure4": figure4(collections, sampled, of_samples),
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
        "figure7": figure7(collections),
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


def figure1(collections: Collections) -> pd.DataFrame:
    """Return AP of the TREC 8 AdHoc systems: one row per system, one column per topic."""
    return collections.originals("T8.adh", "AP").T.rename_axis(index="system").reset_index()


def figure2(collections: Collections) -> pd.DataFrame:
    """Return mean AP of each TREC 8 AdHoc system and its 95% t interval, by rank."""
    import pandas as pd

    scores = collections.originals("T8.adh", "AP")
    order, means, low, high = intervals(scores.to_numpy())
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "system": scores.columns[order],
            "mean": means,
            "conf_low": low,
            "conf_high": high,
        }
    )


def figure3(collections: Collections) -> dict[str, pd.DataFrame]:
    """Return binned proportions and quartiles of AP and standardized AP of TREC 8 AdHoc runs."""
    import pandas as pd

    raw = collections.originals("T8.adh", "AP")
    standardized = Standardizer(SCHEME).fit_transform(raw)
    scores = {"AP": raw.to_numpy().ravel(), "sAP": standardized.to_numpy().ravel()}
    edges = np.arange(_BINS + 1) / _BINS
    shares = {name: np.histogram(each, edges)[0] / each.size for name, each in scores.items()}
    at = [25, 50, 75]
    quartiles = {name: quantile_r(each, np.divide(at, 100)) for name, each in scores.items()}
    return {
        "figure3": pd.DataFrame({"from": edges[:-1], "to": edges[1:], **shares}),
        "figure3_quartiles": pd.DataFrame({"percentile": at, **quartiles}),
    }


def figure7(collections: Collections) -> pd.DataFrame:
    """Return mean dRMSE over all pairs of collections, and over the pairs without T03.rob.

    P@10 of the original systems of T03.rob is not published.
    """
    fewer = [name for name in TOPICS if name != "T03.rob"]

    def values(measure: str, standardized: bool) -> dict[str, float]:
        if not collections.has(measure):
            return {}
        by = "originals" if standardized else None
        everywhere = not standardized or standardizable(measure) == list(TOPICS)
        return {
            "all_pairs": mean_pair_error(collections, TOPICS, measure, by)
            if everywhere
            else np.nan,
            "without_T03.rob": mean_pair_error(collections, fewer, measure, by),
        }

    table = bars(values)
    lacks_t03 = table["all_pairs"].isna() & table["without_T03.rob"].notna()
    table.loc[lacks_t03, "needs"] = "P@10 of T03.rob"
    return table


def experiment(collections: Collections, sizes: tuple[int, ...], seed: int) -> ReferenceSize:
    """Return the experiment that samples the original systems of T03.rob."""
    schemes = refitted(
        collections.evaluated(NAME, "AP"),
        {"sAP": SCHEME},
        reference=collections.originals(NAME, "AP"),
        constant=CONSTANT,
    )
    return ReferenceSize(schemes, sizes, alphas=(0.05,), seed=seed)


def figure4(
    collections: Collections, sampled: ReferenceSize, arrays: Mapping[str, Array]
) -> pd.DataFrame:
    """Return percentiles of tau, one row per size of the samples.

    95 % of the samples have at least the tau ``lowest_95``, and 99 % at least ``lowest_99``.
    ``constant`` is the mean number of topics whose sampled scores are all equal; the policy
    ``constant_policy`` gives their scores. Two other taus are for comparison:
    ``raw_and_standardized``, between AP and standardized AP on T03.rob, and ``between``, of AP on
    T03.rob and T04.rob.
    """
    import pandas as pd

    taus = arrays["tau_largest"][:, 0]
    median, lowest95, lowest99 = quantile_r(taus.T, np.array([0.5, 0.05, 0.01])).T
    raw, standardized = (collections.means(NAME, "AP", by) for by in (None, "originals"))
    return pd.DataFrame(
        {
            "collection": NAME,
            "systems": sampled.largest,
            "size": sampled.reference_sizes,
            "samples": len(taus),
            "median": median,
            "lowest_95": lowest95,
            "lowest_99": lowest99,
            "constant": arrays["constant"].mean(axis=0),
            "scheme": SCHEME,
            "constant_policy": CONSTANT,
            "raw_and_standardized": correlation("Kendall", raw, standardized),
            "between": correlation("Kendall", raw, collections.means("T04.rob", "AP", None)),
        }
    )
