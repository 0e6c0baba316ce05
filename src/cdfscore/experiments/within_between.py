"""Experiments within a collection and between two: the same topics, or two samples of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.experiments.matrices import SchemeMatrices
from cdfscore.experiments.rates import ALPHAS, check_alphas, paired_tests, unpaired_tests
from cdfscore.experiments.summaries import (
    check_seed,
    check_size,
    mean_rates,
    per_trial,
    rankings_agree,
    samples_compared,
    stacked,
)
from cdfscore.numerics.eighty_bits.columns import column_means
from cdfscore.r_random import samples

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Within:
    """Compare rankings by raw and standardized scores, and the power of paired t tests.

    A trial draws `size` topics. tau_b, tau_ap_b and Pearson's r compare the raw means of the
    systems with their means by each scheme. Power is the proportion of pairs of systems that differ
    significantly by the two-sided `paired_t` at each level. Pairs without a p value, such as
    identical systems, are omitted, and so are trials without a pair.

    Parameters
    ----------
    matrices
        Raw and standardized scores, from `cdfscore.experiments.standardized`.
    size
        Number of topics of a trial; if not given, all topics, but at most 50.
    alphas
        Increasing significance levels.
    seed
        Trial k, from 0, draws by R's ``set.seed(seed + k); sample(1:n, size)``.

    Raises
    ------
    ScoresError
        If there are fewer than 2 topics.
    ExperimentError
        If the size is not from 2 to the number of topics, or the levels do not increase between 0
        and 1.

    Notes
    -----
    Source: Urbano, Lima and Hanjalic (2019), Section 3.1.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Within, run_trials, standardized
    >>> scores = datasets.load_cranfield("ap")
    >>> experiment = Within(standardized(scores, {"E-std": "empirical"}), seed=1)
    >>> tables = experiment.tables(run_trials(experiment, 20))
    >>> tables["tau"]["E-std"].mean().round(2)
    np.float64(0.88)
    """

    matrices: SchemeMatrices
    size: int | None = None
    alphas: tuple[float, ...] = ALPHAS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.size is None:
            object.__setattr__(self, "size", min(self.matrices.topics, 50))
        assert self.size is not None
        object.__setattr__(self, "alphas", check_alphas(self.alphas))
        object.__setattr__(self, "size", check_size(self.size, self.matrices.topics))
        object.__setattr__(self, "seed", check_seed(self.seed))

    def run(self, trials: range) -> dict[str, NDArray[Any]]:
        """Return coefficients (trials, schemes) and rejections (trials, schemes, levels)."""
        assert self.size is not None
        seeds = self.seed + np.array(trials)
        rows = samples(seeds, self.matrices.topics, self.size) - 1
        raw = column_means(self.matrices.raw, rows)
        found = [
            rankings_agree(raw, column_means(averaged, rows)) for averaged in self.matrices.averaged
        ]
        tested = [paired_tests(scores, rows, self.alphas) for scores in self.matrices.scores]
        return {
            **stacked(found),
            "rejected": np.stack([each.rejected for each in tested], axis=1),
            "tests": np.stack([each.tests for each in tested], axis=1),
        }

    def tables(self, results: dict[str, NDArray[Any]]) -> dict[str, pd.DataFrame]:
        """Return tau, tauAP and r, one row per trial, and power, one row per level."""
        labels = self.matrices.labels
        return {
            **per_trial(results, labels),
            "power": mean_rates(results["rejected"], results["tests"], self.alphas, labels),
        }


@dataclass(frozen=True, eq=False)
class Between:
    """Compare rankings over two samples of topics, and the errors and power of Welch's t test.

    A trial draws 2 `size` topics and divides them into two collections. tau_b, tau_ap_b, Pearson's
    r, dRMSE and the swap rate compare the means of the systems on the two collections. The type I
    error is the proportion of systems that differ significantly from themselves on the other
    collection, by the two-sided `welch_t` at each level. Power is the proportion of pairs of
    different systems, each on one collection, that differ significantly.

    Parameters
    ----------
    matrices
        Raw and standardized scores, from `cdfscore.experiments.standardized`.
    size
        Number of topics of each collection; if not given, half of all topics, but at most 50.
    alphas
        Increasing significance levels.
    seed
        Trial k, from 0, draws by R's ``set.seed(seed + k); sample(1:n, 2 * size)``; the first
        `size` are one collection.

    Raises
    ------
    ScoresError
        If there are fewer than 4 topics.
    ExperimentError
        If the size is not from 2 to half the number of topics, or the levels do not increase
        between 0 and 1.

    Notes
    -----
    Source: Urbano, Lima and Hanjalic (2019), Section 3.2. dRMSE: Webber, Moffat and Zobel (2008),
    Eq. 4. Swap rate: Voorhees and Buckley (2002), after Buckley and Voorhees (2000).

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Between, run_trials, standardized
    >>> scores = datasets.load_cranfield("ap")
    >>> experiment = Between(standardized(scores, {"E-std": "empirical"}), seed=1)
    >>> tables = experiment.tables(run_trials(experiment, 20))
    >>> [tables[name]["E-std"].mean().round(2).item() for name in ("tau", "drmse", "swap_rate")]
    [0.81, 0.22, 0.1]
    """

    matrices: SchemeMatrices
    size: int | None = None
    alphas: tuple[float, ...] = ALPHAS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.size is None:
            object.__setattr__(self, "size", min(self.matrices.topics // 2, 50))
        assert self.size is not None
        object.__setattr__(self, "alphas", check_alphas(self.alphas))
        object.__setattr__(self, "size", check_size(self.size, self.matrices.topics, 2))
        object.__setattr__(self, "seed", check_seed(self.seed))

    def run(self, trials: range) -> dict[str, NDArray[Any]]:
        """Return statistics (trials, schemes) and rejections (trials, schemes, levels)."""
        assert self.size is not None
        seeds = self.seed + np.array(trials)
        rows = samples(seeds, self.matrices.topics, 2 * self.size) - 1
        first, second = rows[:, : self.size], rows[:, self.size :]
        tested = [
            unpaired_tests(scores, first, second, self.alphas) for scores in self.matrices.scores
        ]
        return {
            **samples_compared(self.matrices.averaged, first, second),
            "false": np.stack([own.rejected for own, _ in tested], axis=1),
            "own": np.stack([own.tests for own, _ in tested], axis=1),
            "rejected": np.stack([others.rejected for _, others in tested], axis=1),
            "tests": np.stack([others.tests for _, others in tested], axis=1),
        }

    def tables(self, results: dict[str, NDArray[Any]]) -> dict[str, pd.DataFrame]:
        """Return tau, tauAP, r, drmse and swap_rate by trial, and type1 and power by level."""
        labels = self.matrices.labels
        return {
            **per_trial(results, labels),
            "type1": mean_rates(results["false"], results["own"], self.alphas, labels),
            "power": mean_rates(results["rejected"], results["tests"], self.alphas, labels),
        }
