"""Settings of rank tests: truth values, and how finely scores and differences are compared."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cdfscore.errors import SignificanceError
from cdfscore.numerics.multiples import denominators, shifted_differences, with_ties
from cdfscore.numerics.numbers import whole_number_from
from cdfscore.numerics.types import Array, IntArray
from cdfscore.significance.contract.unit import Decimals

# Decimal digits that a double holds whatever the number.
_DIGITS = 15

#: What ties: what is equal at the resolution of the scores, in all digits, or after rounding.
TiesAt = int | Literal["resolution", "all_digits"]
#: What a method adds for the rows, or for all; "" where all digits are compared, as in R.
Said = NDArray[np.str_] | str

# Scores below 100 then have fewer than 15 digits, where the rounding is that of R.
_MOST = 12


def differences_at(
    test: str,
    x: Array,
    y: Array,
    null_value: float,
    ties_at: TiesAt | Decimals,
    *,
    ranked: bool = False,
) -> tuple[Array, Said]:
    """Return x - y - null_value (rows, n) as compared under `ties_at`, and what `method` adds.

    If their sizes are `ranked`, those that are equal but for rounding are equal.
    """
    rule = _checked(test, ties_at)
    if rule == "resolution":
        difference, q = shifted_differences(x, y, null_value)
        said = _described(q)
        if ranked:
            before, difference = difference, with_ties(difference, q)
            said = np.where((difference != before).any(axis=1), "; ties at 12 digits", said)
        return difference, said
    difference = x - y - null_value
    if rule == "all_digits":
        return difference, ""
    return _rounded(difference, rule), f"; ties at {rule.number} decimals"


def shifted_at(
    test: str, x: Array, y: Array, null_value: float, ties_at: TiesAt | Decimals
) -> tuple[Array, Array, Said]:
    """Return x - null_value and y as compared under `ties_at`, and what `method` adds."""
    rule = _checked(test, ties_at)
    shifted = x - null_value
    if rule == "resolution":
        shifts = np.full((len(x), 1), null_value)
        q = denominators(np.concatenate([x, y, shifts], axis=1))
        by = q[:, np.newaxis]
        exact = (np.rint(x * by) - np.rint(null_value * by)) / by
        return np.where(np.isnan(by), shifted, exact), y, _described(q)
    if rule == "all_digits":
        return shifted, y, ""
    return _rounded(shifted, rule), _rounded(y, rule), f"; ties at {rule.number} decimals"


def _rounded(values: Array, to: Decimals) -> Array:
    """Round to decimals of the scores as they were given."""
    # What is too large for a double has no decimals, and stays as it is.
    found = rounded(np.ldexp(values, to.exponent), to.number)
    return np.where(np.isfinite(found), np.ldexp(found, -to.exponent), values)


def _checked(test: str, ties_at: object) -> Literal["resolution", "all_digits"] | Decimals:
    # An array of words is none.
    if isinstance(ties_at, str):
        if ties_at == "resolution":
            return "resolution"
        if ties_at == "all_digits":
            return "all_digits"
    number, exponent = ties_at, 0
    if isinstance(ties_at, Decimals):
        number, exponent = ties_at.number, ties_at.exponent
    decimals = whole_number_from(
        f"{test}: ties_at",
        number,
        0,
        _MOST,
        SignificanceError,
        also="'resolution' or 'all_digits'",
    )
    return Decimals(decimals, exponent)


def _described(q: Array) -> Said:
    """Say of each row what a difference is a multiple of."""
    distinct, place = np.unique(q, return_inverse=True)
    said = ["" if np.isnan(each) else f"; ties at multiples of 1/{each:.0f}" for each in distinct]
    return np.array(said, dtype=np.str_)[place]


def zeros_said(zeros: Array | IntArray, n: int) -> NDArray[np.str_]:
    """Return what `method` adds for each row: how many of n differences the test rests on."""
    distinct, place = np.unique(zeros, return_inverse=True)
    said = [f"; {n - k:.0f} of {n} differences are not 0" if k else "" for k in distinct]
    return np.array(said, dtype=np.str_)[place]


def check_exact(test: str, what: str, numbers: Array | IntArray, most: int) -> None:
    """Raise `SignificanceError` unless there are at most so many in each row of an exact p value.

    `numbers` (rows,) are those of `what`, such as "pairs with ties".
    """
    number = int(numbers.max(initial=0))
    if number > most:
        raise SignificanceError(
            f"{test}: exact=True with {number:,} {what} is not accepted; expected {most:,} or "
            "fewer, or exact=False for the approximation"
        )


def check_truth_values(test: str, **settings: bool | None) -> None:
    """Raise `SignificanceError` unless each setting is true or false, or `exact` None."""
    for name, value in settings.items():
        unset = name == "exact" and value is None
        if not unset and not isinstance(value, bool | np.bool_):
            raise SignificanceError(
                f"{test}: {name}={value!r} is not accepted; expected True or False"
                + (", or None for the rule of R" if name == "exact" else "")
            )


def rounded(values: Array, decimals: int) -> Array:
    """Round to the nearer of the two neighbours that have `decimals` decimals, as R's ``round``.

    Both neighbours are doubles, and an equal distance decides for the even last digit.
    `numpy.round` rounds the product with 10^decimals and so takes 0.15 for 0.2, although the
    double is below 0.15. A number that would still have more than 15 digits is
    returned as it is; R draws that line elsewhere, at 14 to 16, by the power of 2.
    """
    power = 10.0**decimals
    # Zero has the logarithm -inf, and a product that overflows is not asked for.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scaled = values * power
        below, above = np.floor(scaled), np.ceil(scaled)
        low, high = below / power, above / power
        to_low, to_high = values - low, high - values
        down = (to_low < to_high) | ((to_low == to_high) & (below % 2 == 0))
        whole = np.ceil(np.log10(np.abs(values)))
    return np.where(decimals > _DIGITS - whole, values, np.where(down, low, high))
