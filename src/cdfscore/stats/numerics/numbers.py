"""Arguments that are numbers: what is accepted as one, and how a refused value is shown.

Accepted are int, float, and NumPy's integers and floats. Text, None, True and False, arrays,
also those of one number, and other numbers such as fractions and decimals are not.
"""

import math
import re
from typing import Any

import numpy as np

from cdfscore.errors import CdfscoreError


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


def between_0_and_1(name: str, value: object, error: type[CdfscoreError]) -> float:
    """Return a number between 0 and 1 as a float; raise `error`, which shows the name, for others.

    Examples
    --------
    >>> between_0_and_1("alpha", np.float64(0.05), CdfscoreError)
    0.05
    """
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
    """Return an integer from `least` to `most` as Python's int; raise `error` for others.

    There is no largest one if `most` is None. `also` names in the error what the caller accepts
    beside such a number.

    Examples
    --------
    >>> whole_number_from("bins", np.int8(5), 2, 100, CdfscoreError)
    5
    >>> whole_number_from("seed", -1, 0, None, CdfscoreError)
    Traceback (most recent call last):
    cdfscore.errors.CdfscoreError: seed=-1 is not accepted; expected a whole number of 0 or more
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        whole = int(value)
        if whole >= least and (most is None or whole <= most):
            return whole
    limits = f"of {least} or more" if most is None else f"from {least} to {most}"
    also = also and f", or {also}"
    given = f"{name}={shown(value)}"
    raise error(f"{given} is not accepted; expected a whole number {limits}{also}")


def python_value(value: Any) -> Any:
    """Return the number, text or truth value of Python for one of NumPy, and others as they are.

    Arithmetic with those of NumPy has the precision of their type, some overflow, and no file
    holds them.

    Examples
    --------
    >>> python_value(np.float16(0.5)), python_value(np.longdouble(2)), python_value("nrd0")
    (0.5, 2.0, 'nrd0')
    """
    if isinstance(value, np.floating):
        return float(value)  # the item of a long double is one again
    return value.item() if isinstance(value, np.generic) else value


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
