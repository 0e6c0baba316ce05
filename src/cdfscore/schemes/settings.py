"""Checks of settings that are numbers: what is accepted as one, in all schemes alike.

Python's and NumPy's numbers are accepted. Text, None, arrays, and True and False are not.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np

from cdfscore.errors import SchemeError


def finite_number(value: object) -> float | None:
    """Return a number as a float, or None for what is not a finite number.

    Examples
    --------
    >>> finite_number(2), finite_number(float("inf")), finite_number("2"), finite_number(True)
    (2.0, None, None, None)
    """
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer that no double is near
        return None
    return number if math.isfinite(number) else None


def whole_number(value: object) -> int | None:
    """Return an integer as Python's int, or None for what is not an integer.

    Examples
    --------
    >>> whole_number(np.int8(2)), whole_number(2.0), whole_number(True)
    (2, None, None)
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex):
        return None
    try:
        return operator.index(value)
    except TypeError:  # an array of more than an integer
        return None


def setting_error(scheme: str, name: str, value: object, expected: str) -> SchemeError:
    """Return the error for a setting of a scheme, which says what would be accepted."""
    return SchemeError(f"{scheme}: {name}={value} is not accepted; expected {expected}")


def check_word(scheme: str, name: str, value: object, words: Sequence[str]) -> None:
    """Raise `SchemeError` unless a setting is one of the words, which a Literal has."""
    if not isinstance(value, str) or value not in words:
        raise setting_error(scheme, name, value, " or ".join(map(repr, words)))
