"""Experiments within a collection and between two: the same topics, or two samples of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cdfscore.errors import ExperimentError, SignificanceError
from cdfscore.experiments.matrices import SchemeMatrices
from cdfscore.experiments.rates import (
    ALPHAS,
    LIMITS,
    check_alphas,
    check_seed,
    check_size,
    check_topics,
    mean_rates,
    paired_tests,
    per_trial,
    rankings_agree,
    samples_compared,
    stacked,
    summary,
    unpaired_tests,
)
from cdfscore.numerics.eighty_bits.rows import column_means
from cdfscore.numerics.multiples import tied
from cdfscore.numerics.numbers import between_0_and_1
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import samples
from cdfscore.significance.contract import Unpaired, parse_test


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


# --- Experiment on random halves of the topics: systems compared with themselves on both ---


@dataclass(frozen=True, eq=False)
class Halves:
    """Halve the topics at random, and compare each system with itself on both halves.

    A comparable measure gives a system similar means on both halves, and a significant difference
    at most at the rate `alpha`. A trial computes, for each scheme: dRMSE of the means of the
    systems on the two halves; the rate of false positives, which is the proportion of systems that
    differ significantly from themselves; tau_b, tau_ap_b and Pearson's r of the means; and the
    proportion of pairs of systems that the halves order differently (`swap_rate`).

    If the matrices are of two collections, from `pooled`, the parts have the numbers of topics of
    the collections. The two collections themselves are then one partition, and the table
    ``collections`` shows where it lies among the random ones.

    Parameters
    ----------
    matrices
        Raw and standardized scores, from `cdfscore.experiments.standardized` or `pooled`.
    test
        A test of two independent samples by its spelling, such as "student_t" or
        "welch_t:alternative=greater".
    alpha
        The significance level: a difference is significant if its p value is at most alpha.
    seed
        Trial k, from 0, draws the first half as in R by ``set.seed(seed + k); sample(1:n,
        n %/% 2)``, or the topics of the first of two collections by ``sample(1:n, n_1)``. The other
        topics are the second half. All schemes have the same halves.

    Raises
    ------
    SignificanceError
        If the test is unknown, or is not a test of two independent samples.
    ScoresError
        If there are fewer than 4 topics, or 2 in a collection.
    ExperimentError
        If alpha is outside (0, 1), or R does not accept the seed.

    Notes
    -----
    Source: Webber, Moffat and Zobel (2008), Section 5, Figures 5 to 7; Eq. 4 is `drmse`.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import Halves, run_trials, standardized
    >>> scores = datasets.load_cranfield("ap")
    >>> experiment = Halves(standardized(scores, {"raw": "raw", "N-std": "normal"}), seed=1)
    >>> tables = experiment.tables(run_trials(experiment, 100))
    >>> tables["drmse"].mean().round(2).to_dict()
    {'raw': 0.24, 'N-std': 0.13}
    """

    matrices: SchemeMatrices
    test: str = "student_t"
    alpha: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.matrices.collections:
            check_topics(self.matrices.topics, 2)
        for topics, which in zip(self.matrices.collections, ("first", "second"), strict=False):
            check_topics(topics, of=f" in the {which} collection")
        test = parse_test(self.test).test
        if not isinstance(test, Unpaired):
            raise SignificanceError(
                f"{test.name} does not test two independent samples; expected a test that does, "
                "such as student_t"
            )
        level = between_0_and_1("alpha", self.alpha, ExperimentError)
        object.__setattr__(self, "alpha", level)
        object.__setattr__(self, "seed", check_seed(self.seed))

    @property
    def size(self) -> int:
        """Number of topics of the first half."""
        first, *_ = self.matrices.collections or (self.matrices.topics // 2,)
        return first

    def run(self, trials: range) -> dict[str, NDArray[Any]]:
        """Return the statistics of ``tables``, each of shape (trials, schemes).

        ``false_positives`` is the proportion of systems that differ significantly, among those with
        a p value: a system has none if its scores are all equal on each half.
        """
        return self.compared(*self.halves(trials))

    def halves(self, trials: range) -> tuple[IntArray, IntArray]:
        """Return the indices of the topics of the first and the second half, one row per trial."""
        n, size = self.matrices.topics, self.size
        first = samples(self.seed + np.arange(trials.start, trials.stop), n, size) - 1
        in_first = np.zeros((len(first), n), dtype=np.bool_)
        np.put_along_axis(in_first, first, True, axis=1)
        second = np.nonzero(~in_first)[1].reshape(len(first), n - size)
        return first, second

    def compared(self, first: IntArray, second: IntArray) -> dict[str, NDArray[Any]]:
        """Return the statistics of two samples of topics, given as rows of indices."""
        compared = samples_compared(self.matrices.averaged, first, second)
        rates = [self._false_positives(scores, first, second) for scores in self._tested]
        return {**compared, "false_positives": np.stack(rates, axis=1)}

    @cached_property
    def _tested(self) -> list[Array]:
        """The scores under each scheme, tied as in `compare` if the test ranks them."""
        scores = [*self.matrices.scores]
        if parse_test(self.test).test.ranks != "topics":
            return scores
        of_ties = self.matrices.tie_sizes or [None] * len(scores)
        of_schemes = zip(scores, of_ties, strict=True)
        return [y if sizes is None else tied(y, sizes) for y, sizes in of_schemes]

    def _false_positives(self, scores: Array, first: IntArray, second: IntArray) -> Array:
        chosen = parse_test(self.test)
        assert isinstance(chosen.test, Unpaired)
        # (trials, systems, topics of the half), each sample in a row of its own
        x, y = (np.ascontiguousarray(scores[half].swapaxes(1, 2)) for half in (first, second))
        p = chosen.test(x, y, **chosen.given).p_value
        tested = np.count_nonzero(~np.isnan(p), axis=1)
        with np.errstate(invalid="ignore"):  # 0/0 where no system has a p value
            rates: Array = np.count_nonzero(p <= self.alpha, axis=1) / tested
        return rates

    def tables(self, results: dict[str, NDArray[Any]]) -> dict[str, pd.DataFrame]:
        """Return one table per statistic, with one row per trial, and ``summary``.

        The statistics are drmse, false_positives, tau, tauAP, r and swap_rate. ``summary`` has one
        row for each statistic and scheme: the number of trials in which the statistic is defined,
        its mean and the standard error of the mean, three percentiles, and a 95 % confidence
        interval of the highest percentile. Of two collections there is also ``collections``: the
        statistic of the two collections as they are (``observed``), the mean of the random
        partitions, and the percentages of them with a smaller and with an equal statistic.
        """
        labels, whole = self.matrices.labels, None
        if self.matrices.collections:
            topics = np.arange(self.matrices.topics)[np.newaxis]
            whole = self.compared(topics[:, : self.size], topics[:, self.size :])
        summaries, beside = [], []
        for name, limits in LIMITS.items():
            for j, label in enumerate(labels):
                trials = results[name][:, j]
                trials = trials[~np.isnan(trials)]
                at = {"statistic": name, "scheme": label}
                found = summary(trials, limits)
                summaries.append({**at, **found})
                if whole is not None:
                    observed, mean = float(whole[name][0, j]), found["mean"]
                    own = {"observed": observed, "mean_of_partitions": mean}
                    beside.append({**at, **own, **_percentages(trials, observed)})
        tables = {**per_trial(results, labels), "summary": pd.DataFrame(summaries)}
        return {**tables, "collections": pd.DataFrame(beside)} if beside else tables


def _percentages(trials: Array, value: float) -> dict[str, float]:
    """Return the percentages of trials below a value and equal to it; NaN without either."""
    known = len(trials) > 0 and not np.isnan(value)
    return {
        f"{name}_percent": 100 * np.count_nonzero(own) / len(trials) if known else np.nan
        for name, own in (("smaller", trials < value), ("equal", trials == value))
    }
