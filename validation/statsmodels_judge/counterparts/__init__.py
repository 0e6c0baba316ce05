"""The counterparts, a file for each kind of function."""

from __future__ import annotations

from validation.statsmodels_judge.counterpart import Counterpart
from validation.statsmodels_judge.counterparts import (
    adjustment,
    components,
    counts_and_spread,
    effects,
    means,
    one_way,
    power,
    ranges,
    tables,
)

COUNTERPARTS: tuple[Counterpart, ...] = (
    *means.COUNTERPARTS,
    *counts_and_spread.COUNTERPARTS,
    *ranges.COUNTERPARTS,
    *adjustment.COUNTERPARTS,
    *effects.COUNTERPARTS,
    *power.COUNTERPARTS,
    *tables.COUNTERPARTS,
    *one_way.COUNTERPARTS,
    *components.COUNTERPARTS,
)
