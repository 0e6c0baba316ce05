"""Fit errors for the rows of a batch that cannot be fitted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cdfscore.errors import FitError
from cdfscore.numerics.types import BoolArray


def refuse_rows(bad: BoolArray | np.bool_, message: str | Callable[[int], str]) -> None:
    """Raise `FitError` for the bad rows, if there are any.

    `message` is the reason, or a function that returns the reason of a row from its number.
    """
    if np.any(bad):
        reasons = {
            int(row): message if isinstance(message, str) else message(int(row))
            for row in np.flatnonzero(np.atleast_1d(bad))
        }
        row, reason = next(iter(reasons.items()))
        where = f"row {row}: " if np.ndim(bad) else ""
        raise FitError(where + reason, row=row, rows=reasons)
