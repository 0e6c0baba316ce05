"""Settings of rank tests: truth values, and the number of decimals that are compared."""

from __future__ import annotations

import numpy as np

from cdfscore.errors import SignificanceError
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.types import Array
from cdfscore.significance._rounding_r import rounded

# Scores below 100 then have fewer than 15 digits, where the rounding is that of R.
_MOST = 12


def at_decimals(test: str, values: Array, ties_at: int | None) -> Array:
    """Return the values rounded to `ties_at` decimals, or as they are if it is None."""
    if ties_at is None:
        return values
    decimals = whole_number_from(
        f"{test}: ties_at", ties_at, 0, _MOST, SignificanceError, also="None"
    )
    return rounded(values, decimals)


def check_truth_values(test: str, **settings: bool | None) -> None:
    """Raise `SignificanceError` unless each setting is true or false, or `exact` None."""
    for name, value in settings.items():
        unset = name == "exact" and value is None
        if not unset and not isinstance(value, bool | np.bool_):
            raise SignificanceError(
                f"{test}: {name}={value!r} is not accepted; expected True or False"
                + (", or None for the rule of R" if name == "exact" else "")
            )
