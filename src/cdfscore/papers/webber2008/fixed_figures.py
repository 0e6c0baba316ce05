"""Figures 1, 2, 3 and 7, which need no random draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.quantile_r import quantile_r
from cdfscore.papers.webber2008.coefficients import mean_pair_error
from cdfscore.papers.webber2008.collections import (
    SCHEME,
    TOPICS,
    Collections,
    standardizable,
)
from cdfscore.papers.webber2008.halves import bars
from cdfscore.papers.webber2008.section2 import intervals
from cdfscore.standardization.standardizer import Standardizer

if TYPE_CHECKING:
    import pandas as pd

_BINS = 20


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
