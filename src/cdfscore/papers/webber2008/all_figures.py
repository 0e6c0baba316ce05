"""Numbers of Figures 1 to 7, for all scores that are published."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.errors import ExperimentError
from cdfscore.experiments.engine.trials import Experiment, run_trials
from cdfscore.experiments.halves import Halves
from cdfscore.experiments.matrices import SchemeMatrices
from cdfscore.experiments.reference_size import ReferenceSize
from cdfscore.experiments.refitted import refitted
from cdfscore.experiments.summaries import (
    LIMITS,
    error_of_mean,
    percentile,
    percentile_interval,
    summary,
)
from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.numerics.types import Array
from cdfscore.papers.webber2008.all_tables import (
    better_rates,
    correlation,
    intervals,
    is_randomized,
    mean_pair_error,
    pair_error,
)
from cdfscore.papers.webber2008.collections import (
    HALVED,
    JUDGED,
    MEASURES,
    SCHEME,
    TOPICS,
    Collections,
    given_or_read,
    standardizable,
)
from cdfscore.papers.webber2008.printed_numbers import JUDGMENTS, Printed, beside_in_words, printed
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
#: Largest distance, in standard errors, that counts as chance between two random results.
BY_CHANCE = 3.0
#: Numbers of partitions and of samples in the paper. It does not state the number of partitions of
#: T7.adh and T03.rob; we assume 1,000, its number for the errors of T7.adh and T8.adh.
_PARTITIONS, _REPARTITIONS, _SAMPLES = 1000, 2000, 2000
#: The normal quantile of a 95% interval.
_WIDTH = 1.959964
_FORMS = ("raw", "normalized", "standardized")
#: Measure, form, and source. The source is the measure of the scores and whether they are
#: standardized, or the name of the missing data. Average precision is the sum of precisions divided
#: by the number of relevant documents; the paper calls this the normalized form of the sum.
_BARS: list[tuple[str, str, tuple[str, bool] | str]] = [
    ("P@10", "raw", ("P@10", False)),
    ("P@10", "normalized", ("nP@10", False)),
    ("P@10", "standardized", ("P@10", True)),
    *(("RBP", form, "RBP scores") for form in _FORMS),
    ("SP/AP", "raw", ("SP", False)),
    ("SP/AP", "normalized", ("AP", False)),
    ("SP/AP", "standardized", ("AP", True)),
    *(("DCG", form, "DCG scores") for form in _FORMS),
]

#: The matrices, in the order in which `random_halves` has them: measure, standardized or not. Those
#: of the judgments are last, and absent without them.
MATRICES = [(measure, standardized) for measure in MEASURES for standardized in (False, True)]
MATRICES += [(measure, False) for measure in JUDGED]


def experiments(
    data: Path | Collections, *, seed: int = 1, sizes: tuple[int, ...] = SIZES
) -> list[Experiment]:
    """Return the experiments of `figure_tables`, for `remove_cached` to remove their chunks."""
    collections = given_or_read(data)
    sampled = experiment(collections, sizes, seed)
    return [sampled, *random_halves(collections, seed)]


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
    of_t7_and_t8, of_t7_and_t03 = random_halves(collections, seed)
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
        "figure5": figure5(errors),
        "figure6": figure6(rates),
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


@dataclass(frozen=True)
class Trials:
    """Results of random halves, dRMSE and rates of false positives, and of samples of systems.

    Those of T7.adh and T8.adh have shape (trials, matrices). Those of T7.adh and T03.rob are for
    AP and have shape (trials,). `taus` are those of samples of each size, (samples,).
    """

    errors: Array
    rates: Array
    t03_errors: Array
    t03_rates: Array
    taus: Mapping[int, Array]


@dataclass(frozen=True)
class _Found:
    """Number with its standard error, and the numbers of partitions, here and in the paper."""

    value: float = math.nan
    error: float = math.nan
    trials: int = 0
    printed_trials: int = _PARTITIONS
    percentile_99: float = math.nan
    note: str = ""


def randomized(collections: Collections, trials: Trials) -> pd.DataFrame:
    """Compare the paper's numbers of its random partitions with those of these partitions.

    ``standard_error`` is that of ``computed``. ``percentile_99`` is the 99th percentile over the
    partitions. ``z`` is the distance of ``computed`` from the range that rounds to the printed
    number (or from the range of its words), divided by the standard error of the difference between
    these results and the paper's. A number that differs is "within sampling error" if ``z`` is at
    most ``z_limit``. Of a size that ``sizes`` lacks, a number is "not sampled". With only some tens
    of partitions, the standard error is a poor estimate, because dRMSE and rates have long tails.
    """
    known = printed(judged=collections.judgments is not None)
    numbers = [number for number in known if is_randomized(number)]
    found = [_computed(collections, trials, number) for number in numbers]
    table = beside_in_words(numbers, [each.value for each in found])
    z = np.array(
        [
            standard_errors_apart(f.value, n.covered, f.error, f.trials, f.printed_trials)
            for n, f in zip(numbers, found, strict=True)
        ]
    )
    near = np.abs(z) <= BY_CHANCE
    table.loc[(table["status"] == "differs") & near, "status"] = "within sampling error"
    not_sampled = table["computed"].isna() & table["row"].str.startswith("samples of ")
    table.loc[not_sampled, "status"] = "not sampled"
    table["note"] = [f.note + note for f, note in zip(found, table["note"], strict=True)]
    notes = table.pop("note")
    return table.assign(
        standard_error=[each.error for each in found],
        z=z,
        z_limit=BY_CHANCE,
        percentile_99=[each.percentile_99 for each in found],
        note=notes,
    )


def _computed(collections: Collections, trials: Trials, number: Printed) -> _Found:
    ap = _of(trials.errors, "AP", standardized=False)
    match number.row, number.column:
        case "AP of random halves of T7.adh and T8.adh", _:
            return _mean(ap)
        case "AP of random halves of T7.adh and T03.rob", _:
            return _mean(trials.t03_errors)
        case _, "random halves with a smaller dRMSE, %":
            observed = pair_error(collections, "T7.adh", "T03.rob", "AP", None)
            return _share_below(observed, trials.t03_errors)
        case _, "random halves with a lower false positive rate, %":
            # one-tailed in both directions at 0.025 is two-tailed at 0.05, as on the halves
            both = better_rates(collections, ("T7.adh", "T03.rob"), standardized=False)
            return _share_below(sum(both), trials.t03_rates)
        case "samples of 78 systems of T03.rob", column:
            place, _, size = column.partition("th lowest tau of samples of ")
            return _lowest(100 - int(place), trials.taus.get(int(size)))
        case _, "smallest mean rate" | "largest mean rate":
            return _extreme(trials.rates, largest="largest" in number.column)
        case (("SP, standardized" | "SP, not standardized"), _) if not number.needs:
            own = ("AP", True) if number.row == "SP, standardized" else ("SP", False)
            rates = 100 * _of(trials.rates, *own)
            error = 100 * error_of_percentile(rates / 100, 97.5)
            return _Found(percentile(rates, 97.5), error, len(rates), _REPARTITIONS)
        case _:
            assert number.needs, number  # of what is not public
            return _Found()


def _of(trials: Array, measure: str, standardized: bool) -> Array:
    found = of_matrix(trials, measure, standardized=standardized)
    assert found is not None  # SP with judgments alone, as `known` tells
    return found


def _mean(each: Array) -> _Found:
    return _Found(
        float(each.mean()),
        error_of_mean(each),
        len(each),
        percentile_99=percentile(each, 99),
    )


def _share_below(observed: float, each: Array) -> _Found:
    below = np.where(each < observed, 100.0, 0.0)
    return _Found(
        float(below.mean()),
        error_of_mean(below),
        len(each),
        percentile_99=percentile(each, 99),
        note=f"observed: {observed:.3f}",
    )


def _lowest(percent: int, taus: Array | None) -> _Found:
    """Return a percentile of taus, with its error; NaN if their size was not sampled."""
    if taus is None:
        return _Found()
    # (1 + tau) / 2 is in the range of a rate
    error = 2 * error_of_percentile((1 + taus) / 2, percent)
    return _Found(percentile(taus, percent), error, len(taus), _SAMPLES)


def _extreme(rates: Array, *, largest: bool) -> _Found:
    """Return the smallest or largest mean rate over the matrices, and the matrix that has it."""
    means = rates.mean(axis=0)
    at = int(means.argmax() if largest else means.argmin())
    measure, standardized = MATRICES[at]
    which = f"{measure}{', standardized' * standardized}; "
    error = error_of_mean(rates[:, at])
    return _Found(float(means[at]), error, len(rates), _REPARTITIONS, note=which)


def error_of_percentile(trials: Array, percent: float) -> float:
    """Return the standard error of a percentile, from the width of its interval."""
    low, high = percentile_interval(trials, percent)
    return (high - low) / (2 * _WIDTH)


def standard_errors_apart(
    computed: float, covered: tuple[float, float], error: float, trials: int, printed_trials: int
) -> float:
    """Return z: the distance of `computed` from the printed number, in standard errors.

    `covered` is the range of numbers that round to the printed one; inside it, z is 0. `error` is
    the standard error of `computed`, which comes from `trials` trials. The printed number comes
    from `printed_trials` other trials, and the difference has both errors.
    """
    low, high = covered
    distance = computed - min(max(computed, low), high)
    if distance == 0:
        return 0.0
    both = error * math.sqrt(1 + trials / printed_trials)
    return distance / both if both != 0 else math.copysign(math.inf, distance)


def random_halves(collections: Collections, seed: int) -> tuple[Halves, Halves]:
    """Return the random halves of T7.adh and T8.adh, and those of T7.adh and T03.rob.

    The first use AP and P@10, raw and standardized by the original systems of each track. The
    second use AP.
    """
    known = [each for each in MATRICES if collections.has(each[0])]
    return (
        Halves(_matrices(collections, HALVED, known), seed=seed),
        Halves(_matrices(collections, ("T7.adh", "T03.rob"), [("AP", False)]), seed=seed),
    )


def _matrices(
    collections: Collections, names: Sequence[str], sources: Sequence[tuple[str, bool]]
) -> SchemeMatrices:
    """Return the matrices of these sources, each on the topics of all these collections."""
    found = []
    for measure, standardized in sources:
        scores = collections.standardized if standardized else collections.evaluated
        found.append(np.concatenate([scores(name, measure).to_numpy() for name in names]))
    matrices = np.stack(found)
    labels = tuple(f"{'s' * standardized}{measure}" for measure, standardized in sources)
    return SchemeMatrices(labels, matrices[0], matrices, matrices)


def of_matrix(trials: Array, measure: str, *, standardized: bool) -> Array | None:
    """Return the trials of one matrix from an array (trials, matrices); None without judgments."""
    at = MATRICES.index((measure, standardized))
    return trials[:, at] if at < trials.shape[1] else None


def figure5(errors: Array) -> pd.DataFrame:
    """Return mean dRMSE and the interval that contains 95 % of `errors` (trials, matrices)."""
    return _laid_out(errors, "drmse", ("percentile_2.5", "percentile_97.5"))


def figure6(rates: Array) -> pd.DataFrame:
    """Return mean rates of false positives and their 97.5th percentile.

    ``percentile_97.5_low`` and ``..._high`` are the 95 % confidence interval of this percentile,
    because other random partitions give another percentile.
    """
    ends = ("percentile_97.5", "percentile_97.5_low", "percentile_97.5_high")
    return _laid_out(rates, "false_positives", ends)


def _laid_out(trials: Array, statistic: str, percentiles: tuple[str, ...]) -> pd.DataFrame:
    def values(measure: str, standardized: bool) -> dict[str, float]:
        column = of_matrix(trials, measure, standardized=standardized)
        if column is None:
            return {}
        found = summary(column, LIMITS[statistic])
        return {name: found[name] for name in ("mean", "standard_error", *percentiles)}

    table = bars(values)
    table.insert(2, "partitions", len(trials))
    return table


def bars(values: Callable[[str, bool], dict[str, float]]) -> pd.DataFrame:
    """Return one row per bar: ``measure``, ``form``, the result of `values`, and ``needs``.

    `values` is called with the measure of the scores and with whether they are standardized. It is
    empty where the relevance judgments are needed.
    """
    import pandas as pd

    rows = []
    for measure, form, source in _BARS:
        given = {} if isinstance(source, str) else values(*source)
        needs = "" if given else source if isinstance(source, str) else JUDGMENTS
        rows.append({"measure": measure, "form": form, **given, "needs": needs})
    table = pd.DataFrame(rows)
    last = table.pop("needs")
    return table.assign(needs=last)
