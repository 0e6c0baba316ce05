"""Figure 4: number of systems needed to standardize T03.rob."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.experiments.reference_size import ReferenceSize
from cdfscore.experiments.refitted import refitted
from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.numerics.types import Array
from cdfscore.papers.webber2008.coefficients import correlation
from cdfscore.papers.webber2008.collections import SCHEME, Collections
from cdfscore.standardization.policies.constant import ConstantPolicy

if TYPE_CHECKING:
    import pandas as pd

#: The collection whose original systems are sampled.
NAME = "T03.rob"
#: Two scores are the fewest that have a standard deviation.
SIZES = (*range(2, 16), 20, 30, 50, 75)
#: Policy for topics whose sampled scores are all equal; the paper does not state one.
CONSTANT: ConstantPolicy = "limit"


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
