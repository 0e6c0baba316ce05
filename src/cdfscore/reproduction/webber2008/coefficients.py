"""How alike the means of systems on two collections are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdfscore.rank_correlation import drmse, tau_b
from cdfscore.reproduction.webber2008.collections import Collections
from cdfscore.significance.pearson import pearson

if TYPE_CHECKING:
    import pandas as pd


def correlation(name: str, x: pd.Series[float], y: pd.Series[float]) -> float:
    """Return the coefficient that the paper calls "Pearson" or "Kendall" of two rankings."""
    if name == "Pearson":
        return float(pearson(x.to_numpy(), y[x.index].to_numpy()).estimate)
    return float(tau_b(x.to_numpy(), y[x.index].to_numpy()))


def pair_error(collections: Collections, c: str, d: str, measure: str, by: str | None) -> float:
    """Return the dRMSE between two collections of means that are standardized `by` systems."""
    x, y = (collections.means(name, measure, by) for name in (c, d))
    return float(drmse(x.to_numpy(), y[x.index].to_numpy()))
