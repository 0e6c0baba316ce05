"""The counterparts, a file for each kind of function."""

from __future__ import annotations

from validation.statsmodels_judge.counterpart import Counterpart
from validation.statsmodels_judge.counterparts import (
    adjustment,
    all_pairs,
    assumptions,
    components,
    counts_and_spread,
    effects,
    means,
    mixed,
    one_way,
    planning,
    power,
    ranges,
    tables,
    two_collections,
)

COUNTERPARTS: tuple[Counterpart, ...] = (
    *means.COUNTERPARTS,
    *counts_and_spread.COUNTERPARTS,
    *ranges.COUNTERPARTS,
    *all_pairs.COUNTERPARTS,
    *adjustment.COUNTERPARTS,
    *effects.COUNTERPARTS,
    *two_collections.COUNTERPARTS,
    *power.COUNTERPARTS,
    *planning.COUNTERPARTS,
    *tables.COUNTERPARTS,
    *one_way.COUNTERPARTS,
    *assumptions.COUNTERPARTS,
    *components.COUNTERPARTS,
    *mixed.COUNTERPARTS,
)
