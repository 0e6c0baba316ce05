"""The end of every way to merge: duplicates, order, notes and the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cdfscore.cautions import warn_of
from cdfscore.errors import RunError
from cdfscore.merging import remarks
from cdfscore.merging.depths import check_depth
from cdfscore.merging.duplicates import DuplicatePolicy, resolved
from cdfscore.merging.merged import Merged
from cdfscore.merging.pool import Pool

if TYPE_CHECKING:
    import pandas as pd


def finished(
    pools: Iterable[Pool],
    duplicates: DuplicatePolicy,
    name: str,
    *,
    keep: int | None = None,
    notes: Sequence[str] = (),
    cautions: Sequence[str] = (),
    weights: pd.DataFrame | None = None,
) -> Merged:
    """Return the merged lists of scored documents, given by topic, and warn of the cautions.

    Raises `RunError` if no document is left, and what `resolved` raises.
    """
    check_depth("keep", keep)
    parts, repeated, ties = list[Pool](), 0, remarks.Ties()
    for pool in pools:
        once, count = resolved(duplicates, pool)
        ranked = once.ranked()
        parts.append(ranked.first(keep))
        repeated += count
        ties.count(ranked)
    if not parts:
        raise RunError("no list has a document that is left; expected one or more")
    found = [*cautions, *ties.cautions]
    everything = [*notes, *remarks.of_duplicates(repeated, duplicates), *ties.notes, *found]
    warn_of(found)
    return Merged(Pool.joined(parts), name, weights, tuple(everything), tuple(found))
