"""Ranking of schemes by the mean CRPS of left-out scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.diagnosis.resolution import Resolution
from cdfscore.numerics.moments import mean_and_sd
from cdfscore.numerics.types import Array
from cdfscore.schemes._extremes import extremes
from cdfscore.significance.paired_t import paired_t

if TYPE_CHECKING:
    import pandas as pd

# Proportion of the CRPS below which there is no note on a coarse grid.
_SMALL = 1e-3

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


def price_of_smoothness(scores: Array, written: Resolution) -> float:
    """Return about how much the CRPS of a smooth curve is higher because scores are on a grid.

    `scores` are (topics, systems). The distribution of scores that are rounded to multiples of d
    is a step function. A density f that is correct except for the rounding has a CRPS that is
    higher by the integral of (F - F rounded)^2, about d^2 / 12 times the integral of f^2. Here f
    is a normal density with the standard deviation of the topic, or d if that is larger; for it
    the difference is d^2 / (24 sqrt(pi) sd). The result is the mean over topics that are not
    constant, and 0 for scores of full precision.

    Examples
    --------
    >>> round(price_of_smoothness(np.array([[0.1, 0.3, 0.5]]), Resolution(0.1, "found")), 6)
    0.001175
    """
    low, high = extremes(scores)
    varied = scores[np.less(low, high)[:, 0]]
    if written.source == "assumed" or not len(varied):
        return 0.0
    sd = np.maximum(mean_and_sd(varied)[1], written.width)
    return float(np.mean(written.width**2 / (24 * math.sqrt(math.pi) * sd)))


def ranked(summary: pd.DataFrame, alpha: float) -> Iterator[str]:
    """Rank the schemes by mean CRPS, with the intervals of the differences from the first."""
    order = summary[summary["crps_rank"].notna()].sort_values("crps_rank", kind="stable")
    if len(order) < 2:
        return
    best = order.iloc[0]
    number = best["crps_topics"]
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
        f"By CRPS, which compares step functions and densities, {best['scheme']} predicts left-out "
        f"scores best, {best['crps_common']:.4g} on average over {number} topic"
        f"{'' if number == 1 else 's'}; the others are higher: {others}. CRPS has the unit of the "
        "scores, so that topics with widely spread scores count most. The "
        f"{1 - alpha:.0%} intervals are paired by topic and do not allow for the selection of the "
        "best scheme."
    )


def grid_notes(summary: pd.DataFrame, price: float, steps: frozenset[str]) -> tuple[str, ...]:
    """Return the note on a coarse grid, if step functions and smooth curves are ranked by CRPS."""
    order = summary[summary["crps_rank"].notna()]
    apart = 0 < int(order["scheme"].isin(steps).sum()) < len(order)
    if not apart or price < _SMALL * order["crps_common"].min():
        return ()
    return (
        f"scores are on a coarse grid: the CRPS of a smooth curve is about {price:.2g} higher "
        "because it is smooth between the points of the grid, unlike a step function; a difference "
        "of this size between a step function and a curve, or a win by it, is not meaningful",
    )
