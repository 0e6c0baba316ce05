"""Numbers of rows: the text of scores, read to the nearest double."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from cdfscore.errors import ScoresError
from cdfscore.io.decimals import number
from cdfscore.io.scores.cells import shown
from cdfscore.numerics.types import Array, IntArray


def scores_of(
    scores: Any, rows: IntArray, place: Callable[[int], str], missing: frozenset[str]
) -> Array:
    """Return the numbers of some rows; raises `ScoresError` with the place of other text.

    `missing` has the text of a missing score, which is NaN.
    """
    if isinstance(scores, np.ndarray):
        found = np.asarray(scores[rows], np.float64)
        if (bad := np.isinf(found) | (np.isnan(found) & (not missing))).any():
            row = int(np.argmax(bad))
            raise _refused(place(int(rows[row])), f"{found[row]}", missing)
        return found
    import pyarrow as pa
    import pyarrow.compute as pc

    text = scores if len(rows) == len(scores) else scores.take(pa.array(rows))
    absent = pc.is_in(pc.utf8_trim_whitespace(text), pa.array(sorted(missing), pa.string()))
    with suppress(pa.ArrowInvalid):
        found = np.asarray(pc.cast(pc.if_else(absent, None, text), pa.float64()), np.float64)
        if (np.isfinite(found) | np.asarray(absent)).all():
            return found
    values = []
    for row, cell in zip(rows.tolist(), text.to_pylist(), strict=True):
        stripped = cell.strip()
        value = np.nan if stripped in missing else number(stripped)
        if value is None or (not np.isfinite(value) and stripped not in missing):
            raise _refused(place(row), stripped, missing)
        values.append(value)
    return np.array(values, np.float64)


def _refused(place: str, text: str, missing: frozenset[str]) -> ScoresError:
    value = number(text)
    what = "is not a number" if value is None else "is not finite"
    absent = (
        f", or {'NA' if 'NA' in missing else min(missing)} where it is missing" if missing else ""
    )
    return ScoresError(f"{place}: {shown(text)} {what}; expected a score such as 0.2731{absent}")
