"""Figures 5 and 6: random halves of the topics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.experiments.partitions import Partitions
from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.numerics.types import Array
from cdfscore.reproduction.webber2008.bars import bars
from cdfscore.reproduction.webber2008.collections import MEASURES, ORIGINALS, Collections
from cdfscore.reproduction.webber2008.printed_numbers import beside, printed
from cdfscore.reproduction.webber2008.text import is_randomized

if TYPE_CHECKING:
    import pandas as pd

#: The matrices, in the order in which `experiments` has them: measure, standardized or not.
MATRICES = [(measure, standardized) for measure in MEASURES for standardized in (False, True)]
#: How many standard errors two means of random partitions may be apart by chance.
_BY_CHANCE = 3.0


def experiments(collections: Collections, seed: int) -> tuple[Partitions, Partitions]:
    """Return the partitions of T7.adh and T8.adh, and those of T7.adh and T03.rob.

    The first are of AP and P@10, each as it is and standardized by the original systems of
    each track. The second are of AP.
    """
    matrices = [
        np.concatenate([_matrix(collections, name, *each) for name in ORIGINALS])
        for each in MATRICES
    ]
    ap = [_matrix(collections, name, "AP", False) for name in ("T7.adh", "T03.rob")]
    return Partitions(np.stack(matrices), seed), Partitions(np.concatenate(ap)[np.newaxis], seed)


def _matrix(collections: Collections, name: str, measure: str, standardized: bool) -> Array:
    scores = collections.standardized if standardized else collections.evaluated
    matrix: Array = scores(name, measure).to_numpy()
    return matrix


def figure5(errors: Array) -> pd.DataFrame:
    """Lay out mean dRMSE and the interval that holds 95 of 100; `errors` (trials, matrices)."""
    return _laid_out(errors, {"percentile_2.5": 0.025, "percentile_97.5": 0.975})


def figure6(rates: Array) -> pd.DataFrame:
    """Lay out mean rates of false positives and what 97.5 of 100 are below."""
    return _laid_out(rates, {"percentile_97.5": 0.975})


def _laid_out(trials: Array, percentiles: dict[str, float]) -> pd.DataFrame:
    def values(measure: str, standardized: bool) -> dict[str, float]:
        column = trials[:, MATRICES.index((measure, standardized))]
        quantiles = quantile_r(column, np.array(list(percentiles.values())))
        return {
            "partitions": len(column),
            "mean": float(column.mean()),
            "standard_error": _standard_error(column),
            **dict(zip(percentiles, quantiles.tolist(), strict=True)),
        }

    table = bars(values)
    return table.assign(partitions=len(trials))


def randomized(errors: Array, t03_errors: Array) -> pd.DataFrame:
    """Lay what the paper prints of its random partitions beside means over these.

    ``percentile_99`` is what 99 of 100 partitions are below. The paper's own mean has about
    the same standard error as ours; both may be apart by 3 times that of their difference.
    """
    computed = {
        "AP of random halves of T7.adh and T8.adh": errors[:, MATRICES.index(("AP", False))],
        "AP of random halves of T7.adh and T03.rob": t03_errors,
    }
    numbers = [number for number in printed() if is_randomized(number)]
    trials = [None if n.needs else computed[n.row] for n in numbers]
    means = [math.nan if each is None else float(each.mean()) for each in trials]
    error = [math.nan if each is None else _standard_error(each) for each in trials]
    table = beside(numbers, means)
    rounding = [0.5 * 10.0**-n.digits for n in numbers]
    near = (table["computed"] - table["printed"].astype(float)).abs() <= (
        _BY_CHANCE * math.sqrt(2) * np.array(error) + rounding
    )
    table.loc[(table["status"] == "differs") & near, "status"] = "within sampling error"
    highest = [math.nan if e is None else float(quantile_r(e, 0.99)[0]) for e in trials]
    return table.assign(standard_error=error, percentile_99=highest)


def _standard_error(trials: Array) -> float:
    return float(trials.std(ddof=1) / math.sqrt(len(trials))) if len(trials) > 1 else math.nan
