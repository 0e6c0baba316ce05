"""Figure 4: number of systems needed to standardize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cdfscore.experiments.sampled_references import SampledReferences
from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.papers.webber2008.coefficients import correlation
from cdfscore.papers.webber2008.collections import ORIGINALS, SCHEME, Collections
from cdfscore.standardization.policies.constant import ConstantPolicy

if TYPE_CHECKING:
    import pandas as pd

#: Two scores are the fewest that have a standard deviation.
SIZES = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75)
#: Policy for topics whose sampled scores are all equal; the paper does not state one.
CONSTANT: ConstantPolicy = "limit"


def experiments(
    collections: Collections, sizes: tuple[int, ...], seed: int
) -> dict[str, SampledReferences]:
    """Return an experiment for each collection whose original systems can be sampled.

    The paper samples the systems of TREC 2003 Robust, which are not published.
    """
    return {
        name: SampledReferences(
            collections.originals(name, "AP").to_numpy(),
            collections.evaluated(name, "AP").to_numpy(),
            sizes,
            seed,
            SCHEME,
            CONSTANT,
        )
        for name in ORIGINALS
    }


def figure4(
    collections: Collections, found: dict[str, tuple[SampledReferences, dict[str, Any]]]
) -> pd.DataFrame:
    """Return percentiles of tau, one row per collection and size.

    95 % of the samples have at least the tau ``lowest_95``, and 99 % at least ``lowest_99``.
    ``constant`` is the mean number of topics whose sampled scores are all equal; the policy
    ``constant_policy`` gives their scores. Two other taus are for comparison:
    ``raw_and_standardized``, between AP and standardized AP on the collection, and ``between``, of
    AP on T7.adh and T8.adh.
    """
    import pandas as pd

    between = correlation("Kendall", *(collections.means(name, "AP", None) for name in ORIGINALS))
    tables = []
    for name, (experiment, arrays) in found.items():
        median, lowest95, lowest99 = quantile_r(arrays["tau"].T, np.array([0.5, 0.05, 0.01])).T
        means = (collections.means(name, "AP", by) for by in (None, "originals"))
        table = pd.DataFrame(
            {
                "collection": name,
                "systems": experiment.reference.shape[1],
                "size": experiment.sizes,
                "samples": len(arrays["tau"]),
                "median": median,
                "lowest_95": lowest95,
                "lowest_99": lowest99,
                "constant": arrays["constant"].mean(axis=0),
                "scheme": str(experiment.scheme),
                "constant_policy": experiment.constant,
                "raw_and_standardized": correlation("Kendall", *means),
                "between": between,
            }
        )
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
