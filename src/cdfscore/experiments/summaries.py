"""Common parts of experiments on topics: statistics of a trial, tables of all trials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import ExperimentError, ScoresError
from cdfscore.io.text import counted
from cdfscore.numerics.counts import central_counts
from cdfscore.numerics.eighty_bits.rows import column_means
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.offset import pearson_r
from cdfscore.numerics.quantiles import quantile_r
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import LARGEST_SEED
from cdfscore.rank_correlation import drmse
from cdfscore.rank_correlation.coefficients import Pairs, swap_rate_of, tau_ap_b_of, tau_b_of

if TYPE_CHECKING:
    import pandas as pd

#: The coefficients of a trial, by the names of the 2019 paper's files.
COEFFICIENTS = ("tau", "tauAP", "r")
#: The statistics of two halves of the topics, and their least and largest possible values.
LIMITS = {
    "drmse": (0.0, math.inf),
    "false_positives": (0.0, 1.0),
    "tau": (-1.0, 1.0),
    "tauAP": (-1.0, 1.0),
    "r": (-1.0, 1.0),
    "swap_rate": (0.0, 1.0),
}
#: The level of confidence intervals of percentiles.
_LEVEL = 0.95


def check_seed(seed: int) -> int:
    """Return the seed as Python's int; raise `ExperimentError` for what is not a seed of R."""
    return whole_number_from("seed", seed, -LARGEST_SEED, LARGEST_SEED, ExperimentError)


def check_topics(topics: int, samples: int = 1, of: str = "") -> None:
    """Raise `ScoresError` if there are no 2 topics for each sample; `of` says of which scores."""
    if topics < 2 * samples:
        verb = "is" if topics == 1 else "are"
        each = ", 2 in each of the two samples" * (samples == 2)
        raise ScoresError(
            f"there {verb} {counted(topics, 'topic')}{of}; expected {2 * samples} or more{each}"
        )


def check_size(size: int, topics: int, samples: int = 1) -> int:
    """Return the number of topics of each sample as Python's int.

    Raises `ExperimentError` if so many cannot be drawn, and `ScoresError` if none can.
    """
    check_topics(topics, samples)
    return whole_number_from("size", size, 2, topics // samples, ExperimentError)


def of_systems(number: int) -> str:
    """Return the number of systems of a sample, for a message."""
    return f"{number} system{'s' * (number != 1)}"


def rankings_agree(x: Array, y: Array) -> dict[str, Array]:
    """Correlate means x and y of shape (trials, systems): tau_b, tau_ap_b, Pearson's r.

    The result is NaN if all means of x or of y are equal.
    """
    return _agreement(Pairs.of("tau_b", x, y))


def _agreement(pairs: Pairs) -> dict[str, Array]:
    coefficients = (tau_b_of(pairs), tau_ap_b_of(pairs), pearson_r(pairs.x, pairs.y))
    return {name: np.asarray(c) for name, c in zip(COEFFICIENTS, coefficients, strict=True)}


def samples_compared(
    of_schemes: Iterable[Array], first: IntArray, second: IntArray
) -> dict[str, Array]:
    """Compare the means over two samples of topics: `rankings_agree`, dRMSE and swap rate.

    `of_schemes` are (topics, systems), and the samples rows of indices. The results are (trials,
    schemes). dRMSE is NaN if all means of each sample are equal.
    """
    found = []
    for scores in of_schemes:
        x, y = column_means(scores, first), column_means(scores, second)
        pairs = Pairs.of("tau_b", x, y)
        distances = {"drmse": np.asarray(drmse(x, y)), "swap_rate": np.asarray(swap_rate_of(pairs))}
        found.append({**_agreement(pairs), **distances})
    return stacked(found)


def stacked(found: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Join the results (trials, ...) of schemes, or of sizes, as the second axis."""
    return {name: np.stack([each[name] for each in found], axis=1) for name in found[0]}


def per_trial(results: dict[str, NDArray[Any]], labels: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return each statistic as a table with one row per trial and one column per scheme."""
    import pandas as pd

    return {
        name: pd.DataFrame(results[name], columns=list(labels))
        for name in LIMITS
        if name in results
    }


def error_of_mean(trials: Array) -> float:
    """Return the standard error of the mean of trials; NaN for one trial."""
    return float(trials.std(ddof=1) / math.sqrt(len(trials))) if len(trials) > 1 else math.nan


def percentile(trials: Array, percent: float) -> float:
    """Return a percentile of the trials, computed as R's ``quantile`` does; NaN of no trial."""
    return float(quantile_r(trials, percent / 100)[0]) if len(trials) else math.nan


def percentile_interval(
    trials: Array, percent: float, limits: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
    r"""Return a 95 % confidence interval of a percentile, from two order statistics.

    The number of n trials below the true percentile p is binomial for every distribution of the
    trials. Let L be its 2.5 % and U its 97.5 % quantile. The interval goes from the trial with rank
    L to that with rank U + 1, and contains the percentile with a probability of at least 95 %. If
    there is no trial with this rank, it ends at a limit: 0 and 1 are those of a rate. Without a
    trial both ends are NaN.

    Source: Conover, Practical Nonparametric Statistics (3rd edition, 1999), Section 3.2.

    Examples
    --------
    >>> percentile_interval(np.arange(1, 1001) / 1000, 97.5)
    (0.965, 0.985)
    """
    if not len(trials):
        return math.nan, math.nan
    ordered = np.concatenate([limits[:1], np.sort(trials), limits[1:]])
    low, high = central_counts(_LEVEL, len(trials), percent / 100)
    return float(ordered[low]), float(ordered[high + 1])


def summary(trials: Array, limits: tuple[float, float]) -> dict[str, float]:
    """Return mean, standard error and percentiles of trials in which a statistic is defined."""
    low, high = percentile_interval(trials, 97.5, limits)
    return {
        "trials": len(trials),
        "mean": float(trials.mean()) if len(trials) else math.nan,
        "standard_error": error_of_mean(trials),
        **{f"percentile_{percent}": percentile(trials, percent) for percent in (2.5, 50, 97.5)},
        "percentile_97.5_low": low,
        "percentile_97.5_high": high,
    }


def mean_rates(
    rejected: IntArray, tests: IntArray, alphas: Sequence[float], labels: Sequence[str]
) -> pd.DataFrame:
    """Average the proportion of tests that reject over the trials that have a test.

    `rejected` is (trials, schemes, levels), `tests` (trials, schemes). The table has one row
    per level, with a first column ``alpha``, and one column per scheme; NaN if no trial has a
    test.
    """
    import pandas as pd

    made = tests > 0
    rates = rejected / np.where(made, tests, 1)[:, :, np.newaxis]
    trials = made.sum(axis=0)[:, np.newaxis]
    means = np.where(trials > 0, rates.sum(axis=0) / np.maximum(trials, 1), np.nan)
    table = pd.DataFrame(means.T, columns=list(labels))
    table.insert(0, "alpha", alphas)
    return table
