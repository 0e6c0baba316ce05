"""Figures 5 and 6: random halves of the topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.experiments.partitions import Partitions
from cdfscore.numerics.types import Array
from cdfscore.papers.webber2008.collections import HALVED, MEASURES, Collections
from cdfscore.papers.webber2008.sampling_error import error_of_mean, percentile, percentile_interval

if TYPE_CHECKING:
    import pandas as pd

_FORMS = ("raw", "normalized", "standardized")
#: Measure, form, and source. The source is the measure of the scores and whether they are
#: standardized, or the name of the missing data. Average precision is the sum of precisions divided
#: by the number of relevant documents; the paper calls this the normalized form of the sum.
_BARS: list[tuple[str, str, tuple[str, bool] | str]] = [
    ("P@10", "raw", ("P@10", False)),
    ("P@10", "normalized", "relevance judgments"),
    ("P@10", "standardized", ("P@10", True)),
    *(("RBP", form, "RBP scores") for form in _FORMS),
    ("SP/AP", "raw", "relevance judgments"),
    ("SP/AP", "normalized", ("AP", False)),
    ("SP/AP", "standardized", ("AP", True)),
    *(("DCG", form, "DCG scores") for form in _FORMS),
]

#: The matrices, in the order in which `experiments` has them: measure, standardized or not.
MATRICES = [(measure, standardized) for measure in MEASURES for standardized in (False, True)]


def experiments(collections: Collections, seed: int) -> tuple[Partitions, Partitions]:
    """Return the partitions of T7.adh and T8.adh, and those of T7.adh and T03.rob.

    The first use AP and P@10, raw and standardized by the original systems of each track. The
    second use AP.
    """
    matrices = [
        np.concatenate([_matrix(collections, name, *each) for name in HALVED]) for each in MATRICES
    ]
    ap = [_matrix(collections, name, "AP", False) for name in ("T7.adh", "T03.rob")]
    return Partitions(np.stack(matrices), seed), Partitions(np.concatenate(ap)[np.newaxis], seed)


def _matrix(collections: Collections, name: str, measure: str, standardized: bool) -> Array:
    scores = collections.standardized if standardized else collections.evaluated
    matrix: Array = scores(name, measure).to_numpy()
    return matrix


def of_matrix(trials: Array, measure: str, *, standardized: bool) -> Array:
    """Return the trials of one matrix from an array (trials, matrices)."""
    found: Array = trials[:, MATRICES.index((measure, standardized))]
    return found


def figure5(errors: Array) -> pd.DataFrame:
    """Return mean dRMSE and the interval that contains 95 % of `errors` (trials, matrices)."""
    return _laid_out(
        errors, lambda each: {f"percentile_{p}": percentile(each, p) for p in (2.5, 97.5)}
    )


def figure6(rates: Array) -> pd.DataFrame:
    """Return mean rates of false positives and their 97.5th percentile.

    ``percentile_97.5_low`` and ``..._high`` are the 95 % confidence interval of this percentile,
    because other random partitions give another percentile.
    """

    def upper_end(each: Array) -> dict[str, float]:
        low, high = percentile_interval(each, 97.5)
        return {
            "percentile_97.5": percentile(each, 97.5),
            "percentile_97.5_low": low,
            "percentile_97.5_high": high,
        }

    return _laid_out(rates, upper_end)


def _laid_out(trials: Array, percentiles: Callable[[Array], dict[str, float]]) -> pd.DataFrame:
    def values(measure: str, standardized: bool) -> dict[str, float]:
        column = of_matrix(trials, measure, standardized=standardized)
        return {
            "mean": float(column.mean()),
            "standard_error": error_of_mean(column),
            **percentiles(column),
        }

    table = bars(values)
    table.insert(2, "partitions", len(trials))
    return table


def bars(values: Callable[[str, bool], dict[str, float]]) -> pd.DataFrame:
    """Return one row per bar: ``measure``, ``form``, the result of `values`, and ``needs``.

    `values` is called with the measure of the scores and with whether they are standardized.
    """
    import pandas as pd

    rows = []
    for measure, form, source in _BARS:
        given = {"needs": source} if isinstance(source, str) else {**values(*source), "needs": ""}
        rows.append({"measure": measure, "form": form, **given})
    table = pd.DataFrame(rows)
    last = table.pop("needs")
    return table.assign(needs=last)
