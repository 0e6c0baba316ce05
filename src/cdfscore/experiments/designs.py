"""Designs of experiments: within and between collections, halves, and sizes of the reference."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cdfscore.errors import ExperimentError, ScoresError, SignificanceError
from cdfscore.experiments.matrices import RefittedSchemes, SchemeMatrices
from cdfscore.experiments.rates import (
    ALPHAS,
    LIMITS,
    check_alphas,
    check_seed,
    check_size,
    check_topics,
    mean_rates,
    of_systems,
    paired_tests,
    per_trial,
    rankings_agree,
    samples_compared,
    stacked,
    summary,
    unpaired_tests,
)
from cdfscore.stats.numerics.eighty_bits.rows import column_means
from cdfscore.stats.numerics.multiples import tied
from cdfscore.stats.numerics.numbers import between_0_and_1, whole_number_from
from cdfscore.stats.numerics.types import Array, IntArray
from cdfscore.stats.r_random import RRandom, samples
from cdfscore.stats.rank_correlation import tau_ap_b, tau_b
from cdfscore.stats.schemes.base import Scheme
from cdfscore.stats.significance.contract import Unpaired, parse_test

# --- Experiments within a collection and between two: the same topics, or two samples of them ---


@dataclass(frozen=True, eq=False)
class _OnTopics:
    """Experiment on samples of topics: settings, and their checks."""

    matrices: SchemeMatrices
    size: int | None = None
    alphas: tuple[float, ...] = ALPHAS
    seed: int = 0
    #: The number of samples of topics of a trial.
    parts: ClassVar[int]

    def __post_init__(self) -> None:
        topics = self.matrices.topics
        size = min(topics // self.parts, 50) if self.size is None else self.size
        object.__setattr__(self, "alphas", check_alphas(self.alphas))
        object.__setattr__(self, "size", check_size(size, topics, self.parts))
        object.__setattr__(self, "seed", check_seed(self.seed))

    def _rows(self, trials: range) -> tuple[int, IntArray]:
        """Return the size of a sample, and the topics of all samples, one row per trial."""
        assert self.size is not None
        seeds, topics = self.seed + np.array(trials), self.matrices.topics
        return self.size, samples(seeds, topics, self.parts * self.size) - 1

    def tables(self, results: dict[str, NDArray[Any]]) -> dict[str, pd.DataFrame]:
        """Return tau, tauAP and r by trial, and power by level.

        Between collections there are also drmse and swap_rate by trial, and type1 by level.
        """
        labels = self.matrices.labels
        names = {"type1": ("false", "own"), "power": ("rejected", "tests")}
        rates = {
            name: mean_rates(results[rejected], results[tests], self.alphas, labels)
            for name, (rejected, tests) in names.items()
            if tests in results
        }
        return {**per_trial(results, labels), **rates}


@dataclass(frozen=True, eq=False)
class Within(_OnTopics):
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
        If there are fewer than 2 topics, or in `Between` 4.
    ExperimentError
        If the size is not from 2 to the number of topics, or in `Between` half of it, or the levels
        do not increase between 0 and 1.

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

    parts: ClassVar[int] = 1

    def run(self, trials: range) -> dict[str, NDArray[Any]]:
        """Return coefficients (trials, schemes) and rejections (trials, schemes, levels)."""
        _, rows = self._rows(trials)
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


@dataclass(frozen=True, eq=False)
class Between(_OnTopics):
    """Compare rankings over two samples of topics, and the errors and power of Welch's t test.

    A trial draws 2 `size` topics and divides them into two collections. tau_b, tau_ap_b, Pearson's
    r, dRMSE and the swap rate compare the means of the systems on the two collections. The type I
    error is the proportion of systems that differ significantly from themselves on the other
    collection, by the two-sided `welch_t` at each level. Power is the proportion of pairs of
    different systems, each on one collection, that differ significantly.

    The parameters and errors are those of `Within`. `size` is the number of topics of each
    collection; if not given, half of all topics, but at most 50. Trial k, from 0, draws by R's
    ``set.seed(seed + k); sample(1:n, 2 * size)``; the first `size` are one collection.

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

    parts: ClassVar[int] = 2

    def run(self, trials: range) -> dict[str, NDArray[Any]]:
        """Return statistics (trials, schemes) and rejections (trials, schemes, levels)."""
        size, rows = self._rows(trials)
        first, second = rows[:, :size], rows[:, size:]
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
                    observed = float(whole[name][0, j])
                    known = len(trials) > 0 and not np.isnan(observed)
                    own = {"observed": observed, "mean_of_partitions": found["mean"]}
                    for share, is_so in (
                        ("smaller", trials < observed),
                        ("equal", trials == observed),
                    ):
                        percent = 100 * np.count_nonzero(is_so) / len(trials) if known else np.nan
                        own[f"{share}_percent"] = percent
                    beside.append({**at, **own})
        tables = {**per_trial(results, labels), "summary": pd.DataFrame(summaries)}
        return {**tables, "collections": pd.DataFrame(beside)} if beside else tables


