"""Matrix of all pairs of systems, and the runs of systems that do not differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.numerics.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    import pandas as pd


def p_matrix(rows: pd.DataFrame, systems: Sequence[str]) -> Array:
    """Return the adjusted p value of each pair, shape (systems, systems); NaN where there is none.

    `rows` are those of the table of a comparison by one scheme.
    """
    place = {system: i for i, system in enumerate(systems)}
    a, b = (rows[name].map(place).to_numpy(np.intp) for name in ("system_a", "system_b"))
    found = np.full((len(systems), len(systems)), np.nan)
    found[a, b] = found[b, a] = rows["p_adjusted"]
    return found


def ends_of_runs(apart: BoolArray) -> IntArray:
    """Return for each system the end of the longest run from it on of which no two systems differ.

    `apart` says which systems differ, (systems, systems) in some order; the end is the place after
    the last of the run, and is never before that of a system above.

    Examples
    --------
    >>> apart = np.zeros((4, 4), dtype=bool)
    >>> apart[0, 2] = apart[2, 0] = apart[1, 3] = apart[3, 1] = True
    >>> ends_of_runs(apart)
    array([2, 3, 4, 4])
    """
    count = len(apart)
    later = np.triu(apart, 1)
    first = np.where(later.any(axis=1), later.argmax(axis=1), count)
    # A run ends before the first system that differs from any of its members.
    found: IntArray = np.minimum.accumulate(first[::-1])[::-1]
    return found
