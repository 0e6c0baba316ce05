"""Ranking of schemes by the mean CRPS of left-out scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.significance.paired_t import paired_t

if TYPE_CHECKING:
    import pandas as pd

#: Columns of `Diagnosis.summary` by which schemes are ranked.
RANKING = ("crps_rank", "crps_common", "crps_above", "crps_above_low", "crps_above_high")


def ranking(crps: pd.DataFrame, alpha: float) -> dict[str, dict[str, float]]:
    """Rank schemes by their mean over the common topics, and compare each with the first.

    `crps` is topics x schemes without NaN. `crps_above` is the mean difference from the first
    over topics, with the interval of the paired t test of level 1 - alpha; NaN for the first,
    and with fewer than two topics. The interval is NaN where all differences are equal.
    """
    if crps.empty:
        return {}
    means = crps.mean()
    best = str(means.idxmin())
    found = {}
    for scheme, rank in zip(map(str, crps), means.rank(method="min"), strict=True):
        above, interval = float("nan"), (float("nan"), float("nan"))
        if scheme != best and len(crps) > 1:
            # As a batch of one: without an interval where all differences are equal.
            pair = (crps[name].to_numpy()[np.newaxis] for name in (scheme, best))
            interval = tuple(paired_t(*pair, conf_level=1 - alpha).conf_int[0].tolist())
            above = float((crps[scheme] - crps[best]).mean())
        values = (int(rank), float(means[scheme]), above, *interval)
        found[scheme] = dict(zip(RANKING, values, strict=True))
    return found


def ranked(summary: pd.DataFrame, alpha: float) -> Iterator[str]:
    """Rank the schemes by mean CRPS, with the intervals of the differences from the first."""
    order = summary[summary["crps_rank"].notna()].sort_values("crps_rank", kind="stable")
    if len(order) < 2:
        return
    best, number = order.iloc[0], order["crps_topics"].iloc[0]
    others = ", ".join(
        f"{row['scheme']} by {row['crps_above']:.3g}"
        + (
            f" ({row['crps_above_low']:.3g} to {row['crps_above_high']:.3g})"
            if row["crps_above_low"] == row["crps_above_low"]
            else ""
        )
        for _, row in order.iloc[1:].iterrows()
    )
    yield (
        f"By CRPS, which compares steps and densities alike, {best['scheme']} predicts left-out "
        f"scores best, {best['crps_common']:.4g} on average of {number} topic"
        f"{'' if number == 1 else 's'}; above it are {others}. CRPS has the unit of the scores, so "
        "that topics of widely spread scores count most; intervals are "
        f"{1 - alpha:.0%}, paired by topic, and take no account of the best having been found by "
        "looking."
    )
