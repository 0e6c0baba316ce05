"""Figures 5 and 6: random halves of the topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.experiments.halves import Halves
from cdfscore.experiments.matrices import SchemeMatrices
from cdfscore.experiments.summaries import LIMITS, summary
from cdfscore.numerics.types import Array
from cdfscore.papers.webber2008.collections import HALVED, JUDGED, MEASURES, Collections
from cdfscore.papers.webber2008.printed_numbers import JUDGMENTS

if TYPE_CHECKING:
    import pandas as pd

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

#: The matrices, in the order in which `experiments` has them: measure, standardized or not. Those
#: of the judgments are last, and absent without them.
MATRICES = [(measure, standardized) for measure in MEASURES for standardized in (False, True)]
MATRICES += [(measure, False) for measure in JUDGED]


def experiments(collections: Collections, seed: int) -> tuple[Halves, Halves]:
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
