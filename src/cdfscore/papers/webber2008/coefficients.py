"""Agreement of the scores of systems on two collections."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

from cdfscore.papers.webber2008.collections import EVALUATED_SYSTEMS, Collections
from cdfscore.rank_correlation import drmse, tau_b
from cdfscore.significance.pearson import pearson
from cdfscore.significance.student_t import student_t

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd


def correlation(name: str, x: pd.Series[float], y: pd.Series[float]) -> float:
    """Return the correlation of two rankings that the paper calls "Pearson" or "Kendall"."""
    if name == "Pearson":
        return float(pearson(x.to_numpy(), y[x.index].to_numpy()).estimate)
    return float(tau_b(x.to_numpy(), y[x.index].to_numpy()))


def pair_error(collections: Collections, c: str, d: str, measure: str, by: str | None) -> float:
    """Return the dRMSE of system means between two collections, standardized `by` systems."""
    x, y = (collections.means(name, measure, by) for name in (c, d))
    return float(drmse(x.to_numpy(), y[x.index].to_numpy()))


def mean_pair_error(
    collections: Collections, names: Iterable[str], measure: str, by: str | None
) -> float:
    """Return the mean of `pair_error` over all pairs of these collections."""
    pairs = list(combinations(names, 2))
    return sum(pair_error(collections, c, d, measure, by) for c, d in pairs) / len(pairs)


def better_systems(collections: Collections, c: str, d: str, *, standardized: bool) -> int:
    """Return the number of systems whose AP is significantly better on collection c than on d.

    The test is a one-tailed two-sample t test at level 0.025, as in Table 4. Student's and Welch's
    test give the same numbers there.
    """
    scores = collections.standardized if standardized else collections.evaluated
    on_c, on_d = (scores(name, "AP").to_numpy().T for name in (c, d))
    return int((student_t(on_c, on_d, alternative="greater").p_value <= 0.025).sum())


def better_rates(
    collections: Collections, names: Iterable[str], *, standardized: bool
) -> list[float]:
    """Return the proportions of systems that are better, for each pair in both orders."""
    return [
        better_systems(collections, c, d, standardized=standardized) / EVALUATED_SYSTEMS
        for c, d in permutations(names, 2)
    ]
