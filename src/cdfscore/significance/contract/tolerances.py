"""Tolerances against R of the numbers of a test; a test states those that differ."""

from __future__ import annotations

from collections.abc import Mapping

from cdfscore.errors import SignificanceError
from cdfscore.numerics.tolerance import Tolerance

_RELATIVE = "Python and R use two algorithms; 1e-13 of the number"
_TAIL = "two algorithms for tail probabilities; 1e-10 of the number, down to 1e-300"

#: By the name of a number. What is small only because its terms cancel is compared in the ulp
#: of the floor.
USUAL = {
    "estimate": Tolerance(450, _RELATIVE, floor=2**-10),
    "stderr": Tolerance(450, _RELATIVE),
    "conf_low": Tolerance(450_000, _TAIL, floor=2**-10),
    "conf_high": Tolerance(450_000, _TAIL, floor=2**-10),
    "statistic": Tolerance(450, _RELATIVE, floor=2**-10),
    "parameter": Tolerance(450, _RELATIVE),
    # 1e-307 near the smallest double, where numbers have fewer and fewer bits.
    "p_value": Tolerance(450_000, _TAIL, floor=1e-297),
    "p_adjusted": Tolerance(450_000, _TAIL, floor=1e-297),
}


def with_usual(
    name: str, usual: Mapping[str, Tolerance], stated: Mapping[str, Tolerance] | None
) -> dict[str, Tolerance]:
    """Return the tolerances of all numbers of `name`: those stated, otherwise the usual ones.

    What is stated of the p value holds for the adjusted one, unless that is stated too.

    Raises `SignificanceError` for an unknown number, and for a tolerance with a fault.
    """
    for number, tolerance in (stated or {}).items():
        if number not in usual:
            raise SignificanceError(
                f"{name}: a tolerance is stated for {number!r}; expected one of {', '.join(usual)}"
            )
        if tolerance.fault:
            raise SignificanceError(f"{name}: the tolerance of {number}: {tolerance.fault}")
    given = dict(stated or {})
    if "p_value" in given:
        given.setdefault("p_adjusted", given["p_value"])
    return {**usual, **given}
