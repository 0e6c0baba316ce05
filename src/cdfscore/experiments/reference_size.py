"""Number of reference systems for a scheme: fits to samples of systems, tests on others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import ExperimentError, ScoresError
from cdfscore.experiments.matrices import RefittedSchemes
from cdfscore.experiments.rates import (
    ALPHAS,
    check_alphas,
    check_seed,
    check_size,
    check_topics,
    mean_rates,
    of_systems,
    paired_tests,
    stacked,
    unpaired_tests,
)
from cdfscore.numerics.eighty_bits.rows import column_means
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import RRandom
from cdfscore.rank_correlation import tau_ap_b, tau_b
from cdfscore.schemes.base import Scheme

if TYPE_CHECKING:
    import pandas as pd

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
    size
        Number of topics of each half; if not given, half of all topics, but at most 50. With a
        reference and no `size`, all topics are used.
    alphas
        Increasing significance levels.
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
        """Return `reference_sizes` and `held_out`, which are set at creation."""
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
        """Yield the results for each size, of shape (trials, ...)."""
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
        tests = [name for name, (rejected, _) in TESTS.items() if rejected in results]
        return {
            **{n: coefficients_table(results, n, sizes, self.largest, labels) for n in STATISTICS},
            **{n: rates_table(results, n, sizes, self.alphas, labels) for n in tests},
            "constant": constant_table(results, sizes, drawn),
        }


def agreements(means: Array, others: Mapping[str, Array | None]) -> dict[str, Array]:
    """Correlate rankings; NaN if there is no other, or all means of a side are equal."""
    undefined = np.full(len(means), np.nan)
    return {
        f"{name}_{agreement}": undefined if other is None else np.asarray(coefficient(means, other))
        for name, coefficient in STATISTICS.items()
        for agreement, other in others.items()
    }


def coefficients_table(
    results: Results, statistic: str, sizes: Sequence[int], largest: int, labels: Sequence[str]
) -> pd.DataFrame:
    """Return mean and percentiles of a statistic: one row per agreement, size and scheme.

    They are of the trials where it is defined, and NaN if it is in none. Two samples without a
    system in common are there up to half of `largest`.
    """
    import pandas as pd

    rows = []
    for agreement in (each for each in AGREEMENTS if f"{statistic}_{each}" in results):
        for i, m in [(0, largest)] if agreement == "raw_largest" else enumerate(sizes):
            if agreement == "disjoint" and 2 * m > largest:
                continue
            for j, label in enumerate(labels):
                values = results[f"{statistic}_{agreement}"][:, j, i]
                values = values[~np.isnan(values)]
                summary = (
                    (np.mean(values), *np.quantile(values, list(_QUANTILES.values())))
                    if len(values)
                    else (np.nan,) * (1 + len(_QUANTILES))
                )
                rows.append((agreement, m, label, len(values), *summary))
    columns = ["agreement", "reference_systems", "scheme", "trials", "mean", *_QUANTILES]
    return pd.DataFrame(rows, columns=columns)


def rates_table(
    results: Results,
    name: str,
    sizes: Sequence[int],
    alphas: Sequence[float],
    labels: Sequence[str],
) -> pd.DataFrame:
    """Return the mean proportion of tests that reject: one row for each size and level."""
    import pandas as pd

    rejected, tests = (results[each] for each in TESTS[name])
    rates = [
        mean_rates(rejected[:, :, i], tests[:, :, i], alphas, labels) for i in range(len(sizes))
    ]
    table = pd.concat(rates, keys=sizes, names=["reference_systems", None])
    return table.reset_index("reference_systems").reset_index(drop=True)


def constant_table(
    results: Results, sizes: Sequence[int], drawn: Mapping[str, int]
) -> pd.DataFrame:
    """Return the mean number of constant topics by size, and what a trial has `drawn`."""
    import pandas as pd

    constant = results["constant"]
    table = pd.DataFrame({"reference_systems": sizes, "constant": constant.mean(axis=0)})
    return table.assign(**drawn, trials=len(constant))