# --- Number of reference systems for a scheme: fits to samples of systems, tests on others ---


#: Comparisons: with the fit to all systems that are not held out, between the fits to two samples
#: without a system in common, with raw scores, between the fit to all systems and raw scores, and
#: between two halves of the topics under the same fit.
AGREEMENTS = ("largest", "disjoint", "raw", "raw_largest", "halves")
#: The statistics of two rankings, by the names of their tables.
STATISTICS = {"tau": tau_b, "tauAP": tau_ap_b}
#: Tests: their table, and the names of rejections and tests in results.
TESTS = {
    "power_paired": ("paired", "pairs"),
    "power_unpaired": ("unpaired", "others"),
    "type1": ("false", "own"),
}
_QUANTILES = {"p1": 0.01, "p5": 0.05, "p50": 0.5, "p95": 0.95}
Results = Mapping[str, NDArray[Any]]

_SIZES = tuple(digit * 10**power for power in range(6) for digit in (1, 2, 5))
# Scores that are standardized at a time, so that they stay in the cache.
_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class ReferenceSize:
    """Fit schemes to samples of m systems, and rank and test systems outside the samples.

    A trial draws 2 `size` topics and a random order of all systems. The last `held_out` systems are
    evaluated, and no scheme is fitted to them. For each m of `reference_sizes`, the first m systems
    are the reference sample, so a smaller sample is the beginning of a larger one. Factors are
    fitted to each drawn topic.

    If the schemes have a reference of other systems, a trial draws a random order of these, and all
    systems of the scores are evaluated. If `size` is not given either, each trial ranks them on all
    topics, as in Figure 4 of Webber, Moffat and Zobel (2008); there are then no halves.

    Four rankings of the held-out systems are compared with the ranking by a sample, by tau_b and
    tau_ap_b: on the first half of the topics, the ranking by the largest possible sample, the
    ranking by the next m systems, if there are as many, and that by raw scores; and, with the same
    fit, the ranking on the second half of the topics.

    Power is the proportion of pairs of held-out systems that differ significantly: by `paired_t` on
    the first half, and by `welch_t` with each system on one half. The type I error is the rate at
    which `welch_t` finds a difference between a system and itself on the two halves.

    Parameters
    ----------
    schemes
        Raw scores and schemes, from `cdfscore.experiments.matrices`.
    reference_sizes
        Increasing numbers of reference systems; if not given, 2, 5, 10, 20, 50, ... and all systems
        that are not held out.
    held_out
        Number of systems that are evaluated; a quarter of all if not given. With a reference, all
        are.
    size, alphas
        As for `Between`. With a reference and no `size`, all topics are used.
    seed
        Trial k, from 0, draws by R's ``set.seed(seed + k); sample(1:n, 2 * size)``, unless it uses
        all topics, and then ``sample(1:systems)``.

    Raises
    ------
    ScoresError
        If there are too few topics or systems for any sample.
    ExperimentError
        If these numbers of topics or systems cannot be drawn or fitted, if the levels do not
        increase between 0 and 1, or if R does not accept the seed.

    Notes
    -----
    Urbano, Lima and Hanjalic (2019), Section 4, leave open how many systems E-std needs. Webber,
    Moffat and Zobel (2008), Section 4, study this question for z-scores; they also compare with the
    ranking by the largest sample.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import run_trials
    >>> from cdfscore.experiments.matrices import refitted
    >>> scores = datasets.load_cranfield("ap")
    >>> experiment = ReferenceSize(refitted(scores, {"E-std": "empirical"}), (5, 20), seed=1)
    >>> tables = experiment.tables(run_trials(experiment, 20))
    >>> largest = tables["tau"].query("agreement == 'largest'")
    >>> largest["p50"].is_monotonic_increasing
    True
    """

    schemes: RefittedSchemes
    reference_sizes: tuple[int, ...] | None = None
    held_out: int | None = None
    size: int | None = None
    alphas: tuple[float, ...] = ALPHAS
    seed: int = 0

    def __post_init__(self) -> None:
        topics = self.schemes.topics
        if self.size is None and self.schemes.reference is None:
            object.__setattr__(self, "size", min(topics // 2, 50))
        object.__setattr__(self, "alphas", check_alphas(self.alphas))
        if self.size is None:
            check_topics(topics)
        else:
            object.__setattr__(self, "size", check_size(self.size, topics, 2))
        object.__setattr__(self, "seed", check_seed(self.seed))
        least = max(scheme.minimum_scores for scheme in self.schemes.schemes)
        object.__setattr__(self, "held_out", self._held_out(least))
        if self.reference_sizes is None:
            small = (m for m in _SIZES if max(least, 2) <= m < self.largest)
            object.__setattr__(self, "reference_sizes", (*small, self.largest))
        sizes = tuple(
            whole_number_from("reference_sizes", m, least, self.largest, ExperimentError)
            for m in self.reference_sizes or ()
        )
        if not sizes or any(a >= b for a, b in pairwise(sizes)):
            raise ExperimentError(
                f"reference_sizes={sizes!r} is not accepted; expected rising whole numbers from "
                f"{least} to {self.largest}"
            )
        object.__setattr__(self, "reference_sizes", sizes)

    def _held_out(self, least: int) -> int:
        """Return the number of evaluated systems, if `least` others can be drawn."""
        systems, drawn = self.schemes.systems, self.schemes.sampled.shape[1]
        if self.schemes.reference is not None:
            if self.held_out is not None:
                raise ExperimentError(
                    f"held_out={self.held_out!r} is not accepted with a reference, as all systems "
                    "of the scores are ranked; expected only one of them"
                )
            if drawn < least:
                error = ScoresError(
                    f"the reference has {of_systems(drawn)}; expected {least} or more to fit the "
                    "scheme to"
                )
                error.of_reference = True
                raise error
            return systems
        if systems < least + 2:
            raise ScoresError(
                f"there are {systems} systems; expected {least + 2} or more: 2 to hold out, and "
                f"{least} to fit the scheme to"
            )
        held_out = max(2, systems // 4) if self.held_out is None else self.held_out
        return whole_number_from("held_out", held_out, 2, systems - least, ExperimentError)

    @property
    def largest(self) -> int:
        """Number of systems of which samples are drawn."""
        if self.schemes.reference is not None:
            return int(self.schemes.reference.shape[1])
        assert self.held_out is not None
        return self.schemes.systems - self.held_out

    @property
    def drawn_topics(self) -> int:
        """Number of topics of a trial."""
        return self.schemes.topics if self.size is None else 2 * self.size

    def _given(self) -> tuple[tuple[int, ...], int]:
        assert self.reference_sizes is not None
        assert self.held_out is not None
        return self.reference_sizes, self.held_out

    def run(self, trials: range) -> dict[str, NDArray[Any]]:
        """Return (trials, schemes, sizes) arrays; rejections have a further axis of levels."""
        step = max(1, _BLOCK // (self.drawn_topics * self._given()[1]))
        blocks = [self._block(trials[i : i + step]) for i in range(0, len(trials), step)]
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    def draw(self, trials: range) -> tuple[IntArray, IntArray]:
        """Return topics (trials, topics) and the order of the systems (trials, systems)."""
        drawn = []
        for trial in trials:
            random = RRandom(self.seed + trial)
            topics = (
                np.arange(self.schemes.topics)
                if self.size is None
                else random.sample(self.schemes.topics, 2 * self.size) - 1
            )
            drawn.append((topics, random.sample(self.schemes.sampled.shape[1]) - 1))
        topics, systems = map(np.stack, zip(*drawn, strict=True))
        return topics, systems

    def _block(self, trials: range) -> dict[str, NDArray[Any]]:
        topics, systems = self.draw(trials)
        # A row for each trial and topic, as schemes and tests take them.
        shuffled = self.schemes.sampled[topics[:, :, np.newaxis], systems[:, np.newaxis, :]]
        shuffled = shuffled.reshape(topics.size, -1)
        evaluated = (
            np.ascontiguousarray(shuffled[:, self.largest :])
            if self.schemes.reference is None
            else self.schemes.raw[topics.ravel()]
        )
        found = []
        for scheme in self.schemes.schemes:
            found.append(stacked(list(self._of_scheme(scheme, shuffled, evaluated, topics))))
        results = stacked(found)
        constant = [np.ptp(shuffled[:, :m], axis=1) == 0 for m in self._given()[0]]
        results["constant"] = np.stack([c.reshape(topics.shape).sum(axis=1) for c in constant], 1)
        return results

    def _of_scheme(
        self, scheme: Scheme, shuffled: Array, held_out: Array, topics: IntArray
    ) -> Iterator[dict[str, NDArray[Any]]]:
        sizes, size = self._given()[0], self.size or self.drawn_topics
        rows = np.arange(topics.size).reshape(topics.shape)
        first, second = rows[:, :size], rows[:, size:]
        # Of the first halves alone, row by row.
        packed = np.arange(first.size).reshape(first.shape)

        def ranked(start: int, stop: int) -> Array:
            sample = shuffled[first.ravel(), start:stop]
            x, of = held_out[first.ravel()], topics[:, :size].ravel()
            return column_means(self.schemes.standardize(scheme, sample, x, of)[1], packed)

        full, raw = ranked(0, self.largest), column_means(held_out, first)
        of_largest = agreements(full, {"raw_largest": raw})
        for m in sizes:
            y, averaged = self.schemes.standardize(
                scheme, shuffled[:, :m], held_out, topics.ravel()
            )
            means = column_means(averaged, first)
            others = {
                "largest": full,
                "disjoint": ranked(m, 2 * m) if 2 * m <= self.largest else None,
                "raw": raw,
            }
            tested = {"power_paired": paired_tests(y, first, self.alphas)}
            if second.size:
                others["halves"] = column_means(averaged, second)
                own, unpaired = unpaired_tests(y, first, second, self.alphas)
                tested |= {"power_unpaired": unpaired, "type1": own}
            yield {
                **agreements(means, others),
                **of_largest,
                **{TESTS[table][0]: each.rejected for table, each in tested.items()},
                **{TESTS[table][1]: each.tests for table, each in tested.items()},
            }

    def tables(self, results: dict[str, NDArray[Any]]) -> dict[str, pd.DataFrame]:
        """Return tau and tauAP, power_paired, power_unpaired and type1, and constant.

        In each, ``reference_systems`` is the number m that was fitted to. tau and tauAP have a
        row for each agreement, m and scheme: the number of trials in which the coefficient is
        defined, and its mean and percentiles. ``raw_largest``, of raw scores and the largest
        possible sample, has one row for each scheme. The rates have one row for each m and level,
        and one column per scheme; constant has the mean number of constant topics per trial, and
        the numbers of topics, held-out systems and trials. Without halves of the topics, there are
        no power_unpaired and type1.
        """
        sizes, held_out = self._given()
        labels, drawn = self.schemes.labels, {"topics": self.drawn_topics, "held_out": held_out}
        tables = {name: self._coefficients(results, name) for name in STATISTICS}
        for name, (rejected, tests) in TESTS.items():
            if rejected in results:
                own = (np.moveaxis(results[each], 2, 0) for each in (rejected, tests))
                rates = [mean_rates(r, t, self.alphas, labels) for r, t in zip(*own, strict=True)]
                table = pd.concat(rates, keys=sizes, names=["reference_systems", None])
                tables[name] = table.reset_index("reference_systems").reset_index(drop=True)
        means = {"reference_systems": sizes, "constant": results["constant"].mean(axis=0)}
        trials = len(results["constant"])
        return {**tables, "constant": pd.DataFrame(means).assign(**drawn, trials=trials)}

    def _coefficients(self, results: Results, statistic: str) -> pd.DataFrame:
        sizes, rows = self._given()[0], []
        for agreement in (each for each in AGREEMENTS if f"{statistic}_{each}" in results):
            every = [(0, self.largest)] if agreement == "raw_largest" else enumerate(sizes)
            for i, m in every:
                if agreement == "disjoint" and 2 * m > self.largest:
                    continue
                for j, label in enumerate(self.schemes.labels):
                    values = results[f"{statistic}_{agreement}"][:, j, i]
                    values = values[~np.isnan(values)]
                    found: list[float] = [np.nan] * (1 + len(_QUANTILES))
                    if len(values):
                        quantiles = np.quantile(values, list(_QUANTILES.values()))
                        found = [float(values.mean()), *quantiles.tolist()]
                    rows.append((agreement, m, label, len(values), *found))
        columns = ["agreement", "reference_systems", "scheme", "trials", "mean", *_QUANTILES]
        return pd.DataFrame(rows, columns=columns)


def agreements(means: Array, others: Mapping[str, Array | None]) -> dict[str, Array]:
    """Correlate rankings; NaN if there is no other, or all means of a side are equal."""
    undefined = np.full(len(means), np.nan)
    return {
        f"{name}_{agreement}": undefined if other is None else np.asarray(coefficient(means, other))
        for name, coefficient in STATISTICS.items()
        for agreement, other in others.items()
    }
