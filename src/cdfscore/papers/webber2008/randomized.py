"""The paper's results of random partitions and samples, compared with those of others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.experiments.summaries import error_of_mean, percentile, percentile_interval
from cdfscore.numerics.types import Array
from cdfscore.papers.webber2008.coefficients import better_rates, pair_error
from cdfscore.papers.webber2008.collections import Collections
from cdfscore.papers.webber2008.halves import MATRICES, of_matrix
from cdfscore.papers.webber2008.printed_numbers import Printed, beside_in_words, printed
from cdfscore.papers.webber2008.text import is_randomized

if TYPE_CHECKING:
    import pandas as pd

#: Largest distance, in standard errors, that counts as chance between two random results.
BY_CHANCE = 3.0
#: Numbers of partitions and of samples in the paper. It does not state the number of partitions of
#: T7.adh and T03.rob; we assume 1,000, its number for the errors of T7.adh and T8.adh.
_PARTITIONS, _REPARTITIONS, _SAMPLES = 1000, 2000, 2000
#: The normal quantile of a 95% interval.
_WIDTH = 1.959964


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
