"""Results of `ReferenceSize`: coefficients of rankings, and tables by reference systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cdfscore.experiments.summaries import mean_rates
from cdfscore.numerics.types import Array
from cdfscore.rank_correlation import tau_ap_b, tau_b

if TYPE_CHECKING:
    import pandas as pd

#: Comparisons: with the fit to all systems that are not held out, between the fits to two samples
#: without a system in common, and between two halves of the topics under the same fit.
AGREEMENTS = ("largest", "disjoint", "halves")
#: The statistics of two rankings, by the names of their tables.
STATISTICS = {"tau": tau_b, "tauAP": tau_ap_b}
#: Tests: their table, and the names of rejections and tests in results.
TESTS = {
    "power_paired": ("paired", "pairs"),
    "power_unpaired": ("unpaired", "others"),
    "type1": ("false", "own"),
}
_QUANTILES = {"p5": 0.05, "p50": 0.5, "p95": 0.95}

Results = Mapping[str, NDArray[Any]]


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
    for agreement in AGREEMENTS:
        for i, m in enumerate(sizes):
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
