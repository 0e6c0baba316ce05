"""How many reference systems a scheme needs: fits to samples of systems, on systems held out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import ExperimentError
from cdfscore.experiments.rates import ALPHAS, check_alphas, paired_tests, unpaired_tests
from cdfscore.experiments.refitted import RefittedSchemes
from cdfscore.experiments.summaries import check_size, mean_rates
from cdfscore.numerics.column_means import column_means
from cdfscore.numerics.types import Array, IntArray
from cdfscore.r_random import RRandom
from cdfscore.rank_correlation import tau_ap_b, tau_b
from cdfscore.schemes import Scheme

if TYPE_CHECKING:
    import pandas as pd

#: What is compared: with the fit to all systems that are not held out, the fits to two samples
#: without a system in common, and two halves of the topics under the same fit.
AGREEMENTS = ("largest", "disjoint", "halves")
#: The statistics of two rankings, by the names of their tables.
STATISTICS = {"tau": tau_b, "tauAP": tau_ap_b}
#: The tests: their table, and what rejections and tests are called in results.
TESTS = {
    "power_paired": ("paired", "pairs"),
    "power_unpaired": ("unpaired", "others"),
    "type1": ("false", "own"),
}
_QUANTILES = {"p5": 0.05, "p50": 0.5, "p95": 0.95}
_SIZES = tuple(digit * 10**power for power in range(6) for digit in (1, 2, 5))
# Scores that are standardized at a time, so that they stay in the cache.
_BLOCK = 1 << 16


@dataclass(frozen=True)
class ReferenceSize:
    """Fit schemes to samples of m systems, and rank and test systems that are in no sample.

    A trial draws 2 `size` topics, and the order of all systems. The last `held_out` of them
    are evaluated, and nothing is fitted to them; the first m are a sample, for each m of
    `sizes`, so that a smaller one is the beginning of a larger one. Factors are fitted topic by
    topic, on the topics drawn. By tau_b and tau_ap_b, rankings of the held-out systems are
    compared: on the first half of the topics, with that of the largest possible sample, and
    with that of the m systems after the first m, where there are as many; and, of the same
    fit, on the two halves. Power is the share of pairs of held-out systems that differ
    significantly: by `paired_t` on the first half, and by `welch_t`, each system on one half.
    Type I error is that of `welch_t` for each system against itself on both halves.

    Parameters
    ----------
    schemes
        Raw scores and schemes, from `cdfscore.experiments.refitted`.
    sizes
        Rising numbers of reference systems; 2, 5, 10, 20, 50, ... and all that are not held
        out, if not given.
    held_out
        Systems that are evaluated; a quarter of all if not given.
    size
        Topics of each half; half of all topics, and 50 at most, if not given.
    alphas
        Rising significance levels.
    seed
        Trial k, from 0, draws by R's ``set.seed(seed + k); sample(1:n, 2 * size)``, and then
        ``sample(1:systems)``.

    Raises
    ------
    ExperimentError
        For numbers of topics or systems that cannot be drawn or fitted, or levels that do not
        rise between 0 and 1.

    Notes
    -----
    The question is that of Urbano, Lima and Hanjalic (2019), Section 4, how large the set of
    systems needs to be for E-std to be stable; Webber, Moffat and Zobel (2008), Section 4, ask
    it of z-scores, and also of the ranking by the largest set.

    Examples
    --------
    >>> from cdfscore import datasets
    >>> from cdfscore.experiments import run_trials
    >>> from cdfscore.experiments.refitted import refitted
    >>> scores = datasets.load_cranfield("ap")
    >>> experiment = ReferenceSize(refitted(scores, {"E-std": "empirical"}), sizes=(5, 20), seed=1)
    >>> tables = experiment.tables(run_trials(experiment, 20))
    >>> largest = tables["tau"].query("agreement == 'largest'")
    >>> largest["p50"].is_monotonic_increasing
    True
    """

    schemes: RefittedSchemes
    sizes: tuple[int, ...] | None = None
    held_out: int | None = None
    size: int | None = None
    alphas: tuple[float, ...] = ALPHAS
    seed: int = 0

    def __post_init__(self) -> None:
        half, systems = self.schemes.topics // 2, self.schemes.systems
        if self.size is None:
            object.__setattr__(self, "size", min(half, 50))
        object.__setattr__(self, "alphas", check_alphas(self.alphas))
        check_size(self.size, 2, half)
        least = max(scheme.minimum_scores for scheme in self.schemes.schemes)
        if self.held_out is None:
            object.__setattr__(self, "held_out", max(2, systems // 4))
        if not isinstance(self.held_out, int) or not 2 <= self.held_out <= systems - least:
            raise ExperimentError(
                f"held_out={self.held_out} systems is not accepted; expected 2 or more, and "
                f"{least} or more of the {systems} left to fit schemes to"
            )
        if self.sizes is None:
            small = (m for m in _SIZES if max(least, 2) <= m < self.largest)
            object.__setattr__(self, "sizes", (*small, self.largest))
        sizes = tuple(self.sizes or ())
        rising = all(isinstance(m, int) for m in sizes) and all(a < b for a, b in pairwise(sizes))
        if not sizes or not rising or not least <= sizes[0] <= sizes[-1] <= self.largest:
            raise ExperimentError(
                f"sizes={sizes} of the reference is not accepted; expected rising whole numbers "
                f"from {least} to {self.largest}"
            )
        object.__setattr__(self, "sizes", sizes)

    @property
    def largest(self) -> int:
        """The number of systems that are not held out."""
        assert self.held_out is not None
        return self.schemes.systems - self.held_out

    def run(self, trials: range) -> dict[str, NDArray[Any]]:
        """Return (trials, schemes, sizes) arrays; of what is rejected, with an axis of levels."""
        assert self.size is not None
        assert self.held_out is not None
        step = max(1, _BLOCK // (2 * self.size * self.held_out))
        blocks = [self._block(trials[i : i + step]) for i in range(0, len(trials), step)]
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    def draw(self, trials: range) -> tuple[IntArray, IntArray]:
        """Return topics (trials, 2 size) and the order of the systems (trials, systems)."""
        assert self.size is not None
        drawn = []
        for trial in trials:
            random = RRandom(self.seed + trial)
            topics = random.sample(self.schemes.topics, 2 * self.size)
            drawn.append((topics - 1, random.sample(self.schemes.systems) - 1))
        topics, systems = map(np.stack, zip(*drawn, strict=True))
        return topics, systems

    def _block(self, trials: range) -> dict[str, NDArray[Any]]:
        assert self.sizes is not None
        topics, systems = self.draw(trials)
        # A row for each trial and topic, as schemes and tests take them.
        shuffled = self.schemes.raw[topics[:, :, np.newaxis], systems[:, np.newaxis, :]]
        shuffled = shuffled.reshape(-1, self.schemes.systems)
        found = []
        for scheme in self.schemes.schemes:
            of_scheme = list(self._of_scheme(scheme, shuffled, topics))
            found.append({n: np.stack([each[n] for each in of_scheme], 1) for n in of_scheme[0]})
        results = {name: np.stack([each[name] for each in found], axis=1) for name in found[0]}
        constant = [np.ptp(shuffled[:, :m], axis=1) == 0 for m in self.sizes]
        results["constant"] = np.stack([c.reshape(topics.shape).sum(axis=1) for c in constant], 1)
        return results

    def _of_scheme(
        self, scheme: Scheme, shuffled: Array, topics: IntArray
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield the results for each size, of shape (trials, ...)."""
        assert self.sizes is not None
        assert self.size is not None
        held_out = np.ascontiguousarray(shuffled[:, self.largest :])
        rows = np.arange(topics.size).reshape(topics.shape)
        first, second = rows[:, : self.size], rows[:, self.size :]
        # Of the first halves alone, row by row.
        packed = np.arange(first.size).reshape(first.shape)

        def ranked(start: int, stop: int) -> Array:
            sample = shuffled[first.ravel(), start:stop]
            x, of = held_out[first.ravel()], topics[:, : self.size].ravel()
            return column_means(self.schemes.standardize(scheme, sample, x, of)[1], packed)

        full = ranked(0, self.largest)
        for m in self.sizes:
            y, averaged = self.schemes.standardize(
                scheme, shuffled[:, :m], held_out, topics.ravel()
            )
            means = column_means(averaged, first)
            others = {
                "largest": full,
                "disjoint": ranked(m, 2 * m) if 2 * m <= self.largest else None,
                "halves": column_means(averaged, second),
            }
            paired = paired_tests(y, first, self.alphas)
            own, unpaired = unpaired_tests(y, first, second, self.alphas)
            tested = {"paired": paired, "unpaired": unpaired, "false": own}
            yield {
                **_agreements(means, others),
                **{name: tested[name].rejected for name, _ in TESTS.values()},
                **{tests: tested[name].tests for name, tests in TESTS.values()},
            }

    def tables(self, results: dict[str, NDArray[Any]]) -> dict[str, pd.DataFrame]:
        """Return tau and tauAP, power_paired, power_unpaired and type1, and constant.

        tau and tauAP have a row for each agreement, size and scheme: the number of trials where
        the coefficient is defined, and their mean and percentiles. The rates have a row for
        each size and level, and a column a scheme; constant has the mean number of topics of
        a trial whose sampled scores are all equal.
        """
        import pandas as pd

        assert self.sizes is not None
        assert self.size is not None
        labels = self.schemes.labels
        tables = {name: self._percentiles(results, name) for name in STATISTICS}
        for name, (rejected, tests) in TESTS.items():
            rates = [
                mean_rates(results[rejected][:, :, i], results[tests][:, :, i], self.alphas, labels)
                for i in range(len(self.sizes))
            ]
            tables[name] = pd.concat(rates, keys=self.sizes, names=["size", None])
            tables[name] = tables[name].reset_index("size").reset_index(drop=True)
        constant = {"size": self.sizes, "constant": results["constant"].mean(axis=0)}
        tables["constant"] = pd.DataFrame(constant).assign(topics=2 * self.size)
        return tables

    def _percentiles(self, results: dict[str, NDArray[Any]], statistic: str) -> pd.DataFrame:
        import pandas as pd

        assert self.sizes is not None
        rows = []
        for agreement in AGREEMENTS:
            for i, m in enumerate(self.sizes):
                for j, label in enumerate(self.schemes.labels):
                    values = results[f"{statistic}_{agreement}"][:, j, i]
                    defined = values[~np.isnan(values)]
                    if agreement == "disjoint" and 2 * m > self.largest:
                        continue
                    summary = (
                        (np.mean(defined), *np.quantile(defined, list(_QUANTILES.values())))
                        if len(defined)
                        else (np.nan,) * (1 + len(_QUANTILES))
                    )
                    rows.append((agreement, m, label, len(defined), *summary))
        columns = ["agreement", "size", "scheme", "trials", "mean", *_QUANTILES]
        return pd.DataFrame(rows, columns=columns)


def _agreements(means: Array, others: dict[str, Array | None]) -> dict[str, Array]:
    """Correlate rankings; NaN where there is no other, or all means of a side are equal."""
    undefined = np.full(len(means), np.nan)
    return {
        f"{name}_{agreement}": undefined if other is None else np.asarray(coefficient(means, other))
        for name, coefficient in STATISTICS.items()
        for agreement, other in others.items()
    }
