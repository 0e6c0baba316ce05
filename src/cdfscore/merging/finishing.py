"""The end of every way to merge: duplicates, order, notes and the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cdfscore.cautions import warn_of
from cdfscore.errors import RunError
from cdfscore.merging import remarks
from cdfscore.merging.duplicates import DuplicatePolicy, resolved
from cdfscore.merging.merged import Merged
from cdfscore.merging.pool import Pool

if TYPE_CHECKING:
    import pandas as pd


def finished(
    pool: Pool,
    duplicates: DuplicatePolicy,
    name: str,
    *,
    notes: Sequence[str] = (),
    cautions: Sequence[str] = (),
    weights: pd.DataFrame | None = None,
) -> Merged:
    """Return the merged lists of scored documents, and warn of the cautions.

    Raises `RunError` if no document is left, and what `resolved` raises.
    """
    if not len(pool.topic):
        raise RunError("no list has a document that is left; expected one or more")
    pool, repeated = resolved(duplicates, pool)
    pool = pool.ranked()
    found = [*cautions, *remarks.of_most_tied(pool)]
    everything = [
        *notes,
        *remarks.of_duplicates(repeated, duplicates),
        *remarks.of_some_tied(pool),
        *found,
    ]
    warn_of(found)
    return Merged(pool, name, weights, tuple(everything), tuple(found))
