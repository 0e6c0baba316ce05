"""Arguments that are numbers: what is accepted as one, and how a refused value is shown.

Accepted are int, float, and NumPy's integers and floats. Text, None, True and False, arrays,
also those of one number, and other numbers such as fractions and decimals are not.
"""

from __future__ import annotations

import math
import re

import numpy as np


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
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        return None
    return int(value)


def shown(value: object) -> str:
    """Return a refused value for a message: on one line, text in quotation marks.

    Examples
    --------
    >>> print(shown("2"), shown(np.float32(0.5)), shown(np.eye(2)))
    '2' 0.5 array([[1., 0.], [0., 1.]])
    """
    if isinstance(value, np.number):
        return str(value)
    return re.sub(r"\s*\n\s*", " ", repr(value))
