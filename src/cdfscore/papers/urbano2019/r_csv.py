"""CSV files as R's ``write.csv(row.names = FALSE, quote = FALSE)`` writes them on Windows.

The files of Urbano, Lima and Hanjalic (2019) have this form, so that bytes can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

# A sign, a 0 before the point, the point, and no more than 15 digits.
_SHORT = 16


def r_csv(columns: Sequence[str], rows: Iterable[Sequence[float]]) -> bytes:
    """Return a file with a line of names and one line per row, with numbers from `r_number`."""
    lines = [",".join(columns), *(",".join(map(r_number, row)) for row in rows)]
    return "".join(f"{line}\r\n" for line in lines).encode()


def r_number(value: float) -> str:
    """Write a number or NaN as R does: in the shorter of two forms such as 0.00012 and 1.2e-04.

    Numbers with more than 15 digits, and numbers from 1e15, are rounded to 15 digits; R may write
    more.

    Examples
    --------
    >>> [r_number(x) for x in (1.0, 0.930597, 0.0001, 0.00012, 123456789.5)]
    ['1', '0.930597', '1e-04', '0.00012', '123456789.5']
    """
    if math.isnan(value):
        return "NA"
    text = repr(value)
    # For a number with few digits that is not very small or large, Python's shortest form is R's.
    # It takes a tenth of the time, which is important for 1.2 million numbers.
    if 1e-3 <= abs(value) < 1e5 and len(text) <= _SHORT:
        return text.removesuffix(".0")
    rounded = Decimal(f"{value:.14e}")
    if not rounded:
        return "0"
    sign, digits, exponent = rounded.normalize().as_tuple()
    assert isinstance(exponent, int)  # because the number is finite
    fixed = f"{rounded.normalize():f}"
    whole = "".join(map(str, digits))
    power = exponent + len(digits) - 1
    mantissa = whole[0] + (f".{whole[1:]}" if len(whole) > 1 else "")
    scientific = f"{'-' * sign}{mantissa}e{power:+03d}"
    return fixed if len(fixed) <= len(scientific) else scientific
