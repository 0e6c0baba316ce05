"""Arguments that are numbers: int, float, and NumPy's integers and floats, but no truth values."""

import math
import re
from typing import Any

import numpy as np

from cdfscore.errors import CdfscoreError


def finite_number(value: object) -> float | None:
    """Return a number as a float, or None for what is not a finite number."""
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer that no double is near
        return None
    return number if math.isfinite(number) else None


def between_0_and_1(name: str, value: object, error: type[CdfscoreError]) -> float:
    """Return a number between 0 and 1 as a float; raise `error` for others."""
    number = finite_number(value)
    if number is None or not 0 < number < 1:
        given = f"{name}={shown(value)}"
        raise error(f"{given} is not accepted; expected a number between 0 and 1")
    return number


#: Resamples and simulated samples that may be asked for; the error of a p value is 2e-5 then.
MOST_RESAMPLES = 10**9


def whole_number_from(
    name: str,
    value: object,
    least: int,
    most: int | None,
    error: type[CdfscoreError],
    *,
    also: str = "",
) -> int:
    """Return an integer as Python's; `also` names in the error what the caller accepts beside."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        whole = int(value)
        if whole >= least and (most is None or whole <= most):
            return whole
    limits = f"of {least} or more" if most is None else f"from {least} to {most}"
    also = also and f", or {also}"
    given = f"{name}={shown(value)}"
    raise error(f"{given} is not accepted; expected a whole number {limits}{also}")


def python_value(value: Any) -> Any:
    """Return the value of Python for one of NumPy, whose arithmetic may overflow, and others."""
    if isinstance(value, np.floating):
        return float(value)  # the item of a long double is one again
    return value.item() if isinstance(value, np.generic) else value


def shown(value: object) -> str:
    """Return a refused value for a message: on one line, text in quotation marks."""
    if isinstance(value, np.number):
        return str(value)
    return re.sub(r"\s*\n\s*", " ", repr(value))
