"""The last steps of every method of merging: duplicates, order, notes and the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cdfscore.cautions import warn_of
from cdfscore.errors import RunError
from cdfscore.merging import remarks
from cdfscore.merging.duplicates import DuplicatePolicy, resolved
from cdfscore.merging.merged import Merged
from cdfscore.merging.pool import Pool
from cdfscore.threads import in_threads

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

    Raises `RunError` if no document is left, for a score that is too large for a double, and as
    `resolved` does.
    """
    parts, repeated, ties = list[Pool](), 0, remarks.Ties()
    for part, count, own in in_threads(partial(_ranked, duplicates, keep), pools):
        parts.append(part)
        repeated += count
        ties.add(own)
    if not any(len(part.source) for part in parts):
        raise RunError("no document is left in any list; expected one or more")
    found = [*cautions, *ties.cautions]
    everything = [*notes, *remarks.of_duplicates(repeated, duplicates), *ties.notes, *found]
    warn_of(found)
    return Merged(tuple(parts), name, weights, tuple(everything), tuple(found))


def _ranked(
    duplicates: DuplicatePolicy, keep: int | None, pool: Pool
) -> tuple[Pool, int, remarks.Ties]:
    """Return the documents of some topics in order, how many were there twice, and ties."""
    once, repeated = resolved(duplicates, pool)
    _check_finite(once)
    found = once.contenders(keep).ranked().first(keep)
    return found, repeated, remarks.Ties.of(found)


def _check_finite(pool: Pool) -> None:
    """Raise `RunError` for an infinite score, which a run must not have."""
    bad = ~np.isfinite(pool.scores)
    if bad.any():
        place = int(bad.argmax())
        raise RunError(
            f"topic {pool.topics[pool.topic[place]]!r}: the merged score of document "
            f"{pool.ids[int(pool.document[place])].as_py()!r} is too large for a double; expected "
            "smaller scores, or smaller weights"
        )
